"""A frozen pretrained encoder with softmax regression on its vectors: the encoder to use without a GPU.

    texts  ->  encoder  ->  one vector per text, cached on disk (`VectorCache`)  ->  softmax regression  ->  probabilities

A pair becomes [u, v, |u - v|, u * v] of the vectors u of its text and v of its context (Conneau et al. 2017). MiniLM runs in
ONNX Runtime and needs no torch; other encoders need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from longway.models.classifier import FitData, Floats, Inputs, check_kind
from longway.models.encoders import CachedEncoder, VectorCache, encoder_named
from longway.models.multilingual import MINILM
from longway.models.saved import SavedModel, check_base, load_arrays, save_arrays, settings_of
from longway.models.softmax_regression import SoftmaxClassifier, SoftmaxRegression


@dataclass(eq=False)
class Frozen(SoftmaxClassifier):
    """Softmax regression on the vectors of a frozen encoder.

    encoder: "minilm", "multilingual", a name on the Hugging Face hub, or a folder. max_tokens: per text, the rest is cut.
    strength: inverse regularization (`softmax_regression.py`). cache: a file that keeps vectors between runs.
    """

    name: ClassVar[str] = "frozen"

    encoder: str = MINILM
    _: KW_ONLY
    strength: float = 0.01
    max_tokens: int = 256
    cache: Path | None = None
    device: str = "auto"
    seed: int = 0

    def features(self, inputs: Inputs) -> Floats:
        """(n, numbers): the vectors, standardized like the training rows."""
        return (self._raw(inputs) - self.mean_) / self.spread_

    def embedded(self, texts: Sequence[str]) -> Floats:
        """(n, width): the encoder's vectors, from the cache if they are in it."""
        return self._vectors(texts).astype(np.float64)

    def save(self, folder: Path) -> None:
        """Write the regression, and the hash of its encoder."""
        regression = self.regression_
        scaling = {"mean": self.mean_, "spread": self.spread_}
        save_arrays(folder, {**scaling, "weights": regression.weights, "bias": regression.bias})
        base_hash = self._vectors.encoder.base_hash
        SavedModel(self.name, self.labels_, self.pairs_, settings_of(self), base_hash).write(folder)

    @classmethod
    def load(cls, folder: Path, *, cache: Path | None = None, device: str = "auto") -> Self:
        """Read the classifier saved there. Raises SettingError if its encoder has changed."""
        about, arrays = SavedModel.read(folder), load_arrays(folder)
        model = cls(**about.settings or {}, cache=cache, device=device)
        check_base(model.encoder, about.base_hash, model._vectors.encoder.base_hash)
        model.labels_, model.pairs_ = about.labels, bool(about.pairs)
        model.mean_, model.spread_ = arrays["mean"], arrays["spread"]
        model.regression_ = SoftmaxRegression(arrays["weights"], arrays["bias"])
        return model

    def _fit(self, given: FitData) -> None:
        """Fit the regression to all rows."""
        self.pairs_ = given.is_pairs
        raw = self._raw(given.data.inputs)
        self.mean_ = raw.mean(axis=0)
        spread = raw.std(axis=0)
        self.spread_ = np.where(spread > 0, spread, 1)
        self._fit_regression((raw - self.mean_) / self.spread_, given, strength=self.strength)

    def _raw(self, inputs: Inputs) -> Floats:
        check_kind(inputs, pairs=self.pairs_)
        u = self.embedded(inputs.texts)
        if inputs.contexts is None:
            return u
        v = self.embedded(inputs.contexts)
        return np.hstack([u, v, np.abs(u - v), u * v])

    @cached_property
    def _vectors(self) -> CachedEncoder:
        encoder = encoder_named(self.encoder, device=self.device)
        return CachedEncoder(encoder, VectorCache(self.cache), max_tokens=self.max_tokens)
