"""Accuracy of parts of a test: per group, in the worst group, and with and against a pattern.

    correct (seeds x rows), groups            ->  one GroupAccuracy for each group, the worst first
    correct, has_pattern, has_label           ->  supporting, counter, and the gap between them

A model that relies on a pattern is right where the pattern goes with its label (supporting examples) and wrong where it
does not (counter-examples): a large gap. Intervals are Wilson's with n test rows; with several seeds, where the share
is a mean over seeds, that is on the safe side. The gap's interval joins the two (Newcombe 1998, method 10).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError
from longway.metrics.intervals import plain, seeds_by_rows
from longway.stats import wilson_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GroupAccuracy:
    """Accuracy on n rows, mean over seeds, with its 95% interval; NaN and 0 to 1 where there are no rows."""

    group: str
    n: int
    accuracy: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; None for what is not known."""
        return plain(asdict(self))


@dataclass(frozen=True, slots=True)
class PatternAccuracy:
    """Accuracy with a pattern's label, with another label, and the first minus the second."""

    supporting: GroupAccuracy
    counter: GroupAccuracy
    gap: float
    gap_low: float
    gap_high: float

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; None for what is not known."""
        parts = {"supporting": self.supporting.to_dict(), "counter": self.counter.to_dict()}
        return {**parts, **plain({"gap": self.gap, "gap_low": self.gap_low, "gap_high": self.gap_high})}


def group_accuracies(correct: ArrayLike, groups: Sequence[Hashable | None]) -> list[GroupAccuracy]:
    """The accuracy of each group, the worst first. groups: of each row, None for a row in no group.

    >>> [(g.group, g.accuracy) for g in group_accuracies([1, 0, 1], ["a", "b", "a"])]
    [('b', 0.0), ('a', 1.0)]
    """
    share = _share_of_seeds(correct)
    _check_length("groups", len(groups), len(share))
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        if group is not None:
            rows.setdefault(group, []).append(row)
    found = [_accuracy(str(group), share[numbers]) for group, numbers in rows.items()]
    return sorted(found, key=lambda one: (one.accuracy, -one.n, one.group))


def worst_group(correct: ArrayLike, groups: Sequence[Hashable | None], *, at_least: int = 1) -> GroupAccuracy:
    """The group with the lowest accuracy among those with `at_least` rows.

    The worst of many small groups is bad by chance: its interval does not know that it was picked.
    """
    large = [one for one in group_accuracies(correct, groups) if one.n >= at_least]
    if not large:
        raise SettingError(
            f"No group has {at_least} test rows or more ('at_least'). Ask for fewer, or use a larger test."
        )
    return large[0]


def pattern_accuracy(correct: ArrayLike, has_pattern: ArrayLike, has_label: ArrayLike) -> PatternAccuracy:
    """Accuracy on a pattern's supporting examples and on its counter-examples.

    has_pattern: of each row, whether it has the pattern. has_label: whether it carries the label the pattern speaks for.
    """
    share = _share_of_seeds(correct)
    pattern, label = np.asarray(has_pattern, bool), np.asarray(has_label, bool)
    _check_length("has_pattern", len(pattern), len(share))
    _check_length("has_label", len(label), len(share))
    supporting = _accuracy("supporting", share[pattern & label])
    counter = _accuracy("counter", share[pattern & ~label])
    gap = supporting.accuracy - counter.accuracy
    return PatternAccuracy(supporting, counter, gap, *_gap_interval(supporting, counter))


def _gap_interval(first: GroupAccuracy, second: GroupAccuracy) -> tuple[float, float]:
    """The 95% interval of the difference of two accuracies on different rows; -1 to 1 where one has no rows."""
    if not first.n or not second.n:
        return -1.0, 1.0
    gap = first.accuracy - second.accuracy
    below = hypot(first.accuracy - first.low, second.high - second.accuracy)
    above = hypot(first.high - first.accuracy, second.accuracy - second.low)
    return gap - below, gap + above


def _share_of_seeds(correct: ArrayLike) -> Floats:
    """For each row, the share of seeds that were right."""
    return seeds_by_rows(correct).mean(axis=0)


def _accuracy(group: str, share: Floats) -> GroupAccuracy:
    accuracy = float(share.mean()) if len(share) else float("nan")
    low, high = wilson_interval(accuracy, len(share))
    return GroupAccuracy(group, len(share), accuracy, low, high)


def _check_length(name: str, got: int, expected: int) -> None:
    if got != expected:
        raise SettingError(f"{name!r} must have one entry for each of {expected} test rows. Got {got}.")
