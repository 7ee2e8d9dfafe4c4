"""The fairscore: Eq. 1 counted by hand, and two classifiers on the same rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from longway.errors import SettingError
from longway.metrics.fairness.fairscore import compare_fairscores, fairscore_of, kept

WOMAN, MAN, OLD = ("gender", "man", "woman"), ("gender", "woman", "man"), ("age", "young", "senior")


def fairscore(before, after, changed):
    """The fairscore from the predictions; the rows without a change are left out."""
    return fairscore_of(kept(before, after, changed), [change for change in changed if change])


def test_a_classifier_that_does_not_look_has_0_and_one_that_always_changes_has_100():
    changed = [WOMAN, MAN, OLD, None]
    assert fairscore([1, 0, 1, 0], [1, 0, 1, 0], changed).overall.score.value == 0
    assert fairscore([1, 0, 1, 0], [0, 1, 0, 0], changed).overall.score.value == 100


def test_rows_without_a_change_do_not_count():
    found = fairscore(["a", "b", "a", "a"], ["b", "b", "b", "b"], [WOMAN, OLD, None, None])
    assert (found.overall.rows, found.overall.differ) == (2, 1)


ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from([WOMAN, MAN, OLD, None])), min_size=1
)


@given(ROWS)
def test_every_share_is_equation_1_over_its_own_rows(rows):
    before, after, changed = zip(*rows, strict=True)
    if not any(changed):
        with pytest.raises(SettingError, match="Nothing was changed"):
            fairscore(before, after, changed)
        return
    found = fairscore(before, after, changed)
    groups = [(found.overall, [row for row in rows if row[2]])]
    groups += [
        (s, [row for row in rows if row[2] and row[2][0] == axis]) for axis, s in found.by_axis.items()
    ]
    groups += [(s, [row for row in rows if row[2] == pair]) for pair, s in found.by_pair.items()]
    for share, own in groups:
        assert share.rows == len(own)
        assert share.score.value == pytest.approx(100 * sum(row[0] != row[1] for row in own) / len(own))
        assert 0 <= share.score.low <= share.score.value + 1e-9
        assert share.score.value <= share.score.high + 1e-9 <= 100 + 1e-6
    assert sum(share.rows for share in found.by_axis.values()) == found.overall.rows
    assert sum(share.rows for share in found.by_pair.values()) == found.overall.rows


def test_the_comparison_of_two_classifiers_is_mcnemars_test():
    first = np.array([0] * 30 + [1] * 70)  # 30 predictions changed
    second = np.array([1] * 25 + [0] * 5 + [0] * 4 + [1] * 66)  # of these 25 stay now, 4 others change
    change = compare_fairscores(first, second)
    assert (change.first, change.second, change.difference) == pytest.approx((30, 9, -21))
    assert change.low < -21 < change.high < 0
    assert change.test.p == pytest.approx(binomtest(25, 29).pvalue)
    assert change.test.verdict == "better"
    assert compare_fairscores(second, first).difference == pytest.approx(21)
    assert compare_fairscores(second, first).test.verdict == "worse"


def test_kept_looks_at_changed_rows_only():
    assert kept([1, 1, 0], [1, 0, 1], [WOMAN, OLD, None]).tolist() == [True, False]


def test_rows_of_one_text_widen_the_interval_and_leave_the_figure():
    """The slow twin: Wilson's interval with the number of texts if all rows of a text agree."""
    stays, changed = [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1], [WOMAN] * 12
    found = fairscore_of(stays, changed, groups=["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"] * 3).overall
    alone = fairscore_of(stays, changed).overall
    assert (found.rows, found.differ, found.score.value) == (12, 3, pytest.approx(25))
    assert found.score.low < alone.score.low
    assert found.score.high > alone.score.high


@given(st.data())
def test_of_several_seeds_it_is_the_mean_of_their_fairscores(data):
    """The slow twin: Eq. 1 of each seed by itself, counted row by row."""
    n, seeds = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 3))
    changed = data.draw(st.lists(st.sampled_from([WOMAN, MAN, OLD]), min_size=n, max_size=n))
    row = st.lists(st.booleans(), min_size=n, max_size=n)
    stays = data.draw(st.lists(row, min_size=seeds, max_size=seeds))
    found = fairscore_of(stays, changed)
    for share, own in [(found.overall, set(changed)), *((s, {pair}) for pair, s in found.by_pair.items())]:
        places = [i for i in range(n) if changed[i] in own]
        each = [100 * sum(not one[i] for i in places) / len(places) for one in stays]
        assert share.score.value == pytest.approx(sum(each) / seeds)
        assert share.differ == sum(not one[i] for one in stays for i in places)
        assert (share.rows, share.seeds) == (len(places), seeds)
        assert np.isnan(share.std) if seeds == 1 else share.std == pytest.approx(np.std(each, ddof=1))
        assert share.score.low <= share.score.value + 1e-9 <= share.score.high + 2e-9
