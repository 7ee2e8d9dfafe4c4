"""A ranker: picks one candidate of each question by a linear score, learned by the conditional logit.

    p(candidate i is right | question) = exp(w · x_i) / sum over j of the same question of exp(w · x_j)

What is the same for all candidates of a question cancels out, so the ranker knows nothing but differences between candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STEPS = 200


@dataclass(frozen=True, slots=True)
class Sets:
    """Candidates in a row, question after question. starts: where each question begins, and the end; right: the place of each right candidate."""

    starts: Ints
    right: Ints

    @property
    def sizes(self) -> Ints:
        """How many candidates each question has."""
        return np.diff(self.starts)

    @property
    def question(self) -> Ints:
        """The question of each candidate."""
        return np.repeat(np.arange(len(self.right)), self.sizes)

    def part(self, keep: Ints) -> tuple[Sets, Ints]:
        """Some questions, and the places of their candidates."""
        sizes = self.sizes[keep]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[keep] - starts[:-1], sizes) + np.arange(starts[-1])
        return Sets(starts, starts[:-1] + self.right[keep] - self.starts[keep]), places


def softmax(scores: Floats, sets: Sets) -> Floats:
    """The probability of each candidate within its question."""
    question = sets.question
    shifted = np.exp(scores - np.maximum.reduceat(scores, sets.starts[:-1])[question])
    return np.asarray(shifted / np.add.reduceat(shifted, sets.starts[:-1])[question], dtype=np.float64)


def fit(features: Any, sets: Sets, penalty: float | Floats, start: Floats | None = None) -> Floats:
    """The weights with the highest likelihood less penalty / 2 * |w|², one penalty for all or one for each feature.

    features: candidates by features, dense or sparse.
    """
    n = features.shape[1]

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = features @ weights
        p = softmax(scores, sets)
        error = p.copy()
        error[sets.right] -= 1
        value = -np.log(np.maximum(p[sets.right], 1e-300)).sum() + 0.5 * (penalty * weights**2).sum()
        return float(value), np.asarray(features.T @ error + penalty * weights)

    first = np.zeros(n) if start is None else start
    with threadpool_limits(1):  # its many short products are ten times slower if threads wait for each other
        result = minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return np.asarray(result.x, dtype=np.float64)


def hits(scores: Floats, sets: Sets) -> Floats:
    """For each question the chance that its right candidate is picked: 1 if its score is highest alone, 1/k if k share the highest."""
    top = np.maximum.reduceat(scores, sets.starts[:-1])
    is_top = scores >= top[sets.question] - 1e-12
    ties = np.add.reduceat(is_top.astype(np.float64), sets.starts[:-1])
    return np.asarray(is_top[sets.right] / ties, dtype=np.float64)
