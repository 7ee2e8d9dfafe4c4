"""The backtrace to one tree on a GPU: one program per item, which processes its own list of nodes."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from longway.grammars.chart import ParseChart, Rules, Shape
from longway.grammars.gpu.layout import leaf_at, offset
from longway.grammars.gpu.products import SIZES
from longway.grammars.semiring import EMPTY, MaxSemiring, SampleSemiring, Semiring


@triton.jit
def _noise(seed, number, MAX: tl.constexpr):
    """Zero, or Gumbel noise: the maximum of logs plus noise is a draw by their weights."""
    if MAX:
        return number * 0.0
    else:
        return -tl.log(-tl.log(tl.maximum(tl.rand(seed, number), 1e-10)))


@triton.jit
def _take(best, code, weights, first):
    """The better of the best so far and the best of a tile, whose codes start at `first`."""
    most = tl.max(tl.max(weights, 1), 0)
    rows: tl.constexpr = weights.shape[0]
    columns: tl.constexpr = weights.shape[1]
    number = tl.arange(0, rows)[:, None] * columns + tl.arange(0, columns)[None, :]
    where = tl.min(tl.min(tl.where(weights == most, number, rows * columns), 1), 0)
    better = most > best
    return tl.where(better, most, best), tl.where(better, first + where, code)


@triton.jit
def _trees(values, scales, place, N: tl.constexpr, MAX: tl.constexpr):
    row = tl.load(values + place * N + tl.arange(0, N))
    scale = tl.load(scales + place)
    if MAX:
        return row + scale
    else:
        return tl.log(tl.maximum(row, 1e-37)) + scale


@triton.jit
def _leaf_blocks(best, code, binary, values, scales, leaves, base, leaf_base, i, wa, k, wb, a, n, m, seed, first,
                 DA: tl.constexpr, DB: tl.constexpr, N: tl.constexpr, P: tl.constexpr, MAX: tl.constexpr):  # fmt: skip
    """The three blocks of alternatives with a leaf of this kind on the left or on the right."""
    tree, word = tl.arange(0, N), tl.arange(0, P)
    own = binary + a * (N + P) * (N + P)
    ra, rb = wa - DA, wb - DB
    if (ra >= 0) & (rb >= 0) & (ra + rb > 0):
        one = tl.load(leaves + (leaf_base + leaf_at(i, k, n, m, DA, DB)) * P + word)
        last = tl.load(leaves + (leaf_base + leaf_at(i + ra, k + rb, n, m, DA, DB)) * P + word)
        if ra + rb > 1:
            rest = _trees(values, scales, base + offset(i + DA, ra, k + DB, rb, n, m), N, MAX)
            rule = tl.load(own + (N + word)[:, None] * (N + P) + tree[None, :])
            number = first + word[:, None] * N + tree[None, :]
            best, code = _take(
                best, code, one[:, None] + rest[None, :] + rule + _noise(seed, (1 << 24) + number, MAX), first
            )
            rest = _trees(values, scales, base + offset(i, ra, k, rb, n, m), N, MAX)
            rule = tl.load(own + tree[:, None] * (N + P) + (N + word)[None, :])
            start = first + P * N
            number = start + tree[:, None] * P + word[None, :]
            best, code = _take(
                best,
                code,
                rest[:, None] + last[None, :] + rule + _noise(seed, (1 << 24) + number, MAX),
                start,
            )
        if (ra <= 1) & (rb <= 1):
            place = tl.where(
                rb == 0,
                leaf_at(i + DA, k + DB, n, m, 1, 0),
                tl.where(ra == 0, leaf_at(i + DA, k + DB, n, m, 0, 1), leaf_at(i + DA, k + DB, n, m, 1, 1)),
            )
            other = tl.load(leaves + (leaf_base + place) * P + word)
            rule = tl.load(own + (N + word)[:, None] * (N + P) + (N + word)[None, :])
            start = first + 2 * P * N
            number = start + word[:, None] * P + word[None, :]
            best, code = _take(
                best,
                code,
                one[:, None] + other[None, :] + rule + _noise(seed, (1 << 24) + number, MAX),
                start,
            )
    return best, code


@triton.jit(do_not_specialize=[*SIZES, "room", "seed"])
def _descend(nodes, roots, binary, values, scales, leaves, n, m, all_cells, all_leaves, room, seed,
             N: tl.constexpr, P: tl.constexpr, MAX: tl.constexpr, EMPTY_: tl.constexpr):  # fmt: skip
    item = tl.program_id(0).to(tl.int64)
    base, leaf_base = item * all_cells, item * all_leaves
    tree = tl.arange(0, N)
    square = tree[:, None] * N + tree[None, :]
    column = tl.arange(0, 8)
    tl.store(nodes + item * room * 8 + column, tl.load(roots + item * 8 + column))
    tl.debug_barrier()
    count = tl.load(roots + item * 8 + 7)  # one
    at = count * 0
    while at < count:
        node = nodes + (item * room + at) * 8
        i = tl.load(node)
        wa = tl.load(node + 1)
        k = tl.load(node + 2)
        wb = tl.load(node + 3)
        a = tl.load(node + 4)
        if a < N:
            own_seed = seed + (item * room + at).to(tl.int32)  # every node draws its own noise
            # both parts are trees: for every pair of symbols the best split, then the best pair
            tile = tl.full((N, N), EMPTY_ * 4, tl.float32)
            cuts = tl.zeros((N, N), tl.int32)
            for cut in range(0, (wa + 1) * (wb + 1)):
                sa = cut // (wb + 1)
                sb = cut % (wb + 1)
                if (sa + sb > 1) & (wa - sa + wb - sb > 1):
                    one = _trees(values, scales, base + offset(i, sa, k, sb, n, m), N, MAX)
                    other = _trees(
                        values, scales, base + offset(i + sa, wa - sa, k + sb, wb - sb, n, m), N, MAX
                    )
                    weight = one[:, None] + other[None, :] + _noise(own_seed, cut * N * N + square, MAX)
                    cuts = tl.where(weight > tile, cut, cuts)
                    tile = tl.maximum(tile, weight)
            rule = tl.load(binary + a * (N + P) * (N + P) + tree[:, None] * (N + P) + tree[None, :])
            best, code = _take(tl.max(tl.max(tile, 1), 0) * 0 + EMPTY_ * 8, at * 0, tile + rule, 0)
            cut = tl.sum(tl.sum(tl.where(square == code, cuts, 0), 1), 0)
            # one or both parts are leaves
            size: tl.constexpr = 2 * N * P + P * P
            more: tl.constexpr = N * N
            best, code = _leaf_blocks(best, code, binary, values, scales, leaves, base, leaf_base, i, wa, k, wb, a, n, m, own_seed, more, 1, 0, N, P, MAX)  # fmt: skip
            best, code = _leaf_blocks(best, code, binary, values, scales, leaves, base, leaf_base, i, wa, k, wb, a, n, m, own_seed, more + size, 0, 1, N, P, MAX)  # fmt: skip
            best, code = _leaf_blocks(best, code, binary, values, scales, leaves, base, leaf_base, i, wa, k, wb, a, n, m, own_seed, more + 2 * size, 1, 1, N, P, MAX)  # fmt: skip
            sa, sb = cut // (wb + 1), cut % (wb + 1)
            left, right = code // N, code % N
            if code >= more:
                kind = (code - more) // size
                inner = (code - more) % size
                da, db = tl.where(kind == 1, 0, 1), tl.where(kind == 0, 0, 1)
                if inner < N * P:  # leaf, tree
                    sa, sb, left, right = da, db, N + inner // N, inner % N
                elif inner < 2 * N * P:  # tree, leaf
                    inner -= N * P
                    sa, sb, left, right = wa - da, wb - db, inner // P, N + inner % P
                else:
                    inner -= 2 * N * P
                    sa, sb, left, right = da, db, N + inner // P, N + inner % P
            made = nodes + (item * room + count) * 8
            tl.store(made, i)
            tl.store(made + 1, sa)
            tl.store(made + 2, k)
            tl.store(made + 3, sb)
            tl.store(made + 4, left)
            tl.store(made + 5, at)
            tl.store(made + 8, i + sa)
            tl.store(made + 9, wa - sa)
            tl.store(made + 10, k + sb)
            tl.store(made + 11, wb - sb)
            tl.store(made + 12, right)
            tl.store(made + 13, at)
            tl.debug_barrier()  # all threads read next what one wrote
            count += 2
        at += 1
    tl.store(roots + item * 8 + 7, count)


def backtrace(
    semiring: Semiring,
    rules: Rules,
    leaves: Tensor,
    lengths: Tensor,
    shape: Shape,
    chart: ParseChart,
    symbols: Tensor,
) -> Tensor:
    """As `backtrace.backtrace`, for given symbols of the roots."""
    N, P = rules.nonterminals, leaves.shape[-1]
    batch = len(lengths)
    room = 2 * (shape.n + shape.m) - 1  # maximum number of nodes of a tree
    zero, one = torch.zeros_like(symbols), torch.ones_like(symbols)
    roots = (
        torch.stack([zero, lengths[:, 0], zero, lengths[:, 1], symbols, -one, zero, one], 1)
        .int()
        .contiguous()
    )
    nodes = torch.zeros(batch, room, 8, dtype=torch.int32, device=leaves.device)
    is_max = isinstance(semiring, MaxSemiring)
    generator = semiring.generator if isinstance(semiring, SampleSemiring) else None
    seed = 0 if is_max else int(torch.randint(1 << 30, (), generator=generator, device=leaves.device))
    _descend[(batch,)](
        nodes, roots, rules.binary.contiguous(), chart.values, chart.scales, leaves.contiguous(),
        shape.n, shape.m, chart.scales[0].numel(), leaves.shape[1], room, seed,
        N=N, P=P, MAX=is_max, EMPTY_=EMPTY, num_warps=4,
    )  # fmt: skip
    item = torch.arange(batch, device=leaves.device).unsqueeze(1).expand(-1, room)
    row = torch.arange(room, device=leaves.device).unsqueeze(0)
    exists = row < roots[:, 7:8]
    first = torch.cumsum(roots[:, 7], 0) - roots[:, 7]  # the index of each item's root among all nodes
    parent = torch.where(nodes[..., 5] < 0, -1, nodes[..., 5] + first.unsqueeze(1))
    result = torch.stack([item, *nodes[..., :5].unbind(-1), parent], -1)
    return result[exists].long()
