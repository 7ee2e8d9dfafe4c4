"""Fairness: a model's answers to the benchmarks that were given, and what they add up to.

    files  ->  Benchmarks (read, sampled)  ->  scored by the model, kept in the journal  ->  `fairness_summary.py`  ->  fairness.json

The fairscore is of classifiers, and measured on data with labels (`classifier_fairscore.py`); the others are of language models and encoders.
Any of the measures can be left out. Nothing here can show that a model is fair; see `metrics.fairness`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from longway.data.benchmarks.association_tests import AssociationWords, files_of, read_association_tests
from longway.data.benchmarks.benchmark_file import fingerprint
from longway.data.benchmarks.holistic_bias import FILES, HolisticSentence, read_holistic_bias
from longway.data.benchmarks.stereotype_sets import (
    SentencePair,
    StereoSetItem,
    read_crows_pairs,
    read_stereoset,
)
from longway.engines.scoring import LikelihoodModel
from longway.errors import SettingError
from longway.jobs.fairness import stereotypes
from longway.jobs.fairness.classifier_fairscore import ClassifierData, RowAnswers
from longway.jobs.fairness.judged_models import (
    ClassifierModel,
    VectorModel,
    classifier_of,
    has_likelihoods,
    likelihoods_of,
    vectors_of,
)
from longway.jobs.fairness.scored_items import BATCH, scored
from longway.store import Journal

T = TypeVar("T")
CROWS_PAIRS, STEREOSET, WEAT, HOLISTIC = "crows_pairs", "stereoset", "weat", "holistic"
FAIRSCORE = "fairscore"
AXES = (
    "gender_and_sex",
    "race_ethnicity",
    "age",
)  # of the perturbation paper; looked at unless told otherwise
ALL_AXES = "all"
WHERE_TO_GET = (
    "--crows-pairs FILE: crows_pairs_anonymized.csv of nyu-mll/crows-pairs. "
    "--stereoset FILE: data/dev.json of moinnadeem/StereoSet. "
    "--weat FILE_OR_FOLDER: tests/ of W4ngatang/sent-bias. "
    "--holistic FOLDER: holistic_bias/dataset of facebookresearch/ResponsibleNLP (all on GitHub). "
    "Of a classifier, --fairscore DATA: any data with labels that it was not trained on."
)


@dataclass(frozen=True, slots=True)
class FairnessSettings:
    """How a model is measured.

    model: local, minilm, hf:NAME_OR_FOLDER, or the folder of a classifier. limit: pairs of CrowS-Pairs, contexts of StereoSet, tests of WEAT
    and rows of the fairscore's data, drawn at random.
    axes: of HolisticBias, ("all",) for all; per_descriptor: sentences for each descriptor, at most. device: auto, cpu or cuda, for hf models.
    """

    model: str = "local"
    limit: int | None = None
    axes: tuple[str, ...] = ()
    per_descriptor: int = 64
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise SettingError(
                f"'limit' must be at least 1. Got {self.limit}. Leave it out to take everything."
            )
        if self.per_descriptor < 8:
            raise SettingError(
                f"'per_descriptor' must be at least 8. Got {self.per_descriptor}. With fewer sentences no test can tell two descriptors apart."
            )
        if self.device not in ("auto", "cpu", "cuda"):
            raise SettingError(f"'device' must be auto, cpu or cuda. Got {self.device!r}.")


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """What is measured with; a part is empty where it was not given.

    of: how many items each file has. sources: name and fingerprint. data: what a classifier is asked about.
    """

    pairs: Sequence[SentencePair]
    contexts: Sequence[StereoSetItem]
    tests: Sequence[AssociationWords]
    sentences: Sequence[HolisticSentence]
    of: Mapping[str, int]
    sources: Mapping[str, Mapping[str, str]]
    data: ClassifierData | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """The model's answer to each item, and how its sentences were valued: likelihood, pseudo-likelihood, association."""

    pairs: list[dict[str, Any]]
    contexts: list[dict[str, Any]]
    tests: list[dict[str, Any]]
    sentences: list[dict[str, Any]]
    kind: str
    holistic: str
    rows: RowAnswers | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A model as far as the measures need it: its likelihoods, its vectors, its labels."""

    likelihoods: LikelihoodModel | None
    vectors: VectorModel | None
    classifier: ClassifierModel | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that shapes its answers."""
        parts = {"likelihoods": self.likelihoods, "vectors": self.vectors, "classifier": self.classifier}
        return {name: dict(part.identity) for name, part in parts.items() if part is not None}


