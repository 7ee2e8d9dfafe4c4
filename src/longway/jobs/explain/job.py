"""Explain: which words models look at, and which few are enough to mislead them.

read -> folds -> for each model: train, predict, word scores, sufficient sets -> overlap, parts of speech, recurring sets
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from math import ceil
from pathlib import Path
from typing import Literal

import numpy as np

from longway.data import Dataset, with_columns
from longway.data.dataset import examples_of
from longway.data.problems import SHOWN, say_rows
from longway.data.summary import DatasetSummary
from longway.detect.findings import recurring, recurring_sets
from longway.detect.leak import FEWEST_GROUPS, linked_rows
from longway.detect.reading import TEXT, Reading
from longway.errors import SettingError, with_checked_arguments
from longway.jobs.audit.rows import examples_by_place, places_of, with_examples
from longway.jobs.explain.page import explain_page  # noqa: F401  (registers the page of the result)
from longway.jobs.explain.result import (
    ExplainedText,
    ExplainResult,
    ModelSummary,
    ModelView,
    RecurringSet,
)
from longway.jobs.explain.settings import ExplainSettings
from longway.jobs.held_out import Arranged, arrange
from longway.jobs.options import settings_from
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, run_job
from longway.json_values import from_json, to_json
from longway.models.catalog import model_named
from longway.models.classifier import Bools, Inputs, Ints, Labelled
from longway.models.folds import folds_of
from longway.models.importance import MaskableText, WordScores, word_importance
from longway.models.importance.masking import field_texts
from longway.models.importance.sufficient_words import Sufficient, sufficient_sets
from longway.models.importance.top_words import overlap, parts_of_speech
from longway.models.own_model import sources_of
from longway.records import Finding, Problem
from longway.store import Journal, JournalEntry, now
from longway.text.tokenizer import PLAIN, Tokenizer, is_longer_than

LONGEST = 5_000  # tokens of a text that is explained; models are trained on longer ones and predict them


@dataclass(frozen=True, slots=True)
class FoldedRows:
    """All rows of a dataset in memory, each with its fold and its place in a random order.

    texts: of the explained field. is_long: whether this text has more than `LONGEST` tokens; such a row is not explained.
    """

    ids: Sequence[str]
    data: Labelled
    texts: Sequence[str]
    fold: Ints
    order: Ints
    is_long: Bools

    def first(self, rows: Sequence[int], n: int) -> list[int]:
        """The first n of some rows in the random order."""
        return sorted(rows, key=lambda row: int(self.order[row]))[:n]


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """One row as one model sees it: the predicted label (target), its probability with and without all words, the scores of the words.

    sufficient: None if the prediction is right, or no set of words is enough. norms: of the words, by integrated gradients; else empty.
    """

    row: int
    target: str
    value: float
    baseline: float
    scores: tuple[float, ...]
    sufficient: Sufficient | None
    norms: tuple[float, ...] = ()

    def word_scores(self, text: str, field: str, tokenizer: Tokenizer = PLAIN) -> WordScores:
        """The scores with the words and spans of the row's text."""
        words = MaskableText.of(text, tokenizer)
        scores = np.array(self.scores, np.float64)
        norms = np.array(self.norms, np.float64) if self.norms else None
        return WordScores(
            words.words, words.spans, scores, self.target, field, self.value, self.baseline, norms
        )


@dataclass(frozen=True, slots=True)
class FoldResult:
    """The predictions of one model for the rows of one fold, (row, label), and the rows it explained."""

    predicted: tuple[tuple[int, str], ...]
    explained: tuple[ExplainedRow, ...]


def fold_rows(dataset: Dataset, reading: Reading, settings: ExplainSettings) -> FoldedRows:
    """The rows of a dataset, split into folds."""
    examples = examples_of(dataset)
    texts, labels = [example.text for example in examples], [example.label for example in examples]
    contexts = None if dataset.columns.context is None else [example.context or "" for example in examples]
    groups = linked_rows(reading, np.arange(len(examples)), (TEXT,))
    if int(groups.max(initial=0)) + 1 < FEWEST_GROUPS:  # copies of a few texts: they may be in several folds
        groups = np.arange(len(examples))
    rng = np.random.default_rng(settings.seed)
    fold = folds_of(groups, settings.folds, seed=rng)
    data = Labelled(Inputs(texts, contexts, reading.tokenizer), labels)
    explained = field_texts(data.inputs, settings.field)
    is_long = np.array([is_longer_than(text, LONGEST) for text in explained], dtype=bool)
    ids = [example.id for example in examples]
    return FoldedRows(ids, data, explained, fold, rng.permutation(len(ids)), is_long)


