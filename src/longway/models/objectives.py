"""Objectives: the loss of some rows and its gradient with respect to their logits; and when to stop training.

    CrossEntropy(targets)                       the plain loss
    CrossEntropy(targets, weights=w)            weighted rows
    CrossEntropy(targets, offsets=log_p)        product of experts: offsets are another model's log-probabilities
    GroupDRO(targets, groups)                   the worst group counts most

They are written once, in numpy, with analytic gradients: a linear model passes the gradient to its optimizer, a neural one
starts its backward pass from it. The gradient of cross-entropy for the logits z of one row is softmax(z) - onehot(y).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from longway.errors import TrainingError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
T = TypeVar("T")


class Objective(Protocol):
    """A loss over rows of the training data.

    targets: the label index of each training row. moving: whether each call changes it; it then has no fixed minimum, and
    is trained by gradient steps.
    """

    targets: Ints
    moving: bool

    def __call__(self, rows: Ints, logits: Floats) -> tuple[float, Floats]:
        """The mean loss of the rows, and its gradient for their logits. rows: indices into the training data."""
        ...


class CrossEntropy:
    """Weighted cross-entropy, of the classifier alone or of its product with another model.

    weights: per training row, default 1; scaled to a mean of 1.
    offsets: (n, labels), added to the logits before the softmax: log-probabilities of a model that is not trained here.
    """

    moving = False

    def __init__(
        self, targets: Ints, *, weights: Floats | None = None, offsets: Floats | None = None
    ) -> None:
        self.targets = targets
        self.weights = None if weights is None else weights / weights.mean()
        self.offsets = offsets

    def __call__(self, rows: Ints, logits: Floats) -> tuple[float, Floats]:
        """The mean loss of the rows, and its gradient for their logits."""
        if self.offsets is not None:
            logits = logits + self.offsets[rows]
        losses, gradient = cross_entropy(logits, self.targets[rows])
        share = np.full(len(rows), 1 / len(rows))
        if self.weights is not None:
            share = share * self.weights[rows]
        return float(losses @ share), gradient * share[:, None]


class GroupDRO:
    """Group DRO (Sagawa et al. 2020, Algorithm 1): groups with a high loss gain weight, step by step.

    q_g <- q_g exp(step x (L_g + adjustment / sqrt(n_g))), q scaled to a sum of 1;   loss = sum of q_g L_g

    L_g is the mean loss of group g. The paper samples all groups equally often; here rows come as they are, and L_g is
    estimated by n / (n_g x rows in the batch) times the sum over the batch's rows of g, which is unbiased, and exact for a
    batch of all rows. A group without a row in the batch gains nothing (apart from scaling).

    groups: the group index of each training row. step: eta in the paper. adjustment: C in the paper, which favours small groups.
    """

    moving = True

    def __init__(self, targets: Ints, groups: Ints, *, step: float = 0.01, adjustment: float = 0.0) -> None:
        self.targets = targets
        self.groups = groups
        self.step = step
        self.sizes = np.bincount(groups)
        self.extra = adjustment / np.sqrt(np.maximum(self.sizes, 1))
        self.q = (self.sizes > 0) / (self.sizes > 0).sum()

    def __call__(self, rows: Ints, logits: Floats) -> tuple[float, Floats]:
        """Update the group weights; return the weighted loss of the rows and its gradient for their logits."""
        losses, gradient = cross_entropy(logits, self.targets[rows])
        groups = self.groups[rows]
        share = len(self.groups) / (self.sizes[groups] * len(rows))
        mean = np.bincount(groups, losses * share, minlength=len(self.q))
        is_present = np.bincount(groups, minlength=len(self.q)) > 0
        self.q = self.q * np.exp(self.step * (mean + is_present * self.extra))
        self.q /= self.q.sum()
        return float(self.q @ mean), gradient * (self.q[groups] * share)[:, None]


def cross_entropy(logits: Floats, targets: Ints) -> tuple[Floats, Floats]:
    """Each row's loss, and its gradient for the row's logits."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_sum = np.log(np.exp(shifted).sum(axis=1))
    rows = np.arange(len(targets))
    gradient = np.exp(shifted - log_sum[:, None])
    gradient[rows, targets] -= 1
    return log_sum - shifted[rows, targets], gradient


def loss_and_accuracy(logits: Floats, targets: Ints) -> tuple[float, float]:
    """The mean cross-entropy of rows, and the share that is correct."""
    return float(cross_entropy(logits, targets)[0].mean()), float((logits.argmax(axis=1) == targets).mean())


class Best(Generic[T]):
    """Keeps the model with the highest validation accuracy; on ties the one with the lower loss.

    >>> best = Best()
    >>> for accuracy, loss, model in [(0.5, 0.7, "first"), (0.8, 0.5, "second"), (0.8, 0.6, "third")]:
    ...     best.offer(accuracy, loss, lambda model=model: model)
    >>> best.kept, best.since
    ('second', 1)
    """

    def __init__(self) -> None:
        self.kept: T | None = None
        self.since = 0  # offers that were not better than the kept one
        self._score = (-1.0, 0.0)

    def offer(self, accuracy: float, loss: float, model: Callable[[], T]) -> None:
        """Keep the model if it is better; `model` is called only then."""
        self.since += 1
        if (accuracy, -loss) > self._score:
            self._score, self.kept, self.since = (accuracy, -loss), model(), 0


def held_out(targets: Ints, *, seed: int = 0) -> tuple[Ints, Ints]:
    """Row indices for training and for validation: a tenth of each label, at least one row if it has five.

    >>> train, stop = held_out(np.array([0] * 10 + [1] * 20), seed=1)
    >>> len(train), len(stop)
    (27, 3)
    """
    rng = np.random.default_rng(seed)
    chosen = []
    for label in np.unique(targets):
        rows = rng.permutation(np.flatnonzero(targets == label))
        n = max(round(0.1 * len(rows)), int(len(rows) >= 5))
        chosen.append(rows[:n])
    stop = np.sort(np.concatenate([np.zeros(0, np.int64), *chosen]))
    return np.setdiff1d(np.arange(len(targets)), stop), stop


def not_a_number(advice: str) -> TrainingError:
    """The error for a loss that is NaN or infinite."""
    return TrainingError(f"The loss became not-a-number, so training stopped. {advice}")
