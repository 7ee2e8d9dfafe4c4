"""Writing a dataset, a frame or tables to a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from longway.data import formats
from longway.data.dataset import Dataset
from longway.data.formats import DataFile
from longway.data.table import DataTable
from longway.errors import DataError


def save(
    data: pl.DataFrame | Dataset | Iterable[DataTable], path: str | Path, *, like: Dataset | None = None
) -> Path:
    """Write a file and return its path; its ending determines the format.

    The write is atomic: a hidden file next to the target is written first. A streamed dataset and an iterable of tables are
    written table by table (`data/edited.py`).
    like: the dataset a frame was made from; its JSON cells and absent keys are then written as they were.
    """
    file = formats.data_file(Path(path))
    part = file.path.with_name(f".{file.path.name}.{os.getpid()}.part")
    try:
        formats.write(DataFile(part, file.kind, file.compression), _tables(data, like))
        with part.open("rb+") as written:
            os.fsync(written.fileno())  # before the rename, or a power cut could leave an incomplete file
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


def _tables(data: pl.DataFrame | Dataset | Iterable[DataTable], like: Dataset | None) -> Iterator[DataTable]:
    if isinstance(data, Dataset):
        yield from data.tables()
    elif isinstance(data, pl.DataFrame):
        yield DataTable(data) if like is None else next(like.tables()).with_frame(data)
    else:
        yield from data
