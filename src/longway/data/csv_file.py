"""CSV and TSV: every cell is text, so "007" stays "007".

Polars reads regular files. Anything else (stray quotes, short or long rows, blank lines) is read by Python's csv module, row by row,
and logged as a problem. Both give the same cells, except that only Polars distinguishes an empty
cell (null) from a quoted empty one (""): with the csv module both are null. Bytes that are not UTF-8 raise UnicodeDecodeError.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from longway.arrays import Bools
from longway.data.csv_raw import RecordedLines, csv_rows
from longway.data.problems import ProblemLog
from longway.data.table import RAW, CsvLayout, DataTable, to_json

FIRST_ROWS, CHUNK_ROWS, CHUNK_BYTES = 1_000, 20_000, 2**23
BLOCK = 2**24  # bytes that the check for regular files reads at a time
MANY_LINES = 30  # in one cell
QUOTE, NEWLINE, RETURN = ord('"'), ord("\n"), ord("\r")
# What may precede the header: a byte order mark, and the line in which a file for Excel states its delimiter.
START = re.compile(rb"(?:\xef\xbb\xbf)?(?:sep=([,;|\t])\r?\n)?", re.IGNORECASE)

Bytes = npt.NDArray[np.uint8]


class Style(NamedTuple):
    """How a file separates its cells; `quote` is None if quotes have no meaning."""

    delimiter: str
    quote: str | None
    is_regular: bool


def read(
    stream: io.BufferedReader, log: ProblemLog, *, tab: bool = False, raw: bool = False, whole: bool = False
) -> Iterator[DataTable]:
    """The rows in tables of some thousand; at least one table, which has the columns.

    raw: with the column `RAW` and a layout; cells are the same, except that "" is null. whole: all of the file decides how cells are
    separated, not its first megabyte, and a regular file is one table.
    """
    start = next(START.finditer(stream.peek(1)))
    stream.read(start.end())
    rest: IO[bytes] = stream
    if whole:
        data = stream.read()
        rest = io.BytesIO(data)
    else:
        first = stream.peek(1)
        data = first[: first.rfind(b"\n") + 1] or first
    style = _style(data, start[1], tab=tab)
    if whole and style.is_regular and not raw:
        try:
            data.partition(b"\n")[0].decode()  # Polars replaces bytes of the header that are not UTF-8
            frame = pl.read_csv(data, separator=style.delimiter, quote_char=style.quote, infer_schema=False)
            _log_open_quotes(frame, 0, log)
            return iter([DataTable(frame)])
        except pl.exceptions.PolarsError:
            pass  # the csv module reads it row by row and logs what is wrong
    return _row_by_row(rest, style, log, raw=raw, start=start[0])


def _row_by_row(
    stream: IO[bytes], style: Style, log: ProblemLog, *, raw: bool = False, start: bytes = b""
) -> Iterator[DataTable]:
    csv.field_size_limit(sys.maxsize)  # the default refuses texts over 128 KiB
    lines: Iterable[str] = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    if raw:
        lines = recorded = RecordedLines(lines)
    reader = csv_rows(lines, style.delimiter, style.quote)
    header = unique_names(next(reader, []))
    rows: Iterator[list[str]] = (row for row in reader if row)  # a blank line is not a row
    layout, texts = None, list[str]()
    if raw:
        layout = CsvLayout(style.delimiter, style.quote, tuple(header), recorded.take(), start.decode())
        rows = recorded.with_texts(reader, texts)
    n_rows, size = 0, min(FIRST_ROWS, CHUNK_ROWS)
    while batch := list(islice(rows, size)):
        frame = _frame(batch, header, n_rows, log)
        _log_open_quotes(frame, n_rows, log)
        if raw:
            frame = frame.with_columns(pl.Series(RAW, texts))
            texts.clear()
        yield DataTable(frame, layout=layout)
        n_rows += len(batch)
        bytes_per_row = frame.estimated_size() / len(batch)
        size = int(min(CHUNK_ROWS, 1 + CHUNK_BYTES // (1 + bytes_per_row)))  # fewer rows if texts are long
    if n_rows == 0:
        names = [*header, RAW] if raw else header
        yield DataTable(pl.DataFrame(schema=dict.fromkeys(names, pl.String)), layout=layout)


def write(tables: Iterable[DataTable], stream: IO[bytes], *, tab: bool = False) -> None:
    """Write the tables as CSV or TSV with a header; lists and objects as JSON text."""
    for number, table in enumerate(tables):
        frame = without_nested(table.frame)
        frame.write_csv(stream, separator="\t" if tab else ",", include_header=number == 0)


read_tsv, write_tsv = partial(read, tab=True), partial(write, tab=True)


def without_nested(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists and objects as JSON text."""
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(to_json(frame[name]) for name in nested)


