"""Error rates: the file that ships, and what follows from it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.verify.calibration import (
    FILE,
    Interval,
    Rate,
    base_rate,
    bounds,
    error_rates,
    expected_wrong,
)

KINDS = st.sampled_from(["single", "pair"])


def test_the_file_has_bounds_and_rates_for_every_kind():
    assert set(json.loads(FILE.read_text())["bounds"]) == {
        "meaning",
        "entailment",
        "classifiers",
        "new label",
        "turned label",
        "new entailment",
        "sentiment",
    }
    for kind in ("single", "pair"):
        for name, rates in error_rates(kind).items():
            for rate in (rates.false_accept, rates.false_reject):
                assert 0 <= rate.low <= rate.share <= rate.high <= 1, name
    assert bounds("meaning")["low_label"] <= bounds("meaning")["low"] < bounds("meaning")["high"]


def test_the_shipped_rates_were_measured():
    for kind in ("single", "pair"):
        assert error_rates(kind)["all"].false_accept.n >= 50
        assert error_rates(kind)["all"].false_reject.n >= 50


@given(KINDS, st.floats(0, 1))
def test_expected_wrong_is_bayes_rule_on_a_thousand_candidates(kind, base):
    rates = error_rates(kind)["all"]
    wrong = 1000 * base * rates.false_accept.share
    right = 1000 * (1 - base) * (1 - rates.false_reject.share)
    found = expected_wrong(kind, Interval(base, base, base))
    assert found.share == pytest.approx(wrong / (wrong + right) if wrong + right else 0.0)
    assert found.low <= found.share + 1e-9
    assert found.share <= found.high + 1e-9


@given(KINDS, st.floats(0, 1))
def test_the_base_rate_is_found_again_from_the_share_of_rejected(kind, base):
    rates = error_rates(kind)["all"]
    accept, reject = rates.false_accept.share, rates.false_reject.share
    rejected = base * (1 - accept) + (1 - base) * reject
    if accept + reject < 0.99:
        assert base_rate(kind, rejected, 0).share == pytest.approx(base, abs=1e-6)


def test_a_rate_of_no_cases_may_be_anything():
    assert Rate.of(0, 0) == Rate(share=0.0, low=0.0, high=1.0, n=0)


def test_no_rejected_candidate_still_leaves_room_for_wrong_ones():
    base = base_rate("pair", 0.0, 50)
    assert base.low == 0.0 < base.high
    found = expected_wrong("pair", base)
    assert found.share == found.low == 0.0 < found.high < 0.2


def test_more_candidates_narrow_the_interval():
    found = [base_rate("pair", 0.2, n) for n in (20, 200, 20_000)]
    widths = [one.high - one.low for one in found]
    assert widths == sorted(widths, reverse=True)
