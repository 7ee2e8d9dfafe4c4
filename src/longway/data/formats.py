"""File formats: the ending of the name decides, and the first bytes must agree with it.

    a path  ->  DataFile(path, kind, compression)  ->  read(), write()

To add a format, add a row to `FORMATS`. Each may be compressed with gzip or Zstandard.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal, cast

import polars as pl
import pyarrow as pa

from longway.data import csv_raw
from longway.data.encoding import NAME_IT, UTF_8, EncodingError, as_utf8, marked, recognise
from longway.data.problems import ProblemLog
from longway.data.table import DataTable
from longway.errors import DataError


@dataclass(frozen=True, slots=True)
class Format:
    """A row of `FORMATS`.

    endings: of file names. module: of this package, which is loaded when it is needed; it has `read`, which yields the tables of a file, and
    `write`. takes: the options of `read`: the wanted "columns", whether the file is to be in memory as a "whole", whether its rows are to be written
    "raw", as they are, and its "name". is_text: whether it has an encoding. streams: whether it can be read in parts even if compressed;
    "plain" if not.
    """

    endings: tuple[str, ...]
    module: str
    takes: tuple[str, ...]
    suffix: str = ""  # of the names of the two functions
    is_text: bool = False
    streams: bool | Literal["plain"] = False

    def function(self, name: str) -> Callable[..., Any]:
        """Its function "read" or "write"."""
        found: Callable[..., Any] = getattr(import_module(f"longway.data.{self.module}"), name + self.suffix)
        return found


FORMATS = {
    "csv": Format((".csv",), "csv_file", ("whole", "raw"), is_text=True, streams=True),
    "tsv": Format((".tsv",), "csv_file", ("whole", "raw"), "_tsv", is_text=True, streams=True),
    "jsonl": Format((".jsonl", ".ndjson"), "json_file", ("raw",), "_lines", is_text=True, streams=True),
    "json": Format((".json",), "json_file", ("name", "raw"), "_array", is_text=True),
    "parquet": Format(
        (".parquet", ".pq"), "arrow_file", ("columns", "whole", "raw"), "_parquet", streams="plain"
    ),
    "arrow": Format(
        (".arrow", ".feather", ".ipc"), "arrow_file", ("columns", "whole", "raw"), "_ipc", streams="plain"
    ),
    "xlsx": Format((".xlsx",), "excel_file", ("name",)),
}
KINDS = {ending: kind for kind, format in FORMATS.items() for ending in format.endings}
TABLES = {"csv", "tsv"}  # written as they were read, see csv_raw.py
TEXTS = {kind for kind, format in FORMATS.items() if format.is_text}
ENCODINGS = {"cp1252": "Windows-1252"}
MAGIC = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"PK\x03\x04": "Excel or zip",
    b"SQLite format 3": "SQLite",
}
PLAIN_FACTOR, PACKED_FACTOR = 1.5, 6  # bytes in memory per byte of the file


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file with its format, taken from its name. encoding: of a text file without a byte order mark; "" for UTF-8."""

    path: Path
    kind: str
    compression: str
    encoding: str = ""

    @property
    def format(self) -> str:
        """The format in short, such as "csv" or "jsonl.gz"."""
        return f"{self.kind}.{self.compression}" if self.compression else self.kind

    @property
    def can_stream(self) -> bool:
        """Whether the file can be read in chunks."""
        streams = FORMATS[self.kind].streams
        return streams is True or (streams == "plain" and not self.compression)


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


def with_encoding(file: DataFile, given: str, log: ProblemLog) -> DataFile:
    """The file with its encoding, after reading all of it; EncodingError if it is not clear.

    given: the encoding that the user named; it is used unless the file is UTF-8.
    """
    if file.kind not in TEXTS:
        return file
    with open_bytes(file.path, file.compression) as stream:
        start = stream.peek(4096)[:4096]
        if marked(start) or (not given and _has_nulls(start)):
            return file
        if given and _has_nulls(start):
            return replace(file, encoding=given)
        found = recognise(stream, file.path.name, given)
    if found.encoding and not given:
        log.add("other_encoding", [], count=found.n_lines, about=f"read as {ENCODINGS[found.encoding]}")
    return replace(file, encoding=found.encoding)


