"""The inside pass on a GPU: values of all cells, small ones first."""

from __future__ import annotations

import triton
import triton.language as tl

from longway.grammars.chart import ChartParts, ParseChart, Shape, start_chart
from longway.grammars.gpu.layout import (
    cells_by_width,
    is_beyond,
    leaf_at,
    offset,
    parts_of,
    place_of,
    rows_at,
)
from longway.grammars.gpu.products import PRECISION, SIZES, max_product, of_rules
from longway.grammars.semiring import EMPTY, MaxSemiring, Semiring

_SPLITS = 16  # splits multiplied at once


@triton.jit
def _leaf_scales(scales, leaf_scales, base, leaf_base, i, wa, k, wb, n, m,
                 DA: tl.constexpr, DB: tl.constexpr, EMPTY_: tl.constexpr):  # fmt: skip
    """Log weights of a leaf of this kind on the left and on the right."""
    ok = (wa >= DA) & (wb >= DB) & (wa + wb - DA - DB > 1)
    behind = base + offset(i + DA, wa - DA, k + DB, wb - DB, n, m)
    before = base + offset(i, wa - DA, k, wb - DB, n, m)
    first = tl.load(leaf_scales + leaf_base + leaf_at(i, k, n, m, DA, DB), mask=ok, other=EMPTY_)
    last = tl.load(
        leaf_scales + leaf_base + leaf_at(i + wa - DA, k + wb - DB, n, m, DA, DB), mask=ok, other=EMPTY_
    )
    on_left = tl.load(scales + behind, mask=ok, other=EMPTY_) + first
    on_right = tl.load(scales + before, mask=ok, other=EMPTY_) + last
    return on_left, on_right


@triton.jit
def _leaf_values(value, values, left, right, base, leaf_base, i, wa, k, wb, n, m, on_left, on_right, top,
                 DA: tl.constexpr, DB: tl.constexpr, N: tl.constexpr, MAX: tl.constexpr):  # fmt: skip
    """The value plus the products of a leaf of this kind with the tree after it, and with the tree before it."""
    ok = (wa >= DA) & (wb >= DB) & (wa + wb - DA - DB > 1)
    if ok:
        symbol = tl.arange(0, N)
        square = symbol[:, None] * N + symbol[None, :]
        behind = tl.load(values + (base + offset(i + DA, wa - DA, k + DB, wb - DB, n, m)) * N + symbol)
        before = tl.load(values + (base + offset(i, wa - DA, k, wb - DB, n, m)) * N + symbol)
        first = tl.load(left + (leaf_base + leaf_at(i, k, n, m, DA, DB)) * N * N + square)
        last = tl.load(right + (leaf_base + leaf_at(i + wa - DA, k + wb - DB, n, m, DA, DB)) * N * N + square)
        if MAX:
            one = tl.max(first + behind[None, :], 1) + (on_left - top)
            other = tl.max(last + before[None, :], 1) + (on_right - top)
            value = tl.maximum(value, tl.maximum(one, other))
        else:
            value += tl.sum(first * behind[None, :], 1) * tl.exp(on_left - top)
            value += tl.sum(last * before[None, :], 1) * tl.exp(on_right - top)
    return value


