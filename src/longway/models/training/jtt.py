"""Just Train Twice: rows that a first classifier gets wrong count more in the second training (Liu et al. 2021).

"Just Train Twice: Improving Group Robustness without Training Group Information", Algorithm 1:

    E = rows that the identification model gets wrong
    L = 1/n ( times x sum_{i in E} loss(x_i, y_i)  +  sum_{i not in E} loss(x_i, y_i) )

The identification model must have learned the shortcut but not memorized its exceptions. The paper stops it after a few epochs.
How many depends on the classifier, and some have no epochs; so here every row is predicted by a classifier of the same kind
that was trained on other rows (5 folds, rows with the same text or context together). It has learned the shortcut as well as the
final one would, and memorized no exception. This costs five additional trainings.

`times` is lambda_up. The paper chooses it on validation rows with known groups: 4 to 6 on texts, 20 to 100 on images. Rows whose
label cannot be predicted at all are wrong too, and count as much. If the first classifier is often wrong, the second would learn
the opposite, so errors have at most the share `most` of all weight (not in the paper).

`JustTrainTwicePaper` (jtt-paper) is the paper's: the identification model is trained for one epoch on all rows, E are the rows of these
that it gets wrong, and they count `times` whatever their share is. So does "Finding Dataset Shortcuts with Grammar Induction" (Friedman,
Wettig, Chen 2022, appendix B), which does not give `times`. Repeating a row and weighting it have the same expected gradient; weights keep
copies of a row out of the rows that the training is stopped on. It needs a classifier with epochs.

It is one step of boosting: the second classifier turns to whatever the first did not use. That is the real signal only if the
first relied on the shortcut; if not, training twice can turn it *to* the shortcut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from longway.errors import SettingError
from longway.models.classifier import Classifier, Floats, Ints, label_names, targets_of
from longway.models.objectives import CrossEntropy
from longway.models.training.experts import folds, held_out_probabilities
from longway.models.training.trainer import Fresh, Trainer, TrainingData, TrainingMethod

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class JustTrainTwice(TrainingMethod):
    """Trained twice.

    times: weight of the first training's errors in the second. most: their maximum share of all weight.
    folds: to find them.
    """

    name: ClassVar[str] = "jtt"

    times: float = 5.0
    most: float = 0.3
    folds: int = 5

    def __post_init__(self) -> None:
        if self.times < 1:
            raise SettingError(
                f"'times' must be 1 or more: errors count more, not less. Got {self.times}. Try 5."
            )
        if not 0 < self.most < 1:
            raise SettingError(f"'most' must be between 0 and 1, both excluded. Got {self.most}. Try 0.3.")

    def fit(self, data: TrainingData, trainer: Trainer) -> Classifier:
        """The second classifier."""
        errors = self._first_errors(data, trainer)
        weights = self.weights(errors)
        if note := self.note(errors, float(weights.max())):
            trainer.notify(note)
        return trainer.train(data, CrossEntropy(data.targets(), weights=weights))

    def _first_errors(self, data: TrainingData, trainer: Trainer) -> Bools:
        return self.errors(trainer.fresh, data, seed=trainer.seed)

    def weights(self, errors: Bools) -> Floats:
        """The weight of each row.

        >>> JustTrainTwice(times=5, most=0.5).weights(np.array([True, False, False])).tolist()
        [2.0, 1.0, 1.0]
        """
        wrong, right = int(errors.sum()), int((~errors).sum())
        bound = self.most / (1 - self.most) * right / max(wrong, 1)
        return np.where(errors, max(1.0, min(self.times, bound)), 1.0)

    def note(self, errors: Bools, weight: float) -> str:
        """Why errors count less than intended; empty if they do not.

        >>> JustTrainTwice().note(np.array([False, False]), 1.0)
        'its first model got no row wrong: plain training'
        """
        if weight >= self.times:
            return ""
        if not errors.any():
            return "its first model got no row wrong: plain training"
        if weight == 1:
            return f"its first model got over {self.most:.0%} of the rows wrong, so they count no more than the others: plain training"
        return (
            f"its first model got many rows wrong, so they count less than {self.times:g} times "
            f"and have {self.most:.0%} of all weight"
        )

    def errors(self, fresh: Fresh, data: TrainingData, *, seed: int) -> Bools:
        """Which rows a classifier trained on other rows gets wrong."""
        names = label_names(data.labelled.labels)

        def predict(learn: Ints, rows: Ints) -> tuple[Ints, Floats]:
            first = fresh(seed).fit(data.labelled.take(learn), validation=data.validation)
            predicted = first.predict_proba(data.labelled.inputs.take(rows))
            return targets_of(first.labels_, names), predicted

        predicted = held_out_probabilities(predict, folds(data.labelled, self.folds, seed=seed), len(names))
        return np.asarray(predicted.argmax(axis=1) != data.targets())


@dataclass(frozen=True, slots=True)
class JustTrainTwicePaper(JustTrainTwice):
    """Trained twice, as published. epochs: of the identification model."""

    name: ClassVar[str] = "jtt-paper"

    epochs: int = 1

    def weights(self, errors: Bools) -> Floats:
        """The weight of each row: `times` for every error.

        >>> JustTrainTwicePaper().weights(np.array([True, True, False])).tolist()
        [5.0, 5.0, 1.0]
        """
        return np.where(errors, self.times, 1.0)

    def note(self, errors: Bools, weight: float) -> str:
        """What limits the method: no errors, or so many that they have most of the weight.

        >>> JustTrainTwicePaper().note(np.array([True, False]), 5.0)
        'its first model got 50% of the rows wrong, and they have 83% of all weight'
        """
        if not errors.any():
            return "its first model got no row wrong: plain training"
        weights = self.weights(errors)
        share = weights[errors].sum() / weights.sum()
        if share <= 0.5:
            return ""
        return f"its first model got {errors.mean():.0%} of the rows wrong, and they have {share:.0%} of all weight"

    @classmethod
    def no_epochs(cls, model: str) -> str:
        """The error for a model without epochs."""
        return (
            f"The method {cls.name!r} trains a first model for one epoch, and {model} has no epochs. "
            "Use 'jtt', which finds errors with models of other rows, or a network such as minilm-full."
        )

    def _first_errors(self, data: TrainingData, trainer: Trainer) -> Bools:
        """Which training rows a classifier of one epoch gets wrong."""
        if trainer.brief is None or not has_epochs(trainer.fresh(trainer.seed)):
            raise SettingError(self.no_epochs("this model"))
        first = trainer.brief(trainer.seed, self.epochs).fit(data.labelled, validation=data.validation)
        predicted = targets_of(first.predict(data.labelled.inputs), label_names(data.labelled.labels))
        return np.asarray(predicted != data.targets())


def has_epochs(model: object) -> bool:
    """Whether a classifier is trained in epochs, so that it can be trained for one."""
    return hasattr(model, "epochs")
