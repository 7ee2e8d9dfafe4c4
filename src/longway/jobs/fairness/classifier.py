"""The fairscore of a trained classifier: how many of its predictions change if one person in a row is changed.

    dataset  ->  ClassifierRows (one split, sampled)  ->  one person in each row changed (`perturbed_rows.py`)
             ->  predictions for both texts, kept in the journal  ->  Eq. 1 (`metrics/fairness/fairscore.py`)

The accuracy on the same rows is reported with it: a classifier that always predicts the same label has a fairscore of 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from longway.classify.classifier import Inputs, Labelled
from longway.classify.own_model import plain_label
from longway.data import Dataset, load
from longway.errors import SettingError
from longway.jobs.about import stem
from longway.jobs.documents import ANALYSES_FILE, Documents
from longway.jobs.fairness.answers import Questions
from longway.jobs.fairness.models import ClassifierModel
from longway.jobs.fairness.result import ChangedAnswers, ChangedPair, FairscoreMeasure
from longway.jobs.held_out import check_no_lists
from longway.jobs.prove.perturbed_rows import PerturbedRows, perturbed_rows, write_perturbed
from longway.jobs.prove.training import rows_of
from longway.metrics.fairness.fairscore import fairscore_of, kept
from longway.metrics.intervals import Measurement, percentage

Item = tuple[str, str | None]  # text, context


@dataclass(frozen=True)
class ClassifierRows:
    """Rows that a classifier is asked about. ids: those of the original data, which has `n_all` rows."""

    dataset: Dataset
    name: str
    ids: tuple[str, ...]
    n_all: int

    @classmethod
    def of(
        cls, dataset: Dataset, *, split: str | None = None, limit: int | None = None, seed: int = 0
    ) -> ClassifierRows:
        """The rows of a dataset or of one of its splits; with a limit, a random sample."""
        if split is None and dataset.split is None and len(dataset.splits) > 1:
            raise SettingError(
                f"{dataset.source_name} has the splits {', '.join(dataset.splits)}. Expected one that the classifier was not trained on. "
                f"Name it: --split {dataset.splits[-1]}."
            )
        check_no_lists(dataset)
        part = dataset if split is None else dataset.select_split(split)
        ids = [str(one) for batch in part.batches() for one in batch.ids]
        if limit is None or len(ids) <= limit:
            return cls(part, part.source_name, tuple(ids), len(ids))
        chosen = np.sort(np.random.default_rng(seed).permutation(len(ids))[:limit])
        rows = part.take(np.concatenate([batch.rows for batch in part.batches()])[chosen])
        columns = part.columns
        sample = load(
            rows, text=columns.text, context=columns.context or "", label=columns.label, id="", split=""
        )
        return cls(sample, part.source_name, tuple(ids[i] for i in chosen), len(ids))

    @cached_property
    def rows(self) -> Labelled:
        """The rows as classifiers take them."""
        return rows_of(self.dataset)


@dataclass(frozen=True, slots=True)
class Prediction:
    """The label that a classifier predicts for a row."""

    label: str


def measure_fairscore(
    model: ClassifierModel, data: ClassifierRows, questions: Questions, *, folder: Path | None
) -> FairscoreMeasure:
    """Change one person in each row, and compare the predictions. folder: the run's; the changed rows are written into it."""
    questions.watcher.step("changing one person in each row")
    perturbed = _perturbed(data, questions, folder)
    items = [*_items(data.rows.inputs), *_items(perturbed.inputs)]
    predictions = questions.ask(
        "fairscore",
        items,
        lambda some: [Prediction(label) for label in model.predict(_inputs(some))],
        into=Prediction,
        shaped_by=model.identity,
        as_json=lambda item: {"text": item[0], "context": item[1]},
    )
    labels = [prediction.label for prediction in predictions]
    before, after = labels[: len(data.rows)], labels[len(data.rows) :]
    before_changed = [before[row] for row in perturbed.rows]
    file = ""
    if folder is not None:
        file = f"perturbed/{stem(data.name)}.jsonl"
        answers = list(zip(before_changed, after, strict=True))
        write_perturbed(folder / file, data.rows, perturbed, answers=answers)
        Documents(folder / ANALYSES_FILE).forget()
    score = fairscore_of(
        kept(before_changed, after, perturbed.changed), perturbed.changed, rows=len(data.rows)
    )
    known = model.labels() or _labels_of(labels, data.rows.labels)
    return FairscoreMeasure(
        source=data.name,
        of=data.n_all,
        method="predictions",
        overall=ChangedAnswers.of(score.overall),
        rows=len(data.rows),
        coverage=score.coverage,
        by_axis={axis: ChangedAnswers.of(share) for axis, share in score.by_axis.items()},
        by_pair=tuple(ChangedPair(s.rows, s.differ, s.score, *pair) for pair, s in score.by_pair.items()),
        stayed=perturbed.stayed,
        file=file,
        labels=known,
        accuracy=_accuracy(data.rows.labels, before, known),
    )


def _perturbed(data: ClassifierRows, questions: Questions, folder: Path | None) -> PerturbedRows:
    cache = None if folder is None else folder / ANALYSES_FILE
    places = np.arange(len(data.rows))
    perturbed = perturbed_rows(data.dataset, places, cache=cache, progress=questions.watcher.progress)
    if not perturbed:
        reasons = ", ".join(f"{reason} ({n:,})" for reason, n in perturbed.stayed.items())
        raise SettingError(
            f"In none of {len(data.rows):,} rows of {data.name} could a person be changed, so there is no fairscore: {reasons}. "
            "Expected rows that mention somebody's gender, race or age. Use other data, or more of it."
        )
    return replace(perturbed, ids=tuple(data.ids[row] for row in perturbed.rows))


def _labels_of(predicted: Sequence[str], truth: Sequence[str]) -> tuple[str, ...]:
    """The labels of a classifier that does not list them: those of the data if it predicts no others."""
    of_data = sorted(set(truth))
    is_known = {plain_label(label) for label in predicted} <= {plain_label(label) for label in of_data}
    return tuple(of_data if is_known else sorted(set(predicted)))


def _accuracy(truth: Sequence[str], predicted: Sequence[str], known: Sequence[str]) -> Measurement | None:
    """The percentage of correct predictions; None if the classifier has other names for the labels."""
    expected = [plain_label(label) for label in truth]
    if not {plain_label(label) for label in known}.issuperset(expected):
        return None
    right = sum(plain_label(label) == own for label, own in zip(predicted, expected, strict=True))
    return percentage(right, len(expected))


def _items(inputs: Inputs) -> list[Item]:
    contexts: Sequence[str | None] = inputs.contexts or [None] * len(inputs)
    return list(zip(inputs.texts, contexts, strict=True))


def _inputs(items: Sequence[Item]) -> Inputs:
    contexts = [context for _, context in items if context is not None]
    return Inputs([text for text, _ in items], contexts or None)
