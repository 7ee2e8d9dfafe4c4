"""The recursion of `chart.py` on a GPU: one kernel for all cells of one size, in Triton.

The same numbers as `chart.inside` and `chart.outside`, which are its slow twins. What is different:

    all cells with the same wa + wb, of all items, are one launch; a program is one cell of one item
    a program reads its parts straight from the chart (rows of N numbers) and keeps the N x N outer
    product in registers; only that product goes to memory, for one large matrix product with the rules
    on the way back it is computed again, and the parts' outside values are added atomically

`Log` needs a matrix product between two kernels; `Max` does all of its work in one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
import triton
import triton.language as tl
from torch import Tensor

from longway.grammar.chart import KINDS, LARGEST, Chart, Parts, Shape, count_two_leaves, start_chart, zero_counts
from longway.grammar.semiring import EMPTY, Max, Semiring

_SPLITS = 16  # splits that a program multiplies at once
_WARPS, _WARPS_BACK, _WARPS_MAX = 4, 4, 4
_PRECISION = "ieee"
_SIZES = ["n", "m", "all_cells", "all_leaves", "count"]  # change with every batch: no kernel of their own


@lru_cache(maxsize=1024)
def _cells(shape: Shape, device: torch.device) -> dict[int, tuple[Tensor, Tensor]]:
    """For every wa + wb its cells, [cell, 4]: i, wa, k, wb; and their numbers in the chart."""
    n, m = shape.n, shape.m
    i, wa, k, wb = (axis.ravel() for axis in np.mgrid[: n + 1, : n + 1, : m + 1, : m + 1])
    total = wa + wb
    number = np.flatnonzero((i + wa <= n) & (k + wb <= m) & (total > 1))
    number = number[np.argsort(total[number], kind="stable")]
    table = torch.as_tensor(np.stack([i, wa, k, wb], 1)[number].astype(np.int32)).to(device)
    numbers = torch.as_tensor(number).to(device)
    counts = np.bincount(total[number], minlength=n + m + 1)[2:].tolist()
    return dict(enumerate(zip(table.split(counts), numbers.split(counts), strict=True), start=2))


@triton.jit
def _offset(i, wa, k, wb, n, m):
    return ((i * (n + 1) + wa) * (m + 1) + k) * (m + 1) + wb


@triton.jit
def _leaf(i, k, n, m, DA: tl.constexpr, DB: tl.constexpr):
    """The number of the leaf of this kind at these places."""
    if DB == 0:
        return i * (m + 1) + k
    elif DA == 0:
        return n * (m + 1) + i * m + k
    else:
        return n * (m + 1) + (n + 1) * m + i * m + k


@triton.jit
def _load_split(splits, i, wa, k, wb, n, m):
    sa = splits // (wb + 1)
    sb = splits % (wb + 1)
    left = _offset(i, sa, k, sb, n, m)
    right = _offset(i + sa, wa - sa, k + sb, wb - sb, n, m)
    fits = (sa + sb > 1) & (wa - sa + wb - sb > 1) & (splits < (wa + 1) * (wb + 1))
    return left, right, fits


@triton.jit
def _leaf_scales(scales, leaf_scales, base, leaf_base, i, wa, k, wb, n, m, DA: tl.constexpr, DB: tl.constexpr, EMPTY_: tl.constexpr):
    """Log weights of a leaf of this kind on the left and on the right."""
    ok = (wa >= DA) & (wb >= DB) & (wa + wb - DA - DB > 1)
    behind = base + _offset(i + DA, wa - DA, k + DB, wb - DB, n, m)
    before = base + _offset(i, wa - DA, k, wb - DB, n, m)
    first = tl.load(leaf_scales + leaf_base + _leaf(i, k, n, m, DA, DB), mask=ok, other=EMPTY_)
    last = tl.load(leaf_scales + leaf_base + _leaf(i + wa - DA, k + wb - DB, n, m, DA, DB), mask=ok, other=EMPTY_)
    on_left = tl.load(scales + behind, mask=ok, other=EMPTY_) + first
    on_right = tl.load(scales + before, mask=ok, other=EMPTY_) + last
    return on_left, on_right


@triton.jit
def _leaf_values(value, values, left, right, base, leaf_base, i, wa, k, wb, n, m, on_left, on_right, top,
                 DA: tl.constexpr, DB: tl.constexpr, N: tl.constexpr, MAX: tl.constexpr, ZERO: tl.constexpr):
    ok = (wa >= DA) & (wb >= DB) & (wa + wb - DA - DB > 1)
    if ok:
        symbol = tl.arange(0, N)
        square = symbol[:, None] * N + symbol[None, :]
        behind = tl.load(values + (base + _offset(i + DA, wa - DA, k + DB, wb - DB, n, m)) * N + symbol)
        before = tl.load(values + (base + _offset(i, wa - DA, k, wb - DB, n, m)) * N + symbol)
        first = tl.load(left + (leaf_base + _leaf(i, k, n, m, DA, DB)) * N * N + square)
        last = tl.load(right + (leaf_base + _leaf(i + wa - DA, k + wb - DB, n, m, DA, DB)) * N * N + square)
        if MAX:
            one = tl.max(first + behind[None, :], 1) + (on_left - top)
            other = tl.max(last + before[None, :], 1) + (on_right - top)
            value = tl.maximum(value, tl.maximum(one, other))
        else:
            value += tl.sum(first * behind[None, :], 1) * tl.exp(on_left - top)
            value += tl.sum(last * before[None, :], 1) * tl.exp(on_right - top)
    return value


@triton.jit(do_not_specialize=_SIZES)
def _inside(cells, values, scales, left, right, leaf_scales, rules, outer, made, tops, n, m, all_cells, all_leaves, count,
            N: tl.constexpr, S: tl.constexpr, MAX: tl.constexpr, EMPTY_: tl.constexpr, PRECISION: tl.constexpr):
    cell = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i = tl.load(cells + cell * 4)
    wa = tl.load(cells + cell * 4 + 1)
    k = tl.load(cells + cell * 4 + 2)
    wb = tl.load(cells + cell * 4 + 3)
    base = item * all_cells
    leaf_base = item * all_leaves
    own = base + _offset(i, wa, k, wb, n, m)
    symbol = tl.arange(0, N)
    n_splits = (wa + 1) * (wb + 1)

    # the largest scale of all alternatives; what two leaves make was put into the cell beforehand
    own_scale = tl.load(scales + own)
    best = tl.full((S,), EMPTY_, tl.float32)
    for start in range(0, n_splits, S):
        l, r, fits = _load_split(start + tl.arange(0, S), i, wa, k, wb, n, m)
        sum_ = tl.load(scales + base + l, mask=fits, other=EMPTY_) + tl.load(scales + base + r, mask=fits, other=EMPTY_)
        best = tl.maximum(best, sum_)
    top = tl.maximum(tl.max(best, 0), own_scale)
    la, ra = _leaf_scales(scales, leaf_scales, base, leaf_base, i, wa, k, wb, n, m, 1, 0, EMPTY_)
    lb, rb = _leaf_scales(scales, leaf_scales, base, leaf_base, i, wa, k, wb, n, m, 0, 1, EMPTY_)
    lc, rc = _leaf_scales(scales, leaf_scales, base, leaf_base, i, wa, k, wb, n, m, 1, 1, EMPTY_)
    top = tl.maximum(top, tl.maximum(tl.maximum(la, ra), tl.maximum(tl.maximum(lb, rb), tl.maximum(lc, rc))))

    ZERO: tl.constexpr = EMPTY_ if MAX else 0.0
    value = tl.load(values + own * N + symbol)
    if MAX:
        value = value + (own_scale - top)
    else:
        value = value * tl.exp(own_scale - top)
    value = _leaf_values(value, values, left, right, base, leaf_base, i, wa, k, wb, n, m, la, ra, top, 1, 0, N, MAX, ZERO)
    value = _leaf_values(value, values, left, right, base, leaf_base, i, wa, k, wb, n, m, lb, rb, top, 0, 1, N, MAX, ZERO)
    value = _leaf_values(value, values, left, right, base, leaf_base, i, wa, k, wb, n, m, lc, rc, top, 1, 1, N, MAX, ZERO)

    product = tl.full((N, N), ZERO, tl.float32)
    if MAX:
        for split in range(0, n_splits):
            sa = split // (wb + 1)
            sb = split % (wb + 1)
            if (sa + sb > 1) & (wa - sa + wb - sb > 1):
                l = base + _offset(i, sa, k, sb, n, m)
                r = base + _offset(i + sa, wa - sa, k + sb, wb - sb, n, m)
                weight = tl.load(scales + l) + tl.load(scales + r) - top
                one = tl.load(values + l * N + symbol) + weight
                other = tl.load(values + r * N + symbol)
                product = tl.maximum(product, one[:, None] + other[None, :])
        square = symbol[:, None] * N + symbol[None, :]
        for a in range(0, N):
            best_of_rule = tl.max(tl.max(product + tl.load(rules + a * N * N + square), 1), 0)
            value = tl.where(symbol == a, tl.maximum(value, best_of_rule), value)
        most = tl.max(value, 0)
        tl.store(values + own * N + symbol, value - most)
        tl.store(scales + own, top + most)
    else:
        for start in range(0, n_splits, S):
            l, r, fits = _load_split(start + tl.arange(0, S), i, wa, k, wb, n, m)
            weight = tl.exp(
                tl.load(scales + base + l, mask=fits, other=EMPTY_)
                + tl.load(scales + base + r, mask=fits, other=EMPTY_) - top
            )
            rows = (base + l)[:, None] * N + symbol[None, :]
            one = tl.load(values + rows, mask=fits[:, None], other=0.0) * weight[:, None]
            rows = (base + r)[:, None] * N + symbol[None, :]
            other = tl.load(values + rows, mask=fits[:, None], other=0.0)
            product += tl.dot(tl.trans(one), other, input_precision=PRECISION)
        row = item * count + cell
        tl.store(outer + row * N * N + symbol[:, None] * N + symbol[None, :], product)
        tl.store(made + row * N + symbol, value)
        tl.store(tops + row, top)


@triton.jit(do_not_specialize=_SIZES)
def _finish(cells, values, scales, of_rules, made, tops, n, m, all_cells, count, N: tl.constexpr):
    """Adds what the rules made to what the leaves made, and takes the scale out."""
    cell = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i = tl.load(cells + cell * 4)
    wa = tl.load(cells + cell * 4 + 1)
    k = tl.load(cells + cell * 4 + 2)
    wb = tl.load(cells + cell * 4 + 3)
    own = item * all_cells + _offset(i, wa, k, wb, n, m)
    row = item * count + cell
    symbol = tl.arange(0, N)
    value = tl.load(of_rules + row * N + symbol) + tl.load(made + row * N + symbol)
    most = tl.max(value, 0)
    tl.store(values + own * N + symbol, value / most)
    tl.store(scales + own, tl.load(tops + row) + tl.log(most))


def inside(semiring: Semiring, parts: Parts, shape: Shape) -> Chart:
    """As `chart.inside`."""
    is_max = isinstance(semiring, Max)
    N = parts.rules.shape[0]
    chart = start_chart(semiring, parts, shape)
    batch, device = parts.leaf_scale.shape[0], parts.leaf_scale.device
    left, right, leaf_scales = parts.left.contiguous(), parts.right.contiguous(), parts.leaf_scale.contiguous()
    rules = parts.rules.contiguous()
    turned = rules.flatten(1).T.contiguous()
    all_cells = chart.scales[0].numel()
    nothing = rules.new_empty(1)
    for cells, _ in _cells(shape, device).values():
        count = len(cells)
        rows = batch * count
        outer = nothing if is_max else rules.new_empty(rows, N * N)
        made, tops = (nothing, nothing) if is_max else (rules.new_empty(rows, N), rules.new_empty(rows))
        sizes = (shape.n, shape.m, all_cells, leaf_scales.shape[1], count)
        _inside[(count, batch)](
            cells, chart.values, chart.scales, left, right, leaf_scales, rules, outer, made, tops, *sizes,
            N=N, S=_SPLITS, MAX=is_max, EMPTY_=EMPTY, PRECISION=_PRECISION, num_warps=_WARPS_MAX if is_max else _WARPS,
        )  # fmt: skip
        if not is_max:
            of_rules = outer @ turned
            _finish[(count, batch)](
                cells, chart.values, chart.scales, of_rules, made, tops, shape.n, shape.m, all_cells, count, N=N, num_warps=1,
            )  # fmt: skip
    return chart


@triton.jit(do_not_specialize=_SIZES)
def _outside(cells, values, scales, outer_values, left, right, leaf_scales, outer, back, n, m, all_cells, all_leaves, count,
             N: tl.constexpr, S: tl.constexpr, EMPTY_: tl.constexpr, LARGEST_: tl.constexpr, PRECISION: tl.constexpr):
    cell = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i = tl.load(cells + cell * 4)
    wa = tl.load(cells + cell * 4 + 1)
    k = tl.load(cells + cell * 4 + 2)
    wb = tl.load(cells + cell * 4 + 3)
    base = item * all_cells
    leaf_base = item * all_leaves
    own = base + _offset(i, wa, k, wb, n, m)
    symbol = tl.arange(0, N)
    square = symbol[:, None] * N + symbol[None, :]
    own_scale = tl.load(scales + own)
    row = item * count + cell
    to_parts = tl.load(back + row * N * N + square)  # [left symbol, right symbol]
    product = tl.zeros((N, N), tl.float32)
    for start in range(0, (wa + 1) * (wb + 1), S):
        l, r, fits = _load_split(start + tl.arange(0, S), i, wa, k, wb, n, m)
        weight = tl.exp(
            tl.load(scales + base + l, mask=fits, other=EMPTY_)
            + tl.load(scales + base + r, mask=fits, other=EMPTY_) - own_scale
        )
        lefts = (base + l)[:, None] * N + symbol[None, :]
        rights = (base + r)[:, None] * N + symbol[None, :]
        one = tl.load(values + lefts, mask=fits[:, None], other=0.0)
        other = tl.load(values + rights, mask=fits[:, None], other=0.0)
        weighed = one * weight[:, None]
        product += tl.dot(tl.trans(weighed), other, input_precision=PRECISION)
        to_left = tl.dot(other, tl.trans(to_parts), input_precision=PRECISION) * weight[:, None]
        to_right = tl.dot(weighed, to_parts, input_precision=PRECISION)
        tl.atomic_add(outer_values + lefts, to_left, mask=fits[:, None], sem="relaxed")
        tl.atomic_add(outer_values + rights, to_right, mask=fits[:, None], sem="relaxed")
    tl.store(outer + row * N * N + square, product)
    given = tl.minimum(tl.load(outer_values + own * N + symbol), LARGEST_)
    _leaf_back(values, scales, outer_values, left, right, leaf_scales, given, own_scale, base, leaf_base, i, wa, k, wb, n, m, 1, 0, N, EMPTY_)
    _leaf_back(values, scales, outer_values, left, right, leaf_scales, given, own_scale, base, leaf_base, i, wa, k, wb, n, m, 0, 1, N, EMPTY_)
    _leaf_back(values, scales, outer_values, left, right, leaf_scales, given, own_scale, base, leaf_base, i, wa, k, wb, n, m, 1, 1, N, EMPTY_)


@triton.jit
def _leaf_back(values, scales, outer_values, left, right, leaf_scales, given, own_scale, base, leaf_base, i, wa, k, wb, n, m,
               DA: tl.constexpr, DB: tl.constexpr, N: tl.constexpr, EMPTY_: tl.constexpr):
    """What the tree beside a leaf gets."""
    ok = (wa >= DA) & (wb >= DB) & (wa + wb - DA - DB > 1)
    if ok:
        symbol = tl.arange(0, N)
        square = symbol[:, None] * N + symbol[None, :]
        behind = base + _offset(i + DA, wa - DA, k + DB, wb - DB, n, m)
        before = base + _offset(i, wa - DA, k, wb - DB, n, m)
        one = leaf_base + _leaf(i, k, n, m, DA, DB)
        other = leaf_base + _leaf(i + wa - DA, k + wb - DB, n, m, DA, DB)
        weight = tl.exp(tl.load(leaf_scales + one) + tl.load(scales + behind) - own_scale)
        matrix = tl.load(left + one * N * N + square)
        tl.atomic_add(outer_values + behind * N + symbol, tl.sum(given[:, None] * matrix, 0) * weight, sem="relaxed")
        weight = tl.exp(tl.load(leaf_scales + other) + tl.load(scales + before) - own_scale)
        matrix = tl.load(right + other * N * N + square)
        tl.atomic_add(outer_values + before * N + symbol, tl.sum(given[:, None] * matrix, 0) * weight, sem="relaxed")


@triton.jit(do_not_specialize=_SIZES)
def _leaf_counts(leaf_places, values, scales, outer_values, leaf_scales, by_left, by_right, n, m, all_cells, all_leaves,
                 N: tl.constexpr, S: tl.constexpr, EMPTY_: tl.constexpr, LARGEST_: tl.constexpr, PRECISION: tl.constexpr):
    """The counts of one leaf beside all trees it may stand before, and behind."""
    leaf = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i = tl.load(leaf_places + leaf * 4)
    da = tl.load(leaf_places + leaf * 4 + 1)
    k = tl.load(leaf_places + leaf * 4 + 2)
    db = tl.load(leaf_places + leaf * 4 + 3)
    base = item * all_cells
    own = item * all_leaves + leaf
    own_scale = tl.load(leaf_scales + own)
    symbol = tl.arange(0, N)
    square = symbol[:, None] * N + symbol[None, :]

    on_left = tl.zeros((N, N), tl.float32)
    across = n + 1 - i - da  # widths that the tree behind can have in the first text
    up = m + 1 - k - db
    for start in range(0, across * up, S):
        number = start + tl.arange(0, S)
        wa = number // up
        wb = number % up
        fits = (number < across * up) & (wa + wb > 1)
        tree = base + _offset(i + da, wa, k + db, wb, n, m)
        whole = base + _offset(i, wa + da, k, wb + db, n, m)
        weight = tl.exp(
            tl.load(scales + tree, mask=fits, other=EMPTY_) + own_scale - tl.load(scales + whole, mask=fits, other=0.0)
        )
        given = tl.load(outer_values + whole[:, None] * N + symbol[None, :], mask=fits[:, None], other=0.0)
        given = tl.minimum(given, LARGEST_) * weight[:, None]
        trees = tl.load(values + tree[:, None] * N + symbol[None, :], mask=fits[:, None], other=0.0)
        on_left += tl.dot(tl.trans(given), trees, input_precision=PRECISION)
    tl.store(by_left + own * N * N + square, on_left)

    on_right = tl.zeros((N, N), tl.float32)
    for start in range(0, (i + 1) * (k + 1), S):  # widths of the tree before, which ends where the leaf begins
        number = start + tl.arange(0, S)
        wa = number // (k + 1)
        wb = number % (k + 1)
        fits = (number < (i + 1) * (k + 1)) & (wa + wb > 1)
        tree = base + _offset(i - wa, wa, k - wb, wb, n, m)
        whole = base + _offset(i - wa, wa + da, k - wb, wb + db, n, m)
        weight = tl.exp(
            tl.load(scales + tree, mask=fits, other=EMPTY_) + own_scale - tl.load(scales + whole, mask=fits, other=0.0)
        )
        given = tl.load(outer_values + whole[:, None] * N + symbol[None, :], mask=fits[:, None], other=0.0)
        given = tl.minimum(given, LARGEST_) * weight[:, None]
        trees = tl.load(values + tree[:, None] * N + symbol[None, :], mask=fits[:, None], other=0.0)
        on_right += tl.dot(tl.trans(given), trees, input_precision=PRECISION)
    tl.store(by_right + own * N * N + square, on_right)


@lru_cache(maxsize=1024)
def _leaf_places(shape: Shape, device: torch.device) -> Tensor:
    """Every leaf's place and widths, [leaf, 4]: i, da, k, db."""
    found = [
        (i, da, k, db) for da, db in KINDS for i in range(shape.n + 1 - da) for k in range(shape.m + 1 - db)
    ]
    return torch.tensor(found, dtype=torch.int32).to(device)


