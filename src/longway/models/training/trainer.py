"""The interface of training methods: a method trains a classifier in its own way and returns it.

    TrainingData      rows to train on, validation rows, and which rows have which known shortcuts
    Trainer           makes and trains classifiers of one kind
    TrainingMethod    a row of `TRAINING`: name, function, what it needs; fit(data, trainer) -> a trained classifier

A method works with any kind of classifier: it passes objectives (`models/objectives.py`) or weights, or trains more than once.
A classifier that does not support an objective raises an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from longway.errors import SettingError
from longway.models.classifier import Bools, Classifier, Floats, Ints, Labelled, label_names, targets_of
from longway.models.objectives import CrossEntropy, Objective

Fresh = Callable[[int], Classifier]  # seed -> an untrained classifier
CONTEXT, SHORTCUTS = "context", "shortcuts"


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What to train on.

    validation: rows for early stopping; by default the classifier uses a part of `labelled`.
    shortcuts: (rows of `labelled`, known shortcuts), 1 if a row has one; None if no search was made.
    keep: phrases, as words, that are real signal: n-grams that contain them are not shortcuts.
    weights: of the rows, for plain training; None if all count the same.
    are_rules: whether the shortcuts are rules of a grammar. Methods then use them instead of n-grams.
    parsed: which rows the grammar parsed; by default those that have a rule.
    """

    labelled: Labelled
    validation: Labelled | None = None
    shortcuts: csr_matrix | None = None
    keep: tuple[tuple[str, ...], ...] = ()
    weights: Floats | None = None
    are_rules: bool = False
    parsed: Bools | None = None

    @property
    def is_pairs(self) -> bool:
        """Whether rows have a context."""
        return self.labelled.inputs.contexts is not None

    @property
    def has_shortcuts(self) -> bool:
        """Whether there is at least one known shortcut."""
        return self.shortcuts is not None and self.shortcuts.shape[1] > 0

    @property
    def seen(self) -> Bools:
        """The rows whose shortcuts are known: all of them, or those that a grammar parsed."""
        if self.shortcuts is None or not self.are_rules:
            return np.ones(len(self.labelled), dtype=np.bool_)
        return self.parsed if self.parsed is not None else np.diff(self.shortcuts.indptr) > 0

    def rules_in(self, fewest: int) -> csr_matrix:
        """The shortcuts; if they are rules of a grammar, only those that at least so many rows have."""
        assert self.shortcuts is not None
        if not self.are_rules:
            return self.shortcuts
        return self.shortcuts[:, self.shortcuts.getnnz(axis=0) >= fewest]

    def targets(self) -> Ints:
        """The index of each row's label, as a classifier of these rows counts them."""
        return targets_of(self.labelled.labels, label_names(self.labelled.labels))


@dataclass(frozen=True, slots=True)
class Trainer:
    """Makes and trains classifiers of one kind.

    notify: called with a short text if a method does no more than plain training, or less than intended.
    """

    fresh: Fresh
    seed: int
    notify: Callable[[str], object] = lambda text: None

    def train(self, data: TrainingData, objective: Objective | None = None) -> Classifier:
        """A new classifier, trained on the data."""
        return self.fresh(self.seed).fit(data.labelled, objective=objective, validation=data.validation)


@dataclass(frozen=True, slots=True)
class TrainingMethod:
    """A way to train a classifier.

    train: returns a trained classifier. needs: what the data must have: "context", "shortcuts", or "" for nothing.
    knows_shortcuts: whether it uses those of the data.
    """

    name: str
    train: Callable[[TrainingData, Trainer], Classifier]
    needs: str = ""
    knows_shortcuts: bool = False

    def fit(self, data: TrainingData, trainer: Trainer) -> Classifier:
        """A trained classifier. Raises SettingError if the data lack what the method needs."""
        if self.needs == CONTEXT and not data.is_pairs:
            raise SettingError(
                f"The method {self.name!r} needs pairs, a text and its context, but the rows are single texts. "
                "Name the context column, or choose another method."
            )
        if self.needs == SHORTCUTS and not data.has_shortcuts:
            raise SettingError(
                f"The method {self.name!r} needs shortcuts of the training rows, and got none. "
                "Audit the data first, or choose a method that needs none, such as 'jtt'."
            )
        return self.train(data, trainer)


def erm(data: TrainingData, trainer: Trainer) -> Classifier:
    """Plain training, the baseline: the mean loss of all rows (empirical risk minimization).

    L = 1/n sum_i -log p(y_i | x_i), each row by its weight if the data have weights
    """
    weighted = None if data.weights is None else CrossEntropy(data.targets(), weights=data.weights)
    return trainer.train(data, weighted)
