"""Just Train Twice as published (Liu et al. 2021, Algorithm 1), as Friedman, Wettig and Chen 2022 use it in appendix B.

The identification model is trained for one epoch on all rows. The rows of these that it gets wrong count `TIMES` in the second training, whatever
their share is; the grammar paper does not give this weight. Repeating a row and weighting it have the same expected gradient, and weights
keep copies of a row out of the rows that the training is stopped on. The method `jtt` of `longway prove` finds errors with models of other rows.
"""

from collections.abc import Callable

import numpy as np

from longway.errors import SettingError
from longway.models.classifier import Classifier, label_names, targets_of
from longway.models.objectives import CrossEntropy
from longway.models.training import Trainer, TrainingData

TIMES = 5.0
Brief = Callable[
    [int, int], Classifier
]  # seed, epochs -> an untrained classifier that trains for so many epochs


def train_twice_as_published(
    data: TrainingData, trainer: Trainer, brief: Brief, *, times: float = TIMES
) -> Classifier:
    """The second classifier; errors are those of a classifier of one epoch on its own rows, and count `times`."""
    if not hasattr(trainer.fresh(trainer.seed), "epochs"):
        raise SettingError(
            "The first model is trained for one epoch, and this model has no epochs. Use 'jtt'."
        )
    first = brief(trainer.seed, 1).fit(data.labelled, validation=data.validation)
    targets = data.targets()
    predicted = targets_of(first.predict(data.labelled.inputs), label_names(data.labelled.labels))
    errors = predicted != targets
    weights = np.where(errors, times, 1.0)
    share = weights[errors].sum() / weights.sum()
    if not errors.any():
        trainer.notify("its first model got no row wrong: plain training")
    elif share > 0.5:
        trainer.notify(
            f"its first model got {errors.mean():.0%} of the rows wrong, and they have {share:.0%} of all weight"
        )
    return trainer.train(data, CrossEntropy(targets, weights=weights))
