"""File formats: the ending of the name decides, and the first bytes must agree with it.

    a path  ->  DataFile(path, kind, compression)  ->  read() whole, chunks(), write()

To add a format, add a row to `KINDS` and a branch to the three functions. Each may be compressed with gzip or Zstandard.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import polars as pl
import pyarrow as pa

from longway.data import arrow_file, csv_file, json_file
from longway.data.problems import ProblemLog
from longway.data.table import DataTable
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
STREAMS = {"csv", "tsv", "jsonl"}  # can be read in chunks even if compressed
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
PLAIN_FACTOR, PACKED_FACTOR = 1.5, 6  # bytes in memory per byte of the file


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file with its format, taken from its name."""

    path: Path
    kind: str
    compression: str

    @property
    def format(self) -> str:
        """The format in short, such as "csv" or "jsonl.gz"."""
        return f"{self.kind}.{self.compression}" if self.compression else self.kind

    @property
    def can_stream(self) -> bool:
        """Whether the file can be read in chunks."""
        return self.kind in STREAMS or (self.kind in BINARY and not self.compression)


def is_known(path: Path) -> bool:
    """Whether the name has the ending of a data file."""
    inner = path.stem if path.suffix.lower() in SUFFIXES else path.name
    return Path(inner).suffix.lower() in KINDS


def data_file(path: Path) -> DataFile:
    """The file with its kind and compression; DataError if the ending is unknown."""
    compression = SUFFIXES.get(path.suffix.lower(), "")
    inner = Path(path.stem if compression else path.name)
    kind = KINDS.get(inner.suffix.lower())
    if kind is None:
        raise DataError(
            f"{path.name} has an unknown ending: {inner.suffix or 'none'}. "
            f"Expected {', '.join(KINDS)}, each also with .gz or .zst. Rename or convert the file."
        )
    return DataFile(path, kind, compression)


def read(file: DataFile, log: ProblemLog) -> DataTable:
    """The whole file in memory."""
    with _as_data_errors(file):
        if file.kind in BINARY:
            whole = _whole(file) if file.compression else file.path
            return arrow_file.read_parquet(whole) if file.kind == "parquet" else arrow_file.read_ipc(whole)
        with open_bytes(file.path, file.compression) as stream:
            _check_text(file, stream)
            return _read_text(file, stream, log)


def chunks(
    file: DataFile, columns: Sequence[str] | None, log: ProblemLog, *, rows: range | None = None
) -> Iterator[DataTable]:
    """The file in chunks, with these columns only; the first chunk may be empty but has the columns.

    rows: only these rows of a Parquet file, in chunks as long as the range's step.
    """
    with _as_data_errors(file):
        if file.kind == "parquet":
            yield from arrow_file.chunk_parquet(file.path, columns, rows)
        elif file.kind == "arrow":
            yield from arrow_file.chunk_ipc(file.path, columns)
        else:
            with open_bytes(file.path, file.compression) as stream:
                _check_text(file, stream)
                for table in _chunk_text(file, stream, log):
                    yield table.select(columns)


def write(file: DataFile, tables: Iterator[DataTable]) -> None:
    """Write the tables in order as one file."""
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
    """An estimate of the memory the file needs once read."""
    if file.kind == "parquet" and not file.compression:
        with _as_data_errors(file):
            return arrow_file.size_of(file.path).n_bytes
    return int(file.path.stat().st_size * (PACKED_FACTOR if file.compression else PLAIN_FACTOR))


def _whole(file: DataFile) -> IO[bytes]:
    with open_bytes(file.path, file.compression) as stream:
        return io.BytesIO(stream.read())


def _read_text(file: DataFile, stream: IO[bytes], log: ProblemLog) -> DataTable:
    if file.kind == "jsonl":
        return json_file.read_lines(stream, log)
    if file.kind == "json":
        return json_file.read_array(stream, log, name=file.path.name)
    return csv_file.read(stream, log, tab=file.kind == "tsv")


def _chunk_text(file: DataFile, stream: io.BufferedReader, log: ProblemLog) -> Iterator[DataTable]:
    if file.kind == "jsonl":
        return json_file.chunk_lines(stream, log)
    return csv_file.chunks(stream, log, tab=file.kind == "tsv")


def _check_text(file: DataFile, stream: io.BufferedReader) -> None:
    """DataError if the file is empty, or if its first bytes are not those of a text file."""
    start = stream.peek(4096)[:4096]
    if not start.strip():
        raise DataError(
            f"{file.path.name} is empty{' or truncated' if file.compression else ''}. "
            "A table with a header or objects was expected. Check the path."
        )
    content = next((what for magic, what in MAGIC.items() if start.startswith(magic)), None)
    if content is None and start.count(0) > len(start) // 10:
        content = "binary or UTF-16"
    if content is not None:
        raise DataError(
            f"{file.path.name} has the ending of a {file.kind.upper()} file but contains {content}. "
            "The ending must match the content. Rename the file, or save it as UTF-8 text."
        )


@contextmanager
def _as_data_errors(file: DataFile) -> Iterator[None]:
    """Turn errors of the reading libraries into a DataError with the name of the file."""
    try:
        yield
    except MemoryError as error:
        raise DataError(
            f"{file.path.name} does not fit into the free memory. "
            "Give the process more memory, or convert the file to Parquet, which is read in small chunks."
        ) from error
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError, ValueError) as error:
        first_line = (str(error).splitlines() or [""])[0].rstrip(".")
        raise DataError(
            f"{file.path} cannot be read as {file.format} ({first_line or type(error).__name__}). "
            f"A complete {file.kind} file was expected. Create it again, or check its ending."
        ) from error


BUFFER = 2**20
SUFFIXES = {".gz": "gz", ".zst": "zst"}
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, OSError, pa.ArrowInvalid)


@contextmanager
def open_bytes(path: Path, compression: str) -> Iterator[io.BufferedReader]:
    """The uncompressed bytes of a file, as a stream."""
    try:
        with _reader(path, compression) as stream:
            yield stream
    except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
        raise DataError(
            f"{path} cannot be opened: {error.strerror}. Check the path and its permissions."
        ) from error
    except DAMAGE as error:
        if not compression:
            raise
        raise DataError(
            f"{path} is damaged or truncated: it cannot be decompressed as .{compression} ({error}). "
            "A complete file was expected. Copy or download it again."
        ) from error


@contextmanager
def create_bytes(path: Path, compression: str) -> Iterator[IO[bytes]]:
    """A new file whose content is compressed while it is written."""
    if compression == "gz":
        # no name and no time in the header: the same data gives the same file
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as stream:
            yield cast(IO[bytes], stream)
    elif compression == "zst":
        with path.open("wb") as raw, pa.CompressedOutputStream(pa.PythonFile(raw, "w"), "zstd") as stream:
            yield cast(IO[bytes], stream)
    else:
        with path.open("wb") as raw:
            yield raw


def _reader(path: Path, compression: str) -> io.BufferedReader:
    if compression == "gz":
        return io.BufferedReader(gzip.open(path, "rb"), BUFFER)
    if compression == "zst":
        return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"), BUFFER)
    return io.BufferedReader(io.FileIO(path), BUFFER)
