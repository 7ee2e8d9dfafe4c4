"""Data with candidates in the review: each row and each edit as a question with its candidates, and the dataset with the decisions applied.

    fields = choice_fields(about)                     the columns by role; None if the run is not about candidates
    load_questions(path, fields, own=True)            the questions of a dataset
    shown(question, fields)                           a question as one text
    merged_questions(edits, path, dropped, fields)    one edit per row, as `row_edits.merged`, with both versions of the question
    choice_tables(path, dropped, fields, rows)        the dataset of the run with other cells and rows

The cells that an edit changes are in its trace, so that decisions apply to them; what a reviewer reads is computed from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from longway.data.choice_cells import apply_choice_edits
from longway.data.choice_columns import LETTERS, GivenColumns
from longway.data.choices import ChoiceDataset, Question, cell_value, load_choices, offered
from longway.data.columns import ID_COLUMN
from longway.data.table import DataTable, combine
from longway.errors import RunError
from longway.records import Edit
from longway.review.row_edits import TRACE, EditLine, merged

Fields = Mapping[str, str]
QUESTION = "question"  # the key in the trace of a merged edit
FIELD = "question"  # the column that a merged edit names
RIGHT, WRONG = "✓", "   "
PAIRS = ("chosen", "rejected")
ANSWER_BASE = "answer_base"


def choice_fields(about: Mapping[str, Any]) -> Fields | None:
    """The columns of candidates by role, as run.json has them, and the answer base; None for a run on labelled texts."""
    fields = about["settings"].get("columns")
    is_choice = isinstance(fields, dict) and any(name in fields for name in ("choices", "chosen", "a"))
    if not is_choice:
        return None
    base = about["settings"].get(ANSWER_BASE)
    others = {} if base is None else {ANSWER_BASE: base}
    return {str(role): str(name) for role, name in {**fields, **others}.items()}


def load_questions(
    source: Path | pl.DataFrame, fields: Fields, *, own: bool, encoding: str | None = None
) -> ChoiceDataset:
    """The questions of a file or a table, read with the columns of the run. own: whether the run wrote it."""
    roles: dict[str, Any] = {role: name for role, name in fields.items() if role != "choices"}
    if "choices" in fields:
        roles["choices"] = tuple(fields["choices"].split(", "))
    if ANSWER_BASE in fields:
        roles[ANSWER_BASE] = int(fields[ANSWER_BASE])
    roles = {"prompt": "", **roles, "id": ID_COLUMN if own else None}
    found = load_choices(source, GivenColumns(**roles), encoding=encoding)
    if found is None:
        names = ", ".join(name for role, name in fields.items() if role != ANSWER_BASE)
        raise RunError(f"The data have no candidates. Expected the columns {names}.")
    return found


def shown(question: Question, fields: Fields) -> str:
    """A question as one text: a line for each option, the right one marked; of a pair, the chosen answer and the rejected one.

    >>> print(shown(Question("1", 0, "2 + 2?", ("3", "4"), 1), {"choices": "options"}))
        A. 3
    ✓ B. 4
    """
    if "chosen" in fields:
        both = zip(PAIRS, question.candidates, strict=True)
        return "\n\n".join(f"{name.upper()}\n{text}" for name, text in both)
    return "\n".join(
        f"{RIGHT if at == question.right else WRONG} {candidate_name(at, ())}. {text}"
        for at, text in enumerate(question.candidates)
    )


def right_name(question: Question, fields: Fields) -> str:
    """What the right candidate is called: its letter, or "chosen"."""
    return candidate_name(question.right or 0, PAIRS if "chosen" in fields else ())


def merged_questions(
    path: Path, *, dataset: Path, dropped: Path | None, fields: Fields
) -> Iterator[EditLine]:
    """One line for each row that the run changed, added or dropped, then the refused drafts of other rows."""
    lines = list(_one_draft_per_row(merged(path, text="")))
    after = load_questions(dataset, fields, own=True)
    before = _with_cells(
        after, {line[2].id: _cells(line[2], 0) for line in lines if not line[2].source}, fields
    )
    drafted = _with_cells(after, {line[2].id: _cells(line[2], 1) for line in lines if not line[2].accepted}, fields)  # fmt: skip
    gone = _by_id(load_questions(dropped, fields, own=True)) if dropped else {}
    olds, news = {**gone, **before}, _by_id(after)
    for read, _, edit in lines:
        old = olds[edit.source or edit.id]
        versions = news if edit.accepted else drafted
        new = old if edit.drops else versions.get(edit.id) or _draft(old, _cells(edit, 1), after)
        cells = {name: list(both) for name, both in _cells_of(edit).items()}
        steps = edit.trace.get(TRACE, {}).get("steps", [edit.to_dict() | {"trace": {}}])
        question = {
            "prompt": old.prompt,
            "names": list(PAIRS) if "chosen" in fields else [],
            "before": [list(old.candidates), old.right],
            "after": [list(new.candidates), new.right],
        }
        trace = {TRACE: {"steps": steps, "columns": cells}, QUESTION: question}
        whole = replace(edit, field=FIELD, before=shown(old, fields), after=shown(new, fields), trace=trace)
        yield read, whole.to_dict(), whole


def _one_draft_per_row(lines: Iterable[EditLine]) -> Iterator[EditLine]:
    """The lines, with all refused cells of a row in one: a draft changes a question as a whole."""
    drafts: dict[str, list[EditLine]] = {}
    for line in lines:
        if line[2].accepted or TRACE in line[2].trace:
            yield line
        else:
            drafts.setdefault(line[2].id, []).append(line)
    for some in drafts.values():
        read, values, edit = some[0]
        steps = [one.to_dict() | {"trace": {}} for _, _, one in some]
        columns = {one.field: (one.before, one.after) for _, _, one in some[1:]}
        yield read, values, replace(edit, trace={TRACE: {"steps": steps, "columns": columns}})


def _draft(old: Question, cells: Mapping[str, str], given: ChoiceDataset) -> Question:
    """A refused draft that is not read as a question, such as one with two equal candidates; as the candidates that its cells have."""
    names = given.columns.candidates
    if len(names) == 1:
        texts = offered([cell_value(cells.get(names[0], ""))]).texts
    else:
        texts = [cells.get(name, text) for name, text in zip(names, old.candidates, strict=False)]
    is_whole = len(texts) == len(old.candidates)
    return replace(old, candidates=tuple(texts)) if is_whole else old


def candidate_name(at: int, names: Sequence[str]) -> str:
    """What the candidate at a place is called: a letter, or its name. names: of the candidates, none for letters."""
    return names[at] if names else LETTERS[at] if at < len(LETTERS) else str(at + 1)


def counterpart(text: str, others: Sequence[str]) -> str:
    """Of the other version of a question, the text that is most like this one: itself if nothing was changed."""
    return text if text in others else max(others, key=lambda other: _likeness(text, other))


def _likeness(one: str, other: str) -> float:
    mine, theirs = set(one.lower().split()), set(other.lower().split())
    return len(mine & theirs) / max(1, len(mine | theirs))


def _cells_of(edit: Edit) -> dict[str, tuple[str, str]]:
    """The cells before and after, by column."""
    others = edit.trace.get(TRACE, {}).get("columns", {})
    return {edit.field: (edit.before, edit.after), **{name: (old, new) for name, (old, new) in others.items()}}  # fmt: skip


def _cells(edit: Edit, version: int) -> dict[str, str]:
    return {name: both[version] for name, both in _cells_of(edit).items()}


def _with_cells(
    given: ChoiceDataset, cells: Mapping[str, Mapping[str, str]], fields: Fields
) -> dict[str, Question]:
    """The questions of a dataset by id, with other cells."""
    edits = [_edit(id_, name, cell) for id_, mine in cells.items() for name, cell in mine.items()]
    known = {one.id for one in given.questions}
    tables = apply_choice_edits(given, [edit for edit in edits if edit.id in known])
    table = combine([table.without_raw() for table in tables])
    return _by_id(load_questions(table.frame, fields, own=True))


def _edit(id_: str, name: str, cell: str) -> Edit:
    return Edit(id_, name, "", cell, "", "", "review", "", accepted=True)


def _by_id(given: ChoiceDataset) -> dict[str, Question]:
    return {one.id: one for one in given.questions}


def choice_tables(
    path: Path,
    dropped: Path | None,
    fields: Fields,
    *,
    cells: Mapping[str, Mapping[str, str]],
    left_out: Sequence[str],
    restored: Sequence[str],
) -> Iterator[DataTable]:
    """The dataset of the run with other cells by id and column, without some rows, and with some of those that the run dropped."""
    given = load_questions(path, fields, own=True)
    edits = [_edit(id_, name, cell) for id_, mine in cells.items() for name, cell in mine.items()]
    edits += [replace(_edit(id_, "", ""), drops=True) for id_ in left_out]
    names: list[str] = []
    for table in apply_choice_edits(given, edits):
        names = table.frame.columns
        yield table
    if restored and dropped is not None:
        yield from _rows(load_questions(dropped, fields, own=True), set(restored), names)


def _rows(given: ChoiceDataset, ids: Iterable[str], names: Sequence[str]) -> Iterator[DataTable]:
    """Some rows, with these columns."""
    wanted = set(ids)
    for table in apply_choice_edits(given, []):
        frame = table.frame.filter(pl.col(ID_COLUMN).is_in(sorted(wanted)))
        missing = [pl.lit(None, pl.String).alias(name) for name in names if name not in frame.columns]
        yield replace(table, frame=frame.with_columns(missing).select(names))