def read_benchmarks(
    paths: Mapping[str, Path], settings: FairnessSettings, *, data: ClassifierData | None = None
) -> Benchmarks:
    """The files of the measures that were given, by name, and of each the part that is used. data: the data of the fairscore."""
    if not paths and data is None:
        raise SettingError(
            f"There is nothing to measure with. Give one of these files at least, which are not part of Longway: {WHERE_TO_GET} "
            "For example: longway fairness --model local --crows-pairs crows_pairs_anonymized.csv"
        )
    pairs = read_crows_pairs(paths[CROWS_PAIRS]) if CROWS_PAIRS in paths else []
    contexts = read_stereoset(paths[STEREOSET]) if STEREOSET in paths else []
    tests = read_association_tests(paths[WEAT]) if WEAT in paths else []
    sentences, n_sentences = _sentences(paths[HOLISTIC], settings) if HOLISTIC in paths else ([], 0)
    counts = {CROWS_PAIRS: len(pairs), STEREOSET: len(contexts), WEAT: len(tests), HOLISTIC: n_sentences}
    of = {name: counts[name] for name in paths}
    sources = {
        name: {"name": path.name, "fingerprint": fingerprint(_files(name, path))}
        for name, path in paths.items()
    }
    if data is not None:
        of[FAIRSCORE] = data.of
        sources[FAIRSCORE] = {"name": data.name, "fingerprint": data.dataset.fingerprint}
    return Benchmarks(
        _some(pairs, settings),
        _some(contexts, settings),
        _some(tests, settings),
        sentences,
        of,
        sources,
        data,
    )


def judged_model(measures: Collection[str], settings: FairnessSettings) -> Judged:
    """The model that is measured; an error where it cannot answer one of the measures."""
    asks_likelihoods = CROWS_PAIRS in measures or STEREOSET in measures
    asks_vectors = WEAT in measures
    if HOLISTIC in measures:
        by_likelihood = has_likelihoods(settings.model)
        asks_likelihoods, asks_vectors = asks_likelihoods or by_likelihood, asks_vectors or not by_likelihood
    return Judged(
        likelihoods_of(settings.model, device=settings.device) if asks_likelihoods else None,
        vectors_of(settings.model, device=settings.device) if asks_vectors else None,
        classifier_of(settings.model, device=settings.device) if FAIRSCORE in measures else None,
    )


def answers_of(
    model: Judged,
    given: Benchmarks,
    *,
    journal: Journal,
    step: Callable[[str], object],
    progress: Callable[[int, int], object],
) -> Answers:
    """What the model says to every item of the published files; what was said before is read from the journal."""

    def asked(
        name: str,
        items: Sequence[T],
        by: LikelihoodModel | VectorModel | None,
        ask: Callable[[Any, Sequence[T]], list[dict[str, Any]]],
        told: Callable[[Any], Mapping[str, Any]] = asdict,
        batch: int = BATCH,
    ) -> list[dict[str, Any]]:
        if not items:
            return []
        step(name)
        assert by is not None  # `judged_model` has seen to it
        shaped_by = {**by.identity, "asking": stereotypes.VERSION}
        return scored(
            items,
            kind=name,
            shaped_by=shaped_by,
            told=told,
            ask=lambda some: ask(by, some),
            journal=journal,
            progress=progress,
            batch=batch,
        )

    language, vectors = model.likelihoods, model.vectors
    texts = [sentence.text for sentence in given.sentences]
    return Answers(
        asked("CrowS-Pairs", given.pairs, language, stereotypes.score_pairs),
        asked("StereoSet", given.contexts, language, stereotypes.score_contexts),
        asked("WEAT and SEAT", given.tests, vectors, stereotypes.associate, batch=1),
        asked("HolisticBias", texts, language, stereotypes.score_sentences, _text)
        if language is not None
        else asked("HolisticBias, by association", texts, vectors, stereotypes.lean, _text),
        language.kind if language is not None else "classifier" if vectors is None else "encoder",
        _method(language),
    )


def _method(language: LikelihoodModel | None) -> str:
    if language is None:
        return "association"
    return "likelihood" if language.kind == "causal" else "pseudo-likelihood"


def _text(text: str) -> dict[str, str]:
    return {"text": text}


def _some(items: Sequence[T], settings: FairnessSettings) -> Sequence[T]:
    """All items, or as many as the limit says, drawn at random and in their order."""
    if settings.limit is None or len(items) <= settings.limit:
        return items
    chosen = np.random.default_rng(settings.seed).permutation(len(items))[: settings.limit]
    return [items[i] for i in sorted(chosen)]


def _sentences(folder: Path, settings: FairnessSettings) -> tuple[list[HolisticSentence], int]:
    """The sentences of the axes that are looked at, and how many these axes have without the cap."""
    found = read_holistic_bias(folder)
    axes = list(settings.axes) or [axis for axis in AXES if axis in found.axes] or found.axes
    if ALL_AXES in axes:
        axes = found.axes
    drawn, n = [], 0
    for axis in axes:
        drawn += found.comparable(axis, per_descriptor=settings.per_descriptor, seed=settings.seed)
        n += found.n_comparable(axis)
    return drawn, n


def _files(name: str, path: Path) -> list[Path]:
    if name == HOLISTIC:
        return [path / file for file in FILES]
    return files_of(path) if name == WEAT else [path]
