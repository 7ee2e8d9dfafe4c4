"""Shortcuts by RAZOR's Definition 1: the few words that alone make a model give the wrong answer it gives to the whole text.

A set of words d^ of a text d is a shortcut of the classifier f where

    Eq. 1   f(d^) = f(d)                 the words alone get the same answer
    Eq. 2   f(d) != truth                the answer is wrong
    Eq. 3   |d^| <= |d without d^|       they are at most half of the words

`sufficient_sets` looks for a smallest one: the most important words until Eq. 1 holds, then words are dropped again while it still
holds. No word of what is left can be spared, though a smaller set of other words may exist; short texts can be
searched exactly, all sets by increasing size. `lemma_1` checks what the paper's Lemma 1 says about such a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Classifier, Labelled
from longway.classify.importance.masking import probabilities, side
from longway.classify.importance.words import Bools, Words, WordScores
from longway.errors import SettingError

EXACT_UP_TO = 10  # words; all sets of half of them or fewer are 637
AT_ONCE = 64  # rows searched together


@dataclass(frozen=True, slots=True)
class Sufficient:
    """A set of words that is enough for a wrong answer.

    row: of the rows searched. places: of the words in the text, ascending. words: in that order.
    predicted: the answer, of the whole text and of these words alone. truth: the right one.
    of: words in the text. exact: whether no smaller set exists.
    by_default: whether the model gives this answer to no words at all; then Eq. 1 asks little of them.
    """

    row: int
    places: tuple[int, ...]
    words: tuple[str, ...]
    predicted: str
    truth: str
    of: int
    exact: bool
    by_default: bool

    def to_dict(self) -> dict[str, Any]:
        """The set as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Lemma1:
    """Both sides of Lemma 1 (Eq. 4): mean attribution inside the set, and outside; it holds where inside >= outside."""

    inside: float
    outside: float

    @property
    def holds(self) -> bool:
        """Whether Eq. 4 holds."""
        return self.inside >= self.outside


def sufficient_sets(
    model: Classifier,
    data: Labelled,
    importance: Sequence[WordScores],
    *,
    exact_up_to: int = EXACT_UP_TO,
    progress: Callable[[int], object] | None = None,
) -> list[Sufficient | None]:
    """For each row a smallest set of words by Definition 1, None where there is none (also where the model is right).

    importance: of each row's words for the label that the model predicts (`word_importance`).
    exact_up_to: texts of so few words are searched exactly; 0 for none.
    """
    if len(importance) != len(data):
        raise SettingError(
            f"'importance' has {len(importance)} entries for {len(data)} rows. Explain the same rows."
        )
    found: list[Sufficient | None] = []
    for start in range(0, len(data), AT_ONCE):
        rows = range(start, min(start + AT_ONCE, len(data)))
        search = _Search(model, data.take(list(rows)), importance[start : rows.stop])
        found += search.result(exact_up_to, first_row=start)
        if progress is not None:
            progress(len(rows))
    return found


