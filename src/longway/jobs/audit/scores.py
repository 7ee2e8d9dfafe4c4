"""scores.parquet: a row for each example of an audit, in the order of the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from numpy.typing import NDArray

from longway.data import Batch, Dataset
from longway.jobs.audit.rows import column_of

SCORES = "scores.parquet"
Columns = Mapping[str, NDArray[np.generic]]


def score_frames(dataset: Dataset, scores: Columns) -> Iterator[pl.DataFrame]:
    """The rows of the file, batch by batch.

    scores: columns with a number for each example: n_tokens, gamma, lean and what the checks of single rows say.
    """
    start = 0
    for batch in dataset.batches():
        here = slice(start, start + len(batch.rows))
        start = here.stop
        yield _frame_of(dataset, batch, {name: column[here] for name, column in scores.items()})


def write_frames(path: Path, frames: Iterator[pl.DataFrame]) -> None:
    """Write frames, of which there is at least one, as one Parquet file."""
    tables = (frame.to_arrow() for frame in frames)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for table in chain([first], tables):
            writer.write_table(table)


def _frame_of(dataset: Dataset, batch: Batch, scores: Columns) -> pl.DataFrame:
    others = {
        name: column_of(name, column)
        for name, column in scores.items()
        if name not in ("n_tokens", "gamma", "lean")
    }
    return pl.DataFrame(
        {
            "id": batch.ids,
            "row": batch.rows,
            "label": pl.Series(dataset.labels, dtype=pl.String).gather(batch.labels),
            "n_tokens": scores["n_tokens"],
            "gamma": pl.Series(scores["gamma"]).fill_nan(None),
            "lean": scores["lean"],
            **others,
        }
    )
