"""Does a concept predict a label beyond what is known already? The score test in a logistic model.

    log-odds of the label = covariates . b  (+ concept . g)           tested: g = 0

With residuals r = y - p of the model without the concept, weights W = p (1 - p) and covariates Z (with a constant), the score of a concept x is
U = x . r, its variance V = x'Wx - x'WZ (Z'WZ)^-1 Z'Wx, and U^2 / V has a chi-squared distribution with one degree of freedom (Rao 1948). One fit
serves all concepts. U^2 / V is divided by the design effect of the concept, as in all tests (`detect.clusters`). With many covariates for few rows
V is too small: it is multiplied by n / (n - covariates), and `most_covariates` bounds their number.

The same test joins concepts that say the same (`leaders`): one that predicts nothing beyond stronger concepts is a variant of one of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import chdtrc, expit

Bools = NDArray[np.bool_]

RIDGE = 1e-3  # penalty on the square of a weight; covariates may be equal
STEPS = 25
HALVINGS = 20
MOST_COVARIATES = 100
ROWS_PER_COVARIATE = 10  # with the label, and as many without it
CLOSE = 1e-8
FEWEST = (
    0.5  # variance of a score, from which the distribution is near enough: that of two rows with even odds
)
UNDECIDED = 0.5  # sum of p (1 - p) over all rows, below which the covariates determine the label
DETERMINED = 1e-3  # share of the variance that covariates leave
NOT_EXPLAINED = 0.01  # highest p of a concept beside stronger ones with which it leads a group

Floats = NDArray[np.float64]


class SeparatedError(Exception):
    """The covariates determine the label of every row, so that nothing can be tested beyond them."""


def most_covariates(outcome: Bools) -> int:
    """How many covariates the score test allows for: one for each 10 rows with the label or without it, whichever are fewer.

    >>> most_covariates(np.arange(240) < 120), most_covariates(np.arange(240) < 30), most_covariates(np.arange(9000) < 4000)
    (12, 3, 100)
    """
    with_label = int(outcome.sum())
    return min(MOST_COVARIATES, min(with_label, len(outcome) - with_label) // ROWS_PER_COVARIATE)


def fitted(outcome: Bools, covariates: Floats) -> Floats:
    """The probabilities of a logistic model (Newton's method, a slight penalty on all but the constant, which is the first covariate)."""
    k = covariates.shape[1]
    penalty = RIDGE * np.eye(k)
    penalty[0, 0] = 0

    def fit(weights: Floats) -> float:
        odds = covariates @ weights
        return float(np.sum(outcome * odds - np.logaddexp(0, odds)) - weights @ penalty @ weights / 2)

    weights = np.zeros(k)
    for _ in range(STEPS):
        p = expit(covariates @ weights)
        gradient = covariates.T @ (outcome - p) - penalty @ weights
        hessian = (covariates * (p * (1 - p))[:, None]).T @ covariates + penalty
        move = np.linalg.solve(hessian + 1e-9 * np.eye(k), gradient)
        best = fit(weights)
        for _ in range(HALVINGS):
            if fit(weights + move) >= best - CLOSE:
                break
            move /= 2
        weights += move
        if float(np.abs(move).max(initial=0)) < CLOSE:
            break
    return np.asarray(expit(covariates @ weights))


def score_test(
    concepts: csr_matrix, outcome: Bools, covariates: Floats, effect: Floats | None = None
) -> tuple[Floats, Floats]:
    """z and two-sided p of each concept (column) given the covariates. effect: rows per observation of each concept.

    Raises SeparatedError if the covariates determine the label.
    """
    z_known = np.column_stack([np.ones(len(outcome)), standardized(covariates)])
    p = fitted(outcome, z_known)
    w = p * (1 - p)
    if w.sum() < UNDECIDED:
        raise SeparatedError
    x = concepts.astype(np.float64)
    score = np.asarray(x.T @ (outcome - p)).ravel()
    own = np.asarray(x.multiply(x).T @ w).ravel()
    cross = np.asarray(x.T @ (z_known * w[:, None]))  # (concepts, covariates)
    inner = (z_known * w[:, None]).T @ z_known
    explained = np.einsum("ij,ij->i", cross, np.linalg.solve(inner + 1e-9 * np.eye(len(inner)), cross.T).T)
    left = own - explained
    # Of a concept that the covariates determine, nothing is left to test but rounding errors.
    enough = (left > FEWEST) & (left > DETERMINED * own)
    n, k = len(outcome), z_known.shape[1] - 1
    # Fitted probabilities are closer to 0 and 1 than the true ones, so W is too small, as residuals are in a linear model.
    variance = np.where(enough, left, 1.0) * (1.0 if effect is None else effect) * n / max(n - k, 1)
    z = np.where(enough, score / np.sqrt(variance), 0.0)
    return z, np.asarray(chdtrc(1, z**2))


def leaders(
    concepts: csr_matrix, outcome: Bools, covariates: Floats, effect: Floats | None = None
) -> list[int]:
    """For each concept (column), strongest first, the one that leads its group.

    A concept leads if it predicts the label given the covariates and the leaders before it, or if no leader has rows like its own. Others join the
    leader whose rows are most alike.
    """
    columns = standardized_presence(concepts)
    led_by, found = list[int](), list[int]()
    says_more = np.ones(concepts.shape[1], dtype=bool)
    for i in range(concepts.shape[1]):
        alike = columns[:, found].T @ columns[:, i]
        if not says_more[i] and alike.max(initial=0.0) > 0:
            led_by.append(found[int(np.argmax(alike))])
            continue
        led_by.append(i)
        found.append(i)
        try:
            z, p = score_test(concepts, outcome, np.column_stack([covariates, columns[:, found]]), effect)
            says_more = (z > 0) & (p <= NOT_EXPLAINED)
        except SeparatedError:
            says_more[:] = False
    return led_by


def standardized_presence(concepts: csr_matrix) -> Floats:
    """Each column minus its mean, divided by its standard deviation; zeros where it does not vary."""
    columns = concepts.toarray().astype(np.float64)
    columns -= columns.mean(axis=0)
    return np.asarray(columns / np.maximum(columns.std(axis=0), 1e-12))


def standardized(columns: Floats) -> Floats:
    """Each column minus its mean, divided by its standard deviation; columns that do not vary are left out."""
    spread = columns.std(axis=0)
    varies = spread > 1e-12
    return np.asarray((columns[:, varies] - columns[:, varies].mean(axis=0)) / spread[varies])
