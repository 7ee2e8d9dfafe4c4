"""Softmax regression on sparse or dense features, for any objective: the last layer of every model that needs no torch.

    minimized:  objective(all rows, features W + b)  +  |W|^2 / (2 strength n)

The regularizer is not part of the objective. L-BFGS finds the
minimum. An objective that changes with each call (group DRO) has none and gets gradient steps (Adam, Kingma and Ba 2015).
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from longway.models.classifier import Classifier, FitData, Floats, Inputs, Ints, targets_of
from longway.models.objectives import Best, Objective, loss_and_accuracy, not_a_number

Matrix: TypeAlias = csr_matrix | Floats
Scored: TypeAlias = tuple[Matrix, Ints]  # rows to evaluate during training: features and label indices

MAX_STEPS = 1024
MOVING_STEPS = 512
LEARNING_RATE = 0.05


@dataclass(frozen=True, slots=True)
class SoftmaxRegression:
    """A weight per feature and label, and a bias per label."""

    weights: Floats  # (features, labels)
    bias: Floats  # (labels,)

    def logits(self, features: Matrix) -> Floats:
        """(n, labels): unnormalized log-probabilities."""
        return np.asarray(features @ self.weights + self.bias, np.float64)


class SoftmaxClassifier(Classifier):
    """Base class of classifiers that compute features and apply a softmax regression."""

    regression_: SoftmaxRegression

    @abstractmethod
    def features(self, inputs: Inputs) -> Matrix:
        """(n, columns): the features of the rows."""

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): unnormalized log-probabilities."""
        return self.regression_.logits(self.features(inputs))

    def _fit_regression(self, features: Matrix, given: FitData, *, strength: float) -> None:
        stop = None
        if given.validation is not None:
            targets = targets_of(given.validation.labels, self.labels_)
            stop = self.features(given.validation.inputs), targets
        n_labels = len(self.labels_)
        self.regression_ = fit_softmax(
            features, given.objective, n_labels, strength=strength, validation=stop
        )


def fit_softmax(
    features: Matrix,
    objective: Objective,
    n_labels: int,
    *,
    strength: float = 1.0,
    validation: Scored | None = None,
    max_steps: int | None = None,
) -> SoftmaxRegression:
    """The regression that minimizes the objective, or the checkpoint that was best on the validation rows.

    strength: inverse regularization; with more rows, weights may grow further. Checkpoints are after 1, 2, 4, 8 ... steps
    and at the end.
    """
    loss = _RegularizedLoss(features, objective, n_labels, 1 / (strength * features.shape[0]))
    steps = max_steps or (MOVING_STEPS if objective.moving else MAX_STEPS)
    checkpoints = _Checkpoints(loss, validation, steps)
    start = np.zeros((features.shape[1] + 1) * n_labels)
    last = (_adam if objective.moving else _lbfgs)(loss, start, steps, checkpoints)
    checkpoints.offer(last)
    return checkpoints.best.kept if checkpoints.best.kept is not None else loss.unpacked(last)


class _RegularizedLoss:
    """The objective and the regularizer as one function of one flat array."""

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
            raise not_a_number("Use features without infinite values, or unweighted rows.")
        by_weight = np.asarray(self.features.T @ slope) + self.penalty * now.weights
        total = loss + self.penalty / 2 * float((now.weights**2).sum())
        return total, np.concatenate([by_weight.ravel(), slope.sum(axis=0)])


class _Checkpoints:
    """Keeps the checkpoint that is best on the validation rows, if there are any."""

    def __init__(self, loss: _RegularizedLoss, validation: Scored | None, steps: int) -> None:
        self.loss, self.validation, self.steps = loss, validation, steps
        self.best: Best[SoftmaxRegression] = Best()

    def after(self, step: int, flat: Floats) -> None:
        if step & (step - 1) == 0 and step < self.steps:  # 1, 2, 4, 8 ...
            self.offer(flat)

    def offer(self, flat: Floats) -> None:
        if self.validation is None:
            return
        now = self.loss.unpacked(flat.copy())
        features, targets = self.validation
        loss, accuracy = loss_and_accuracy(now.logits(features), targets)
        self.best.offer(accuracy, loss, lambda: now)


def _lbfgs(loss: _RegularizedLoss, start: Floats, steps: int, checkpoints: _Checkpoints) -> Floats:
    from scipy.optimize import minimize  # a third of a second to import

    step = 0

    def callback(intermediate_result: Any) -> None:
        nonlocal step
        step += 1
        checkpoints.after(step, intermediate_result.x)

    options = {"maxiter": steps, "maxfun": 4 * steps, "ftol": 1e-8, "gtol": 1e-6, "maxcor": 20}
    with threadpool_limits(1):  # its many short products are ten times slower if threads wait for each other
        found = minimize(loss, start, jac=True, method="L-BFGS-B", callback=callback, options=options)
    if found.nit >= steps:
        warnings.warn(
            f"Softmax regression stopped after {steps} steps without converging; its largest gradient is still "
            f"{np.abs(found.jac).max():.1e}. A lower strength converges sooner.",
            stacklevel=4,
        )
    return np.asarray(found.x, np.float64)


def _adam(
    loss: Callable[[Floats], tuple[float, Floats]], start: Floats, steps: int, checkpoints: _Checkpoints
) -> Floats:
    x, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, steps + 1):
        _, slope = loss(x)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        rate = LEARNING_RATE * (1 - (step - 1) / steps)  # decays to zero
        x -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        checkpoints.after(step, x)
    return x
