"""A labelled text dataset: its columns and labels, and its usable rows in batches.

The same class serves a file that fits in memory and one that does not; only `frame` needs the former.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa

from longway.arrays import Floats, Ints, Ints32
from longway.data.columns import ID_COLUMN, WEIGHT_COLUMN, Columns, missing, role_frame
from longway.data.frames import to_pandas
from longway.data.label_lists import lists_in
from longway.data.problems import READING_KINDS, ProblemLog, scan
from longway.data.shards import Source, in_memory
from longway.data.table import DataTable, combine
from longway.errors import ColumnError, DataError
from longway.records import Example, Problem

if TYPE_CHECKING:
    import pandas as pd


BATCH_ROWS = 50_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Some usable rows.

    rows: row numbers from 0, the same as in `Dataset.frame`; labels: indices into `Dataset.labels`.
    contexts: None if the dataset has no context column; an empty cell is "".
    """

    rows: Ints
    ids: pl.Series
    texts: pl.Series
    contexts: pl.Series | None
    labels: Ints32


class Dataset:
    """A labelled text dataset, made by `load`.

    labels: the label names in their natural order; label_counts: their usable rows.
    n_rows: all rows; n_used: rows with a text and a label. problems: what is unusual about the data.
    ids_are_good: whether the ids are those of the id column, which all differ.
    """

    def __init__(
        self,
        source: Source,
        columns: Columns,
        log: ProblemLog,
        *,
        part_of: Dataset | None = None,
        only_split: str | None = None,
    ) -> None:
        self._source = source
        self._only_split = only_split
        self.columns = columns
        self.languages: dict[str, float] = {}  # share of each; `languages/dataset.py` identifies them once
        self._cached: list[pl.DataFrame] | None = None
        if not self.streamed:
            self._cached = list(self._role_frames(log))
        result = scan(self._role_frames(log), log, has_ids=columns.id is not None, name=source.name)
        self.labels, self.label_counts = result.labels, result.label_counts
        self.n_rows, self.n_used = result.n_rows, result.n_used
        self.splits: tuple[str, ...] = result.splits
        # Selecting a split must not change the ids, so a part of a dataset uses the ids of the whole.
        self.ids_are_good: bool = result.ids_are_good and (part_of is None or part_of.ids_are_good)
        # Problems of reading concern the whole file and were logged before the rows were split.
        read = () if part_of is None else (p for p in part_of.problems if p.kind in READING_KINDS)
        self.problems: tuple[Problem, ...] = (*read, *log.problems())

    @property
    def source_name(self) -> str:
        """The name of the dataset: that of its file, or the kind of object it was made from."""
        return self._source.name

    @property
    def path(self) -> Path | None:
        """The file or folder it was read from, if there is one."""
        return self._source.path

    @property
    def format(self) -> str:
        """The format in short, such as "csv", "jsonl.gz" or "frame"."""
        return self._source.format

    @property
    def streamed(self) -> bool:
        """Whether the rows are read from disk again for each pass."""
        return self._source.whole is None

    @property
    def split(self) -> str | None:
        """The split that was selected, if any."""
        return self._only_split

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All rows with all columns, in source order."""
        if self._source.whole is None:
            raise DataError(
                f"{self.source_name} is streamed because it is too large for the memory, so its rows are not available as one frame. "
                "Use batches() or take(), or load it with a limit."
            )
        return self._keep_split(self._source.whole).frame

    def to_pandas(self) -> pd.DataFrame:
        """All rows with all columns as a pandas frame. Rows of a pandas frame come back with their index and their types.

        Where the index consists of whole numbers, added rows have the numbers after its highest one; otherwise they have the index of
        the row that they were made from.
        """
        return to_pandas(list(self.tables(raw=True)) if self.format == "frame" else [DataTable(self.frame)])

    @property
    def encoding(self) -> str:
        """The encoding of its text files if they are not UTF-8, such as "cp1252"; otherwise ""."""
        return self._source.encoding

    def tables(self, *, raw: bool = False) -> Iterator[DataTable]:
        """All rows with all columns, in one table or, if streamed, in several; for `save`.

        raw: with each row as it was read, where the format allows it, so that what did not change can be written unchanged.
        """
        for table in self._all_tables(raw):
            yield self._keep_split(table)

    def tables_with_ids(self, *, raw: bool = False) -> Iterator[tuple[DataTable, pl.Series]]:
        """All rows with all columns, and their ids as in `Batch.ids`. raw: as in `tables`."""
        for table, roles in self._with_roles(self._all_tables(raw)):
            yield table, self._ids(roles).alias("id")

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the used texts, contexts, labels and weights in order; independent of the file format."""
        result = _Fingerprint(self.columns)
        for batch in self.batches():
            labels = pl.Series(self.labels, dtype=pl.String).gather(batch.labels)
            result.add(batch.texts, batch.contexts, labels)
        return result.hexdigest(self.weights)

    @cached_property
    def weights(self) -> Floats | None:
        """The weights of the used rows, from the column `longway_weight`; None if there is none. DataError if one is no weight."""
        first = next(self.tables(), None)
        if first is None or WEIGHT_COLUMN not in first.frame.columns:
            return None
        by_id: dict[str, float] = {}
        for table, ids in self.tables_with_ids():
            cells = table.frame[WEIGHT_COLUMN].cast(pl.Float64, strict=False)
            by_id.update(zip(ids, cells.to_list(), strict=True))
        weights = np.array([by_id[id_] for batch in self.batches() for id_ in batch.ids], dtype=np.float64)
        if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.sum() > 0:
            raise DataError(
                f"The column {WEIGHT_COLUMN} must hold the weights of rows: numbers from 0 up, not all of them 0. "
                "Got others. Mend or remove the column."
            )
        return weights

    def batches(self, size: int = BATCH_ROWS) -> Iterator[Batch]:
        """The usable rows in order, at most `size` at a time; a streamed file may give fewer."""
        label_type = pl.Enum(self.labels)
        usable = (frame.filter("usable") for frame in self._role_frames(ProblemLog()))
        for frame in (part for whole in usable for part in whole.iter_slices(size) if part.height):
            codes = frame["label"].cast(label_type).to_physical().cast(pl.Int32)
            yield Batch(
                rows=frame["row"].to_numpy(),
                ids=self._ids(frame).alias("id"),
                texts=frame["text"],
                contexts=frame["context"] if "context" in frame.columns else None,
                labels=codes.to_numpy(),
            )

    def take(self, rows: Sequence[int] | Ints) -> pl.DataFrame:
        """The full rows with these numbers, in this order; one pass over a streamed dataset."""
        wanted = np.asarray(rows, dtype=np.int64)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= self.n_rows):
            raise DataError(
                f"{self.source_name} has the rows 0 to {self.n_rows - 1}. "
                f"Got rows from {wanted.min()} to {wanted.max()}. Use numbers from Batch.rows."
            )
        if not self.streamed:
            return self.frame[wanted]
        order = np.unique(wanted)
        picked = combine(list(self._pick(order)))
        return picked.frame[np.searchsorted(order, wanted)]

    def select_split(self, name: str) -> Dataset:
        """The rows of one split as a dataset; ids do not change."""
        if name not in self.splits:
            known = ", ".join(map(repr, self.splits)) or "none (there is no split column)"
            raise DataError(
                f"{self.source_name} has no split {name!r}. The splits are {known}. Choose one of them."
            )
        return Dataset(self._source, self.columns, ProblemLog(), part_of=self, only_split=name)

    def with_label(self, column: str, tag: str | None = None) -> Dataset:
        """The same rows with another label column; ids do not change.

        tag: for a column of lists; the label is then whether a row has this tag: TAG or "not TAG".
        """
        if column in (self.columns.text, self.columns.context):
            raise ColumnError(
                f"Column {column!r} was given for the label, but it is the text or the context. Each needs its own column. Change --label."
            )
        if column not in (names := next(self._source.tables(None, ProblemLog())).frame.columns):
            raise ColumnError(f"{self.source_name}: {missing('label', column, names)}")
        if column == self.columns.label:
            columns = replace(self.columns, tag=tag)
        else:
            lists = lists_in(self._source.tables([column], ProblemLog()), column)
            guessed = tuple(role for role in self.columns.guessed if role != "label")
            columns = replace(self.columns, label=column, lists=lists, tag=tag, guessed=guessed)
        return Dataset(self._source, columns, ProblemLog(), part_of=self, only_split=self._only_split)

    def with_language(self, language: str) -> Dataset:
        """The same rows, whose texts are in this language, such as "de", or in several: "en,de"; ids do not change."""
        columns = replace(self.columns, language=language)
        return Dataset(self._source, columns, ProblemLog(), part_of=self, only_split=self._only_split)

    def __len__(self) -> int:
        return self.n_used

    def __repr__(self) -> str:
        rows = f"{self.n_used:,} of {self.n_rows:,} rows"
        return f"<Dataset {self.source_name}: {rows}, {len(self.labels)} labels>"

    def _all_tables(self, raw: bool) -> Iterator[DataTable]:
        return (raw and self._source.raw_tables()) or self._source.tables(None, ProblemLog())

    def _keep_split(self, table: DataTable) -> DataTable:
        if self._only_split is None:
            return table
        roles = role_frame(table, self.columns)
        return table.with_frame(table.frame.filter(roles["split"] == self._only_split))

    def _role_frames(self, log: ProblemLog) -> Iterator[pl.DataFrame]:
        """The role frames of all rows (see columns.py), with row numbers in the dataset and in the source."""
        if self._cached is not None:
            yield from self._cached
            return
        for _, frame in self._with_roles(self._source.tables(self.columns.used(), log)):
            yield frame

    def _with_roles(self, tables: Iterable[DataTable]) -> Iterator[tuple[DataTable, pl.DataFrame]]:
        """The rows of tables with their role frames, with row numbers in the dataset and in the source."""
        source_row = row = 0
        for table in tables:
            roles = role_frame(table, self.columns).with_row_index("source_row", source_row)
            roles = roles.with_columns(self._source.row_names)
            source_row += roles.height
            if self._only_split is not None:
                kept = roles["split"] == self._only_split
                table, roles = table.with_frame(table.frame.filter(kept)), roles.filter(kept)
            yield table, roles.with_columns(pl.int_range(row, row + pl.len(), dtype=pl.Int64).alias("row"))
            row += roles.height

    def _ids(self, roles: pl.DataFrame) -> pl.Series:
        return roles["id" if self.ids_are_good else "source_row"].cast(pl.String)

    def _pick(self, order: Ints) -> Iterator[DataTable]:
        """The rows with these numbers, table by table; `order` is sorted."""
        start = 0
        for table in self.tables():
            low, high = np.searchsorted(order, [start, start + table.frame.height])
            yield table.with_frame(table.frame[order[low:high] - start])
            start += table.frame.height