def outside(parts: Parts, shape: Shape, chart: Chart, outer_values: Tensor) -> Parts:
    """As `chart.outside`; sums of floats come in no fixed order, so the last digits may differ from run to run."""
    N = parts.rules.shape[0]
    batch, device = parts.leaf_scale.shape[0], parts.leaf_scale.device
    left, right, leaf_scales = parts.left.contiguous(), parts.right.contiguous(), parts.leaf_scale.contiguous()
    flat_rules = parts.rules.flatten(1).contiguous()
    all_cells, all_leaves = chart.scales[0].numel(), leaf_scales.shape[1]
    counts = zero_counts(parts)
    rules = counts.rules.flatten(1)
    flat = outer_values.view(batch, all_cells, N)
    for cells, numbers in reversed(_cells(shape, device).values()):
        count = len(cells)
        given = flat[:, numbers].clamp_(max=LARGEST).view(batch * count, N)
        back = given @ flat_rules
        outer = torch.empty_like(back)
        _outside[(count, batch)](
            cells, chart.values, chart.scales, outer_values, left, right, leaf_scales, outer, back,
            shape.n, shape.m, all_cells, all_leaves, count,
            N=N, S=_SPLITS, EMPTY_=EMPTY, LARGEST_=LARGEST, PRECISION=_PRECISION, num_warps=_WARPS_BACK,
        )  # fmt: skip
        rules.addmm_(given.T, outer)
    _leaf_counts[(all_leaves, batch)](
        _leaf_places(shape, device), chart.values, chart.scales, outer_values, leaf_scales, counts.left, counts.right,
        shape.n, shape.m, all_cells, all_leaves,
        N=N, S=_SPLITS, EMPTY_=EMPTY, LARGEST_=LARGEST, PRECISION=_PRECISION, num_warps=_WARPS,
    )  # fmt: skip
    count_two_leaves(parts, shape, chart, outer_values, counts)
    return counts
