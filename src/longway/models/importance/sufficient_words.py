"""Shortcuts by RAZOR's Definition 1: the few words that alone make a model give its wrong prediction for the whole text.

A set of words d^ of a text d is a shortcut of the classifier f if

    Eq. 1   f(d^) = f(d)                 the words alone get the same prediction
    Eq. 2   f(d) != truth                the prediction is wrong
    Eq. 3   |d^| <= |d without d^|       they are at most half of the words

`sufficient_sets` searches for a smallest set: the most important words until Eq. 1 holds, then words are dropped while it still
holds. No word of the result can be left out, though a smaller set of other words may exist; short texts can be searched
exactly, all sets by increasing size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from longway.models.classifier import Classifier, Labelled
from longway.models.importance.masking import field_texts, probabilities
from longway.models.importance.word_scores import MaskableText, WordScores

EXACT_UP_TO = 10  # words; there are 637 sets of half of them or fewer
AT_ONCE = 64  # rows searched together
WordSet = tuple[int, ...]  # word indices


@dataclass(frozen=True, slots=True)
class Sufficient:
    """A set of words that is enough for a wrong prediction.

    row: of the rows searched. places: indices of the words in the text, ascending. words: in that order.
    predicted: the prediction, for the whole text and for these words alone. truth: the correct label.
    of: number of words in the text. exact: whether no smaller set exists.
    by_default: whether the model makes this prediction for an empty text; Eq. 1 is then easy to satisfy.
    """

    row: int
    places: WordSet
    words: tuple[str, ...]
    predicted: str
    truth: str
    of: int
    exact: bool
    by_default: bool


def sufficient_sets(
    model: Classifier,
    data: Labelled,
    importance: Sequence[WordScores],
    *,
    exact_up_to: int = EXACT_UP_TO,
) -> list[Sufficient | None]:
    """For each row a smallest set of words by Definition 1, None if there is none or the prediction is correct.

    importance: of each row's words for the predicted label (`word_importance`).
    exact_up_to: texts of up to so many words are searched exactly; 0 for none.
    """
    result: list[Sufficient | None] = []
    for start in range(0, len(data), AT_ONCE):
        rows = range(start, min(start + AT_ONCE, len(data)))
        search = _Search(model, data.take(list(rows)), importance[start : rows.stop])
        result += search.result(exact_up_to, first_row=start)
    return result


class _Search:
    """Some rows searched together, so that the model gets all of them in one batch."""

    def __init__(self, model: Classifier, data: Labelled, importance: Sequence[WordScores]) -> None:
        self.model, self.data, self.importance = model, data, importance
        self.field = importance[0].field if importance else "text"
        self.texts = [
            MaskableText.of(text, data.inputs.tokenizer) for text in field_texts(data.inputs, self.field)
        ]
        self.predicted = model.predict(data.inputs)

    def result(self, exact_up_to: int, *, first_row: int) -> list[Sufficient | None]:
        """A set for each row, None if there is none."""
        wrong = [
            i
            for i, (predicted, truth) in enumerate(zip(self.predicted, self.data.labels, strict=True))
            if predicted != truth and len(self.texts[i]) >= 2
        ]
        short = [i for i in wrong if len(self.texts[i]) <= exact_up_to]
        sets = self._exact(short) | self._greedy([i for i in wrong if i not in set(short)])
        by_default = dict(self._first_that_holds([(i, [()]) for i in sets]))
        return [
            Sufficient(
                first_row + i,
                sets[i],
                tuple(self.texts[i].words[k] for k in sets[i]),
                self.predicted[i],
                self.data.labels[i],
                len(self.texts[i]),
                exact=i in short or len(sets[i]) == 1,
                by_default=i in by_default,
            )
            if i in sets
            else None
            for i in range(len(self.data))
        ]

    def _exact(self, rows: Sequence[int]) -> dict[int, WordSet]:
        """The first set by size, then by importance."""
        result: dict[int, WordSet] = {}
        size = 1
        while open_rows := [i for i in rows if i not in result and size <= len(self.texts[i]) // 2]:
            queries = [(i, list(combinations(self._by_importance(i), size))) for i in open_rows]
            result |= {i: tuple(sorted(first)) for i, first in self._first_that_holds(queries).items()}
            size += 1
        return result

    def _greedy(self, rows: Sequence[int]) -> dict[int, WordSet]:
        """The most important words until they are enough, minus those that can be left out."""
        queries = []
        for i in rows:
            order = self._by_importance(i)
            queries.append((i, [tuple(order[:n]) for n in range(1, len(order) // 2 + 1)]))
        result = self._first_that_holds(queries)
        open_rows = [i for i in result if len(result[i]) > 1]
        while open_rows:
            # Drop the least important word that can be left out, then try all again.
            queries = [
                (i, [result[i][:k] + result[i][k + 1 :] for k in reversed(range(len(result[i])))])
                for i in open_rows
            ]
            smaller = self._first_that_holds(queries)
            result |= smaller
            open_rows = [i for i in smaller if len(smaller[i]) > 1]
        return {i: tuple(sorted(indices)) for i, indices in result.items()}

    def _by_importance(self, i: int) -> list[int]:
        return [int(k) for k in np.argsort(-self.importance[i].scores, kind="stable")]

    def _first_that_holds(self, queries: Sequence[tuple[int, Sequence[WordSet]]]) -> dict[int, WordSet]:
        """For each row the first of its sets for which Eq. 1 holds; rows without one are left out."""
        masks = []
        for i, sets in queries:
            kept = np.zeros((len(sets), len(self.texts[i])), dtype=bool)
            for mask, places in zip(kept, sets, strict=True):
                mask[list(places)] = True
            masks.append((i, kept))
        values = probabilities(self.model, self.data.inputs, masks, self.texts, field=self.field)
        result = {}
        for (i, sets), of_sets in zip(queries, values, strict=True):
            labels = [self.model.labels_[k] for k in of_sets.argmax(axis=1)]
            if self.predicted[i] in labels:
                result[i] = sets[labels.index(self.predicted[i])]
        return result
