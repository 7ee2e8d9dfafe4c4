"""Explaining any model by leaving words out: LIME and Shapley values.

    row   ->  MaskPlan: which words are kept in which of its masked texts     (lime, shapley)
    rows  ->  masked texts, equal ones merged  ->  model, in large batches  ->  the label's probability of each
    row   <-  plan.read(probabilities): a score per word

The masks of a thousand texts do not fit in memory, so rows are processed in groups of about ten thousand masked texts. The
packages `lime` (unmaintained since 2020, depends on scikit-image and matplotlib) and `shap` (depends on numba) are not used:
both query the model text by text.

**LIME** (Ribeiro, Singh and Guestrin 2016): a ridge regression of the probability on which words were kept, weighted by
similarity. A masked text with k of n words has the cosine distance d = 1 - sqrt(k / n) from the whole one and the weight
sqrt(exp(-(100 d)^2 / width^2)), with width 25 as in the authors' code. The number of words left out is drawn evenly from 1 to n,
then which. A word's score is its slope: what its presence adds to the probability.

**Shapley values** (Shapley 1953; Lundberg and Lee 2017): what a word adds, on average over all orders to add words in. Up to 8
words they are exact, from all 2^n masked texts; for more, orders are drawn, each with its reverse (antithetic pairs), which
cancels most of the noise. Either way the scores sum to the probability with all words minus that without any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import factorial

import numpy as np

from longway.models.classifier import Bools, Classifier, Floats, Inputs, Ints
from longway.models.importance.word_scores import MaskableText, WordScores

AT_ONCE = 20_000  # masked texts held together
CHARACTERS_AT_ONCE = 20_000_000  # of them

LIME_SAMPLES = 400
WIDTH = 25.0
RIDGE = 1.0

EXACT_UP_TO = 8  # words
ORDERS = 16
MOST_TEXTS = 20_000  # masked texts per text: a text of thousands of words gets fewer orders


@dataclass(frozen=True, slots=True)
class MaskPlan:
    """The masked texts of one text.

    masks: (texts, words), True if a word is kept. read: the label's probability of each -> scores and baseline.
    """

    masks: Bools
    read: Callable[[Floats], tuple[Floats, float]]


Sampler = Callable[[int, np.random.Generator], MaskPlan]  # for a number of words


def explain_by_masking(
    model: Classifier,
    inputs: Inputs,
    targets: Ints,
    sampler: Sampler,
    *,
    field: str = "text",
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
) -> list[WordScores]:
    """The scores of the words of each row. targets: the index of the label to explain, per row."""
    texts = [MaskableText.of(text, inputs.tokenizer) for text in field_texts(inputs, field)]
    plans = (sampler(len(words), np.random.default_rng([seed, i])) for i, words in enumerate(texts))
    result: list[WordScores] = []
    for group in _groups(texts, plans):
        rows = range(len(result), len(result) + len(group))
        masks = [(row, plan.masks) for row, plan in zip(rows, group, strict=True)]
        masked = probabilities(model, inputs, masks, texts, field=field)
        whole = model.predict_proba(inputs.take(list(rows)))
        for row, plan, of_masks, of_whole in zip(rows, group, masked, whole, strict=True):
            words, target = texts[row], int(targets[row])
            scores, baseline = plan.read(of_masks[:, target])
            label, value = model.labels_[target], float(of_whole[target])
            result.append(WordScores(words.words, words.spans, scores, label, field, value, baseline))
        if progress is not None:
            progress(len(group))
    return result


def probabilities(
    model: Classifier,
    inputs: Inputs,
    masks: Sequence[tuple[int, Bools]],
    texts: Sequence[MaskableText],
    *,
    field: str = "text",
) -> list[Floats]:
    """For each (row, masks): the probability of each label for each of the masked texts, (masks, labels).

    Equal rows are sent to the model once.
    """
    other = inputs.contexts if field == "text" else inputs.texts
    index: dict[tuple[str, str], int] = {}
    which = [
        [
            index.setdefault((texts[row].kept(mask), "" if other is None else other[row]), len(index))
            for mask in of_row
        ]
        for row, of_row in masks
    ]
    masked, beside = ([pair[0] for pair in index], [pair[1] for pair in index])
    texts_now, contexts_now = (masked, beside) if field == "text" else (beside, masked)
    queries = Inputs(texts_now, None if inputs.contexts is None else contexts_now, inputs.tokenizer)
    if not len(queries):
        return [np.zeros((0, len(model.labels_))) for _ in masks]
    values = model.predict_proba(queries)
    return [values[of_row] for of_row in which]


def field_texts(inputs: Inputs, field: str) -> Sequence[str]:
    """The texts of one field."""
    if field == "text":
        return inputs.texts
    assert inputs.contexts is not None  # checked by `word_importance`
    return inputs.contexts


def _groups(texts: Sequence[MaskableText], plans: Iterator[MaskPlan]) -> Iterator[list[MaskPlan]]:
    """The plans of consecutive rows, as many as may be held together."""
    group: list[MaskPlan] = []
    n_texts = n_characters = 0
    for words, plan in zip(texts, plans, strict=True):
        group.append(plan)
        n_texts += len(plan.masks)
        n_characters += len(plan.masks) * len(words.text)
        if n_texts >= AT_ONCE or n_characters >= CHARACTERS_AT_ONCE:
            yield group
            group, n_texts, n_characters = [], 0, 0
    if group:
        yield group


# ---- LIME --------------------------------------------------------------------------------------------------------------


def lime(samples: int | None = None) -> Sampler:
    """LIME. samples: masked texts per text, including the whole one."""
    n = LIME_SAMPLES if samples is None else samples

    def plan(n_words: int, rng: np.random.Generator) -> MaskPlan:
        masks = random_masks(n_words, n, rng)
        return MaskPlan(masks, lambda values: slopes(masks, values))

    return plan


def random_masks(n_words: int, n: int, rng: np.random.Generator) -> Bools:
    """(n, n_words): the whole text, then texts with 1 to all words left out at random."""
    masks = np.ones((n, n_words), dtype=bool)
    if n_words:
        left_out = rng.integers(1, n_words + 1, size=n - 1)
        ranks = rng.random((n - 1, n_words)).argsort(axis=1).argsort(axis=1)
        masks[1:] = ranks >= left_out[:, None]
    return masks


def slopes(masks: Bools, values: Floats) -> tuple[Floats, float]:
    """The weighted ridge regression of the values on the masks: a slope per word, and the value without any."""
    n_words = masks.shape[1]
    weights = similarity(masks, width=WIDTH)
    present = masks.astype(np.float64)
    middle, value = weights @ present / weights.sum(), float(weights @ values / weights.sum())
    centred = present - middle  # the intercept is not penalized
    left = (centred * weights[:, None]).T @ centred + RIDGE * np.eye(n_words)
    right = (centred * weights[:, None]).T @ (values - value)
    result = np.linalg.solve(left, right) if n_words else np.zeros(0)
    return result, value - float(middle @ result)


def similarity(masks: Bools, *, width: float = WIDTH) -> Floats:
    """The weight of each masked text."""
    share = masks.mean(axis=1) if masks.shape[1] else np.ones(len(masks))
    distance = 100 * (1 - np.sqrt(share))
    return np.asarray(np.sqrt(np.exp(-(distance**2) / width**2)), np.float64)


# ---- Shapley values ----------------------------------------------------------------------------------------------------


def shapley(samples: int | None = None, *, exact_up_to: int = EXACT_UP_TO) -> Sampler:
    """Shapley values. samples: orders drawn for a longer text, rounded up to an even number."""
    n_pairs = ((ORDERS if samples is None else samples) + 1) // 2

    def plan(n_words: int, rng: np.random.Generator) -> MaskPlan:
        if n_words <= exact_up_to:
            masks = all_masks(n_words)
            return MaskPlan(masks, lambda values: (by_enumeration(masks, values), float(values[0])))
        masks = chains(n_words, max(1, min(n_pairs, MOST_TEXTS // (2 * n_words + 2))), rng)
        return MaskPlan(masks, lambda values: (by_chains(masks, values), float(values[0])))

    return plan


def all_masks(n_words: int) -> Bools:
    """(2^n, n): all subsets of words, the empty one first and the whole last."""
    numbers = np.arange(2**n_words)[:, None]
    return (numbers >> np.arange(n_words)) % 2 == 1


def by_enumeration(masks: Bools, values: Floats) -> Floats:
    """The exact values: sum over sets S without word i of |S|! (n - |S| - 1)! / n! (v(S + i) - v(S))."""
    n = masks.shape[1]
    size = masks.sum(axis=1)
    weight = np.array([factorial(k) * factorial(n - k - 1) / factorial(n) for k in range(n)])
    numbers = np.arange(len(masks))
    result = np.zeros(n)
    for i in range(n):
        without = numbers[~masks[:, i]]
        result[i] = weight[size[without]] @ (values[without + (1 << i)] - values[without])
    return result


def chains(n_words: int, n_pairs: int, rng: np.random.Generator) -> Bools:
    """Masked texts that grow from no to all words, in drawn orders and their reverses: (2 pairs x (n + 1), n)."""
    orders = np.stack([rng.permutation(n_words) for _ in range(n_pairs)])
    orders = np.concatenate([orders, orders[:, ::-1]])
    rank = orders.argsort(axis=1)  # (orders, words): when the word is added
    masks = rank[:, None, :] < np.arange(n_words + 1)[None, :, None]
    return masks.reshape(-1, n_words)


def by_chains(masks: Bools, values: Floats) -> Floats:
    """What each word added when it was added, averaged over the chains."""
    n = masks.shape[1]
    grown = masks.reshape(-1, n + 1, n)
    gains = np.diff(values.reshape(-1, n + 1), axis=1)
    added = (grown[:, 1:] & ~grown[:, :-1]).argmax(axis=2)  # (orders, step): the word that is new
    return np.bincount(added.ravel(), gains.ravel(), minlength=n) / len(grown)
