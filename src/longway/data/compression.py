"""Plain, gzip and Zstandard files as streams of bytes; a damaged one gives a DataError that names it."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

from longway.errors import DataError

BUFFER = 2**20
SUFFIXES = {".gz": "gz", ".zst": "zst"}
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, OSError, pa.ArrowInvalid)


@contextmanager
def open_bytes(path: Path, compression: str) -> Iterator[io.BufferedReader]:
    """The uncompressed bytes of a file, to be read from front to back."""
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
            f"{path} is damaged or cut off: it does not unpack as .{compression} ({error}). "
            "A complete file was expected. Copy or download it again."
        ) from error


@contextmanager
def create_bytes(path: Path, compression: str) -> Iterator[IO[bytes]]:
    """A new file; what is written to it is compressed on the way."""
    if compression == "gz":
        # no name, no time in the header: the same data gives the same file
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
