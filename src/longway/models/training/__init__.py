"""Training methods: plain training, and seven that should keep a classifier from relying on shortcuts.

    erm      plain training
    rew      rows are weighted until no n-gram of the texts predicts the label (Schuster et al. 2019)
    poe      trained in product with an expert that sees only the shortcut (Karimi Mahabadi et al. 2020)
    clever   the prediction of a text-only classifier is subtracted at test time (Xu et al. 2023)
    jtt      rows that a first classifier gets wrong count more in a second training (Liu et al. 2021)
    jtt-paper  the same, with a first classifier of one epoch, as published
    drift    fits the residual of a model of shortcut features (He et al. 2019)
    dro      the worst group of rows, by label and shortcut, counts most (Sagawa et al. 2020)

`METHODS` has them by name. All have `fit(data, trainer)`, which returns a trained classifier (`trainer.py`).
"""

from longway.errors import SettingError
from longway.models.training.clever import Clever
from longway.models.training.experts import ProductOfExperts, ResidualFit
from longway.models.training.group_dro import GroupDro
from longway.models.training.jtt import JustTrainTwice, JustTrainTwicePaper
from longway.models.training.reweight import Reweight
from longway.models.training.trainer import Erm, Fresh, Trainer, TrainingData, TrainingMethod

METHODS: dict[str, type[TrainingMethod]] = {
    "erm": Erm,
    "rew": Reweight,
    "poe": ProductOfExperts,
    "clever": Clever,
    "jtt": JustTrainTwice,
    "jtt-paper": JustTrainTwicePaper,
    "drift": ResidualFit,
    "dro": GroupDro,
}

__all__ = [
    "METHODS",
    "Clever",
    "Erm",
    "Fresh",
    "GroupDro",
    "JustTrainTwice",
    "JustTrainTwicePaper",
    "ProductOfExperts",
    "ResidualFit",
    "Reweight",
    "Trainer",
    "TrainingData",
    "TrainingMethod",
    "method_named",
]


def method_named(name: str) -> TrainingMethod:
    """The method of that name, with default options.

    >>> method_named("dro").needs
    frozenset({'shortcuts'})
    """
    if name not in METHODS:
        raise SettingError(
            f"'name' must be a training method: {', '.join(METHODS)}. Got {name!r}. Use 'erm' for plain training."
        )
    return METHODS[name]()
