"""Explanations by models that have not seen the rows they explain.

    rows in folds  ->  for each fold: a model trained on the other folds  ->  its answers, word scores, sufficient sets

Rows that share a text or a context stay in one fold, as in the leak. One fold of one model is the unit that a broken-off run does not
repeat: `FoldResult` goes into the journal as plain JSON and comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Classifier, Inputs, Labelled
from longway.classify.importance import MaskableText, WordScores, word_importance
from longway.classify.importance.masking import field_texts
from longway.classify.importance.sufficient_words import Sufficient, sufficient_sets
from longway.data import Dataset
from longway.data.dataset import examples_of
from longway.detect.leak import FEWEST_GROUPS, linked_rows
from longway.detect.reading import TEXT, Reading
from longway.tokens.tokenizer import is_longer_than

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
LONGEST = 5_000  # words and marks of a text that is explained; models learn from longer ones and answer them


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows of a dataset in memory, each with its fold and its turn: where it stands in a random order.

    is_long: whether the explained side has more than `LONGEST` words; such a row is not explained.
    """

    ids: Sequence[str]
    data: Labelled
    fold: Ints
    turn: Ints
    is_long: Bools


@dataclass(frozen=True, slots=True)
class Explained:
    """One row as one model sees it; `sufficient` is None where the model is right, or no set is enough."""

    row: int
    scores: WordScores
    sufficient: Sufficient | None


@dataclass(frozen=True, slots=True)
class FoldResult:
    """What one model says of one fold: its answer to each of the fold's rows, and the rows explained."""

    predicted: dict[int, str]
    explained: list[Explained]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON values; words and places are left out, the texts have them."""
        return {
            "predicted": [[row, label] for row, label in self.predicted.items()],
            "explained": [
                {
                    "row": one.row,
                    "target": one.scores.target,
                    "value": one.scores.value,
                    "baseline": one.scores.baseline,
                    "scores": one.scores.scores.tolist(),
                    "sufficient": None if one.sufficient is None else one.sufficient.to_dict(),
                }
                for one in self.explained
            ],
        }

    @classmethod
    def from_dict(cls, kept: dict[str, Any], texts: Sequence[str], field: str) -> FoldResult:
        """The result that `to_dict` told of. texts: of the explained side, all rows."""
        return cls(
            dict(kept["predicted"]),
            [_explained(one, texts[one["row"]], field) for one in kept["explained"]],
        )


def _explained(kept: dict[str, Any], text: str, field: str) -> Explained:
    words = MaskableText.of(text)
    scores = WordScores(
        words.words,
        words.spans,
        np.array(kept["scores"], np.float64),
        kept["target"],
        field,
        kept["value"],
        kept["baseline"],
    )
    enough = kept["sufficient"]
    if enough is not None:
        enough = Sufficient(**{**enough, "places": tuple(enough["places"]), "words": tuple(enough["words"])})
    return Explained(kept["row"], scores, enough)


def rows_of(dataset: Dataset, reading: Reading, *, folds: int, seed: int, field: str) -> Rows:
    """The rows of a dataset, put into folds. field: the side that is explained."""
    examples = examples_of(dataset)
    texts, labels = [example.text for example in examples], [example.label for example in examples]
    contexts = None if dataset.columns.context is None else [example.context or "" for example in examples]
    groups = linked_rows(reading, np.arange(len(examples)), (TEXT,))
    if (
        int(groups.max(initial=0)) + 1 < FEWEST_GROUPS
    ):  # copies of a few texts: then they may be on both sides
        groups = np.arange(len(examples))
    rng = np.random.default_rng(seed)
    fold = rng.permutation(int(groups.max(initial=0)) + 1)[groups] % folds
    ids = [example.id for example in examples]
    data = Labelled(Inputs(texts, contexts), labels)
    is_long = np.array(
        [is_longer_than(text, LONGEST) for text in field_texts(data.inputs, field)], dtype=bool
    )
    return Rows(ids, data, fold, rng.permutation(len(ids)), is_long)


def explain_fold(
    fresh: Callable[[], Classifier],
    rows: Rows,
    fold: int,
    wanted: set[int],
    *,
    method: str,
    field: str,
    n_wrong: int,
    samples: int | None,
    seed: int,
) -> FoldResult:
    """Train on the other folds; explain the wanted rows of this one and, in their turn, `n_wrong` that the model gets wrong."""
    train, test = np.flatnonzero(rows.fold != fold), np.flatnonzero(rows.fold == fold)
    if not len(test):
        return FoldResult({}, [])
    model = fresh().fit(rows.data.take(train))
    predicted = dict(zip(test.tolist(), model.predict(rows.data.inputs.take(test)), strict=True))
    wrong = [
        row for row, label in predicted.items() if label != rows.data.labels[row] and not rows.is_long[row]
    ]
    wrong = sorted(wrong, key=lambda row: int(rows.turn[row]))[:n_wrong]
    chosen = sorted({*wrong, *(wanted & predicted.keys())})
    scores = word_importance(
        model, rows.data.inputs.take(chosen), method=method, field=field, samples=samples, seed=seed
    )
    sets = sufficient_sets(model, rows.data.take(chosen), scores)
    return FoldResult(
        predicted,
        [
            Explained(row, score, None if enough is None else replace(enough, row=row))
            for row, score, enough in zip(chosen, scores, sets, strict=True)
        ],
    )


def share_of(n: int, folds: int) -> int:
    """How many of n rows each fold must give."""
    return ceil(n / folds)


def texts_of(rows: Rows, field: str) -> Sequence[str]:
    """The texts of the explained side."""
    return field_texts(rows.data.inputs, field)
