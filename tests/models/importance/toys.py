"""Models small enough to know everything about, and slow, obvious twins of what explains them."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from math import exp, factorial

import numpy as np

from longway.models.classifier import Predictor
from longway.models.importance.word_scores import MaskableText
from longway.text.tokenizer import tokenize


class Rules(Predictor):
    """Says "yes" by the weights of words, and of pairs of words that both stand in the text."""

    name = "rules"
    labels_ = ("no", "yes")

    def __init__(self, weights, *, together=None, bias=0.0):
        self.weights, self.together, self.bias = weights, together or {}, bias
        self.asked = []

    def logits(self, inputs):
        contexts = inputs.contexts or [""] * len(inputs)
        self.asked += list(zip(inputs.texts, contexts, strict=True))
        scores = [self._score(f"{c} {t}" if c else t) for t, c in zip(inputs.texts, contexts, strict=True)]
        return np.array([[0.0, score] for score in scores]).reshape(-1, 2)

    def _score(self, text):
        words = cut(text)
        pairs = [value for (a, b), value in self.together.items() if a in words and b in words]
        return self.bias + sum(self.weights.get(word, 0.0) for word in words) + sum(pairs)


@cache
def cut(text):
    """The words of a text; the twins ask for the same ones again and again."""
    return tokenize(text)


def chance(model, text):
    """The probability of "yes"."""
    return 1 / (1 + exp(-model._score(text)))


def shapley_by_orders(model, text):
    """The average over all orders, one by one."""
    words = MaskableText.of(text)
    n = len(words)
    found = np.zeros(n)
    for order in permutations(range(n)):
        for step, word in enumerate(order):
            before = words.without(order[step:])
            after = words.without(order[step + 1 :])
            found[word] += (chance(model, after) - chance(model, before)) / factorial(n)
    return found


def smallest_sets(model, text, answer):
    """All smallest sets of places, at most half of the words, that get this answer alone; [] where there are none."""
    words = MaskableText.of(text)
    for size in range(1, len(words) // 2 + 1):
        found = []
        for places in combinations(range(len(words)), size):
            rest = set(range(len(words))) - set(places)
            if ("yes" if model._score(words.without(rest)) > 0 else "no") == answer:
                found.append(places)
        if found:
            return found
    return []
