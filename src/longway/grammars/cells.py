"""The sums of `chart.py` on a CPU: the same numbers, with the work laid out as few, large products.

The differences to the plain recursion:

    only cells of an item's own words are computed: a batch may mix lengths, and padding takes memory but no work
    the parts of all splits of many cells are gathered by index, a block of cells at a time, so that a block stays in the cache
    a leaf beside a tree: all trees that start (or end) at the same place on the same diagonal are multiplied at once with the
    three leaves that may come before (or after) them
    the items are divided among threads, each of which runs the whole recursion; BLAS uses one core each

    index of a cell (i, wa, k, wb) of an item among the rows of the chart: item + i * di + wa * da + k * dk + wb

Row 0 is the cell of no words of the first item. No tree has it, so its values are zero: it stands for "no cell" in tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from longway.arrays import Ints
from longway.grammars import device
from longway.grammars.chart import (
    KINDS,
    LARGEST,
    ChartParts,
    ParseChart,
    Shape,
    Widths,
    count_two_leaves,
    start_chart,
    zero_counts,
)
from longway.grammars.semiring import EMPTY, LogSemiring

Floats = NDArray[np.floating]

_BLOCK = 1 << 18  # numbers of the left parts gathered at once
_SLOW = 12_000, 1 << 15  # products of so many multiplications are slower than larger ones; see `_padded`


@dataclass(frozen=True)
class Group:
    """Cells of the same widths. starts: the row of the cell of no words where each of them begins."""

    widths: Widths
    starts: Ints


@dataclass(frozen=True)
class Block:
    """Some cells of a group: their rows, and those of both parts of all splits with their log weights.

    count: how many splits there are; further ones have no weight.
    """

    own: Ints
    left: Ints  # [cell, split]
    right: Ints
    logs: Floats
    count: int


def _padded(rows: int, each: int) -> int:
    """How many rows a product should have, if one takes so many multiplications.

    OpenBLAS computes products of up to 32 x 32 x 32 multiplications by a path that takes three times as long on some processors.
    """
    few, many = _SLOW
    return many // each + 1 if few < rows * each <= many else rows


class Layout:
    """Where the cells of some items are among the rows of their chart."""

    def __init__(self, lengths: Ints, shape: Shape, symbols: int) -> None:
        self.lengths, self.shape, self.symbols = lengths, shape, symbols
        n, m = shape.n, shape.m
        self.dk, self.da = m + 1, (m + 1) ** 2
        self.di = self.da * (n + 1)
        self.rows = self.di * (n + 1) * len(lengths)
        item, i, k = np.meshgrid(
            np.arange(len(lengths)), np.arange(n + 1), np.arange(m + 1), indexing="ij", sparse=True
        )
        self.points: Ints = item * (self.di * (n + 1)) + i * self.di + k * self.dk  # [item, i, k]
        # words of either text from a point on
        self.left_a, self.left_b = np.broadcast_arrays(
            lengths[:, 0, None, None] - i, lengths[:, 1, None, None] - k
        )
        self.i, self.k = i, k

    def totals(self) -> range:
        """Every wa + wb of a tree."""
        return range(2, int(self.lengths.sum(1).max()) + 1)

    def widths(self, total: int) -> range:
        """Every wa of a cell with this wa + wb."""
        return range(max(0, total - self.shape.m), min(self.shape.n, total) + 1)

    def groups(self, total: int) -> Iterator[Group]:
        """All cells with this wa + wb."""
        for wa in self.widths(total):
            exists = (self.left_a >= wa) & (self.left_b >= total - wa)
            if exists.any():
                yield Group((wa, total - wa), self.points[exists])

    def place(self, widths: Widths) -> int:
        """From the row where a cell starts to its own."""
        return widths[0] * self.da + widths[1]

    def splits(self, widths: Widths) -> tuple[Ints, Ints, int]:
        """From the row where a cell starts to the two parts of every split into trees; and how many splits there are.

        Further entries repeat the first (`_padded`).
        """
        wa, wb = widths
        sa, sb = (cut.ravel() for cut in np.mgrid[: wa + 1, : wb + 1])
        trees = (sa + sb > 1) & (sa + sb < wa + wb - 1)
        sa, sb = sa[trees], sb[trees]
        count = len(sa)
        more = _padded(count, self.symbols**2) - count
        sa, sb = (np.concatenate([cut, np.repeat(cut[:1], more)]) for cut in (sa, sb))
        left = sa * self.da + sb
        right = sa * self.di + (wa - sa) * self.da + sb * self.dk + wb - sb
        return left, right, count


class Beside:
    """The leaves directly before all trees (or after them), by the point where a tree starts (or ends).

    matrices: [point, kind, N, N]; scales: [point, kind], EMPTY where there is no such leaf. steps: from the row of a tree to
    the row of the cell that it makes together with each kind of leaf.
    """

    def __init__(self, layout: Layout, parts: ChartParts, *, before: bool) -> None:
        self.layout, self.before = layout, before
        shape, batch = layout.shape, len(layout.lengths)
        N = parts.rules.shape[0]
        matrices = (parts.left if before else parts.right).numpy()
        scales = parts.leaf_scale.numpy()
        size = (batch, shape.n + 1, shape.m + 1, len(KINDS))
        self.scales: Floats = np.full(size, EMPTY, scales.dtype)
        self.matrices: Floats = np.zeros((*size, N, N), matrices.dtype)
        for number, kind in enumerate(KINDS):
            if not all(shape.grid(kind)):
                continue
            place = self.place(kind, number)
            self.matrices[place] = shape.block(torch.from_numpy(matrices), kind).numpy()
            self.scales[place] = shape.block(torch.from_numpy(scales), kind).numpy()
            if not before:  # no word of its own follows
                beyond = (layout.left_a < kind[0]) | (layout.left_b < kind[1])
                self.scales[..., number][beyond] = EMPTY
        backwards = layout.di * before, layout.dk * before
        self.steps = [wa * (layout.da - backwards[0]) + wb * (1 - backwards[1]) for wa, wb in KINDS]
        self.matrices = self.matrices.reshape(*size[:3], len(KINDS) * N, N)

    def place(self, kind: Widths, number: int) -> tuple[slice | int, ...]:
        """The index of the leaves of a kind, as `Shape.block` orders them, in an array [item, i, k, kind]."""
        rows, columns = self.layout.shape.grid(kind)
        a, b = kind if self.before else (0, 0)
        return slice(None), slice(a, a + rows), slice(b, b + columns), number

    def table(self, total: int) -> tuple[tuple[slice, ...], Ints]:
        """The box of points of all trees with this wa + wb, and the rows of each point's trees, [item, i, k, width]; 0: none."""
        layout, shape = self.layout, self.layout.shape
        wa = np.array(layout.widths(total))
        wb = total - wa
        least = max(0, total - shape.m), max(0, total - shape.n)  # words of either text in each tree
        across, up = (slice(0, -few or None) if self.before else slice(few, None) for few in least)
        box = slice(None), across, up
        points, left_a, left_b = (
            array[box][..., None] for array in (layout.points, layout.left_a, layout.left_b)
        )
        if self.before:
            exists = (left_a >= wa) & (left_b >= wb)
            rows = points + (wa * layout.da + wb)
        else:
            exists = (
                (layout.i[:, across, :, None] >= wa)
                & (layout.k[:, :, up, None] >= wb)
                & (left_a >= 0)
                & (left_b >= 0)
            )
            rows = points - (wa * (layout.di - layout.da) + wb * (layout.dk - 1))
        more = _padded(len(wa), len(KINDS) * layout.symbols**2) - len(wa)
        return box, np.pad(np.where(exists, rows, 0), [(0, 0)] * 3 + [(0, more)])


