"""CSV and TSV: every cell is text, so that "007" stays "007".

Polars reads files that are perfectly regular. Anything else (stray quotes, short or long rows, blank
lines, bytes that are not UTF-8) goes to Python's csv module, which notes what it met. Both agree on
the cells, except that only Polars tells an empty cell (null) from a quoted empty one (""): after the
csv module both are null.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from longway.data.problems import Tally
from longway.data.table import Table, to_json

FIRST_ROWS, CHUNK_ROWS, CHUNK_BYTES = 1_000, 20_000, 2**23
BLOCK = 2**24  # bytes looked at in one go by the check for regular files
MANY_LINES = 30  # in one cell
QUOTE, NEWLINE, RETURN = ord('"'), ord("\n"), ord("\r")

BOM = b"\xef\xbb\xbf"

Bytes = npt.NDArray[np.uint8]


class Style(NamedTuple):
    """How a file tells its cells apart; `quote` is None where quotes mean nothing."""

    delimiter: str
    quote: str | None
    is_regular: bool


def read(stream: IO[bytes], tally: Tally, *, tab: bool = False) -> Table:
    """The whole file."""
    data = stream.read().removeprefix(BOM)
    style = _style(data, tab=tab)
    if style.is_regular:
        try:
            frame = pl.read_csv(data, separator=style.delimiter, quote_char=style.quote, infer_schema=False)
            _note_open_quotes(frame, 0, tally)
            return Table(frame)
        except pl.exceptions.PolarsError:
            pass  # the careful reader finds out what is wrong, row by row
    tables = list(_careful(io.BytesIO(data), style, tally))
    return Table(pl.concat([table.frame for table in tables]))


def chunks(stream: io.BufferedReader, tally: Tally, *, tab: bool = False) -> Iterator[Table]:
    """The file in pieces of some thousand rows; at least one piece, which has the columns.

    How cells are told apart is judged by the first megabyte.
    """
    start = stream.peek(1).removeprefix(BOM)
    return _careful(stream, _style(start[: start.rfind(b"\n") + 1] or start, tab=tab), tally)


def _careful(stream: IO[bytes], style: Style, tally: Tally) -> Iterator[Table]:
    csv.field_size_limit(sys.maxsize)  # the default refuses texts over 128 KiB
    lines = io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="")
    reader = csv.reader(
        lines, delimiter=style.delimiter, quoting=csv.QUOTE_MINIMAL if style.quote else csv.QUOTE_NONE
    )
    header = _unique([_mend(cell) for cell in next(reader, [])])
    rows = (row for row in reader if row)  # a blank line is not a row
    start, size = 0, min(FIRST_ROWS, CHUNK_ROWS)
    while batch := list(islice(rows, size)):
        frame = _frame(batch, header, start, tally)
        _note_open_quotes(frame, start, tally)
        yield Table(frame)
        start += len(batch)
        bytes_a_row = frame.estimated_size() / len(batch)
        size = int(min(CHUNK_ROWS, 1 + CHUNK_BYTES // (1 + bytes_a_row)))  # long texts: fewer at a time
    if start == 0:
        yield Table(pl.DataFrame(schema=dict.fromkeys(header, pl.String)))


def write(tables: Iterable[Table], stream: IO[bytes], *, tab: bool = False) -> None:
    """The tables as CSV or TSV with a header; lists and objects as JSON text."""
    for number, table in enumerate(tables):
        frame = table.frame
        nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
        frame = frame.with_columns(to_json(frame[name]) for name in nested)
        frame.write_csv(stream, separator="\t" if tab else ",", include_header=number == 0)


def _frame(batch: list[list[str]], header: list[str], start: int, tally: Tally) -> pl.DataFrame:
    width = len(header)
    ragged = [i for i, row in enumerate(batch) if len(row) != width]
    tally.add("ragged_row", [start + i for i in ragged])
    for i in ragged:
        batch[i] = (batch[i] + [""] * width)[:width]
    schema = dict.fromkeys(header, pl.String)
    try:
        frame = pl.DataFrame(list(zip(*batch, strict=True)), schema, orient="col")
    except UnicodeEncodeError:
        mended = _mend_rows(batch, start, tally)
        frame = pl.DataFrame(list(zip(*mended, strict=True)), schema, orient="col")
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all()))


def _note_open_quotes(frame: pl.DataFrame, start: int, tally: Tally) -> None:
    """Note rows with so many lines in one cell that an opening quote was probably never closed."""
    many = pl.any_horizontal(pl.all().str.count_matches("\n", literal=True) >= MANY_LINES)
    rows = frame.select(many.fill_null(False).arg_true()).to_series()
    tally.add("open_quote", [start + row for row in rows])


def _mend_rows(batch: list[list[str]], start: int, tally: Tally) -> list[list[str]]:
    mended = [[_mend(cell) for cell in row] for row in batch]
    tally.add("undecodable_bytes", [start + i for i in range(len(batch)) if mended[i] != batch[i]])
    return mended


def _mend(cell: str) -> str:
    """The cell with bytes that are not UTF-8 replaced by U+FFFD."""
    return cell.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unique(header: list[str]) -> list[str]:
    """The header with repeated names made different: a, a -> a, a_2."""
    seen: dict[str, int] = {}
    names = []
    for name in header:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return names


def _style(data: bytes, *, tab: bool) -> Style:
    """How the cells are told apart, judged by the first line and by what makes the rows equally long."""
    first_line = data.partition(b"\n")[0].decode("utf-8", "replace")
    delimiter = "\t" if tab else _delimiter(first_line)
    header = next(csv.reader(io.StringIO(first_line, newline=""), delimiter=delimiter), [])
    width = len(set(header)) if len(set(header)) == len(header) else 0  # repeated names: not regular
    if _is_regular(data, delimiter, width):
        return Style(delimiter, '"', True)
    # Tab-separated files are often written without quoting, so that '"' is a character like any other.
    if delimiter == "\t" and _is_regular(data.replace(b'"', b"'"), delimiter, width):
        return Style(delimiter, None, True)
    return Style(delimiter, '"', False)


def _delimiter(first_line: str) -> str:
    """A semicolon or a tab where the header has some and no comma; else a comma."""
    if "," in first_line:
        return ","
    return next((mark for mark in (";", "\t") if mark in first_line), ",")


def _is_regular(data: bytes, delimiter: str, width: int) -> bool:
    """Whether every row has `width` cells and every quote opens, closes or is doubled inside a cell.

    Polars fills short rows up silently and pairs stray quotes across rows: it is asked only when this holds.
    """
    if width < 2:
        return False  # a blank line looks like a row of one empty cell
    inside, cells = False, 1  # carried from block to block: inside quotes?, cells so far in the row
    padded = b"\n" + data.removesuffix(b"\n") + b"\n\n"  # so that each byte has neighbours
    whole = np.frombuffer(padded, dtype=np.uint8)
    for start in range(1, len(whole) - 1, BLOCK):
        stop = min(start + BLOCK, len(whole) - 1)
        outside, inside = _outside_quotes(whole, start, stop, inside, ord(delimiter))
        if outside is None:
            return False
        returns = np.flatnonzero((whole[start:stop] == RETURN) & outside)
        if (whole[start + returns + 1] != NEWLINE).any():
            return False  # ends a row for the csv module, not for Polars
        newlines = np.flatnonzero((whole[start:stop] == NEWLINE) & outside)
        delimiters = np.flatnonzero((whole[start:stop] == ord(delimiter)) & outside)
        before = np.searchsorted(delimiters, newlines)
        cells_a_row = np.diff(before, prepend=0) + 1
        cells_a_row[:1] += cells - 1
        if (cells_a_row != width).any():
            return False
        cells = 1 + len(delimiters) - int(before[-1]) if len(newlines) else cells + len(delimiters)
    return not inside


def _outside_quotes(
    whole: Bytes, start: int, stop: int, inside: bool, delimiter: int
) -> tuple[npt.NDArray[np.bool_] | None, bool]:
    """Which bytes stand outside quotes (None if a quote stands where none may), and how the block ends."""
    block = whole[start:stop]
    is_quote = block == QUOTE
    at = np.flatnonzero(is_quote)
    if not len(at):
        return np.full(len(block), not inside), inside
    depth = (np.cumsum(is_quote, dtype=np.uint8) + inside) & 1  # 1: inside quotes after this byte
    neighbours = np.where(depth[at] == 1, whole[start + at - 1], whole[start + at + 1])
    fine = np.isin(neighbours, (delimiter, NEWLINE, RETURN, QUOTE)).all()
    return (depth == 0 if fine else None), bool(depth[-1])
