"""Weigh: a weight for each row, such that what is tied to a label in the rows is tied to none in the weighted rows.

Entropy balancing (Hainmueller 2012): among all weights that give every label the same share of each feature, take those closest to 1.
For the rows i of a label y, features x_i and the shares m of the features in all rows,

    minimise    sum_i w_i log w_i       such that    sum_i w_i x_i = m,   sum_i w_i = 1

Its dual is smooth and convex, with w_i proportional to exp(x_i . a):

    minimise    log sum_i exp((x_i - m) . a)  +  (slack / 2) sum_f m_f (1 - m_f) a_f^2 / n_y

The last term lets a share differ from m by about its standard error, so that rare features do not decide; it is raised until no weight
is above `LARGEST`. A pattern of a grammar is known in parsed rows only: m is its share in these, and x_i - m is 0 for all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.methods.method import Figures, Round
from longway.methods.repair.balance import BOUND, gain
from longway.methods.repair.features import Numbers
from longway.methods.repair.repair import Repair

Bools = NDArray[np.bool_]

LARGEST = 8.0  # times the mean weight of the label
SLACK, STEPS = 1.0, 6  # each step is four times as slack
ROUNDS = 3  # features that are tied to a label only after weighing are added so often
FEWEST = 5  # rows with a feature that is balanced
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Parsed:
    """Which rows a grammar parsed, and which columns of the table are patterns of the grammar."""

    rows: Bools
    columns: Bools


def weigh(repair: Repair) -> Iterator[Round]:
    """Give every row a weight, such that what is tied to a label in the rows is tied to none in the weighted rows."""
    balance = repair.balance
    kept = repair.kept
    labels = np.array([balance.labels[row] for row in kept], dtype=np.int64)
    weights = balancing_weights([balance.features[row] for row in kept], labels, parsed=repair.parsed)
    repair.weights = dict(zip(kept, weights.round(4).tolist(), strict=True))
    n = len(kept)
    edits = [repair.row_edit(row, weight) for row, weight in repair.weights.items()]
    yield repair.round(Figures(asked=n, candidates=n, accepted=n), edits)


def balancing_weights(
    features: Sequence[Numbers],
    labels: NDArray[np.integer],
    *,
    parsed: int | None = None,
) -> Floats:
    """A weight for each row; those of a label add up to its number of rows. features: for each row the numbers of its features.

    parsed: a number that says of a row that a grammar parsed it. Features with higher numbers are balanced among such rows.
    """
    labels = np.asarray(labels, dtype=np.int64)
    numbers, where = np.unique(np.concatenate([np.zeros(0, np.int64), *features]), return_inverse=True)
    ends = np.concatenate([[0], np.cumsum([len(row) for row in features], dtype=np.int64)])
    table = csr_matrix((np.ones(len(where)), where, ends), shape=(len(features), len(numbers)))
    often = np.asarray(table.sum(axis=0)).ravel() >= FEWEST
    known = None
    if parsed is not None and parsed in numbers:
        often[numbers == parsed] = False
        known = Parsed(table[:, numbers == parsed].toarray().ravel() > 0, numbers > parsed)
    weights = np.ones(len(features))
    balanced = np.zeros(len(numbers), dtype=bool)
    for _ in range(ROUNDS):
        tied = often & (weighted_gain(table, labels, weights, known) > BOUND)
        if not (tied & ~balanced).any():
            break
        balanced |= tied
        part = None if known is None else Parsed(known.rows, known.columns[balanced])
        weights = entropy_balanced(csr_matrix(table[:, balanced]), labels, part)
    return weights


def entropy_balanced(table: csr_matrix, labels: NDArray[np.integer], parsed: Parsed | None = None) -> Floats:
    """The weights for all features of a table of rows by features, zeros and ones."""
    n, n_features = table.shape
    parsed = parsed or Parsed(np.ones(n, np.bool_), np.zeros(n_features, np.bool_))
    means = np.asarray(table.sum(axis=0)).ravel() / np.where(parsed.columns, max(parsed.rows.sum(), 1), n)
    weights = np.ones(n)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        own, mine_parsed = csr_matrix(table[rows]), Parsed(parsed.rows[rows], parsed.columns)
        n_known = np.where(parsed.columns, max(mine_parsed.rows.sum(), 1), len(rows))
        slack = SLACK * means * (1 - means) / n_known
        for step in range(STEPS):
            mine = _solve(own, means, slack * 4**step, mine_parsed)
            if mine.max(initial=0.0) <= LARGEST:
                break
        weights[rows] = np.minimum(mine, LARGEST)
        weights[rows] *= len(rows) / weights[rows].sum()
    return weights


def weighted_gain(
    table: csr_matrix, labels: NDArray[np.integer], weights: Floats, parsed: Parsed | None = None
) -> Floats:
    """n times the mutual information of each feature with the label, by weight."""
    own = np.eye(int(labels.max(initial=0)) + 1)[:, labels] * weights
    counts = np.asarray(own @ table)
    gains = gain(counts, own.sum(axis=1))
    if parsed is not None:
        gains[parsed.columns] = gain(counts[:, parsed.columns], own[:, parsed.rows].sum(axis=1))
    return gains


def effective_rows(weights: Floats) -> float:
    """How many rows of equal weight would say as much (Kish)."""
    return float(weights.sum() ** 2 / max(np.square(weights).sum(), 1e-12)) if len(weights) else 0.0


def _solve(own: csr_matrix, means: Floats, slack: Floats, parsed: Parsed) -> Floats:
    """The weights of the rows of one label, with a mean of 1."""
    from scipy.optimize import minimize  # a third of a second to import

    def scores_of(a: Floats) -> Floats:
        """(x_i - m) . a of each row."""
        expected = means * a
        of_patterns = expected[parsed.columns].sum()
        return np.asarray(own @ a - (expected.sum() - of_patterns) - parsed.rows * of_patterns)

    def dual(a: Floats) -> tuple[float, Floats]:
        scores = scores_of(a)
        top = scores.max(initial=0.0)
        raised = np.exp(scores - top)
        total = raised.sum()
        known = np.where(parsed.columns, raised[parsed.rows].sum() / total, 1.0)
        slope = own.T @ (raised / total) - known * means + slack * a
        return float(top + np.log(total) + 0.5 * (slack * a) @ a), slope

    found = minimize(dual, np.zeros(own.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    scores = scores_of(found.x)
    raised = np.exp(scores - scores.max(initial=0.0))
    return np.asarray(raised / raised.mean())
