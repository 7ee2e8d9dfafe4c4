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
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longway.errors import MissingExtra, SettingError
from longway.models.classifier import Classifier
from longway.models.saved import SavedModel

if TYPE_CHECKING:
    from longway.models.pretrained import SequenceClassifier

MODELS = ("bow", "nb", "cnn", "gru", "dan", "minilm", "multilingual", "minilm-lora", "minilm-full")
STATIC = ("cnn", "gru", "dan")  # on word vectors
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


def is_tuned(name: str) -> bool:
    """Whether a name is that of an encoder that is fine-tuned, as a whole or with LoRA.

    >>> is_tuned("minilm-full"), is_tuned("hf:bert-base-uncased"), is_tuned("minilm"), is_tuned("bow")
    (True, True, False, False)
    """
    if name in ("bow", "nb", *STATIC) or (":" in name and not name.startswith("hf:")):
        return False
    return _encoder_and_tuning(name)[1] != "frozen"


def tuning_of(name: str, *, paper: bool = False, **given: float | None) -> dict[str, Any]:
    """The options of a classifier that is fine-tuned; none for others.

    paper: those of `GRAMMAR_PAPER` instead of the defaults. given: options with values of their own; None for those without.

    >>> tuning_of("minilm-full", epochs=2), tuning_of("bow", epochs=2)
    ({'epochs': 2}, {})
    """
    if not is_tuned(name):
        return {}
    chosen = {option: value for option, value in given.items() if value is not None}
    return {**GRAMMAR_PAPER, **chosen} if paper else chosen


def names_of(models: Iterable[object]) -> tuple[str, ...]:
    """The names of models, of which some may be objects of the user's own."""
    from longway.models.own_model import name_of

    return tuple(one if isinstance(one, str) else name_of(one) for one in models)


def _maker(name: str, cache: Path | None, device: str) -> Callable[..., Classifier]:
    """The class of a classifier with its first arguments."""
    if ":" in name and not name.startswith("hf:"):
        from longway.models.own_model import own_model

        return partial(own_model, name)
    if name == "bow" or name == "nb":
        from longway.models.bag_of_words import Linear, NaiveBayes

        return Linear if name == "bow" else NaiveBayes
    if name in STATIC:
        _needs_torch(name)
        from longway.models.static import StaticNet

        return lambda **options: StaticNet(name, device=device, **options)
    encoder, tuning = _encoder_and_tuning(name)
    if tuning == "frozen":
        from longway.models.frozen import Frozen
        from longway.models.multilingual import MINILM, MULTILINGUAL, Multilingual

        if encoder == MULTILINGUAL:
            Multilingual()  # MissingExtra if it is not installed
        elif encoder != MINILM:
            _needs_torch(encoder)
        return lambda **options: Frozen(encoder, cache=cache, device=device, **options)
    _needs_torch(f"{encoder}-{tuning}")
    from longway.models.encoder import Encoder

    return lambda **options: Encoder(encoder, tuning=tuning, device=device, **options)


def _encoder_and_tuning(name: str) -> tuple[str, str]:
    if name in ("minilm", "multilingual"):
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
    kind = SavedModel.read(folder).model
    if kind in ("bow", "nb"):
        from longway.models.bag_of_words import Linear, NaiveBayes

        return Linear.load(folder) if kind == "bow" else NaiveBayes.load(folder)
    if kind == "frozen":
        from longway.models.frozen import Frozen

        return Frozen.load(folder)
    if kind == "static":
        _needs_torch(kind)
        from longway.models.static import StaticNet

        return StaticNet.load(folder)
    if kind == "encoder":
        _needs_torch(kind)
        from longway.models.encoder import Encoder

        return Encoder.load(folder)
    if kind == "clever":
        from longway.models.training.clever import Difference

        return Difference.load(folder)
    raise SettingError(
        f"The classifier in {folder} is of the kind {kind!r}, which this version does not know. Train it again."
    )


def sequence_classifier(name: str, *, device: str = "auto") -> SequenceClassifier:
    """A finished Hugging Face classifier, by folder or name."""
    _needs_torch(name)
    from longway.models.pretrained import SequenceClassifier

    return SequenceClassifier.load(name, device=device)


def _needs_torch(name: str) -> None:
    if find_spec("torch") is None:
        raise MissingExtra("torch", extra="neural", purpose=f"the model {name!r}")
