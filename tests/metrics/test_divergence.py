"""Divergences by hand and by double loops."""

from collections import Counter
from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longway.metrics.divergence import PairwiseKL, js, kl, word_divergence
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


def test_js_is_symmetric_and_at_most_log_2():
    p, q = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])
    assert js(p, q) == pytest.approx(js(q, p))
    assert 0 < js(p, q) < log(2)
    assert js(np.array([1.0, 0]), np.array([0, 1.0])) == pytest.approx(log(2))


@settings(max_examples=100, deadline=None)
@given(rows=documents, cut=st.integers(1, 7))
def test_pairwise_kl_from_sums_equals_the_double_loop(rows, cut):
    vectors, labels = zip(*rows, strict=True)
    fast = PairwiseKL(3, 3)
    for piece in (slice(None, cut), slice(cut, None)):
        if labels[piece]:
            fast.add(np.array(vectors[piece]), np.array(labels[piece]))
    assert fast.mean() == pytest.approx(oracle.mean_kl(vectors, labels), abs=1e-9)


def test_word_divergence_equals_counting_by_hand():
    texts, labels = ["a b", "a a c", "c c", "b"], ["x", "x", "y", "z"]
    words = sorted({w for t in texts for w in t.split()})
    counts = {
        y: Counter(w for t, label in zip(texts, labels, strict=True) if label == y for w in t.split())
        for y in labels
    }
    shares = {
        y: np.array([(n[w] + 0.5) / (sum(n.values()) + 0.5 * len(words)) for w in words])
        for y, n in counts.items()
    }
    expected = np.mean([js(shares[a], shares[b]) for a, b in combinations(sorted(shares), 2)])
    assert word_divergence(texts, labels) == pytest.approx(expected)


def test_labels_with_the_same_words_do_not_diverge():
    assert word_divergence(["a b", "b a"], ["x", "y"]) == pytest.approx(0)
    assert word_divergence(["a", "b"], ["x", "x"]) == 0
    assert word_divergence([], []) == 0
