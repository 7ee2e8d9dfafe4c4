"""The output dataset, computed from the input dataset and the accepted edits, and from nothing else.

    apply_edits(dataset, edits)       ->  tables, for `save`; a streamed dataset comes in several
    edited_dataset(dataset, edits)    ->  a dataset in memory
    rows_with(dataset, ids)           ->  tables of these rows, unchanged
    encoding_note(before, after)      ->  why the file is UTF-8, if it was in another encoding
    writing_note(before, after)       ->  this, and the name of a column of earlier ids
    read_edits(path)                  ->  the edits in an edits.jsonl

Rows keep their order and all their columns. Every row gets the column `longway_id`, which edits use to name rows. Added rows
follow at the end; the column `longway_source` has the id of the row each was made from and is empty for original rows. Rows
that were not used (no label, another split) are copied unchanged. Edits of the column `longway_weight` add it; rows without one have the weight 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import polars as pl

from longway.data.columns import ID_COLUMN, WEIGHT_COLUMN, as_text, plain_roles
from longway.data.dataset import Dataset
from longway.data.formats import ENCODINGS, TABLES
from longway.data.problems import SHOWN, ProblemLog
from longway.data.shards import in_memory
from longway.data.table import DataTable, combine
from longway.records import Edit

SOURCE_COLUMN = "longway_source"


@dataclass(slots=True)
class AddedRow:
    """A row to add: a copy of the row `source` with other cells. label: None to copy the label too."""

    source: str
    label: str | None = None
    cells: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Changes:
    """What accepted edits change in a dataset.

    cells: new cells of existing rows, by column and row id. labels: new labels of existing rows, by row id.
    added: new rows by id, in order. dropped: ids of rows to leave out.
    """

    cells: dict[str, dict[str, str]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    added: dict[str, AddedRow] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, edits: Iterable[Edit]) -> Changes:
        """The changes that the accepted ones among these edits make; for the same cell, the last edit wins."""
        changes = cls()
        for edit in edits:
            changes.add(edit)
        return changes

    def add(self, edit: Edit) -> None:
        """Include one more edit; a rejected edit changes nothing."""
        if not edit.accepted:
            return
        if edit.drops:
            if self.added.pop(edit.id, None) is None:
                self.dropped.add(edit.id)
            return
        if edit.source:
            row = self.added.setdefault(edit.id, AddedRow(edit.source))
            row.label = edit.label_after
            row.cells[edit.field] = edit.after
            return
        self.cells.setdefault(edit.field, {})[edit.id] = edit.after
        if edit.label_after != edit.label_before:
            self.labels[edit.id] = edit.label_after


def apply_edits(
    dataset: Dataset, edits: Iterable[Edit] | Changes, *, with_sources: bool = True
) -> Iterator[DataTable]:
    """All rows of the dataset with the accepted edits applied, then the added rows.

    with_sources: write the column `longway_source` if rows are added.
    """
    changes = edits if isinstance(edits, Changes) else Changes.of(edits)
    columns = dataset.columns
    new_cells = {**changes.cells, **({columns.label: changes.labels} if changes.labels else {})}
    with_sources = with_sources and bool(changes.added)
    copied_ids = {row.source for row in changes.added.values()}
    dropped = pl.Series(sorted(changes.dropped), dtype=pl.String).implode()
    copied: dict[str, DataTable] = {}
    for table, ids in dataset.tables_with_ids(raw=True):
        plain = plain_roles(table, columns)
        if WEIGHT_COLUMN in new_cells and WEIGHT_COLUMN not in plain.frame.columns:
            plain = plain.with_frame(plain.frame.with_columns(pl.lit("1").alias(WEIGHT_COLUMN)))
        new = [_replaced(plain.frame, name, ids, cells) for name, cells in new_cells.items()]
        frame = plain.frame.with_columns(one for one in new if one is not None)
        frame = with_id_column(frame, ids, is_own=columns.id == ID_COLUMN and dataset.ids_are_good)
        if WEIGHT_COLUMN in new_cells:
            frame = frame.with_columns(pl.col(WEIGHT_COLUMN).cast(pl.Float64, strict=False))
        if with_sources:
            frame = with_source_column(frame)
        for place in (i for i, id_ in enumerate(ids) if copied_ids and id_ in copied_ids):
            copied[ids[place]] = plain.with_frame(frame[place])
        if changes.dropped:
            frame = frame.filter(~pl.col(ID_COLUMN).is_in(dropped))
        yield replace(plain, frame=frame, optional=plain.optional - {ID_COLUMN, SOURCE_COLUMN})
    for id_, added in changes.added.items():
        cells = {**added.cells, ID_COLUMN: id_}
        if added.label is not None:
            cells[columns.label] = added.label
        if with_sources:
            cells[SOURCE_COLUMN] = added.source
        if columns.id is not None:
            cells[columns.id] = id_  # a column of numbers gets an empty cell
        row = copied[added.source]
        typed = (_typed(pl.Series(name, [cell]), row.frame.schema[name]) for name, cell in cells.items())
        yield replace(row, frame=row.frame.with_columns(typed), is_added=True)


def rows_with(dataset: Dataset, ids: Set[str]) -> Iterator[DataTable]:
    """The rows with these ids, as `apply_edits` writes unchanged rows."""
    wanted = pl.Series(sorted(ids), dtype=pl.String).implode()
    for table in apply_edits(dataset, Changes()):
        yield replace(table, frame=table.frame.filter(pl.col(ID_COLUMN).is_in(wanted)))


def edited_dataset(
    dataset: Dataset, edits: Iterable[Edit] | Changes, *, with_sources: bool = True
) -> Dataset:
    """The result of `apply_edits` in memory, with `longway_id` as its id column."""
    changes = edits if isinstance(edits, Changes) else Changes.of(edits)
    tables = partial(apply_edits, dataset, changes, with_sources=with_sources)
    whole = combine([table.without_raw() for table in tables()])
    source = in_memory(whole, name=dataset.source_name, format=dataset.format)
    return Dataset(
        replace(source, raw_tables=tables), replace(dataset.columns.plain(), id=ID_COLUMN), ProblemLog()
    )


def encoding_note(before: Dataset, after: Dataset) -> str:
    """Why a table was written as UTF-8 instead of its own encoding: the characters that this encoding lacks. "" if it was not.

    before: the dataset as it came in; after: as it was written and read back.
    """
    if not before.encoding or after.encoding or after.format.partition(".")[0] not in TABLES:
        return ""
    written = {
        character
        for table in after.tables()
        for cells in table.frame.select(pl.col(pl.String)).iter_columns()
        for cell in cells.drop_nulls()
        for character in cell
    }
    lacking = sorted(each for each in written if not each.encode(before.encoding, "ignore"))
    if not lacking:
        return ""
    shown = ", ".join(_named(character) for character in lacking[:SHOWN])
    more = f" and {len(lacking) - SHOWN:,} more characters" if len(lacking) > SHOWN else ""
    name = ENCODINGS.get(before.encoding, before.encoding)
    return f"{after.source_name} is UTF-8 with a byte order mark, because {name} lacks {shown}{more}."


def writing_note(before: Dataset, after: Dataset) -> str:
    """What else than edits changed in the written dataset: the name of the earlier ids, and its encoding. "" if nothing did.

    before, after: as for `encoding_note`.
    """
    names = next(before.tables()).frame.columns
    kept = [
        name
        for name in next(after.tables()).frame.columns
        if name.startswith(f"{ID_COLUMN}_") and name not in names
    ]
    note = (
        f"The values of the column {ID_COLUMN} of {before.source_name} are in the column {kept[0]}, because they are not the ids of the rows: some are missing or repeated, or another column was named."
        if kept
        else ""
    )
    return " ".join(filter(None, [note, encoding_note(before, after)]))


def _named(character: str) -> str:
    number = f"U+{ord(character):04X}"
    return f"“{character}” ({number})" if character.isprintable() else number


def read_edits(path: Path) -> Iterator[Edit]:
    """The edits in an edits.jsonl, in order."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield Edit.from_dict(json.loads(line))


