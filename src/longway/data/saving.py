"""From a dataset or a frame to a file, all of it or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from longway.data import formats
from longway.data.dataset import Dataset
from longway.data.formats import DataFile
from longway.data.table import Table
from longway.errors import DataError


def save(
    data: pl.DataFrame | Dataset | Iterable[Table], path: str | Path, *, like: Dataset | None = None
) -> Path:
    """The path of the file written; its ending says the format.

    The file appears when it is complete; until then a hidden file beside it is written. A streamed
    dataset is written piece by piece, and so are tables that come one after the other (`data/edited.py`).
    like: the dataset a frame was made from; its JSON cells and absent keys are then written as they were.
    """
    file = formats.data_file(Path(path))
    part = file.path.with_name(f".{file.path.name}.{os.getpid()}.part")
    try:
        formats.write(DataFile(part, file.kind, file.compression), _tables(data, like))
        _flush(part)
        part.replace(file.path)
    except OSError as error:
        raise DataError(
            f"{file.path} cannot be written ({error.strerror or error}). "
            "An existing folder with enough space was expected. Choose another path."
        ) from error
    finally:
        if part.parent.is_dir():
            part.unlink(missing_ok=True)
    return file.path


def _flush(path: Path) -> None:
    """Have the bytes on the disk before the name points at them."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _tables(data: pl.DataFrame | Dataset | Iterable[Table], like: Dataset | None) -> Iterator[Table]:
    if isinstance(data, Dataset):
        yield from data.tables()
    elif isinstance(data, pl.DataFrame):
        yield Table(data) if like is None else next(like.tables()).with_frame(data)
    else:
        yield from data
