"""The share of variance in few components, against a singular value decomposition and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from longway.errors import SettingError
from longway.metrics.vectors import top_variance


@given(rows=st.integers(2, 30), dimensions=st.integers(1, 30), k=st.integers(1, 12), seed=st.integers(0, 99))
def test_the_share_equals_that_of_singular_values(rows, dimensions, k, seed):
    vectors = np.random.default_rng(seed).normal(size=(rows, dimensions))
    squares = np.linalg.svd(vectors - vectors.mean(axis=0), compute_uv=False) ** 2
    got = top_variance(vectors, k=k)
    assert got.share == pytest.approx(squares[:k].sum() / squares.sum())
    assert got.rank == min(rows - 1, dimensions)


def test_the_share_equals_sklearns():
    vectors = np.random.default_rng(0).normal(size=(40, 8)) * np.arange(1, 9)
    expected = PCA(n_components=3).fit(vectors).explained_variance_ratio_.sum()
    got = top_variance(vectors.astype(np.float32), k=3)
    assert got.share == pytest.approx(expected, rel=1e-5)
    assert got.note == ""


def test_few_rows_say_nothing_and_it_is_said():
    few = top_variance(np.eye(3))
    assert (few.share, few.rank) == (1.0, 2)
    assert "vary in only 2 directions" in few.note
    same = top_variance(np.full((5, 4), 0.1))
    assert np.isnan(same.share)
    assert same.to_dict()["share"] is None
    assert "All 5 vectors are identical" in same.note
    assert top_variance([[0.3, 0.2]]).rank == 0


@pytest.mark.parametrize("wrong", [np.zeros((0, 3)), np.zeros(3), [[1.0, np.nan]]])
def test_what_has_no_variance_is_told(wrong):
    with pytest.raises(SettingError, match="'vectors' must be"):
        top_variance(wrong)


def test_k_must_be_there():
    with pytest.raises(SettingError, match="'k' must be at least 1"):
        top_variance([[1.0], [2.0]], k=0)
