"""Results of a review: the dataset, a table for spreadsheets, everything as JSON, and the decisions for the next rewrite.

    export_dataset(contents, path)    the dataset of the run in its format, with the decisions applied; all other cells unchanged
    export_csv(contents, path)        one line per edit; cells that a spreadsheet would run as formulas are escaped
    export_json(contents, path)       run, findings, edits with the tags of raters, samples, and the whole log of decisions
    decisions_of(folder)          for `longway rewrite DATA --decisions RUN`: findings marked as signal or shortcut, rejected texts

Files are written atomically.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import IO

import polars as pl

from longway.data import Dataset, save
from longway.data.edited import AddedRow, Changes, apply_edits, rows_with
from longway.data.table import DataTable
from longway.errors import RunError, SettingError, with_checked_arguments
from longway.jobs.rewrite.decisions import fingerprint
from longway.jobs.rewrite.settings import Decisions, MarkedFinding
from longway.jobs.run import FORMULA
from longway.review.choice_rows import FIELD, choice_tables
from longway.review.chosen import ChosenRow, Undecided, chosen
from longway.review.edit_list import EditFilter, ReviewedEdit
from longway.review.row_edits import steps_of
from longway.review.run_contents import RunContents
from longway.review.sampling import samples, tags_by_key
from longway.store import replacing

CSV_COLUMNS = (
    "key", "id", "source", "field", "before", "after", "label_before", "label_after", "method", "engine", "round", "how",
    "status", "reason", "score_before", "score_after", "choice", "text_by_hand", "passed", "author", "time",
    "tags",
)  # fmt: skip
ALL = 2**62


def dataset_name(contents: RunContents) -> str:
    """The file name of the run's dataset; its ending is the format."""
    return _own_dataset(contents).name


def export_dataset(contents: RunContents, path: Path, *, undecided: Undecided = "as_run") -> Path:
    """Write the dataset with the decisions applied, and return its path.

    path: its ending determines the format; `dataset_name` has that of the run. undecided: as in `chosen`.
    """
    _own_dataset(contents)
    different = [row for row in chosen(contents, undecided=undecided) if row.differs]
    if contents.choice_fields is not None:
        return save(_questions(contents, different), path)
    return save(_tables(contents, contents.dataset(), different), path)


def export_csv(contents: RunContents, path: Path) -> Path:
    """Write all edits and decisions as CSV, and return its path."""
    tags = tags_by_key(contents)
    with _written(path, encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(CSV_COLUMNS)
        for reviewed in contents.edits.all(EditFilter()):
            cells = {**_cells(reviewed), "tags": _tags_cell(tags.get(reviewed.key, {}))}
            writer.writerow([escape_formula(cells.get(name)) for name in CSV_COLUMNS])
    return path


def export_json(contents: RunContents, path: Path) -> Path:
    """Write the run, its findings, its edits and all decisions as JSON, and return its path."""
    history = reversed(contents.decisions.history(last=ALL))
    tags = tags_by_key(contents)
    edits = (item.to_dict() | {"tags": tags.get(item.key, {})} for item in contents.edits.all(EditFilter()))
    with _written(path) as file:
        file.write(f'{{\n"run": {_json(contents.about)},\n"summary": {_json(contents.summary)},')
        _write_list(file, "findings", (item.to_dict() for item in contents.all_findings()))
        file.write(",")
        _write_list(file, "edits", edits)
        file.write(",")
        _write_list(file, "samples", map(asdict, samples(contents)))
        file.write(",")
        _write_list(file, "decisions", (item.to_dict() for item in history))
        file.write("\n}\n")
    return path


@with_checked_arguments
def decisions_of(folder: Path | str) -> Decisions:
    """The decisions in the review of a run, for `RewriteSettings(decisions=...)`; raises SettingError if there are none."""
    folder = Path(folder)
    contents = RunContents(folder)
    try:
        rejected = contents.edits.all(EditFilter(choice="reject"))
        decided = Decisions(
            folder.resolve().name,
            signal=_marked(contents, "signal"),
            shortcuts=_marked(contents, "shortcut"),
            rejected=frozenset(
                fingerprint(edit.source or edit.id, edit.field, edit.after)
                for reviewed in rejected
                for edit in (reviewed.edit, *steps_of(reviewed.edit))
            ),
        )
    finally:
        contents.close()
    if not (decided.signal or decided.shortcuts or decided.rejected):
        raise SettingError(
            f"The review of {folder} has no decisions that a rewrite can use: no finding was marked and no edit rejected. "
            f"Decide first, with: longway review {folder}"
        )
    return decided


def _marked(contents: RunContents, choice: str) -> tuple[MarkedFinding, ...]:
    """The findings with this decision, strongest first; those that the run no longer has are left out."""
    return tuple(
        MarkedFinding(reviewed.finding.shape, reviewed.finding.label)
        for reviewed in contents.all_findings()
        if reviewed.choice == choice
    )


def escape_formula(value: object) -> object:
    """A cell that no spreadsheet runs as a formula; numbers are left alone.

    >>> escape_formula("=1+1"), escape_formula(-0.5)
    ("'=1+1", -0.5)
    """
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA):
        return "'" + value
    return value


