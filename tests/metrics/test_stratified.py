"""Shares from stratified samples, against brute force, and the interval against draws whose truth is known."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from longway.metrics.judgements import Stratum, allocate, estimate_share, exact_interval

DRAWS = 1500


def least_per_member(given, members):
    """What allocation is to make large: draws for each member of the stratum that has fewest."""
    return min(given[name] / n for name, n in members.items())


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 12))
def test_allocation_is_the_best_of_all_that_there_are(sizes, size):
    members = dict(enumerate(sizes))
    found = allocate(members, size)
    size = min(size, sum(sizes))
    assert sum(found.values()) == size
    assert all(0 <= found[name] <= n for name, n in members.items())
    ways = (way for way in product(*(range(n + 1) for n in sizes)) if sum(way) == size)
    best = max(least_per_member(dict(enumerate(way)), members) for way in ways)
    assert least_per_member(found, members) == pytest.approx(best)


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=12), st.integers(0, 200))
def test_every_stratum_gets_one_and_none_gets_far_from_its_share(sizes, more):
    members, size = dict(enumerate(sizes)), len(sizes) + more
    found = allocate(members, size)
    total, size = sum(sizes), min(size, sum(sizes))
    assert min(found.values()) >= 1
    for name, n in members.items():
        assert found[name] <= max(1, size * n / total + 1)


def test_fewer_draws_than_strata_go_to_the_largest():
    assert allocate({"a": 5, "b": 50, "c": 500}, 2) == {"a": 0, "b": 1, "c": 1}


@st.composite
def strata(draw):
    found = []
    for members in draw(st.lists(st.integers(1, 300), min_size=1, max_size=6)):
        seen = draw(st.integers(1, members))
        found.append(Stratum(members, seen, draw(st.integers(0, seen))))
    return found


@given(strata())
def test_the_estimate_is_the_weighted_mean_and_stays_within_what_is_known(given_strata):
    found = estimate_share(given_strata)
    total = sum(one.members for one in given_strata)
    by_hand = sum(one.members * one.hits / one.seen for one in given_strata) / total
    wrong = sum(one.hits for one in given_strata)
    right = sum(one.seen - one.hits for one in given_strata)
    assert found.share == pytest.approx(by_hand)
    assert wrong / total - 1e-12 <= found.low <= found.share <= found.high <= 1 - right / total + 1e-12
    if all(one.seen == one.members for one in given_strata):
        assert found.low == pytest.approx(found.high)


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (1, 10), (5, 40), (40, 40), (7, 200)])
def test_the_exact_interval_is_where_the_binomial_tails_are_two_and_a_half_percent(hits, n):
    low, high = exact_interval(hits, n)
    assert low == 0 if hits == 0 else binom.sf(hits - 1, n, low) == pytest.approx(0.025)
    assert high == 1 if hits == n else binom.cdf(hits, n, high) == pytest.approx(0.025)


def test_one_stratum_has_the_exact_interval():
    found = estimate_share([Stratum(100_000, 60, 3)])
    assert (found.low, found.high) == pytest.approx(exact_interval(3, 60))


def test_there_is_no_estimate_before_every_stratum_was_looked_at():
    assert estimate_share([Stratum(10, 2, 0), Stratum(5, 0, 0)]) is None
    assert estimate_share([]) is None


@pytest.mark.parametrize("size", [20, 60, 200])
@pytest.mark.parametrize(
    ("sizes", "rates"),
    [
        ([5000], [0.05]),
        ([5000], [0.005]),
        ([3000, 3000], [0.1, 0.1]),
        ([3000, 3000], [0.0, 0.3]),
        ([9000, 300, 40, 7], [0.02, 0.2, 0.5, 1.0]),
        ([500, 400, 300, 200, 100, 50], [0.0, 0.02, 0.05, 0.1, 0.4, 0.9]),
        ([200, 60], [0.15, 0.0]),  # the sample is most of what there is
    ],
    ids=str,
)
def test_the_interval_holds_the_truth_in_93_of_100_samples_and_more(sizes, rates, size):
    random = np.random.default_rng(7)
    wrong = [round(n * rate) for n, rate in zip(sizes, rates, strict=True)]
    truth = sum(wrong) / sum(sizes)
    drawn = allocate(dict(enumerate(sizes)), size)
    hits = [
        random.hypergeometric(bad, n - bad, drawn[i], DRAWS)
        for i, (n, bad) in enumerate(zip(sizes, wrong, strict=True))
    ]
    held = 0
    for of_draw in zip(*hits, strict=True):
        found = estimate_share([Stratum(n, drawn[i], int(of_draw[i])) for i, n in enumerate(sizes)])
        held += found.low - 1e-12 <= truth <= found.high + 1e-12
    assert held / DRAWS >= 0.93


def test_the_interval_is_not_wide_for_nothing():
    """100 of 10,000 looked at and none wrong: the classic rule of three says about 3% to 4% at most."""
    found = estimate_share([Stratum(6000, 60, 0), Stratum(4000, 40, 0)])
    assert found.low == 0
    assert 0.03 < found.high < 0.04