def explain_fold(
    model_name: str, rows: FoldedRows, fold: int, wanted: set[int], settings: ExplainSettings
) -> FoldResult:
    """Train on the other folds; explain the wanted rows of this fold and some that the model gets wrong."""
    train, test = np.flatnonzero(rows.fold != fold), np.flatnonzero(rows.fold == fold)
    if not len(test):
        return FoldResult((), ())
    model = model_named(model_name, seed=settings.seed).fit(rows.data.take(train))
    predicted = dict(zip(test.tolist(), model.predict(rows.data.inputs.take(test)), strict=True))
    labels = rows.data.labels
    wrong = [row for row, label in predicted.items() if label != labels[row] and not rows.is_long[row]]
    n_wrong = max(settings.search, settings.rows if settings.wrong else 0)
    wrong = rows.first(wrong, ceil(n_wrong / settings.folds))
    chosen = sorted({*wrong, *(wanted & predicted.keys())})
    scores = word_importance(
        model,
        rows.data.inputs.take(chosen),
        method=settings.method,
        field=settings.field,
        samples=settings.samples,
        seed=settings.seed,
    )
    sets = sufficient_sets(model, rows.data.take(chosen), scores)
    explained = tuple(
        ExplainedRow(
            row,
            score.target,
            score.value,
            score.baseline,
            tuple(score.scores.tolist()),
            found and replace(found, row=row),
            () if score.norms is None else tuple(score.norms.tolist()),
        )
        for row, score, found in zip(chosen, scores, sets, strict=True)
    )
    return FoldResult(tuple(predicted.items()), explained)


