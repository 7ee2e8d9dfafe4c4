"""Rows kept aside to stop on, and the best model seen so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from longway.classify.classifier import Ints, Labelled
from longway.errors import TrainingError

T = TypeVar("T")


class Best(Generic[T]):
    """Keeps the model with the highest accuracy on the validation rows; of equals the one with the lower loss.

    >>> best = Best()
    >>> for accuracy, loss, model in [(0.5, 0.7, "first"), (0.8, 0.5, "second"), (0.8, 0.6, "third")]:
    ...     best.offer(accuracy, loss, lambda model=model: model)
    >>> best.kept, best.since
    ('second', 1)
    """

    def __init__(self) -> None:
        self.kept: T | None = None
        self.since = 0  # offers that were no better than what is kept
        self._score = (-1.0, 0.0)

    def offer(self, accuracy: float, loss: float, model: Callable[[], T]) -> None:
        """Keep the model where it is better; it is only asked for then."""
        self.since += 1
        if (accuracy, -loss) > self._score:
            self._score, self.kept, self.since = (accuracy, -loss), model(), 0


def held_out(labels: Ints, *, share: float = 0.1, seed: int = 0) -> tuple[Ints, Ints]:
    """Row numbers to train on and to stop on: a share of each label, at least one row where it has five.

    >>> train, stop = held_out(np.array([0] * 10 + [1] * 20), seed=1)
    >>> len(train), len(stop)
    (27, 3)
    """
    rng = np.random.default_rng(seed)
    chosen = []
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        n = max(round(share * len(rows)), int(len(rows) >= 5))
        chosen.append(rows[:n])
    stop = np.sort(np.concatenate([np.zeros(0, np.int64), *chosen]))
    return np.setdiff1d(np.arange(len(labels)), stop), stop


def parts(data: Labelled, targets: Ints, validation: Labelled | None, *, seed: int) -> tuple[Ints, Labelled]:
    """The rows to train on, and what to stop on: what was given, or a tenth of the rows where nothing was."""
    if validation is not None:
        return np.arange(len(data)), validation
    train, stop = held_out(targets, seed=seed)
    return train, data.take(stop)


def not_a_number(next_step: str) -> TrainingError:
    """The error for a loss that cannot be lowered."""
    return TrainingError(f"The loss became not-a-number, so training stopped. {next_step}")
