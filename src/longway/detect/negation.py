"""Negation: in the text and, for pairs, on one side only."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.detector import (
    ROW,
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    enough,
    zeros,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.english.negation_words import is_negation
from longway.records import Pattern

PLACES = ("text", "text only", "context only", "both")


class NegationDetector(Detector):
    """Does the text contain a negation; for pairs: the text only, the context only, both?"""

    level = "negation"
    roles = (ROW,)

    def __init__(self, reading: Reading, role: str = ROW) -> None:
        super().__init__(reading, role)
        self._mask = np.array([is_negation(word) for word in reading.vocabulary.words], dtype=bool)
        self._text, self._context = reading.columns[TEXT], reading.columns.get(CONTEXT)
        self._places = PLACES[:1] if self._context is None else PLACES

    def count(self, reading: Reading) -> Features:
        """Counts of every kind of negation."""
        n_labels = reading.n_labels

        def add(counts: Ints, piece: ReadingPart) -> None:
            answers = self._answers(piece)
            for label in range(n_labels):
                counts[:, label] += answers[piece.labels == label].sum(axis=0)

        counts = reading.total(zeros(len(self._places), n_labels), add)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Description:
        """The columns that contain a negation."""
        pattern = Pattern(self.level, self._text, place=PLACES[0])
        if key:
            pattern = Pattern(self.level, self.field, place=PLACES[key], context=self._context or "")
        return Description(pattern, frozenset(["<negation>"]))

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which examples have which kind of negation."""
        return csr_matrix(self._answers(piece)[:, keys])

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The words that negate."""
        spans = {
            column: [(start, end) for token, start, end in text.tokens if is_negation(token)]
            for column in pattern.columns
            if (text := row.get(column)) is not None
        }
        if pattern.place not in PLACES or len(spans) != len(pattern.columns):
            return None
        here, *others = (bool(each) for each in spans.values())
        there = others == [True]
        shows = (here, here and not there, there and not here, here and there)
        return (
            {column: each for column, each in spans.items() if each}
            if shows[PLACES.index(pattern.place)]
            else None
        )

    def _answers(self, piece: ReadingPart) -> Ints:
        negated = [block.sum_by_text(self._mask[block.codes]) > 0 for block in piece.blocks.values()]
        text = negated[0]
        columns = (
            [text] if len(negated) == 1 else [text, text & ~negated[1], negated[1] & ~text, text & negated[1]]
        )
        return np.stack(columns, axis=1).astype(np.int64)
