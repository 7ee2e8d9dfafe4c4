"""The edits of a repair or a rewrite as one edit per row: the original text, the final text, and the steps between them.

    merged(path, text="claim")         a repair: lines of edits as `edits_in` gives them, one for each row that the run changed, added or dropped
    merged_rounds(path, text="claim")  a rewrite: one line for each text that was rewritten in several rounds; the others as they are

A repair edits a row in several steps. A reviewer decides on the row: whether its final text is better than the original. The steps, those that
were refused included, are in the trace of the merged edit, with the other columns that changed (`RowTrace`). Drafts for rows that the run did not change
stay as they are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from longway.records import Edit, Verdict
from longway.review.run_folder import edits_in

TRACE = "row"  # the key in the trace of a merged edit
LEFT_OUT_AGAIN = "a later step left the row out again"

EditLine = tuple[int, dict[str, object], Edit]


@dataclass(frozen=True, slots=True)
class RowTrace:
    """What a merged edit consists of. steps: edits of the row in order. columns: other columns that changed: the text before and after."""

    steps: Sequence[Edit]
    columns: Mapping[str, tuple[str, str]]

    @classmethod
    def of(cls, edit: Edit) -> RowTrace | None:
        """The steps of a merged edit; None for any other."""
        values = edit.trace.get(TRACE)
        if values is None:
            return None
        columns = {name: (before, after) for name, (before, after) in values["columns"].items()}
        return cls([Edit.from_dict(step) for step in values["steps"]], columns)


def steps_of(edit: Edit) -> Sequence[Edit]:
    """The steps of a merged edit; none for any other."""
    trace = RowTrace.of(edit)
    return trace.steps if trace else ()


def merged(path: Path, *, text: str) -> Iterator[EditLine]:
    """One line for each row with an accepted edit, in the order of their first; then the drafts of other rows. text: the column of the text."""
    listed = [(read, line, replace(edit, trace={})) for read, line, edit in edits_in(path)]
    by_row: dict[str, list[Edit]] = {edit.id: [] for _, _, edit in listed if edit.accepted}
    others: list[EditLine] = []
    for read, line, edit in listed:
        if edit.id in by_row:
            by_row[edit.id].append(edit)
        else:
            others.append((read, {**line, "trace": {}}, edit))
    for edits in by_row.values():
        whole = merged_edit(edits, text=text)
        yield 0, whole.to_dict(), whole
    yield from others


def merged_rounds(path: Path, *, text: str) -> Iterator[EditLine]:
    """The lines of a rewrite, with one line for a text that was rewritten in several rounds, in place of the first of them.

    Refused candidates stay, because they can be accepted. The file is read several times, so that only texts with several rounds are held in memory.
    """
    counts = _accepted_by_row(path)
    by_row: dict[str, list[Edit]] = {id_: [] for id_, n in counts.items() if n > 1}
    for _, _, edit in edits_in(path) if by_row else ():
        if edit.accepted and edit.id in by_row:
            by_row[edit.id].append(replace(edit, trace={}))
    for read, line, edit in edits_in(path):
        if not edit.accepted or counts[edit.id] == 1:
            yield _without_row(read, line, edit)
        elif edits := by_row.pop(edit.id, None):
            whole = merged_edit(edits, text=text)
            yield read, whole.to_dict(), whole


def _accepted_by_row(path: Path) -> Counter[str]:
    """The number of accepted edits by row; damaged lines are left to `edits_in`, which names them."""
    counts: Counter[str] = Counter()
    with path.open("rb") as file:
        for line in file:
            with suppress(ValueError):
                values = json.loads(line)
                if isinstance(values, dict) and values.get("accepted"):
                    counts[str(values.get("id"))] += 1
    return counts


def _without_row(read: int, line: dict[str, object], edit: Edit) -> EditLine:
    """The line without what only a merged edit has in its trace: a folder can come from anyone."""
    trace = {key: value for key, value in edit.trace.items() if key != TRACE}
    return read, {**line, "trace": trace}, replace(edit, trace=trace)


def merged_edit(edits: Sequence[Edit], *, text: str) -> Edit:
    """All edits of one row as one. edits: in file order, at least one of them accepted."""
    accepted = [edit for edit in edits if edit.accepted]
    texts: dict[str, tuple[str, str]] = {}
    for edit in accepted:
        texts[edit.field] = (texts.get(edit.field, (edit.before, ""))[0], edit.after)
    field = text if text in texts else accepted[0].field
    before, after = texts.pop(field)
    source = next((edit.source for edit in accepted if edit.source), "")
    drops = accepted[-1].drops
    verdicts: dict[str, Verdict] = {verdict.check: verdict for edit in accepted for verdict in edit.verdicts}
    steps = [asdict(edit) for edit in edits]
    return Edit(
        id=edits[0].id,
        field=field,
        before=before,
        after=before if drops and not source else after,  # the row goes as it was
        label_before=accepted[0].label_before,
        label_after=accepted[-1].label_after,
        method=", ".join(dict.fromkeys(edit.method for edit in accepted)),
        engine=accepted[0].engine,
        accepted=not (drops and source),
        reason=LEFT_OUT_AGAIN if drops and source else "",
        verdicts=tuple(verdicts.values()),
        score_before=accepted[0].score_before,
        score_after=accepted[-1].score_after,
        round=accepted[0].round,
        how=", ".join(dict.fromkeys(edit.how for edit in accepted if edit.how)),
        source=source,
        drops=drops and not source,
        trace={TRACE: {"steps": steps, "columns": {name: list(both) for name, both in texts.items()}}},
    )
