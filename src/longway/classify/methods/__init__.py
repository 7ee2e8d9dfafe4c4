"""Training methods, one a file: plain, and six that are meant to keep a classifier from leaning on shortcuts.

    erm      plain training
    rew      rows are weighted until no n-gram of the texts tells the label (Schuster et al. 2019)
    poe      trained in product with an expert that knows only the shortcut (Karimi Mahabadi et al. 2020)
    clever   what a text-only classifier says is taken off at prediction time (Xu et al. 2023)
    jtt      rows that a first classifier gets wrong count more in a second training (Liu et al. 2021)
    drift    fits what a model of shortcut features left over (He et al. 2019)
    dro      the worst group of rows, by label and shortcut, counts most (Sagawa et al. 2020)

`METHODS` finds them by name. All have `fit(fresh, data, seed=...)`, which gives a trained classifier (`training.py`).
"""

from longway.classify.methods.clever import Clever
from longway.classify.methods.drift import Drift
from longway.classify.methods.erm import Erm
from longway.classify.methods.group_dro import GroupDro
from longway.classify.methods.jtt import JustTrainTwice
from longway.classify.methods.poe import ProductOfExperts
from longway.classify.methods.reweight import Reweight
from longway.classify.methods.training import Fresh, Method, Training
from longway.errors import SettingError

METHODS: dict[str, type[Method]] = {
    "erm": Erm,
    "rew": Reweight,
    "poe": ProductOfExperts,
    "clever": Clever,
    "jtt": JustTrainTwice,
    "drift": Drift,
    "dro": GroupDro,
}


def method_named(name: str) -> Method:
    """The method of that name, with its usual options.

    >>> method_named("dro").needs
    frozenset({'shortcuts'})
    """
    if name not in METHODS:
        raise SettingError(
            f"'name' must be a training method: {', '.join(METHODS)}. Got {name!r}. Use 'erm' for plain training."
        )
    return METHODS[name]()


__all__ = [
    "METHODS",
    "Clever",
    "Drift",
    "Erm",
    "Fresh",
    "GroupDro",
    "JustTrainTwice",
    "Method",
    "ProductOfExperts",
    "Reweight",
    "Training",
    "method_named",
]
