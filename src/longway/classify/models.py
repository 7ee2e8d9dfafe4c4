"""All classifiers by name.

bow             words and pairs of words, softmax regression           no torch
nb              the same columns, naive Bayes                          no torch
minilm          MiniLM's vectors, frozen; softmax regression on top    no torch
cnn, gru, dan   frozen word vectors, a small network on top
minilm-lora     MiniLM, thin matrices beside its weights trained
minilm-full     MiniLM, all weights trained
hf:NAME         any encoder of the Hugging Face hub, or of a folder; NAME-frozen, NAME-lora (the default), NAME-full
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.classify.classifier import Classifier, read_about
from longway.errors import MissingExtra, SettingError

TUNINGS = ("frozen", "lora", "full")


def _bow(*, seed: int, cache: Path | None, device: str, **options: Any) -> Classifier:
    from longway.classify.linear import Linear

    return Linear(seed=seed, **options)


def _nb(*, seed: int, cache: Path | None, device: str, **options: Any) -> Classifier:
    from longway.classify.naive_bayes import NaiveBayes

    return NaiveBayes(seed=seed, **options)


def _static(kind: str) -> Callable[..., Classifier]:
    def make(*, seed: int, cache: Path | None, device: str, **options: Any) -> Classifier:
        _needs_torch(kind)
        from longway.classify.static import StaticNet

        return StaticNet(kind, seed=seed, device=device, **options)

    return make


def _encoder(name: str, tuning: str) -> Callable[..., Classifier]:
    def make(*, seed: int, cache: Path | None, device: str, **options: Any) -> Classifier:
        if tuning == "frozen":
            from longway.classify.frozen import MINILM, Frozen

            if name != MINILM:
                _needs_torch(name)
            return Frozen(name, seed=seed, cache=cache, device=device, **options)
        _needs_torch(f"{name}-{tuning}")
        from longway.classify.encoder import Encoder

        return Encoder(name, tuning=tuning, seed=seed, device=device, **options)

    return make


MODELS: dict[str, Callable[..., Classifier]] = {
    "bow": _bow,
    "nb": _nb,
    "cnn": _static("cnn"),
    "gru": _static("gru"),
    "dan": _static("dan"),
    "minilm": _encoder("minilm", "frozen"),
    "minilm-lora": _encoder("minilm", "lora"),
    "minilm-full": _encoder("minilm", "full"),
}


def model_named(
    name: str, *, seed: int = 0, cache: Path | None = None, device: str = "auto", **options: Any
) -> Classifier:
    """An untrained classifier.

    cache: a file that keeps vectors of texts from run to run, for frozen encoders. device: auto, cpu or cuda, for networks.
    options: of the classifier itself, such as `epochs=5`.

    >>> model_named("bow", seed=1).name
    'bow'
    """
    if device not in ("auto", "cpu", "cuda"):
        raise SettingError(
            f"'device' must be auto, cpu or cuda. Got {device!r}. auto takes the GPU where there is one."
        )
    make = _maker(name)
    try:
        return make(seed=seed, cache=cache, device=device, **options)
    except TypeError as error:
        raise SettingError(
            f"The model {name!r} does not take these options: {', '.join(options)} ({error}). Leave out what it does not know."
        ) from None


def load_model(folder: Path) -> Classifier:
    """The classifier that was saved in a folder, whichever it is."""
    kind = read_about(folder).get("model")
    if kind == "bow":
        from longway.classify.linear import Linear

        return Linear.load(folder)
    if kind == "nb":
        from longway.classify.naive_bayes import NaiveBayes

        return NaiveBayes.load(folder)
    if kind == "frozen":
        from longway.classify.frozen import Frozen

        return Frozen.load(folder)
    if kind == "static":
        _needs_torch(kind)
        from longway.classify.static import StaticNet

        return StaticNet.load(folder)
    if kind == "encoder":
        _needs_torch(kind)
        from longway.classify.encoder import Encoder

        return Encoder.load(folder)
    if kind == "clever":
        from longway.classify.methods.clever import Difference

        return Difference.load(folder)
    raise SettingError(
        f"The classifier in {folder} is of the kind {kind!r}, which this version does not know. Train it again."
    )


def _needs_torch(name: str) -> None:
    if find_spec("torch") is None:
        raise MissingExtra("torch", extra="neural", purpose=f"the model {name!r}")


def _maker(name: str) -> Callable[..., Classifier]:
    if name in MODELS:
        return MODELS[name]
    if name.startswith("hf:") and len(name) > len("hf:"):
        base, dash, tuning = name.removeprefix("hf:").rpartition("-")
        return (
            _encoder(base, tuning)
            if dash and tuning in TUNINGS
            else _encoder(name.removeprefix("hf:"), "lora")
        )
    raise SettingError(
        f"'model' must be one of {', '.join(MODELS)}, or hf:NAME with an optional -frozen, -lora or -full. Got {name!r}."
    )