class Recursion:
    """The chart of some items: values [row, N] and scales [row], filled by `up`; and its derivatives by `down`."""

    def __init__(self, parts: ChartParts, shape: Shape, values: Floats, scales: Floats, least: float) -> None:
        self.lost = 1e5 * least  # more products than any cell has
        self.N = parts.rules.shape[0]
        self.values, self.scales = values.reshape(-1, self.N), scales.reshape(-1)
        self.rules: Floats = parts.rules.reshape(self.N, -1).numpy()
        self.layout = Layout(parts.lengths.numpy(), shape, self.N)
        self.sides = [Beside(self.layout, parts, before=before) for before in (True, False)]
        # of each tree with the leaves beside it, [row, kind, N]: values on the way up, derivatives on the way down
        kinds = len(KINDS)
        self.made = [np.zeros((len(self.scales), kinds, self.N), self.values.dtype) for _ in self.sides]
        self.made_scales = [np.full((len(self.scales), kinds), EMPTY, self.values.dtype) for _ in self.sides]

    def up(self) -> None:
        """Fill the chart, small cells first."""
        for total in self.layout.totals():
            for group in self.layout.groups(total):
                self._fill(group)
            for side, made, scales in zip(self.sides, self.made, self.made_scales, strict=True):
                box, rows = side.table(total)
                product = np.matmul(self._at(rows), side.matrices[box].swapaxes(-1, -2))
                trees = rows.ravel().nonzero()[0]
                own = rows.ravel()[trees]
                made[own] = product.reshape(-1, len(KINDS), self.N)[trees]
                of_leaves = np.broadcast_to(side.scales[box][..., None, :], (*rows.shape, len(KINDS)))
                scales[own] = self.scales[own][:, None] + of_leaves.reshape(-1, len(KINDS))[trees]

    def _fill(self, group: Group) -> None:
        tiny = np.finfo(self.values.dtype).tiny
        transposed = self.rules.T
        for block in self._blocks(group):
            beside = list(self._leaves(group.widths, block.own))
            alone = np.stack(
                [self.scales[block.own], *(scales[rows, kind] for _, scales, rows, kind in beside)]
            )
            top = alone.max(0)
            if block.count:
                top = np.maximum(top, block.logs.max(1))
            weights = np.exp(alone - top)[..., None]
            value = self.values[block.own] * weights[0]
            for weight, (made, _, rows, kind) in zip(weights[1:], beside, strict=True):
                value += made[rows, kind] * weight
            if block.count:
                left = self._at(block.left)
                left *= np.exp(block.logs - top[:, None])[..., None]
                value += _outer(left, self._at(block.right)) @ transposed
            value += self.lost
            most = np.maximum(value.max(1), tiny)
            self.values[block.own] = value / most[:, None]
            self.scales[block.own] = top + np.log(most)

    def _at(self, rows: Ints) -> Floats:
        """The values of some rows."""
        return np.take(self.values, rows, axis=0, mode="clip")

    def _blocks(self, group: Group) -> Iterator[Block]:
        left, right, count = self.layout.splits(group.widths)
        size = max(1, _BLOCK // (self.N * max(len(left), self.N)))
        for first in range(0, len(group.starts), size):
            starts = group.starts[first : first + size]
            lefts, rights = starts[:, None] + left, starts[:, None] + right
            logs = np.take(self.scales, lefts, mode="clip") + np.take(self.scales, rights, mode="clip")
            logs[:, count:] = EMPTY
            yield Block(starts + self.layout.place(group.widths), lefts, rights, logs, count)

    def _leaves(self, widths: Widths, own: Ints) -> Iterator[tuple[Floats, Floats, Ints, int]]:
        """Of every leaf that may make these cells with a tree: the arrays of its side, the rows of the trees, and its kind."""
        wa, wb = widths
        for side, made, scales in zip(self.sides, self.made, self.made_scales, strict=True):
            for number, (da, db) in enumerate(KINDS):
                if wa >= da and wb >= db and wa + wb - da - db > 1:
                    yield made, scales, own - side.steps[number], number

    def down(self, outer_values: Floats, counts: ChartParts) -> None:
        """Fill all outside values, and add to the counts."""
        outer = outer_values.reshape(-1, self.N)
        of_rules = counts.rules.reshape(self.N, -1).numpy()
        for total in reversed(self.layout.totals()):
            for side, made, scales in zip(self.sides, self.made, self.made_scales, strict=True):
                self._from_leaves(side, made, scales, outer, total)
            for group in self.layout.groups(total):
                for block in self._blocks(group):
                    if block.count:
                        self._to_parts(block, outer, of_rules)
        for side, made, counted in zip(self.sides, self.made, (counts.left, counts.right), strict=True):
            self._count(side, made, counted)

    def _from_leaves(self, side: Beside, made: Floats, scales: Floats, outer: Floats, total: int) -> None:
        """Add to the outside values of trees what they get from the cells that they make with a leaf."""
        box, rows = side.table(total)
        exists = (rows > 0)[..., None] & (side.scales[box] > EMPTY / 2)[..., None, :]
        wholes = np.where(exists, rows[..., None] + np.array(side.steps), 0)
        weights = np.exp(np.where(exists, scales[rows] - self.scales[wholes], EMPTY))
        given = np.take(outer, wholes, axis=0, mode="clip")
        np.minimum(given, LARGEST, out=given)
        given *= weights[..., None]
        to_trees = np.matmul(given.reshape(*rows.shape, -1), side.matrices[box])
        trees = rows.ravel().nonzero()[0]
        own = rows.ravel()[trees]
        made[own] = given.reshape(-1, len(KINDS), self.N)[trees]
        outer[own] += to_trees.reshape(-1, self.N)[trees]

    def _to_parts(self, block: Block, outer: Floats, of_rules: Floats) -> None:
        """Add the outside values of both parts of all splits, and the counts of the rules."""
        given = np.minimum(outer[block.own], LARGEST)
        weights = np.exp(block.logs - self.scales[block.own][:, None])[..., None]
        left, right = self._at(block.left), self._at(block.right)
        left *= weights
        of_rules += given.T @ _outer(left, right)
        back = (given @ self.rules).reshape(-1, self.N, self.N)
        right *= weights
        splits = slice(block.count)
        outer[block.right[:, splits]] += np.matmul(left, back)[:, splits]
        outer[block.left[:, splits]] += np.matmul(right, back.swapaxes(1, 2))[:, splits]

    def _count(self, side: Beside, made: Floats, counted: torch.Tensor) -> None:
        """Add the counts of every leaf beside a tree: derivatives times trees, summed over all trees at a point."""
        shape, size = self.layout.shape, self.layout.points.shape
        rows = np.zeros((*size, 0), np.int64)
        for total in self.layout.totals():
            box, found = side.table(total)
            of_total = np.zeros((*size, found.shape[-1]), np.int64)
            of_total[box] = found
            rows = np.concatenate([rows, of_total], -1)
        counts = np.zeros((*size, len(KINDS) * self.N, self.N), self.values.dtype)
        for i in range(size[1]):
            at = rows[:, i][..., rows[:, i].any((0, 1))]
            derivatives = made[at].reshape(*at.shape, len(KINDS) * self.N)
            counts[:, i] = np.matmul(derivatives.swapaxes(-1, -2), self._at(at))
        counts = counts.reshape(*size, len(KINDS), self.N, self.N)
        for number, kind in enumerate(KINDS):
            if all(shape.grid(kind)):
                shape.block(counted, kind).copy_(torch.from_numpy(counts[side.place(kind, number)]))


def _outer(left: Floats, right: Floats) -> Floats:
    """The sum over all splits of left times right, [cell, N * N]."""
    return np.matmul(left.swapaxes(1, 2), right).reshape(len(left), -1)


def inside(parts: ChartParts, shape: Shape, *, least: float = 0.0) -> tuple[ParseChart, list[Recursion]]:
    """As `chart.inside` with LogSemiring, except for padding; and what `outside` needs.

    least: products below this may be lost; values are rounded up to what may have been lost.
    """
    with device.all_cores() as threads:
        chart = start_chart(LogSemiring(), parts, shape)
        recursions = [
            Recursion(
                _items(parts, items), shape, chart.values[items].numpy(), chart.scales[items].numpy(), least
            )
            for items in shares(parts.lengths.numpy(), threads)
        ]
        device.at_once([recursion.up for recursion in recursions])
    return chart, recursions


def outside(
    parts: ChartParts,
    shape: Shape,
    chart: ParseChart,
    recursions: list[Recursion],
    outer_values: torch.Tensor,
) -> ChartParts:
    """As `chart.outside`."""
    with device.all_cores():
        counts = zero_counts(parts)
        firsts = np.cumsum([0, *(len(one.layout.lengths) for one in recursions)])
        pieces = [
            (recursion, slice(first, first + len(recursion.layout.lengths)))
            for recursion, first in zip(recursions, firsts[:-1].tolist(), strict=True)
        ]
        own = [replace(_items(counts, items), rules=torch.zeros_like(counts.rules)) for _, items in pieces]
        device.at_once(
            [
                partial(recursion.down, outer_values[items].numpy(), one)
                for (recursion, items), one in zip(pieces, own, strict=True)
            ]
        )
        for one in own:
            counts.rules.add_(one.rules)
        count_two_leaves(parts, shape, chart, outer_values, counts)
    return counts


def _items(parts: ChartParts, items: slice) -> ChartParts:
    """The parts of some items of a batch."""
    arrays = {
        name: getattr(parts, name)[items]
        for name in ("left", "right", "left_of_leaf", "leaf", "leaf_scale", "lengths")
    }
    return ChartParts(rules=parts.rules, **arrays)


def shares(lengths: Ints, threads: int) -> list[slice]:
    """Neighbouring items for each thread, with about the same work."""
    work = np.prod((lengths + 1.0) ** 3, axis=1)
    middles = work.cumsum() - work / 2
    cuts = np.searchsorted(middles, work.sum() * np.arange(1, threads) / threads)
    edges = [0, *cuts.tolist(), len(lengths)]
    return [slice(a, b) for a, b in pairwise(edges) if a < b]
