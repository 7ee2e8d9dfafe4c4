"""Integrated gradients (Sundararajan, Taly and Yan 2017): the gradient of the label's probability, averaged from nothing to the text.

    score of piece i = (x_i - x'_i) * mean over a in [0, 1] of  d p(target) / d x_i  at  x' + a (x - x')

    bag of words      x: the row's features; the integral is known in closed form          here
    neural models     x: the embeddings of its word pieces; the integral is a sum of steps   torch_gradients.py

x' is the same row without the explained text. The scores of a text sum to p(x) - p(x') (completeness): exactly for the bag of
words, up to the error of the steps for neural models. Word pieces are summed to words.

**Bag of words.** The logits are linear in the features, so on the path

    logits:             z(a) = z' + a (z - z')
    score of column j:  (x_j - x'_j) * sum over labels c of  W[j, c] * mean over a of  p_t (1[c = t] - p_c)  at z(a)

The mean is over one number, so it is cheap to compute to the last digits. A column's score goes to the words it consists of: a
word's to all its occurrences, a word pair's to both words. A column without any word of the explained field (rows have length 1,
so a longer text shrinks its context's columns) is shared by all words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.classify.bag_of_words import BagOfWordsClassifier
from longway.classify.classifier import Classifier, Inputs, softmax
from longway.classify.importance.word_scores import Floats, MaskableText, WordScores
from longway.errors import SettingError
from longway.tokens.tokenizer import tokenize

Ints = NDArray[np.int64]
STEPS = 48
AT_ONCE = 64  # rows between two calls of `progress`
NODES = 8  # per interval of the path
NATS = 2.0  # by which logits may change relative to each other in one interval


@dataclass(frozen=True, slots=True)
class PieceScores:
    """The scores of the pieces of one text.

    spans: of each piece in the text. value, baseline: the label's probability with the text and without.
    """

    spans: Sequence[tuple[int, int]]
    scores: Floats
    value: float
    baseline: float


@runtime_checkable
class HasGradients(Protocol):
    """A model that computes integrated gradients."""

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the pieces of one field and their scores. targets: the index of each row's label."""
        ...


def integrated_gradients(
    model: Classifier,
    inputs: Inputs,
    targets: Ints,
    *,
    field: str = "text",
    steps: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> list[WordScores]:
    """The scores of the words of each row. steps: points on the path, for neural models."""
    source = gradients_of(model)
    texts = inputs.texts if field == "text" else (inputs.contexts or ())
    result: list[WordScores] = []
    for start in range(0, len(inputs), AT_ONCE):
        rows = list(range(start, min(start + AT_ONCE, len(inputs))))
        scored = source.piece_scores(inputs.take(rows), targets[rows], field=field, steps=steps or STEPS)
        for row, pieces in zip(rows, scored, strict=True):
            words = MaskableText.of(texts[row])
            scores, label = to_words(pieces, words.spans), model.labels_[int(targets[row])]
            result.append(
                WordScores(words.words, words.spans, scores, label, field, pieces.value, pieces.baseline)
            )
        if progress is not None:
            progress(len(rows))
    return result


def to_words(pieces: PieceScores, spans: Sequence[tuple[int, int]]) -> Floats:
    """Scores of words from those of pieces: each piece is shared by the words it overlaps, by characters.

    A piece that overlaps no word goes to the nearest, so the sum is kept.
    """
    result = np.zeros(len(spans))
    if not spans:
        return result
    starts, ends = (np.array(side, np.int64) for side in zip(*spans, strict=True))
    for (start, end), score in zip(pieces.spans, pieces.scores.tolist(), strict=True):
        overlap = np.maximum(0, np.minimum(ends, end) - np.maximum(starts, start)).astype(np.float64)
        if not overlap.any():
            overlap[np.argmin(np.maximum(starts - end, start - ends))] = 1
        result += score * overlap / overlap.sum()
    return result


def gradients_of(model: Classifier) -> HasGradients:
    """The source of a model's gradients. Raises SettingError if it has none."""
    if isinstance(model, HasGradients):
        return model
    if isinstance(model, BagOfWordsClassifier):
        return _BagOfWordsGradients(model)
    from longway.classify.importance.torch_gradients import torch_gradients

    if (source := torch_gradients(model)) is not None:
        return source
    raise SettingError(
        f"The model {model.name!r} has no gradients, which integrated gradients need. "
        "Choose the method lime or shapley, or a model that is trained as a whole, such as bow, cnn or minilm-lora."
    )


class _BagOfWordsGradients:
    def __init__(self, model: BagOfWordsClassifier) -> None:
        self.model = model
        self.weights = model.regression_.weights

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the words of one field and their scores; exact, whatever the steps."""
        nothing = [""] * len(inputs)
        empty = Inputs(nothing, inputs.contexts) if field == "text" else Inputs(inputs.texts, nothing)
        change = csr_matrix(self.model.features(inputs) - self.model.features(empty))
        before, after = self.model.logits(empty), self.model.logits(inputs)
        result = []
        for row, target in enumerate(targets.tolist()):
            part = slice(change.indptr[row], change.indptr[row + 1])
            columns = change.indices[part]
            slope = mean_slope(before[row], after[row], target)
            scores = change.data[part] * (self.weights[columns] @ slope)
            text, context = inputs.texts[row], "" if inputs.contexts is None else inputs.contexts[row]
            own, other = (text, context) if field == "text" else (context, text)
            words = MaskableText.of(own)
            positions = _WordPositions(self.model.words_.words, words, tokenize(other), field)
            of_words = positions.shared_out(self.model.words_.kept[columns], scores)
            baseline, value = softmax(np.stack([before[row], after[row]]))[:, target]
            result.append(PieceScores(words.spans, of_words, float(value), float(baseline)))
        return result


def mean_slope(before: Floats, after: Floats, target: int) -> Floats:
    """The mean over the path of the gradient of the target's probability for the logits."""
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
    """Nodes and weights of Gauss-Legendre quadrature between 0 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


class _WordPositions:
    """Which words of one field make which column (numbered as in `bag_of_words.WordFeatures`)."""

    def __init__(self, known: list[str], words: MaskableText, other: list[str], field: str) -> None:
        self.known, self.words, self.is_text = known, words, field == "text"
        self.at: dict[str, list[int]] = {}
        for i, word in enumerate(words.words):
            self.at.setdefault(word, []).append(i)
        others = set(other)
        self.shared = [i for i, word in enumerate(words.words) if word in others]
        self.unshared = [i for i, word in enumerate(words.words) if word not in others]

    def shared_out(self, columns: Ints, scores: Floats) -> Floats:
        """The scores of columns, distributed to the words that make them."""
        result = np.zeros(len(self.words))
        for key, score in zip(columns.tolist(), scores.tolist(), strict=True):
            if indices := self._of(key) or list(range(len(self.words))):
                np.add.at(result, indices, score / len(indices))
        return result

    def _of(self, key: int) -> list[int]:
        n = len(self.known)
        kind, word = divmod(key, n) if n else (4, 0)
        if key < 4 * n:
            is_own = (kind != 1) if self.is_text else (kind != 0)
            return self.at.get(self.known[word], []) if is_own else []
        if key < 4 * n + 2:  # the numbers of shared and of other words
            return self.shared if key == 4 * n or not self.is_text else self.unshared
        if not self.is_text:
            return []
        first, second = (self.known[i] for i in divmod(key - 4 * n - 2, n))
        starts = [i for i in self.at.get(first, []) if self.words.words[i + 1 : i + 2] == (second,)]
        return [index for i in starts for index in (i, i + 1)]
