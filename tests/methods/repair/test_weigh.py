"""Weights that balance features, compared with a direct solution of the constrained problem."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from longway.methods.repair import weigh
from longway.methods.repair.weigh import (
    balancing_weights,
    effective_rows,
    entropy_balanced,
    weighted_gain,
)


def data(seed: int, n: int = 60, features: int = 3) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    shares = np.where(labels[:, None] == 0, 0.3, 0.5)
    return (draw.random((n, features)) < shares).astype(float), labels


def direct(table: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The primal problem, as it is stated: weights closest to 1 with the same share of each feature in every label."""
    means, weights = table.mean(axis=0), np.ones(len(table))
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        own, n = table[rows], len(rows)
        rules = [
            {"type": "eq", "fun": lambda w, own=own, n=n: own.T @ w / n - means},
            {"type": "eq", "fun": lambda w, n=n: w.sum() - n},
        ]
        found = minimize(
            lambda w: float((w * np.log(np.maximum(w, 1e-12))).sum()),
            np.ones(n),
            jac=lambda w: np.log(np.maximum(w, 1e-12)) + 1,
            bounds=[(1e-9, None)] * n,
            constraints=rules,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        assert found.success
        weights[rows] = found.x
    return weights


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_those_of_the_constrained_problem(seed, monkeypatch):
    monkeypatch.setattr(weigh, "SLACK", 1e-6)  # the problem without slack
    table, labels = data(seed)
    assert entropy_balanced(csr_matrix(table), labels) == pytest.approx(direct(table, labels), abs=2e-3)


def test_what_was_tied_to_a_label_is_not_any_more():
    draw = np.random.default_rng(0)
    labels = np.arange(400) % 2
    rows = [
        np.flatnonzero(draw.random(8) < np.where([label, 1, 1, 1, 1, 1, 1, 1], 0.6, 0.2)) for label in labels
    ]
    weights = balancing_weights(rows, labels)
    table = csr_matrix([[float(f in row) for f in range(8)] for row in rows])
    before, after = (weighted_gain(table, labels, w) for w in (np.ones(400), weights))
    assert before[0] > 20
    assert after.max() < 1.0
    assert weights[labels == 0].sum() == pytest.approx(200)
    assert weights[labels == 1].sum() == pytest.approx(200)
    assert 200 < effective_rows(weights) < 400


def test_no_weight_is_too_large():
    labels = np.repeat([0, 1], 50)
    rows = [np.array([0]) if i < 49 or i == 99 else np.array([1]) for i in range(100)]  # 98% against 2%
    assert balancing_weights(rows, labels).max() <= weigh.LARGEST * 1.3


def test_balanced_rows_keep_the_weight_1():
    rows = [np.array([i % 2]) for i in range(40)]
    assert balancing_weights(rows, np.repeat([0, 1], 20)) == pytest.approx(np.ones(40))


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_rows(n):
    weights = balancing_weights([np.array([3])] * n, np.zeros(n, dtype=np.int64))
    assert weights.tolist() == [1.0] * n
    assert effective_rows(weights) == pytest.approx(n)


def test_a_pattern_of_the_grammar_is_balanced_among_the_rows_that_were_parsed():
    """9 says that a row was parsed, 10 is the pattern: in 60% of the parsed rows of one label, in 30% of the other."""
    draw = np.random.default_rng(1)
    labels = np.arange(600) % 2
    parsed = draw.random(600) < np.where(labels == 0, 0.9, 0.4)  # the texts of label 1 are longer
    has = parsed & (draw.random(600) < np.where(labels == 0, 0.6, 0.3))
    rows = [np.flatnonzero([0] * 9 + [seen, shows]) for seen, shows in zip(parsed, has, strict=True)]
    weights = balancing_weights(rows, labels, parsed=9)
    shares = [np.average(has[some], weights=weights[some]) for some in (parsed & (labels == y) for y in (0, 1))]  # fmt: skip
    assert abs(shares[0] - shares[1]) < 0.06
    seen = [np.average(parsed[labels == y], weights=weights[labels == y]) for y in (0, 1)]
    assert seen[0] - seen[1] > 0.4  # whether a row was parsed is not balanced
    unparsed = weights[~parsed]
    assert unparsed[labels[~parsed] == 0] == pytest.approx(unparsed[labels[~parsed] == 0][0])


def test_a_pattern_that_is_even_among_parsed_rows_needs_no_weights():
    rows = [np.array([9, 10] if i % 2 else [9]) for i in range(40)] + [np.zeros(0, dtype=np.int64)] * 40
    labels = np.array([0] * 20 + [1] * 20 + [1] * 40)
    assert balancing_weights(rows, labels, parsed=9) == pytest.approx(np.ones(80))
    assert balancing_weights(rows, labels).max() > 1.1  # counted as rows without it
