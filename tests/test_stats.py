"""Surface statistics, on counts small enough to work out by hand or by loops."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2_contingency, false_discovery_control

from longway.stats import (
    holm,
    is_stronger,
    mutual_information,
    p_values,
    q_values,
    score_counts,
    wilson_interval,
    wilson_low,
    z_scores,
)

tables = (
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=4)
    .map(lambda cells: np.array(cells))
    .filter(lambda t: t[:, 0].sum() > 0 and t[:, 1].sum() > 0)
)


def slow_mutual_information(with_feature, without):
    """The grammar paper's estimate, summed cell by cell."""
    joint = {(z, y): 1 + n for z, row in enumerate([without, with_feature]) for y, n in enumerate(row)}
    total = sum(joint.values())
    p_z = [sum(n for (z, _), n in joint.items() if z == k) / total for k in (0, 1)]
    p_y = [sum(n for (_, y), n in joint.items() if y == k) / total for k in range(len(with_feature))]
    return sum(n / total * log(n / total / (p_y[y] * p_z[z])) for (z, y), n in joint.items())


@given(tables)
def test_mutual_information_equals_the_sum_over_cells(table):
    counts, totals = table[:, 0], table.sum(axis=1)
    expected = slow_mutual_information(counts.tolist(), table[:, 1].tolist())
    assert mutual_information(counts[None], totals)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("with_label", "n", "expected"),
    [
        (5, 10, 0.0),  # exactly the base rate: nothing to see
        (9, 10, (0.9 - 0.5) / sqrt(0.25 / 10)),
        (0, 10, -(0.5) / sqrt(0.25 / 10)),
    ],
)
def test_z_equals_the_hand_computation(with_label, n, expected):
    assert z_scores(np.array([[with_label, n - with_label]]), np.array([50, 50]))[0, 0] == pytest.approx(
        expected
    )


def test_large_counts_use_the_g_test():
    table = np.array([[700, 1300], [900, 1100], [800, 1200]])
    expected = chi2_contingency(table, lambda_="log-likelihood", correction=False).pvalue
    assert p_values(table[:, :1].T, table.sum(axis=1))[0] == pytest.approx(expected)


def test_small_counts_use_the_exact_binomial_tail():
    p = p_values(np.array([[12, 0]]), np.array([5000, 5000]))[0]
    assert p == pytest.approx(binomtest(12, 12, 0.5).pvalue)


@given(tables)
def test_small_count_p_is_never_below_half_the_two_sided_binomial(table):
    counts, totals = table[:, 0], table.sum(axis=1)
    if not 0 < counts.sum() <= totals.sum() / 2:
        return
    least = min(
        binomtest(int(c), int(counts.sum()), t / totals.sum()).pvalue
        for c, t in zip(counts, totals, strict=True)
        if t
    )
    assert p_values(counts[None], totals)[0] >= least / 2 - 1e-12


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_q_values_equal_scipys_benjamini_hochberg(p):
    np.testing.assert_allclose(q_values(np.array(p)), false_discovery_control(p), atol=1e-12)


def test_the_label_is_the_one_with_most_excess_not_the_commonest():
    scores = score_counts(np.array([[60, 40]]), np.array([900, 100]))
    assert (scores.label[0], scores.majority[0]) == (1, 0)
    assert scores.label_share[0] == pytest.approx(0.4)
    assert scores.pmi[0] == pytest.approx(log(0.4 / 0.1))
    assert scores.lmi[0] == pytest.approx(0.04 * log(0.4 / 0.1))


def test_wilson_interval_stays_inside_the_unit_interval():
    assert wilson_interval(1.0, 5)[1] == 1.0
    assert [wilson_interval(0.0, n)[0] for n in (5, 11, 22, 27)] == [0.0] * 4
    assert wilson_interval(0.3, 0) == (0.0, 1.0)


def test_gain_is_the_information_about_the_finding_s_own_label():
    counts, totals = np.array([[30, 5, 40]]), np.array([100, 100, 100])
    scores = score_counts(counts, totals)
    assert scores.label[0] == 2
    assert scores.gain[0] == pytest.approx(slow_mutual_information([40, 35], [60, 165]))
    assert scores.gain[0] < scores.mutual_information[0]


@given(st.integers(1, 50), st.integers(0, 50))
def test_wilson_interval_equals_scipys(n, hits):
    expected = binomtest(min(hits, n), n).proportion_ci(0.95, method="wilson")
    assert wilson_interval(min(hits, n) / n, n) == pytest.approx((expected.low, expected.high), abs=1e-4)
    assert wilson_low(np.array([min(hits, n) / n]), np.array([n]))[0] == pytest.approx(expected.low, abs=1e-4)


def test_with_several_labels_the_exact_p_is_corrected_for_trying_them():
    three = p_values(np.array([[8, 0, 0]]), np.array([1000, 1000, 1000]))[0]
    assert three == pytest.approx(2 * 3 * (1 / 3) ** 8)


def test_a_feature_that_is_nearly_always_there_is_tested_by_where_it_is_missing():
    totals = np.array([500, 500])
    p = p_values(np.array([[500, 488]]), totals)[0]
    assert p == pytest.approx(p_values(np.array([[0, 12]]), totals)[0])
    assert p == pytest.approx(binomtest(12, 12, 0.5).pvalue)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_the_stepwise_rule_rejects(p):
    rejected = set()
    for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[i] * (len(p) - step) > 0.05:
            break
        rejected.add(i)
    assert {i for i, value in enumerate(holm(np.array(p))) if value <= 0.05} == rejected


def test_a_gain_of_less_than_a_tenth_is_no_news():
    assert not is_stronger(100.0, 109.0)
    assert is_stronger(100.0, 111.0)
    assert is_stronger(0.0, 0.001)
    assert not is_stronger(0.0, 0.0)
