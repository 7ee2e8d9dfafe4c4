"""What the detectors look at: a dataset read once, as integers.

    Dataset  ->  Reading: for each text column its token codes, words and raw-surface flags; labels; row numbers

The raw text is not needed again: everything a detector asks about casing, markup or punctuation was answered with
a bit per text while it went by. `pieces()` yields a reading in pieces of bounded size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.arrays import Ints, Ints32
from longway.data import Dataset
from longway.detect import surface_questions
from longway.errors import DataError
from longway.languages.dataset import tokenizer_of
from longway.text.corpus import Block, Corpus, Vocabulary, slices
from longway.text.tokenizer import Tokenizer

TEXT, CONTEXT = "text", "context"
_numbers = count()


@dataclass(frozen=True, slots=True)
class ReadingPart:
    """Some thousands of consecutive examples: their token blocks and flags by role, and their labels.

    of: the number of the reading they are a part of.
    """

    of: int
    start: int
    labels: Ints32
    blocks: dict[str, Block]
    flags: dict[str, NDArray[np.uint32]]

    @property
    def n_texts(self) -> int:
        """How many examples the piece holds."""
        return len(self.labels)

    def take(self, rows: Ints) -> ReadingPart:
        """Some examples of the piece, as if they were all of it."""
        return ReadingPart(
            of=self.of,
            start=self.start,
            labels=self.labels[rows],
            blocks={role: block.take(rows) for role, block in self.blocks.items()},
            flags={role: bits[rows] for role, bits in self.flags.items()},
        )


class Reading:
    """A labelled dataset as integers.

    roles: "text", and "context" where there is one; `columns` has their names in the dataset.
    number: differs from that of all other readings in this process.
    min_count: a pattern in fewer examples is not looked at.
    """

    def __init__(self, dataset: Dataset, *, spill: Path | None = None, like: Reading | None = None) -> None:
        self.number = next(_numbers)
        self.label_names = dataset.labels
        self.tokenizer: Tokenizer = tokenizer_of(dataset) if like is None else like.tokenizer
        names = {TEXT: dataset.columns.text, CONTEXT: dataset.columns.context}
        self.columns = {role: name for role, name in names.items() if name is not None}
        if like is not None and set(like.columns) != set(self.columns):
            raise DataError(
                f"{dataset.source_name} has the roles {' and '.join(self.columns)}, the audited data has "
                f"{' and '.join(like.columns)}. A held-out set needs the same. Name its columns when loading it."
            )
        self.vocabulary: Vocabulary = Vocabulary() if like is None else like.vocabulary
        self.corpora = {role: self._corpus(role, spill) for role in self.columns}
        self.is_spilled = spill is not None
        self.labels: Ints32 = np.zeros(dataset.n_used, dtype=np.int32)
        self.rows: Ints = np.zeros(dataset.n_used, dtype=np.int64)
        self._flags = {role: np.zeros(dataset.n_used, dtype=np.uint32) for role in self.columns}

    def _corpus(self, role: str, spill: Path | None) -> Corpus:
        folder = None if spill is None else spill / role
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        return Corpus(spill=folder, vocabulary=self.vocabulary, tokenizer=self.tokenizer)

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        *,
        spill: Path | None = None,
        like: Reading | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Reading:
        """Read the whole dataset.

        spill: keep token codes in files in this folder instead of in memory.
        like: use this reading's vocabulary, so that codes mean the same in both.
        """
        reading = cls(dataset, spill=spill, like=like)
        start = 0
        for batch in dataset.batches():
            here = slice(start, start + len(batch.rows))
            reading.labels[here] = batch.labels
            reading.rows[here] = batch.rows
            reading._add({TEXT: batch.texts, CONTEXT: batch.contexts}, start)
            start = here.stop
            if progress is not None:
                progress(len(batch.rows))
        return reading

    def _add(self, columns: dict[str, pl.Series | None], start: int) -> None:
        texts = {
            role: column for role, column in columns.items() if column is not None and role in self.columns
        }
        for piece in slices(*texts.values()):
            for role, column in texts.items():
                self.corpora[role].add_block(column[piece])
                self._flags[role][start + piece.start : start + piece.stop] = surface_questions.read(
                    column[piece]
                )

    @property
    def n_texts(self) -> int:
        """Examples read."""
        return len(self.labels)

    @property
    def n_labels(self) -> int:
        """Different labels."""
        return len(self.label_names)

    @property
    def totals(self) -> Ints:
        """Examples of each label."""
        return np.bincount(self.labels, minlength=self.n_labels)

    @property
    def min_count(self) -> int:
        """Examples a pattern must stand in to be looked at: 5, more for very large data."""
        return max(5, self.n_texts // 20_000)

    def pieces(self) -> Iterator[ReadingPart]:
        """The reading in order, piece by piece; may be walked again and again."""
        start = 0
        for blocks in zip(*(corpus.blocks() for corpus in self.corpora.values()), strict=True):
            end = start + blocks[0].n_texts
            yield ReadingPart(
                of=self.number,
                start=start,
                labels=self.labels[start:end],
                blocks=dict(zip(self.corpora, blocks, strict=True)),
                flags={role: bits[start:end] for role, bits in self._flags.items()},
            )
            start = end

    def block_of(self, role: str, places: Ints) -> Block:
        """The texts at these places (ascending) of one column, as one block."""
        codes, lengths = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)]
        for piece in self.pieces():
            low, high = np.searchsorted(places, [piece.start, piece.start + piece.n_texts])
            part = piece.blocks[role].take(places[low:high] - piece.start)
            codes.append(part.codes)
            lengths.append(part.lengths)
        return Block(np.concatenate(codes), np.concatenate([[0], np.cumsum(np.concatenate(lengths))]))
