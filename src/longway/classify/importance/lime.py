"""LIME (Ribeiro, Singh and Guestrin 2016): a straight line that answers as the model does near one text.

    leave words out at random  ->  ask the model  ->  weigh by nearness  ->  ridge regression on which words were there

A masked text with k of n words lies at the cosine distance d = 1 - sqrt(k / n) from the whole one and weighs
sqrt(exp(-(100 d)^2 / width^2)), with width 25 as in the authors' code. How many words are left out is drawn evenly
from 1 to n, then which. A word's score is its slope: what its presence adds to the label's probability.
"""

from __future__ import annotations

import numpy as np

from longway.classify.importance.masking import Ask, Question
from longway.classify.importance.words import Bools, Floats

SAMPLES = 400
WIDTH = 25.0
RIDGE = 1.0


def lime(samples: int | None = None) -> Ask:
    """How LIME asks. samples: masked texts of each text, the whole one among them."""
    n = SAMPLES if samples is None else samples

    def ask(n_words: int, rng: np.random.Generator) -> Question:
        masks = drawn(n_words, n, rng)
        return Question(masks, lambda values: slopes(masks, values))

    return ask


def drawn(n_words: int, n: int, rng: np.random.Generator) -> Bools:
    """(n, n_words): the whole text, then texts with 1 to all words left out at random."""
    masks = np.ones((n, n_words), dtype=bool)
    if n_words:
        left_out = rng.integers(1, n_words + 1, size=n - 1)
        ranks = rng.random((n - 1, n_words)).argsort(axis=1).argsort(axis=1)
        masks[1:] = ranks >= left_out[:, None]
    return masks


def slopes(
    masks: Bools, values: Floats, *, width: float = WIDTH, ridge: float = RIDGE
) -> tuple[Floats, float]:
    """The weighted ridge regression of the values on the masks: a slope for each word, and the value without any."""
    n_words = masks.shape[1]
    weights = nearness(masks, width=width)
    present = masks.astype(np.float64)
    middle, value = weights @ present / weights.sum(), float(weights @ values / weights.sum())
    centred = present - middle  # the line's height is not pulled to zero
    left = (centred * weights[:, None]).T @ centred + ridge * np.eye(n_words)
    right = (centred * weights[:, None]).T @ (values - value)
    found = np.linalg.solve(left, right) if n_words else np.zeros(0)
    return found, value - float(middle @ found)


def nearness(masks: Bools, *, width: float = WIDTH) -> Floats:
    """How much each masked text weighs."""
    share = masks.mean(axis=1) if masks.shape[1] else np.ones(len(masks))
    distance = 100 * (1 - np.sqrt(share))
    return np.asarray(np.sqrt(np.exp(-(distance**2) / width**2)), np.float64)
