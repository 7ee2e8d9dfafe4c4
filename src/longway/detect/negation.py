"""Negation: in the text, and for pairs on one side only."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.features import Features, Ints, Pattern, enough, zeros
from longway.detect.reading import CONTEXT, TEXT, Piece, Reading
from longway.text.negations import is_negation


class NegationDetector:
    """Is something denied in the text; for pairs: in the text alone, in the context alone, in both?"""

    level = "negation"

    def __init__(self, reading: Reading) -> None:
        self.field = " + ".join(reading.columns.values())
        self._mask = np.array([is_negation(word) for word in reading.vocabulary.words], dtype=bool)
        self._text = text = reading.columns[TEXT]
        context = reading.columns.get(CONTEXT)
        self._names = [f"negation in {text}"]
        if context is not None:
            self._names += [
                f"negation in {text} only",
                f"negation in {context} only",
                f"negation in {text} and {context}",
            ]

    def count(self, reading: Reading) -> Features:
        """How often each kind of negation stands with each label."""
        n_labels = reading.n_labels

        def add(counts: Ints, piece: Piece) -> None:
            answers = self._answers(piece)
            for label in range(n_labels):
                counts[:, label] += answers[piece.labels == label].sum(axis=0)

        counts = reading.total(zeros(len(self._names), n_labels), add)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Pattern:
        """Where the negation stands."""
        return Pattern(self._names[key], frozenset(["<negation>"]), field=self._text if key == 0 else None)

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which examples have which kind of negation."""
        return csr_matrix(self._answers(piece)[:, keys])

    def _answers(self, piece: Piece) -> Ints:
        denied = [block.sum_by_text(self._mask[block.codes]) > 0 for block in piece.blocks.values()]
        text = denied[0]
        columns = (
            [text] if len(denied) == 1 else [text, text & ~denied[1], denied[1] & ~text, text & denied[1]]
        )
        return np.stack(columns, axis=1).astype(np.int64)
