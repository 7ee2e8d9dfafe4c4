"""All classifiers by name.

bow             words and word pairs, softmax regression                       no torch
nb              the same columns, naive Bayes                                  no torch
minilm          vectors of the frozen MiniLM, softmax regression               no torch
multilingual    the same with an encoder of 15 languages (`multilingual.py`)   no torch
cnn, gru, dan   frozen word vectors and a small network
minilm-lora     MiniLM, fine-tuned with LoRA
minilm-full     MiniLM, fully fine-tuned
hf:NAME         any encoder of the Hugging Face hub or of a folder; NAME-frozen, NAME-lora (the default), NAME-full
MODULE:NAME     a model of the user's own, such as a scikit-learn pipeline (`own_model.py`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longway.errors import MissingExtra, SettingError
from longway.models.classifier import Classifier
from longway.models.multilingual import MINILM, MULTILINGUAL, Multilingual
from longway.models.saved import SavedModel

if TYPE_CHECKING:
    from longway.models.pretrained import SequenceClassifier

MODELS = ("bow", "nb", "cnn", "gru", "dan", "minilm", "multilingual", "minilm-lora", "minilm-full")
STATIC = ("cnn", "gru", "dan")  # on word vectors
# Kinds of classifiers by the name in classifier.json: module, class, and whether it needs torch.
KINDS = {
    "bow": ("bag_of_words", "Linear", False),
    "nb": ("bag_of_words", "NaiveBayes", False),
    "frozen": ("frozen", "Frozen", False),
    "static": ("static", "StaticNet", True),
    "encoder": ("encoder", "Encoder", True),
}
TUNINGS = ("frozen", "lora", "full")
# How Friedman, Wettig and Chen 2022 (appendix B) fine-tune BERT and RoBERTa. They name no schedule of the learning rate, and their code has none.
GRAMMAR_PAPER: dict[str, Any] = {
    "learning_rate": 1e-5, "batch": 16, "epochs": 20, "check": 4096, "patience": 5, "warm_up": None,
}  # fmt: skip


def model_named(
    name: str, *, seed: int = 0, cache: Path | None = None, device: str = "auto", **options: Any
) -> Classifier:
    """An untrained classifier.

    cache: a file that keeps vectors of texts between runs, for frozen encoders. device: auto, cpu or cuda, for networks.
    options: of the classifier, such as `epochs=5`.

    >>> model_named("bow", seed=1).name
    'bow'
    """
    if device not in ("auto", "cpu", "cuda"):
        raise SettingError(
            f"'device' must be auto, cpu or cuda. Got {device!r}. auto uses the GPU if there is one."
        )
    make = _maker(name, cache, device)
    try:
        return make(seed=seed, **options)
    except TypeError as error:
        raise SettingError(
            f"The model {name!r} does not take these options: {', '.join(options)} ({error}). Leave out those it does not know."
        ) from None


def check_named(name: str) -> None:
    """Raise what `model_named` would for a name, without importing torch."""
    if name in STATIC:
        _needs_torch(name)
    else:
        model_named(name)


def tuning_of(name: str, *, paper: bool = False, **given: float | None) -> dict[str, Any]:
    """The options of an encoder that is fine-tuned, as a whole or with LoRA; none for other classifiers.

    paper: those of `GRAMMAR_PAPER` instead of the defaults. given: options with values of their own; None for those without.

    >>> tuning_of("minilm-full", epochs=2), tuning_of("hf:bert-base-uncased", epochs=2), tuning_of("minilm", epochs=2)
    ({'epochs': 2}, {'epochs': 2}, {})
    """
    is_encoder = name not in ("bow", "nb", *STATIC) and not is_of_module(name)
    if not is_encoder or _encoder_and_tuning(name)[1] == "frozen":
        return {}
    chosen = {option: value for option, value in given.items() if value is not None}
    return {**GRAMMAR_PAPER, **chosen} if paper else chosen


def names_of(models: Iterable[object]) -> tuple[str, ...]:
    """The names of models, of which some may be objects of the user's own."""
    from longway.models.own_model import name_of

    return tuple(one if isinstance(one, str) else name_of(one) for one in models)


def _maker(name: str, cache: Path | None, device: str) -> Callable[..., Classifier]:
    """The class of a classifier with its first arguments."""
    if is_of_module(name):
        from longway.models.own_model import own_model

        return partial(own_model, name)
    if name in ("bow", "nb"):
        return _class_of(name)
    if name in STATIC:
        return partial(_class_of("static", name), name, device=device)
    encoder, tuning = _encoder_and_tuning(name)
    if tuning != "frozen":
        return partial(_class_of("encoder", f"{encoder}-{tuning}"), encoder, tuning=tuning, device=device)
    if encoder == MULTILINGUAL:
        Multilingual()  # MissingExtra if it is not installed
    elif encoder != MINILM:
        _needs_torch(encoder)
    return partial(_class_of("frozen"), encoder, cache=cache, device=device)


def is_of_module(name: str) -> bool:
    """Whether a name has the form MODULE:NAME, for a model of the user's own."""
    return ":" in name and not name.startswith("hf:")


def _class_of(kind: str, name: str = "") -> Any:
    """The class of a kind of classifiers. name: of the model, for the error if torch is missing."""
    module, class_name, is_network = KINDS[kind]
    if is_network:
        _needs_torch(name or kind)
    return getattr(import_module(f"longway.models.{module}"), class_name)


def _encoder_and_tuning(name: str) -> tuple[str, str]:
    if name in (MINILM, MULTILINGUAL):
        return name, "frozen"
    full = name.removeprefix("hf:")
    base, dash, tuning = full.rpartition("-")
    if name in MODELS or (name.startswith("hf:") and dash and tuning in TUNINGS):
        return base, tuning
    if name.startswith("hf:") and full:
        return full, "lora"
    raise SettingError(
        f"'model' must be one of {', '.join(MODELS)}, hf:NAME with an optional -frozen, -lora or -full, or MODULE:NAME for a model of your own. Got {name!r}."
    )


def load_model(folder: Path) -> Classifier:
    """The classifier saved in a folder, of any kind."""
    about = SavedModel.read(folder)
    if about.model in KINDS:
        loaded: Classifier = _class_of(about.model).load(folder)
        return loaded
    if about.model == "clever":
        from longway.models.training.clever import FUSION, TEXT_ONLY, Difference

        parts = load_model(folder / FUSION), load_model(folder / TEXT_ONLY)
        assert about.strength is not None  # CLEVER always has one
        both = Difference(*parts, strength=about.strength)
        both.labels_ = about.labels
        return both
    raise SettingError(
        f"The classifier in {folder} is of the kind {about.model!r}, which this version does not know. Train it again."
    )


def sequence_classifier(name: str, *, device: str = "auto") -> SequenceClassifier:
    """A finished Hugging Face classifier, by folder or name."""
    _needs_torch(name)
    from longway.models.pretrained import SequenceClassifier

    return SequenceClassifier.load(name, device=device)


def _needs_torch(name: str) -> None:
    if find_spec("torch") is None:
        raise MissingExtra("torch", extra="neural", purpose=f"the model {name!r}")
