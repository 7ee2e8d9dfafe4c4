"""Divergences by hand and by double loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.metrics.vectors import PairwiseKL
from tests.methods import oracle

values = st.lists(st.floats(-3, 3, allow_nan=False), min_size=3, max_size=3)
documents = st.lists(st.tuples(values, st.integers(0, 2)), min_size=2, max_size=8).filter(
    lambda rows: len({label for _, label in rows}) > 1
)


@given(rows=documents, cut=st.integers(1, 7))
def test_pairwise_kl_from_sums_equals_the_double_loop(rows, cut):
    vectors, labels = zip(*rows, strict=True)
    fast = PairwiseKL(3, 3)
    for piece in (slice(None, cut), slice(cut, None)):
        if labels[piece]:
            fast.add(np.array(vectors[piece]), np.array(labels[piece]))
    assert fast.mean() == pytest.approx(oracle.mean_kl(vectors, labels), abs=1e-9)