@with_checked_arguments
def explain(
    data: object,
    settings: ExplainSettings | None = None,
    *,
    split: str | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> ExplainResult:
    """Explain which words models look at in a dataset, and which few are enough to mislead them.

    data: a dataset, or anything that `load` takes. split: the split to explain (default: "train" if there are several).
    out: write a run folder; True chooses one in longway-runs. The same call resumes a run, or reads a finished one.
    options: columns as in `load` (text, context, label, id), and the options of `longway explain` by name, such as `rows=20`.
    """
    whole, options = with_columns(data, options)
    chosen = settings_from(ExplainSettings, settings, options)
    watcher = watcher or Watcher()
    arranged = arrange(whole, split)
    _check(arranged.dataset, chosen)
    identity = RunIdentity.of("explain", arranged.dataset, chosen, more=sources_of(chosen.models))
    return run_job(ExplainResult, identity, partial(_explain, arranged, chosen), out, watcher)


def _check(data: Dataset, settings: ExplainSettings) -> None:
    """Raise SettingError if there is no such model, column or row; before any file is written."""
    for name in settings.models:
        model_named(name)
    if settings.field == "context" and data.columns.context is None:
        raise SettingError("'field' is context, but the data has no context column. Name it with --context.")
    if not settings.ids:
        return
    ids = [str(one) for batch in data.batches() for one in batch.ids]
    if unknown := [one for one in settings.ids if one not in set(ids)]:
        raise SettingError(
            f"The data has no row with the id {unknown[0]!r}. The first ids are {', '.join(map(repr, ids[:3]))}. "
            "Name the column of ids with --id, or use row numbers."
        )


def _explain(arranged: Arranged, settings: ExplainSettings, run: ActiveRun) -> ExplainResult:
    data, watcher = arranged.dataset, run.watcher
    watcher.step("reading")
    reading = Reading.of(data)
    rows = fold_rows(data, reading, settings)
    shown = _rows_to_show(rows, settings)
    explained: dict[str, dict[int, ExplainedRow]] = {}
    predicted: dict[str, dict[int, str]] = {}
    for name in settings.models:
        folds = _folds(name, rows, set(shown or ()), settings, watcher, run.journal)
        explained[name] = {row.row: row for fold in folds for row in fold.explained}
        predicted[name] = {row: label for fold in folds for row, label in fold.predicted}
        if shown is None:
            wrong = [row for row in explained[name] if predicted[name][row] != rows.data.labels[row]]
            shown = sorted(rows.first(wrong, settings.rows))
    assert shown is not None  # there is a model
    watcher.step("searching for sets that recur")
    sets = [row.sufficient for by_row in explained.values() for row in by_row.values() if row.sufficient]
    distinct = list({(one.row, frozenset(one.words)): one for one in sets}.values())  # once per row
    chosen = recurring(reading, distinct, role=settings.field, max_q=settings.max_q)
    places = np.unique(np.array(places_of(chosen), dtype=np.int64))
    examples = examples_by_place(data, reading, places)
    watcher.step("comparing the top words")
    scores = {
        name: [by_row[row].word_scores(rows.texts[row], settings.field, reading.tokenizer) for row in shown]
        for name, by_row in explained.items()
    }
    problems = [*data.problems, *arranged.problems, *_long_texts(rows, reading)]
    parts = parts_of_speech(scores, [rows.texts[row] for row in shown], k=settings.top)
    contexts = rows.data.inputs.contexts
    return ExplainResult(
        dataset=DatasetSummary.of(data),
        models=tuple(_summary(name, rows, explained[name], predicted[name]) for name in settings.models),
        texts=tuple(
            ExplainedText(
                rows.ids[row],
                rows.data.labels[row],
                rows.data.inputs.texts[row],
                None if contexts is None else contexts[row],
                tuple(_view(name, explained[name][row], rows, settings) for name in settings.models),
            )
            for row in shown
        ),
        overlap=overlap(scores, k=settings.top) if len(scores) > 1 else None,
        parts_of_speech=parts,
        sufficient=tuple(RecurringSet(words, n) for words, n in recurring_sets(distinct).items()),
        findings=tuple(_with_marks(one, reading.tokenizer) for one in with_examples(chosen, examples)),
        problems=tuple(problems),
        settings=settings,
        longway=version("longway"),
        created=now(),
    )


def _rows_to_show(rows: FoldedRows, settings: ExplainSettings) -> list[int] | None:
    """The rows to show; None if they depend on the predictions of the first model."""
    if settings.ids:
        place = {id_: row for row, id_ in enumerate(rows.ids)}
        if long := [id_ for id_ in settings.ids if rows.is_long[place[id_]]]:
            raise SettingError(
                f"The row with the id {long[0]!r} has more than {LONGEST:,} words. Only shorter texts are explained. "
                "Leave it out of --ids, or cut the text."
            )
        return [place[id_] for id_ in settings.ids]
    if settings.wrong:
        return None
    return sorted(rows.first(np.flatnonzero(~rows.is_long).tolist(), settings.rows))


def _folds(
    name: str,
    rows: FoldedRows,
    wanted: set[int],
    settings: ExplainSettings,
    watcher: Watcher,
    journal: Journal,
) -> list[FoldResult]:
    """The folds of one model, from the journal if they are complete."""
    results = []
    done = settings.models.index(name) * settings.folds
    for fold in range(settings.folds):
        watcher.step(f"{name}: training and explaining, fold {fold + 1} of {settings.folds}")
        key = f"{name} {fold}"
        kept = journal.get(key)
        if kept is None:
            kept = to_json(explain_fold(name, rows, fold, wanted, settings))
            journal.put(JournalEntry(key, kind="explain", engine=key, answer=kept))
        results.append(from_json(FoldResult, kept))
        watcher.progress(done + fold + 1, len(settings.models) * settings.folds)
    return results


def _long_texts(rows: FoldedRows, reading: Reading) -> list[Problem]:
    if not (n := int(rows.is_long.sum())):
        return []
    message = f"{say_rows(n)} with more than {LONGEST:,} words: models are trained on them, but they are not explained."
    first = tuple((reading.rows[rows.is_long][:SHOWN] + 1).tolist())
    return [Problem("too_long", message, n, "Cut the texts to explain them too.", first)]


def _with_marks(finding: Finding, tokenizer: Tokenizer) -> Finding:
    """The finding with every word of the set highlighted in its example."""
    words = set(finding.pattern.words)
    marks = tuple((start, end) for word, start, end in tokenizer.spans(finding.example) if word in words)
    return replace(finding, marks=marks)


def _summary(
    name: str, rows: FoldedRows, explained: Mapping[int, ExplainedRow], predicted: Mapping[int, str]
) -> ModelSummary:
    wrong = {row for row, label in predicted.items() if label != rows.data.labels[row]}
    sets = [row.sufficient for row in explained.values() if row.sufficient is not None]
    return ModelSummary(
        name,
        accuracy=1 - len(wrong) / max(1, len(predicted)),
        wrong=len(wrong),
        searched=len(wrong & explained.keys()),
        sets=len(sets),
        by_default=sum(one.by_default for one in sets),
        mean_size=float(np.mean([len(one.places) for one in sets])) if sets else None,
    )


def _view(name: str, one: ExplainedRow, rows: FoldedRows, settings: ExplainSettings) -> ModelView:
    scores = one.word_scores(rows.texts[one.row], settings.field, rows.data.inputs.tokenizer)
    words = tuple((*span, score) for span, score in zip(scores.spans, one.scores, strict=True))
    top, strongest = tuple(scores.top(settings.top)), tuple(scores.top(settings.top, by_norm=True))
    return ModelView(
        name, one.target, one.value, one.baseline, words, top, one.sufficient, one.norms, strongest
    )
