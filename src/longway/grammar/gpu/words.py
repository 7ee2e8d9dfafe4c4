"""Sums over all words of a vocabulary on a GPU, each in one pass over the logits.

Twins of the plain lines in `model.py`, which need four passes for the same numbers.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

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
    """For each row the log of the sum of exp, one column left out (none where it is past the last)."""
    totals = torch.empty_like(logits[:, 0])
    _totals[(len(logits),)](logits, without, totals, logits.shape[1], BLOCK=_BLOCK, num_warps=8)
    return totals


def shares_(logits: Tensor, without: Tensor, totals: Tensor, given: Tensor) -> Tensor:
    """exp(logits - totals) * given, in place, zero in the column that is left out."""
    grid = (len(logits), triton.cdiv(logits.shape[1], _BLOCK))
    _shares[grid](logits, without, totals, given.contiguous(), logits.shape[1], BLOCK=_BLOCK, num_warps=8)
    return logits
