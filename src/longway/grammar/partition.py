"""The probability of a text, or of a pair of texts, under all trees of a grammar, and its derivatives.

    rules, leaves  ->  prepare  ->  inside  ->  the cell of the whole text  ->  times the start rules
                                     outside <- its derivative

The recursion and its derivative are those of `chart.py`, or on a GPU their twins in the package `gpu`. Scales are
constants to the derivative: a value and its scale are always used together.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from longway.grammar import chart as plain
from longway.grammar import cores
from longway.grammar.chart import KINDS, Chart, Parts, Rules, Shape, prepare
from longway.grammar.device import gpu_twins
from longway.grammar.semiring import EMPTY, Log, Semiring


def inside(semiring: Semiring, parts: Parts, shape: Shape) -> Chart:
    """The filled chart, by whichever twin of the recursion suits the device."""
    if (gpu := _twins(parts)) is not None:
        return gpu.inside(semiring, parts, shape)
    with cores.shared_out() if semiring.by_products else nullcontext():
        return plain.inside(semiring, parts, shape)


def outside(parts: Parts, shape: Shape, chart: Chart, outer_values: Tensor) -> Parts:
    """The counts of every part (`chart.outside`), by whichever twin suits the device."""
    if (gpu := _twins(parts)) is not None:
        return gpu.outside(parts, shape, chart, outer_values)
    with cores.shared_out():
        return plain.outside(parts, shape, chart, outer_values)


def _twins(parts: Parts) -> Any:
    return gpu_twins(parts.rules, parts.leaf.shape[-1])


class _Roots(torch.autograd.Function):
    """The values of each item's whole cell, with `outside` as their derivative."""

    @staticmethod
    def forward(ctx: Any, shape: Shape, roots: tuple[Tensor, ...], *parts: Tensor) -> tuple[Tensor, Tensor]:
        ctx.parts, ctx.shape, ctx.roots = Parts(*parts), shape, roots
        ctx.chart = inside(Log(), ctx.parts, shape)
        scales = ctx.chart.scales[roots]
        ctx.mark_non_differentiable(scales)
        return ctx.chart.values[roots], scales

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> tuple[Any, ...]:
        outer_values = torch.zeros_like(ctx.chart.values)
        outer_values[ctx.roots] = given[0]
        counts = outside(ctx.parts, ctx.shape, ctx.chart, outer_values)
        return (
            None,
            None,
            counts.rules,
            counts.left,
            counts.right,
            counts.left_of_leaf,
            counts.leaf,
            None,
            None,
        )


def log_partition(rules: Rules, leaves: Tensor, lengths: Tensor, shape: Shape) -> Tensor:
    """The log probability of each pair under all its trees, [batch]; it can be differentiated.

    leaves: as in `chart.prepare`. lengths: [batch, 2], how many words of either text are really there;
    the cells behind them are computed and never read.
    """
    parts = prepare(Log(), rules, leaves, lengths)
    values, scales = _Roots.apply(
        shape, root_places(lengths), parts.rules, parts.left, parts.right, parts.left_of_leaf, parts.leaf,
        parts.leaf_scale, parts.lengths,
    )  # fmt: skip
    N = rules.nonterminals
    has_tree = lengths.sum(-1) > 1
    total = (rules.root[:N].exp() * values).sum(-1).clamp(min=torch.finfo(values.dtype).tiny)
    of_trees = torch.where(has_tree, total.log() + scales, EMPTY)
    return torch.logaddexp(of_trees, _of_leaf(rules.root[N:], leaves, lengths, shape))


def root_places(lengths: Tensor) -> tuple[Tensor, ...]:
    """Where the whole of each item lies in the chart."""
    items = torch.arange(lengths.shape[0], device=lengths.device)
    zero = torch.zeros_like(items)
    return items, zero, lengths[:, 0], zero, lengths[:, 1]


def _of_leaf(root: Tensor, leaves: Tensor, lengths: Tensor, shape: Shape) -> Tensor:
    """The log probability of each item as a single leaf; only items of one word or pair have any."""
    found = leaves.new_full((leaves.shape[0],), EMPTY)
    for kind in KINDS:
        rows, columns = shape.grid(kind)
        if rows * columns:
            here = (lengths == lengths.new_tensor(kind)).all(-1)
            found = torch.where(here, (shape.block(leaves, kind)[:, 0, 0] + root).logsumexp(-1), found)
    return found
