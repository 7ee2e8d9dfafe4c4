"""A labelled text dataset: what is in it, and its usable rows in batches.

The same class serves a file that fits in memory and one that does not; only `frame` needs the former.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from longway.data.batches import BATCH_ROWS, Batch, batches_of, role_frames, with_ids
from longway.data.columns import Columns
from longway.data.fingerprint import Fingerprint
from longway.data.parts import Part, parts_of
from longway.data.problems import READING_KINDS, Tally
from longway.data.roles import role_frame
from longway.data.scan import scan
from longway.data.source import Source
from longway.data.table import Table, combine
from longway.errors import DataError
from longway.records import Problem


class Dataset:
    """A labelled text dataset, made by `load`.

    labels: the label names in their natural order; label_counts: their usable rows.
    n_rows: all rows; n_used: rows that have a text and a label. problems: what is odd about the data.
    """

    def __init__(
        self,
        source: Source,
        columns: Columns,
        tally: Tally,
        *,
        part_of: Dataset | None = None,
        only_split: str | None = None,
    ) -> None:
        self._source = source
        self._only_split = only_split
        self.columns = columns
        self._cached: list[pl.DataFrame] | None = None
        if not self.streamed:
            self._cached = list(self._role_frames(tally))
        found = scan(self._role_frames(tally), tally, has_ids=columns.id is not None, name=source.name)
        self.labels, self.label_counts = found.labels, found.label_counts
        self.n_rows, self.n_used = found.n_rows, found.n_used
        self.splits: tuple[str, ...] = found.splits
        # ids must not change when a split is taken out, so what holds for the whole holds for its parts
        self._ids_are_good: bool = found.ids_are_good and (part_of is None or part_of._ids_are_good)
        # What went wrong while reading concerns the file and was told once, before the rows were split.
        read = () if part_of is None else (p for p in part_of.problems if p.kind in READING_KINDS)
        self.problems: tuple[Problem, ...] = (*read, *tally.problems())

    @property
    def source_name(self) -> str:
        """What to call the dataset: the file's name, or the kind of object it was."""
        return self._source.name

    @property
    def format(self) -> str:
        """The format in short, as in "csv", "jsonl.gz" or "frame"."""
        return self._source.format

    @property
    def streamed(self) -> bool:
        """Whether the rows are read from disk again for each pass."""
        return self._source.whole is None

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All rows with all columns, in source order."""
        if self._source.whole is None:
            raise DataError(
                f"{self.source_name} is streamed because it is too large to hold in memory. "
                "All its rows at once were asked for. Use batches() or take(), or load it with a limit."
            )
        return self._keep_split(self._source.whole).frame

    def tables(self) -> Iterator[Table]:
        """All rows with all columns, in one piece or, if streamed, in several; for `save`."""
        for table in self._source.tables(None, Tally()):
            yield self._keep_split(table)

    def tables_with_ids(self) -> Iterator[tuple[Table, pl.Series]]:
        """All rows with all columns, and beside them the ids that `Batch.ids` gives them."""
        return with_ids(
            self._source.tables(None, Tally()),
            self.columns,
            only_split=self._only_split,
            ids_are_good=self._ids_are_good,
        )

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the used texts, contexts and labels in order, whatever format they came in."""
        result = Fingerprint(self.columns)
        for batch in self.batches():
            labels = pl.Series(self.labels, dtype=pl.String).gather(batch.labels)
            result.add(batch.texts, batch.contexts, labels)
        return result.hexdigest()

    def batches(self, size: int = BATCH_ROWS) -> Iterator[Batch]:
        """The usable rows in order, at most `size` at a time; a streamed file may give fewer."""
        return batches_of(self._role_frames(Tally()), self.labels, ids_are_good=self._ids_are_good, size=size)

    def parts(self) -> list[Part]:
        """Parts that can be read alone where the files are seen; together they give `batches()`.

        None for rows that are in memory, or that a limit cuts off.
        """
        return parts_of(
            self._source.files,
            self.columns,
            labels=self.labels,
            only_split=self._only_split,
            ids_are_good=self._ids_are_good,
        )

    def take(self, rows: Sequence[int] | npt.NDArray[np.int64]) -> pl.DataFrame:
        """The full rows with these numbers, in the order asked for; one pass over a streamed dataset."""
        wanted = np.asarray(rows, dtype=np.int64)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= self.n_rows):
            raise DataError(
                f"{self.source_name} has the rows 0 to {self.n_rows - 1}. "
                f"Got rows from {wanted.min()} to {wanted.max()}. Use numbers from Batch.rows."
            )
        if not self.streamed:
            return self.frame[wanted]
        order = np.unique(wanted)
        found = combine(list(self._pick(order)))
        return found.frame[np.searchsorted(order, wanted)]

    def select_split(self, name: str) -> Dataset:
        """The rows of one split as a dataset of their own; ids stay what they were."""
        if name not in self.splits:
            known = ", ".join(map(repr, self.splits)) or "none (there is no split column)"
            raise DataError(
                f"{self.source_name} has no split {name!r}. The splits are {known}. Choose one of them."
            )
        return Dataset(self._source, self.columns, Tally(), part_of=self, only_split=name)

    @property
    def split(self) -> str | None:
        """The split these rows are of, where one was selected."""
        return self._only_split

    def __len__(self) -> int:
        return self.n_used

    def __repr__(self) -> str:
        rows = f"{self.n_used:,} of {self.n_rows:,} rows"
        return f"<Dataset {self.source_name}: {rows}, {len(self.labels)} labels>"

    def _keep_split(self, table: Table) -> Table:
        if self._only_split is None:
            return table
        roles = role_frame(table, self.columns)
        return table.with_frame(table.frame.filter(roles["split"] == self._only_split))

    def _role_frames(self, tally: Tally) -> Iterator[pl.DataFrame]:
        """The roles of all rows (see roles.py) with their row numbers here and in the source."""
        if self._cached is not None:
            yield from self._cached
            return
        tables = self._source.tables(self.columns.used(), tally)
        yield from role_frames(tables, self.columns, only_split=self._only_split)

    def _pick(self, order: npt.NDArray[np.int64]) -> Iterator[Table]:
        """The wanted rows, table by table; `order` is sorted."""
        seen = 0
        for table in self.tables():
            low, high = np.searchsorted(order, [seen, seen + table.frame.height])
            yield table.with_frame(table.frame[order[low:high] - seen])
            seen += table.frame.height
