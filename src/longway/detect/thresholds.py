"""Yes/no questions about a number of each text (its length, its overlap): "20 or more", "3 or fewer".

The cuts lie at tenths of the data, so they do not depend on the labels. Of "at most" and "at least" the rarer
answer is the pattern.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.detect.detector import Ints, tally
from longway.detect.reading import Reading, ReadingPart
from longway.records import Pattern

Numbers = NDArray[np.float64]
Question = tuple[str, float]  # ("at most" or "at least", value)


class NumberCounts:
    """The different numbers that were seen, in order, and how often each stands with each label.

    >>> table = NumberCounts(2)
    >>> table.add(np.array([1.0, 1, 2, 9]), np.array([0, 1, 1, 1]))
    >>> table.values.tolist(), table.counts.tolist()
    ([1.0, 2.0, 9.0], [[1, 1], [0, 1], [0, 1]])
    """

    def __init__(self, n_labels: int) -> None:
        self.values: Numbers = np.zeros(0)
        self.counts: Ints = np.zeros((0, n_labels), dtype=np.int64)

    def add(self, numbers: Numbers, labels: NDArray[np.int32]) -> None:
        """Count some more numbers with their labels."""
        values, which = np.unique(numbers, return_inverse=True)
        counts = tally(which, labels, len(values), self.counts.shape[1])
        merged, place = np.unique(np.concatenate([self.values, values]), return_inverse=True)
        total = np.zeros((len(merged), counts.shape[1]), dtype=np.int64)
        np.add.at(total, place, np.concatenate([self.counts, counts]))
        self.values, self.counts = merged, total


def count_thresholds(
    reading: Reading, number_of: Callable[[ReadingPart], Numbers]
) -> tuple[list[Question], Ints]:
    """The questions worth asking about a number that each example has, and the counts of yes by label."""
    table = NumberCounts(reading.n_labels)
    for piece in reading.pieces():
        table.add(number_of(piece), piece.labels)
    return questions_about(table)


def questions_about(seen: NumberCounts) -> tuple[list[Question], Ints]:
    """The questions worth asking about numbers that were counted, and the counts of yes by label.

    >>> table = NumberCounts(2)
    >>> table.add(np.array([1.0, 1, 2, 9]), np.array([0, 1, 1, 1]))
    >>> questions_about(table)
    ([('at most', 1.0), ('at least', 2.0), ('at least', 9.0)], array([[1, 1], [0, 2], [0, 1]]))
    """
    values, table = seen.values, seen.counts
    up_to = np.cumsum(table, axis=0)
    from_here = table.sum(axis=0) - up_to + table
    questions, counts = [], []
    for place in _cuts(table.sum(axis=1)):
        for side, yes in (("at most", up_to[place]), ("at least", from_here[place])):
            if 0 < yes.sum() <= table.sum() / 2:
                questions.append((side, float(values[place])))
                counts.append(yes)
    return questions, np.array(counts, dtype=np.int64).reshape(len(counts), table.shape[1])


def answer(numbers: Numbers, questions: list[Question]) -> csr_matrix:
    """Texts x questions: 1 where the answer is yes."""
    result = np.zeros((len(numbers), len(questions)), dtype=np.int32)
    for i, (side, value) in enumerate(questions):
        result[:, i] = numbers <= value if side == "at most" else numbers >= value
    return csr_matrix(result)


def holds(pattern: Pattern, number: float) -> bool:
    """Whether a number is at most, or at least, the pattern's bound."""
    if pattern.bound is None:
        return False
    return number <= pattern.bound if pattern.place == "at most" else number >= pattern.bound


def _cuts(histogram: Ints) -> list[int]:
    """Places of the smallest and largest value, of the tenths, and of their neighbours."""
    cumulative = np.cumsum(histogram) / max(1, histogram.sum())
    tenths = np.searchsorted(cumulative, np.arange(1, 10) / 10 - 1e-12)
    last = len(histogram) - 1
    near = {int(place) + step for place in tenths for step in (-1, 0, 1)} | {0, last}
    return sorted(place for place in near if 0 <= place <= last)
