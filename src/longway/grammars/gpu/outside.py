"""The outside pass on a GPU: outside values of all cells, large ones first, and the counts of rules and leaves."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from longway.grammars.chart import LARGEST, ChartParts, ParseChart, Shape, zero_counts
from longway.grammars.gpu.layout import (
    cells_by_width,
    is_beyond,
    leaf_at,
    leaf_places,
    offset,
    parts_of,
    place_of,
    rows_at,
)
from longway.grammars.gpu.products import PRECISION, SIZES, to_parts
from longway.grammars.gpu.products import count as count_rules
from longway.grammars.semiring import EMPTY

_SPLITS = 16  # splits, or trees beside a leaf, multiplied at once


@triton.jit(do_not_specialize=SIZES)
def _outside(cells, lengths, values, scales, outer_values, left, right, leaf_scales, outer, back, n, m, all_cells, all_leaves, count,
             N: tl.constexpr, S: tl.constexpr, EMPTY_: tl.constexpr, LARGEST_: tl.constexpr, PRECISION: tl.constexpr):  # fmt: skip
    """A cell's outer products again, and the outside values of its parts."""
    cell = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i, wa, k, wb = place_of(cells, cell)
    base = item * all_cells
    leaf_base = item * all_leaves
    own = base + offset(i, wa, k, wb, n, m)
    symbol = tl.arange(0, N)
    square = symbol[:, None] * N + symbol[None, :]
    row = item * count + cell
    if is_beyond(lengths, item, i, wa, k, wb):
        tl.store(outer + row * N * N + square, tl.zeros((N, N), tl.float32))
        return
    own_scale = tl.load(scales + own)
    to_parts = tl.load(back + row * N * N + square)  # [left symbol, right symbol]
    product = tl.zeros((N, N), tl.float32)
    for start in range(0, (wa + 1) * (wb + 1), S):
        one_, other_, fits = parts_of(start + tl.arange(0, S), i, wa, k, wb, n, m)
        weight = tl.exp(
            tl.load(scales + base + one_, mask=fits, other=EMPTY_)
            + tl.load(scales + base + other_, mask=fits, other=EMPTY_)
            - own_scale
        )
        lefts = (base + one_)[:, None] * N + symbol[None, :]
        rights = (base + other_)[:, None] * N + symbol[None, :]
        one = rows_at(values, base + one_, fits, N)
        other = rows_at(values, base + other_, fits, N)
        weighed = one * weight[:, None]
        product += tl.dot(tl.trans(weighed), other, input_precision=PRECISION)
        to_left = tl.dot(other, tl.trans(to_parts), input_precision=PRECISION) * weight[:, None]
        to_right = tl.dot(weighed, to_parts, input_precision=PRECISION)
        tl.atomic_add(outer_values + lefts, to_left, mask=fits[:, None], sem="relaxed")
        tl.atomic_add(outer_values + rights, to_right, mask=fits[:, None], sem="relaxed")
    tl.store(outer + row * N * N + square, product)
    given = tl.minimum(tl.load(outer_values + own * N + symbol), LARGEST_)
    _leaf_back(scales, outer_values, left, right, leaf_scales, given, own_scale, base, leaf_base, i, wa, k, wb, n, m, 1, 0, N)  # fmt: skip
    _leaf_back(scales, outer_values, left, right, leaf_scales, given, own_scale, base, leaf_base, i, wa, k, wb, n, m, 0, 1, N)  # fmt: skip
    _leaf_back(scales, outer_values, left, right, leaf_scales, given, own_scale, base, leaf_base, i, wa, k, wb, n, m, 1, 1, N)  # fmt: skip


@triton.jit
def _leaf_back(scales, outer_values, left, right, leaf_scales, given, own_scale, base, leaf_base, i, wa, k, wb, n, m,
               DA: tl.constexpr, DB: tl.constexpr, N: tl.constexpr):  # fmt: skip
    """The outside value of the tree beside a leaf."""
    ok = (wa >= DA) & (wb >= DB) & (wa + wb - DA - DB > 1)
    if ok:
        symbol = tl.arange(0, N)
        square = symbol[:, None] * N + symbol[None, :]
        behind = base + offset(i + DA, wa - DA, k + DB, wb - DB, n, m)
        before = base + offset(i, wa - DA, k, wb - DB, n, m)
        one = leaf_base + leaf_at(i, k, n, m, DA, DB)
        other = leaf_base + leaf_at(i + wa - DA, k + wb - DB, n, m, DA, DB)
        weight = tl.exp(tl.load(leaf_scales + one) + tl.load(scales + behind) - own_scale)
        matrix = tl.load(left + one * N * N + square)
        tl.atomic_add(
            outer_values + behind * N + symbol, tl.sum(given[:, None] * matrix, 0) * weight, sem="relaxed"
        )
        weight = tl.exp(tl.load(leaf_scales + other) + tl.load(scales + before) - own_scale)
        matrix = tl.load(right + other * N * N + square)
        tl.atomic_add(
            outer_values + before * N + symbol, tl.sum(given[:, None] * matrix, 0) * weight, sem="relaxed"
        )


