"""Accuracy of groups and of patterns, by hand and row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.metrics.group_accuracy import group_accuracies, pattern_accuracy
from longway.stats import wilson_interval

rows = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=12)


def test_groups_by_hand_worst_first():
    correct = [[1, 1, 0, 1], [1, 0, 0, 1]]
    first, second = group_accuracies(correct, ["x", "y", "y", None])
    assert (first.group, first.n, first.accuracy) == ("y", 2, 0.25)
    assert (first.low, first.high) == wilson_interval(0.25, 2)
    assert (second.group, second.n, second.accuracy) == ("x", 1, 1.0)


@given(rows=rows)
def test_supporting_and_counter_examples_equal_the_loop(rows):
    correct, pattern, label = zip(*rows, strict=True)
    got = pattern_accuracy(correct, pattern, label)
    with_label = [c for c, p, y in rows if p and y]
    against = [c for c, p, y in rows if p and not y]
    for part, expected in ((got.supporting, with_label), (got.counter, against)):
        assert part.n == len(expected)
        assert np.isnan(part.accuracy) if not expected else part.accuracy == pytest.approx(np.mean(expected))
    if with_label and against:
        assert got.gap == pytest.approx(np.mean(with_label) - np.mean(against))
        assert got.gap_low <= got.gap <= got.gap_high


def test_the_gap_of_a_shortcut_is_clear_and_without_counter_examples_it_is_not_known():
    n = 50
    correct, label = [1] * n + [0] * n, [True] * n + [False] * n
    got = pattern_accuracy(correct, [True] * 2 * n, label)
    assert got.gap == 1
    assert got.gap_low > 0.85
    none = pattern_accuracy([1, 1], [True, False], [True, False])
    assert (none.counter.n, none.gap_low, none.gap_high) == (0, -1, 1)
    assert none.to_dict()["gap"] is None
    assert none.to_dict()["counter"]["accuracy"] is None


def test_newcombes_interval_by_his_example():
    """56 of 70 against 48 of 80 gives 0.0524 to 0.3339 (Newcombe 1998, Table II, method 10)."""
    correct = [1] * 56 + [0] * 14 + [1] * 48 + [0] * 32
    got = pattern_accuracy(correct, [True] * 150, [True] * 70 + [False] * 80)
    assert (got.gap_low, got.gap_high) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_the_gaps_interval_holds_the_truth_19_times_in_20():
    generator, inside = np.random.default_rng(0), 0
    label = np.arange(70) < 40
    for _ in range(400):
        got = pattern_accuracy(generator.random(70) < np.where(label, 0.9, 0.6), np.ones(70), label)
        inside += got.gap_low <= 0.3 <= got.gap_high
    assert 0.92 <= inside / 400 <= 0.985
