"""Explanations by models that were not trained on the rows they explain.

    rows in folds  ->  for each fold: a model trained on the other folds  ->  its predictions, word scores, sufficient sets

Rows that share a text or a context stay in one fold, as in the leak. A resumed run repeats no fold of a model that is complete: the
journal keeps `FoldResult` as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.dataset import examples_of
from longway.detect.leak import FEWEST_GROUPS, linked_rows
from longway.detect.reading import TEXT, Reading
from longway.jobs.explain.settings import ExplainSettings
from longway.models.catalog import model_named
from longway.models.classifier import Inputs, Labelled
from longway.models.folds import folds_of
from longway.models.importance import MaskableText, WordScores, word_importance
from longway.models.importance.masking import field_texts
from longway.models.importance.sufficient_words import Sufficient, sufficient_sets
from longway.text.tokenizer import is_longer_than

Ints = NDArray[np.int64]

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
    is_long: NDArray[np.bool_]

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

    def word_scores(self, text: str, field: str) -> WordScores:
        """The scores with the words and spans of the row's text."""
        words = MaskableText.of(text)
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
    data = Labelled(Inputs(texts, contexts), labels)
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
