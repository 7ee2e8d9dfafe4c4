"""JSON Lines, and JSON files with one array of objects.

Reading and writing back preserves strings, numbers, true/false, explicit nulls, and the order of rows and keys. A column whose
cells are lists, objects or of several types is kept as JSON text, cell by cell. Integers next to floats are read as floats. If some
rows lack a key, its cells are empty. Rows that are written with their originals keep what they had, except for cells that changed;
others lack a key wherever the cell is empty if some rows lacked it. If an object has a key twice, the last value counts.
Python's json module is used instead of Polars, which turns 1 next to "x" into "1" and a lone surrogate into NUL. Bytes that are not
UTF-8 raise UnicodeDecodeError; half of a surrogate pair, as in "\\ud800", is no character and is replaced and logged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from json.encoder import encode_basestring
from typing import IO, Any

import polars as pl

from longway.data.columns import changed
from longway.data.problems import ProblemLog
from longway.data.table import RAW, DataTable, dump
from longway.errors import DataError

BLOCK = 2**23  # bytes parsed at a time
SCALARS = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
WRITE_ROWS = 20_000
EXACT = 2**53  # integers up to here are exact as floats
ROWS_KEYS = ("data", "rows", "examples")
MARK = "longway\0rows"  # stands for the array of rows

Row = dict[str, Any]


def read_lines(stream: IO[bytes], log: ProblemLog, *, raw: bool = False) -> Iterator[DataTable]:
    """The JSON Lines file in tables of some megabytes. raw: with their originals."""
    n_rows, n_lines = 0, 0
    for block in _line_blocks(stream):
        lines = block.split(b"\n")
        rows = _parse_lines(lines, n_lines, log)
        yield from_rows(rows, log, start=n_rows, raw=raw)
        n_lines += len(lines)
        n_rows += len(rows)
    if n_rows == 0:
        raise ValueError(f"none of its {n_lines} lines is a JSON object")


def read_array(stream: IO[bytes], log: ProblemLog, *, name: str, raw: bool = False) -> Iterator[DataTable]:
    """The JSON file as one table: an array of objects, or an object with such an array under "data". raw: with its original."""
    data = stream.read()
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{name} cannot be read as JSON ({error}). An array of objects was expected. "
            "If each line is an object, name the file .jsonl."
        ) from error
    rows, around = _find_rows(value, name)
    yield replace(from_rows(rows, log, raw=raw), around=around)


def write_lines(tables: Iterable[DataTable], stream: IO[bytes]) -> None:
    """Write the tables as one JSON object per line."""
    for lines in _dump_rows(tables):
        stream.write("".join(f"{line}\n" for line in lines).encode())


def write_array(tables: Iterable[DataTable], stream: IO[bytes]) -> None:
    """Write the tables as one JSON array, one object per line."""
    tables = iter(tables)
    first = next(tables)
    before = f"{first.around[0]}[\n"
    for lines in _dump_rows(chain([first], tables)):
        stream.write((before + ",\n".join(lines)).encode())
        before = ",\n"
    stream.write(f"\n]{first.around[1]}\n".encode())


def from_rows(rows: Sequence[Row], log: ProblemLog, *, start: int = 0, raw: bool = False) -> DataTable:
    """A table from Python dicts; the docstring of this module says how cells are kept. raw: with the dicts as its original."""
    names = list(dict.fromkeys(name for keys in dict.fromkeys(map(tuple, rows)) for name in keys))
    columns, json_columns, optional = [], set(), set()
    for name in names:
        try:
            column, is_json = _column(name, [row.get(name) for row in rows])
        except UnicodeEncodeError:
            rows = _mend_rows(rows, start, log)
            return from_rows(rows, ProblemLog(), start=start, raw=raw)
        columns.append(column)
        if is_json:
            json_columns.add(name)
        if not all(name in row for row in rows):
            optional.add(name)
    frame = pl.DataFrame(dict(zip(names, columns, strict=True)))
    table = DataTable(frame, frozenset(json_columns), frozenset(optional))
    return table.with_original(rows, ("json", "jsonl")) if raw else table


def _column(name: str, cells: list[Any]) -> tuple[pl.Series, bool]:
    """The cells as a column, and whether they are kept as JSON text."""
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
            pass  # a number too large for 64 bits is kept as JSON text
    texts = [None if cell is None else dump(cell) for cell in cells]
    return pl.Series(name, texts, dtype=pl.String), True


def _line_blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """The stream in blocks of whole lines."""
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


def _parse_lines(lines: list[bytes], first_line: int, log: ProblemLog) -> list[Row]:
    """The objects of the lines; blank lines are skipped, broken ones are logged and skipped."""
    filled = [line for line in lines if line.strip()]
    try:
        rows = json.loads((b"[" + b",".join(filled) + b"]").decode())  # given bytes, it accepts surrogates
        if len(rows) == len(filled) and all(type(row) is dict for row in rows):
            return list(rows)
    except (ValueError, RecursionError):
        pass  # a line is broken: parse one by one
    return list(_parse_one_by_one(lines, first_line, log))


def _parse_one_by_one(lines: list[bytes], first_line: int, log: ProblemLog) -> Iterator[Row]:
    for number, line in enumerate(lines, first_line):
        text = line.decode()
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            row = None
        if type(row) is not dict:
            log.add("broken_line", [number])
            continue
        yield row


def _find_rows(value: object, name: str) -> tuple[list[Row], tuple[str, str]]:
    """The rows of a JSON value, and the text before and after them in an object that has them under a key."""
    start = end = ""
    if isinstance(value, dict):
        key = next((key for key in ROWS_KEYS if isinstance(value.get(key), list)), "")
        start, _, end = dump(_mend({**value, key: MARK})).partition(dump(MARK))
        value = value.get(key, value)
    if isinstance(value, list) and all(type(row) is dict for row in value):
        return value, (start, end)
    raise DataError(
        f"{name} is JSON but not a table. Expected an array of objects, or "
        f'{{"data": [...]}} with such an array; got {_describe(value)}. Convert it to one object per row.'
    )


def _describe(value: object) -> str:
    if isinstance(value, dict):
        return "one object with the keys " + ", ".join(map(repr, list(value)[:5]))
    if isinstance(value, list):
        odd = next(item for item in value if type(item) is not dict)
        return f"an array that also contains a {type(odd).__name__}"
    return f"a {type(value).__name__}"


def _mend_rows(rows: Iterable[Row], start: int, log: ProblemLog) -> list[Row]:
    """The rows with lone surrogates, which UTF-8 cannot encode, replaced by U+FFFD."""
    mended = []
    for number, row in enumerate(rows, start):
        new = _mend(row)
        if new != row:
            log.add("undecodable_bytes", [number])
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


def _dump_rows(tables: Iterable[DataTable]) -> Iterator[list[str]]:
    """The rows as JSON texts, some thousand at a time."""
    for table in tables:
        for part in map(table.with_frame, table.frame.iter_slices(WRITE_ROWS)):
            columns = [_dump_column(series, part) for series in part.without_raw().frame]
            yield ["{" + ", ".join(filter(None, cells)) + "}" for cells in zip(*columns, strict=True)]


def _dump_column(series: pl.Series, table: DataTable) -> list[str]:
    """Each cell as `"name": value`; "" if the key is left out. Cells that did not change are those of the original rows."""
    key = dump(series.name)
    absent = "" if series.name in table.optional else f"{key}: null"
    write: Callable[[Any], str] = dump
    if series.name in table.json_columns or series.dtype.is_integer():
        write = str
    elif series.dtype == pl.String:
        write = encode_basestring
    texts = [absent if cell is None else f"{key}: {write(cell)}" for cell in series.to_list()]
    if table.original is None or series.name not in table.original.table.frame.columns:
        return texts
    rows = (table.original.rows[at] for at in table.frame[RAW])
    kept = [f"{key}: {dump(row[series.name])}" if series.name in row else "" for row in rows]
    is_new = changed(table, table.original.table, series.name)
    return [new if flag else old for new, old, flag in zip(texts, kept, is_new, strict=True)]
