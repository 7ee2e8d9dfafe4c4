"""Backtrace: from a filled chart to one tree per item, the best one, or one drawn by its probability.

Starting from the root, every node selects one of its alternatives

    split (sa, sb)  x  left symbol  x  right symbol      weight = rule * left * right

by the semiring's `choose`, and its two parts do the same, for all items of the batch at once. No
backpointers are stored: only the few cells of the tree are recomputed. A part is a tree in any split, a leaf
only in those that leave it one word wide, so there are four blocks of alternatives:

    tree tree: all splits     leaf tree, tree leaf, leaf leaf: three splits each
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from longway.grammars.chart import KINDS, ParseChart, Rules, Shape
from longway.grammars.device import gpu_kernels
from longway.grammars.semiring import EMPTY, Semiring

_CHUNK = 1 << 26  # numbers computed at once


def backtrace(
    semiring: Semiring, rules: Rules, leaves: Tensor, lengths: Tensor, shape: Shape, chart: ParseChart
) -> Tensor:
    """The nodes of each item's tree, [node, 7]: item, i, wa, k, wb, symbol, parent's row (-1: the root).

    Parents come before their parts, and a left part directly before its right part.
    """
    cells = _Cells(semiring, leaves, shape, chart)
    items = torch.arange(lengths.shape[0], device=lengths.device)
    zero = torch.zeros_like(items)
    places = torch.stack([items, zero, lengths[:, 0], zero, lengths[:, 1]], 1)
    symbols = semiring.choose(rules.root + torch.cat([cells.trees(places), cells.leaves_at(places)], -1))
    if (gpu := gpu_twins(rules.binary, leaves.shape[-1])) is not None:
        return gpu.backtrace(semiring, rules, leaves, lengths, shape, chart, symbols)
    level = torch.cat([places, symbols.unsqueeze(1), torch.full_like(places[:, :1], -1)], 1)
    levels, seen = [level], 0
    while True:
        inner = (level[:, 5] < rules.nonterminals).nonzero().squeeze(1)
        if not len(inner):
            return torch.cat(levels)
        made = [
            _cut(semiring, rules, cells, level[rows], rows + seen) for rows in _portions(level, inner, rules)
        ]
        seen += len(level)
        level = torch.cat(made)
        levels.append(level)


def _portions(level: Tensor, inner: Tensor, rules: Rules) -> Iterator[Tensor]:
    """The inner nodes in portions small enough to compute all their alternatives, narrow ones together."""
    cuts = (level[inner, 2] + 1) * (level[inner, 4] + 1)
    cuts, order = cuts.sort()
    N, symbols = rules.binary.shape[:2]
    sizes = (cuts + 3) * N * N + 3 * (symbols * symbols - N * N)
    portion = (sizes.cumsum(0) // _CHUNK).unique_consecutive(return_counts=True)[1]
    return iter(inner[order].split(portion.tolist()))


def _cut(semiring: Semiring, rules: Rules, cells: _Cells, nodes: Tensor, rows: Tensor) -> Tensor:
    """The two parts of each node, [2 * node, 7]."""
    N = rules.nonterminals
    wa, wb = nodes[:, 2:3], nodes[:, 4:5]
    up = int(wb.max()) + 1
    cut = torch.arange((int(wa.max()) + 1) * up, device=nodes.device).unsqueeze(0)
    every = (cut // up).expand(len(nodes), -1), (cut % up).expand(len(nodes), -1)
    kinds = torch.tensor(KINDS, device=nodes.device).T.unsqueeze(1)  # [2, 1, 3]
    narrow_left = kinds[0].expand(len(nodes), -1), kinds[1].expand(len(nodes), -1)
    narrow_right = wa - kinds[0], wb - kinds[1]
    binary = rules.binary[nodes[:, 5]]  # [node, left, right]
    blocks = [
        _Block(cells, nodes, every, binary[:, :N, :N], (False, False)),
        _Block(cells, nodes, narrow_left, binary[:, N:, :N], (True, False)),
        _Block(cells, nodes, narrow_right, binary[:, :N, N:], (False, True)),
        _Block(cells, nodes, narrow_left, binary[:, N:, N:], (True, True)),
    ]
    chosen = semiring.choose(torch.cat([block.weights.flatten(1) for block in blocks], 1))
    lefts, rights = torch.empty_like(nodes), torch.empty_like(nodes)
    first = 0
    for block in blocks:
        size = block.weights[0].numel()
        here = ((chosen >= first) & (chosen < first + size)).nonzero().squeeze(1)
        lefts[here, :6], rights[here, :6] = block.parts(here, chosen[here] - first, N)
        first += size
    lefts[:, 6] = rights[:, 6] = rows
    return torch.stack([lefts, rights], 1).flatten(0, 1)


class _Block:
    """The alternatives of some nodes with parts of given kinds."""

    def __init__(
        self,
        cells: _Cells,
        nodes: Tensor,
        cuts: tuple[Tensor, Tensor],
        binary: Tensor,
        leaf: tuple[bool, bool],
    ) -> None:
        item, i, wa, k, wb = (column.unsqueeze(1) for column in nodes[:, :5].unbind(1))
        sa, sb = cuts
        fits = (sa >= 0) & (sb >= 0) & (sa <= wa) & (sb <= wb) & (sa + sb > 0) & (sa + sb < wa + wb)
        sa, sb = torch.where(fits, sa, 0), torch.where(fits, sb, 0)
        item = item.expand_as(sa)
        self.left = torch.stack([item, i.expand_as(sa), sa, k.expand_as(sb), sb], -1)  # [node, cut, 5]
        self.right = torch.stack([item, i + sa, wa - sa, k + sb, wb - sb], -1)
        self.leaf = leaf
        one = cells.leaves_at(self.left) if leaf[0] else cells.trees(self.left)
        other = cells.leaves_at(self.right) if leaf[1] else cells.trees(self.right)
        one = torch.where(fits.unsqueeze(-1), one, EMPTY)
        self.weights = one.unsqueeze(-1) + other.unsqueeze(-2) + binary.unsqueeze(1)

    def parts(self, nodes: Tensor, chosen: Tensor, nonterminals: int) -> tuple[Tensor, Tensor]:
        """The left and right parts of some nodes, [node, 6], whose alternatives are `chosen`."""
        _, _, left, right = self.weights.shape
        cut, pair = chosen // (left * right), chosen % (left * right)
        symbols = pair // right + self.leaf[0] * nonterminals, pair % right + self.leaf[1] * nonterminals
        places = self.left[nodes, cut], self.right[nodes, cut]
        one, other = (torch.cat([p, s.unsqueeze(1)], 1) for p, s in zip(places, symbols, strict=True))
        return one, other


class _Cells:
    """Log values of any cells, [..., 5] -> [..., symbol]."""

    def __init__(self, semiring: Semiring, leaves: Tensor, shape: Shape, chart: ParseChart) -> None:
        self.semiring, self.shape, self.chart = semiring, shape, chart
        none = leaves.new_full((leaves.shape[0], 1, leaves.shape[2]), EMPTY)
        self.leaves = torch.cat([leaves, none], 1)  # the last: this cell is not a leaf

    def trees(self, places: Tensor) -> Tensor:
        """Of the nonterminals."""
        at = places.unbind(-1)
        return (self.semiring.logs(self.chart.values[at]) + self.chart.scales[at].unsqueeze(-1)).clamp(
            min=EMPTY
        )

    def leaves_at(self, places: Tensor) -> Tensor:
        """Of the preterminals."""
        item, i, wa, k, wb = places.unbind(-1)
        leaf = torch.full_like(item, -1)
        start = 0
        for kind in KINDS:
            rows, columns = self.shape.grid(kind)
            here = (wa == kind[0]) & (wb == kind[1])
            leaf = torch.where(here, start + i * columns + k, leaf)
            start += rows * columns
        return self.leaves[item, leaf]


def gpu_twins(rules: Tensor, preterminals: int) -> Any:
    """The module `gpu.recursion` if it supports rules [N, ...], else None.

    It needs a GPU, 32-bit numbers, and numbers of symbols that are powers of two from 16.
    """
    sizes = (rules.shape[0], preterminals)
    fits = all(size >= 16 and size & (size - 1) == 0 for size in sizes)
    if not (fits and rules.is_cuda and rules.dtype == torch.float32) or gpu_kernels() is None:
        return None
    from longway.grammars.gpu import recursion

    return recursion