@triton.jit(do_not_specialize=SIZES)
def _inside(cells, lengths, values, scales, left, right, leaf_scales, outer, made, tops, n, m, all_cells, all_leaves, count,
            N: tl.constexpr, S: tl.constexpr, MAX: tl.constexpr, EMPTY_: tl.constexpr, PRECISION: tl.constexpr):  # fmt: skip
    """A cell's outer products of all splits into two trees, the products of its leaves, and the scale of both."""
    cell = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i, wa, k, wb = place_of(cells, cell)
    base = item * all_cells
    leaf_base = item * all_leaves
    own = base + offset(i, wa, k, wb, n, m)
    symbol = tl.arange(0, N)
    if is_beyond(lengths, item, i, wa, k, wb):
        return
    n_splits = (wa + 1) * (wb + 1)

    # the largest scale of all alternatives; the cell already holds the products of two leaves
    own_scale = tl.load(scales + own)
    best = tl.full((S,), EMPTY_, tl.float32)
    for start in range(0, n_splits, S):
        one_, other_, fits = parts_of(start + tl.arange(0, S), i, wa, k, wb, n, m)
        sum_ = tl.load(scales + base + one_, mask=fits, other=EMPTY_) + tl.load(
            scales + base + other_, mask=fits, other=EMPTY_
        )
        best = tl.maximum(best, sum_)
    top = tl.maximum(tl.max(best, 0), own_scale)
    la, ra = _leaf_scales(scales, leaf_scales, base, leaf_base, i, wa, k, wb, n, m, 1, 0, EMPTY_)
    lb, rb = _leaf_scales(scales, leaf_scales, base, leaf_base, i, wa, k, wb, n, m, 0, 1, EMPTY_)
    lc, rc = _leaf_scales(scales, leaf_scales, base, leaf_base, i, wa, k, wb, n, m, 1, 1, EMPTY_)
    top = tl.maximum(top, tl.maximum(tl.maximum(la, ra), tl.maximum(tl.maximum(lb, rb), tl.maximum(lc, rc))))

    value = tl.load(values + own * N + symbol)
    value = value + (own_scale - top) if MAX else value * tl.exp(own_scale - top)
    value = _leaf_values(value, values, left, right, base, leaf_base, i, wa, k, wb, n, m, la, ra, top, 1, 0, N, MAX)  # fmt: skip
    value = _leaf_values(value, values, left, right, base, leaf_base, i, wa, k, wb, n, m, lb, rb, top, 0, 1, N, MAX)  # fmt: skip
    value = _leaf_values(value, values, left, right, base, leaf_base, i, wa, k, wb, n, m, lc, rc, top, 1, 1, N, MAX)  # fmt: skip

    product = tl.full((N, N), EMPTY_ if MAX else 0.0, tl.float32)
    if MAX:
        for split in range(0, n_splits):
            sa = split // (wb + 1)
            sb = split % (wb + 1)
            if (sa + sb > 1) & (wa - sa + wb - sb > 1):
                one_ = base + offset(i, sa, k, sb, n, m)
                other_ = base + offset(i + sa, wa - sa, k + sb, wb - sb, n, m)
                weight = tl.load(scales + one_) + tl.load(scales + other_) - top
                one = tl.load(values + one_ * N + symbol) + weight
                other = tl.load(values + other_ * N + symbol)
                product = tl.maximum(product, one[:, None] + other[None, :])
    else:
        for start in range(0, n_splits, S):
            one_, other_, fits = parts_of(start + tl.arange(0, S), i, wa, k, wb, n, m)
            weight = tl.exp(
                tl.load(scales + base + one_, mask=fits, other=EMPTY_)
                + tl.load(scales + base + other_, mask=fits, other=EMPTY_)
                - top
            )
            one = rows_at(values, base + one_, fits, N) * weight[:, None]
            other = rows_at(values, base + other_, fits, N)
            product += tl.dot(tl.trans(one), other, input_precision=PRECISION)
    row = item * count + cell
    tl.store(outer + row * N * N + symbol[:, None] * N + symbol[None, :], product)
    tl.store(made + row * N + symbol, value)
    tl.store(tops + row, top)


@triton.jit(do_not_specialize=SIZES)
def _finish(cells, lengths, values, scales, by_rules, made, tops, n, m, all_cells, count,
            N: tl.constexpr, MAX: tl.constexpr):  # fmt: skip
    """Adds the products of rules and of leaves, and normalizes the scale."""
    cell = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i, wa, k, wb = place_of(cells, cell)
    own = item * all_cells + offset(i, wa, k, wb, n, m)
    row = item * count + cell
    symbol = tl.arange(0, N)
    if is_beyond(lengths, item, i, wa, k, wb):
        return
    one = tl.load(by_rules + row * N + symbol)
    other = tl.load(made + row * N + symbol)
    if MAX:
        value = tl.maximum(one, other)
        most = tl.max(value, 0)
        tl.store(values + own * N + symbol, value - most)
        tl.store(scales + own, tl.load(tops + row) + most)
    else:
        value = one + other
        most = tl.maximum(tl.max(value, 0), 1e-37)
        tl.store(values + own * N + symbol, value / most)
        tl.store(scales + own, tl.load(tops + row) + tl.log(most))


def inside(semiring: Semiring, parts: ChartParts, shape: Shape) -> ParseChart:
    """As `chart.inside`."""
    is_max = isinstance(semiring, MaxSemiring)
    N = parts.rules.shape[0]
    chart = start_chart(semiring, parts, shape)
    batch, device = parts.leaf_scale.shape[0], parts.leaf_scale.device
    left, right, leaf_scales = (
        parts.left.contiguous(),
        parts.right.contiguous(),
        parts.leaf_scale.contiguous(),
    )
    lengths = parts.lengths.int().contiguous()
    transposed = parts.rules.flatten(1).T.contiguous()
    all_cells, all_leaves = chart.scales[0].numel(), leaf_scales.shape[1]
    for cells, _ in cells_by_width(shape, device).values():
        count = len(cells)
        rows = batch * count
        outer, made, tops = (
            transposed.new_empty(rows, N * N),
            transposed.new_empty(rows, N),
            transposed.new_empty(rows),
        )
        _inside[(count, batch)](
            cells, lengths, chart.values, chart.scales, left, right, leaf_scales, outer, made, tops,
            shape.n, shape.m, all_cells, all_leaves, count,
            N=N, S=_SPLITS, MAX=is_max, EMPTY_=EMPTY, PRECISION=PRECISION, num_warps=1 if is_max else 2,
        )  # fmt: skip
        by_rules = max_product(outer, transposed) if is_max else of_rules(outer, transposed)
        _finish[(count, batch)](
            cells, lengths, chart.values, chart.scales, by_rules, made, tops, shape.n, shape.m, all_cells, count,
            N=N, MAX=is_max, num_warps=1,
        )  # fmt: skip
    return chart
