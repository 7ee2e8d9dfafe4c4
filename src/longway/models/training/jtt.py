"""Just Train Twice: rows that a first classifier gets wrong count more in the second training (Liu et al. 2021).

"Just Train Twice: Improving Group Robustness without Training Group Information", Algorithm 1:

    E = rows that the identification model gets wrong
    L = 1/n ( times x sum_{i in E} loss(x_i, y_i)  +  sum_{i not in E} loss(x_i, y_i) )

The identification model must have learned the shortcut but not memorized its exceptions. The paper stops it after a few epochs.
How many depends on the classifier, and some have no epochs; so here every row is predicted by a classifier of the same kind
that was trained on other rows (5 folds, rows with the same text or context together). It has learned the shortcut as well as the
final one would, and memorized no exception. This costs five additional trainings.

`TIMES` is lambda_up. The paper chooses it on validation rows with known groups: 4 to 6 on texts, 20 to 100 on images. Rows whose
label cannot be predicted at all are wrong too, and count as much. If the first classifier is often wrong, the second would learn
the opposite, so errors have at most the share `MOST` of all weight (not in the paper).

`train_twice_as_published` (jtt-paper) is the paper's: the identification model is trained for one epoch on all rows, E are the rows of these
that it gets wrong, and they count `TIMES` whatever their share is. So does "Finding Dataset Shortcuts with Grammar Induction" (Friedman,
Wettig, Chen 2022, appendix B), which does not give this weight. Repeating a row and weighting it have the same expected gradient; weights keep
copies of a row out of the rows that the training is stopped on. It needs a classifier with epochs.

It is one step of boosting: the second classifier turns to whatever the first did not use. That is the real signal only if the
first relied on the shortcut; if not, training twice can turn it *to* the shortcut.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from longway.errors import SettingError
from longway.models.classifier import Classifier, Floats, Ints, label_names, targets_of
from longway.models.objectives import CrossEntropy
from longway.models.training.experts import folds, held_out_probabilities
from longway.models.training.trainer import Fresh, Trainer, TrainingData

Bools = NDArray[np.bool_]

AS_PUBLISHED = "jtt-paper"
TIMES, MOST = 5.0, 0.3
FOLDS = 5  # to find errors
NO_ERROR = "its first model got no row wrong: plain training"


def train_twice(data: TrainingData, trainer: Trainer) -> Classifier:
    """The second classifier; errors are found by models of other rows."""
    errors = held_out_errors(trainer.fresh, data, seed=trainer.seed)
    weights = error_weights(errors)
    if note := limited(errors, float(weights.max())):
        trainer.notify(note)
    return trainer.train(data, CrossEntropy(data.targets(), weights=weights))


def error_weights(errors: Bools, *, times: float = TIMES, most: float = MOST) -> Floats:
    """The weight of each row. times: of errors. most: their maximum share of all weight.

    >>> error_weights(np.array([True, False, False]), most=0.5).tolist()
    [2.0, 1.0, 1.0]
    """
    wrong, right = int(errors.sum()), int((~errors).sum())
    bound = most / (1 - most) * right / max(wrong, 1)
    return np.where(errors, max(1.0, min(times, bound)), 1.0)


def limited(errors: Bools, weight: float) -> str:
    """Why errors have this weight and not `TIMES`; "" if they have it.

    >>> limited(np.array([False, False]), 1.0)
    'its first model got no row wrong: plain training'
    """
    if weight >= TIMES:
        return ""
    if not errors.any():
        return NO_ERROR
    if weight == 1:
        return f"its first model got over {MOST:.0%} of the rows wrong, so they count no more than the others: plain training"
    return f"its first model got many rows wrong, so they count less than {TIMES:g} times and have {MOST:.0%} of all weight"


def held_out_errors(fresh: Fresh, data: TrainingData, *, seed: int) -> Bools:
    """Which rows a classifier trained on other rows gets wrong."""
    names = label_names(data.labelled.labels)

    def predict(learn: Ints, rows: Ints) -> tuple[Ints, Floats]:
        first = fresh(seed).fit(data.labelled.take(learn), validation=data.validation)
        predicted = first.predict_proba(data.labelled.inputs.take(rows))
        return targets_of(first.labels_, names), predicted

    predicted = held_out_probabilities(predict, folds(data.labelled, FOLDS, seed=seed), len(names))
    return np.asarray(predicted.argmax(axis=1) != data.targets())


def train_twice_as_published(data: TrainingData, trainer: Trainer, *, times: float = TIMES) -> Classifier:
    """The second classifier; errors are those of a classifier of one epoch on its own rows, and count `times`."""
    if trainer.brief is None or not has_epochs(trainer.fresh(trainer.seed)):
        raise SettingError(no_epochs("this model"))
    first = trainer.brief(trainer.seed, 1).fit(data.labelled, validation=data.validation)
    targets = data.targets()
    predicted = targets_of(first.predict(data.labelled.inputs), label_names(data.labelled.labels))
    errors = predicted != targets
    weights = np.where(errors, times, 1.0)
    share = weights[errors].sum() / weights.sum()
    if not errors.any():
        trainer.notify(NO_ERROR)
    elif share > 0.5:
        trainer.notify(
            f"its first model got {errors.mean():.0%} of the rows wrong, and they have {share:.0%} of all weight"
        )
    return trainer.train(data, CrossEntropy(targets, weights=weights))


def no_epochs(model: str) -> str:
    """The error of the method as published for a model without epochs."""
    return (
        f"The method {AS_PUBLISHED!r} trains a first model for one epoch, and {model} has no epochs. "
        "Use 'jtt', which finds errors with models of other rows, or a network such as minilm-full."
    )


def has_epochs(model: object) -> bool:
    """Whether a classifier is trained in epochs, so that it can be trained for one."""
    return hasattr(model, "epochs")
