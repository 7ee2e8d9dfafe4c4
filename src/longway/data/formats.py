"""Which file is read and written by what: the name's ending decides, the first bytes must not disagree.

    a path  ->  DataFile(path, kind, compression)  ->  read() whole, chunks() in pieces, write()

One more format is one more row in `KINDS` and its branch in the three functions below.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import polars as pl
import pyarrow as pa

from longway.data import arrow_file, csv_file, json_file
from longway.data.compression import SUFFIXES, create_bytes, open_bytes
from longway.data.problems import Tally
from longway.data.table import Table
from longway.errors import DataError

KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
BINARY = {"parquet", "arrow"}
STREAMS = {"csv", "tsv", "jsonl"}  # can be read in pieces even when compressed
MAGIC = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"PK\x03\x04": "Excel or zip",
    b"SQLite format 3": "SQLite",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
PLAIN_FACTOR, PACKED_FACTOR = 1.5, 6  # bytes in memory for a byte in the file, where the file does not say


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file with what its name says about it."""

    path: Path
    kind: str
    compression: str

    @property
    def format(self) -> str:
        """The format in short, as in "csv" or "jsonl.gz"."""
        return f"{self.kind}.{self.compression}" if self.compression else self.kind

    @property
    def can_stream(self) -> bool:
        """Whether the file can be read in pieces."""
        return self.kind in STREAMS or (self.kind in BINARY and not self.compression)


def is_known(path: Path) -> bool:
    """Whether the name ends the way a data file's does."""
    inner = path.stem if path.suffix.lower() in SUFFIXES else path.name
    return Path(inner).suffix.lower() in KINDS


def data_file(path: Path) -> DataFile:
    """The file with its kind and compression; an error that lists the known endings otherwise."""
    compression = SUFFIXES.get(path.suffix.lower(), "")
    inner = Path(path.stem if compression else path.name)
    kind = KINDS.get(inner.suffix.lower())
    if kind is None:
        raise DataError(
            f"{path.name} has an ending that Longway does not know: {inner.suffix or 'none'}. "
            f"Known are {', '.join(KINDS)}, each also with .gz or .zst. Rename or convert the file."
        )
    return DataFile(path, kind, compression)


def read(file: DataFile, tally: Tally) -> Table:
    """The whole file in memory."""
    with _told(file):
        if file.kind in BINARY:
            whole = _whole(file) if file.compression else file.path
            return arrow_file.read_parquet(whole) if file.kind == "parquet" else arrow_file.read_ipc(whole)
        with open_bytes(file.path, file.compression) as stream:
            _check_text(file, stream)
            return _read_text(file, stream, tally)


def chunks(
    file: DataFile, columns: Sequence[str] | None, tally: Tally, *, rows: range | None = None
) -> Iterator[Table]:
    """The file in pieces, with these columns only; the first piece may be empty but has the columns.

    rows: only these rows of a Parquet file, in pieces as long as the range's step.
    """
    with _told(file):
        if file.kind == "parquet":
            yield from arrow_file.chunk_parquet(file.path, columns, rows)
        elif file.kind == "arrow":
            yield from arrow_file.chunk_ipc(file.path, columns)
        else:
            with open_bytes(file.path, file.compression) as stream:
                _check_text(file, stream)
                for table in _chunk_text(file, stream, tally):
                    yield table.select(columns)


def write(file: DataFile, tables: Iterator[Table]) -> None:
    """The tables, one after the other, as one file of this kind."""
    with create_bytes(file.path, file.compression) as stream:
        if file.kind == "jsonl":
            json_file.write_lines(tables, stream)
        elif file.kind == "json":
            json_file.write_array(tables, stream)
        elif file.kind == "parquet":
            arrow_file.write_parquet(tables, stream)
        elif file.kind == "arrow":
            arrow_file.write_ipc(tables, stream)
        else:
            csv_file.write(tables, stream, tab=file.kind == "tsv")


def memory_bytes(file: DataFile) -> int:
    """About how much memory the file needs once read."""
    if file.kind == "parquet" and not file.compression:
        with _told(file):
            return arrow_file.parquet_bytes(file.path)
    return int(file.path.stat().st_size * (PACKED_FACTOR if file.compression else PLAIN_FACTOR))


def _whole(file: DataFile) -> IO[bytes]:
    with open_bytes(file.path, file.compression) as stream:
        return io.BytesIO(stream.read())


def _read_text(file: DataFile, stream: IO[bytes], tally: Tally) -> Table:
    if file.kind == "jsonl":
        return json_file.read_lines(stream, tally)
    if file.kind == "json":
        return json_file.read_array(stream, tally, name=file.path.name)
    return csv_file.read(stream, tally, tab=file.kind == "tsv")


def _chunk_text(file: DataFile, stream: io.BufferedReader, tally: Tally) -> Iterator[Table]:
    if file.kind == "jsonl":
        return json_file.chunk_lines(stream, tally)
    return csv_file.chunks(stream, tally, tab=file.kind == "tsv")


def _check_text(file: DataFile, stream: io.BufferedReader) -> None:
    """An error if the first bytes show that this is no text file, or that there are none."""
    start = stream.peek(4096)[:4096]
    if not start.strip():
        raise DataError(
            f"{file.path.name} is empty{' or cut off' if file.compression else ''}. "
            "A table with a header or objects was expected. Check the path."
        )
    found = next((what for magic, what in MAGIC.items() if start.startswith(magic)), None)
    if found is None and start.count(0) > len(start) // 10:
        found = "binary or UTF-16"
    if found is not None:
        raise DataError(
            f"{file.path.name} is named like {file.kind.upper()} but holds {found}. "
            "The ending must fit the content. Rename the file, or save it as UTF-8 text."
        )


@contextmanager
def _told(file: DataFile) -> Iterator[None]:
    """Errors of the reading libraries as ours, with the name of the file."""
    try:
        yield
    except MemoryError as error:
        raise DataError(
            f"{file.path.name} does not fit in the memory that is free. Part of it had to be held at once. "
            "Give the process more memory, or convert the file to Parquet, which is read in small pieces."
        ) from error
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError, ValueError) as error:
        first_line = (str(error).splitlines() or [""])[0].rstrip(".")
        raise DataError(
            f"{file.path} cannot be read as {file.format} ({first_line or type(error).__name__}). "
            f"A complete {file.kind} file was expected. Make it again, or check that its ending is right."
        ) from error
