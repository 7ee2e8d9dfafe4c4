"""What a model looked at before and after: the same test rows, coloured by the same plain model trained on either version.

    looked_at(proof)  ->  rows whose answer changed most, with the words that spoke for the true label (RAZOR's Fig. 7)

Rows that were put right come first, then rows that were put wrong: both are shown, so that the picture is not a chosen one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.classify.catalog import model_named
from longway.classify.classifier import Classifier, Inputs, Labelled, softmax
from longway.classify.importance import word_importance
from longway.jobs.prove.prove import Proof, TestSet, Version, rows_of

MODEL = "bow"  # quick to train again, and its words are its features
RIGHT_NOW, WRONG_NOW = 4, 2  # rows shown for a test set: put right, put wrong
TESTS = 3  # test sets that rows are shown of
SAMPLES = 200  # masked texts of each text
LONGEST = 1500  # characters of a text that is explained


def looked_at(proof: Proof) -> list[dict[str, Any]]:
    """Rows of the first test sets, each with both models' answers and the words they come from."""
    if MODEL not in proof.settings.models:
        return []
    pair = proof.versions[:2]
    trained = [proof.of(version.name, MODEL, "erm") for version in pair]
    if not all(trained):
        return []
    models = [_again(version, proof.settings.model_options) for version in pair]
    found = []
    for test in proof.tests[:TESTS]:
        before, after = (_of_truth(one[0].logits[test.name], one[0].labels, test.rows) for one in trained)
        rows = _chosen(before, after, np.array([len(text) for text in test.rows.inputs.texts]))
        found += _shown(test, rows, models, [version.name for version in pair])
    return found


def _again(version: Version, options: Mapping[str, Any]) -> Classifier:
    """The version's plain model, trained as its cells were: nothing in it is random."""
    validation = None if version.validation is None else rows_of(version.validation)
    return model_named(MODEL, **options).fit(version.rows, validation=validation)


def _of_truth(logits: NDArray[Any], labels: Sequence[str], rows: Labelled) -> NDArray[np.float64]:
    """The probability each row's own label was given, less the best of the others: below 0 the answer is wrong."""
    given = softmax(logits)
    own = np.array([list(labels).index(label) for label in rows.labels])
    mine = given[np.arange(len(own)), own]
    given[np.arange(len(own)), own] = 0
    return mine - given.max(axis=1)


def _chosen(before: NDArray[np.float64], after: NDArray[np.float64], lengths: NDArray[np.int64]) -> list[int]:
    """Rows put right and rows put wrong, those that moved most first."""
    order = np.argsort(-np.abs(after - before), kind="stable")
    order = order[lengths[order] <= LONGEST]
    put_right = [int(i) for i in order if before[i] < 0 < after[i]][:RIGHT_NOW]
    put_wrong = [int(i) for i in order if after[i] < 0 < before[i]][:WRONG_NOW]
    return put_right + put_wrong


def _shown(
    test: TestSet, rows: Sequence[int], models: Sequence[Classifier], names: Sequence[str]
) -> list[dict[str, Any]]:
    if not rows:
        return []
    chosen = test.rows.take(rows)
    ids = [str(one) for batch in test.dataset.batches() for one in batch.ids]
    sides = [_side(model, name, chosen) for model, name in zip(models, names, strict=True)]
    return [
        {
            "test": test.name,
            "id": ids[test.kept[row]],
            "label": chosen.labels[i],
            "text": chosen.inputs.texts[i],
            "context": None if chosen.inputs.contexts is None else chosen.inputs.contexts[i],
            "sides": [side[i] for side in sides],
        }
        for i, row in enumerate(rows)
    ]


def _side(model: Classifier, name: str, rows: Labelled) -> list[dict[str, Any]]:
    """One model's answers, and its words for the true label."""
    given, answers = model.predict_proba(rows.inputs), model.predict(rows.inputs)
    number = {label: i for i, label in enumerate(model.labels_)}
    words = {"text": _words(model, rows.inputs, rows.labels, "text")}
    if rows.inputs.contexts is not None and max(map(len, rows.inputs.contexts)) <= LONGEST:
        words["context"] = _words(model, rows.inputs, rows.labels, "context")
    return [
        {
            "data": name,
            "answer": answers[i],
            "probability": round(float(given[i, number[answers[i]]]), 4),
            **{f"{field}_words": found[i] for field, found in words.items()},
        }
        for i in range(len(rows))
    ]


def _words(model: Classifier, inputs: Inputs, labels: Sequence[str], field: str) -> list[list[list[float]]]:
    scored = word_importance(model, inputs, target=labels, field=field, samples=SAMPLES)
    return [
        [[*span, round(float(score), 4)] for span, score in zip(one.spans, one.scores, strict=True)]
        for one in scored
    ]
