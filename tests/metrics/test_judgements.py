"""Shares from samples: what is known bounds them, and the interval against draws whose truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from longway.metrics.judgements import estimate_share, exact_interval

DRAWS = 1500


@st.composite
def samples(draw):
    members = draw(st.integers(1, 300))
    seen = draw(st.integers(1, members))
    return members, seen, draw(st.integers(0, seen))


@given(samples())
def test_the_estimate_stays_within_what_is_known(sample):
    members, seen, hits = sample
    found = estimate_share(members, seen, hits)
    assert found.share == pytest.approx(hits / seen)
    most = 1 - (seen - hits) / members
    assert hits / members - 1e-12 <= found.low <= found.share <= found.high <= most + 1e-12
    if seen == members:
        assert found.low == pytest.approx(found.high)


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (1, 10), (5, 40), (40, 40), (7, 200)])
def test_the_exact_interval_is_where_the_binomial_tails_are_two_and_a_half_percent(hits, n):
    low, high = exact_interval(hits, n)
    assert low == 0 if hits == 0 else binom.sf(hits - 1, n, low) == pytest.approx(0.025)
    assert high == 1 if hits == n else binom.cdf(hits, n, high) == pytest.approx(0.025)


def test_a_small_sample_of_many_has_the_exact_interval():
    found = estimate_share(100_000, 60, 3)
    assert (found.low, found.high) == pytest.approx(exact_interval(3, 60))


def test_there_is_no_estimate_before_anything_was_reviewed():
    assert estimate_share(10, 0, 0) is None


@pytest.mark.parametrize("size", [20, 60, 200])
@pytest.mark.parametrize(("members", "rate"), [(5000, 0.05), (5000, 0.005), (6000, 0.3), (260, 0.15)])
def test_the_interval_holds_the_truth_in_93_of_100_samples_and_more(members, rate, size):
    wrong = round(members * rate)
    hits = np.random.default_rng(7).hypergeometric(wrong, members - wrong, size, DRAWS)
    estimates = [estimate_share(members, size, int(n)) for n in hits]
    held = sum(found.low - 1e-12 <= wrong / members <= found.high + 1e-12 for found in estimates)
    assert held / DRAWS >= 0.93


def test_the_interval_is_not_wide_for_nothing():
    """100 of 10,000 reviewed and none wrong: the classic rule of three says about 3% to 4% at most."""
    found = estimate_share(10_000, 100, 0)
    assert found.low == 0
    assert 0.03 < found.high < 0.04
