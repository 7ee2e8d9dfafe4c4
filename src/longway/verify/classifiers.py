"""For single texts: do classifiers that never saw this row still give the new text its label?

Two of them, each trained on the other folds: logistic regression on MiniLM vectors, which reads more than words, and the bag of
words of `classify/bow.py`. Rewriting takes telling words away on purpose, and what they gave to the label is no loss: the
original is looked at without them. The bag of words alone never rejects: it counts only where it sees a change of label,
and the encoder half agrees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.classify.bow import BagOfWords
from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.words import words

Floats = NDArray[np.float64]
Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
FOLDS = 5
MOST_ROWS = 4000  # rows that the classifiers learn from; more cost time and change little


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the label may lose.

    least: a label's probability by the encoder that is enough by itself. share: of the original's probability, what is
    enough otherwise. doubt: below this the encoder half agrees with a bag of words that sees another label.
    """

    least: float
    share: float
    doubt: float


class Classifiers:
    """The check by cross-validated classifiers; learns on first use.

    texts, labels: the dataset as it came. vectors: gives a vector for each text; None leaves the encoder out.
    """

    name = "classifiers"

    def __init__(
        self,
        texts: Sequence[str],
        labels: Sequence[str],
        bounds: Bounds,
        *,
        vectors: Vectors | None,
        seed: int = 0,
    ) -> None:
        self.texts, self.labels, self.bounds = texts, labels, bounds
        self.vectors, self.seed = vectors, seed
        self._folds: NDArray[np.int64] | None = None
        self._models: list[tuple[_Encoder | None, _Words] | None] = []

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; score: the label's probability by the encoder, or by the words where there is none."""
        if not candidates:
            return []
        after, before = [c.after for c in candidates], [_without_telling(c) for c in candidates]
        rows, names = [c.row for c in candidates], [c.label for c in candidates]
        new, old = self.own(rows, after, names), self.own(rows, before, names)
        return [self.verdict(n, o) for n, o in zip(new, old, strict=True)]

    def own(
        self, rows: Sequence[int], texts: Sequence[str], names: Sequence[str]
    ) -> list[tuple[float, float]]:
        """Each text's probability of its label: by the encoder (by the words where there is none) and by the words.

        NaN where the classifiers that never saw the row never saw another one with its label.
        """
        self._learn()
        assert self._folds is not None
        found = np.full((len(texts), 2), np.nan)
        vectors = None if self.vectors is None else self.vectors(texts)
        # A row that no model learned from may be judged by any of them.
        fold_of = [max(0, int(self._folds[row])) for row in rows]
        for fold, models in enumerate(self._models):
            if models is None:
                continue
            encoder, bag = models
            places = {str(name): place for place, name in enumerate(bag.labels)}
            at = [i for i, name in enumerate(names) if fold_of[i] == fold and name in places]
            if not at:
                continue
            column = [places[names[i]] for i in at]
            by_words = bag.probabilities([texts[i] for i in at])[np.arange(len(at)), column]
            found[at, 1] = found[at, 0] = by_words
            if encoder is not None and vectors is not None:
                found[at, 0] = encoder.probabilities(vectors[at])[np.arange(len(at)), column]
        return [(float(a), float(b)) for a, b in found]

    def verdict(self, new: tuple[float, float], old: tuple[float, float]) -> Verdict:
        """The verdict on a text from what `own` gave for it and for the original."""
        bounds = self.bounds
        reason = ""
        if np.isnan(new[0]):
            return Verdict(self.name, False, reason="too few other rows have this label to learn it from")
        if new[0] < bounds.least and new[0] < bounds.share * old[0]:
            reason = f"the label's probability fell from {old[0]:.2f} to {new[0]:.2f}"
        elif new[1] < 0.5 <= old[1] and new[0] < bounds.doubt and new[0] < old[0]:
            reason = f"the words speak for another label, and its probability fell to {new[0]:.2f}"
        return Verdict(self.name, not reason, new[0], reason)

    def _learn(self) -> None:
        """Models for each fold, None where the others have one label only; row numbers of `_folds` that are -1 were not learned from."""
        if self._folds is not None:
            return
        order = np.random.default_rng(self.seed).permutation(len(self.texts))[:MOST_ROWS]
        self._folds = np.full(len(self.texts), -1, np.int64)
        self._folds[order] = np.arange(len(order)) % FOLDS
        labels = np.asarray(self.labels)
        vectors = None if self.vectors is None else self.vectors([self.texts[i] for i in order])
        for fold in range(FOLDS):
            kept = np.arange(len(order)) % FOLDS != fold
            if len(np.unique(labels[order[kept]])) < 2:
                self._models.append(None)
                continue
            bag = _Words([self.texts[i] for i in order[kept]], labels[order[kept]], self.seed)
            encoder = None if vectors is None else _Encoder(vectors[kept], labels[order[kept]])
            self._models.append((encoder, bag))


def _without_telling(candidate: Candidate) -> str:
    """The original without the words and phrases that were meant to go."""
    phrases = sorted(candidate.telling, key=len, reverse=True)
    if not phrases:
        return candidate.before
    pattern = "|".join(rf"(?<!\w){re.escape(phrase)}(?!\w)" for phrase in phrases)
    return " ".join(re.sub(pattern, " ", candidate.before, flags=re.IGNORECASE).split()) or candidate.before


class _Encoder:
    """Logistic regression on vectors."""

    def __init__(self, vectors: NDArray[np.float32], labels: NDArray[Any]) -> None:
        from sklearn.linear_model import LogisticRegression

        self.model = LogisticRegression(C=10.0, max_iter=300, tol=1e-3).fit(vectors, labels)

    def probabilities(self, vectors: NDArray[np.float32]) -> Floats:
        return np.asarray(self.model.predict_proba(vectors))


class _Words:
    """The bag of words, on words and pairs of words that stand side by side, with scores made probabilities."""

    def __init__(self, texts: Sequence[str], labels: NDArray[Any], seed: int) -> None:
        self._places: dict[str, int] = {}
        rows = [self._features(text, learn=True) for text in texts]
        self.model = BagOfWords(seed=seed).fit(self._matrix(rows), labels)
        self.labels = self.model.labels_

    def probabilities(self, texts: Sequence[str]) -> Floats:
        scores = self.model.scores(self._matrix([self._features(text) for text in texts]))
        odds = np.exp(np.clip(scores, -30, 30))  # for two labels, -s and s: the sigmoid of twice the margin
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def _features(self, text: str, *, learn: bool = False) -> list[int]:
        found = words(text)
        # In their order: that of a set would change from process to process, and with it the last digits of every score.
        names = dict.fromkeys([*found, *(f"{one} {two}" for one, two in pairwise(found))])
        if learn:
            return [self._places.setdefault(name, len(self._places)) for name in names]
        return [self._places[name] for name in names if name in self._places]

    def _matrix(self, rows: list[list[int]]) -> csr_matrix:
        lengths = np.cumsum([0, *map(len, rows)])
        columns = np.array([place for row in rows for place in sorted(row)], np.int64)
        return csr_matrix((np.ones(len(columns)), columns, lengths), shape=(len(rows), len(self._places)))