def _replaced(frame: pl.DataFrame, column: str, ids: pl.Series, new: Mapping[str, str]) -> pl.Series | None:
    """The column with new cells for some ids; None if no row of the frame has one of them."""
    if not any(id_ in new for id_ in ids):
        return None
    cells = [new.get(id_, old) for id_, old in zip(ids, as_text(frame[column]), strict=True)]
    texts = pl.Series(column, cells, dtype=pl.String)
    typed = _typed(texts, frame.schema[column])
    return typed if as_text(typed).equals(texts) else texts


def _typed(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The cells with this type, null where they do not fit; dates and times stay text."""
    if dtype == pl.Boolean:
        return texts.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    return texts if dtype.is_temporal() else texts.cast(dtype, strict=False)


def with_id_column(frame: pl.DataFrame, ids: pl.Series, *, is_own: bool) -> pl.DataFrame:
    """The rows with their ids in the column `longway_id`.

    is_own: whether the ids come from there. If not, a column of this name is kept under the first free one of longway_id_2, longway_id_3 ...
    """
    if ID_COLUMN in frame.columns and not is_own:
        names = (f"{ID_COLUMN}_{n}" for n in range(2, len(frame.columns) + 3))
        frame = frame.rename({ID_COLUMN: next(name for name in names if name not in frame.columns)})
    return frame.with_columns(ids.alias(ID_COLUMN))


def with_source_column(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with a source column of text; the values that an earlier run wrote are kept."""
    if SOURCE_COLUMN in frame.columns:
        return frame.with_columns(pl.col(SOURCE_COLUMN).cast(pl.String))
    return frame.with_columns(pl.lit(None, dtype=pl.String).alias(SOURCE_COLUMN))
