"""The probability of a text, or of a pair of texts, under all trees of a grammar, and its gradient.

    rules, leaves  ->  prepare  ->  inside  ->  the cell of the whole text  ->  times the start rules
                                     outside <- its gradient

The recursion and its gradient are those of `chart.py`, computed by their twins in `cells.py` on a CPU and in the package `gpu` on a GPU. Scales are
constants to the gradient: a value and its scale are always used together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from longway.grammars import cells
from longway.grammars import chart as plain
from longway.grammars.backtrace import gpu_twins
from longway.grammars.best import best_chart
from longway.grammars.chart import KINDS, ChartParts, ParseChart, Rules, Shape, prepare
from longway.grammars.semiring import EMPTY, LogSemiring, MaxSemiring, Semiring

_MANY = 16  # nonterminals from which bounds pay off


def inside(semiring: Semiring, parts: ChartParts, shape: Shape) -> ParseChart:
    """The filled chart, by the twin of the recursion for the device."""
    if (gpu := _twins(parts)) is not None:
        return gpu.inside(semiring, parts, shape)
    if semiring.by_products and not parts.leaf.is_cuda:
        return cells.inside(parts, shape)[0]
    return plain.inside(semiring, parts, shape)


def tree_chart(semiring: Semiring, rules: Rules, leaves: Tensor, lengths: Tensor, shape: Shape) -> ParseChart:
    """The chart that `backtrace` follows; on a CPU for best trees only the cells that they may have (`best.py`)."""
    if isinstance(semiring, MaxSemiring) and rules.nonterminals >= _MANY and not leaves.is_cuda:
        chart = best_chart(rules, leaves, lengths, shape)
        if chart is not None:
            return chart
    return inside(semiring, prepare(semiring, rules, leaves, lengths), shape)


def inside_and_outside(parts: ChartParts, shape: Shape) -> tuple[ParseChart, Callable[[Tensor], ChartParts]]:
    """The chart of the sums over all trees, and a function of outside values at the roots: the counts of every part."""
    if (gpu := _twins(parts)) is None and not parts.leaf.is_cuda:
        chart, recursions = cells.inside(parts, shape)
        return chart, partial(cells.outside, parts, shape, chart, recursions)
    twin = gpu or plain
    chart = twin.inside(LogSemiring(), parts, shape)
    return chart, partial(twin.outside, parts, shape, chart)


def _twins(parts: ChartParts) -> Any:
    return gpu_twins(parts.rules, parts.leaf.shape[-1])


class _Roots(torch.autograd.Function):
    """The values of each item's root cell, with `outside` as their gradient."""

    @staticmethod
    def forward(ctx: Any, shape: Shape, roots: tuple[Tensor, ...], *parts: Tensor) -> tuple[Tensor, Tensor]:
        ctx.roots = roots
        ctx.chart, ctx.outside = inside_and_outside(ChartParts(*parts), shape)
        scales = ctx.chart.scales[roots]
        ctx.mark_non_differentiable(scales)
        return ctx.chart.values[roots], scales

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> tuple[Any, ...]:
        outer_values = torch.zeros_like(ctx.chart.values)
        outer_values[ctx.roots] = given[0]
        counts = ctx.outside(outer_values)
        of_parts = (counts.rules, counts.left, counts.right, counts.left_of_leaf, counts.leaf)
        return (None, None, *of_parts, None, None)


def log_partition(rules: Rules, leaves: Tensor, lengths: Tensor, shape: Shape) -> Tensor:
    """The log probability of each pair under all its trees, [batch]; differentiable.

    leaves: as in `chart.prepare`. lengths: [batch, 2], the number of words of either text without padding;
    cells of padding are computed and never read.
    """
    parts = prepare(LogSemiring(), rules, leaves, lengths)
    values, scales = _Roots.apply(
        shape, root_cells(lengths), parts.rules, parts.left, parts.right, parts.left_of_leaf, parts.leaf,
        parts.leaf_scale, parts.lengths,
    )  # fmt: skip
    N = rules.nonterminals
    has_tree = lengths.sum(-1) > 1
    total = (rules.root[:N].exp() * values).sum(-1).clamp(min=torch.finfo(values.dtype).tiny)
    of_trees = torch.where(has_tree, total.log() + scales, EMPTY)
    return torch.logaddexp(of_trees, _of_leaf(rules.root[N:], leaves, lengths, shape))


def root_cells(lengths: Tensor) -> tuple[Tensor, ...]:
    """The index of each item's root cell in the chart."""
    items = torch.arange(lengths.shape[0], device=lengths.device)
    zero = torch.zeros_like(items)
    return items, zero, lengths[:, 0], zero, lengths[:, 1]


def _of_leaf(root: Tensor, leaves: Tensor, lengths: Tensor, shape: Shape) -> Tensor:
    """The log probability of each item as a single leaf; EMPTY for items of more than one word or pair."""
    logs = leaves.new_full((leaves.shape[0],), EMPTY)
    for kind in KINDS:
        rows, columns = shape.grid(kind)
        if rows * columns:
            is_kind = (lengths[:, 0] == kind[0]) & (lengths[:, 1] == kind[1])
            of_kind = (shape.block(leaves, kind)[:, 0, 0] + root).logsumexp(-1)
            logs = torch.where(is_kind, of_kind, logs)
    return logs
