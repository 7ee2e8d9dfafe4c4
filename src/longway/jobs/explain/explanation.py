"""What an explanation is asked and what it gives: settings in, scores, sets and findings out, explain.json from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from longway.classify.catalog import model_named
from longway.classify.importance import WordScores, check_method
from longway.classify.importance.sufficient_words import Sufficient, lemma_1
from longway.classify.importance.top_words import Overlap
from longway.detect.findings import recurring_sets
from longway.errors import SettingError
from longway.jobs.explain.explain_folds import Explained, Rows
from longway.records import Finding, Problem
from longway.store import now


@dataclass(frozen=True, slots=True)
class ExplainSettings:
    """What an explanation can be told.

    models: names of `classify.catalog`. method: lime, shapley or ig; samples: its own, the usual number without.
    field: whose words, "text" or "context". rows: texts to show, drawn at random; wrong: among those that the first model gets
    wrong. ids: show these rows instead. search: wrong answers of each model to look for sufficient sets in.
    top: words of each text that count for overlap and parts of speech. folds: of the cross-validation.
    max_q: false discovery rate of recurring sets. seed: of folds, choice and samples.
    """

    models: tuple[str, ...] = ("bow",)
    method: str = "lime"
    field: str = "text"
    rows: int = 50
    wrong: bool = False
    ids: tuple[str, ...] = ()
    search: int = 200
    top: int = 5
    samples: int | None = None
    folds: int = 5
    max_q: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        check_method(self.method, field=self.field, samples=self.samples)
        for name, least in (("rows", 1), ("search", 0), ("top", 1), ("folds", 2), ("seed", 0)):
            if getattr(self, name) < least:
                raise SettingError(f"{name!r} must be {least} or more. Got {getattr(self, name)}.")
        if not 0 < self.max_q <= 1:
            raise SettingError(f"'max_q' must be between 0 and 1. Got {self.max_q}. The usual value is 0.05.")
        if not self.models or len(set(self.models)) < len(self.models):
            raise SettingError(f"'models' must name different models, at least one. Got {list(self.models)}.")
        for name in self.models:
            model_named(name)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was explained; `to_dict` is what explain.json holds.

    shown: the rows to show. explained: by model and row, the shown rows and the wrong answers searched.
    predicted: by model and row, the answer of the model that has not seen the row.
    overlap: None with one model. parts_of_speech: by model; None where English cannot be analysed here.
    """

    rows: Rows
    shown: list[int]
    explained: dict[str, dict[int, Explained]]
    predicted: dict[str, dict[int, str]]
    overlap: Overlap | None
    parts_of_speech: dict[str, dict[str, float]] | None
    findings: list[Finding]
    problems: list[Problem]
    dataset: dict[str, Any]
    settings: ExplainSettings

    def scores(self, model: str) -> list[WordScores]:
        """The word scores of the shown rows, as one model sees them."""
        return [self.explained[model][row].scores for row in self.shown]

    def sufficient(self, model: str) -> list[Sufficient]:
        """The sets of words that were enough for wrong answers of one model."""
        return [one.sufficient for one in self.explained[model].values() if one.sufficient is not None]

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain JSON values."""
        return {
            "version": 1,
            "longway": version("longway"),
            "created": now(),
            "dataset": self.dataset,
            "models": [self._model(name) for name in self.settings.models],
            "texts": [self._text(row) for row in self.shown],
            "overlap": None if self.overlap is None else self.overlap.to_dict(),
            "parts_of_speech": self.parts_of_speech,
            "sufficient": [
                {"words": list(words), "wrong": n}
                for words, n in recurring_sets(pooled_sets(self.explained)).items()
            ],
            "findings": [finding.to_dict() for finding in self.findings],
            "problems": [problem.to_dict() for problem in self.problems],
            "settings": asdict(self.settings),
        }

    def _model(self, name: str) -> dict[str, Any]:
        """How well the model does, how many wrong answers were searched, and how many sets were found."""
        labels, predicted = self.rows.data.labels, self.predicted[name]
        wrong = {row for row, label in predicted.items() if label != labels[row]}
        explained, sets = self.explained[name], self.sufficient(name)
        lemma = [lemma_1(one.places, explained[one.row].scores.scores).holds for one in sets]
        return {
            "name": name,
            "accuracy": 1 - len(wrong) / max(1, len(predicted)),
            "wrong": len(wrong),
            "searched": len(wrong & explained.keys()),
            "sets": len(sets),
            "by_default": sum(one.by_default for one in sets),
            "mean_size": float(np.mean([len(one.places) for one in sets])) if sets else None,
            "lemma_1": sum(lemma),
        }

    def _text(self, row: int) -> dict[str, Any]:
        inputs = self.rows.data.inputs
        return {
            "id": self.rows.ids[row],
            "label": self.rows.data.labels[row],
            "text": inputs.texts[row],
            "context": None if inputs.contexts is None else inputs.contexts[row],
            "explanations": [
                _explanation(name, self.explained[name][row], self.settings.top)
                for name in self.settings.models
            ],
        }


def _explanation(model: str, one: Explained, top: int) -> dict[str, Any]:
    scores = one.scores
    return {
        "model": model,
        "predicted": scores.target,
        "probability": scores.value,
        "baseline": scores.baseline,
        "words": [
            [start, end, float(score)]
            for (start, end), score in zip(scores.spans, scores.scores, strict=True)
        ],
        "top": scores.top(top),
        "sufficient": None if one.sufficient is None else one.sufficient.to_dict(),
    }


def pooled_sets(explained: Mapping[str, Mapping[int, Explained]]) -> list[Sufficient]:
    """The sets of all models; where several models have the same set for a row, it counts once."""
    sets = {
        (row, frozenset(one.sufficient.words)): one.sufficient
        for of_model in explained.values()
        for row, one in of_model.items()
        if one.sufficient is not None
    }
    return list(sets.values())
