"""From a dataset or a frame to a file, all of it or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from longway.data import formats
from longway.data.dataset import Dataset
from longway.data.table import Table
from longway.errors import DataError


def save(data: pl.DataFrame | Dataset, path: str | Path, *, like: Dataset | None = None) -> Path:
    """The path of the file written; its ending says the format. A streamed dataset is written piece by piece.

    The file appears when it is complete: until then a hidden file beside it is written.
    like: the dataset that the frame was made from; its JSON cells and absent keys are then written as they were.
    """
    file = formats.data_file(Path(path))
    if not file.path.parent.is_dir():
        raise DataError(
            f"The folder {file.path.parent} does not exist. {file.path.name} was to be written there. Make it first."
        )
    part = file.path.with_name(f".{file.path.name}.{os.getpid()}.part")
    try:
        formats.write(formats.DataFile(part, file.kind, file.compression), _tables(data, like))
        part.replace(file.path)
    finally:
        part.unlink(missing_ok=True)
    return file.path


def _tables(data: pl.DataFrame | Dataset, like: Dataset | None) -> Iterator[Table]:
    if isinstance(data, Dataset):
        yield from data.tables()
    else:
        yield Table(data) if like is None else next(like.tables()).with_frame(data)
