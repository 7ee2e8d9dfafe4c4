"""The inside recursion over one text or two, written once for every semiring.

A cell is a span of the first text and a span of the second, and holds a value per nonterminal.
A single sentence is a pair with an empty second text, so there is one recursion.

    first   a  man  is  walking         cell (i, wa, k, wb): words i .. i+wa of the first text
    second  a  woman  sits                                and k .. k+wb of the second

A rule a -> b c writes the words of b before those of c in both texts, so a cell consists of

    left part (i, sa, k, sb)    and    right part (i+sa, wa-sa, k+sb, wb-sb)

for every sa in 0..wa and sb in 0..wb. Either side of a part may be empty, never both:

    second                     sa = 0                 sb = 0                  not a part
      ^    +-----+-----+       |left | right          |right                 left is (0, 0):
    wb|    |     |right|       |(0,sb)                |--------+-------      the cell would be
      |    +-----+-----+       +-----------           |left (sa,0)|          a part of itself
    sb|    |left |     |       left writes only       left writes only
      |    +-----+-----+       in the second          in the first
      +--------sa----wa-> first

A leaf is a cell of widths (1, 0), (0, 1) or (1, 1): a word deleted, inserted or replaced.
Cells (1, 0) and (0, 1) hold only leaves, cells (1, 1) also trees (one word deleted, one inserted).

Cells are filled by wa + wb, small ones first. For one cell the work is three matrix products:

    all splits      outer[b, c] = add over splits of left[b] * right[c]        both parts are trees
                    value[a]    = rules[a, (b, c)] @ outer
    leaf parts      value[a]   += (leaf @ rules)[a, c] @ right[c]              at most three splits
                    value[a]   += (leaf @ rules)[a, b] @ left[b]               and three more
    two leaves      value[a]   += (leaf @ rules)[a, c] @ leaf[c]               in cells up to (2, 2)

The product of a leaf and the rules does not depend on the cell, so it is computed once per leaf. The chart is
the array [batch, i, wa, k, wb, symbol]; both parts of all splits are strided views of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product as every_pair
from typing import Any

import torch
from torch import Tensor

from longway.grammars.semiring import EMPTY, Semiring, product

Widths = tuple[int, int]  # words of the first text and of the second
KINDS = ((1, 0), (0, 1), (1, 1))  # widths of a leaf: word/ε, ε/word, word/word
LARGEST = 1e30  # limit of an outside value: a symbol this unlikely inside its cell is negligible


@dataclass(frozen=True)
class Shape:
    """The maximum lengths of a batch's texts, and the layout of its leaves."""

    n: int
    m: int

    @property
    def leaves(self) -> int:
        """The number of leaf cells."""
        return sum(rows * columns for rows, columns in map(self.grid, KINDS))

    def grid(self, widths: Widths) -> Widths:
        """The number of start positions of a cell of these widths in either text."""
        return max(0, self.n + 1 - widths[0]), max(0, self.m + 1 - widths[1])

    def block(self, leaves: Tensor, kind: Widths) -> Tensor:
        """The leaves of one kind, [batch, leaf, ...] -> [batch, i, k, ...]."""
        start = 0
        for other in KINDS:
            rows, columns = self.grid(other)
            if other == kind:
                return leaves[:, start : start + rows * columns].unflatten(1, (rows, columns))
            start += rows * columns
        raise ValueError(f"There is no leaf of widths {kind}.")

    def widths(self) -> Iterator[Widths]:
        """The widths of all cells that a rule can make, each after those of its parts."""
        for total in range(2, self.n + self.m + 1):
            for wa in range(max(0, total - self.m), min(self.n, total) + 1):
                yield wa, total - wa


@dataclass(frozen=True)
class Rules:
    """Log probabilities of a grammar's rules; preterminals come after nonterminals."""

    root: Tensor  # [symbols]
    binary: Tensor  # [nonterminals, symbols, symbols]

    @property
    def nonterminals(self) -> int:
        """The number of nonterminals."""
        return self.binary.shape[0]


