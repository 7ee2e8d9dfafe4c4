"""Training methods: plain training, and six that should keep a classifier from relying on shortcuts.

    erm      plain training
    rew      rows are weighted until no n-gram of the texts predicts the label (Schuster et al. 2019)
    poe      trained in product with an expert that sees only the shortcut (Karimi Mahabadi et al. 2020)
    clever   the prediction of a text-only classifier is subtracted at test time (Xu et al. 2023)
    jtt      rows that a first classifier gets wrong count more in a second training (Liu et al. 2021)
    drift    fits the residual of a model of shortcut features (He et al. 2019)
    dro      the worst group of rows, by label and shortcut, counts most (Sagawa et al. 2020)

`TRAINING` has them by name. All have `fit(data, trainer)`, which returns a trained classifier (`trainer.py`).
"""

from longway.errors import SettingError
from longway.models.training.clever import train_clever
from longway.models.training.experts import product_of_experts, residual_fit
from longway.models.training.trainer import CONTEXT, SHORTCUTS, Trainer, TrainingData, TrainingMethod, erm
from longway.models.training.weights import train_group_dro, train_reweighted, train_twice

TRAINING = {
    method.name: method
    for method in (
        TrainingMethod("erm", erm),
        TrainingMethod("rew", train_reweighted, knows_shortcuts=True),
        TrainingMethod("poe", product_of_experts, knows_shortcuts=True),
        TrainingMethod("clever", train_clever, needs=CONTEXT),
        TrainingMethod("jtt", train_twice),
        TrainingMethod("drift", residual_fit, knows_shortcuts=True),
        TrainingMethod("dro", train_group_dro, needs=SHORTCUTS, knows_shortcuts=True),
    )
}

__all__ = ["TRAINING", "Trainer", "TrainingData", "TrainingMethod", "method_named"]


def method_named(name: str) -> TrainingMethod:
    """The method of that name.

    >>> method_named("dro").needs
    'shortcuts'
    """
    if name not in TRAINING:
        raise SettingError(
            f"'name' must be a training method: {', '.join(TRAINING)}. Got {name!r}. Use 'erm' for plain training."
        )
    return TRAINING[name]
