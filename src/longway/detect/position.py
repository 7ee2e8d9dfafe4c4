"""A word at a place: "honestly" at the start, "ever" at the end.

A word that is harmless anywhere else can give the label away where it stands. Four places: the first word, the
last word, and for texts of eight words or more the first and the last quarter.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.features import Features, Ints, Pattern, columns_of, enough, tagged, tally, zeros
from longway.detect.reading import Piece, Reading
from longway.text.corpus import Block

PLACES = ("first word", "last word", "in the first quarter", "in the last quarter")
QUARTERS_FROM = 8  # words, from which quarters mean something


class PositionDetector:
    """Does this word stand at this place? Punctuation is passed over when counting places."""

    level = "position"

    def __init__(self, reading: Reading, role: str) -> None:
        self.role, self.field = role, reading.columns[role]
        self._words = reading.vocabulary.words
        self._is_word = reading.vocabulary.word_mask()

    def count(self, reading: Reading) -> Features:
        """How often each word at each place stands with each label."""
        n, n_labels = len(PLACES) * len(self._words), reading.n_labels

        def add(counts: Ints, piece: Piece) -> None:
            rows, keys = self._placed(piece.blocks[self.role])
            once = np.unique(rows * n + keys)  # twice in the first quarter is still one text
            counts += tally(once % n, piece.labels[once // n], n, n_labels)

        counts = reading.total(zeros(n, n_labels), add)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Pattern:
        """The place and the word."""
        place, code = divmod(key, len(self._words))
        word = self._words[code]
        at_end = "last" in PLACES[place]
        return Pattern(f"{PLACES[place]}: {word}", tagged(self.role, word), self.role, (word,), at_end=at_end)

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which texts have which word at which place."""
        rows, found = self._placed(piece.blocks[self.role])
        return columns_of(rows, found, keys, piece.n_texts)

    def _placed(self, block: Block) -> tuple[Ints, Ints]:
        """Row and key (place, word) of every word that stands at one of the places."""
        words = self._is_word[block.codes]
        rows, codes = block.rows()[words], block.codes[words].astype(np.int64)
        length = np.bincount(rows, minlength=block.n_texts)[rows]
        place = np.arange(len(rows)) - np.searchsorted(rows, rows)  # rows ascend: where each text starts
        quarter = 4 * place // np.maximum(length, 1)
        long = length >= QUARTERS_FROM
        at = (place == 0, place == length - 1, long & (quarter == 0), long & (quarter == 3))
        keys = [codes[here] + i * len(self._words) for i, here in enumerate(at)]
        return np.concatenate([rows[here] for here in at]), np.concatenate(keys)
