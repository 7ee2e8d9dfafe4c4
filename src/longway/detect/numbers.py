"""Numbers of a row: how many words its text has, and how much of them its context has too. "20 or more words", "3 or fewer".

The bounds lie at tenths of the data, so they do not depend on the labels. Of "at most" and "at least" the rarer answer is the pattern.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Floats, Ints
from longway.detect.detector import PAIR, Description, Detector, Spans, TokenizedRow, tagged
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.records import Pattern


class NumberDetector(Detector):
    """Is a number of the row at least, or at most, a bound?"""

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._is_word = reading.vocabulary.word_mask()
        context = reading.columns[CONTEXT] if role == PAIR else ""
        tags = frozenset(["<overlap>"]) if context else tagged(role, f"<{self.level}>")
        numbers = np.concatenate([np.zeros(0), *(self.numbers(piece) for piece in reading.pieces())])
        self.patterns = [
            Description(
                Pattern(self.level, self.field, place=side, bound=bound, context=context), tags, self.reads[0]
            )
            for side, bound in bounds_of(numbers)
        ]

    @abstractmethod
    def numbers(self, piece: ReadingPart) -> Floats:
        """The number of each row."""

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which rows reach which bounds."""
        numbers = self.numbers(piece)
        result = np.zeros((len(numbers), len(keys)), dtype=np.int64)
        for column, key in enumerate(keys.tolist()):
            result[:, column] = reaches(self.patterns[key].pattern, numbers)
        return csr_matrix(result)


class LengthDetector(NumberDetector):
    """Does the text have at least, or at most, this many words?"""

    level = "length"
    roles = (TEXT, CONTEXT)

    def numbers(self, piece: ReadingPart) -> Floats:
        """The words of each text."""
        block = piece.blocks[self.role]
        return block.sum_by_text(self._is_word[block.codes])

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Nowhere in particular, if the text is that long."""
        text = row.get(pattern.field)
        return {} if text is not None and reaches(pattern, np.array(len(text.words))) else None


class OverlapDetector(NumberDetector):
    """Does the context contain at least, or at most, this share of the text's different words? In hundredths."""

    level = "overlap"
    roles = (PAIR,)

    def numbers(self, piece: ReadingPart) -> Floats:
        """The share of the different words of each text that its context contains too."""
        n = len(self._is_word)
        text, context = piece.blocks[TEXT].counts(n), piece.blocks[CONTEXT].counts(n)
        for matrix in (text, context):
            matrix.data = (matrix.data > 0) & self._is_word[matrix.indices]
        shared = np.asarray(text.multiply(context).sum(axis=1)).ravel()
        return _rounded(shared / np.maximum(np.asarray(text.sum(axis=1)).ravel(), 1))

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Nowhere in particular, if the pair overlaps that much."""
        texts = [text for column in pattern.columns if (text := row.get(column)) is not None]
        if len(texts) < 2:
            return None
        own, others = ({word for word, _, _ in text.words} for text in texts)
        return {} if reaches(pattern, _rounded(np.array(len(own & others) / max(len(own), 1)))) else None


def bounds_of(numbers: Floats) -> list[tuple[str, float]]:
    """The bounds to test: "at most" or "at least", and the value. They are the smallest and largest value, the tenths, and their neighbours.

    >>> bounds_of(np.array([1.0, 1, 2, 9]))
    [('at most', 1.0), ('at least', 2.0), ('at least', 9.0)]
    """
    values, n = np.unique(numbers, return_counts=True)
    up_to = np.cumsum(n)
    tenths = np.searchsorted(up_to / max(1, len(numbers)), np.arange(1, 10) / 10 - 1e-12)
    near = {int(place) + step for place in tenths for step in (-1, 0, 1)} | {0, len(values) - 1}
    return [
        (side, float(values[place]))
        for place in sorted(near & set(range(len(values))))
        for side, rows in (("at most", up_to[place]), ("at least", len(numbers) - up_to[place] + n[place]))
        if 0 < rows <= len(numbers) / 2
    ]


def reaches(pattern: Pattern, numbers: Floats) -> Bools:
    """Which numbers are at most, or at least, the pattern's bound; none where it has no bound."""
    bound = np.nan if pattern.bound is None else pattern.bound
    return numbers <= bound if pattern.place == "at most" else numbers >= bound


def _rounded(share: Floats) -> Floats:
    """Shares in hundredths; only none is rounded to 0 and only all to 1."""
    return np.where((share > 0) & (share < 1), np.clip(np.round(share, 2), 0.01, 0.99), share)
