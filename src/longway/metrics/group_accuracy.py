"""Accuracy on parts of a test set: per group, and with and against a pattern.

    correct (seeds, rows), groups             ->  one GroupAccuracy per group, worst first
    correct, has_pattern, has_label           ->  supporting, counter, and the gap between them

A model that relies on a pattern is correct if the pattern occurs with its label (supporting examples) and wrong if not
(counter-examples): a large gap. Intervals are Wilson's for n test rows; with several seeds, whose mean is used, that is
conservative. If rows belong together (`clusters`, see `intervals`), n is divided by their design effect. The gap's interval combines the two (Newcombe 1998, method 10).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.metrics import Measure
from longway.metrics.intervals import NAN, observations, seeds_by_rows
from longway.stats import difference_interval, wilson_interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupAccuracy(Measure):
    """Accuracy on n rows, mean over seeds, with its 95% interval; NaN and 0 to 1 without rows."""

    group: str
    n: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PatternAccuracy(Measure):
    """Accuracy with a pattern's label, with another label, and the first minus the second."""

    supporting: GroupAccuracy
    counter: GroupAccuracy
    gap: float
    gap_low: float
    gap_high: float


def group_accuracies(
    correct: ArrayLike, groups: Sequence[Hashable | None], *, clusters: Sequence[Ints] = ()
) -> list[GroupAccuracy]:
    """The accuracy of each group, worst first. groups: one per row, None for a row without group.

    >>> [(g.group, g.accuracy) for g in group_accuracies([1, 0, 1], ["a", "b", "a"])]
    [('b', 0.0), ('a', 1.0)]
    """
    share = seeds_by_rows(correct).mean(axis=0)  # of seeds that were correct
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        if group is not None:
            rows.setdefault(group, []).append(row)
    accuracies = [
        _accuracy(str(group), share[numbers], [together[numbers] for together in clusters])
        for group, numbers in rows.items()
    ]
    return sorted(accuracies, key=lambda group: (group.accuracy, -group.n, group.group))


def pattern_accuracy(
    correct: ArrayLike, has_pattern: ArrayLike, has_label: ArrayLike, *, clusters: Sequence[Ints] = ()
) -> PatternAccuracy:
    """Accuracy on a pattern's supporting examples and on its counter-examples.

    has_pattern: whether each row has the pattern. has_label: whether it has the label that the pattern predicts.
    """
    share = seeds_by_rows(correct).mean(axis=0)  # of seeds that were correct
    pattern, label = np.asarray(has_pattern, bool), np.asarray(has_label, bool)
    supporting, counter = (
        _accuracy(name, share[rows], [together[rows] for together in clusters])
        for name, rows in (("supporting", pattern & label), ("counter", pattern & ~label))
    )
    gap = supporting.accuracy - counter.accuracy
    return PatternAccuracy(supporting, counter, gap, *_gap_interval(supporting, counter))


def _gap_interval(first: GroupAccuracy, second: GroupAccuracy) -> tuple[float, float]:
    """The 95% interval of the difference of two accuracies on different rows; -1 to 1 if one has no rows."""
    if not first.n or not second.n:
        return -1.0, 1.0
    ends = [(one.accuracy, one.low, one.high) for one in (first, second)]
    return difference_interval(ends[0], ends[1])


def _accuracy(group: str, share: Floats, clusters: Sequence[Ints]) -> GroupAccuracy:
    accuracy = float(share.mean()) if len(share) else NAN
    low, high = wilson_interval(accuracy, observations(share, clusters) if len(share) else 0)
    return GroupAccuracy(group, len(share), accuracy, low, high)