@dataclass(frozen=True)
class ChartParts:
    """Rules and leaves as values of one semiring, ready for the recursion."""

    rules: Tensor  # [N, N, N], both parts are trees
    left: Tensor  # [batch, leaf, N, N]: rules with this leaf on the left and a tree on the right
    right: Tensor  # [batch, leaf, N, N]: rules with this leaf on the right and a tree on the left
    left_of_leaf: Tensor  # [batch, leaf, N, P]: rules with this leaf on the left and a leaf on the right
    leaf: Tensor  # [batch, leaf, P]
    leaf_scale: Tensor  # [batch, leaf]; a constant to every gradient
    lengths: Tensor  # [batch, 2]: words of either text; cells of padding are never read, and skipped on a GPU


@dataclass(frozen=True)
class ParseChart:
    """Every cell's values [batch, i, wa, k, wb, symbol] and its log scale."""

    values: Tensor
    scales: Tensor


def prepare(semiring: Semiring, rules: Rules, leaves: Tensor, lengths: Tensor) -> ChartParts:
    """Compute everything that does not depend on a cell.

    leaves: log probabilities [batch, leaf, preterminal], leaves ordered by kind, then i, then k.
    """
    N = rules.nonterminals
    scale = leaves.amax(-1).detach()
    values = semiring.lift(leaves - scale.unsqueeze(-1))
    binary = semiring.lift(rules.binary)
    P = binary.shape[1] - N

    def times_leaf(rules: Tensor, columns: int) -> Tensor:  # rules: [P, N, columns]
        return semiring.matmul(values, rules.reshape(P, N * columns)).unflatten(-1, (N, columns))

    return ChartParts(
        rules=binary[:, :N, :N],
        left=times_leaf(binary[:, N:, :N].transpose(0, 1), N),
        right=times_leaf(binary[:, :N, N:].permute(2, 0, 1), N),
        left_of_leaf=times_leaf(binary[:, N:, N:].transpose(0, 1), P),
        leaf=values,
        leaf_scale=scale,
        lengths=lengths,
    )


@dataclass(frozen=True)
class _TwoLeaves:
    """The leaves that make the cells of some widths."""

    one: Widths
    other: Widths
    first: Any  # index of the left leaves among those of their kind
    last: Any  # index of the right leaves


def _two_leaves(shape: Shape) -> Iterator[tuple[Widths, _TwoLeaves]]:
    """The widths that two leaves can make, at most twice each, with the indices of the leaves."""
    for one, other in every_pair(KINDS, KINDS):
        widths = one[0] + other[0], one[1] + other[1]
        rows, columns = shape.grid(widths)
        if rows * columns:
            first = (slice(None), slice(rows), slice(columns))
            last = (slice(None), slice(one[0], one[0] + rows), slice(one[1], one[1] + columns))
            yield widths, _TwoLeaves(one, other, first, last)


def _small_cells(semiring: Semiring, parts: ChartParts, shape: Shape) -> dict[Widths, tuple[Tensor, Tensor]]:
    """For the widths that two leaves can make: values [batch, i, k, N] and scales [batch, i, k]."""
    small: dict[Widths, tuple[Tensor, Tensor]] = {}
    for widths, at in _two_leaves(shape):
        matrix = shape.block(parts.left_of_leaf, at.one)[at.first]
        leaf = shape.block(parts.leaf, at.other)[at.last]
        made = semiring.matmul(matrix, leaf.unsqueeze(-1)).squeeze(-1)
        scales = (
            shape.block(parts.leaf_scale, at.one)[at.first] + shape.block(parts.leaf_scale, at.other)[at.last]
        )
        if widths in small:
            made, scales = _added(semiring, (made, scales), small[widths])
        small[widths] = made, scales
    return small


def _added(
    semiring: Semiring, one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]
) -> tuple[Tensor, Tensor]:
    scales = torch.maximum(one[1], other[1])
    weighed = [semiring.weigh(values, (own - scales).unsqueeze(-1)) for values, own in (one, other)]
    return semiring.add(*weighed), scales


