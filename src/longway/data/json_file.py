"""JSON Lines, and JSON files that hold one array of objects.

What survives reading and writing back: strings, numbers, true/false, explicit nulls, the order of rows
and of keys as first seen. A column whose cells are lists, objects or of several types is kept as JSON
text, cell by cell, and written back as it was. A key that some rows lack is left out again wherever the
cell is empty, so an explicit null beside absent keys is lost. Whole numbers beside fractions come back
as fractions. Of a key that stands twice in one object the last counts.
Python's json reads here, not Polars: Polars turns 1 beside "x" into "1", and a lone surrogate into NUL.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from json.encoder import encode_basestring
from typing import IO, Any

import polars as pl

from longway.data.problems import Tally
from longway.data.table import Table, combine, dump
from longway.errors import DataError

BLOCK = 2**23  # bytes parsed in one go
SCALARS = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
ODD_BYTES = (
    "surrogateescape"  # bytes that are not UTF-8 become lone surrogates, which from_rows mends and notes
)
WRITE_ROWS = 20_000
EXACT = 2**53  # whole numbers up to here are exact as fractions
ROWS_KEYS = ("data", "rows", "examples")

Row = dict[str, Any]


def read_lines(stream: IO[bytes], tally: Tally) -> Table:
    """The whole JSON Lines file."""
    return combine(list(chunk_lines(stream, tally)))


def chunk_lines(stream: IO[bytes], tally: Tally) -> Iterator[Table]:
    """The JSON Lines file in pieces of some megabytes."""
    n_rows, n_lines = 0, 0
    for block in _line_blocks(stream):
        lines = block.split(b"\n")
        rows = _parse_lines(lines, n_lines, tally)
        yield from_rows(rows, tally, start=n_rows)
        n_lines += len(lines)
        n_rows += len(rows)
    if n_rows == 0:
        raise ValueError(f"none of its {n_lines} lines is a JSON object")


def read_array(stream: IO[bytes], tally: Tally, *, name: str) -> Table:
    """The whole JSON file: an array of objects, or an object that holds one under "data"."""
    data = stream.read()
    try:
        value = json.loads(data.decode("utf-8-sig", ODD_BYTES))
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{name} is not valid JSON ({error}). An array of objects was expected. "
            "If each line is an object of its own, name the file .jsonl."
        ) from error
    return from_rows(_find_rows(value, name), tally)


def write_lines(tables: Iterable[Table], stream: IO[bytes]) -> None:
    """The tables as one JSON object a line."""
    for lines in _dump_rows(tables):
        stream.write("".join(f"{line}\n" for line in lines).encode())


def write_array(tables: Iterable[Table], stream: IO[bytes]) -> None:
    """The tables as one JSON array, an object a line."""
    stream.write(b"[")
    before = "\n"
    for lines in _dump_rows(tables):
        stream.write((before + ",\n".join(lines)).encode())
        before = ",\n"
    stream.write(b"\n]\n")


def from_rows(rows: Sequence[Row], tally: Tally, *, start: int = 0) -> Table:
    """A table of Python dicts; see the top of this file for how cells are kept."""
    names = list(dict.fromkeys(name for keys in dict.fromkeys(map(tuple, rows)) for name in keys))
    columns, json_columns, optional = [], set(), set()
    for name in names:
        try:
            cells, n_absent = _cells(rows, name)
            column, is_json = _column(name, cells)
        except UnicodeEncodeError:
            rows = _mend_rows(rows, start, tally)
            return from_rows(rows, Tally(), start=start)
        columns.append(column)
        if is_json:
            json_columns.add(name)
        if n_absent:
            optional.add(name)
    return Table(pl.DataFrame(columns), frozenset(json_columns), frozenset(optional))


def _cells(rows: Sequence[Row], name: str) -> tuple[list[Any], int]:
    n_present = sum(name in row for row in rows)
    return [row.get(name) for row in rows], len(rows) - n_present


def _column(name: str, cells: list[Any]) -> tuple[pl.Series, bool]:
    """The cells as a column, and whether they had to be kept as JSON text."""
    types = set(map(type, cells)) - {type(None)}
    if not types:
        return pl.Series(name, cells, dtype=pl.Null), False
    if types == {int, float} and all(abs(cell) <= EXACT for cell in cells if type(cell) is int):
        types = {float}
    if len(types) == 1 and not types & {list, dict}:
        try:
            series = pl.Series(name, cells, dtype=SCALARS.get(types.pop()))
            if series.dtype != pl.Object:
                return series, False
        except (OverflowError, TypeError):
            pass  # a number too large for 64 bits: JSON text holds it
    texts = [None if cell is None else dump(cell) for cell in cells]
    return pl.Series(name, texts, dtype=pl.String), True


def _line_blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """The stream in pieces that end where a line ends."""
    rest = b""
    if (bom := stream.read(3)) != b"\xef\xbb\xbf":
        rest = bom
    while piece := stream.read(BLOCK):
        head, newline, tail = piece.rpartition(b"\n")
        if newline:
            yield rest + head
            rest = tail
        else:
            rest += piece
    if rest:
        yield rest


def _parse_lines(lines: list[bytes], first_line: int, tally: Tally) -> list[Row]:
    """The objects of the lines; blank lines are passed over, broken ones noted and skipped."""
    filled = [line for line in lines if line.strip()]
    try:
        rows = json.loads(b"[" + b",".join(filled) + b"]")
        if len(rows) == len(filled) and all(type(row) is dict for row in rows):
            return list(rows)
    except (ValueError, RecursionError):
        pass  # some line is broken: find out which
    return list(_parse_one_by_one(lines, first_line, tally))


def _parse_one_by_one(lines: list[bytes], first_line: int, tally: Tally) -> Iterator[Row]:
    for number, line in enumerate(lines, first_line):
        text = line.decode("utf-8", ODD_BYTES)
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            row = None
        if type(row) is not dict:
            tally.add("broken_line", [number])
            continue
        yield row


def _find_rows(value: object, name: str) -> list[Row]:
    if isinstance(value, dict):
        value = next((value[key] for key in ROWS_KEYS if isinstance(value.get(key), list)), value)
    if isinstance(value, list) and all(type(row) is dict for row in value):
        return value
    raise DataError(
        f"{name} is JSON but not a table. Expected an array of objects, or "
        f'{{"data": [...]}} with such an array; got {_describe(value)}. Convert it to one object a row.'
    )


def _describe(value: object) -> str:
    if isinstance(value, dict):
        return "one object with the keys " + ", ".join(map(repr, list(value)[:5]))
    if isinstance(value, list):
        odd = next(item for item in value if type(item) is not dict)
        return f"an array that also holds a {type(odd).__name__}"
    return f"a {type(value).__name__}"


def _mend_rows(rows: Iterable[Row], start: int, tally: Tally) -> list[Row]:
    """The rows with lone surrogates, which UTF-8 cannot hold, replaced by U+FFFD."""
    mended = []
    for number, row in enumerate(rows, start):
        new = _mend(row)
        if new != row:
            tally.add("undecodable_bytes", [number])
        mended.append(new)
    return mended


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mend(key): _mend(cell) for key, cell in value.items()}
    if isinstance(value, list):
        return [_mend(cell) for cell in value]
    return value


def _dump_rows(tables: Iterable[Table]) -> Iterator[list[str]]:
    """The rows as JSON texts, some thousand at a time."""
    for table in tables:
        for part in table.frame.iter_slices(WRITE_ROWS):
            columns = [_dump_column(part[name], table) for name in part.columns]
            yield ["{" + ", ".join(filter(None, cells)) + "}" for cells in zip(*columns, strict=True)]


def _dump_column(series: pl.Series, table: Table) -> list[str]:
    """Each cell as `"name": value`; "" where the key is left out."""
    key = dump(series.name)
    absent = "" if series.name in table.optional else f"{key}: null"
    write: Callable[[Any], str] = dump
    if series.name in table.json_columns or series.dtype.is_integer():
        write = str
    elif series.dtype == pl.String:
        write = encode_basestring
    return [absent if cell is None else f"{key}: {write(cell)}" for cell in series.to_list()]
