"""A pretrained encoder as it is, and softmax regression on its vectors: the encoder that is bearable without a GPU.

    texts  ->  encoder  ->  one vector a text, kept on disk (`features.py`)  ->  softmax regression  ->  probabilities

A pair becomes [u, v, |u - v|, u * v] of the vectors u of its text and v of its context (Conneau et al. 2017). MiniLM runs in ONNX
Runtime and needs no torch; other encoders need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import (
    Floats,
    FromLogits,
    Inputs,
    Labelled,
    Watch,
    label_names,
    read_about,
    targets_of,
    write_about,
)
from longway.classify.features import VectorCache
from longway.classify.minilm import MiniLM, model_folder
from longway.classify.objectives import CrossEntropy, Objective
from longway.classify.saved import check_base, check_kind, folder_hash, load_arrays, save_arrays
from longway.classify.softmax_regression import Scored, SoftmaxRegression, fit_softmax

MINILM = "minilm"


class Vectors(Protocol):
    """Something that makes vectors of texts."""

    base_hash: str

    def embed(self, texts: Sequence[str], *, max_tokens: int) -> NDArray[np.float32]:
        """One vector for each text."""
        ...


class Frozen(FromLogits):
    """Softmax regression on the vectors of a frozen encoder.

    encoder: "minilm", a name on the Hugging Face hub, or a folder. max_tokens: of a text, the rest is cut.
    strength: how far weights may grow (`softmax_regression.py`). cache: a file that keeps vectors from run to run.
    """

    name: ClassVar[str] = "frozen"

    def __init__(
        self,
        encoder: str = MINILM,
        *,
        strength: float = 0.01,
        max_tokens: int = 256,
        cache: Path | None = None,
        device: str = "auto",
        seed: int = 0,
    ) -> None:
        self.encoder = encoder
        self.strength = strength
        self.max_tokens = max_tokens
        self.cache = cache
        self.device = device
        self.seed = seed

    def fit(
        self,
        data: Labelled,
        *,
        objective: Objective | None = None,
        validation: Labelled | None = None,
        watch: Watch | None = None,
    ) -> Self:
        """Learn weights of the vectors' numbers, from all rows."""
        self.labels_ = label_names(data.labels)
        objective = objective or CrossEntropy(targets_of(data.labels, self.labels_))
        self.pairs_ = data.inputs.contexts is not None
        raw = self._raw(data.inputs)
        self.mean_ = raw.mean(axis=0)
        spread = raw.std(axis=0)
        self.spread_ = np.where(spread > 0, spread, 1)
        stop = None
        if validation is not None:
            stop = Scored(self.features(validation.inputs), targets_of(validation.labels, self.labels_))
        self.regression_ = fit_softmax(
            (raw - self.mean_) / self.spread_,
            objective,
            len(self.labels_),
            strength=self.strength,
            validation=stop,
            watch=watch,
        )
        return self

    def features(self, inputs: Inputs) -> Floats:
        """(n, numbers): the vectors, scaled as the training rows are."""
        return (self._raw(inputs) - self.mean_) / self.spread_

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): what softmax makes probabilities of."""
        return self.regression_.logits(self.features(inputs))

    def save(self, folder: Path) -> None:
        """Write the weights on top, and which encoder they are for."""
        arrays = {
            "mean": self.mean_,
            "spread": self.spread_,
            "weights": self.regression_.weights,
            "bias": self.regression_.bias,
        }
        save_arrays(folder, arrays)
        names = ("encoder", "strength", "max_tokens", "seed")
        settings = {name: getattr(self, name) for name in names}
        about = {"model": self.name, "labels": self.labels_, "pairs": self.pairs_, "settings": settings}
        write_about(folder, about | {"base_hash": self._vectors.base_hash})

    @classmethod
    def load(cls, folder: Path, *, cache: Path | None = None, device: str = "auto") -> Self:
        """The classifier that was saved there; an error where its encoder is another one now."""
        about, arrays = read_about(folder), load_arrays(folder)
        found = cls(**about["settings"], cache=cache, device=device)
        check_base(found.encoder, about["base_hash"], found._vectors.base_hash)
        found.labels_, found.pairs_ = tuple(about["labels"]), about["pairs"]
        found.mean_, found.spread_ = arrays["mean"], arrays["spread"]
        found.regression_ = SoftmaxRegression(arrays["weights"], arrays["bias"])
        return found

    def _raw(self, inputs: Inputs) -> Floats:
        check_kind(inputs, pairs=self.pairs_)
        u = self.embedded(inputs.texts)
        if inputs.contexts is None:
            return u
        v = self.embedded(inputs.contexts)
        return np.hstack([u, v, np.abs(u - v), u * v])

    def embedded(self, texts: Sequence[str]) -> Floats:
        """(n, width): the encoder's vectors, from the cache where they are kept there."""
        model = f"{self._vectors.base_hash}/{self.max_tokens}"

        def compute(some: Sequence[str]) -> NDArray[np.float32]:
            return self._vectors.embed(some, max_tokens=self.max_tokens)

        return self._kept.vectors(model, texts, compute).astype(np.float64)

    @cached_property
    def _kept(self) -> VectorCache:
        return VectorCache(self.cache)

    @cached_property
    def _vectors(self) -> Vectors:
        if self.encoder == MINILM:
            return _MiniLMVectors()
        from longway.classify.pretrained import Pretrained

        return Pretrained.load(self.encoder, device=self.device)


class _MiniLMVectors:
    """MiniLM without torch."""

    def __init__(self) -> None:
        self.base_hash = folder_hash(model_folder())

    def embed(self, texts: Sequence[str], *, max_tokens: int) -> NDArray[np.float32]:
        return MiniLM.load().embed(texts, max_tokens=max_tokens)
