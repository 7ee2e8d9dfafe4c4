"""CSV and TSV files written as they were read: every row and cell that did not change comes out byte for byte.

    RecordedLines             records the lines that the csv module reads for each row, for the column `RAW`
    write(tables, stream)     tables with the column `RAW`, in their layout: delimiter, quotes, line ends, encoding, byte order mark

A row is compared with its text in the file, cell by cell. Cells with the same value are copied, others are quoted like the cell
they replace, new columns like the rest of their row. Nothing else needs to know which cells were edited.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import polars as pl

from longway.data.encoding import BLOCK
from longway.data.table import RAW, CsvLayout, DataTable
from longway.errors import DataError

NEWLINE = "\n"


class RecordedLines:
    """Lines that are recorded until `take` returns them."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._seen: list[str] = []

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._seen.append(line)
            yield line

    def take(self) -> str:
        """The lines since the last call."""
        text = "".join(self._seen)
        self._seen.clear()
        return text

    def with_texts(self, reader: Iterable[list[str]], texts: list[str]) -> Iterator[list[str]]:
        """The rows of a reader of these lines, except blank ones; the text of each is appended to `texts`."""
        for row in reader:
            text = self.take()
            if row:
                texts.append(text)
                yield row


class _RawRow(NamedTuple):
    """A row as it is in the file: its cells with their quotes, the value of each, and the line end."""

    cells: list[str]
    values: list[str]
    end: str


class _Layout:
    """Splits and writes the rows of one layout."""

    def __init__(self, layout: CsvLayout) -> None:
        self.layout, self.delimiter, self.quote = layout, layout.delimiter, layout.quote
        not_end = f"[^{re.escape(layout.delimiter)}\r\n]*+"
        # As the csv module reads: after the closing quote, everything up to the delimiter belongs to the cell.
        quoted = f'"[^"]*+(?:""[^"]*+)*+(?:"{not_end})?|' if layout.quote else ""
        self._cell = re.compile(quoted + not_end)
        self._special = re.compile(f"[{re.escape(layout.delimiter)}\r\n{layout.quote or ''}]")
        self._own_places = list(range(len(layout.names)))
        self.newline = self.split(layout.header).end or NEWLINE

    def split(self, text: str) -> _RawRow:
        """The text of a row as cells."""
        values = next(csv_rows([text], self.delimiter, self.quote), [])
        cells, at = [], 0
        while match := self._cell.match(text, at):
            cells.append(match[0])
            at = match.end()
            if text[at : at + 1] != self.delimiter:
                break
            at += 1
        return _RawRow(cells, values, text[at:])

    def cell(self, text: str | None, *, quoted: bool) -> str:
        """A new cell; a null is an empty cell without quotes."""
        if text is None:
            return ""
        is_special = bool(self._special.search(text))
        if self.quote is None:
            if is_special:
                raise DataError(
                    f"The new text {text[:40]!r} has a tab or a line break, but the file has no quotes around its cells, so it cannot hold one. "
                    "Save the input with quotes, or as .jsonl, and run the command again."
                )
            return text
        return '"' + text.replace('"', '""') + '"' if quoted or is_special or not text else text

    def row(
        self, raw: str | None, cells: Sequence[str | None], places: Sequence[int | None]
    ) -> tuple[str, str]:
        """A row and its line end. raw: its text in the file, if it has one. places: where each cell is in that text."""
        if raw is None:
            return self.delimiter.join(self.cell(text, quoted=False) for text in cells), self.newline
        old = self.split(raw)
        if list(places) == self._own_places and _same(old.values, cells):
            return raw[: len(raw) - len(old.end)], old.end
        self._close(old.cells)
        is_quoted = [self.quote is not None and cell.startswith('"') for cell in old.cells]
        new = []
        for text, at in zip(cells, places, strict=True):
            if at is None or at >= len(old.cells):
                missing = text if at is None else text or None
                new.append(self.cell(missing, quoted=all(is_quoted)))
            elif old.values[at] == (text or ""):
                new.append(old.cells[at])
            else:
                new.append(self.cell(text, quoted=is_quoted[at]))
        return self.delimiter.join(new), old.end

    def rows(self, table: DataTable, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The rows of a table with these columns, and their line ends."""
        own = table.layout
        if own is None or (own.delimiter, own.quote) != (self.delimiter, self.quote):
            for row in table.frame.select(pl.col(names).cast(pl.String)).iter_rows():
                yield self.row(None, row, [])
            return
        places = _places(own, names)
        n = len(own.names)
        is_usual = places[:n] == list(range(n)) and not any(at is not None for at in places[n:])
        raws = table.frame[RAW].to_list()
        # Read again all at once, which is faster. Only the last row of a file can have an open quote.
        known = list(csv_rows(raws[:-1], self.delimiter, self.quote))
        rows = table.frame.select(pl.col(names[:n]).fill_null(""), pl.col(names[n:]).cast(pl.String))
        for raw, row, values in zip_longest(raws, rows.iter_rows(), known):
            if is_usual and values is not None and tuple(values) == row[:n]:
                yield self._with_new_cells(raw, row[n:])
            else:
                yield self.row(raw, row, places)

    def _with_new_cells(self, raw: str, cells: Sequence[str | None]) -> tuple[str, str]:
        """An unchanged row with new cells at its end; see `row`."""
        body = raw.rstrip("\r\n")
        may_be_quoted = self.quote is not None and body.startswith('"') and body.endswith('"')
        quoted = may_be_quoted and all(cell.startswith('"') for cell in self.split(raw).cells)
        new = [self.cell(text, quoted=quoted) for text in cells]
        return self.delimiter.join([body, *new]), raw[len(body) :]

    def header(self, names: Sequence[str]) -> tuple[str, str]:
        """The header with these columns and its line end; repeated names are written as they are in the file."""
        places = _places(self.layout, names)
        old = self.split(self.layout.header).values
        texts = [name if at is None else old[at] for name, at in zip(names, places, strict=True)]
        return self.row(self.layout.header, texts, places)

    def _close(self, cells: list[str]) -> None:
        """Close the quote of the last cell, at the end of a file, if it is open; another cell may follow."""
        if len(next(csv_rows([cells[-1] + self.delimiter], self.delimiter, self.quote))) == 1:
            cells[-1] += '"'


def csv_rows(lines: Iterable[str], delimiter: str, quote: str | None) -> Iterator[list[str]]:
    """The rows of the lines, as Python's csv module reads them."""
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE)


