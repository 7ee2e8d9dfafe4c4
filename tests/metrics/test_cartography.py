"""Cartography by hand and row by row."""

from statistics import fmean, pstdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.metrics.cartography import cartography, regions

columns = st.lists(
    st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), min_size=3, max_size=3),
    min_size=1,
    max_size=8,
)


@given(columns=columns, seed=st.integers(0, 9))
def test_each_row_equals_the_definition(columns, seed):
    gold = np.array(columns).T
    correct = np.random.default_rng(seed).random(gold.shape) < 0.5
    got = cartography(gold, correct)
    for row, column in enumerate(columns):
        seen = [e for e, p in enumerate(column) if p == p]
        assert got.seen[row] == len(seen)
        if seen:
            assert got.confidence[row] == pytest.approx(fmean(column[e] for e in seen))
            assert got.variability[row] == pytest.approx(pstdev(column[e] for e in seen), abs=1e-9)
            assert got.correctness[row] == pytest.approx(fmean(correct[e, row] for e in seen))
        else:
            assert np.isnan([got.confidence[row], got.variability[row], got.correctness[row]]).all()


def test_regions_are_thirds_by_confidence_and_variability():
    gold = [[0.9, 0.1, 0.1, 0.5, 0.95, np.nan, 0.2], [0.9, 0.1, 0.9, 0.6, 0.95, np.nan, 0.2]]
    got = regions(cartography(gold))
    assert got["easy"].tolist() == [4, 0]
    assert got["hard"].tolist() == [1, 6]
    assert got["ambiguous"].tolist() == [2, 3]
    assert len(regions(cartography(gold), share=1)["easy"]) == 6


def test_without_given_correctness_more_than_half_is_right():
    assert cartography([[0.6, 0.5, np.nan], [0.2, 0.7, 0.9]]).correctness.tolist() == [0.5, 0.5, 1.0]


def test_one_epoch_has_no_ambiguous_rows_and_one_row_is_enough():
    got = regions(cartography([[0.3, 0.8]]))
    assert got["ambiguous"].tolist() == []
    assert (got["easy"].tolist(), got["hard"].tolist()) == ([1], [0])
    assert regions(cartography([[0.3], [0.5]]))["ambiguous"].tolist() == [0]
    assert regions(cartography([[np.nan]]))["easy"].tolist() == []


def test_bad_input_is_told():
    with pytest.raises(SettingError, match=r"'gold' must be epochs x rows.*Got \(0,\)"):
        cartography([])
    with pytest.raises(SettingError, match="probabilities from 0 to 1"):
        cartography([[1.5]])
    with pytest.raises(SettingError, match="'correct' must have the shape"):
        cartography([[0.5]], [[True, False]])
    with pytest.raises(SettingError, match=r"'share' must be above 0.*Got 0"):
        regions(cartography([[0.5]]), share=0)
