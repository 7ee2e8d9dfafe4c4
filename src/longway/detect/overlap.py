"""Lexical overlap of a pair: a hypothesis made of the premise's words is labelled as entailed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.detect import thresholds
from longway.detect.detector import (
    PAIR,
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    enough,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.records import Pattern

Floats = NDArray[np.float64]


class OverlapDetector(Detector):
    """Does the context contain at least, or at most, this share of the text's different words?"""

    level = "overlap"
    roles = (PAIR,)

    def __init__(self, reading: Reading, role: str = PAIR) -> None:
        super().__init__(reading, role)
        self._context = reading.columns[CONTEXT]
        self._is_word = reading.vocabulary.word_mask()
        self._questions: list[thresholds.Question] = []

    def count(self, reading: Reading) -> Features:
        """Counts of every share."""
        self._questions, counts = thresholds.count_thresholds(reading, self._shares)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Description:
        """The comparison and the share."""
        side, value = self._questions[key]
        pattern = Pattern(self.level, self.field, place=side, bound=value, context=self._context)
        return Description(pattern, frozenset(["<overlap>"]))

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which pairs overlap that much."""
        return thresholds.answer(self._shares(piece), [self._questions[k] for k in keys])

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Nowhere in particular, if the pair overlaps that much."""
        texts = [text for column in pattern.columns if (text := row.get(column)) is not None]
        if len(texts) < 2:
            return None
        own, others = ({word for word, _, _ in text.words} for text in texts)
        share = _rounded(np.array([len(own & others) / max(len(own), 1)]))[0]
        return {} if thresholds.holds(pattern, float(share)) else None

    def _shares(self, piece: ReadingPart) -> Floats:
        """Share of the different words of each text that its context contains too, in hundredths."""
        n = len(self._is_word)
        text, context = piece.blocks[TEXT].counts(n), piece.blocks[CONTEXT].counts(n)
        for matrix in (text, context):
            matrix.data = (matrix.data > 0) & self._is_word[matrix.indices]
        shared = np.asarray(text.multiply(context).sum(axis=1)).ravel()
        return _rounded(shared / np.maximum(np.asarray(text.sum(axis=1)).ravel(), 1))


def _rounded(share: Floats) -> Floats:
    """Shares in hundredths; only none is rounded to 0 and only all to 1."""
    return np.where((share > 0) & (share < 1), np.clip(np.round(share, 2), 0.01, 0.99), share)