@triton.jit
def _with_trees(values, scales, outer_values, tree, whole, fits, own_scale,
                N: tl.constexpr, EMPTY_: tl.constexpr, LARGEST_: tl.constexpr, PRECISION: tl.constexpr):  # fmt: skip
    """The outside values of cells of one leaf and a tree, times their trees: [symbol of the cell, of the tree]."""
    scale = tl.load(scales + tree, mask=fits, other=EMPTY_) + own_scale
    weight = tl.exp(scale - tl.load(scales + whole, mask=fits, other=0.0))
    given = tl.minimum(rows_at(outer_values, whole, fits, N), LARGEST_) * weight[:, None]
    return tl.dot(tl.trans(given), rows_at(values, tree, fits, N), input_precision=PRECISION)


@triton.jit(do_not_specialize=SIZES)
def _leaf_counts(places, lengths, values, scales, outer_values, leaf_scales, by_left, by_right, n, m, all_cells, all_leaves,
                 N: tl.constexpr, S: tl.constexpr, EMPTY_: tl.constexpr, LARGEST_: tl.constexpr, PRECISION: tl.constexpr):  # fmt: skip
    """The counts of one leaf before and after all trees."""
    leaf = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i, da, k, db = place_of(places, leaf)
    base = item * all_cells
    if is_beyond(lengths, item, i, da, k, db):
        return  # its counts are zero already
    n_own = tl.load(lengths + item * 2)
    m_own = tl.load(lengths + item * 2 + 1)
    own = item * all_leaves + leaf
    own_scale = tl.load(leaf_scales + own)
    symbol = tl.arange(0, N)
    square = symbol[:, None] * N + symbol[None, :]

    on_left = tl.zeros((N, N), tl.float32)
    across = n_own + 1 - i - da  # possible widths of the tree after it in the first text
    up = m_own + 1 - k - db
    for start in range(0, across * up, S):
        number = start + tl.arange(0, S)
        wa = number // up
        wb = number % up
        fits = (number < across * up) & (wa + wb > 1)
        tree = base + offset(i + da, wa, k + db, wb, n, m)
        whole = base + offset(i, wa + da, k, wb + db, n, m)
        on_left += _with_trees(values, scales, outer_values, tree, whole, fits, own_scale, N, EMPTY_, LARGEST_, PRECISION)  # fmt: skip
    tl.store(by_left + own * N * N + square, on_left)

    on_right = tl.zeros((N, N), tl.float32)
    # widths of the tree before it, which ends at the leaf
    for start in range(0, (i + 1) * (k + 1), S):
        number = start + tl.arange(0, S)
        wa = number // (k + 1)
        wb = number % (k + 1)
        fits = (number < (i + 1) * (k + 1)) & (wa + wb > 1)
        tree = base + offset(i - wa, wa, k - wb, wb, n, m)
        whole = base + offset(i - wa, wa + da, k - wb, wb + db, n, m)
        on_right += _with_trees(values, scales, outer_values, tree, whole, fits, own_scale, N, EMPTY_, LARGEST_, PRECISION)  # fmt: skip
    tl.store(by_right + own * N * N + square, on_right)


@triton.jit
def _beside(scales, outer_values, leaf_scales, base, leaf_base, i, wa, k, wb, one, other, n, m,
            N: tl.constexpr, LARGEST_: tl.constexpr):  # fmt: skip
    """The outside value of a cell of two leaves, times their weight in it."""
    own = base + offset(i, wa, k, wb, n, m)
    scale = tl.load(leaf_scales + leaf_base + one) + tl.load(leaf_scales + leaf_base + other)
    weight = tl.exp(scale - tl.load(scales + own))
    given = tl.load(outer_values + own * N + tl.arange(0, N))
    return tl.minimum(given, LARGEST_) * weight


@triton.jit
def _with_leaf(matrix, vector, scales, outer_values, left_of_leaf, leaf_values, leaf_scales, base, leaf_base,
               leaf, i, da, k, db, n, m, n_own, m_own,
               EA: tl.constexpr, EB: tl.constexpr, N: tl.constexpr, P: tl.constexpr, LARGEST_: tl.constexpr):  # fmt: skip
    """Adds the counts of a leaf with a leaf of the given kind after it, and with one before it."""
    symbol, word = tl.arange(0, N), tl.arange(0, P)
    if (i + da + EA <= n_own) & (k + db + EB <= m_own):
        other = leaf_at(i + da, k + db, n, m, EA, EB)
        given = _beside(scales, outer_values, leaf_scales, base, leaf_base, i, da + EA, k, db + EB, leaf, other, n, m, N, LARGEST_)  # fmt: skip
        values = tl.load(leaf_values + (leaf_base + other) * P + word)
        matrix += given[:, None] * values[None, :]
    if (i >= EA) & (k >= EB):
        one = leaf_at(i - EA, k - EB, n, m, EA, EB)
        given = _beside(scales, outer_values, leaf_scales, base, leaf_base, i - EA, da + EA, k - EB, db + EB, one, leaf, n, m, N, LARGEST_)  # fmt: skip
        square = symbol[:, None] * P + word[None, :]
        vector += tl.sum(given[:, None] * tl.load(left_of_leaf + (leaf_base + one) * N * P + square), 0)
    return matrix, vector


