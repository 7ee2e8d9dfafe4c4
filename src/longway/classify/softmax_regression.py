"""Softmax regression on sparse or dense features, for any objective: the last layer of every model that needs no torch.

    lowered:  objective(all rows, features W + b)  +  |W|^2 / (2 strength n)

The regulariser stays out of the objective. The loss told at checkpoints is plain cross-entropy. L-BFGS finds the minimum. An
objective whose weights move at each call (group DRO) has none to find: it gets gradient steps (Adam, Kingma and Ba 2015).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from longway.classify.classifier import Epoch, Watch, softmax
from longway.classify.objectives import Objective, cross_entropy
from longway.classify.validation import Best, not_a_number

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Matrix: TypeAlias = csr_matrix | Floats

MAX_STEPS = 1024
MOVING_STEPS = 512
LEARNING_RATE = 0.05


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows to look at during training: features and the numbers of their labels."""

    features: Matrix
    targets: Ints


@dataclass(frozen=True, slots=True)
class SoftmaxRegression:
    """One weight for each feature and label, and one for each label alone."""

    weights: Floats  # (features, labels)
    bias: Floats  # (labels,)

    def logits(self, features: Matrix) -> Floats:
        """(n, labels): what softmax makes probabilities of."""
        return np.asarray(features @ self.weights + self.bias, np.float64)


def fit_softmax(
    features: Matrix,
    objective: Objective,
    n_labels: int,
    *,
    strength: float = 1.0,
    validation: Scored | None = None,
    watch: Watch | None = None,
    max_steps: int | None = None,
) -> SoftmaxRegression:
    """The regression that lowers the objective most, or the checkpoint that was best on the validation rows.

    strength: how far weights may grow; with more rows they may grow further. Checkpoints come after 1, 2, 4, 8 ... steps and at the end.
    """
    lowered = _Lowered(features, objective, n_labels, 1 / (strength * features.shape[0]))
    moving = getattr(objective, "moving", False)
    steps = max_steps or (MOVING_STEPS if moving else MAX_STEPS)
    told = _Told(lowered, Scored(features, objective.targets), validation, watch, steps)
    start = np.zeros((features.shape[1] + 1) * n_labels)
    last = (_adam if moving else _lbfgs)(lowered, start, steps, told)
    told.at_the_end(last)
    return told.best.kept if told.best.kept is not None else lowered.unpacked(last)


class _Lowered:
    """The objective and the regulariser as one function of one flat array."""

    def __init__(self, features: Matrix, objective: Objective, n_labels: int, penalty: float) -> None:
        self.features, self.objective = features, objective
        self.n_labels, self.penalty = n_labels, penalty
        self.rows = np.arange(features.shape[0])

    def unpacked(self, flat: Floats) -> SoftmaxRegression:
        table = flat.reshape(-1, self.n_labels)
        return SoftmaxRegression(table[:-1], table[-1])

    def __call__(self, flat: Floats) -> tuple[float, Floats]:
        now = self.unpacked(flat)
        loss, slope = self.objective(self.rows, now.logits(self.features))
        if not np.isfinite(loss):
            raise not_a_number("Use features without infinite values, or plain weights.")
        by_weight = np.asarray(self.features.T @ slope) + self.penalty * now.weights
        total = loss + self.penalty / 2 * float((now.weights**2).sum())
        return total, np.concatenate([by_weight.ravel(), slope.sum(axis=0)])


class _Told:
    """Tells what is known at checkpoints, and keeps the best on the validation rows."""

    def __init__(
        self, lowered: _Lowered, training: Scored, validation: Scored | None, watch: Watch | None, steps: int
    ) -> None:
        self.lowered, self.training, self.validation, self.watch = lowered, training, validation, watch
        self.steps = steps
        self.best: Best[SoftmaxRegression] = Best()
        self.number = 0

    def after(self, step: int, flat: Floats) -> None:
        if step & (step - 1) == 0 and step < self.steps:  # 1, 2, 4, 8 ...
            self._tell(flat)

    def at_the_end(self, flat: Floats) -> None:
        self._tell(flat, last=True)

    def _tell(self, flat: Floats, *, last: bool = False) -> None:
        if self.watch is None and self.validation is None:
            return
        self.number += 1
        now = self.lowered.unpacked(flat.copy())
        loss, accuracy = float("nan"), float("nan")
        if self.validation is not None:
            loss, accuracy = loss_and_accuracy(now.logits(self.validation.features), self.validation.targets)
            self.best.offer(accuracy, loss, lambda: now)
        if self.watch is not None:
            of = self.number if last else self.steps.bit_length() + 1
            self.watch(self._epoch(now, of, loss, accuracy))

    def _epoch(self, now: SoftmaxRegression, of: int, loss: float, accuracy: float) -> Epoch:
        logits, targets = now.logits(self.training.features), self.training.targets
        gold = softmax(logits)[np.arange(len(targets)), targets]
        mean = float(cross_entropy(logits, targets)[0].mean())
        return Epoch(self.number, of, mean, loss, accuracy, gold)


def loss_and_accuracy(logits: Floats, targets: Ints) -> tuple[float, float]:
    """The mean cross-entropy of rows, and the share of them that is right."""
    return float(cross_entropy(logits, targets)[0].mean()), float((logits.argmax(axis=1) == targets).mean())


def _lbfgs(lowered: _Lowered, start: Floats, steps: int, told: _Told) -> Floats:
    step = 0

    def callback(intermediate_result: Any) -> None:
        nonlocal step
        step += 1
        told.after(step, intermediate_result.x)

    options = {"maxiter": steps, "maxfun": 4 * steps, "ftol": 1e-8, "gtol": 1e-6, "maxcor": 20}
    with threadpool_limits(
        1
    ):  # its many short products are ten times slower where threads wait for each other
        found = minimize(lowered, start, jac=True, method="L-BFGS-B", callback=callback, options=options)
    if found.nit >= steps:
        warnings.warn(
            f"Softmax regression stopped after {steps} steps before it was done; its largest slope is still "
            f"{np.abs(found.jac).max():.1e}. A lower strength makes it end sooner.",
            stacklevel=4,
        )
    return np.asarray(found.x, np.float64)


def _adam(
    lowered: Callable[[Floats], tuple[float, Floats]], start: Floats, steps: int, told: _Told
) -> Floats:
    x, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, steps + 1):
        _, slope = lowered(x)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        pace = LEARNING_RATE * (1 - (step - 1) / steps)  # slower towards the end, so that it comes to rest
        x -= pace * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        told.after(step, x)
    return x
