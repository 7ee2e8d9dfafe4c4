"""Parts of a streamed dataset that can be read alone: in another process, or on another machine that sees the same files.

    dataset.parts()  ->  [Part, ...]  ->  part.batches()      the batches of `dataset.batches()`, those of its part
                                          part.tables_with_ids()

One file is one part; a large Parquet file is several, cut where `data.arrow_file` cuts it. Rows are numbered from 0 in each part
until it is known what the parts before it hold: `replace(part, source_row=..., row=...)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from longway.data import arrow_file, shards
from longway.data.batches import Batch, batches_of, role_frames, with_ids
from longway.data.columns import Columns
from longway.data.problems import Tally
from longway.data.shards import Shard
from longway.data.table import Table

CHUNKS = 4  # of a Parquet file that make a part: about 32 MB


@dataclass(slots=True)
class Seen:
    """How many rows went by: of the files, and of the split that the dataset is made of."""

    source_rows: int = 0
    rows: int = 0

    def tables(self, tables: Iterable[Table]) -> Iterator[Table]:
        """The tables, counted."""
        for table in tables:
            self.source_rows += table.frame.height
            yield table

    def frames(self, frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """The role frames, counted."""
        for frame in frames:
            self.rows += frame.height
            yield frame


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a dataset, or a range of its rows.

    n_bytes: of the file, so that another file of the same name is not taken for it. rows: of a Parquet file; None for all.
    source_row, row: the numbers of its first row, in the files and in the dataset, once they are known.
    """

    shard: Shard
    n_bytes: int
    columns: Columns
    labels: tuple[str, ...]
    only_split: str | None
    ids_are_good: bool
    rows: range | None = None
    source_row: int = 0
    row: int = 0

    @property
    def is_there(self) -> bool:
        """Whether this machine sees the file."""
        path = self.shard.file.path
        return path.is_file() and path.stat().st_size == self.n_bytes

    def batches(self, seen: Seen | None = None) -> Iterator[Batch]:
        """The usable rows in order, in the batches in which the dataset gives them. seen: counts all rows, usable or not."""
        seen = seen or Seen()
        frames = role_frames(
            seen.tables(self._tables(self.columns.used())),
            self.columns,
            only_split=self.only_split,
            source_row=self.source_row,
            row=self.row,
        )
        return batches_of(seen.frames(frames), self.labels, ids_are_good=self.ids_are_good)

    def tables_with_ids(self) -> Iterator[tuple[Table, pl.Series]]:
        """All rows with all columns, and beside them the ids that `Batch.ids` gives them."""
        return with_ids(
            self._tables(None),
            self.columns,
            only_split=self.only_split,
            ids_are_good=self.ids_are_good,
            source_row=self.source_row,
        )

    def n_source_rows(self) -> int:
        """How many rows the files have here; a file that does not say so is read."""
        if self.rows is not None:
            return self.rows.stop - self.rows.start
        return sum(table.frame.height for table in self._tables(self.columns.used()))

    def _tables(self, columns: Sequence[str] | None) -> Iterator[Table]:
        return shards.chunks([self.shard], columns, Tally(), rows=self.rows)


def parts_of(
    files: Sequence[Shard],
    columns: Columns,
    *,
    labels: tuple[str, ...],
    only_split: str | None,
    ids_are_good: bool,
) -> list[Part]:
    """The parts of a dataset in these files, in order."""
    found = []
    for shard in files:
        path = shard.file.path.resolve()  # a worker may be in another folder
        whole = Part(
            replace(shard, file=replace(shard.file, path=path)),
            path.stat().st_size,
            columns,
            labels,
            only_split,
            ids_are_good,
        )
        found += [replace(whole, rows=rows) for rows in _ranges(path, shard)]
    return found


def _ranges(path: Path, shard: Shard) -> Iterator[range | None]:
    if shard.file.kind != "parquet" or shard.file.compression:
        yield None
        return
    n_rows, step = arrow_file.parquet_rows(path)
    for start in range(0, max(1, n_rows), step * CHUNKS):
        yield range(start, min(start + step * CHUNKS, n_rows), step)
