"""Before and after: the tests by enumeration, and what they say of models that do not differ."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, ttest_ind

from longway.metrics.paired import adjust, paired


def all_flips(differences):
    """The share of all sign flips whose sum is as far from 0 as the one seen."""
    seen = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product([1, -1], repeat=len(differences))
    ]
    return np.mean([one >= seen - 1e-9 for one in sums])


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=10))
def test_with_one_seed_p_is_that_of_all_sign_flips(pairs):
    before, after = zip(*pairs, strict=True)
    got = paired(before, after, draws=20)
    assert got.p == pytest.approx(all_flips([int(a) - int(b) for b, a in pairs]))
    wins, losses = sum(a > b for b, a in pairs), sum(a < b for b, a in pairs)
    assert got.p == pytest.approx(min(1, 2 * binom.cdf(min(wins, losses), wins + losses, 0.5)))
    assert got.difference == pytest.approx(np.mean(after) - np.mean(before))


@pytest.mark.parametrize(("seeds_before", "seeds_after"), [(2, 2), (3, 2), (1, 3)])
def test_with_several_seeds_p_is_near_that_of_all_sign_flips(seeds_before, seeds_after):
    generator = np.random.default_rng(1)
    before, after = generator.random((seeds_before, 9)) < 0.4, generator.random((seeds_after, 9)) < 0.7
    got = paired(before, after)
    assert got.p == pytest.approx(all_flips(after.mean(axis=0) - before.mean(axis=0)), abs=0.006)
    assert (got.before, got.after) == pytest.approx((before.mean(), after.mean()))


def test_verdicts_by_hand():
    worse_on_none = paired([0] * 30 + [1] * 70, [1] * 100)
    assert worse_on_none.verdict == "better"
    assert 0 < worse_on_none.low <= 0.3 <= worse_on_none.high
    assert paired([1] * 100, [0] * 30 + [1] * 70).verdict == "worse"
    same = paired([1, 0] * 50, [1, 0] * 50)
    assert (same.difference, same.p, same.verdict) == (0, 1, "no clear difference")
    assert same.low < 0 < same.high


def test_one_row_says_nothing():
    one = paired([0], [1])
    assert (one.difference, one.p, one.verdict) == (1, 1, "no clear difference")
    assert one.low < 0


def test_a_difference_that_seeds_alone_could_make_is_not_clear():
    """Seeds of one method give 0.6 and 0.9 right: the mean of two of another, 0.9 and 0.9, says little."""
    rows = np.arange(200)
    before = np.stack([rows < 120, rows < 180])
    after = np.stack([rows < 180, rows < 180])
    got = paired(before, after)
    assert got.p < 0.001
    assert got.seed_error == pytest.approx(0.15)
    assert got.seed_p > 0.05
    assert got.verdict == "no clear difference"
    assert paired(before[:1], after[:1]).verdict == "better"  # one seed each cannot know


def test_the_p_over_seeds_is_welchs():
    generator = np.random.default_rng(6)
    before, after = generator.random((4, 50)) < 0.6, generator.random((3, 50)) < 0.7
    expected = ttest_ind(before.mean(axis=1), after.mean(axis=1), equal_var=False).pvalue
    assert paired(before, after, draws=20).seed_p == pytest.approx(expected)
    still = np.array([[0] * 10 + [1] * 40] * 3)
    assert paired(still, 1 - still, draws=20).verdict == "worse"  # seeds change nothing
    assert paired(still, still, draws=20).seed_p == 1


def test_models_that_do_not_differ_are_rarely_called_better():
    """Before and after are drawn alike, each seed with an accuracy of its own."""
    generator = np.random.default_rng(2)
    called = 0
    for trial in range(150):
        skill = generator.normal(0.75, 0.02, size=(2, 3, 1))
        before, after = generator.random((2, 3, 2000)) < skill
        called += paired(before, after, draws=200, seed=trial).verdict != "no clear difference"
    assert called / 150 <= 0.08


def test_the_interval_of_the_difference_holds_the_truth_19_times_in_20():
    generator = np.random.default_rng(3)
    inside = 0
    for trial in range(300):
        before, after = generator.random(80) < 0.6, generator.random(80) < 0.7
        got = paired(before, after, draws=300, seed=trial)
        inside += got.low <= 0.1 <= got.high
    assert 0.91 <= inside / 300 <= 0.985


def test_among_many_comparisons_the_verdict_goes_by_q():
    generator = np.random.default_rng(4)
    plain = [paired(generator.random(60) < 0.5, generator.random(60) < 0.5, draws=50) for _ in range(39)]
    real = paired(generator.random(400) < 0.4, generator.random(400) < 0.8, draws=50)
    adjusted = adjust([real, *plain])
    assert adjusted[0].verdict == "better"
    assert all(one.q >= one.p for one in adjusted)
    assert [one.verdict for one in adjusted[1:]].count("no clear difference") == 39
    assert adjust([]) == []


def test_a_comparison_is_plain_json():
    kept = paired([0, 1], [1, 1], draws=20).to_dict()
    assert kept["q"] is None
    assert kept["seed_p"] is None
    assert kept["verdict"] == "no clear difference"
