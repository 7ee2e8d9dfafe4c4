"""Integrated gradients of the bag-of-words models, in closed form: their logits are a straight line in their features.

    logits on the way:  z(a) = z' + a (z - z')
    score of column j:  (x_j - x'_j) * sum over labels c of  W[j, c] * mean over a of  p_t (1[c = t] - p_c)  at z(a)

The mean is over one number, so that it costs nothing to know it to the last digits. A column's score goes to the words that make it:
a word's to all its places, a pair's to both its words; a column that no word of the explained side makes (rows have length
1, so that a longer text makes its context's columns smaller) goes to all words alike.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.classify.classifier import Classifier, Inputs, softmax
from longway.classify.importance.integrated_gradients import HasGradients, PieceScores
from longway.classify.importance.words import Floats, Words
from longway.classify.linear import Linear
from longway.classify.naive_bayes import NaiveBayes
from longway.text.tokens import tokenize

Ints = NDArray[np.int64]
NODES = 8  # of each stretch of the way
NATS = 2.0  # by which logits may change against each other on one stretch


def linear_gradients(model: Classifier) -> HasGradients | None:
    """The source of gradients of a bag-of-words model, None for any other."""
    return _LinearGradients(model) if isinstance(model, Linear | NaiveBayes) else None


class _LinearGradients:
    def __init__(self, model: Linear | NaiveBayes) -> None:
        self.model = model
        self.weights = model.regression_.weights

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the words of one side and their scores; exact, whatever the steps."""
        nothing = [""] * len(inputs)
        empty = Inputs(nothing, inputs.contexts) if field == "text" else Inputs(inputs.texts, nothing)
        change = csr_matrix(self._features(inputs) - self._features(empty))
        before, after = self.model.logits(empty), self.model.logits(inputs)
        found = []
        for row, target in enumerate(targets.tolist()):
            part = slice(change.indptr[row], change.indptr[row + 1])
            columns = change.indices[part]
            slope = mean_slope(before[row], after[row], target)
            scores = change.data[part] * (self.weights[columns] @ slope)
            words, other = _sides(inputs, row, field)
            places = _Places(self.model.words_.words, words, other, field)
            chances = softmax(np.stack([before[row], after[row]]))[:, target]
            found.append(
                PieceScores(
                    words.spans,
                    places.shared_out(self.model.words_.kept[columns], scores),
                    float(chances[1]),
                    float(chances[0]),
                )
            )
        return found

    def _features(self, inputs: Inputs) -> csr_matrix:
        if isinstance(self.model, Linear):
            return self.model.features(inputs)
        present = self.model.words_.counts(inputs)
        present.data[:] = 1  # naive Bayes counts a word once a row
        return present


def mean_slope(before: Floats, after: Floats, target: int) -> Floats:
    """The mean over the way of the gradient of the target's probability by the logits."""
    by_label = after - before
    n = max(1, int(np.ceil(float(by_label.max() - by_label.min()) / NATS)))
    nodes, weights = _legendre(NODES)
    at = ((np.arange(n)[:, None] + nodes) / n).ravel()
    chances = softmax(before + at[:, None] * by_label)  # (n x NODES, labels)
    slopes = -chances * chances[:, [target]]
    slopes[:, target] += chances[:, target]
    return np.asarray(np.tile(weights / n, n) @ slopes, np.float64)


@cache
def _legendre(n: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre between 0 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


class _Places:
    """Which words of one side make which column (numbered as in `word_features.WordFeatures`)."""

    def __init__(self, known: list[str], words: Words, other: list[str], field: str) -> None:
        self.known, self.words, self.is_text = known, words, field == "text"
        self.at: dict[str, list[int]] = {}
        for i, word in enumerate(words.words):
            self.at.setdefault(word, []).append(i)
        there = set(other)
        self.shared = [i for i, word in enumerate(words.words) if word in there]
        self.unshared = [i for i, word in enumerate(words.words) if word not in there]

    def shared_out(self, columns: Ints, scores: Floats) -> Floats:
        """The scores of columns, given to the words that make them."""
        found = np.zeros(len(self.words))
        for key, score in zip(columns.tolist(), scores.tolist(), strict=True):
            if places := self._of(key) or list(range(len(self.words))):
                np.add.at(found, places, score / len(places))
        return found

    def _of(self, key: int) -> list[int]:
        n = len(self.known)
        kind, word = divmod(key, n) if n else (4, 0)
        if key < 4 * n:
            is_own = (kind != 1) if self.is_text else (kind != 0)
            return self.at.get(self.known[word], []) if is_own else []
        if key < 4 * n + 2:  # how many words are shared, and how many are not
            return self.shared if key == 4 * n or not self.is_text else self.unshared
        if not self.is_text:
            return []
        first, second = (self.known[i] for i in divmod(key - 4 * n - 2, n))
        starts = [i for i in self.at.get(first, []) if self.words.words[i + 1 : i + 2] == (second,)]
        return [place for i in starts for place in (i, i + 1)]


def _sides(inputs: Inputs, row: int, field: str) -> tuple[Words, list[str]]:
    """The words of the explained side, and those of the other."""
    context = "" if inputs.contexts is None else inputs.contexts[row]
    text = inputs.texts[row]
    return (Words.of(text), tokenize(context)) if field == "text" else (Words.of(context), tokenize(text))
