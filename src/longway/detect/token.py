"""Single words: "not" in refuted claims."""

from __future__ import annotations

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
    tally,
    zeros,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.records import Pattern


class TokenDetector(Detector):
    """Does the text contain this word? Punctuation marks are left to the surface detector."""

    level = "token"
    roles = (TEXT, CONTEXT)

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._words = reading.vocabulary.words

    def count(self, reading: Reading) -> Features:
        """Counts of every frequent word."""
        role, n_words, n_labels = self.role, len(self._words), reading.n_labels

        def add(counts: Ints, piece: ReadingPart) -> None:
            present = piece.blocks[role].counts(n_words)
            labels = np.repeat(piece.labels, np.diff(present.indptr))
            counts += tally(present.indices, labels, n_words, n_labels)

        counts = reading.total(zeros(n_words, n_labels), add)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        keys = keys[reading.vocabulary.word_mask()[keys]]
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Description:
        """The word."""
        word = self._words[key]
        pattern = Pattern(self.level, self.field, (word,))
        return Description(pattern, tagged(self.role, word), self.role, (word,))

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts contain which words."""
        block = piece.blocks[self.role]
        return columns_of(block.rows(), block.codes.astype(np.int64), keys, piece.n_texts)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of the word."""
        return row.phrases(pattern.field, pattern.words)
