"""Weigh: a weight for each row, such that what is tied to a label in the rows is tied to none in the weighted rows.

Entropy balancing (Hainmueller 2012): among all weights that give every label the same share of each feature, take those closest to 1.
For the rows i of a label y, features x_i and the shares m of the features in all rows,

    minimise    sum_i w_i log w_i       such that    sum_i w_i x_i = m,   sum_i w_i = 1

Its dual is smooth and convex, with w_i proportional to exp(x_i . a):

    minimise    log sum_i exp((x_i - m) . a)  +  (slack / 2) sum_f m_f (1 - m_f) a_f^2 / n_y

The last term lets a share differ from m by about its standard error, so that rare features do not decide; it is raised until no weight
is above `LARGEST`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.methods.repair.balance import BOUND, gain
from longway.methods.repair.features import Numbers

LARGEST = 8.0  # times the mean weight of the label
SLACK, STEPS = 1.0, 6  # each step is four times as slack
ROUNDS = 3  # features that are tied to a label only after weighing are added so often
FEWEST = 5  # rows with a feature that is balanced
Floats = NDArray[np.float64]


def balancing_weights(
    features: Sequence[Numbers], labels: NDArray[np.integer], *, bound: float = BOUND
) -> Floats:
    """A weight for each row; those of a label add up to its number of rows. features: for each row the numbers of its features."""
    labels = np.asarray(labels, dtype=np.int64)
    numbers, where = np.unique(np.concatenate([np.zeros(0, np.int64), *features]), return_inverse=True)
    ends = np.concatenate([[0], np.cumsum([len(row) for row in features], dtype=np.int64)])
    table = csr_matrix((np.ones(len(where)), where, ends), shape=(len(features), len(numbers)))
    often = np.asarray(table.sum(axis=0)).ravel() >= FEWEST
    weights = np.ones(len(features))
    balanced = np.zeros(len(numbers), dtype=bool)
    for _ in range(ROUNDS):
        tied = often & (weighted_gain(table, labels, weights) > bound)
        if not (tied & ~balanced).any():
            break
        balanced |= tied
        weights = entropy_balanced(csr_matrix(table[:, balanced]), labels)
    return weights


def entropy_balanced(table: csr_matrix, labels: NDArray[np.integer], *, largest: float = LARGEST) -> Floats:
    """The weights for all features of a table of rows by features, zeros and ones."""
    means = np.asarray(table.mean(axis=0)).ravel()
    weights = np.ones(table.shape[0])
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        own = csr_matrix(table[rows])
        slack = SLACK * means * (1 - means) / len(rows)
        for step in range(STEPS):
            mine = _solve(own, means, slack * 4**step)
            if mine.max(initial=0.0) <= largest:
                break
        weights[rows] = np.minimum(mine, largest)
        weights[rows] *= len(rows) / weights[rows].sum()
    return weights


def weighted_gain(table: csr_matrix, labels: NDArray[np.integer], weights: Floats) -> Floats:
    """n times the mutual information of each feature with the label, by weight."""
    n_labels = int(labels.max(initial=0)) + 1
    counts = np.stack([(weights * (labels == label)) @ table for label in range(n_labels)])
    totals = np.array([weights[labels == label].sum() for label in range(n_labels)])
    return gain(counts, totals)


def effective_rows(weights: Floats) -> float:
    """How many rows of equal weight would say as much (Kish)."""
    return float(weights.sum() ** 2 / max(np.square(weights).sum(), 1e-12)) if len(weights) else 0.0


def _solve(own: csr_matrix, means: Floats, slack: Floats) -> Floats:
    """The weights of the rows of one label, with a mean of 1."""
    from scipy.optimize import minimize  # a third of a second to import

    def dual(a: Floats) -> tuple[float, Floats]:
        scores = own @ a - means @ a
        top = scores.max(initial=0.0)
        raised = np.exp(scores - top)
        total = raised.sum()
        slope = own.T @ (raised / total) - means + slack * a
        return float(top + np.log(total) + 0.5 * (slack * a) @ a), slope

    found = minimize(dual, np.zeros(own.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    scores = own @ found.x
    raised = np.exp(scores - scores.max(initial=0.0))
    return np.asarray(raised / raised.mean())