def read(
    file: DataFile,
    columns: Sequence[str] | None,
    log: ProblemLog,
    *,
    raw: bool = False,
    whole: bool = False,
) -> Iterator[DataTable]:
    """The file in tables with these columns only; the first may be empty but has the columns.

    raw: with the column `RAW` and a layout or an original, to be written as it is; not for Excel. whole: the file is to be in memory.
    """
    format = FORMATS[file.kind]
    whole = whole or not file.can_stream
    options = {"columns": columns, "raw": raw, "whole": whole, "name": file.path.name}
    with _as_data_errors(file), _source(file) as (source, encoding):
        for table in format.function("read")(source, log, **{name: options[name] for name in format.takes}):
            if table.layout is not None:
                table = replace(table, layout=replace(table.layout, encoding=encoding, kind=file.kind))
            yield table.select(columns)


def write(file: DataFile, tables: Iterator[DataTable]) -> None:
    """Write the tables in order as one file; those with the column `RAW` as they were read, if they come from a file of this format."""
    first = next(tables)
    tables = chain([first], tables)
    is_as_read = first.layout is not None and first.layout.kind == file.kind
    if not is_as_read and (first.original is None or file.kind not in first.original.kinds):
        tables = (table.without_raw() for table in tables)
    with create_bytes(file.path, file.compression) as stream:
        writer = csv_raw.write if is_as_read else FORMATS[file.kind].function("write")
        writer(tables, stream)


def memory_bytes(file: DataFile) -> int:
    """An estimate of the memory the file needs once read."""
    if file.kind == "parquet" and not file.compression:
        from longway.data import arrow_file

        with _as_data_errors(file):
            return arrow_file.size_of(file.path).n_bytes
    return int(file.path.stat().st_size * (PACKED_FACTOR if file.compression else PLAIN_FACTOR))


@contextmanager
def _source(file: DataFile) -> Iterator[tuple[Path | IO[bytes], str]]:
    """What the reader of a file reads: a stream of its bytes, of UTF-8 if it is text, or its path. With the encoding of a text."""
    if file.kind not in TEXTS:
        if file.can_stream:
            yield file.path, ""
        else:
            with open_bytes(file.path, file.compression) as stream:
                content = stream.read()
            yield io.BytesIO(content), ""
        return
    with open_bytes(file.path, file.compression) as stream:
        encoding = marked(stream.peek(4)[:4]) or file.encoding or UTF_8
        _check_text(file, stream, encoding)
        try:
            yield stream if encoding == UTF_8 else as_utf8(stream, encoding), encoding
        except UnicodeDecodeError as error:
            raise EncodingError(
                f"{file.path.name} is not {encoding.upper()} text: it has bytes that cannot be decoded ({error.reason}). {NAME_IT}."
            ) from error


def _has_nulls(start: bytes) -> bool:
    return start.count(0) > len(start) // 10


def _check_text(file: DataFile, stream: io.BufferedReader, encoding: str) -> None:
    """DataError if the file is empty, or if its first bytes are not those of a text file."""
    start = stream.peek(4096)[:4096]
    if not start.strip():
        raise DataError(
            f"{file.path.name} is empty{' or truncated' if file.compression else ''}. "
            "A table with a header or objects was expected. Check the path."
        )
    content = next((what for magic, what in MAGIC.items() if start.startswith(magic)), None)
    if content is None and encoding == UTF_8 and _has_nulls(start):
        raise EncodingError(
            f"{file.path.name} has the ending of a {file.kind.upper()} file but contains binary or UTF-16 data without a byte order mark. "
            f"Text was expected. {NAME_IT.replace('cp1252', 'utf-16-le')}, or save the file as UTF-8."
        )
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
