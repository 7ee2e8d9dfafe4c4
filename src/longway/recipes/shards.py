"""What a run writes where Ray's workers read its data: folders of shards in the place of one file (`on_ray.shards`).

    write_score_shards(path, reading, ...)     scores.parquet of an audit
    write_edited_shards(path, dataset, ...)    dataset.<ext> of a rewrite

Both say whether they did; where they did not, the file is written here. The rows are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from numpy.typing import NDArray

from longway.data import Batch, Dataset, save
from longway.data.edited import edited_tables
from longway.data.parts import Part
from longway.detect.reading import Reading
from longway.store import replacing

Columns = Mapping[str, NDArray[np.generic]]
FrameOf = Callable[[Batch, Columns], pl.DataFrame]


def write_score_shards(path: Path, reading: Reading, scores: Columns, frame_of: FrameOf) -> bool:
    """Whether the workers that read the data wrote the scores of its examples.

    scores: columns with a number for each example. frame_of: the rows to write of a batch, given its part of each column.
    """
    parts: list[tuple[Part, slice]] = getattr(reading, "parts", [])
    if not parts:
        return False
    from longway.on_ray.shards import write_shards

    jobs = ((part, {name: column[here] for name, column in scores.items()}) for part, here in parts)
    return write_shards(path, jobs, partial(_write_scores_of, frame_of=frame_of))


def write_edited_shards(
    path: Path, dataset: Dataset, texts: Mapping[str, str], contexts: Mapping[str, str] | None
) -> bool:
    """Whether Ray's workers wrote the dataset with some of its texts replaced, each a part of it. A session must be open."""
    from longway.on_ray.pieces import keep
    from longway.on_ray.reading import parts_seen
    from longway.on_ray.shards import write_shards

    parts = parts_seen(dataset)
    if not parts:
        return False
    lengths = keep([part] for part in parts).each(Part.n_source_rows)
    starts = accumulate(lengths, initial=0)
    jobs = [replace(part, source_row=start) for part, start in zip(parts, starts, strict=False)]
    return write_shards(path, jobs, partial(_write_edited, texts=texts, contexts=contexts))


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


def _write_scores_of(job: tuple[Part, Columns], path: Path, frame_of: FrameOf) -> None:
    part, scores = job
    words = pl.Series([], dtype=pl.String)
    none = Batch(np.zeros(0, np.int64), words, words, None, np.zeros(0, np.int32))
    nothing = frame_of(
        none, {name: column[:0] for name, column in scores.items()}
    )  # a part may have no row to use
    with replacing(path) as temporary:
        write_frames(temporary, chain([nothing], score_frames(part.batches(), scores, frame_of)))


def _write_edited(
    part: Part, path: Path, texts: Mapping[str, str], contexts: Mapping[str, str] | None
) -> None:
    save(edited_tables(part, texts, contexts=contexts), path)
