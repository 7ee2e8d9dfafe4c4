"""A classifier of the user's own, on a list of texts.

    own_model("my_models:pipeline")        the object, class or function of this name in a module
    name_of(pipeline)                      the name under which `own_model` finds an object of this process
    finished_model("my_models:pipeline")   as it is, to be asked and not trained
    sources_of(names)                      hashes of the modules, for the identity of a run

A model that can be trained is anything with `fit` and `predict_proba` or `predict`, such as a scikit-learn pipeline. Each training uses a
copy, with its `random_state`s set to the seed. Any other model with `predict_proba` or `predict`, a Hugging Face pipeline, or a function
of a list of texts is used as it is and never trained.

A pair comes as one text: the text, a line break, the context.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from hashlib import blake2b
from importlib import import_module
from inspect import getsource, isfunction, signature
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np

from longway.errors import SettingError, TrainingError
from longway.models.classifier import Classifier, FitData, Floats, Inputs
from longway.models.objectives import CrossEntropy

SMALLEST = 1e-9  # probability; its logarithm is a logit
FINISHED = (
    "Expected a model with predict_proba or predict on a list of texts, a Hugging Face pipeline, or a function that takes a list of texts and "
    "returns a label for each."
)
UNTRAINED = "It is asked as it is here. Train it where it is defined; `longway prove --fairscore` trains models itself."
ELSEWHERE = (
    "hf",
    "served",
    "gguf",
    "replay",
    "http",
    "https",
)  # what a name may begin with that is no module
PICKLES = (".pkl", ".pickle", ".joblib", ".sav")
_given: dict[str, Any] = {}  # models of this process by name


class OwnModel(Classifier):
    """A user's model. trains: whether `fit` trains it; if not, it only learns the names of the labels."""

    name = "own"

    def __init__(self, model: Any, *, called: str, trains: bool = False) -> None:
        self.model, self.called, self.trains = model, called, trains

    def _fit(self, given: FitData) -> None:
        if not self.trains:
            return
        objective = given.objective
        if not isinstance(objective, CrossEntropy) or objective.offsets is not None:
            raise SettingError(
                f"{self.called} can only be trained without a training method. Methods such as poe need a model of Longway's: bow, minilm ..."
            )
        weights = {} if objective.weights is None else {"sample_weight": objective.weights}
        texts = joined_texts(given.data.inputs)
        try:
            self.model.fit(texts, list(given.data.labels), **weights)
        except Exception as error:  # whatever a model of the user's may raise
            raise TrainingError(
                f"{self.called} could not be trained on {len(texts)} texts: {type(error).__name__}: {error}. Expected a model whose fit takes texts "
                "and labels, and sample_weight if rows have weights."
            ) from error

    def answers(self, inputs: Inputs) -> list[dict[str, float]]:
        """For each row the probabilities of labels, by the model's own names; of 1 for the label if it only gives that."""
        texts = joined_texts(inputs)
        try:
            found = self._asked(texts)
        except Exception as error:  # whatever a model of the user's may raise
            why = f"{type(error).__name__}: {str(error).rstrip('.')}"
            is_untrained = type(error).__name__ == "NotFittedError"  # scikit-learn's
            raise TrainingError(
                f"{self.called} could not answer for {len(texts)} texts: {why}. {UNTRAINED if is_untrained else FINISHED}"
            ) from error
        if len(found) != len(texts):
            raise TrainingError(f"{self.called} gave {len(found)} answers for {len(texts)} texts. {FINISHED}")
        return found

    def _asked(self, texts: list[str]) -> list[dict[str, float]]:
        model = self.model
        if type(model).__module__.startswith("transformers.pipelines"):  # its `predict` does not truncate
            return [self._by_label(answer) for answer in model(texts, truncation=True)]
        if hasattr(model, "predict_proba"):
            columns = np.asarray(model.predict_proba(texts), np.float64)
            return [self._by_label(row) for row in columns]
        answers = model.predict(texts) if hasattr(model, "predict") else model(texts)
        if isinstance(answers, str | dict):
            raise ValueError(f"one answer for all texts, {str(answers)[:40]!r}")
        return [self._by_label(answer) for answer in answers]

    def _by_label(self, answer: Any) -> dict[str, float]:
        """One answer: a label, a dict of Hugging Face's or a list of them, or probabilities in the order of the labels."""
        if isinstance(answer, dict):
            return {str(answer["label"]): float(answer["score"])}
        if isinstance(answer, str) or np.ndim(answer) == 0:
            return {_label(answer): 1.0}
        if all(isinstance(one, dict) for one in answer):
            return {str(one["label"]): float(one["score"]) for one in answer}
        known = [str(label) for label in getattr(self.model, "classes_", getattr(self, "labels_", ()))]
        if len(known) != len(answer):
            raise ValueError(f"{len(answer)} probabilities for the labels {', '.join(known) or '(unknown)'}")
        return dict(zip(known, map(float, answer), strict=True))

    def predict(self, inputs: Inputs) -> list[str]:
        """The most likely label of each row, by the model's own names if it was not fitted."""
        if hasattr(self, "labels_"):
            return super().predict(inputs)
        return [max(answer, key=lambda label: answer[label]) for answer in self.answers(inputs)]

    def logits(self, inputs: Inputs) -> Floats:
        """Logarithms of the probabilities. What the model says nothing about is shared by the labels it does not name."""
        rows = np.full((len(inputs), len(self.labels_)), np.nan)
        for row, answer in zip(rows, self.answers(inputs), strict=True):
            for label, share in answer.items():
                row[place_of(label, self.labels_, self.called)] = share
            open_ = np.isnan(row)
            if open_.any():
                row[open_] = max(0.0, 1 - float(np.nansum(row))) / open_.sum()
        return np.log(np.maximum(rows, SMALLEST))

    def save(self, folder: Path) -> NoReturn:
        """Not possible: how to save it is up to its library."""
        raise SettingError(f"{self.called} cannot be saved with a run. Leave out save_models.")


