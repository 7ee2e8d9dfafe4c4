"""Punctuation, casing, markup and digits: what is on the page besides the words."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.features import Features, Ints, Pattern, enough, tagged, zeros
from longway.detect.flags import QUESTIONS
from longway.detect.reading import Piece, Reading


class SurfaceDetector:
    """Does the raw text have this trait? The questions are in `flags.py`."""

    level = "surface"

    def __init__(self, reading: Reading, role: str) -> None:
        self.role, self.field = role, reading.columns[role]

    def count(self, reading: Reading) -> Features:
        """How often each trait stands with each label."""
        every, n_labels = np.arange(len(QUESTIONS)), reading.n_labels

        def add(counts: Ints, piece: Piece) -> None:
            answers = self._answers(piece, every)
            for label in range(n_labels):
                counts[:, label] += answers[piece.labels == label].sum(axis=0)

        counts = reading.total(zeros(len(every), n_labels), add)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Pattern:
        """The trait in words."""
        family, name, _ = QUESTIONS[key]
        return Pattern(name, tagged(self.role, f"<{family}>"), self.role)

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which texts have which trait."""
        return csr_matrix(self._answers(piece, keys))

    def _answers(self, piece: Piece, keys: Ints) -> Ints:
        return (piece.flags[self.role][:, None] >> keys.astype(np.uint32) & 1).astype(np.int64)
