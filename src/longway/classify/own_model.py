"""A classifier of the user's own: anything with `fit` and `predict_proba` or `predict` on a list of texts, such as a scikit-learn pipeline.

    model_named("my_models:pipeline")      the object, class or function of this name in a module
    name_of(pipeline)                      the name under which `model_named` finds an object of this process

Each training uses a copy, with its `random_state`s set to the seed. A pair comes as one text: the text, a line break, the context.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from longway.classify.classifier import FitData, Floats, Inputs, Trainable
from longway.classify.objectives import CrossEntropy
from longway.errors import SettingError, TrainingError

SMALLEST = 1e-9  # probability; its logarithm is a logit
_given: dict[str, Any] = {}  # models of this process by name


class OwnModel(Trainable):
    """A copy of a user's model. given: what to copy."""

    name = "own"

    def __init__(self, given: Any, *, called: str, seed: int = 0) -> None:
        self.called = called
        self.model = _fresh(given, called, seed)

    def _fit(self, given: FitData) -> None:
        objective = given.objective
        if not isinstance(objective, CrossEntropy) or objective.offsets is not None:
            raise SettingError(
                f"{self.called} can only be trained without a training method. Methods such as poe need a model of Longway's: bow, minilm ..."
            )
        weights = {} if objective.weights is None else {"sample_weight": objective.weights}
        texts = _texts(given.data.inputs)
        try:
            self.model.fit(texts, list(given.data.labels), **weights)
        except Exception as error:  # whatever a model of the user's may raise
            raise TrainingError(
                f"{self.called} could not be trained on {len(texts)} texts: {type(error).__name__}: {error}. Expected a model whose fit takes texts "
                "and labels, and sample_weight if rows have weights."
            ) from error

    def logits(self, inputs: Inputs) -> Floats:
        """Logarithms of the model's probabilities; of 1 and 0 if it only predicts labels."""
        texts = _texts(inputs)
        if hasattr(self.model, "predict_proba"):
            known = [str(label) for label in getattr(self.model, "classes_", self.labels_)]
            found = np.asarray(self.model.predict_proba(texts), np.float64)
        else:
            known = list(self.labels_)
            answers = [str(label) for label in self.model.predict(texts)]
            found = np.array([[float(answer == label) for label in known] for answer in answers])
        if found.shape != (len(texts), len(known)) or set(known) != set(self.labels_):
            raise TrainingError(
                f"{self.called} gave probabilities of shape {found.shape} for {len(texts)} texts and the labels {', '.join(known)}. "
                f"Expected one row per text and one column per label: {', '.join(self.labels_)}."
            )
        return np.log(np.maximum(found[:, [known.index(label) for label in self.labels_]], SMALLEST))

    def save(self, folder: Path) -> NoReturn:
        """Not possible: how to save it is up to its library."""
        raise SettingError(f"{self.called} cannot be saved with a run. Leave out save_models.")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Not possible, see `save`."""
        raise SettingError("A model of your own cannot be loaded from a run.")


def name_of(model: object) -> str:
    """A name by which `model_named` finds this object, as long as the process lives."""
    digest = blake2b(repr(model).encode(), digest_size=3).hexdigest()
    name = f"own:{type(model).__name__}-{digest}"
    _given[name] = model
    return name


def own_model(name: str, *, seed: int = 0) -> OwnModel:
    """The model of this name, untrained."""
    return OwnModel(_given[name] if name in _given else _imported(name), called=name, seed=seed)


def _imported(name: str) -> Any:
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module of the working folder, as with python -m
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:  # whatever a module of the user's may raise
        raise SettingError(
            f"The model {name!r} could not be imported: {type(error).__name__}: {error}. Expected MODULE:NAME, such as my_models:pipeline for `pipeline` in my_models.py."
        ) from error


def _fresh(given: Any, called: str, seed: int) -> Any:
    """An untrained copy of an estimator, or what a class or function makes."""
    is_maker = isinstance(given, type) or (not hasattr(given, "fit") and callable(given))
    model = _made(given, called) if is_maker else given
    if not hasattr(model, "fit") or not (hasattr(model, "predict") or hasattr(model, "predict_proba")):
        raise SettingError(
            f"{called} is no model: {type(model).__name__} has no fit and predict. Expected what scikit-learn calls an estimator, or a function that returns one."
        )
    if not isinstance(model, BaseEstimator):
        if model is given:
            raise SettingError(
                f"{called} cannot be copied for each training. Expected a scikit-learn estimator, or a class or function that makes a new model."
            )
        return model
    copied = clone(model)
    seeds = {key: seed for key in copied.get_params() if key.rpartition("__")[2] == "random_state"}
    return copied.set_params(**seeds)


def _made(maker: Callable[[], Any], called: str) -> Any:
    try:
        return maker()
    except Exception as error:  # whatever a function of the user's may raise
        raise SettingError(
            f"{called} could not make a model: {type(error).__name__}: {error}. Expected a class or function that takes no arguments."
        ) from error


def _texts(inputs: Inputs) -> list[str]:
    if inputs.contexts is None:
        return list(inputs.texts)
    return [f"{text}\n{context}" for text, context in zip(inputs.texts, inputs.contexts, strict=True)]
