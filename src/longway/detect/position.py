"""A word at a place: "honestly" at the start, "ever" at the end.

A word that is harmless elsewhere can predict the label at one place. There are four places: the first word, the
last word, and for texts of eight words or more the first and the last quarter.
"""

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
    distinct,
    enough,
    tagged,
    tally,
    zeros,
)
from longway.detect.reading import TEXT, Reading, ReadingPart
from longway.records import Pattern
from longway.text.corpus import Block

FIRST, LAST = "first word", "last word"
FIRST_QUARTER, LAST_QUARTER = "in the first quarter", "in the last quarter"
PLACES = (FIRST, LAST, FIRST_QUARTER, LAST_QUARTER)
QUARTERS_FROM = 8  # words; shorter texts have no quarters


class PositionDetector(Detector):
    """Is this word at this place? Punctuation marks are skipped."""

    level = "position"
    roles = (TEXT,)

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._words = reading.vocabulary.words
        self._is_word = reading.vocabulary.word_mask()

    def count(self, reading: Reading) -> Features:
        """Counts of every frequent word at each place."""
        n, n_labels = len(PLACES) * len(self._words), reading.n_labels
        counts = zeros(n, n_labels)
        for piece in reading.pieces():
            rows, keys = self._placed(piece.blocks[self.role])
            once = distinct(rows * n + keys)  # twice in the first quarter is still one text
            counts += tally(once % n, piece.labels[once // n], n, n_labels)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Description:
        """The place and the word."""
        place, code = divmod(key, len(self._words))
        word = self._words[code]
        pattern = Pattern(self.level, self.field, (word,), PLACES[place])
        at_end = "last" in PLACES[place]
        return Description(pattern, tagged(self.role, word), self.role, (word,), at_end=at_end)

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts have which word at which place."""
        rows, found = self._placed(piece.blocks[self.role])
        return columns_of(rows, found, keys, piece.n_texts)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The occurrences at that place; several words must follow one another there."""
        text, n_words = row.get(pattern.field), len(pattern.words)
        if text is None or not n_words or pattern.place not in PLACES:
            return None
        n = len(text.words)
        last = n - n_words  # where the last occurrence can start
        quarters = n if n >= QUARTERS_FROM else 0
        starts = {
            FIRST: range(min(1, last + 1)),
            LAST: range(max(0, last), last + 1),
            FIRST_QUARTER: (i for i in range(quarters) if 4 * i // n == 0),
            LAST_QUARTER: (i for i in range(quarters) if 4 * i // n == 3),
        }[pattern.place]
        spans = [
            (text.words[i][1], text.words[i + n_words - 1][2])
            for i in starts
            if tuple(word for word, _, _ in text.words[i : i + n_words]) == pattern.words
        ]
        return {pattern.field: spans} if spans else None

    def _placed(self, block: Block) -> tuple[Ints, Ints]:
        """Row and key (place, word) of every word at one of the places."""
        words = self._is_word[block.codes]
        rows, codes = block.rows()[words], block.codes[words].astype(np.int64)
        length = np.bincount(rows, minlength=block.n_texts)[rows]
        place = np.arange(len(rows)) - np.searchsorted(rows, rows)  # rows ascend: where each text starts
        quarter = 4 * place // np.maximum(length, 1)
        long = length >= QUARTERS_FROM
        at = (place == 0, place == length - 1, long & (quarter == 0), long & (quarter == 3))
        keys = [codes[here] + i * len(self._words) for i, here in enumerate(at)]
        return np.concatenate([rows[here] for here in at]), np.concatenate(keys)
