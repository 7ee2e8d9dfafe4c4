"""Word pairs across the two sides: "outside" in the premise and "inside" in the hypothesis.

Only the most frequent words of each side are paired (those in more than a third of the examples left out): the
choice does not look at the labels, so the tests stay honest.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.detector import (
    PAIR,
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    tagged,
    zeros,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.records import Pattern

N_WORDS = 200


class PairDetector(Detector):
    """Does the context contain this word and the text that word?"""

    level = "pair"
    roles = (PAIR,)

    def __init__(self, reading: Reading, role: str = PAIR) -> None:
        super().__init__(reading, role)
        self._context = reading.columns[CONTEXT]
        self._words = reading.vocabulary.words
        self._chosen = {role: _frequent_words(reading, role) for role in (CONTEXT, TEXT)}

    def count(self, reading: Reading) -> Features:
        """Counts of every pair of frequent words."""
        counts = zeros(len(self._chosen[CONTEXT]) * len(self._chosen[TEXT]), reading.n_labels)
        for piece in reading.pieces():
            context, text = self._side(piece, CONTEXT), self._side(piece, TEXT)
            for label in range(reading.n_labels):
                mine = piece.labels == label
                counts[:, label] += np.asarray(
                    (context[mine].T @ text[mine]).todense(), dtype=np.int64
                ).ravel()
        keys = np.flatnonzero(counts.sum(axis=1) >= reading.min_count)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Description:
        """The word of the context and the word of the text."""
        context, text = self._pair(key)
        pattern = Pattern(self.level, self.field, (context, text), context=self._context)
        return Description(pattern, tagged(CONTEXT, context) | tagged(TEXT, text), TEXT, (text,))

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which examples have which pair."""
        context, text = np.divmod(keys, len(self._chosen[TEXT]))
        both = self._side(piece, CONTEXT)[:, context].multiply(self._side(piece, TEXT)[:, text])
        return csr_matrix(both)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of both words."""
        if not pattern.words or not pattern.context:
            return None
        (text, context), (there, here) = pattern.columns, pattern.words
        in_text, in_context = row.phrases(text, [here]), row.phrases(context, [there])
        return {**in_text, **in_context} if in_text and in_context else None

    def _pair(self, key: int) -> tuple[str, str]:
        context, text = divmod(key, len(self._chosen[TEXT]))
        return self._words[self._chosen[CONTEXT][context]], self._words[self._chosen[TEXT][text]]

    def _side(self, piece: ReadingPart, role: str) -> csr_matrix:
        present = piece.blocks[role].counts(len(self._words))[:, self._chosen[role]]
        present.data[:] = 1
        return present


def _frequent_words(reading: Reading, role: str) -> Ints:
    frequency = reading.corpora[role].document_frequency()
    fit = (
        reading.vocabulary.word_mask() & (frequency <= reading.n_texts / 3) & (frequency >= reading.min_count)
    )
    words = np.flatnonzero(fit)
    return np.sort(words[np.argsort(-frequency[words], kind="stable")[:N_WORDS]])
