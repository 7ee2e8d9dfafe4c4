"""Lexical overlap of a pair: a hypothesis made of the premise's words is called entailed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.detect import steps
from longway.detect.features import Features, Ints, Pattern, enough
from longway.detect.reading import CONTEXT, TEXT, Piece, Reading


class OverlapDetector:
    """Does at least, or at most, this share of the text's different words stand in the context too?"""

    level = "overlap"

    def __init__(self, reading: Reading) -> None:
        self._text, self._context = reading.columns[TEXT], reading.columns[CONTEXT]
        self.field = f"{self._text} + {self._context}"
        self._is_word = reading.vocabulary.word_mask()
        self._questions: list[steps.Question] = []

    def count(self, reading: Reading) -> Features:
        """How often each overlap stands with each label."""
        self._questions, counts = steps.count_steps(reading, self._shares)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Pattern:
        """The share in words."""
        side, value = self._questions[key]
        amount = {0.0: "no word", 1.0: "every word"}.get(value, f"{side} {value:.0%} of the words")
        return Pattern(f"{amount} of {self._text} also in {self._context}", frozenset(["<overlap>"]))

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which pairs overlap that much."""
        return steps.answer(self._shares(piece), [self._questions[k] for k in keys])

    def _shares(self, piece: Piece) -> NDArray[np.float64]:
        """Share of the different words of each text that its context has too, in hundredths."""
        n = len(self._is_word)
        text, context = piece.blocks[TEXT].counts(n), piece.blocks[CONTEXT].counts(n)
        for matrix in (text, context):
            matrix.data = (matrix.data > 0) & self._is_word[matrix.indices]
        shared = np.asarray(text.multiply(context).sum(axis=1)).ravel()
        share = shared / np.maximum(np.asarray(text.sum(axis=1)).ravel(), 1)
        some_not_all = (share > 0) & (share < 1)  # must not be rounded to none or all
        return np.where(some_not_all, np.clip(np.round(share, 2), 0.01, 0.99), share)
