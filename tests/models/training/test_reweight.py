"""ReW against its equations, written as loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from longway.models.training.weights import balancing_weights, total_bias


def some(seed, *, n=12, ngrams=6, labels=3):
    rng = np.random.default_rng(seed)
    features = (rng.random((n, ngrams)) < 0.4).astype(float)
    features[0] = 1  # no n-gram without a text
    return rng.exponential(size=n), csr_matrix(features), rng.integers(labels, size=n)


def slow(alpha, features, targets, penalty):
    """The minimised sum, with the maximum and the norm as they are on paper."""
    table, total = features.toarray(), 0.0
    for j in range(table.shape[1]):
        rows = [i for i in range(len(alpha)) if table[i, j]]
        weight = sum(1 + alpha[i] for i in rows)
        of_class = [
            sum(1 + alpha[i] for i in rows if targets[i] == c) / weight for c in set(targets.tolist())
        ]
        total += max(of_class)
    return total + penalty * sum(a * a for a in alpha) ** 0.5


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_bias_is_its_definition_but_for_the_rounded_corners(seed, penalty):
    alpha, features, targets = some(seed)
    value, _ = total_bias(alpha, features, features.T.tocsr(), targets, penalty=penalty)
    most = features.shape[1] * 0.01 * np.log(3) + 1e-5
    assert -1e-9 <= value - slow(alpha, features, targets, penalty) <= most


@given(st.integers(0, 10_000))
def test_gradient_is_that_of_finite_differences(seed):
    alpha, features, targets = some(seed)

    def value(at):
        return total_bias(at, features, features.T.tocsr(), targets, penalty=0.3)[0]

    _, gradient = total_bias(alpha, features, features.T.tocsr(), targets, penalty=0.3)
    h = 1e-6
    slopes = [(value(alpha + h * row) - value(alpha - h * row)) / (2 * h) for row in np.eye(len(alpha))]
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)


def test_weights_balance_a_shortcut():
    """Nine rows against one: the one must weigh as much as the nine."""
    features = csr_matrix([[1.0]] * 10 + [[0.0]] * 2)
    targets = np.array([1] * 9 + [0] + [0, 1])
    weights = balancing_weights(features, targets, penalty=1e-4)
    assert weights[9] == pytest.approx(weights[:9].sum(), rel=0.1)
    assert weights[10:].tolist() == [1, 1]
    assert (weights >= 1).all()


def test_a_shortcut_without_counter_examples_stays_as_it_is():
    weights = balancing_weights(csr_matrix([[1.0], [1.0], [0.0]]), np.array([1, 1, 0]))
    assert weights.tolist() == pytest.approx([1, 1, 1])


def test_texts_without_a_frequent_ngram_are_not_weighted():
    assert balancing_weights(csr_matrix((3, 0)), np.array([0, 1, 0])).tolist() == [1, 1, 1]
