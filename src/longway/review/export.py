"""What was decided, as files: the dataset, a table for spreadsheets, everything as JSON.

    export_dataset(book, path)    the dataset of the run in its own format, with the decisions in it; every other cell as it was
    export_csv(book, path)        one line for each edit; what a spreadsheet would take for a formula is made harmless
    export_json(book, path)       run, findings, edits and the whole log of decisions

Each file is written beside its place and moved there when it is whole.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import polars as pl

from longway.data import Dataset, save
from longway.data.edited import ID_COLUMN, Addition, edited_tables
from longway.data.table import Table
from longway.errors import RunError
from longway.recipes.formulas import FORMULA
from longway.review.book import Book
from longway.review.chosen import ChosenRow, Undecided, chosen
from longway.store import replacing

CSV_COLUMNS = (
    "key", "id", "source", "field", "before", "after", "label_before", "label_after", "method", "engine", "round", "how",
    "status", "reason", "score_before", "score_after", "choice", "text_by_hand", "passed", "author", "time",
)  # fmt: skip
ALL = 2**62


def dataset_name(book: Book) -> str:
    """What the exported dataset is called: its ending says the format, which is that of the run's own."""
    return _own_dataset(book).name


def export_dataset(book: Book, path: Path, *, undecided: Undecided = "as_run") -> Path:
    """The path of the dataset with the decisions in it.

    path: its ending says the format; `dataset_name` has the one of the run. undecided: as in `chosen`.
    """
    _own_dataset(book)
    different = [row for row in chosen(book, undecided=undecided) if row.differs]
    dataset = book.dataset()
    return save(_tables(book, dataset, different), path)


def export_csv(book: Book, path: Path) -> Path:
    """The path of a CSV file with all edits and decisions, for spreadsheets."""
    with _written(path, encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(CSV_COLUMNS)
        for edit in book.all_edits():
            told = {**edit, **_decided(edit["decision"])}
            writer.writerow([harmless_cell(told.get(name)) for name in CSV_COLUMNS])
    return path


def export_json(book: Book, path: Path) -> Path:
    """The path of a JSON file with everything: the run, its findings, its edits, what was decided about them and when."""
    with _written(path) as file:
        file.write("{")
        _write_value(file, "run", book.about)
        _write_value(file, "summary", book.summary)
        _write_list(file, "findings", book.all_findings())
        _write_list(file, "edits", book.all_edits())
        _write_list(
            file,
            "decisions",
            (one.to_dict() for one in reversed(book.decisions.history(last=ALL))),
            end="\n}\n",
        )
    return path


def harmless_cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; numbers stay what they are.

    >>> harmless_cell("=1+1"), harmless_cell(-0.5)
    ("'=1+1", -0.5)
    """
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA):
        return "'" + value
    return value


@contextmanager
def _written(path: Path, *, encoding: str = "utf-8", newline: str | None = None) -> Iterator[IO[str]]:
    """A file that takes its place when it is whole; half of a character becomes a question mark."""
    try:
        with (
            replacing(path) as temporary,
            temporary.open("w", encoding=encoding, errors="replace", newline=newline) as file,
        ):
            yield file
    except OSError as error:
        raise RunError(
            f"{path} cannot be written ({error.strerror or error}). An existing folder with enough space was expected. "
            "Choose another path."
        ) from None


def _own_dataset(book: Book) -> Path:
    if book.dataset_path is None or not book.has("edits"):
        raise RunError(
            f"{book.folder} has no dataset with edits to export: `longway {book.command}` changes no texts. "
            "Open the folder of a rewrite, an augmentation or a perturbation."
        )
    return book.dataset_path


def _tables(book: Book, dataset: Dataset, different: list[ChosenRow]) -> Iterator[Table]:
    """The rows of the run's dataset with what is different now."""
    columns = dataset.columns
    dropped = {row.id for row in different if not row.is_in}
    tables = edited_tables(
        dataset,
        _texts_in(different, columns.text),
        [_addition(book, dataset, row) for row in different if row.is_in and not row.was_in],
        contexts=_texts_in(different, columns.context),
    )
    gone = pl.Series(sorted(dropped), dtype=pl.String)
    for table in tables:
        yield (
            table.with_frame(table.frame.filter(~pl.col(ID_COLUMN).is_in(gone.implode())))
            if dropped
            else table
        )


def _texts_in(rows: Iterable[ChosenRow], column: str | None) -> dict[str, str]:
    """The new texts of one column, by id."""
    return {
        row.id: row.texts[column]
        for row in rows
        if column is not None and column in row.texts and row.texts[column] != row.as_run[column]
    }


def _addition(book: Book, dataset: Dataset, row: ChosenRow) -> Addition:
    """A row that the run refused and a person accepted, as the run would have added it."""
    cells = {**row.texts, dataset.columns.label: row.label}
    if (own_id := book.about["settings"].get("id")) is not None:
        cells[own_id] = row.id
    has_sources = book.command != "rewrite"
    return Addition(row.id, like=row.source, cells=cells, source=row.source if has_sources else "")


def _decided(decision: dict[str, Any] | None) -> dict[str, Any]:
    """What the columns of the CSV file say about a decision."""
    if decision is None:
        return {"choice": "none"}
    value = decision["value"]
    told = {
        "choice": value.get("choice", "none"),
        "text_by_hand": value.get("text"),
        "passed": value.get("passed"),
    }
    return {**told, "author": decision["author"], "time": decision["time"]}


def _write_value(file: IO[str], name: str, value: Any) -> None:
    file.write(f"\n{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},")


def _write_list(file: IO[str], name: str, values: Iterable[Any], *, end: str = ",") -> None:
    file.write(f"\n{json.dumps(name)}: [")
    for number, value in enumerate(values):
        file.write(("," if number else "") + "\n " + json.dumps(value, ensure_ascii=False))
    file.write("]" + end)
