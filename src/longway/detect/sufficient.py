"""Sets of words that are enough for a model's wrong answer, and come again and again: shortcuts by RAZOR's Definition 1.

    wrong answers  ->  `classify.sufficient`: a smallest set for each  ->  those that recur  ->  counted over the whole dataset

A finding of level "sufficient" says in how many examples all words of the set stand, wherever in the text, and how their labels
are shared out. The sets were found by way of a model of the same data, so that q is taken over them and all single words together:
the doubt is that of a search through the vocabulary, not of a few lucky picks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.detector import (
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    columns_of,
    enough,
    tagged,
    zeros,
)
from longway.detect.reading import Reading, ReadingPart
from longway.records import Pattern


class SufficientDetector(Detector):
    """Does the text contain all these words?"""

    level = "sufficient"

    def __init__(self, reading: Reading, role: str, sets: Sequence[tuple[str, ...]]) -> None:
        super().__init__(reading, role)
        self.sets = sets
        codes = reading.vocabulary.codes
        self._codes = [np.array([codes[word] for word in words if word in codes], np.int64) for words in sets]
        self._known = np.array(
            [len(found) == len(words) for found, words in zip(self._codes, sets, strict=True)]
        )

    def count(self, reading: Reading) -> Features:
        """Counts of every set."""
        every, n_labels = np.arange(len(self.sets)), reading.n_labels
        counts = zeros(len(self.sets), n_labels)
        for piece in reading.pieces():
            present = self.matrix(piece, every)
            for label in range(n_labels):
                counts[:, label] += np.asarray(present[piece.labels == label].sum(axis=0), np.int64).ravel()
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Description:
        """The words."""
        words = self.sets[key]
        pattern = Pattern(self.level, self.field, words)
        return Description(pattern, tagged(self.role, *words), self.role, words[:1])

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts have which sets."""
        block = piece.blocks[self.role]
        asked = [self._codes[key] if self._known[key] else np.zeros(0, np.int64) for key in keys.tolist()]
        words = np.unique(np.concatenate([np.zeros(0, np.int64), *asked]))
        present = columns_of(block.rows(), block.codes.astype(np.int64), words, piece.n_texts)
        parts = np.concatenate([np.zeros(0, np.int64), *(np.searchsorted(words, codes) for codes in asked)])
        of_set = np.repeat(np.arange(len(keys)), [len(codes) for codes in asked])
        size = np.bincount(of_set, minlength=len(keys))
        member = csr_matrix((np.ones(len(parts), np.int32), (parts, of_set)), shape=(len(words), len(keys)))
        found = csr_matrix(present @ member)
        found.data[:] = found.data == size[found.indices]
        found.eliminate_zeros()
        return found

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of the words, if the text contains all of them."""
        text = row.get(pattern.field)
        spans = [] if text is None else [text.phrases([word]) for word in pattern.words]
        return {pattern.field: sorted(chain.from_iterable(spans))} if spans and all(spans) else None
