"""The memory layout of a chart's cells and leaves, for the kernels.

chart     [item, i, wa, k, wb, symbol]
leaves    [item, leaf, ...]: all (word, ε) by i and k, then all (ε, word), then all (word, word)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
import triton
import triton.language as tl
from torch import Tensor

from longway.grammars.chart import KINDS, Shape


@lru_cache(maxsize=1024)
def cells_by_width(shape: Shape, device: torch.device) -> dict[int, tuple[Tensor, Tensor]]:
    """For every wa + wb its cells, [cell, 4]: i, wa, k, wb; and their indices in the chart."""
    n, m = shape.n, shape.m
    i, wa, k, wb = (axis.ravel() for axis in np.mgrid[: n + 1, : n + 1, : m + 1, : m + 1])
    total = wa + wb
    number = np.flatnonzero((i + wa <= n) & (k + wb <= m) & (total > 1))
    number = number[np.argsort(total[number], kind="stable")]
    table = torch.as_tensor(np.stack([i, wa, k, wb], 1)[number].astype(np.int32)).to(device)
    numbers = torch.as_tensor(number).to(device)
    counts = np.bincount(total[number], minlength=n + m + 1)[2:].tolist()
    return dict(enumerate(zip(table.split(counts), numbers.split(counts), strict=True), start=2))


@lru_cache(maxsize=1024)
def leaf_places(shape: Shape, device: torch.device) -> Tensor:
    """Every leaf's position and widths, [leaf, 4]: i, da, k, db."""
    found = [
        (i, da, k, db) for da, db in KINDS for i in range(shape.n + 1 - da) for k in range(shape.m + 1 - db)
    ]
    return torch.tensor(found, dtype=torch.int32).to(device)


@triton.jit
def place_of(table, number):
    """A row of `cells_by_width` (i, wa, k, wb) or of `leaf_places` (i, da, k, db)."""
    row = table + number * 4
    return tl.load(row), tl.load(row + 1), tl.load(row + 2), tl.load(row + 3)


@triton.jit
def is_beyond(lengths, item, i, wa, k, wb):
    """Whether a cell extends beyond the item's own words, into padding that is never read."""
    return (i + wa > tl.load(lengths + item * 2)) | (k + wb > tl.load(lengths + item * 2 + 1))


@triton.jit
def rows_at(values, cells, fits, N: tl.constexpr):
    """The values of some cells, [cell, symbol]; zeros for cells that do not exist."""
    return tl.load(values + cells[:, None] * N + tl.arange(0, N)[None, :], mask=fits[:, None], other=0.0)


@triton.jit
def offset(i, wa, k, wb, n, m):
    """The index of a cell within its item."""
    return ((i * (n + 1) + wa) * (m + 1) + k) * (m + 1) + wb


@triton.jit
def leaf_at(i, k, n, m, DA: tl.constexpr, DB: tl.constexpr):
    """The index of the leaf of this kind at these positions."""
    if DB == 0:
        return i * (m + 1) + k
    elif DA == 0:
        return n * (m + 1) + i * m + k
    else:
        return n * (m + 1) + (n + 1) * m + i * m + k


@triton.jit
def parts_of(splits, i, wa, k, wb, n, m):
    """The indices of both parts of some splits of a cell, and which splits make two trees."""
    sa = splits // (wb + 1)
    sb = splits % (wb + 1)
    left = offset(i, sa, k, sb, n, m)
    right = offset(i + sa, wa - sa, k + sb, wb - sb, n, m)
    fits = (sa + sb > 1) & (wa - sa + wb - sb > 1) & (splits < (wa + 1) * (wb + 1))
    return left, right, fits
