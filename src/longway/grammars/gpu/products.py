"""Products of many rows with the rules, all cells of one width at once; and sums over the vocabulary.

    of_rules   [rows, N * N] @ [N * N, N]     up: outer products -> values
    to_parts   [rows, N] @ [N, N * N]         down: outside values -> gradients of the outer products
    count      [rows, N].T @ [rows, N * N]    down: outside values and outer products -> counts of the rules

They are too narrow for a library's fast path, and limited by reading the outer products: each is read once.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

# arguments that change with every batch: kernels are not specialized for their values
SIZES = ["n", "m", "all_cells", "all_leaves", "count", "rows"]
# products of 32-bit numbers on tensor cores, in three parts, almost without loss of precision
PRECISION = "tf32x3"
_FEW, _MANY = 16, 64  # rows of one program, if there are few or many of them
_SPREAD = 512  # programs that keep a GPU busy
_PARTS = (64, 256, 1024, 4096)  # rows that one program of `count` sums


@triton.jit(do_not_specialize=SIZES)
def _of_rules(left, right, made, rows, K: tl.constexpr, N: tl.constexpr, R: tl.constexpr, BK: tl.constexpr, PRECISION_: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    column = tl.arange(0, N)
    total = tl.zeros((R, N), tl.float32)
    for start in range(0, K, BK):
        inner = start + tl.arange(0, BK)
        one = tl.load(left + row[:, None] * K + inner[None, :], mask=(row < rows)[:, None], other=0.0)
        other = tl.load(right + inner[:, None] * N + column[None, :])
        total += tl.dot(one, other, input_precision=PRECISION_)
    tl.store(made + row[:, None] * N + column[None, :], total, mask=(row < rows)[:, None])


@triton.jit(do_not_specialize=SIZES)
def _to_parts(left, right, made, rows, N: tl.constexpr, K: tl.constexpr, R: tl.constexpr, BK: tl.constexpr, PRECISION_: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    inner = tl.arange(0, N)
    column = tl.program_id(1) * BK + tl.arange(0, BK)
    one = tl.load(left + row[:, None] * N + inner[None, :], mask=(row < rows)[:, None], other=0.0)
    other = tl.load(right + inner[:, None] * K + column[None, :])
    total = tl.dot(one, other, input_precision=PRECISION_)
    tl.store(made + row[:, None] * K + column[None, :], total, mask=(row < rows)[:, None])


@triton.jit(do_not_specialize=SIZES)
def _count(left, right, counts, rows, N: tl.constexpr, K: tl.constexpr, R: tl.constexpr, BK: tl.constexpr, PART: tl.constexpr, PRECISION_: tl.constexpr):  # fmt: skip
    column = tl.program_id(1) * BK + tl.arange(0, BK)
    symbol = tl.arange(0, N)
    total = tl.zeros((N, BK), tl.float32)
    first = tl.program_id(0).to(tl.int64) * PART
    for start in range(0, PART, R):
        row = first + start + tl.arange(0, R)
        one = tl.load(left + row[:, None] * N + symbol[None, :], mask=(row < rows)[:, None], other=0.0)
        other = tl.load(right + row[:, None] * K + column[None, :], mask=(row < rows)[:, None], other=0.0)
        total += tl.dot(tl.trans(one), other, input_precision=PRECISION_)
    tl.atomic_add(counts + symbol[:, None] * K + column[None, :], total, sem="relaxed")


@triton.jit(do_not_specialize=SIZES)
def _max_product(left, right, made, rows, columns, K: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    column = tl.program_id(1) * C + tl.arange(0, C)
    best = tl.full((R, C), -float("inf"), tl.float32)
    for k in range(0, K):
        one = tl.load(left + row * K + k, mask=row < rows, other=0.0)
        other = tl.load(right + k * columns + column, mask=column < columns, other=0.0)
        best = tl.maximum(best, one[:, None] + other[None, :])
    fits = (row < rows)[:, None] & (column < columns)[None, :]
    tl.store(made + row[:, None] * columns + column[None, :], best, mask=fits)


def _rows(rows: int) -> int:
    """The rows of one program."""
    return _FEW if rows < _MANY * _SPREAD else _MANY


def of_rules(outer: Tensor, rules: Tensor) -> Tensor:
    """outer [rows, N * N] @ rules [N * N, N]."""
    rows, K = outer.shape
    N = rules.shape[1]
    made = outer.new_empty(rows, N)
    high = _rows(rows)
    _of_rules[(triton.cdiv(rows, high),)](
        outer, rules, made, rows, K=K, N=N, R=high, BK=64, PRECISION_=PRECISION, num_warps=4
    )
    return made


def to_parts(given: Tensor, rules: Tensor) -> Tensor:
    """given [rows, N] @ rules [N, N * N]."""
    rows, N = given.shape
    K = rules.shape[1]
    made = given.new_empty(rows, K)
    high = _rows(8 * rows)
    _to_parts[(triton.cdiv(rows, high), K // 128)](
        given, rules, made, rows, N=N, K=K, R=high, BK=128, PRECISION_=PRECISION, num_warps=4
    )
    return made


def count(given: Tensor, outer: Tensor, counts: Tensor) -> None:
    """counts [N, N * N] += given.T @ outer."""
    rows, N = given.shape
    K = outer.shape[1]
    part = next((part for part in _PARTS if triton.cdiv(rows, part) * (K // 128) <= _SPREAD), _PARTS[-1])
    _count[(triton.cdiv(rows, part), K // 128)](
        given, outer, counts, rows, N=N, K=K, R=32, BK=128, PART=part, PRECISION_=PRECISION, num_warps=4
    )


def max_product(left: Tensor, right: Tensor) -> Tensor:
    """The product of rows [..., K] with one matrix [K, columns], with maxima instead of sums."""
    flat, columns = left.reshape(-1, left.shape[-1]).contiguous(), right.shape[1]
    rows, K = flat.shape
    made = torch.empty(rows, columns, dtype=left.dtype, device=left.device)
    high, width, warps = (64, 32, 2) if columns <= 32 else (32, 128, 4)
    grid = (triton.cdiv(rows, high), triton.cdiv(columns, width))
    _max_product[grid](flat, right.contiguous(), made, rows, columns, K=K, R=high, C=width, num_warps=warps)
    return made.view(*left.shape[:-1], -1)


# ---- sums over the vocabulary: twins of `model.py`, which needs four passes over the logits instead of one ----------------

_BLOCK = 2048


@triton.jit
def _totals(logits, without, totals, words, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    left_out = tl.load(without + row)
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, words, BLOCK):
        word = start + tl.arange(0, BLOCK)
        value = tl.load(
            logits + row * words + word, mask=(word < words) & (word != left_out), other=-float("inf")
        )
        higher = tl.maximum(tl.maximum(most, value), -1e30)
        total = total * tl.exp(most - higher) + tl.exp(value - higher)
        most = higher
    top = tl.max(most, 0)
    tl.store(totals + row, top + tl.log(tl.sum(total * tl.exp(most - top), 0)))


@triton.jit
def _shares(logits, without, totals, given, words, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    left_out = tl.load(without + row)
    total = tl.load(totals + row)
    factor = tl.load(given + row)
    word = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    place = logits + row * words + word
    value = tl.load(place, mask=word < words, other=0.0)
    share = tl.where(word == left_out, 0.0, tl.exp(value - total) * factor)
    tl.store(place, share, mask=word < words)


def log_totals(logits: Tensor, without: Tensor) -> Tensor:
    """For each row the log of the sum of exp, without one column (none if it is past the last)."""
    totals = torch.empty_like(logits[:, 0])
    _totals[(len(logits),)](logits, without, totals, logits.shape[1], BLOCK=_BLOCK, num_warps=8)
    return totals


def shares_(logits: Tensor, without: Tensor, totals: Tensor, given: Tensor) -> Tensor:
    """exp(logits - totals) * given, in place, zero in the left-out column."""
    grid = (len(logits), triton.cdiv(logits.shape[1], _BLOCK))
    _shares[grid](logits, without, totals, given.contiguous(), logits.shape[1], BLOCK=_BLOCK, num_warps=8)
    return logits
