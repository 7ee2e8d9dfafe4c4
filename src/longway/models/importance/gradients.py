"""Integrated gradients (Sundararajan, Taly and Yan 2017): the gradient of the label's probability, averaged from nothing to the text.

    score of piece i = (x_i - x'_i) * mean over a in [0, 1] of  d p(target) / d x_i  at  x' + a (x - x')

    bag of words      x: the row's features; the integral is known in closed form          here
    neural models     x: the embeddings of its word pieces; the integral is a sum of steps   torch_gradients.py

x' is the same row without the explained text. The scores of a text sum to p(x) - p(x') (completeness): exactly for the bag of
words, up to the error of the steps for neural models. Word pieces are summed to words.

Each piece's score is the sum of a vector: a number per dimension of its embedding, or per column it is part of. The L2 norm of that
vector is its strength whatever the direction (`WordScores.norms`), as in Bastings et al. 2021 and in section 6 of the grammar paper.
A word of several pieces has the norm of their vectors end to end. For the field "both" the path starts without both texts of a pair.

**Bag of words.** The logits are linear in the features, so on the path

    logits:             z(a) = z' + a (z - z')
    score of column j:  (x_j - x'_j) * sum over labels c of  W[j, c] * mean over a of  p_t (1[c = t] - p_c)  at z(a)

The mean is over one number, so it is cheap to compute to the last digits. A column's score goes to the words it consists of: a
word's to all its occurrences, a word pair's to both words. A column without any word of the explained field (rows have length 1,
so a longer text shrinks its context's columns) is shared by all words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_matrix

from longway.errors import MissingExtra, SettingError
from longway.models.bag_of_words import BagOfWordsClassifier
from longway.models.classifier import Classifier, Floats, Inputs, Ints, softmax
from longway.models.importance.word_scores import MaskableText, PieceScores, Scorer, WordScores, text_starts

STEPS = 48
NEURAL = ("encoder", "frozen", "static")  # names of classifiers that torch_gradients.py explains
AT_ONCE = 64  # rows between two calls of `progress`
NODES = 8  # per interval of the path
NATS = 2.0  # by which logits may change relative to each other in one interval


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
    score = gradients_of(model)
    result: list[WordScores] = []
    for start in range(0, len(inputs), AT_ONCE):
        rows = list(range(start, min(start + AT_ONCE, len(inputs))))
        scored = score(inputs.take(rows), targets[rows], field, steps or STEPS)
        for row, pieces in zip(rows, scored, strict=True):
            words, spans = words_and_spans(inputs, row, field)
            scores = to_words(pieces.spans, pieces.scores, spans)
            norms = np.sqrt(to_words(pieces.spans, pieces.norms**2, spans))
            label = model.labels_[int(targets[row])]
            result.append(
                WordScores(words, spans, scores, label, field, pieces.value, pieces.baseline, norms)
            )
        if progress is not None:
            progress(len(rows))
    return result


def words_and_spans(
    inputs: Inputs, row: int, field: str
) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """The words of one field of a row, or of both, and where they are."""
    contexts = inputs.contexts or ()
    if field != "both":
        words = MaskableText.of(inputs.texts[row] if field == "text" else contexts[row], inputs.tokenizer)
        return words.words, words.spans
    first, second = (MaskableText.of(one[row], inputs.tokenizer) for one in (contexts, inputs.texts))
    shift = text_starts(contexts[row])
    moved = tuple((start + shift, end + shift) for start, end in second.spans)
    return first.words + second.words, first.spans + moved


def to_words(pieces: Sequence[tuple[int, int]], values: Floats, spans: Sequence[tuple[int, int]]) -> Floats:
    """Values of words from those of pieces: each piece is shared by the words it overlaps, by characters.

    A piece that overlaps no word goes to the nearest, so the sum is kept. pieces, spans: where pieces and words are.
    """
    result = np.zeros(len(spans))
    if not spans:
        return result
    starts, ends = (np.array(side, np.int64) for side in zip(*spans, strict=True))
    for (start, end), value in zip(pieces, values.tolist(), strict=True):
        overlap = np.maximum(0, np.minimum(ends, end) - np.maximum(starts, start)).astype(np.float64)
        if not overlap.any():
            overlap[np.argmin(np.maximum(starts - end, start - ends))] = 1
        result += value * overlap / overlap.sum()
    return result


def gradients_of(model: Classifier) -> Scorer:
    """What computes a model's scores from its gradients. Raises SettingError if it has none."""
    if isinstance(model, BagOfWordsClassifier):
        return partial(bag_of_words_scores, model)
    if model.name not in NEURAL:
        raise SettingError(
            f"The model {model.name!r} has no gradients, which integrated gradients need. "
            "Choose the method lime or shapley, or a model that is trained as a whole, such as bow, cnn or minilm-lora."
        )
    if find_spec("torch") is None:
        raise MissingExtra("torch", extra="neural", purpose="integrated gradients of a neural model")
    from longway.models.importance.torch_gradients import neural_scores

    return neural_scores(model)