def _same(values: Sequence[str], cells: Sequence[str | None]) -> bool:
    """Whether the values of a row are these cells. A short row has empty cells at its end; cells beyond the header have no column."""
    padded = [*values, *[""] * (len(cells) - len(values))]
    return all(value == (cell or "") for value, cell in zip(padded, cells, strict=False))


def write(tables: Iterable[DataTable], stream: IO[bytes]) -> None:
    """Write tables that have the column `RAW`, or no layout, as the first of them was laid out.

    If a new text has a character that the encoding of the file lacks, the file is written as UTF-8 with a byte order mark.
    """
    tables = iter(tables)
    first = next(tables)
    layout = first.layout
    assert layout is not None  # the caller chose this writer for it
    texts = _texts(chain([first], tables), _Layout(layout), first.frame.columns)
    if layout.encoding.startswith("utf-"):
        for text in chain([layout.start], texts):
            stream.write(text.encode(layout.encoding))
        return
    with TemporaryFile("w+", encoding="utf-8", newline="") as file:
        for text in chain([layout.start], texts):
            file.write(text)
        encoding = layout.encoding if _can_encode(file, layout.encoding) else "utf-8"
        if encoding == "utf-8" and not layout.start.startswith("\ufeff"):
            stream.write("\ufeff".encode())
        for text in _blocks(file):
            stream.write(text.encode(encoding))


def _texts(tables: Iterable[DataTable], layout: _Layout, columns: list[str]) -> Iterator[str]:
    """The file in pieces. The last row has a line end unless a row without one was read."""
    names = [name for name in columns if name != RAW]
    header, end = layout.header(names)
    is_ended = bool(end)
    yield header
    for table in tables:
        lines = []
        for line, next_end in layout.rows(table, names):
            lines += [end or layout.newline, line]
            end = next_end
            is_ended = is_ended and bool(end)
        yield "".join(lines)
    if is_ended:
        yield end


def _places(layout: CsvLayout, names: Sequence[str]) -> list[int | None]:
    """Where the columns are in the rows of a file; None for those that it does not have."""
    where = {name: i for i, name in enumerate(layout.names)}
    return [where.get(name) for name in names]


def _can_encode(file: IO[str], encoding: str) -> bool:
    try:
        for text in _blocks(file):
            text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _blocks(file: IO[str]) -> Iterator[str]:
    file.seek(0)
    return iter(lambda: file.read(BLOCK), "")