class _Search:
    """Some rows searched together, so that the model is asked about all of them at once."""

    def __init__(self, model: Classifier, data: Labelled, importance: Sequence[WordScores]) -> None:
        self.model, self.data, self.importance = model, data, importance
        self.field = importance[0].field if importance else "text"
        self.cut = [Words.of(text) for text in side(data.inputs, self.field)]
        self.answers = model.predict(data.inputs)

    def result(self, exact_up_to: int, *, first_row: int) -> list[Sufficient | None]:
        """A set for each row, None where there is none."""
        wrong = [
            i
            for i, (answer, truth) in enumerate(zip(self.answers, self.data.labels, strict=True))
            if answer != truth and len(self.cut[i]) >= 2
        ]
        short = [i for i in wrong if len(self.cut[i]) <= exact_up_to]
        sets = self._exact(short) | self._greedy([i for i in wrong if i not in set(short)])
        default = dict(self._hold([(i, [()]) for i in sets]))
        return [
            Sufficient(
                first_row + i,
                sets[i],
                tuple(self.cut[i].words[place] for place in sets[i]),
                self.answers[i],
                self.data.labels[i],
                len(self.cut[i]),
                exact=i in short or len(sets[i]) == 1,
                by_default=default[i][0],
            )
            if i in sets
            else None
            for i in range(len(self.data))
        ]

    def _exact(self, rows: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The first set by size, and by importance among equals of one size."""
        found: dict[int, tuple[int, ...]] = {}
        size = 1
        while open_rows := [i for i in rows if i not in found and size <= len(self.cut[i]) // 2]:
            asked = [(i, list(combinations(self._by_importance(i), size))) for i in open_rows]
            for i, holds in self._hold(asked):
                if (first := next((k for k, yes in enumerate(holds) if yes), None)) is not None:
                    found[i] = tuple(sorted(dict(asked)[i][first]))
            size += 1
        return found

    def _greedy(self, rows: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The most important words until they are enough, less those that can be spared."""
        asked = [(i, _prefixes(self._by_importance(i), len(self.cut[i]) // 2)) for i in rows]
        found = {}
        for (i, prefixes), (_, holds) in zip(asked, self._hold(asked), strict=True):
            if (first := next((k for k, yes in enumerate(holds) if yes), None)) is not None:
                found[i] = prefixes[first]
        open_rows = [i for i in found if len(found[i]) > 1]
        while open_rows:
            # The least important word that can be spared goes, then all are tried again.
            asked = [
                (i, [found[i][:k] + found[i][k + 1 :] for k in reversed(range(len(found[i])))])
                for i in open_rows
            ]
            open_rows = []
            for (i, smaller), (_, holds) in zip(asked, self._hold(asked), strict=True):
                if (first := next((k for k, yes in enumerate(holds) if yes), None)) is not None:
                    found[i] = smaller[first]
                    open_rows += [i] if len(found[i]) > 1 else []
        return {i: tuple(sorted(places)) for i, places in found.items()}

    def _by_importance(self, i: int) -> list[int]:
        return [int(place) for place in np.argsort(-self.importance[i].scores, kind="stable")]

    def _hold(self, asked: Sequence[tuple[int, Sequence[Sequence[int]]]]) -> list[tuple[int, list[bool]]]:
        """For each row and each of its sets, whether Eq. 1 holds."""
        masks = [(i, _masks(sets, len(self.cut[i]))) for i, sets in asked]
        answers = probabilities(self.model, self.data.inputs, masks, self.cut, field=self.field)
        labels = self.model.labels_
        return [
            (i, [labels[k] == self.answers[i] for k in answer.argmax(axis=1)])
            for (i, _), answer in zip(asked, answers, strict=True)
        ]


def _prefixes(places: Sequence[int], longest: int) -> list[tuple[int, ...]]:
    return [tuple(islice(places, n)) for n in range(1, longest + 1)]


def _masks(sets: Sequence[Iterable[int]], n_words: int) -> Bools:
    masks = np.zeros((len(sets), n_words), dtype=bool)
    for mask, places in zip(masks, sets, strict=True):
        mask[list(places)] = True
    return masks


def lemma_1(places: Sequence[int], attribution: NDArray[Any]) -> Lemma1:
    """Both sides of Lemma 1 for a set of words.

    attribution: h of Eq. 5 and 6, one number for each word of the text (importance scores) or one row (attention vectors).

    >>> lemma_1([1], np.array([0.1, -0.8, 0.2])).holds
    True
    """
    h = np.asarray(attribution, np.float64).reshape(len(attribution), -1)
    inside = np.zeros(len(h), dtype=bool)
    inside[list(places)] = True
    if not inside.any() or inside.all():
        raise SettingError(
            f"'places' must name some of the {len(h)} words, and not all. Got {len(places)}. Lemma 1 compares the two parts."
        )
    return Lemma1(*(float(np.linalg.norm(h[part].sum(axis=0)) / part.sum()) for part in (inside, ~inside)))
