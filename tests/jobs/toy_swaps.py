"""Pairs in which two nouns change places, which no word shows, and a grammar that aligns their words in order. All invented."""

import random
from functools import reduce

from longway.grammars.trees import Tree

NOUNS = ["man", "woman", "boy"]
VERBS = ["sees", "calls", "follows", "helps", "meets", "hears", "greets", "chases", "likes", "knows"]
ENDS = ["today", "again", "outside", "twice", "here", "now"]
COLUMNS = {"text": "hypothesis", "context": "premise", "label": "label", "id": "id"}


def swaps(n=600, *, share=0.3, others=0.03, seed=0):
    """Pairs with the same words in both texts. With "no" the two nouns often change places, with "yes" seldom: no word shows that."""
    draw, rows = random.Random(seed), []
    for i in range(n):
        label, (one, other) = ("yes", "no")[i % 2], draw.sample(NOUNS, 2)
        verb, end = draw.choice(VERBS), draw.choice(ENDS)
        first, second = f"the {one} {verb} the {other} {end}", f"the {other} {verb} the {one} {end}"
        is_swapped = draw.random() < (share if label == "no" else others)
        rows.append(
            {"id": f"s{i}", "premise": first, "hypothesis": second if is_swapped else first, "label": label}
        )
    return rows


def is_swapped(row):
    return row["premise"] != row["hypothesis"]


class WordForWord:
    """A grammar that aligns the words of both texts in order; what is copied and what is replaced have different symbols."""

    def parse(self, units, progress=None):
        return [reduce(lambda tree, leaf: Tree(1, (tree, leaf)), map(self._leaf, *unit)) for unit in units]

    @staticmethod
    def _leaf(first, second):
        return Tree(30 if first == second else 31, words=(first, second))
