"""From tables to the usable rows of a dataset in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from longway.data.columns import Columns, role_frame
from longway.data.shards import ROW_NUMBER
from longway.data.table import DataTable

BATCH_ROWS = 50_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Some usable rows.

    rows: row numbers from 0, the same as in `Dataset.frame`; labels: indices into `Dataset.labels`.
    contexts: None if the dataset has no context column; an empty cell is "".
    """

    rows: npt.NDArray[np.int64]
    ids: pl.Series
    texts: pl.Series
    contexts: pl.Series | None
    labels: npt.NDArray[np.int32]


def role_frames(
    tables: Iterable[DataTable],
    columns: Columns,
    *,
    only_split: str | None,
    row_names: pl.Expr = ROW_NUMBER,
) -> Iterator[pl.DataFrame]:
    """The role frames of tables (see columns.py), with row numbers in the dataset and in the source.

    row_names: what replaces the numbers in the source, see `Source`.
    """
    source_row = row = 0
    for table in tables:
        frame = role_frame(table, columns).with_row_index("source_row", source_row).with_columns(row_names)
        source_row += frame.height
        if only_split is not None:
            frame = frame.filter(pl.col("split") == only_split)
        yield frame.with_columns(pl.int_range(row, row + pl.len(), dtype=pl.Int64).alias("row"))
        row += frame.height


def batches_of(
    frames: Iterable[pl.DataFrame], labels: Sequence[str], *, ids_are_good: bool, size: int = BATCH_ROWS
) -> Iterator[Batch]:
    """The usable rows of role frames in order, at most `size` at a time."""
    label_type = pl.Enum(labels)
    usable = (frame.filter("usable") for frame in frames)
    for frame in (part for whole in usable for part in whole.iter_slices(size) if part.height):
        codes = frame["label"].cast(label_type).to_physical().cast(pl.Int32)
        yield Batch(
            rows=frame["row"].to_numpy(),
            ids=frame["id" if ids_are_good else "source_row"].cast(pl.String).alias("id"),
            texts=frame["text"],
            contexts=frame["context"] if "context" in frame.columns else None,
            labels=codes.to_numpy(),
        )


def with_ids(
    tables: Iterable[DataTable],
    columns: Columns,
    *,
    only_split: str | None,
    ids_are_good: bool,
    row_names: pl.Expr = ROW_NUMBER,
) -> Iterator[tuple[DataTable, pl.Series]]:
    """All rows with all columns, and their ids as in `Batch.ids`. row_names: as in `role_frames`."""
    source_row = 0
    for table in tables:
        roles = role_frame(table, columns).with_row_index("source_row", source_row).with_columns(row_names)
        source_row += roles.height
        ids = roles["id" if ids_are_good else "source_row"].cast(pl.String)
        if only_split is not None:
            kept = roles["split"] == only_split
            table, ids = table.with_frame(table.frame.filter(kept)), ids.filter(kept)
        yield table, ids.alias("id")
