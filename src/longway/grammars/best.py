"""Best trees on a CPU: the chart of the largest values, only for the cells that the best tree may have.

Maxima cannot be computed by matrix products, sums can. So sums of sharpened probabilities bound the maxima:

    p(best tree with a cell) ^ SHARP  <=  sum of p(tree) ^ SHARP over all trees with that cell

1. `cells.py` fills the chart of these sums, upwards.
2. A tree is built from the top: each node takes the alternative with the largest sum. The best tree is at least as probable, so the
   probability of this tree is a lower bound.
3. From the top downwards, cells whose sum is below (lower bound) ^ SHARP are dropped: every tree with such a cell is less probable
   than the tree of step 2. Parts that only dropped cells could use are never visited. With SHARP = 8, few cells are kept,
   even with an untrained grammar.
4. The maxima are computed for the kept cells only.

The result is exact: sums are only ever rounded up. If they exceed the range of floating-point numbers, there is no
result, and the caller computes the maxima of all cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from longway.arrays import Bools, Ints
from longway.grammars import cells, device
from longway.grammars.backtrace import backtrace
from longway.grammars.cells import Floats, Group, Layout
from longway.grammars.chart import KINDS, LARGEST, ChartParts, ParseChart, Rules, Shape, prepare
from longway.grammars.semiring import EMPTY, LogSemiring, MaxSemiring

SHARP = 8.0
_SLACK = (
    0.5  # a cell is kept if its sum is more than this share of the bound: far more than all rounding errors
)
_LEAST = 1e-37  # no factor is below this
_LOWEST = -60.0  # of the log of a bound relative to the sum over all trees


class _Likely(LogSemiring):
    """The alternative with the largest sum at every node."""

    def choose(self, logs: Tensor) -> Tensor:
        """The index of the largest."""
        return logs.argmax(-1)


def best_chart(rules: Rules, leaves: Tensor, lengths: Tensor, shape: Shape) -> ParseChart | None:
    """The chart of `MaxSemiring`, empty in all cells that the best tree does not have; None if numbers are out of range."""
    with device.all_cores() as threads:
        shares = cells.shares(lengths.numpy(), threads)
        charts = device.at_once(
            [partial(_of_items, rules, leaves[items], lengths[items], shape) for items in shares]
        )
    known = [chart for chart in charts if chart is not None]
    if len(known) < len(charts):
        return None
    return ParseChart(torch.cat([one.values for one in known]), torch.cat([one.scales for one in known]))


def _of_items(rules: Rules, leaves: Tensor, lengths: Tensor, shape: Shape) -> ParseChart | None:
    with torch.no_grad():  # a setting of each thread
        sharp, sharp_leaves = _sharpened(rules, leaves)
        parts = _rounded_up(prepare(LogSemiring(), sharp, sharp_leaves, lengths))
        chart, _ = cells.inside(parts, shape, least=_LEAST)
        nodes = backtrace(_Likely(), sharp, sharp_leaves, lengths, shape, chart).numpy()
        bounds = _log_probabilities(nodes, sharp, sharp_leaves, shape)
        kept = _kept(sharp, parts, shape, chart, bounds)
        return None if kept is None else _maxima(rules, leaves, shape, kept)


def _sharpened(rules: Rules, leaves: Tensor) -> tuple[Rules, Tensor]:
    """The log probabilities times SHARP, with the most likely rule as one.

    A tree has one more leaf than rules, so what a rule gains and a leaf loses is the same for all trees.
    """
    most = float(rules.binary.max()) * SHARP
    return Rules(rules.root * SHARP, rules.binary * SHARP - most), leaves * SHARP + most


def _rounded_up(parts: ChartParts) -> ChartParts:
    arrays = {
        name: getattr(parts, name).clamp(min=_LEAST)
        for name in ("rules", "left", "right", "left_of_leaf", "leaf")
    }
    return replace(parts, **arrays)


def _log_probabilities(nodes: Ints, rules: Rules, leaves: Tensor, shape: Shape) -> Floats:
    """Of each item's tree, from the rows of `backtrace`."""
    item, i, wa, k, wb, symbol, parent = nodes.T
    logs = np.zeros(len(leaves))
    N, binary = rules.nonterminals, rules.binary.double().numpy()
    root = parent < 0
    np.add.at(logs, item[root], rules.root.double().numpy()[symbol[root]])
    order = np.argsort(parent[~root], kind="stable")  # a left part comes directly before its right part
    pair = np.flatnonzero(~root)[order].reshape(-1, 2)
    np.add.at(
        logs, item[pair[:, 0]], binary[symbol[parent[pair[:, 0]]], symbol[pair[:, 0]], symbol[pair[:, 1]]]
    )
    for kind in KINDS:
        at = (symbol >= N) & (wa == kind[0]) & (wb == kind[1])
        if at.any():
            of_kind = shape.block(leaves, kind).double().numpy()
            np.add.at(logs, item[at], of_kind[item[at], i[at], k[at], symbol[at] - N])
    return logs