def inside(semiring: Semiring, parts: ChartParts, shape: Shape) -> ParseChart:
    """The value of every cell and symbol: over all its trees, or the best one, by the semiring."""
    chart = start_chart(semiring, parts, shape)
    leaf_parts = _leaf_parts(parts, shape)
    for widths in shape.widths():
        place = _place(widths, shape)
        leaves = leaf_parts(widths)
        weights, top = _weights(chart, leaves, shape, widths)
        value = semiring.weigh(
            chart.values[place], (chart.scales[place] - top).unsqueeze(-1)
        )  # of two leaves
        value = semiring.add(value, _of_splits(semiring, chart, parts, widths, shape, weights[0]))
        for leaf, weight in zip(leaves, weights[1:], strict=True):
            made = semiring.matmul(leaf.matrix, chart.values[leaf.rest].unsqueeze(-1)).squeeze(-1)
            value = semiring.add(value, semiring.weigh(made, weight.unsqueeze(-1)))
        most = semiring.scale_of(value)
        chart.values[place] = semiring.weigh(value, -most.unsqueeze(-1))
        chart.scales[place] = top + most
    return chart


def start_chart(semiring: Semiring, parts: ChartParts, shape: Shape) -> ParseChart:
    """A chart with the cells that two leaves make; all others are empty."""
    size = (parts.leaf.shape[0], shape.n + 1, shape.n + 1, shape.m + 1, shape.m + 1)
    values = parts.left.new_full((*size, parts.rules.shape[0]), semiring.zero)
    scales = parts.left.new_full(size, EMPTY)
    for widths, (made, own) in _small_cells(semiring, parts, shape).items():
        values[_place(widths, shape)], scales[_place(widths, shape)] = made, own
    return ParseChart(values, scales)


def _place(widths: Widths, shape: Shape) -> Any:
    """The index of all cells of these widths in an array of the chart."""
    rows, columns = shape.grid(widths)
    return (slice(None), slice(rows), widths[0], slice(columns), widths[1])


def _of_splits(
    semiring: Semiring,
    chart: ParseChart,
    parts: ChartParts,
    widths: Widths,
    shape: Shape,
    weights: Tensor,
) -> Tensor:
    outer = _outer(semiring, chart.values, widths, shape, weights)
    return semiring.matmul(outer.flatten(-2), parts.rules.flatten(1).T)


def _outer(semiring: Semiring, values: Tensor, widths: Widths, shape: Shape, weights: Tensor) -> Tensor:
    """The sum over all splits of left times right, [batch, i, k, N, N]."""
    left, right = _flat(left_parts(values, widths, shape)), _flat(right_parts(values, widths, shape))
    return semiring.matmul(semiring.weigh(left, weights.unsqueeze(-1)).transpose(-1, -2), right)


def _weights(
    chart: ParseChart, leaves: list[_LeafPart], shape: Shape, widths: Widths
) -> tuple[list[Tensor], Tensor]:
    """Log weights of the splits and of each leaf part, relative to the largest; and the largest."""
    scales = chart.scales.unsqueeze(-1)
    split = (_flat(left_parts(scales, widths, shape)) + _flat(right_parts(scales, widths, shape))).squeeze(
        -1
    )  # [batch, i, k, split]
    found = [split] + [leaf.scale + chart.scales[leaf.rest] for leaf in leaves]
    tops = [chart.scales[_place(widths, shape)], *found[1:]]
    tops += [split.amax(-1)] if split.shape[-1] else []
    top = torch.stack(tops).amax(0)
    return [split - top.unsqueeze(-1), *(one - top for one in found[1:])], top


@dataclass(frozen=True)
class _LeafPart:
    """A leaf that begins or ends the cells of some widths, and the index of the rest in the chart."""

    matrix: Tensor  # [batch, i, k, N, N]
    scale: Tensor  # [batch, i, k], of the leaf
    rest: Any


def _leaf_parts(parts: ChartParts, shape: Shape) -> Callable[[Widths], list[_LeafPart]]:
    """A function of widths: the leaves that may begin or end such a cell, with the tree that is the rest."""
    blocks = {
        kind: [shape.block(array, kind) for array in (parts.left, parts.right, parts.leaf_scale)]
        for kind in KINDS
        if all(shape.grid(kind))
    }
    every = slice(None)

    def of(widths: Widths) -> list[_LeafPart]:
        rows, columns = shape.grid(widths)
        found = []
        for (da, db), (left, right, scale) in blocks.items():
            wa, wb = widths[0] - da, widths[1] - db
            if wa < 0 or wb < 0 or wa + wb < 2:  # the rest is not a tree
                continue
            first = every, slice(rows), slice(columns)
            last = every, slice(wa, wa + rows), slice(wb, wb + columns)
            behind = every, slice(da, da + rows), wa, slice(db, db + columns), wb
            before = every, slice(rows), wa, slice(columns), wb
            found.append(_LeafPart(left[first], scale[first], behind))
            found.append(_LeafPart(right[last], scale[last], before))
        return found

    return of


