"""The production rules of trees as yes/no features of documents: does one of its trees use this rule?

    (14 (41 a/a) (32 man/woman))   ->   start → 14,   14 → 41 32,   41 → a/a,   32 → man/woman

All rules of the grammar count: those of two symbols, those of words, and the start. A classifier of these features is the biased
model of DRiFt in "Finding Dataset Shortcuts with Grammar Induction" (Friedman, Wettig, Chen 2022, section 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from longway.grammars.trees import NOTHING, Tree, nodes

START = -1  # the symbol that every tree is made from


class Production(NamedTuple):
    """A rule: a symbol is replaced by one or two symbols, or by a word of each text ("" for none)."""

    symbol: int
    symbols: tuple[int, ...] = ()
    words: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        """The rule as text.

        >>> print(Production(14, (41, 32)), Production(49, words=("", "to")), Production(START, (1,)), sep=", ")
        14 → 41 32, 49 → ε/to, start → 1
        """
        made = " ".join(map(str, self.symbols)) or "/".join(word or NOTHING for word in self.words)
        return f"{'start' if self.symbol == START else self.symbol} → {made}"


def productions(tree: Tree) -> Iterator[Production]:
    """The rules that a tree uses, one for each node and one for the start."""
    yield Production(START, (tree.symbol,))
    for node in nodes(tree):
        if node.parts is None:
            yield Production(node.symbol, words=node.words)
        else:
            yield Production(node.symbol, tuple(part.symbol for part in node.parts))


def production_matrix(documents: Iterable[Iterable[Tree]]) -> tuple[csr_matrix, list[Production]]:
    """(documents, rules), 1 if a tree of the document uses the rule, and the rules in order of appearance.

    documents: the trees of each; one without trees has a row of zeros.
    """
    column: dict[Production, int] = {}
    columns: list[int] = []
    ends = [0]
    for trees in documents:
        used = dict.fromkeys(rule for tree in trees for rule in productions(tree))
        columns += sorted(column.setdefault(rule, len(column)) for rule in used)
        ends.append(len(columns))
    shape = (len(ends) - 1, len(column))
    return csr_matrix((np.ones(len(columns)), np.array(columns, np.int64), ends), shape=shape), list(column)