def in_rows(dataset: Dataset, keep: pl.Series) -> Dataset:
    """The rows of a dataset in memory for which `keep` is true; ids do not change."""
    tables, ids = zip(*dataset.tables_with_ids(), strict=True)
    table, known = combine(tables), pl.concat(ids)
    frame = table.frame.filter(keep).with_columns(known.filter(keep).alias(ID_COLUMN))
    source = in_memory(
        table.with_frame(frame), name=dataset.source_name, format=dataset.format, encoding=dataset.encoding
    )
    return Dataset(source, replace(dataset.columns, id=ID_COLUMN), ProblemLog())


def examples_at(dataset: Dataset, rows: Ints) -> list[Example]:
    """The examples with these row numbers (ascending, as in `Batch.rows`), in one pass over the dataset."""
    examples: list[Example] = []
    for batch in dataset.batches():
        indices = np.flatnonzero(np.isin(batch.rows, rows, assume_unique=True))
        if len(indices):
            examples += _examples(dataset, batch, indices)
    return examples


def examples_of(dataset: Dataset) -> list[Example]:
    """All usable rows as examples, in order."""
    return [
        example
        for batch in dataset.batches()
        for example in _examples(dataset, batch, np.arange(len(batch.rows)))
    ]


def _examples(dataset: Dataset, batch: Batch, indices: Ints) -> Iterator[Example]:
    contexts = [None] * len(indices) if batch.contexts is None else batch.contexts.gather(indices).to_list()
    labels = [dataset.labels[label] for label in batch.labels[indices]]
    return map(Example, batch.ids.gather(indices), batch.texts.gather(indices), labels, contexts)