def bag_of_words_scores(
    model: BagOfWordsClassifier, inputs: Inputs, targets: Ints, field: str, steps: int
) -> list[PieceScores]:
    """For each row the words of one field, or of both, and their scores; exact, whatever the steps."""
    nothing = [""] * len(inputs)
    empty = Inputs(
        inputs.texts if field == "context" else nothing,
        inputs.contexts if field == "text" else nothing,
        inputs.tokenizer,
    )
    change = csr_matrix(model.features(inputs) - model.features(empty))
    before, after = model.logits(empty), model.logits(inputs)
    result = []
    for row, target in enumerate(targets.tolist()):
        part = slice(change.indptr[row], change.indptr[row + 1])
        columns = change.indices[part]
        slope = mean_slope(before[row], after[row], target)
        scores = change.data[part] * (model.regression_.weights[columns] @ slope)
        _, spans = words_and_spans(inputs, row, field)
        places = _places(model.words_.words, inputs, row, field)
        sums, norms = _shared_out(places, len(spans), model.words_.kept[columns], scores)
        baseline, value = softmax(np.stack([before[row], after[row]]))[:, target]
        result.append(PieceScores(spans, sums, norms, float(value), float(baseline)))
    return result


def _places(known: list[str], inputs: Inputs, row: int, field: str) -> dict[int, list[int]]:
    """The places of the words that a column consists of, by the column's number (as in `bag_of_words.WordFeatures`)."""
    code = {word: number for number, word in enumerate(known)}
    text, context = inputs.texts[row], "" if inputs.contexts is None else inputs.contexts[row]
    of_text, of_context = (MaskableText.of(one, inputs.tokenizer).words for one in (text, context))
    found: dict[int, list[int]] = defaultdict(list)
    n, start = len(known), 0
    if field != "text":
        start = len(of_context)
        for at, word in enumerate(of_context):
            in_text = word in of_text
            columns = [n + code[word], 2 * n + code[word], 3 * n + code[word]] if word in code else []
            for key in [*columns, *([4 * n, 4 * n + 1] if in_text else [])]:
                found[key].append(at)
    if field != "context":
        for at, word in enumerate(of_text, start):
            columns = [code[word], 2 * n + code[word], 3 * n + code[word]] if word in code else []
            for key in [*columns, 4 * n + (word not in of_context)]:
                found[key].append(at)
        for at, (first, second) in enumerate(pairwise(of_text), start):
            if first in code and second in code:
                found[4 * n + 2 + code[first] * n + code[second]] += [at, at + 1]
    return found


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


def _shared_out(
    places: Mapping[int, list[int]], n_words: int, columns: Ints, scores: Floats
) -> tuple[Floats, Floats]:
    """The scores of columns, distributed to the words that make them: sum and L2 norm of each word's shares."""
    sums, squares = np.zeros(n_words), np.zeros(n_words)
    for key, score in zip(columns.tolist(), scores.tolist(), strict=True):
        if own := places.get(key) or range(n_words):
            shares = np.bincount(own, minlength=n_words) * score / len(own)
            sums += shares
            squares += shares**2
    return sums, np.sqrt(squares)
