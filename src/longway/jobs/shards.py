"""Files that Ray's workers write instead of this process: a folder of shards in the place of one file.

    write_score_shards(path, reading, ...)     scores.parquet of an audit
    write_edited_shards(path, dataset, ...)    dataset.<ext> of a rewrite

Both return whether they wrote it; if not, the file is written in this process. The rows are the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from numpy.typing import NDArray

from longway.data import Batch, Dataset, save
from longway.data.batches import DatasetPart
from longway.data.edited import Changes, apply_edits
from longway.detect.reading import Reading
from longway.jobs.placement import ray_backend
from longway.store import replacing

Columns = Mapping[str, NDArray[np.generic]]
FrameOf = Callable[[Batch, Columns], pl.DataFrame]


def write_score_shards(path: Path, reading: Reading, scores: Columns, frame_of: FrameOf) -> bool:
    """Whether the workers that read the data wrote the scores of its examples.

    scores: columns with a number for each example. frame_of: the rows to write of a batch, given its part of each column.
    """
    if reading.is_here:
        return False
    ray = ray_backend()
    parts = ray.parts_read(reading)
    if not parts:
        return False
    jobs = ((part, {name: column[here] for name, column in scores.items()}) for part, here in parts)
    return ray.write_shards(path, jobs, partial(_write_scores_of, frame_of=frame_of))


def write_edited_shards(path: Path, dataset: Dataset, changes: Changes) -> bool:
    """Whether Ray's workers wrote the dataset with its changed cells, each a part of it. A session must be open."""
    ray = ray_backend()
    parts = ray.parts_of(dataset)
    return bool(parts) and ray.write_shards(path, parts, partial(_write_edited, changes=changes))


def score_frames(batches: Iterator[Batch], scores: Columns, frame_of: FrameOf) -> Iterator[pl.DataFrame]:
    """The rows to write for each batch."""
    start = 0
    for batch in batches:
        here = slice(start, start + len(batch.rows))
        start = here.stop
        yield frame_of(batch, {name: column[here] for name, column in scores.items()})


def write_frames(path: Path, frames: Iterator[pl.DataFrame]) -> None:
    """Write frames, of which there is at least one, as one Parquet file."""
    tables = (frame.to_arrow() for frame in frames)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        for table in chain([first], tables):
            writer.write_table(table)


def _write_scores_of(job: tuple[DatasetPart, Columns], path: Path, frame_of: FrameOf) -> None:
    part, scores = job
    words = pl.Series([], dtype=pl.String)
    none = Batch(np.zeros(0, np.int64), words, words, None, np.zeros(0, np.int32))
    nothing = frame_of(
        none, {name: column[:0] for name, column in scores.items()}
    )  # a part may have no row to use
    with replacing(path) as temporary:
        write_frames(temporary, chain([nothing], score_frames(part.batches(), scores, frame_of)))


def _write_edited(part: DatasetPart, path: Path, changes: Changes) -> None:
    save(apply_edits(part, changes), path)


def remove_shards(path: Path) -> None:
    """Remove a folder of shards where a file is to be written: a run that was stopped on Ray now continues without it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
