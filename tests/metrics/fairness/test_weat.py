"""WEAT: against the published sums over every split, worked out one by one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.metrics.fairness.weat import (
    association_test,
    associations,
    associations_of,
    corrected,
    effect_size,
    permutation_p,
)


def cosine(a, b):
    return (
        sum(x * y for x, y in zip(a, b, strict=True)) / (sum(x * x for x in a) * sum(x * x for x in b)) ** 0.5
    )


def slow_associations(vectors, first, second):
    return [
        sum(cosine(w, a) for a in first) / len(first) - sum(cosine(w, b) for b in second) / len(second)
        for w in vectors
    ]


def slow_p(x, y):
    """The share of all splits whose test statistic s(X, Y, A, B) is as large as the one seen."""
    both = [*x, *y]
    seen = sum(x) / len(x) - sum(y) / len(y)
    hits = total = 0
    for chosen in combinations(range(len(both)), len(x)):
        here = [both[i] for i in chosen]
        there = [both[i] for i in range(len(both)) if i not in chosen]
        hits += sum(here) / len(here) - sum(there) / len(there) >= seen - 1e-9
        total += 1
    return hits / total


def test_associations_are_the_difference_of_mean_cosines():
    vectors, first, second = np.random.default_rng(0).normal(size=(3, 5, 4))
    assert associations(vectors, first, second[:3]) == pytest.approx(
        slow_associations(vectors, first, second[:3])
    )


VALUES = st.lists(st.integers(-5, 5), min_size=1, max_size=5)


@given(VALUES, VALUES)
def test_p_is_that_of_all_splits(x, y):
    p, exact = permutation_p(np.array(x, float), np.array(y, float))
    assert exact
    assert p == pytest.approx(slow_p(x, y))


@given(VALUES, VALUES)
def test_the_effect_size_is_the_difference_of_means_over_the_spread(x, y):
    both = [*x, *y]
    mean = sum(both) / len(both)
    spread = (sum((v - mean) ** 2 for v in both) / (len(both) - 1)) ** 0.5
    expected = (sum(x) / len(x) - sum(y) / len(y)) / spread if spread else 0
    assert effect_size(np.array(x, float), np.array(y, float)) == pytest.approx(expected)


def test_drawn_splits_are_near_the_exact_p():
    generator = np.random.default_rng(3)
    x, y = generator.normal(0.4, 1, 8), generator.normal(0, 1, 8)
    exact, all_of_them = permutation_p(x, y)
    drawn, all_drawn = permutation_p(x, y, splits=5000)
    assert (all_of_them, all_drawn) == (True, False)
    assert drawn == pytest.approx(exact, abs=0.03)
    assert permutation_p(x, y, splits=5000) == (drawn, False)  # the same seed, the same splits
    assert permutation_p(x, y, splits=5000, seed=1)[0] != drawn


def test_targets_that_are_all_alike_are_associated_with_nothing():
    found = association_test("alike", [0.2] * 6, [0.2] * 6)
    assert (found.d.value, found.p) == (0.0, 1.0)


def test_two_groups_far_apart_have_a_large_effect_and_the_smallest_p_there_is():
    found = association_test("apart", [1.0, 0.9, 0.8, 1.1], [-1.0, -0.9, -0.8, -1.1])
    assert found.d.value > 1.8
    assert found.d.low > 1
    assert found.p == pytest.approx(1 / 70)


def test_the_test_is_one_sided():
    assert association_test("against", [-1.0, -0.9, -0.8], [1.0, 0.9, 0.8]).p == 1.0


def test_several_tests_are_counted_with_and_without_correction():
    clear = association_test("clear", np.linspace(1, 2, 8), np.linspace(-2, -1, 8))
    faint = association_test("faint", [0.9, 0.3, 0.5, 0.7, 0.5], [0.1, 0.6, 0.2, 0.1, 0.4])
    none = association_test("none", [0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1])
    assert 0.025 < faint.p < 0.05
    told = associations_of(corrected([clear, faint, none]))
    assert told.significant.value == pytest.approx(200 / 3)
    assert told.significant_holm.value == pytest.approx(100 / 3)
    assert told.mean_size.value == pytest.approx((clear.d.value + faint.d.value) / 3)


def test_a_test_without_targets_is_refused_by_name():
    with pytest.raises(SettingError, match="'empty'"):
        association_test("empty", [], [1.0])