def _splits(own: int, other: int) -> Widths:
    """The split positions of one text: the first, and how many.

    If the other text is empty, both parts need two words to be trees.
    """
    return (0, own + 1) if other else (2, max(0, own - 3))


def left_parts(array: Tensor, widths: Widths, shape: Shape) -> Tensor:
    """The left part of every split of every cell, a view [batch, i, k, sa, sb, symbol]."""
    return _view(array, widths, shape, right=False)


def right_parts(array: Tensor, widths: Widths, shape: Shape) -> Tensor:
    """The right part of every split of every cell, a view [batch, i, k, sa, sb, symbol]."""
    return _view(array, widths, shape, right=True)


def _view(array: Tensor, widths: Widths, shape: Shape, *, right: bool) -> Tensor:
    wa, wb = widths
    rows, columns = shape.grid(widths)
    (first_a, count_a), (first_b, count_b) = _splits(wa, wb), _splits(wb, wa)
    batch, i, a, k, b, symbol = array.stride()
    step_a, step_b = (i - a, k - b) if right else (a, b)
    offset = array.storage_offset() + first_a * step_a + first_b * step_b
    if right:  # starts at the end of the left part
        offset += wa * a + wb * b
    size = (array.shape[0], rows, columns, count_a, count_b, array.shape[-1])
    return array.as_strided(size, (batch, i, k, step_a, step_b, symbol), offset)


def _flat(parts: Tensor) -> Tensor:
    return parts.flatten(3, 4)


def outside(parts: ChartParts, shape: Shape, chart: ParseChart, outer_values: Tensor) -> ChartParts:
    """The gradient of sum(outer_values * chart.values) for every part, from the largest cells down.

    outer_values: [batch, i, wa, k, wb, N], nonzero only at the roots; it is overwritten with all outside
    values. The outer products are recomputed, not stored. A part's gradient times the part is its expected count.
    """
    N = parts.rules.shape[0]
    flat_rules = parts.rules.flatten(1)
    counts = zero_counts(parts)
    leaf_parts = _leaf_parts(parts, shape)
    for widths in reversed(list(shape.widths())):
        place = _place(widths, shape)
        given = outer_values[place].clamp(max=LARGEST)  # [batch, i, k, N]
        leaves = leaf_parts(widths)
        weights, top = _weights(chart, leaves, shape, widths)
        shift = top - chart.scales[place]
        if weights[0].shape[-1]:
            factors = (weights[0] + shift.unsqueeze(-1)).exp().unsqueeze(-1)
            left_view, right_view = (view(outer_values, widths, shape) for view in (left_parts, right_parts))
            left = _flat(left_parts(chart.values, widths, shape)) * factors
            right = _flat(right_parts(chart.values, widths, shape))
            outer = product(left.transpose(-1, -2), right).reshape(-1, N * N)
            counts.rules.flatten(1).add_(product(given.reshape(-1, N).T, outer))
            back = product(given, flat_rules).unflatten(-1, (N, N))
            right_view.add_(product(left, back).view(right_view.shape))
            left_view.add_(product(right * factors, back.transpose(-1, -2)).view(left_view.shape))
        for leaf, weight in zip(leaves, weights[1:], strict=True):
            weighed = given * (weight + shift).exp().unsqueeze(-1)
            outer_values[leaf.rest].add_(product(weighed.unsqueeze(-2), leaf.matrix).squeeze(-2))
    _count_leaf_parts(parts, shape, chart, outer_values, counts)
    count_two_leaves(parts, shape, chart, outer_values, counts)
    return counts