def _kept(
    rules: Rules, parts: ChartParts, shape: Shape, chart: ParseChart, bounds: Floats
) -> list[list[Group]] | None:
    """The cells that may be part of the best tree, by wa + wb from 2 on; None if numbers are out of range."""
    N = rules.nonterminals
    layout = Layout(parts.lengths.numpy(), shape, N)
    values, scales = chart.values.numpy().reshape(-1, N), chart.scales.numpy().reshape(-1)
    items = layout.rows // len(layout.lengths)
    roots = np.arange(len(layout.lengths)) * items + layout.lengths @ np.array([layout.da, 1])
    outer = np.zeros_like(values)
    # relative to the bound: a cell is kept from one on, or from `_SLACK`
    logs = (
        rules.root[:N].double().numpy()
        + np.where(scales[roots] > EMPTY / 2, scales[roots] - bounds, EMPTY)[:, None]
    )
    if logs.max() > -_LOWEST:
        return None
    outer[roots] = np.exp(logs)
    kept: list[list[Group]] = []
    push = _Push(layout, parts, values, scales, outer)
    with np.errstate(over="ignore", invalid="ignore"):
        for total in reversed(layout.totals()):
            kept.insert(0, [])
            for group in layout.groups(total):
                own = group.starts + layout.place(group.widths)
                sums = (outer[own] * values[own]).sum(1)
                if not (np.isfinite(sums).all() and outer[own].max() < LARGEST):
                    return None
                found = replace(group, starts=group.starts[sums >= _SLACK])
                if len(found.starts):
                    kept[0].append(found)
                    push(found)
    return kept


@dataclass(frozen=True)
class _Push:
    """Adds to the outside values of all parts of some cells."""

    layout: Layout
    parts: ChartParts
    values: Floats
    scales: Floats
    outer: Floats

    def __call__(self, group: Group) -> None:
        N = self.values.shape[1]
        own = group.starts + self.layout.place(group.widths)
        given, scale = self.outer[own], self.scales[own]
        left, right, count = self.layout.splits(group.widths)
        left, right = (group.starts[:, None] + part[:count] for part in (left, right))
        if count:
            back = (given @ self.parts.rules.flatten(1).numpy()).reshape(-1, N, N)
            weights = np.exp(self.scales[left] + self.scales[right] - scale[:, None])[..., None]
            self.outer[right] += np.matmul(self.values[left] * weights, back)
            self.outer[left] += np.matmul(self.values[right] * weights, back.swapaxes(1, 2))
        leaf_scale = self.parts.leaf_scale.flatten().numpy()
        for beside in _beside(self.layout, group):
            matrices = (self.parts.left if beside.before else self.parts.right).flatten(0, 1)
            matrix = matrices[torch.from_numpy(beside.leaves)].numpy()
            weights = np.exp(self.scales[beside.trees] + leaf_scale[beside.leaves] - scale)
            self.outer[beside.trees] += np.matmul((given * weights[:, None])[:, None], matrix)[:, 0]


@dataclass(frozen=True)
class _Beside:
    """The leaf and the tree that make each cell of a group: indices of the leaves, and rows of the trees (or the other leaves)."""

    before: bool  # whether the leaf comes first
    leaves: Ints
    trees: Ints


def _beside(layout: Layout, group: Group) -> list[_Beside]:
    """All ways in which a leaf and a tree make the cells."""
    wa, wb = group.widths
    found = []
    for kind in KINDS:
        da, db = kind
        ra, rb = wa - da, wb - db
        if min(ra, rb) >= 0 and ra + rb > 1:
            behind = group.starts + da * layout.di + db * layout.dk + layout.place((ra, rb))
            found.append(_Beside(True, leaf_numbers(layout, group.starts, kind), behind))
            last = group.starts + ra * layout.di + rb * layout.dk
            found.append(
                _Beside(False, leaf_numbers(layout, last, kind), group.starts + layout.place((ra, rb)))
            )
    return found


def leaf_numbers(layout: Layout, starts: Ints, kind: tuple[int, int]) -> Ints:
    """The indices among the leaves of all items of the leaf of this kind at some points."""
    shape = layout.shape
    item, inner = np.divmod(starts, layout.di * (shape.n + 1))
    i, k = inner // layout.di, inner % layout.da // layout.dk
    first = sum(int(np.prod(shape.grid(other))) for other in KINDS[: KINDS.index(kind)])
    return item * shape.leaves + first + i * shape.grid(kind)[1] + k


