"""The slow obvious twin of the chart: every tree of a short text or pair written out, one after the other.

No sum is shared between trees. A tree is scored by walking over it, and the probability of a text is the plain sum
over the list. LogSemiring probabilities of rules and leaves are as `longway.grammars.chart` takes them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import exp, fsum

import torch

from longway.grammars.chart import KINDS, Rules, Shape


@dataclass(frozen=True)
class Node:
    """A symbol over the words i .. i+wa of the first text and k .. k+wb of the second."""

    symbol: int
    place: tuple[int, int, int, int]  # i, wa, k, wb
    parts: tuple[Node, ...] = ()


@cache
def every_tree(place, nonterminals, preterminals):
    """All trees over a place, with any symbol at the root."""
    i, wa, k, wb = place
    found = []
    if (wa, wb) in KINDS:
        found += [Node(nonterminals + symbol, place) for symbol in range(preterminals)]
    for sa in range(wa + 1):
        for sb in range(wb + 1):
            if sa + sb in (0, wa + wb):  # a part without a word
                continue
            for left in every_tree((i, sa, k, sb), nonterminals, preterminals):
                for right in every_tree((i + sa, wa - sa, k + sb, wb - sb), nonterminals, preterminals):
                    found += [Node(symbol, place, (left, right)) for symbol in range(nonterminals)]
    return found


@cache
def n_trees(wa, wb, nonterminals, preterminals):
    """How many trees there are, without listing them."""
    count = preterminals if (wa, wb) in KINDS else 0
    for sa in range(wa + 1):
        for sb in range(wb + 1):
            if sa + sb not in (0, wa + wb):
                count += (
                    nonterminals
                    * n_trees(sa, sb, nonterminals, preterminals)
                    * n_trees(wa - sa, wb - sb, nonterminals, preterminals)
                )
    return count


def used(tree):
    """What a tree is made of: ("root", a), ("rule", a, b, c) and ("leaf", place, symbol), each as often as it is used."""
    found = [("root", tree.symbol)]
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.parts:
            left, right = node.parts
            found.append(("rule", node.symbol, left.symbol, right.symbol))
            waiting += node.parts
        else:
            found.append(("leaf", node.place, node.symbol))
    return found


def logs_of_parts(rules: Rules, leaves: torch.Tensor, shape: Shape) -> dict[tuple, float]:
    """The log probability of each thing that a tree may be made of; leaves [leaf, preterminal] of one pair."""
    found: dict[tuple, float] = {("root", a): value for a, value in enumerate(rules.root.tolist())}
    for a, of_a in enumerate(rules.binary.tolist()):
        for b, of_b in enumerate(of_a):
            found |= {("rule", a, b, c): value for c, value in enumerate(of_b)}
    for wa, wb in KINDS:
        for i, row in enumerate(shape.block(leaves.unsqueeze(0), (wa, wb))[0].tolist()):
            for k, values in enumerate(row):
                place = (i, wa, k, wb)
                found |= {("leaf", place, rules.nonterminals + s): value for s, value in enumerate(values)}
    return found


def log_of_tree(tree: Node, of_parts: dict[tuple, float]) -> float:
    """The log probability of one tree."""
    return fsum(of_parts[part] for part in used(tree))


class Listed:
    """All trees of one pair, which is as long as `shape` says, with their log probabilities."""

    def __init__(self, rules: Rules, leaves: torch.Tensor, shape: Shape) -> None:
        N, symbols = rules.binary.shape[:2]
        self.trees = every_tree((0, shape.n, 0, shape.m), N, symbols - N)
        of_parts = logs_of_parts(rules, leaves, shape)
        self.logs = [log_of_tree(tree, of_parts) for tree in self.trees]

    @property
    def log_total(self) -> float:
        """The log probability of the pair."""
        return torch.tensor(self.logs, dtype=torch.float64).logsumexp(0).item()

    def shares(self) -> dict[Node, float]:
        """The probability of each tree given the pair."""
        total = self.log_total
        return {tree: exp(log - total) for tree, log in zip(self.trees, self.logs, strict=True)}

    def expected_counts(self) -> Counter:
        """How often each rule, leaf and root is used, over all trees by their probability."""
        counts, total = Counter(), self.log_total
        for tree, log in zip(self.trees, self.logs, strict=True):
            for part in used(tree):
                counts[part] += exp(log - total)
        return counts


def grammar_of(nonterminals, preterminals, *, seed, dtype=torch.float64, spread=1.0):
    """Rules with random probabilities; the larger `spread`, the less alike they are."""
    generator = torch.Generator().manual_seed(seed)
    symbols = nonterminals + preterminals
    root = spread * torch.randn(symbols, generator=generator, dtype=torch.float64)
    binary = spread * torch.randn(nonterminals, symbols**2, generator=generator, dtype=torch.float64)
    rules = binary.log_softmax(-1).view(nonterminals, symbols, symbols)
    return Rules(root.log_softmax(0).to(dtype), rules.to(dtype))


def leaves_of(batch, shape, preterminals, *, seed, dtype=torch.float64, spread=1.0):
    """Random log probabilities of all leaves, [batch, leaf, preterminal]."""
    generator = torch.Generator().manual_seed(seed)
    size = (batch, shape.leaves, preterminals)
    return (spread * torch.randn(size, generator=generator, dtype=torch.float64) - 1).to(dtype)


def alone(leaves, shape, item, lengths):
    """The leaves of one item of a batch as if it had no longer neighbours: [leaf, preterminal], and its shape."""
    own = Shape(*lengths)
    parts = []
    for kind in KINDS:
        rows, columns = own.grid(kind)
        parts.append(shape.block(leaves, kind)[item, :rows, :columns].flatten(0, 1))
    return torch.cat(parts), own


def trees_of(nodes):
    """The rows of `backtrace` as trees, one for each item, in order."""
    rows = nodes.tolist()
    parts = {}
    found = {}
    for number in range(len(rows) - 1, -1, -1):  # parts come behind their whole
        item, *place, symbol, parent = rows[number]
        node = Node(symbol, tuple(place), tuple(reversed(parts.pop(number, []))))
        if parent < 0:
            assert item not in found
            found[item] = node
        else:
            parts.setdefault(parent, []).append(node)
    assert not parts
    return [found[item] for item in sorted(found)]
