"""Single words: "not" in refuted claims."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.features import Features, Ints, Pattern, columns_of, enough, tagged, tally, zeros
from longway.detect.reading import Piece, Reading


class TokenDetector:
    """Does the text contain this word? Punctuation marks are left to the surface detector."""

    level = "token"

    def __init__(self, reading: Reading, role: str) -> None:
        self.role, self.field = role, reading.columns[role]
        self._words = reading.vocabulary.words

    def count(self, reading: Reading) -> Features:
        """How often each word stands with each label."""
        role, n_words, n_labels = self.role, len(self._words), reading.n_labels

        def add(counts: Ints, piece: Piece) -> None:
            present = piece.blocks[role].counts(n_words)
            labels = np.repeat(piece.labels, np.diff(present.indptr))
            counts += tally(present.indices, labels, n_words, n_labels)

        counts = reading.total(zeros(n_words, n_labels), add)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        keys = keys[reading.vocabulary.word_mask()[keys]]
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Pattern:
        """The word."""
        word = self._words[key]
        return Pattern(word, tagged(self.role, word), self.role, (word,))

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which texts have which words."""
        block = piece.blocks[self.role]
        return columns_of(block.rows(), block.codes.astype(np.int64), keys, piece.n_texts)
