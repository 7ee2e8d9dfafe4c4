"""Test rows whose answer changed, and the words that led to it before and after (RAZOR's Fig. 7).

The plain model trained on either of the first two versions answers the same rows. Corrected rows come first, then rows that
became wrong: both are shown, so that the selection is not one-sided.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from longway.jobs.prove.result import ChangedAnswer, Point, WordsOfAnswer
from longway.jobs.prove.settings import PLAIN
from longway.jobs.prove.training import TestSet, Trained, Trainings, ids_of
from longway.models.catalog import model_named
from longway.models.classifier import Classifier, Labelled, softmax
from longway.models.importance import word_importance

Floats = NDArray[np.float64]
MODEL = "bow"  # fast to train again, and its features are words
N_CORRECTED, N_WRONG = 4, 2  # rows per test set
N_TESTS = 3
SAMPLES = 200  # masked texts per text
LONGEST = 1500  # characters of a text that is explained


def changed_answers(trainings: Trainings) -> list[ChangedAnswer]:
    """Rows of the first test sets, each with both models' answers and the words that led to them."""
    pair = trainings.versions[:2]
    trained = [trainings.seeds_of(version.name, MODEL, PLAIN) for version in pair]
    if not all(trained):
        return []
    models = {}
    for version in pair:  # the same models as those that were measured: nothing in them is random
        fresh = model_named(MODEL, **trainings.settings.model_options)  # type: ignore[arg-type]
        models[version.name] = fresh.fit(version.rows, validation=version.validation_rows)
    found = []
    for test in trainings.tests[:N_TESTS]:
        before, after = (_margins(seeds[0], test) for seeds in trained)
        lengths = np.array([len(text) for text in test.rows.inputs.texts])
        if chosen := _chosen(before, after, lengths):
            found += _shown(test, chosen, models)
    return found


def _margins(trained: Trained, test: TestSet) -> Floats:
    """The probability of each row's own label minus the highest of the others: below 0 if the answer is wrong."""
    given = softmax(trained.logits[test.name])
    rows, own = (
        np.arange(len(test.rows)),
        np.array([trained.labels.index(label) for label in test.rows.labels]),
    )
    mine = given[rows, own]
    given[rows, own] = 0
    return np.asarray(mine - given.max(axis=1))


def _chosen(before: Floats, after: Floats, lengths: NDArray[np.int64]) -> list[int]:
    """Corrected rows, then rows that became wrong; those with the largest change first."""
    order = np.argsort(-np.abs(after - before), kind="stable")
    order = order[lengths[order] <= LONGEST]
    corrected = [int(i) for i in order if before[i] < 0 < after[i]][:N_CORRECTED]
    wrong = [int(i) for i in order if after[i] < 0 < before[i]][:N_WRONG]
    return corrected + wrong


def _shown(test: TestSet, places: Sequence[int], models: dict[str, Classifier]) -> list[ChangedAnswer]:
    rows, ids = test.rows.take(places), ids_of(test.dataset)
    sides = [_sides(model, name, rows) for name, model in models.items()]
    texts, contexts = rows.inputs.texts, rows.inputs.contexts
    return [
        ChangedAnswer(
            test.name,
            ids[test.kept[place]],
            rows.labels[i],
            texts[i],
            None if contexts is None else contexts[i],
            tuple(side[i] for side in sides),
        )
        for i, place in enumerate(places)
    ]


def _sides(model: Classifier, data: str, rows: Labelled) -> list[WordsOfAnswer]:
    """One model's answers, and its word importance for the true label."""
    given, answers = model.predict_proba(rows.inputs), model.predict(rows.inputs)
    words = _words(model, rows, "text")
    contexts = rows.inputs.contexts
    context_words: Sequence[tuple[Point, ...] | None] = [None] * len(rows)
    if contexts is not None and max(map(len, contexts)) <= LONGEST:
        context_words = _words(model, rows, "context")
    return [
        WordsOfAnswer(
            data,
            answer,
            round(float(given[i, model.labels_.index(answer)]), 4),
            words[i],
            context_words[i],
        )
        for i, answer in enumerate(answers)
    ]


def _words(model: Classifier, rows: Labelled, field: str) -> list[tuple[Point, ...]]:
    scored = word_importance(model, rows.inputs, target=rows.labels, field=field, samples=SAMPLES)
    return [
        tuple(
            (start, end, round(float(score), 4))
            for (start, end), score in zip(one.spans, one.scores, strict=True)
        )
        for one in scored
    ]
