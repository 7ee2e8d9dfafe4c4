"""What an explanation returns: the content of explain.json as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import polars as pl

from longway.data.summary import DatasetSummary
from longway.jobs.explain.settings import ExplainSettings
from longway.jobs.results import Result
from longway.models.importance.sufficient_words import Sufficient
from longway.models.importance.top_words import Overlap
from longway.records import Finding, Problem

ScoredWord = tuple[int, int, float]  # start and end in the text, score


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """How well a model predicts, and what its wrong predictions are based on.

    wrong: wrong predictions; searched: those searched for sufficient sets of words; sets: sets found; by_default: sets whose prediction
    the model also makes for an empty text. mean_size: words per set.
    """

    name: str
    accuracy: float
    wrong: int
    searched: int
    sets: int
    by_default: int
    mean_size: float | None


@dataclass(frozen=True, slots=True)
class ModelView:
    """One text as one model sees it.

    probability: of the predicted label; baseline: the same for an empty text. words: spans with scores. top: the words with the highest scores.
    norms, strongest: by integrated gradients only: each word's L2 norm, and the words with the highest ones.
    sufficient: the words that are enough for a wrong prediction, if it is wrong and they were found.
    """

    model: str
    predicted: str
    probability: float
    baseline: float
    words: tuple[ScoredWord, ...]
    top: tuple[str, ...]
    sufficient: Sufficient | None = None
    norms: tuple[float, ...] = ()
    strongest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplainedText:
    """One row with an explanation per model."""

    id: str
    label: str
    text: str
    context: str | None
    explanations: tuple[ModelView, ...]


@dataclass(frozen=True, slots=True)
class RecurringSet:
    """A set of words that is enough for several wrong predictions, and for how many."""

    words: tuple[str, ...]
    wrong: int


@dataclass(frozen=True, slots=True, repr=False)
class ExplainResult(Result):
    """Which words models look at, and which few are enough to mislead them.

    texts: the rows to show. overlap: of the models' top words; None with one model. parts_of_speech: of the top words, by model; None if
    English cannot be analysed. sufficient: sets of words that mislead repeatedly; findings: those that are correlated with a label.
    folder: the run folder, if there is one.
    """

    file: ClassVar[str] = "explain.json"
    command: ClassVar[str] = "explain"

    dataset: DatasetSummary
    models: tuple[ModelSummary, ...]
    texts: tuple[ExplainedText, ...]
    overlap: Overlap | None
    parts_of_speech: Mapping[str, Mapping[str, float]] | None
    sufficient: tuple[RecurringSet, ...]
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    settings: ExplainSettings
    longway: str
    created: str
    folder: Path | None = field(default=None, compare=False)

    def _frame(self) -> pl.DataFrame:
        """One row per text, model and word."""
        side = self.settings.field
        return pl.DataFrame(
            [
                {
                    "id": text.id,
                    "label": text.label,
                    "model": view.model,
                    "predicted": view.predicted,
                    "word": (getattr(text, side) or "")[start:end],
                    "start": start,
                    "end": end,
                    "score": score,
                }
                for text in self.texts
                for view in text.explanations
                for start, end, score in view.words
            ]
        )
