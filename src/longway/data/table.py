"""A part of a dataset in memory, and how parts are put together.

A cell that does not fit the type of its column (a list, an object, a number among words) is kept as JSON text, so it can be
written back unchanged. `json_columns` names the columns kept that way, `optional` those whose key some JSON rows did not have.

Tables that are about to be written keep the rows as they were read (`Original`), so that only what changed is written anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

# The column with each row as it is in a CSV file, or its number in an `Original`; only in tables that are about to be written.
RAW = "longway\0raw"
_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)  # json.dumps would create one per cell


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """How a CSV or TSV file is written.

    quote: None if quotes have no meaning. names: the columns, as in the frame. header: the first line as it is in the file.
    start: what precedes it, a byte order mark or the line that states the delimiter. kind: "csv" or "tsv".
    """

    delimiter: str
    quote: str | None
    names: tuple[str, ...]
    header: str
    start: str = ""
    encoding: str = "utf-8"
    kind: str = "csv"


@dataclass(frozen=True, slots=True)
class Original:
    """Rows as they were read, with the types, nulls and metadata that a `DataTable` does not keep.

    rows: a pandas frame, an Arrow table, or a list of dicts. table: the same rows as a table. kinds: the formats of files that can
    be written from them.
    """

    rows: Any
    table: DataTable
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataTable:
    """Some rows with all their columns, in source order.

    layout, original: of tables with the column `RAW`, one of the two. around: what precedes and follows the rows in a JSON file.
    sheet: the name of the sheet of a workbook. is_added: whether the rows are copies of others.
    """

    frame: pl.DataFrame
    json_columns: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    layout: CsvLayout | None = None
    sheet: str = ""
    original: Original | None = None
    around: tuple[str, str] = ("", "")
    is_added: bool = False

    def select(self, columns: Sequence[str] | None) -> DataTable:
        """The same rows with these columns only; missing columns are ignored."""
        if columns is None:
            return self
        return self.with_frame(self.frame.select([c for c in columns if c in self.frame.columns]))

    def with_frame(self, frame: pl.DataFrame) -> DataTable:
        """Another frame, with what is known about the columns it still has."""
        names = frozenset(frame.columns)
        return replace(
            self, frame=frame, json_columns=self.json_columns & names, optional=self.optional & names
        )

    def with_original(self, rows: Any, kinds: tuple[str, ...] = ()) -> DataTable:
        """The table with the column `RAW`. rows, kinds: see `Original`."""
        return replace(self, frame=self.frame.with_row_index(RAW), original=Original(rows, self, kinds))

    def without_raw(self) -> DataTable:
        """The same rows without what is only needed to write them as they were."""
        return DataTable(
            self.frame.drop(RAW, strict=False), self.json_columns, self.optional, sheet=self.sheet
        )


def combine(tables: Sequence[DataTable]) -> DataTable:
    """All rows of the tables in order; the columns are the union, in order of appearance.

    Integers beside floats become floats; other types that do not fit together become JSON text.

    >>> numbers = DataTable(pl.DataFrame({"a": [1]}))
    >>> words = DataTable(pl.DataFrame({"a": ["x"]}))
    >>> combine([numbers, words]).frame["a"].to_list()
    ['1', '"x"']
    """
    if len(tables) == 1:
        return tables[0]
    names = list(dict.fromkeys(name for table in tables for name in table.frame.columns))
    columns, json_columns = [], set()
    for name in names:
        column, is_json = _combine_column(name, tables)
        columns.append(column)
        if is_json:
            json_columns.add(name)
    optional = frozenset[str]().union(*(table.optional for table in tables))
    return DataTable(pl.DataFrame(columns), frozenset(json_columns), optional)


def _combine_column(name: str, tables: Sequence[DataTable]) -> tuple[pl.Series, bool]:
    """One column of all tables, and whether it holds JSON text."""
    parts = [_part(name, table) for table in tables]
    is_json = [name in table.json_columns for table in tables]
    types = {part.dtype for part in parts if part.dtype != pl.Null}
    if not any(is_json) and (dtype := _common_type(types)) is not None:
        return pl.concat([part.cast(dtype) for part in parts]), False
    texts = [part if done else to_json(part) for part, done in zip(parts, is_json, strict=True)]
    return pl.concat([text.cast(pl.String) for text in texts]), True


def _common_type(types: set[pl.DataType]) -> pl.DataType | None:
    """The type that holds the cells of all these types unchanged; None if there is none."""
    if len(types) <= 1:
        return next(iter(types), pl.Null())
    if all(dtype.is_numeric() for dtype in types):
        empty = [pl.Series(dtype=dtype).to_frame() for dtype in types]
        return pl.concat(empty, how="vertical_relaxed").to_series().dtype
    if all(dtype in (pl.String, pl.Categorical, pl.Enum) for dtype in types):
        return pl.String()
    return None


def _part(name: str, table: DataTable) -> pl.Series:
    if name in table.frame.columns:
        return table.frame[name]
    return pl.Series(name, [None] * table.frame.height, dtype=pl.Null)


def to_json(series: pl.Series) -> pl.Series:
    """The cells as JSON text; an empty cell stays empty."""
    cells = [None if cell is None else dump(cell) for cell in series.to_list()]
    return pl.Series(series.name, cells, dtype=pl.String)


def scalar_text(value: object) -> str:
    """A word, a number or true/false as text: 1 and 1.0 as "1", True as "true"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def dump(value: object) -> str:
    """The value as JSON text; a value that JSON does not support (a date, a decimal) as a string."""
    return _ENCODER.encode(value)
