"""The models whose view of people can be measured, by name.

    likelihoods_of("local")         the embedded language model                     hf:NAME_OR_FOLDER: a causal or masked one
    vectors_of("minilm")            the embedded sentence encoder                   hf:NAME_OR_FOLDER: the mean state of any model
    classifier_of("FOLDER")         a classifier that Longway saved                 hf:NAME_OR_FOLDER: one with a head for labels

This stands in `evaluate`, above `llm` and `classify`: it takes language models from the one and encoders from the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Inputs
from longway.classify.minilm import MAX_TOKENS, MiniLM, model_folder
from longway.classify.saved import ABOUT_FILE, folder_hash
from longway.engines.scoring import LikelihoodModel
from longway.errors import SettingError

LOCAL, MINILM, HF = "local", "minilm", "hf:"
NAMES = f"{LOCAL}, {MINILM} or {HF}NAME_OR_FOLDER"


class VectorModel(Protocol):
    """A model that gives one vector for each text."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that shapes its answers."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(texts, width)."""


class ClassifierModel(Protocol):
    """A model that gives each row one of several labels."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that shapes its answers."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What it can answer."""

    def predict(self, inputs: Inputs) -> list[str]:
        """The most likely label of each row."""


def has_likelihoods(name: str) -> bool:
    """Whether the model of this name is a language model; an error where there is no such model."""
    if name in (LOCAL, MINILM):
        return name == LOCAL
    from longway.engines.scoring.transformers_lm import head_of

    return head_of(_hf_name(name)) is not None


def likelihoods_of(name: str, *, device: str = "auto") -> LikelihoodModel:
    """The language model of this name."""
    if name == LOCAL:
        from longway.engines.scoring.llama import EmbeddedModel

        return EmbeddedModel()
    if name == MINILM:
        raise SettingError(
            "minilm cannot say how likely a sentence is: the installed encoder has no masked-language-model head, only vectors. "
            f"A language model was expected for CrowS-Pairs and StereoSet. Choose {LOCAL}, or {HF}FOLDER with a causal or masked model."
        )
    from longway.engines.scoring.transformers_lm import CausalModel, MaskedModel, head_of

    where = _hf_name(name)
    head = head_of(where)
    if head is None:
        raise SettingError(
            f"{name} cannot say how likely a sentence is: its config.json names no language-model head (architectures). "
            "A model saved as ...ForCausalLM, ...LMHeadModel or ...ForMaskedLM was expected. Choose another, or measure its vectors with --weat."
        )
    return CausalModel(where, device=device) if head == "causal" else MaskedModel(where, device=device)


def vectors_of(name: str, *, device: str = "auto") -> VectorModel:
    """The encoder of this name."""
    if name == LOCAL:
        raise SettingError(
            "local has no vectors of sentences: it is a language model that was never trained for them. "
            f"An encoder was expected for WEAT and SEAT. Choose {MINILM}, or {HF}FOLDER."
        )
    if name == MINILM:
        return _MiniLMVectors()
    from longway.engines.scoring.transformers_lm import head_of

    head_of(_hf_name(name))  # says what is missing, before anything is read
    return _PretrainedVectors(_hf_name(name), device)


def classifier_of(name: str, *, device: str = "auto") -> ClassifierModel:
    """The finished classifier of this name."""
    if name.startswith(HF):
        return _SequenceModel(_hf_name(name), device)
    if (Path(name) / ABOUT_FILE).is_file():
        return _SavedModel(Path(name))
    inside = sorted(path.parent for path in Path(name).glob(f"models/*/{ABOUT_FILE}"))
    hint = f" This run has some: {', '.join(map(str, inside[:4]))}." if inside else ""
    raise SettingError(
        f"{name} is no finished classifier, whose fairscore could be measured. Expected a folder that `longway prove --save-models` wrote "
        f"(with {ABOUT_FILE}), or {HF}FOLDER with a model saved as ...ForSequenceClassification.{hint}"
    )


def _hf_name(name: str) -> str:
    where = name.removeprefix(HF)
    if where == name or not where:
        raise SettingError(
            f"There is no model {name!r}. Expected {NAMES}. Put {HF} before a folder or a name on the hub."
        )
    return where


class _MiniLMVectors:
    @property
    def identity(self) -> Mapping[str, Any]:
        return {"model": MINILM, "hash": folder_hash(model_folder())}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return MiniLM.load().embed(texts)


class _PretrainedVectors:
    def __init__(self, where: str, device: str) -> None:
        self._where, self._device = where, device

    @property
    def identity(self) -> Mapping[str, Any]:
        from longway.classify.pretrained import folder_of

        return {"model": self._where, "hash": folder_hash(folder_of(self._where))}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._model.embed(texts, max_tokens=MAX_TOKENS)

    @cached_property
    def _model(self) -> Any:
        from longway.classify.pretrained import Pretrained

        return Pretrained.load(self._where, device=self._device)


class _SavedModel:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def identity(self) -> Mapping[str, Any]:
        parts = [self._folder, *sorted(path for path in self._folder.iterdir() if path.is_dir())]
        return {"model": self._folder.name, "hash": " ".join(map(folder_hash, parts))}

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self._model.labels_)

    def predict(self, inputs: Inputs) -> list[str]:
        return list(self._model.predict(inputs))

    @cached_property
    def _model(self) -> Any:
        from longway.classify.catalog import load_model

        return load_model(self._folder)


class _SequenceModel:
    def __init__(self, where: str, device: str) -> None:
        from longway.classify.catalog import sequence_classifier

        self._where = where
        self._model = sequence_classifier(where, device=device)  # raises before anything is written

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"model": self._where, "hash": self._model.base.base_hash}

    @property
    def labels(self) -> tuple[str, ...]:
        return self._model.labels_

    def predict(self, inputs: Inputs) -> list[str]:
        return self._model.predict(inputs)
