"""Yes/no questions about a number of each text (its length, its overlap): "20 or more", "3 or fewer".

The cuts lie at tenths of the data, so they do not depend on the labels. Of "at most" and "at least" the rarer
answer is the pattern.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.detect.features import Ints, tally

Numbers = NDArray[np.float64]
Question = tuple[str, float]  # ("at most" or "at least", value)


def count_steps(
    parts: Iterable[tuple[Numbers, NDArray[np.int32]]], n_labels: int
) -> tuple[list[Question], Ints]:
    """The questions worth asking about numbers that come in parts with their labels, and the counts of yes by label.

    >>> count_steps([(np.array([1.0, 1, 2, 9]), np.array([0, 1, 1, 1]))], 2)
    ([('at most', 1.0), ('at least', 2.0), ('at least', 9.0)], array([[1, 1], [0, 2], [0, 1]]))
    """
    values, table = _table(parts, n_labels)
    up_to = np.cumsum(table, axis=0)
    from_here = table.sum(axis=0) - up_to + table
    questions, counts = [], []
    for place in _cuts(table.sum(axis=1)):
        for side, yes in (("at most", up_to[place]), ("at least", from_here[place])):
            if 0 < yes.sum() <= table.sum() / 2:
                questions.append((side, float(values[place])))
                counts.append(yes)
    return questions, np.array(counts, dtype=np.int64).reshape(len(counts), n_labels)


def _table(parts: Iterable[tuple[Numbers, NDArray[np.int32]]], n_labels: int) -> tuple[Numbers, Ints]:
    """The different values in order, and how often each stands with each label."""
    values, table = np.zeros(0), np.zeros((0, n_labels), dtype=np.int64)
    for numbers, labels in parts:
        new, which = np.unique(numbers, return_inverse=True)
        merged, place = np.unique(np.concatenate([values, new]), return_inverse=True)
        total = np.zeros((len(merged), n_labels), dtype=np.int64)
        np.add.at(total, place, np.concatenate([table, tally(which, labels, len(new), n_labels)]))
        values, table = merged, total
    return values, table


def answer(numbers: Numbers, questions: list[Question]) -> csr_matrix:
    """Texts x questions: 1 where the answer is yes."""
    result = np.zeros((len(numbers), len(questions)), dtype=np.int32)
    for i, (side, value) in enumerate(questions):
        result[:, i] = numbers <= value if side == "at most" else numbers >= value
    return csr_matrix(result)


def _cuts(histogram: Ints) -> list[int]:
    """Places of the smallest and largest value, of the tenths, and of their neighbours."""
    cumulative = np.cumsum(histogram) / max(1, histogram.sum())
    tenths = np.searchsorted(cumulative, np.arange(1, 10) / 10 - 1e-12)
    last = len(histogram) - 1
    near = {int(place) + step for place in tenths for step in (-1, 0, 1)} | {0, last}
    return sorted(place for place in near if 0 <= place <= last)
