"""From tables to the usable rows of a dataset in batches, for the whole dataset or for a part of its files.

    dataset.batches()                         all usable rows
    dataset.parts()  ->  [DatasetPart, ...]   one for each file; a large Parquet file gives several
    part.batches()                            the batches of `dataset.batches()` that are in this part

Parts can be read in another process, or on another machine that sees the same files. Rows are numbered from 0 in each part until
the sizes of the parts before it are known: `replace(part, source_row=..., row=...)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from longway.data import arrow_file, shards
from longway.data.columns import Columns, role_frame
from longway.data.problems import ProblemLog
from longway.data.shards import ROW_NUMBER, Shard
from longway.data.table import DataTable

BATCH_ROWS = 50_000
CHUNKS = 4  # chunks of a Parquet file in a part: about 32 MB


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
    source_row: int = 0,
    row: int = 0,
    row_names: pl.Expr = ROW_NUMBER,
) -> Iterator[pl.DataFrame]:
    """The role frames of tables (see columns.py), with row numbers in the dataset and in the source.

    source_row, row: the numbers of the first row. row_names: what replaces the numbers in the source, see `Source`.
    """
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
    source_row: int = 0,
    row_names: pl.Expr = ROW_NUMBER,
) -> Iterator[tuple[DataTable, pl.Series]]:
    """All rows with all columns, and their ids as in `Batch.ids`. row_names: as in `role_frames`."""
    for table in tables:
        roles = role_frame(table, columns).with_row_index("source_row", source_row).with_columns(row_names)
        source_row += roles.height
        ids = roles["id" if ids_are_good else "source_row"].cast(pl.String)
        if only_split is not None:
            kept = roles["split"] == only_split
            table, ids = table.with_frame(table.frame.filter(kept)), ids.filter(kept)
        yield table, ids.alias("id")


@dataclass(slots=True)
class RowCounter:
    """Counts rows while they are read: rows of the files, and rows of the selected split."""

    source_rows: int = 0
    rows: int = 0

    def tables(self, tables: Iterable[DataTable]) -> Iterator[DataTable]:
        """Pass tables through, counting their rows."""
        for table in tables:
            self.source_rows += table.frame.height
            yield table

    def frames(self, frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """Pass role frames through, counting their rows."""
        for frame in frames:
            self.rows += frame.height
            yield frame


@dataclass(frozen=True, slots=True)
class DatasetPart:
    """One file of a dataset, or a range of its rows.

    n_bytes: the size of the file, to detect another file of the same name. rows: of a Parquet file; None for all.
    source_row, row: the numbers of its first row in the files and in the dataset, once they are known.
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

    def batches(self, counter: RowCounter | None = None) -> Iterator[Batch]:
        """The usable rows in order, in the same batches as the dataset. counter: counts all rows, usable or not."""
        counter = counter or RowCounter()
        frames = role_frames(
            counter.tables(self._tables(self.columns.used())),
            self.columns,
            only_split=self.only_split,
            source_row=self.source_row,
            row=self.row,
        )
        return batches_of(counter.frames(frames), self.labels, ids_are_good=self.ids_are_good)

    def tables_with_ids(self, *, raw: bool = False) -> Iterator[tuple[DataTable, pl.Series]]:
        """All rows with all columns, and their ids as in `Batch.ids`. raw: as in `Dataset.tables`."""
        return with_ids(
            self._tables(None, raw=raw),
            self.columns,
            only_split=self.only_split,
            ids_are_good=self.ids_are_good,
            source_row=self.source_row,
        )

    def n_source_rows(self) -> int:
        """The number of rows in the file; reads the file unless it is Parquet."""
        if self.rows is not None:
            return self.rows.stop - self.rows.start
        return sum(table.frame.height for table in self._tables(self.columns.used()))

    def _tables(self, columns: Sequence[str] | None, *, raw: bool = False) -> Iterator[DataTable]:
        return shards.chunks([self.shard], columns, ProblemLog(), rows=self.rows, raw=raw)


def parts_of(
    files: Sequence[Shard],
    columns: Columns,
    *,
    labels: tuple[str, ...],
    only_split: str | None,
    ids_are_good: bool,
) -> list[DatasetPart]:
    """The parts of a dataset in these files, in order."""
    parts = []
    for shard in files:
        path = shard.file.path.resolve()  # a worker may have another working directory
        shard = replace(shard, file=replace(shard.file, path=path))
        whole = DatasetPart(shard, path.stat().st_size, columns, labels, only_split, ids_are_good)
        parts += [replace(whole, rows=rows) for rows in _ranges(path, shard)]
    return parts


def _ranges(path: Path, shard: Shard) -> Iterator[range | None]:
    if shard.file.kind != "parquet" or shard.file.compression:
        yield None
        return
    size = arrow_file.size_of(path)
    step = size.step * CHUNKS
    for start in range(0, max(1, size.n_rows), step):
        yield range(start, min(start + step, size.n_rows), size.step)
