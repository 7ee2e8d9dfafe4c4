"""Parsed documents as integers: every distinct subtree has a number, every document a set of them.

    (14 (41 a/a) (32 man/woman))   ->   41 a/a: 0     32 man/woman: 1     14 of 0 and 1: 2
    (14 (41 a/a) (32 dog/cat))     ->   41 a/a: 0     32 dog/cat: 3       14 of 0 and 3: 4

A subtree is complete: its leaves are words. Two subtrees are equal if their symbols and parts are, so a subtree is identified by
its symbol and the numbers of its two parts, and subtrees are never compared word by word. A document may have several
trees (the sentences of a review); a subtree counts once per document.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from longway.arrays import Bools, Ints
from longway.grammars.trees import Tree, nodes

_BITS = 20  # of a symbol in the key of a rule
_NUMBER_BITS = 31  # of a subtree's number, as part of a key


class Rule(NamedTuple):
    """A binary production rule: whole → left right."""

    whole: int
    left: int
    right: int

    def __str__(self) -> str:
        return f"{self.whole} → {self.left} {self.right}"


class Subtrees:
    """Every distinct subtree by number, in order of appearance; parts have smaller numbers than wholes."""

    def __init__(self) -> None:
        self._numbers: dict[int | tuple[int, str, str], int] = {}
        self._words: list[tuple[str, str]] = []
        # For each subtree: symbol, leaves, and its two parts; for a leaf -1 and the index of its words.
        self._symbol, self._leaves, self._left, self._right = (array("i") for _ in range(4))
        self.has_pairs = False

    def __len__(self) -> int:
        return len(self._symbol)

    def number_all(self, tree: Tree) -> list[int]:
        """The numbers of all subtrees of a tree, the tree itself last; new ones get the next numbers."""
        numbers: list[int] = []
        done: list[int] = []  # parts whose parent is not numbered yet
        for node in nodes(tree):
            if node.parts is None:
                number = self._leaf(node)
            else:
                right, left = done.pop(), done.pop()
                # One integer as the key takes half the memory of a tuple; most subtrees occur once.
                key = node.symbol << 2 * _NUMBER_BITS | left << _NUMBER_BITS | right
                number = self._numbers.setdefault(key, len(self._symbol))
                if number == len(self._symbol):
                    self._add(node.symbol, self._leaves[left] + self._leaves[right], left, right)
            done.append(number)
            numbers.append(number)
        return numbers

    def _leaf(self, node: Tree) -> int:
        number = self._numbers.setdefault((node.symbol, *node.words), len(self._symbol))
        if number == len(self._symbol):
            self._add(node.symbol, 1, -1, len(self._words))
            self._words.append(node.words)
            self.has_pairs |= node.words[1] != ""
        return number

    def _add(self, symbol: int, n_leaves: int, left: int, right: int) -> None:
        self._symbol.append(symbol)
        self._leaves.append(n_leaves)
        self._left.append(left)
        self._right.append(right)

    def tree(self, number: int) -> Tree:
        """The subtree with this number."""
        waiting, needed = [number], set()
        while waiting:
            part = waiting.pop()
            needed.add(part)
            if self._left[part] >= 0:
                waiting += (self._left[part], self._right[part])
        made: dict[int, Tree] = {}
        for part in sorted(needed):  # parts before wholes
            left, right, symbol = self._left[part], self._right[part], self._symbol[part]
            is_leaf = left < 0
            made[part] = (
                Tree(symbol, words=self._words[right]) if is_leaf else Tree(symbol, (made[left], made[right]))
            )
        return made[number]

    def symbols(self) -> Ints:
        """The symbol at the root of each subtree."""
        return np.array(self._symbol, dtype=np.int64)

    def n_leaves(self) -> Ints:
        """The number of leaves of each subtree."""
        return np.array(self._leaves, dtype=np.int64)

    def same_words(self) -> Ints:
        """For each subtree the number of the first one that writes the same words in each text, however they are put together."""
        first: dict[tuple[str, str], int] = {}
        written: list[tuple[str, str]] = []  # each word ends with a space
        for left, right in zip(self._left, self._right, strict=True):
            if left < 0:
                a, b = (f"{word} " if word else "" for word in self._words[right])
            else:
                a, b = written[left][0] + written[right][0], written[left][1] + written[right][1]
            written.append((a, b))
        return np.array([first.setdefault(words, i) for i, words in enumerate(written)], dtype=np.int64)

    def rule_keys(self) -> Ints:
        """The key of the rule at the root of each subtree; -1 for a leaf."""
        symbol, left, right = (
            np.array(part, dtype=np.int64) for part in (self._symbol, self._left, self._right)
        )
        whole = left >= 0
        keys = np.full(len(symbol), -1, dtype=np.int64)
        keys[whole] = (
            symbol[whole] << 2 * _BITS | symbol[left[whole]] << _BITS | symbol[right[whole]]
        )  # fmt: skip
        return keys


class Forest:
    """Documents and which subtrees and rules each of them has.

    documents: the trees of each; a document may have none. like: a forest to share subtree numbers with.
    """

    def __init__(self, documents: Iterable[Iterable[Tree]], *, like: Forest | None = None) -> None:
        self.subtrees: Subtrees = Subtrees() if like is None else like.subtrees
        numbers, sizes = array("i"), array("i")
        for trees in documents:
            in_document = {number for tree in trees for number in self.subtrees.number_all(tree)}
            numbers.extend(sorted(in_document))
            sizes.append(len(in_document))
        self._numbers = np.array(numbers, dtype=np.int32)
        self._sizes = np.array(sizes, dtype=np.int64)

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return len(self._sizes)

    def subtree_places(self) -> tuple[Ints, Ints]:
        """Every (document, subtree) that occurs, as two arrays."""
        return np.repeat(np.arange(self.n_documents), self._sizes), self._numbers.astype(np.int64)

    def rule_places(self) -> tuple[Ints, Ints]:
        """Every (document, key of a rule) that occurs, as two arrays."""
        documents, numbers = self.subtree_places()
        keys = self.subtrees.rule_keys()[numbers]
        known, which = np.unique(keys, return_inverse=True)
        once = np.unique(documents * len(known) + which)
        documents, keys = once // max(1, len(known)), known[once % max(1, len(known))]
        return documents[keys >= 0], keys[keys >= 0]

    def has_any(self, numbers: Sequence[int]) -> Bools:
        """Which documents have any of these subtrees."""
        documents, present = self.subtree_places()
        wanted = np.zeros(len(self.subtrees), dtype=bool)
        wanted[list(numbers)] = True
        return _among(documents[wanted[present]], self.n_documents)


def rule_key(rule: Rule) -> int:
    """The rule as one integer, the same in all forests.

    >>> rule_of(rule_key(Rule(17, 49, 35)))
    Rule(whole=17, left=49, right=35)
    """
    return rule.whole << 2 * _BITS | rule.left << _BITS | rule.right


def rule_of(key: int) -> Rule:
    """The rule behind a key."""
    mask = (1 << _BITS) - 1
    return Rule(key >> 2 * _BITS, key >> _BITS & mask, key & mask)


def _among(documents: Ints, n_documents: int) -> Bools:
    present = np.zeros(n_documents, dtype=bool)
    present[documents] = True
    return present