def _maxima(rules: Rules, leaves: Tensor, shape: Shape, kept: list[list[Group]]) -> ParseChart:
    """The chart of the largest values of the kept cells."""
    N = rules.nonterminals
    layout = Layout(np.zeros((len(leaves), 2), np.int64), shape, N)
    product = MaxSemiring().matmul
    binary, of_leaf = rules.binary, leaves.flatten(0, 1)
    trees = binary[:, :N, :N].flatten(1).T.contiguous()  # [N * N, N]
    two = binary[:, N:, N:].flatten(1).T.contiguous()  # [P * P, N]
    groups = [group for groups in kept for group in groups]
    beside = [_beside(layout, group) for group in groups]
    with_leaf = {before: _with_leaf(binary, of_leaf, beside, before=before) for before in (True, False)}
    values = torch.full((layout.rows, N), EMPTY, dtype=leaves.dtype)
    known = np.zeros(layout.rows, dtype=bool)
    for group, own_beside in zip(groups, beside, strict=True):
        found = torch.full((len(group.starts), N), EMPTY, dtype=leaves.dtype)
        left, right = _kept_splits(layout, group, known)
        if left.shape[1]:
            one, other = values[torch.from_numpy(left)], values[torch.from_numpy(right)]
            found = product(product(one.transpose(1, 2), other).flatten(1), trees)
        for leaf in own_beside:
            numbers, matrices = with_leaf[leaf.before]
            matrix = matrices[torch.from_numpy(np.searchsorted(numbers, leaf.leaves))]
            tree = values[torch.from_numpy(leaf.trees)].unsqueeze(1)
            found = torch.maximum(found, (matrix + tree).amax(-1))
        for one, other in _two_leaves(layout, group):
            outer = of_leaf[one].unsqueeze(2) + of_leaf[other].unsqueeze(1)
            found = torch.maximum(found, product(outer.flatten(1), two))
        own = group.starts + layout.place(group.widths)
        values[torch.from_numpy(own)] = found.clamp(min=EMPTY)
        known[own] = True
    scales = values.amax(-1)
    values = torch.where(scales.unsqueeze(-1) > EMPTY / 2, values - scales.unsqueeze(-1), EMPTY)
    size = (len(leaves), shape.n + 1, shape.n + 1, shape.m + 1, shape.m + 1)
    return ParseChart(values.view(*size, N), scales.view(size))


def _kept_splits(layout: Layout, group: Group, known: Bools) -> tuple[Ints, Ints]:
    """The rows of both parts of every split into two kept trees, [cell, split]; row 0, which is empty, where a cell has fewer."""
    left, right, count = layout.splits(group.widths)
    lefts, rights = (group.starts[:, None] + part[:count] for part in (left, right))
    exists = known[lefts] & known[rights]
    order = np.argsort(~exists, axis=1, kind="stable")[:, : exists.sum(1).max(initial=0)]
    exists, lefts, rights = (np.take_along_axis(array, order, axis=1) for array in (exists, lefts, rights))
    return np.where(exists, lefts, 0), np.where(exists, rights, 0)


def _with_leaf(
    binary: Tensor, leaves: Tensor, beside: list[list[_Beside]], *, before: bool
) -> tuple[Ints, Tensor]:
    """The numbers of all leaves beside a tree, and for each the best rule with it, [leaf, N, N]."""
    N = len(binary)
    used = [one.leaves for of_group in beside for one in of_group if one.before == before]
    numbers = np.unique(np.concatenate(used)) if used else np.zeros(0, np.int64)
    rules = binary[:, N:, :N].transpose(0, 1) if before else binary[:, :N, N:].permute(2, 0, 1)
    matrices = MaxSemiring().matmul(leaves[torch.from_numpy(numbers)], rules.flatten(1).contiguous())
    return numbers, matrices.unflatten(1, (N, N))


def _two_leaves(layout: Layout, group: Group) -> list[tuple[Tensor, Tensor]]:
    """All ways in which two leaves make the cells: the indices of both."""
    wa, wb = group.widths
    found = []
    for kind in KINDS:
        other = wa - kind[0], wb - kind[1]
        if other in KINDS:
            last = group.starts + kind[0] * layout.di + kind[1] * layout.dk
            both = leaf_numbers(layout, group.starts, kind), leaf_numbers(layout, last, other)
            found.append((torch.from_numpy(both[0]), torch.from_numpy(both[1])))
    return found