def _label(answer: Any) -> str:
    """The name of a label that is text or a whole number; ValueError for a score, which differs for every text."""
    if isinstance(answer, float | np.floating):
        if not float(answer).is_integer():
            raise ValueError(f"{float(answer):g}, a score and not a label")
        return str(int(answer))
    return str(answer)


def plain_label(label: str) -> str:
    """A label for comparison: NEGATIVE is negative, and LABEL_0, a default name, is 0."""
    return label.strip().lower().removeprefix("label_")


def place_of(answer: str, labels: tuple[str, ...], called: str) -> int:
    """The place of a model's answer among the labels of the data; TrainingError if it is none of them.

    >>> place_of("LABEL_1", ("0", "1"), "my_model"), place_of("a", ("A", "a"), "my_model")
    (1, 1)
    """
    plain = {plain_label(label): place for place, label in enumerate(labels)}
    places = plain | {label: place for place, label in enumerate(labels)}  # a label's own name counts first
    place = places.get(answer, places.get(plain_label(answer)))
    if place is None:
        raise TrainingError(
            f"{called} answered {answer!r}. Expected the labels of the data: {', '.join(labels)}. "
            "Return one of them for each text."
        )
    return place


def name_of(model: object) -> str:
    """A name by which `own_model` finds this object, as long as the process lives. Models with other content have other names."""
    name = f"own:{type(model).__name__}-{_digest(_content(model))}"
    _given[name] = model
    return name


def own_model(name: str, *, seed: int = 0) -> OwnModel:
    """The model of this name: untrained if it can be trained, otherwise as it is."""
    given = _found(name)
    if not isinstance(given, type) and not hasattr(given, "fit"):
        if not _is_maker(given):
            return finished_model(name)
        made = _made(given, name)
        if not hasattr(made, "fit") and _is_finished(made):
            return OwnModel(made, called=name)
    return OwnModel(_fresh(given, name, seed), called=name, trains=True)


def finished_model(name: str) -> OwnModel:
    """The model of this name as it is, to be asked and not trained. A function without arguments is called for the model."""
    given = _found(name)
    model = _made(given, name) if not hasattr(given, "predict") and _is_maker(given) else given
    if isinstance(model, type) or not _is_finished(model):
        raise SettingError(f"{name} is no finished model: got {type(model).__name__}. {FINISHED}")
    return OwnModel(model, called=name)


def is_own(name: str) -> bool:
    """Whether this names a model of the user's own: MODULE:NAME.

    >>> is_own("my_models:pipeline"), is_own("hf:some-model"), is_own("http://localhost:8000"), is_own("bow")
    (True, False, False, False)
    """
    first, colon, _ = name.partition(":")
    return bool(colon) and first not in ELSEWHERE and not Path(name).exists()


