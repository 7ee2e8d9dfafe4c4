"""The models that can be measured, by name.

    likelihoods_of("hf:FOLDER")     a causal or masked model, by its folder or its name on the hub
    vectors_of("minilm")            the embedded sentence encoder      hf:NAME_OR_FOLDER: the mean state of any model
    classifier_of("FOLDER")         a classifier that Longway saved    hf:NAME_OR_FOLDER: a model with a classification head; MODULE:NAME: your own;
                                    served:MODEL: a language model that is asked for the label

Weights are loaded when the model is first used: a finished run is shown without them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longway.engines.asker import Asker
from longway.engines.engine import Engine
from longway.engines.prompt import Prompt, judge_prompt
from longway.engines.registry import engine_named
from longway.errors import SettingError
from longway.jobs.engine_use import Engines, close
from longway.jobs.fairness.settings import FairnessSettings
from longway.jobs.run import Watcher
from longway.models.classifier import Inputs
from longway.models.language_models import LanguageModel, head_of
from longway.models.minilm import MAX_TOKENS, MiniLM, model_folder
from longway.models.saved import ABOUT_FILE, folder_hash
from longway.store import Journal
from longway.task import Task

MINILM, HF = "minilm", "hf:"
ENGINES = ("served", "gguf", "replay")  # language models that are asked for a label
Row = tuple[str, str | None]  # text, context


@dataclass(frozen=True, slots=True)
class VectorModel:
    """A model that returns one vector per text: (texts, width). identity: everything that its answers depend on."""

    identity: Mapping[str, object]
    embed: Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class ClassifierModel:
    """A model that returns a label per row.

    identity: everything that its answers depend on. labels: all it can return; none if it does not say.
    own: the name of a model of the user's own, whose answers must be labels of the data.
    """

    identity: Mapping[str, object]
    labels: Callable[[], tuple[str, ...]]
    predict: Callable[[Inputs], list[str]]
    own: str = ""


@dataclass(frozen=True, slots=True)
class AskedClassifier:
    """A language model that is asked for the label of each row, as a judge is."""

    engine: Engine

    @property
    def identity(self) -> Mapping[str, object]:
        """The model and its server."""
        return self.engine.identity

    def prompt(self, task: Task, row: Row, text: str, context: str | None) -> Prompt:
        """The question about a version of a row. Both versions are asked alike: with the same examples, of which the row is none."""
        original, original_context = row
        return replace(
            judge_prompt(task, original, context=original_context, original=original),
            text=text,
            context=context,
        )

    def asker(self, journal: Journal, budget: float | None, watcher: Watcher) -> Asker:
        """Asks the model, within the budget."""
        return Asker(self.engine, journal, budget=budget, progress=watcher.progress, say=watcher.say)


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """The abilities of a model that the measures need; None for those they do not."""

    likelihoods: LanguageModel | None = None
    vectors: VectorModel | None = None
    classifier: ClassifierModel | AskedClassifier | None = None

    @classmethod
    def named(
        cls, settings: FairnessSettings, measures: Collection[str], engines: Engines | None = None
    ) -> MeasuredModel:
        """The model of the settings; SettingError if one of the measures needs what it does not have."""
        name, device = settings.model, settings.device
        by_likelihood = "holistic" in measures and name != MINILM and head_of(_hf_name(name)) is not None
        needs_likelihoods = by_likelihood or "crows_pairs" in measures or "stereoset" in measures
        needs_vectors = "weat" in measures or ("holistic" in measures and not by_likelihood)
        return cls(
            likelihoods_of(name, device=device) if needs_likelihoods else None,
            vectors_of(name, device=device) if needs_vectors else None,
            classifier_of(name, device=device, engines=engines) if "fairscore" in measures else None,
        )

    @property
    def engine(self) -> Engine | None:
        """The language model that is asked for labels, if it is one."""
        return self.classifier.engine if isinstance(self.classifier, AskedClassifier) else None

    @property
    def identity(self) -> dict[str, Mapping[str, object]]:
        """Everything that its answers depend on."""
        parts = {"likelihoods": self.likelihoods, "vectors": self.vectors, "classifier": self.classifier}
        return {name: dict(part.identity) for name, part in parts.items() if part is not None}

    @property
    def kind(self) -> str:
        """causal, masked, encoder or classifier."""
        if self.likelihoods is not None:
            return self.likelihoods.kind
        return "classifier" if self.vectors is None else "encoder"

    @property
    def method(self) -> str:
        """How it scores a sentence: by likelihood, pseudo-likelihood or association of vectors."""
        if self.likelihoods is None:
            return "association"
        return "likelihood" if self.kind == "causal" else "pseudo-likelihood"


def likelihoods_of(name: str, *, device: str = "auto") -> LanguageModel:
    """The language model of this name."""
    if name == MINILM:
        raise SettingError(
            "minilm cannot score how likely a sentence is: the installed encoder has no masked-language-model head, only vectors. "
            f"CrowS-Pairs and StereoSet need a language model. Choose {HF}FOLDER with a causal or masked model."
        )
    where = _hf_name(name)
    head = head_of(where)
    if head is None:
        raise SettingError(
            f"{name} cannot score how likely a sentence is: its config.json names no language-model head (architectures). "
            "Expected a model saved as ...ForCausalLM, ...LMHeadModel or ...ForMaskedLM. Choose another, or measure its vectors with --weat."
        )
    return LanguageModel(where, head, device=device)


def vectors_of(name: str, *, device: str = "auto") -> VectorModel:
    """The encoder of this name."""
    if name == MINILM:
        identity = {"model": MINILM, "hash": folder_hash(model_folder())}
        return VectorModel(identity, lambda texts: MiniLM.load().embed(texts))
    where = _hf_name(name)
    head_of(where)  # raises if a file or package is missing
    from longway.models.pretrained import Pretrained, folder_of

    encoder = cache(lambda: Pretrained.load(where, device=device))
    identity = {"model": where, "hash": folder_hash(folder_of(where))}
    return VectorModel(identity, lambda texts: encoder().embed(texts, max_tokens=MAX_TOKENS))


def classifier_of(
    name: str, *, device: str = "auto", engines: Engines | None = None
) -> ClassifierModel | AskedClassifier:
    """The trained classifier of this name. engines: where a language model is."""
    from longway.models.catalog import load_model, sequence_classifier
    from longway.models.own_model import check_no_pickle, finished_model, is_own, source_hash

    check_no_pickle(name)
    if name.partition(":")[0] in ENGINES:
        return _asked(name, engines or Engines())
    if name.startswith(HF):
        where = _hf_name(name)
        model = sequence_classifier(where, device=device)  # loaded now: it raises before anything is written
        identity = {"model": where, "hash": model.base.base_hash}
        return ClassifierModel(identity, lambda: tuple(model.labels_), model.predict)
    if is_own(name):
        own = finished_model(name)
        identity = {"model": name, "hash": source_hash(name)}
        return ClassifierModel(
            identity, lambda: tuple(map(str, getattr(own.model, "classes_", ()))), own.predict, own=name
        )
    folder = Path(name)
    if (folder / ABOUT_FILE).is_file():
        saved = cache(lambda: load_model(folder))
        parts = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
        identity = {"model": folder.name, "hash": " ".join(map(folder_hash, parts))}
        return ClassifierModel(
            identity, lambda: tuple(saved().labels_), lambda inputs: list(saved().predict(inputs))
        )
    inside = sorted(path.parent for path in folder.glob(f"models/*/{ABOUT_FILE}"))
    hint = f" This run has some: {', '.join(map(str, inside[:4]))}." if inside else ""
    raise SettingError(
        f"{name} is not a trained classifier, so it has no fairscore. Expected a folder that `longway prove --save-models` wrote "
        f"(with {ABOUT_FILE}), {HF}FOLDER with a model saved as ...ForSequenceClassification, MODULE:NAME for a model of your own, or "
        f"served:MODEL.{hint}"
    )


def _asked(name: str, engines: Engines) -> AskedClassifier:
    engine = engine_named(name, base_url=engines.judge_base_url or engines.base_url, **engines.options)
    if "judge" not in engine.can:
        close(engine)
        raise SettingError(
            f"{name} cannot choose a label. Expected a language model that can judge. Try served:MODEL; `longway doctor` lists those that work here."
        )
    return AskedClassifier(engine)


def _hf_name(name: str) -> str:
    where = name.removeprefix(HF)
    if where == name or not where:
        raise SettingError(
            f"There is no model {name!r}. Expected {MINILM} or {HF}NAME_OR_FOLDER. "
            f"Put {HF} before a folder or a name on the hub."
        )
    return where
