"""What a classifier is trained to lower: the loss of some rows, and its gradient by their logits.

    CrossEntropy(targets)                       the plain loss
    CrossEntropy(targets, weights=w)            rows count as much as they weigh
    CrossEntropy(targets, offsets=log_p)        product of experts: offsets are another model's log-probabilities
    GroupDRO(targets, groups)                   the worst group counts most

All of them are written once, in numpy, with the gradient worked out by hand: a linear model hands it to its optimiser, a
neural one starts its backward pass from it. The gradient of cross-entropy by the logits z of one row is softmax(z) - onehot(y).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Objective(Protocol):
    """A loss over rows of the training data.

    One whose calls change it says so with `moving = True`: it has no minimum to search for, only steps to take.
    """

    targets: Ints

    def __call__(self, rows: Ints, logits: Floats) -> tuple[float, Floats]:
        """The mean loss of the rows, and its gradient by their logits. rows: their numbers in the training data."""
        ...


class CrossEntropy:
    """Weighted cross-entropy, of the classifier alone or of its product with another model.

    targets: the number of each training row's label.
    weights: of each training row, 1 where not given; scaled to a mean of 1.
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
        """The mean loss of the rows, and its gradient by their logits."""
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

    L_g is the mean loss of group g. The paper draws rows so that all groups come equally often; here rows come as they are, and
    L_g is estimated by n / (n_g x rows asked) times the sum over the asked rows of g, which is right on average, and exact
    where all rows are asked. A group without a row among those asked gains nothing (scaling aside).

    groups: the number of each training row's group. step: how fast weights move (eta in the paper).
    adjustment: C in the paper, more care for small groups.
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
        """The loss of the rows by the weights of their groups, which move; and its gradient by the logits."""
        losses, gradient = cross_entropy(logits, self.targets[rows])
        groups = self.groups[rows]
        share = len(self.groups) / (self.sizes[groups] * len(rows))
        mean = np.bincount(groups, losses * share, minlength=len(self.q))
        asked = np.bincount(groups, minlength=len(self.q)) > 0
        self.q = self.q * np.exp(self.step * (mean + asked * self.extra))
        self.q /= self.q.sum()
        return float(self.q @ mean), gradient * (self.q[groups] * share)[:, None]


def cross_entropy(logits: Floats, targets: Ints) -> tuple[Floats, Floats]:
    """Each row's loss, and its gradient by the row's logits."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_sum = np.log(np.exp(shifted).sum(axis=1))
    rows = np.arange(len(targets))
    gradient = np.exp(shifted - log_sum[:, None])
    gradient[rows, targets] -= 1
    return log_sum - shifted[rows, targets], gradient
