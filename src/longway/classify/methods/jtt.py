"""Just Train Twice: what a first classifier gets wrong counts more in the second training (Liu et al. 2021).

"Just Train Twice: Improving Group Robustness without Training Group Information", Algorithm 1:

    E = rows that the identification model gets wrong
    L = 1/n ( times x sum_{i in E} loss(x_i, y_i)  +  sum_{i not in E} loss(x_i, y_i) )

The identification model must have learned the shortcut and not yet its exceptions by heart. The paper stops it after few
passes over the rows. What "few" is depends on the kind of classifier, and some find their minimum at once, without passes; so
here every row is judged by a classifier of the same kind that was trained on other rows (5 parts, rows with the same text
or context together). It has learned the shortcut as well as the final one would, and no exception by heart. This costs five trainings more.

`times` is lambda_up. The paper chooses it on validation rows whose groups are known: 4 to 6 on texts, 20 to 100 on images.
Rows whose label cannot be read from them at all are wrong too, and count as much. With a first classifier that is often wrong
the second would learn the opposite, so that errors have at most the share `most` of all weight (not in the paper).

It is one step of boosting: the second classifier turns to whatever the first did not use. That is the real signal only where
the first leaned on the shortcut; where it did not, training twice can turn it *to* the shortcut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Classifier, Floats, Ints, Watch, label_names, targets_of
from longway.classify.methods.biased import folds, held_out
from longway.classify.methods.training import Fresh, Tell, Training
from longway.classify.objectives import CrossEntropy
from longway.errors import SettingError


@dataclass(frozen=True, slots=True)
class JustTrainTwice:
    """Trained twice.

    times: how much the errors of the first training count in the second. most: share of all weight they have at most.
    folds: parts to find them.
    """

    name: ClassVar[str] = "jtt"
    needs: ClassVar[frozenset[str]] = frozenset()

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

    def fit(
        self,
        fresh: Fresh,
        data: Training,
        *,
        seed: int,
        watch: Watch | None = None,
        tell: Tell = lambda text: None,
    ) -> Classifier:
        """The second classifier."""
        errors = self.errors(fresh, data, seed=seed)
        weights = self.weights(errors)
        if told := self.told(errors, float(weights.max())):
            tell(told)
        objective = CrossEntropy(data.targets(), weights=weights)
        return fresh(seed).fit(data.labelled, objective=objective, validation=data.validation, watch=watch)

    def weights(self, errors: NDArray[np.bool_]) -> Floats:
        """What each row counts.

        >>> JustTrainTwice(times=5, most=0.5).weights(np.array([True, False, False])).tolist()
        [2.0, 1.0, 1.0]
        """
        wrong, right = int(errors.sum()), int((~errors).sum())
        bound = self.most / (1 - self.most) * right / max(wrong, 1)
        return np.where(errors, max(1.0, min(self.times, bound)), 1.0)

    def told(self, errors: NDArray[np.bool_], weight: float) -> str:
        """Where errors count less than they are meant to, why; else nothing.

        >>> JustTrainTwice().told(np.array([False, False]), 1.0)
        'its first model got no row wrong: plain training'
        """
        if weight >= self.times:
            return ""
        if not errors.any():
            return "its first model got no row wrong: plain training"
        if weight == 1:
            return f"its first model got over {self.most:.0%} of the rows wrong, which then count no more than the others: plain training"
        return (
            f"its first model got many rows wrong, which count less than {self.times:g} times "
            f"so that they have {self.most:.0%} of all weight"
        )

    def errors(self, fresh: Fresh, data: Training, *, seed: int) -> NDArray[np.bool_]:
        """Which rows a classifier trained on other rows gets wrong."""
        names = label_names(data.labelled.labels)

        def ask(learn: Ints, tell: Ints) -> tuple[Ints, Floats]:
            first = fresh(seed).fit(data.labelled.take(learn), validation=data.validation)
            told = first.predict_proba(data.labelled.inputs.take(tell))
            return targets_of(first.labels_, names), told

        told = held_out(ask, folds(data.labelled, self.folds, seed=seed), len(names))
        return np.asarray(told.argmax(axis=1) != data.targets())