@contextmanager
def _written(path: Path, *, encoding: str = "utf-8", newline: str | None = None) -> Iterator[IO[str]]:
    """A file that is moved into place when complete; lone surrogates become question marks."""
    try:
        with (
            replacing(path) as temporary,
            temporary.open("w", encoding=encoding, errors="replace", newline=newline) as file,
        ):
            yield file
    except OSError as error:
        raise RunError(
            f"{path} cannot be written ({error.strerror or error}). Expected an existing folder with enough space. "
            "Choose another path."
        ) from None


def _own_dataset(contents: RunContents) -> Path:
    if contents.dataset_path is None or not contents.can_export:
        raise RunError(
            f"{contents.folder} has no dataset with edits to export: `longway {contents.command}` changes no texts. "
            "Open the folder of a rewrite, an augmentation or a perturbation."
        )
    return contents.dataset_path


def _tables(contents: RunContents, dataset: Dataset, different: list[ChosenRow]) -> Iterator[DataTable]:
    """The rows of the run's dataset with the differences applied."""
    names = [name for name in (dataset.columns.text, dataset.columns.context) if name is not None]
    changes = Changes(
        cells={name: _new_texts(different, name) for name in names},
        added={
            row.id: _added(contents, row) for row in different if row.is_in and not row.was_in and row.source
        },
        dropped={row.id for row in different if not row.is_in},
    )
    yield from apply_edits(dataset, changes, with_sources=contents.command != "rewrite")
    restored = {row.id for row in different if row.is_in and not row.was_in and not row.source}
    if restored:
        yield from _restored(contents, restored, dataset)


def _questions(contents: RunContents, different: list[ChosenRow]) -> Iterator[DataTable]:
    """The questions of the run's dataset with the differences applied."""
    changed = [row for row in different if row.is_in]
    return choice_tables(
        _own_dataset(contents),
        contents.dropped_path,
        contents.choice_fields or {},
        cells={
            row.id: {
                name: cell for name, cell in row.texts.items() if name != FIELD and cell != row.as_run[name]
            }
            for row in changed
            if row.was_in
        },
        left_out=[row.id for row in different if not row.is_in],
        restored=[row.id for row in changed if not row.was_in],
    )


def _restored(contents: RunContents, ids: Set[str], dataset: Dataset) -> Iterator[DataTable]:
    """Rows that the run dropped, with the columns of the run's dataset. Runs of earlier versions need the original file."""
    path = contents.dropped_path or contents.original
    if path is None:
        n = len(ids)
        data = quote(str(contents.settings.get("data", "")))
        raise SettingError(
            f"{n:,} {'row that was' if n == 1 else 'rows that were'} dropped should be restored, and only the original file has "
            f"{'it' if n == 1 else 'them'}. In its folder: longway review {quote(str(contents.folder.resolve()))} --data {data}"
        )
    names = next(iter(dataset.tables_with_ids()))[0].frame.columns
    for table in rows_with(contents.dataset(path), ids):
        frame = table.without_raw().frame
        missing = [pl.lit(None, pl.String).alias(name) for name in names if name not in frame.columns]
        yield table.without_raw().with_frame(frame.with_columns(missing).select(names))


def _new_texts(rows: Iterable[ChosenRow], column: str) -> dict[str, str]:
    """The new texts of one column, by id."""
    return {
        row.id: row.texts[column]
        for row in rows
        if column in row.texts and row.texts[column] != row.as_run[column]
    }


def _added(contents: RunContents, row: ChosenRow) -> AddedRow:
    """A row that the run refused and a reviewer accepted, as the run would have added it."""
    own_id = {} if contents.columns.id is None else {contents.columns.id: row.id}
    return AddedRow(row.source, row.label, {**row.texts, **own_id})


def _cells(reviewed: ReviewedEdit) -> dict[str, object]:
    """The values of the CSV columns."""
    values: dict[str, object] = {**reviewed.to_dict(), "choice": reviewed.choice}
    if reviewed.decision is not None:
        value = reviewed.decision.value
        values |= {"text_by_hand": value.get("text"), "passed": value.get("passed")}
        values |= {"author": reviewed.decision.author, "time": reviewed.decision.time}
    return values


def _tags_cell(tags: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """The tags of an edit in one cell.

    >>> _tags_cell({"first": {"ada": ["label kept", "grammar"], "bob": ["label kept"]}})
    'first, ada: label kept, grammar; first, bob: label kept'
    """
    return "; ".join(
        f"{sample}, {rater}: {', '.join(given)}"
        for sample, raters in tags.items()
        for rater, given in raters.items()
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write_list(file: IO[str], name: str, values: Iterable[object]) -> None:
    file.write(f'\n"{name}": [')
    for number, value in enumerate(values):
        file.write(("," if number else "") + "\n " + _json(value))
    file.write("]")