def check_no_pickle(name: str) -> None:
    """Raise SettingError if this is a file that could only be loaded by running what is in it."""
    if (path := Path(name)).suffix.lower() in PICKLES:
        raise SettingError(
            f"{name} is a pickle, and loading one runs whatever code is in it, so Longway never does. Load it in a module of your own: write my_models.py "
            f"with `import joblib` and `model = joblib.load({path.name!r})`, and use --model my_models:model."
        )


def sources_of(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """A hash of the module of each model of the user's own, as an entry of a run's settings: a changed file is another run. Empty if there are none."""
    hashes = {name: source_hash(name) for name in names if is_own(name)}
    return {"model_sources": hashes} if hashes else {}


def source_hash(name: str) -> str:
    """A hash of what a model is made of: the file of its module, or an object's content, which its name has."""
    if name in _given:
        return name.rpartition("-")[2]
    module = _module(name)
    file = getattr(module, "__file__", None)
    return _digest(Path(file).read_bytes() if file else repr(module).encode(), size=8)


def _found(name: str) -> Any:
    if name in _given:
        return _given[name]
    if name.partition(":")[0] in ELSEWHERE:
        raise SettingError(
            f"{name} cannot be trained here. Expected a model by name, or MODULE:NAME for a model of your own. `longway fairness --fairscore` measures "
            "served models."
        )
    try:
        return getattr(_module(name), name.partition(":")[2])
    except Exception as error:  # whatever a module of the user's may raise
        raise SettingError(
            f"The model {name!r} could not be imported: {type(error).__name__}: {error}. Expected MODULE:NAME, such as my_models:pipeline for `pipeline` in my_models.py."
        ) from error


def _module(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module of the working folder, as with python -m
    return import_module(name.partition(":")[0].removesuffix(".py").replace("/", "."))


def _fresh(given: Any, called: str, seed: int) -> Any:
    """An untrained copy of an estimator, or what a class or function makes."""
    model = _made(given, called) if isinstance(given, type) or not hasattr(given, "fit") else given
    if not hasattr(model, "fit") or not (hasattr(model, "predict") or hasattr(model, "predict_proba")):
        raise SettingError(
            f"{called} is no model: {type(model).__name__} has no fit and predict. Expected what scikit-learn calls an estimator, or a function that returns one."
        )
    from sklearn.base import BaseEstimator, clone

    if not isinstance(model, BaseEstimator):
        if model is given:
            raise SettingError(
                f"{called} cannot be copied for each training. Expected a scikit-learn estimator, or a class or function that makes a new model."
            )
        return model
    copied = clone(model)
    seeds = {key: seed for key in copied.get_params() if key.rpartition("__")[2] == "random_state"}
    return copied.set_params(**seeds)


def _is_maker(given: Any) -> bool:
    """Whether this is a function, or another callable, that takes no arguments."""
    if not callable(given):
        return False
    try:
        parameters = signature(given).parameters.values()
    except (TypeError, ValueError):  # of compiled functions it is not known
        return False
    return not any(
        one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        for one in parameters
    )


def _is_finished(model: Any) -> bool:
    """Whether it can be asked for labels."""
    return hasattr(model, "predict_proba") or hasattr(model, "predict") or callable(model)


def _digest(content: bytes, size: int = 3) -> str:
    return blake2b(content, digest_size=size).hexdigest()


def _content(model: object) -> bytes:
    """What an object is made of: the source of a function or class, or everything that joblib hashes. Objects that cannot be read are all different."""
    try:
        if isinstance(model, type) or isfunction(model):
            return getsource(model).encode()
        import joblib

        return str(joblib.hash(model)).encode()
    except Exception:  # no source, or no way to hash it: never taken for another one
        return f"{model!r} {uuid4()}".encode()


def _made(maker: Callable[[], Any], called: str) -> Any:
    try:
        return maker()
    except Exception as error:  # whatever a function of the user's may raise
        raise SettingError(
            f"{called} could not make a model: {type(error).__name__}: {error}. Expected a class or function that takes no arguments."
        ) from error


def joined_texts(inputs: Inputs) -> list[str]:
    """The texts as a model of the user's own reads them: a pair is one text, with its context in the next line."""
    if inputs.contexts is None:
        return list(inputs.texts)
    return [f"{text}\n{context}" for text, context in zip(inputs.texts, inputs.contexts, strict=True)]