@triton.jit(do_not_specialize=SIZES)
def _two_leaf_counts(places, lengths, scales, outer_values, left_of_leaf, leaf_values, leaf_scales, by_left, by_leaf,
                     n, m, all_cells, all_leaves, N: tl.constexpr, P: tl.constexpr, LARGEST_: tl.constexpr):  # fmt: skip
    """The counts of one leaf before other leaves (as a matrix), and after them (as a vector)."""
    leaf = tl.program_id(0)
    item = tl.program_id(1).to(tl.int64)
    i, da, k, db = place_of(places, leaf)
    base = item * all_cells
    if is_beyond(lengths, item, i, da, k, db):
        return
    n_own = tl.load(lengths + item * 2)
    m_own = tl.load(lengths + item * 2 + 1)
    leaf_base = item * all_leaves
    symbol, word = tl.arange(0, N), tl.arange(0, P)
    square = symbol[:, None] * P + word[None, :]
    matrix = tl.zeros((N, P), tl.float32)
    vector = tl.zeros((P,), tl.float32)
    matrix, vector = _with_leaf(
        matrix, vector, scales, outer_values, left_of_leaf, leaf_values, leaf_scales, base, leaf_base,
        leaf, i, da, k, db, n, m, n_own, m_own, 1, 0, N, P, LARGEST_,
    )  # fmt: skip
    matrix, vector = _with_leaf(
        matrix, vector, scales, outer_values, left_of_leaf, leaf_values, leaf_scales, base, leaf_base,
        leaf, i, da, k, db, n, m, n_own, m_own, 0, 1, N, P, LARGEST_,
    )  # fmt: skip
    matrix, vector = _with_leaf(
        matrix, vector, scales, outer_values, left_of_leaf, leaf_values, leaf_scales, base, leaf_base,
        leaf, i, da, k, db, n, m, n_own, m_own, 1, 1, N, P, LARGEST_,
    )  # fmt: skip
    tl.store(by_left + (leaf_base + leaf) * N * P + square, matrix)
    tl.store(by_leaf + (leaf_base + leaf) * P + word, vector)


def outside(parts: ChartParts, shape: Shape, chart: ParseChart, outer_values: Tensor) -> ChartParts:
    """As `chart.outside`; floats are summed in no fixed order, so the last digits may differ between runs."""
    N = parts.rules.shape[0]
    batch, device = parts.leaf_scale.shape[0], parts.leaf_scale.device
    left, right, leaf_scales = (
        parts.left.contiguous(),
        parts.right.contiguous(),
        parts.leaf_scale.contiguous(),
    )
    lengths = parts.lengths.int().contiguous()
    flat_rules = parts.rules.flatten(1).contiguous()
    all_cells, all_leaves = chart.scales[0].numel(), leaf_scales.shape[1]
    counts = zero_counts(parts)
    flat = outer_values.view(batch, all_cells, N)
    for cells, numbers in reversed(cells_by_width(shape, device).values()):
        count = len(cells)
        given = flat[:, numbers].clamp_(max=LARGEST).view(batch * count, N)
        back = to_parts(given, flat_rules)
        outer = back.new_empty(back.shape)
        _outside[(count, batch)](
            cells, lengths, chart.values, chart.scales, outer_values, left, right, leaf_scales, outer, back,
            shape.n, shape.m, all_cells, all_leaves, count,
            N=N, S=_SPLITS, EMPTY_=EMPTY, LARGEST_=LARGEST, PRECISION=PRECISION, num_warps=2,
        )  # fmt: skip
        count_rules(given, outer, counts.rules)
    places = leaf_places(shape, device)
    _leaf_counts[(all_leaves, batch)](
        places, lengths, chart.values, chart.scales, outer_values, leaf_scales, counts.left, counts.right,
        shape.n, shape.m, all_cells, all_leaves,
        N=N, S=_SPLITS, EMPTY_=EMPTY, LARGEST_=LARGEST, PRECISION=PRECISION, num_warps=2,
    )  # fmt: skip
    _two_leaf_counts[(all_leaves, batch)](
        places, lengths, chart.scales, outer_values, parts.left_of_leaf, parts.leaf, leaf_scales,
        counts.left_of_leaf, counts.leaf, shape.n, shape.m, all_cells, all_leaves,
        N=N, P=parts.leaf.shape[-1], LARGEST_=LARGEST, num_warps=4,
    )  # fmt: skip
    return counts
