"""Principal components, against a singular value decomposition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.metrics.vectors import project


@given(rows=st.integers(3, 20), dimensions=st.integers(2, 8), seed=st.integers(0, 99))
def test_points_and_shares_equal_those_of_a_decomposition(rows, dimensions, seed):
    vectors = np.random.default_rng(seed).normal(size=(rows, dimensions)) * np.arange(1, dimensions + 1)
    u, s, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    got = project(vectors)
    assert np.abs(got.points) == pytest.approx(np.abs(u[:, :2] * s[:2]), abs=1e-6)
    assert got.shares == pytest.approx(tuple(s[:2] ** 2 / (s**2).sum()))


def test_the_sign_does_not_depend_on_the_order_of_rows():
    vectors = np.random.default_rng(1).normal(size=(9, 4))
    assert project(vectors[::-1]).points[::-1] == pytest.approx(project(vectors).points)


@pytest.mark.parametrize("vectors", [[[1.0, 2.0, 3.0]], [[1.0], [3.0]], np.full((4, 3), 0.1)])
def test_missing_components_are_zero(vectors):
    got = project(vectors)
    assert got.points.shape == (len(vectors), 2)
    assert not got.points[:, 1].any()
    assert got.shares[1] == 0


def test_bad_input_is_told():
    with pytest.raises(SettingError, match="'dimensions' must be at least 1"):
        project([[1.0]], dimensions=0)
    with pytest.raises(SettingError, match="Row 1 is not"):
        project([[1.0], [np.nan]])