def _count_leaf_parts(
    parts: ChartParts, shape: Shape, chart: ParseChart, outer_values: Tensor, counts: ChartParts
) -> None:
    """Add the gradients of every leaf beside a tree, after all outside values are known: one product per kind."""
    for kind in KINDS:
        if not all(shape.grid(kind)):
            continue
        scale = shape.block(parts.leaf_scale, kind)
        for beside, counted in ((_behind, counts.left), (_before, counts.right)):
            tree, _, exists = beside(chart.values, shape, kind)
            tree_scale, whole_scale, _ = beside(chart.scales.unsqueeze(-1), shape, kind)
            given = beside(outer_values, shape, kind)[1]
            tree_scale, whole_scale = _flat(tree_scale), _flat(whole_scale)
            is_tree = exists.flatten(2).unsqueeze(-1) & (tree_scale > EMPTY / 2)
            log_weight = torch.where(is_tree, tree_scale - whole_scale + scale[..., None, None], EMPTY)
            weighed = _flat(given).clamp(max=LARGEST) * log_weight.exp()
            shape.block(counted, kind).add_(product(weighed.transpose(-1, -2), _flat(tree)))


def _behind(array: Tensor, shape: Shape, kind: Widths) -> tuple[Tensor, Tensor, Tensor]:
    """For each leaf of a kind all trees that may follow it, the cells they make together, and which exist.

    Two views [batch, i, k, wa, wb, symbol], i and k the leaf's position, wa and wb the tree's widths; and [i, k, wa, wb].
    """
    da, db = kind
    rows, columns = shape.grid(kind)
    batch, i, a, k, b, symbol = array.stride()
    size = (array.shape[0], rows, columns, rows, columns, array.shape[-1])
    strides = (batch, i, k, a, b, symbol)
    one, other = (torch.arange(length, device=array.device) for length in (rows, columns))
    exists = _both(one[:, None] + one < rows, other[:, None] + other < columns)
    return (
        array.as_strided(size, strides, da * i + db * k),
        array.as_strided(size, strides, da * a + db * b),
        exists,
    )


def _before(array: Tensor, shape: Shape, kind: Widths) -> tuple[Tensor, Tensor, Tensor]:
    """For each leaf of a kind all trees that may precede it, the cells they make together, and which exist.

    Two views [batch, p, q, i, k, symbol], p and q the leaf's position, i and k the tree's start; and [p, q, i, k].
    """
    da, db = kind
    rows, columns = shape.grid(kind)
    batch, i, a, k, b, symbol = array.stride()
    size = (array.shape[0], rows, columns, shape.n + 1, shape.m + 1, array.shape[-1])
    strides = (batch, a, b, i - a, k - b, symbol)  # the tree ends where the leaf begins
    one, other = (torch.arange(length + 1, device=array.device) for length in (shape.n, shape.m))
    exists = _both(one <= one[:rows, None], other <= other[:columns, None])
    return array.as_strided(size, strides, 0), array.as_strided(size, strides, da * a + db * b), exists


def _both(first: Tensor, second: Tensor) -> Tensor:
    """The logical and for both texts: [i, wa] and [k, wb] -> [i, k, wa, wb]."""
    return first[:, None, :, None] & second[None, :, None, :]


def zero_counts(parts: ChartParts) -> ChartParts:
    """Zeros for the gradient of every part."""
    N = parts.rules.shape[0]
    return ChartParts(
        rules=parts.rules.new_zeros(N, N, N),
        left=torch.zeros_like(parts.left),
        right=torch.zeros_like(parts.right),
        left_of_leaf=torch.zeros_like(parts.left_of_leaf),
        leaf=torch.zeros_like(parts.leaf),
        leaf_scale=parts.leaf_scale,
        lengths=parts.lengths,
    )


def count_two_leaves(
    parts: ChartParts, shape: Shape, chart: ParseChart, outer_values: Tensor, counts: ChartParts
) -> None:
    """Add the gradients of the cells that two leaves make, after all outside values are known."""
    for widths, at in _two_leaves(shape):
        place = _place(widths, shape)
        weight = (
            shape.block(parts.leaf_scale, at.one)[at.first]
            + shape.block(parts.leaf_scale, at.other)[at.last]
            - chart.scales[place]
        ).exp()
        given = outer_values[place].clamp(max=LARGEST) * weight.unsqueeze(-1)
        leaf = shape.block(parts.leaf, at.other)[at.last]
        matrix = shape.block(parts.left_of_leaf, at.one)[at.first]
        shape.block(counts.left_of_leaf, at.one)[at.first].add_(given.unsqueeze(-1) * leaf.unsqueeze(-2))
        shape.block(counts.leaf, at.other)[at.last].add_(product(given.unsqueeze(-2), matrix).squeeze(-2))