class _Fingerprint:
    """SHA-256 over the column names and, for each role, the bytes and the lengths of its cells in order."""

    def __init__(self, columns: Columns) -> None:
        self._names = json.dumps([columns.text, columns.context, columns.label])
        self._hashes = {role: (hashlib.sha256(), hashlib.sha256()) for role in ("text", "context", "label")}

    def add(self, texts: pl.Series, contexts: pl.Series | None, labels: pl.Series) -> None:
        self._add("text", texts)
        self._add("label", labels)
        if contexts is not None:
            self._add("context", contexts)

    def hexdigest(self, weights: Floats | None) -> str:
        whole = hashlib.sha256(self._names.encode())
        for contents, lengths in self._hashes.values():
            whole.update(contents.digest() + lengths.digest())
        if weights is not None:
            whole.update(weights.tobytes())
        return f"sha256:{whole.hexdigest()}"

    def _add(self, role: str, series: pl.Series) -> None:
        contents, lengths = self._hashes[role]
        for chunk in pa.chunked_array([series.to_arrow()]).cast(pa.large_string()).chunks:
            _, offset_buffer, data = chunk.buffers()
            offsets = np.frombuffer(offset_buffer, dtype=np.int64)
            offsets = offsets[chunk.offset : chunk.offset + len(chunk) + 1]
            lengths.update(np.diff(offsets).tobytes())
            if data is not None and len(chunk):
                contents.update(memoryview(data)[offsets[0] : offsets[-1]])