def _frame(batch: list[list[str]], header: list[str], start: int, log: ProblemLog) -> pl.DataFrame:
    width = len(header)
    ragged = [i for i, row in enumerate(batch) if len(row) != width]
    log.add("ragged_row", [start + i for i in ragged])
    for i in ragged:
        batch[i] = (batch[i] + [""] * width)[:width]
    frame = pl.DataFrame(list(zip(*batch, strict=True)), dict.fromkeys(header, pl.String), orient="col")
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all()))


def _log_open_quotes(frame: pl.DataFrame, start: int, log: ProblemLog) -> None:
    """Log rows with so many lines in one cell that a quote was probably never closed."""
    many = pl.any_horizontal(pl.all().str.count_matches("\n", literal=True) >= MANY_LINES)
    rows = frame.select(many.fill_null(False).arg_true()).to_series()
    log.add("open_quote", [start + row for row in rows])


def unique_names(header: list[str]) -> list[str]:
    """The header with repeated names made different; a name that occurs once stays as it is.

    >>> unique_names(["a", "a", "a", "a_2"])
    ['a', 'a_3', 'a_4', 'a_2']
    """
    names, seen, taken = list[str](), dict[str, int](), set(header)
    for name in header:
        seen[name] = seen.get(name, 0) + 1
        while seen[name] > 1 and f"{name}_{seen[name]}" in taken:
            seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return names


def _style(data: bytes, stated: bytes | None = None, *, tab: bool) -> Style:
    """How the cells are separated, judged by the first line and by which style gives rows of equal length.

    stated: the delimiter that the file itself states.
    """
    first_line = data.partition(b"\n")[0].decode("utf-8", "replace")
    unquoted = re.sub('"[^"]*"', "", first_line)
    usual = next((mark for mark in (",", ";", "\t", "|") if mark in unquoted), ",")
    delimiter = stated.decode() if stated else "\t" if tab else usual
    header = next(csv.reader(io.StringIO(first_line, newline=""), delimiter=delimiter), [])
    width = len(set(header)) if len(set(header)) == len(header) else 0  # repeated names: not regular
    if _is_regular(data, delimiter, width):
        return Style(delimiter, '"', True)
    # Tab-separated files are often written without quoting; then '"' is an ordinary character.
    if delimiter == "\t" and _is_regular(data.replace(b'"', b"'"), delimiter, width):
        return Style(delimiter, None, True)
    return Style(delimiter, '"', False)


def _is_regular(data: bytes, delimiter: str, width: int) -> bool:
    """Whether every row has `width` cells and every quote opens, closes or is doubled inside a cell.

    Polars silently fills short rows and pairs stray quotes across rows, so it only reads files for which this holds.
    """
    if width < 2:
        return False  # a blank line looks like a row of one empty cell
    inside, cells = False, 1  # at the start of a block: inside quotes?, cells of the row so far
    padded = b"\n" + data.removesuffix(b"\n") + b"\n\n"  # gives each byte neighbours
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
        cells_per_row = np.diff(before, prepend=0) + 1
        cells_per_row[:1] += cells - 1
        if (cells_per_row != width).any():
            return False
        cells = 1 + len(delimiters) - int(before[-1]) if len(newlines) else cells + len(delimiters)
    return not inside


def _outside_quotes(
    whole: Bytes, start: int, stop: int, inside: bool, delimiter: int
) -> tuple[Bools | None, bool]:
    """Which bytes are outside quotes (None if a quote is misplaced), and whether the block ends inside quotes."""
    block = whole[start:stop]
    is_quote = block == QUOTE
    at = np.flatnonzero(is_quote)
    if not len(at):
        return np.full(len(block), not inside), inside
    depth = (np.cumsum(is_quote, dtype=np.uint8) + inside) & 1  # 1: inside quotes after this byte
    neighbours = np.where(depth[at] == 1, whole[start + at - 1], whole[start + at + 1])
    fine = np.isin(neighbours, (delimiter, NEWLINE, RETURN, QUOTE)).all()
    return (depth == 0 if fine else None), bool(depth[-1])
