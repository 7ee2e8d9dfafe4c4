"""How long a text is, in words: neutral hypotheses are longer, bad reviews shorter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.detect import steps
from longway.detect.features import Features, Ints, Pattern, enough, tagged
from longway.detect.reading import Piece, Reading


class LengthDetector:
    """Has the text at least, or at most, this many words?"""

    level = "length"

    def __init__(self, reading: Reading, role: str) -> None:
        self.role, self.field = role, reading.columns[role]
        self._is_word = reading.vocabulary.word_mask()
        self._questions: list[steps.Question] = []

    def count(self, reading: Reading) -> Features:
        """How often each length stands with each label."""
        self._questions, counts = steps.count_steps(reading, self._lengths)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Pattern:
        """The bound in words."""
        side, value = self._questions[key]
        name = f"{value:.0f} or {'more' if side == 'at least' else 'fewer'} words"
        return Pattern(name, tagged(self.role, "<length>"), self.role)

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which texts are that long."""
        return steps.answer(self._lengths(piece), [self._questions[k] for k in keys])

    def _lengths(self, piece: Piece) -> NDArray[np.float64]:
        block = piece.blocks[self.role]
        return block.sum_by_text(self._is_word[block.codes])
