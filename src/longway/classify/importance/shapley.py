"""Shapley values of words (Shapley 1953; Lundberg and Lee 2017): what a word adds, on average over all orders to add words in.

    up to 8 words     exact, from all 2^n masked texts
    more              drawn orders, each together with its reverse (antithetic pairs), which cancels most of the noise

Either way the scores of a text sum to the label's probability with all words minus that without any.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from longway.classify.importance.masking import Ask, Question
from longway.classify.importance.words import Bools, Floats

EXACT_UP_TO = 8  # words
ORDERS = 16
MOST_TEXTS = 20_000  # masked texts of one text: a text of thousands of words gets fewer orders


def shapley(samples: int | None = None, *, exact_up_to: int = EXACT_UP_TO) -> Ask:
    """How Shapley values are asked for. samples: orders drawn for a text of many words, an odd number is made even."""
    n_pairs = ((ORDERS if samples is None else samples) + 1) // 2

    def ask(n_words: int, rng: np.random.Generator) -> Question:
        if n_words <= exact_up_to:
            masks = all_masks(n_words)
            return Question(masks, lambda values: (by_enumeration(masks, values), float(values[0])))
        masks = chains(n_words, max(1, min(n_pairs, MOST_TEXTS // (2 * n_words + 2))), rng)
        return Question(masks, lambda values: (by_chains(masks, values), float(values[0])))

    return ask


def all_masks(n_words: int) -> Bools:
    """(2^n, n): all ways to keep words, none first and all last."""
    numbers = np.arange(2**n_words)[:, None]
    return (numbers >> np.arange(n_words)) % 2 == 1


def by_enumeration(masks: Bools, values: Floats) -> Floats:
    """The exact values: sum over sets S without word i of |S|! (n - |S| - 1)! / n! (v(S + i) - v(S))."""
    n = masks.shape[1]
    size = masks.sum(axis=1)
    weight = np.array([factorial(k) * factorial(n - k - 1) / factorial(n) for k in range(n)])
    numbers = np.arange(len(masks))
    found = np.zeros(n)
    for i in range(n):
        without = numbers[~masks[:, i]]
        found[i] = weight[size[without]] @ (values[without + (1 << i)] - values[without])
    return found


def chains(n_words: int, n_pairs: int, rng: np.random.Generator) -> Bools:
    """Masked texts that grow from none to all words, in drawn orders and their reverses: (2 pairs x (n + 1), n)."""
    orders = np.stack([rng.permutation(n_words) for _ in range(n_pairs)])
    orders = np.concatenate([orders, orders[:, ::-1]])
    rank = orders.argsort(axis=1)  # (orders, words): when the word comes
    masks = rank[:, None, :] < np.arange(n_words + 1)[None, :, None]
    return masks.reshape(-1, n_words)


def by_chains(masks: Bools, values: Floats) -> Floats:
    """What each word added where it came, averaged over the chains."""
    n = masks.shape[1]
    grown = masks.reshape(-1, n + 1, n)
    added = np.diff(values.reshape(-1, n + 1), axis=1)
    came = (grown[:, 1:] & ~grown[:, :-1]).argmax(axis=2)  # (orders, step): the word that is new
    return np.bincount(came.ravel(), added.ravel(), minlength=n) / len(grown)
