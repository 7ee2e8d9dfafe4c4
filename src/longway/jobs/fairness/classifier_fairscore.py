"""The fairscore of a finished classifier: how many of its answers change when one person of a row does.

    dataset  ->  ClassifierData (one split, sampled)  ->  one person of each row changed (`perturbed_rows.py`)
             ->  answers to both texts, kept in the journal  ->  Eq. 1 (`metrics/fairness/fairscore.py`)  ->  fairness.json

Beside it stands the accuracy on the same rows: a classifier that always says the same has a fairscore of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from longway.classify.classifier import Inputs, Labelled
from longway.data import Dataset, load
from longway.errors import SettingError
from longway.jobs.about import stem
from longway.jobs.documents import ANALYSES_FILE, Documents
from longway.jobs.fairness.judged_models import ClassifierModel
from longway.jobs.fairness.scored_items import scored
from longway.jobs.prove.perturbed_rows import PerturbedRows, perturbed_rows, write_perturbed
from longway.jobs.prove.prove import rows_of
from longway.metrics.fairness.fairscore import fairscore_of, kept
from longway.metrics.intervals import percentage
from longway.store import Journal

Item = tuple[str, str | None]  # text, context


@dataclass(frozen=True)
class ClassifierData:
    """Rows that a classifier is asked about. dataset: those that are used; ids: in the data they are of; of: how many that has."""

    dataset: Dataset
    name: str
    ids: tuple[str, ...]
    of: int

    @cached_property
    def rows(self) -> Labelled:
        """Its rows, as classifiers take them."""
        return rows_of(self.dataset)


@dataclass(frozen=True, slots=True)
class RowAnswers:
    """What a classifier says to each row, and to those that were perturbed. labels: what it can say. file: where these are."""

    perturbed: PerturbedRows
    before: list[str]
    after: list[str]
    labels: tuple[str, ...]
    file: str


def classifier_data(
    dataset: Dataset, *, split: str | None = None, limit: int | None = None, seed: int = 0
) -> ClassifierData:
    """The rows of a dataset, or of one split of it, that are asked about; with a limit as many, drawn at random."""
    if split is None and dataset.split is None and len(dataset.splits) > 1:
        raise SettingError(
            f"{dataset.source_name} has the splits {', '.join(dataset.splits)}. One that the classifier was not trained on was expected. "
            f"Name it: --split {dataset.splits[-1]}."
        )
    part = dataset if split is None else dataset.select_split(split)
    ids = [str(one) for batch in part.batches() for one in batch.ids]
    if limit is None or len(ids) <= limit:
        return ClassifierData(part, part.source_name, tuple(ids), len(ids))
    chosen = np.sort(np.random.default_rng(seed).permutation(len(ids))[:limit])
    places = np.concatenate([batch.rows for batch in part.batches()])[chosen]
    columns = part.columns
    some = load(
        part.take(places),
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
        id="",
        split="",
    )
    return ClassifierData(some, part.source_name, tuple(ids[i] for i in chosen), len(ids))


def ask_rows(
    model: ClassifierModel,
    data: ClassifierData,
    *,
    folder: Path,
    journal: Journal,
    step: Callable[[str], object],
    progress: Callable[[int, int], object],
) -> RowAnswers:
    """Change one person of each row, and ask about all rows; what was said before is read from the journal.

    folder: of the run, in which the perturbed rows are written for people, with the answers.
    """
    step("changing one person in each row")
    cache = folder / ANALYSES_FILE
    found = perturbed_rows(data.dataset, np.arange(len(data.rows)), cache=cache, progress=progress)
    perturbed = replace(found, ids=tuple(data.ids[row] for row in found.rows))
    if not perturbed:
        why = ", ".join(f"{reason} ({n:,})" for reason, n in perturbed.stayed.items())
        raise SettingError(
            f"In none of {len(data.rows):,} rows of {data.name} a person could be changed, so there is no fairscore: {why}. "
            "Rows that tell somebody's gender, race or age were expected. Give other data, or more of it."
        )
    step("asking the classifier")
    items = [*_items(data.rows.inputs), *_items(perturbed.inputs)]
    answers = scored(
        items,
        kind="fairscore",
        shaped_by=model.identity,
        told=lambda item: {"text": item[0], "context": item[1]},
        ask=lambda some: [{"label": label} for label in model.predict(_inputs(some))],
        journal=journal,
        progress=progress,
    )
    said = [answer["label"] for answer in answers]
    before, after = said[: len(data.rows)], said[len(data.rows) :]
    file = f"perturbed/{stem(data.name)}.jsonl"
    asked = [(before[row], new) for row, new in zip(perturbed.rows, after, strict=True)]
    write_perturbed(folder / file, data.rows, perturbed, answers=asked)
    Documents(cache).forget()
    return RowAnswers(perturbed, before, after, tuple(model.labels), file)


def measure_of(data: ClassifierData, told: RowAnswers) -> dict[str, Any]:
    """The fairscore, overall and by what was changed, and how good a classifier it is."""
    perturbed, rows = told.perturbed, len(data.rows)
    before = [told.before[row] for row in perturbed.rows]
    found = fairscore_of(kept(before, told.after, perturbed.changed), perturbed.changed, rows=rows)
    return {
        "method": "predictions",
        **found.to_dict(),
        "stayed": dict(perturbed.stayed),
        "file": told.file,
        "labels": list(told.labels),
        "accuracy": _accuracy(data, told),
    }


def _accuracy(data: ClassifierData, told: RowAnswers) -> dict[str, Any] | None:
    """The percentage of right answers; None where the classifier has other names for the labels."""
    known = {_plain(label) for label in told.labels}
    truth = [_plain(label) for label in data.rows.labels]
    if not known.issuperset(truth):
        return None
    right = sum(_plain(said) == own for said, own in zip(told.before, truth, strict=True))
    return percentage(right, len(truth)).to_dict()


def _plain(label: str) -> str:
    """A label as it is compared: NEGATIVE is negative, and LABEL_0, which nobody named, is 0."""
    return label.strip().lower().removeprefix("label_")


def _items(inputs: Inputs) -> list[Item]:
    contexts: Sequence[str | None] = inputs.contexts or [None] * len(inputs)
    return list(zip(inputs.texts, contexts, strict=True))


def _inputs(items: Sequence[Item]) -> Inputs:
    contexts = [context for _, context in items if context is not None]
    return Inputs([text for text, _ in items], contexts or None)
