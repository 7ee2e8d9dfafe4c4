"""Explain: which words models look at, and which few are enough to mislead them.

    read -> folds -> for each model: train, answer, word scores, sufficient sets -> overlap, parts of speech, recurring sets

`explain` gives an `Explanation`; `run_explain` (in its own file) fills a run folder with it. Every row is explained by a model that has
not seen it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from longway.classify.catalog import model_named
from longway.classify.importance import WordScores
from longway.classify.importance.top_words import overlap, parts_of_speech
from longway.data import Dataset
from longway.data.dataset import examples_at
from longway.data.problems import SHOWN, say_rows
from longway.detect.example import in_context
from longway.detect.findings import KEPT_IDS, Chosen, recurring
from longway.detect.reading import Reading
from longway.errors import MissingExtra, SettingError
from longway.jobs.about import describe
from longway.jobs.explain.explain_folds import (
    LONGEST,
    Explained,
    FoldResult,
    Rows,
    explain_fold,
    rows_of,
    share_of,
    texts_of,
)
from longway.jobs.explain.explanation import ExplainSettings, Explanation, pooled_sets
from longway.jobs.held_out import arrange
from longway.records import Finding, Problem
from longway.tokens.tokenizer import token_spans

Step = Callable[[str], object]
Progress = Callable[[int, int], object]  # parts done, of how many
Remember = Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]]  # by name, or made now


def explain(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: ExplainSettings | None = None,
    step: Step = lambda name: None,
    progress: Progress = lambda done, of: None,
    remember: Remember = lambda name, make: make(),
) -> Explanation:
    """Which words models look at in this dataset, and which few are enough to mislead them.

    split: the split to explain where there are several ("train" unless told otherwise).
    step: called with what is being done; progress: with how many folds of models are done, of how many.
    remember: gives what was made before under a name, or makes it (`run_explain` keeps it in the run's journal).
    """
    settings = settings or ExplainSettings()
    arranged = arrange(dataset, split)
    data = arranged.dataset
    check_asked(data, settings)
    step("reading")
    reading = Reading.of(data)
    rows = rows_of(data, reading, folds=settings.folds, seed=settings.seed, field=settings.field)
    shown = _shown_before(rows, settings)
    explained: dict[str, dict[int, Explained]] = {}
    predicted: dict[str, dict[int, str]] = {}
    for name in settings.models:
        results = _by_folds(name, rows, set(shown or ()), settings, step, progress, remember)
        explained[name] = {one.row: one for result in results for one in result.explained}
        predicted[name] = {row: label for result in results for row, label in result.predicted.items()}
        shown = _shown_wrong(rows, explained[name], predicted[name], settings) if shown is None else shown
    assert shown is not None
    step("looking for sets that recur")
    chosen = recurring(reading, pooled_sets(explained), role=settings.field, max_q=settings.max_q)
    findings = _with_examples(data, reading, chosen, settings.field)
    scores = {name: [of_model[row].scores for row in shown] for name, of_model in explained.items()}
    step("comparing the words")
    kinds, problems = _kinds_of_words(
        scores, [texts_of(rows, settings.field)[row] for row in shown], settings
    )
    return Explanation(
        rows,
        shown,
        explained,
        predicted,
        overlap(scores, k=settings.top) if len(scores) > 1 else None,
        kinds,
        findings,
        [*data.problems, *arranged.problems, *_too_long(rows, reading), *problems],
        describe(data),
        settings,
    )


def check_asked(data: Dataset, settings: ExplainSettings) -> None:
    """Raise SettingError where the data has no such rows or no such column."""
    if settings.field == "context" and data.columns.context is None:
        raise SettingError("'field' is context, and the data has no context column. Name it with --context.")
    if not settings.ids:
        return
    ids = [str(one) for batch in data.batches() for one in batch.ids]
    if unknown := [one for one in settings.ids if one not in set(ids)]:
        raise SettingError(
            f"The data has no row with the id {unknown[0]!r}. The first ids are {', '.join(map(repr, ids[:3]))}. "
            "Name the column of ids with --id, or use row numbers."
        )


def _shown_before(rows: Rows, settings: ExplainSettings) -> list[int] | None:
    """The rows to show, None where the first model's answers are needed to choose them."""
    if settings.ids:
        place = {id_: row for row, id_ in enumerate(rows.ids)}
        if long := [id_ for id_ in settings.ids if rows.is_long[place[id_]]]:
            raise SettingError(
                f"The row with the id {long[0]!r} has more than {LONGEST:,} words. Shorter ones can be explained. "
                "Leave it out of --ids, or cut the text."
            )
        return [place[id_] for id_ in settings.ids]
    if settings.wrong:
        return None
    in_turn = np.argsort(rows.turn)
    return sorted(in_turn[~rows.is_long[in_turn]][: settings.rows].tolist())


def _too_long(rows: Rows, reading: Reading) -> list[Problem]:
    """What is told of rows that are not explained."""
    if not (n := int(rows.is_long.sum())):
        return []
    message = (
        f"{say_rows(n)} with more than {LONGEST:,} words: models learn from them, but they are not explained."
    )
    where = tuple((reading.rows[rows.is_long][:SHOWN] + 1).tolist())
    return [Problem("too_long", message, n, "Cut them to explain them, too.", where)]


def _shown_wrong(
    rows: Rows, explained: Mapping[int, Explained], predicted: Mapping[int, str], settings: ExplainSettings
) -> list[int]:
    """The rows that the first model gets wrong, in their turn."""
    wrong = [row for row in explained if predicted[row] != rows.data.labels[row]]
    return sorted(sorted(wrong, key=lambda row: int(rows.turn[row]))[: settings.rows])


def _by_folds(
    name: str,
    rows: Rows,
    wanted: set[int],
    settings: ExplainSettings,
    step: Step,
    progress: Progress,
    remember: Remember,
) -> list[FoldResult]:
    """What one model says of each fold."""
    n_wrong = share_of(settings.search, settings.folds)
    if settings.wrong:
        n_wrong = max(n_wrong, share_of(settings.rows, settings.folds))
    found = []
    for fold in range(settings.folds):
        step(f"{name}: training and explaining, part {fold + 1} of {settings.folds}")

        def make(fold: int = fold) -> dict[str, Any]:
            return explain_fold(
                lambda: model_named(name, seed=settings.seed),
                rows,
                fold,
                wanted,
                method=settings.method,
                field=settings.field,
                n_wrong=n_wrong,
                samples=settings.samples,
                seed=settings.seed,
            ).to_dict()

        kept = remember(f"{name} {fold}", make)
        found.append(FoldResult.from_dict(kept, texts_of(rows, settings.field), settings.field))
        progress(
            settings.models.index(name) * settings.folds + fold + 1, len(settings.models) * settings.folds
        )
    return found


def _with_examples(dataset: Dataset, reading: Reading, chosen: Sequence[Chosen], field: str) -> list[Finding]:
    """The findings with ids, and the shortest supporting text around the set as example, its words marked."""
    places = np.unique(np.array([p for c in chosen for p in (*c.supporting, *c.counter)], dtype=np.int64))
    examples = dict(zip(places.tolist(), examples_at(dataset, reading.rows[places]), strict=True))
    found = []
    for one in chosen:
        supporting = [examples[place] for place in one.supporting]
        texts = [(e.text if field == "text" else e.context) or "" for e in supporting]
        snippet, _ = in_context(min(texts, key=len, default=""), one.description.phrase)
        words = set(one.description.pattern.words)
        marks = tuple((start, end) for word, start, end in token_spans(snippet) if word in words)
        found.append(
            replace(
                one.finding,
                supporting=tuple(example.id for example in supporting[:KEPT_IDS]),
                counter=tuple(examples[place].id for place in one.counter[:KEPT_IDS]),
                example=snippet,
                marks=marks,
            )
        )
    return found


def _kinds_of_words(
    scores: Mapping[str, Sequence[WordScores]], texts: Sequence[str], settings: ExplainSettings
) -> tuple[dict[str, dict[str, float]] | None, list[Problem]]:
    try:
        return parts_of_speech(scores, texts, k=settings.top), []
    except MissingExtra as error:
        return None, [Problem("no_english", "Parts of speech were not told.", 1, str(error))]
