"""Divergences by hand and by double loops."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longway.metrics.divergence import PairwiseKL, kl
from tests.rewrite import oracle

values = st.lists(st.floats(-3, 3, allow_nan=False), min_size=3, max_size=3)
documents = st.lists(st.tuples(values, st.integers(0, 2)), min_size=2, max_size=8).filter(
    lambda rows: len({label for _, label in rows}) > 1
)


def test_kl_by_hand():
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])
    assert kl(p, q) == pytest.approx(log(2))
    assert kl(q, p) == float("inf")
    assert kl(p, p) == 0


@settings(max_examples=100, deadline=None)
@given(rows=documents, cut=st.integers(1, 7))
def test_pairwise_kl_from_sums_equals_the_double_loop(rows, cut):
    vectors, labels = zip(*rows, strict=True)
    fast = PairwiseKL(3, 3)
    for piece in (slice(None, cut), slice(cut, None)):
        if labels[piece]:
            fast.add(np.array(vectors[piece]), np.array(labels[piece]))
    assert fast.mean() == pytest.approx(oracle.mean_kl(vectors, labels), abs=1e-9)
