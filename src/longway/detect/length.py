"""How long a text is, in words: neutral hypotheses are longer, bad reviews shorter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.detect import thresholds
from longway.detect.detector import (
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    enough,
    tagged,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.records import Pattern


class LengthDetector(Detector):
    """Does the text have at least, or at most, this many words?"""

    level = "length"
    roles = (TEXT, CONTEXT)

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._is_word = reading.vocabulary.word_mask()
        self._questions: list[thresholds.Question] = []

    def count(self, reading: Reading) -> Features:
        """Counts of every length."""
        self._questions, counts = thresholds.count_thresholds(reading, self._lengths)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Description:
        """The comparison and its bound."""
        side, value = self._questions[key]
        pattern = Pattern(self.level, self.field, place=side, bound=value)
        return Description(pattern, tagged(self.role, "<length>"), self.role)

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts are that long."""
        return thresholds.answer(self._lengths(piece), [self._questions[k] for k in keys])

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Nowhere in particular, if the text is that long."""
        text = row.get(pattern.field)
        return {} if text is not None and thresholds.holds(pattern, len(text.words)) else None

    def _lengths(self, piece: ReadingPart) -> NDArray[np.float64]:
        block = piece.blocks[self.role]
        return block.sum_by_text(self._is_word[block.codes])
