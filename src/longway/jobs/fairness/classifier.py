"""The fairscore of a trained classifier: how many of its predictions change if one person in a row is changed.

    dataset  ->  ClassifierRows (one split, sampled)  ->  one person in each row changed (`perturbed_rows.py`)
             ->  predictions for both texts, kept in the journal  ->  Eq. 1 (`metrics/fairness/fairscore.py`)
             ->  which words were changed where predictions differ, and examples

The accuracy on the same rows is reported with it: a classifier that always predicts the same label has a fairscore of 0. A language model
may give no usable answer to a row; such rows are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from longway.data import Dataset, load
from longway.engines.engine import Engine
from longway.errors import EngineError, SettingError
from longway.jobs.documents import ANALYSES_FILE
from longway.jobs.engine_use import costs_money, estimate_calls, failed_calls, sampled
from longway.jobs.estimate import RunEstimate
from longway.jobs.fairness.answers import ask
from longway.jobs.fairness.models import AskedClassifier, ClassifierModel
from longway.jobs.fairness.result import (
    ChangedAnswers,
    ChangedPair,
    ChangedWord,
    FairscoreMeasure,
    FlippedRow,
)
from longway.jobs.held_out import check_no_lists
from longway.jobs.perturb.perturbing import Perturbing, Who, calls_of
from longway.jobs.prove.fairscore import perturbed_texts
from longway.jobs.prove.perturbed_rows import PerturbedRows, changed_rows, word_changes, write_perturbed
from longway.jobs.prove.training import rows_of
from longway.jobs.rows import rows_of as task_rows
from longway.jobs.run import Watcher, stem
from longway.metrics.fairness.fairscore import Changed, by_word, fairscore_of, kept
from longway.metrics.intervals import Measurement, percentage
from longway.models.classifier import Inputs, Labelled
from longway.models.own_model import place_of, plain_label
from longway.store import Journal
from longway.task import Task

Item = tuple[str, str | None]  # text, context
EMPTY = "the answer is empty"
EXAMPLES = 12  # rows whose prediction changes that are shown


@dataclass(frozen=True)
class ClassifierRows:
    """Rows that a classifier is asked about.

    ids: those of the original data, which has `n_all` rows. labels: those of all rows of the data.
    """

    dataset: Dataset
    name: str
    ids: tuple[str, ...]
    n_all: int
    labels: tuple[str, ...]

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
            return cls(part, part.source_name, tuple(ids), len(ids), dataset.labels)
        chosen = np.sort(np.random.default_rng(seed).permutation(len(ids))[:limit])
        rows = part.take(np.concatenate([batch.rows for batch in part.batches()])[chosen])
        columns = part.columns
        sample = load(
            rows, text=columns.text, context=columns.context or "", label=columns.label, id="", split=""
        )
        return cls(sample, part.source_name, tuple(ids[i] for i in chosen), len(ids), dataset.labels)

    @cached_property
    def rows(self) -> Labelled:
        """The rows as classifiers take them."""
        return rows_of(self.dataset)


@dataclass(frozen=True, slots=True)
class Prediction:
    """The label that a classifier predicts for a row; "" with the reason if there is none."""

    label: str
    reason: str = ""


@dataclass(frozen=True)
class FairscoreRun:
    """The fairscore of one classifier on some rows.

    who: changes the people. describe: what labels mean, for a language model. budget: dollars for all engines together. folder: the run's;
    the changed rows are written into it.
    """

    model: ClassifierModel | AskedClassifier
    data: ClassifierRows
    who: Who
    journal: Journal
    watcher: Watcher
    describe: Sequence[str] = ()
    budget: float | None = None
    folder: Path | None = None

    def measure(self) -> tuple[FairscoreMeasure, Mapping[str, int]]:
        """Change one person in each row and compare the predictions; also the calls that failed temporarily."""
        data, watcher = self.data, self.watcher
        watcher.step("reading who is mentioned")
        cache = None if self.folder is None else self.folder / ANALYSES_FILE
        perturbing = Perturbing(data.dataset, self.who.settings, cache=cache, progress=watcher.progress)
        if costs_money(self.who.engine, self._engine):
            watcher.estimate(self._estimate(perturbing))
        watcher.step("changing one person in each row")
        places = np.arange(len(data.rows))
        perturbed = changed_rows(perturbing, places, self.who, self.journal, budget=self.budget)
        if not perturbed:
            reasons = ", ".join(f"{reason} ({n:,})" for reason, n in perturbed.stayed.items())
            raise SettingError(
                f"In none of {len(data.rows):,} rows of {data.name} could a person be changed, so there is no fairscore: {reasons}. "
                "Expected rows that mention somebody's gender, race or age. Use other data, or more of it."
            )
        perturbed = replace(perturbed, ids=tuple(data.ids[row] for row in perturbed.rows))
        before, after, failed = self._predictions(perturbed)
        measure = self._measured(perturbed, before, after)
        perturbing.documents.forget()
        return measure, Counter(perturbed.failed) + Counter(failed)

    @property
    def _engine(self) -> Engine | None:
        return self.model.engine if isinstance(self.model, AskedClassifier) else None

    @cached_property
    def _task(self) -> Task:
        return task_rows(self.data.dataset, describe=self.describe).task

    def _estimate(self, perturbing: Perturbing) -> RunEstimate:
        rows, n_calls = _items(self.data.rows.inputs), len(self.data.rows) + len(perturbing.chosen)
        judgements = []
        if isinstance(self.model, AskedClassifier):
            some = [self.model.prompt(self._task, rows[i], *rows[i]) for i in sampled(len(rows))]
            labels = self._task.labels
            judgements = estimate_calls(self._engine, some, n_calls, options=labels)
        spent = self.journal.spent()
        writes = calls_of(self.who.engine, perturbing)
        return RunEstimate.of(len(perturbing.chosen), writes, judgements, spent=spent)

    def _predictions(
        self, perturbed: PerturbedRows
    ) -> tuple[list[Prediction], list[Prediction], Mapping[str, int]]:
        """The predictions for all rows and for the changed ones; calls that failed temporarily."""
        rows, changed = _items(self.data.rows.inputs), _items(perturbed.inputs)
        n, failed = len(rows), Counter[str]()
        if isinstance(self.model, AskedClassifier):
            self.watcher.step("asking for labels")
            originals = [*rows, *(rows[place] for place in perturbed.rows)]
            versions = zip(originals, [*rows, *changed], strict=True)
            prompts = [self.model.prompt(self._task, original, *item) for original, item in versions]
            asker = self.model.asker(self.journal, self.budget, self.watcher)
            judged = asker.judge_all(prompts, self._task.labels)
            found = [Prediction(one.best or "", one.refusal) for one in judged]
            failed = failed_calls(asker)
        else:
            predict = self.model.predict
            found = ask(
                self.journal,
                self.watcher,
                "fairscore",
                [*rows, *changed],
                lambda some: [Prediction(label) for label in predict(_inputs(some))],
                into=Prediction,
                shaped_by=self.model.identity,
                as_json=lambda item: {"text": item[0], "context": item[1]},
            )
            self._check_answers({one.label for one in found})
        return found[:n], found[n:], failed

    def _check_answers(self, answers: Collection[str]) -> None:
        """Raise TrainingError if a model of the user's own gave an answer that is no label of the data.

        A model may list more labels than those of the data.
        """
        if isinstance(self.model, AskedClassifier) or not self.model.own:
            return
        listed, labels = self.model.labels(), self.data.labels
        if set(map(plain_label, listed)).issuperset(map(plain_label, labels)):
            labels = listed
        for answer in sorted(answers):
            place_of(answer, labels, self.model.own)

    def _measured(
        self, perturbed: PerturbedRows, before: Sequence[Prediction], after: Sequence[Prediction]
    ) -> FairscoreMeasure:
        data = self.data
        were = [before[row] for row in perturbed.rows]
        answers = [(old.label, new.label) for old, new in zip(were, after, strict=True)]
        file = ""
        if self.folder is not None:
            file = f"perturbed/{stem(data.name)}.jsonl"
            write_perturbed(self.folder / file, data.rows, perturbed, answers=answers)
        answered = [at for at, pair in enumerate(answers) if all(pair)]
        missing = Counter(
            old.reason or new.reason or EMPTY
            for old, new in zip(were, after, strict=True)
            if not (old.label and new.label)
        )
        if not answered:
            raise EngineError(
                f"There is no usable answer to any of {len(answers):,} rows, so there is no fairscore: {missing.most_common(1)[0][0]}. "
                "Expected one of the labels. Try another model, or describe the labels with --describe."
            )
        changed = [perturbed.changed[at] for at in answered]
        stays = kept([answers[at][0] for at in answered], [answers[at][1] for at in answered], changed)
        score = fairscore_of(stays, changed)
        words = word_changes(data.rows.take(perturbed.rows).inputs, perturbed.inputs)
        by_words = by_word(stays, [words[at] for at in answered])
        labels = [one.label for one in before if one.label]
        listed = self._task.labels if isinstance(self.model, AskedClassifier) else self.model.labels()
        known = listed or _labels_of([*labels, *(one.label for one in after if one.label)], data.rows.labels)
        return FairscoreMeasure(
            source=data.name,
            of=data.n_all,
            method="predictions",
            overall=ChangedAnswers.of(score.overall),
            rows=len(data.rows),
            by_axis={axis: ChangedAnswers.of(share) for axis, share in score.by_axis.items()},
            by_pair=tuple(ChangedPair.of(share, *pair) for pair, share in score.by_pair.items()),
            stayed=perturbed.stayed,
            file=file,
            labels=known,
            accuracy=_accuracy(data.rows.labels, [one.label for one in before], known),
            perturber=self.who.settings.engine,
            by_word=tuple(ChangedWord.of(share, *word) for word, share in by_words.items()),
            examples=tuple(
                self._example(perturbed, at, answers[at])
                for at in _spread(
                    [at for at, stay in zip(answered, stays, strict=True) if not stay], perturbed
                )
            ),
            unanswered=dict(missing.most_common()),
        )

    def _example(self, perturbed: PerturbedRows, at: int, answers: tuple[str, str]) -> FlippedRow:
        row = int(perturbed.rows[at])
        texts = perturbed_texts(self.data.dataset, self.data.rows.inputs, row, perturbed.inputs, at)
        label = self.data.rows.labels[row]
        return FlippedRow(perturbed.ids[at], label, *perturbed.changed[at], texts, *answers)


def _spread(places: Sequence[int], perturbed: PerturbedRows) -> list[int]:
    """A few of the places: the changes of a person take turns, so that one frequent change does not hide the others."""
    seen: Counter[Changed] = Counter()
    turns = []
    for place in places:
        turns.append((seen[perturbed.changed[place]], place))
        seen[perturbed.changed[place]] += 1
    return [place for _, place in sorted(turns)[:EXAMPLES]]


def _labels_of(predicted: Sequence[str], truth: Sequence[str]) -> tuple[str, ...]:
    """The labels of a classifier that does not list them: those of the data if it predicts no others."""
    of_data = sorted(set(truth))
    is_known = {plain_label(label) for label in predicted} <= {plain_label(label) for label in of_data}
    return tuple(of_data if is_known else sorted(set(predicted)))


def _accuracy(truth: Sequence[str], predicted: Sequence[str], known: Sequence[str]) -> Measurement | None:
    """The percentage of correct predictions; None if the classifier has other names for the labels. No answer is no correct one."""
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
