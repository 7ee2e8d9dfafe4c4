"""Texts of like length side by side, so that a batch wastes little on cells that nobody reads.

pairs, as numbers  ->  ordered by their lengths  ->  cut where a batch is full or the lengths grow too far apart
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Pair = tuple[Sequence[int], Sequence[int]]  # the words of both texts by number; the second may be empty


@dataclass(frozen=True)
class Batch:
    """Some pairs as padded arrays."""

    rows: np.ndarray  # where the pairs stood
    first: np.ndarray  # [batch, n]
    second: np.ndarray  # [batch, m]
    lengths: np.ndarray  # [batch, 2]


@dataclass(frozen=True)
class Limits:
    """How large a batch may be: its pairs, its chart cells (one pair alone may have more), and the waste.

    waste: how many times the pairs' own cells a batch may have; cells behind a pair's end cost time on a CPU, and
    hardly any on a GPU, which leaves them out.
    """

    size: int
    cells: int
    waste: float


TRAINING = {"cpu": Limits(16, 1_000_000, 1.5), "cuda": Limits(64, 40_000_000, 2.0)}
PARSING = {"cpu": Limits(32, 1_500_000, 1.5), "cuda": Limits(512, 40_000_000, 2.0)}


def batches(pairs: Sequence[Pair], limits: Limits, *, rng: np.random.Generator | None = None) -> list[Batch]:
    """All pairs in batches: in order of their lengths, or shuffled where `rng` is given."""
    lengths = np.array([(len(a), len(b)) for a, b in pairs], dtype=np.int64).reshape(-1, 2)
    rows = np.arange(len(pairs))
    if rng is not None:
        rng.shuffle(rows)  # the order is stable, so equal lengths meet other partners each time
    rows = rows[np.lexsort((lengths[rows, 1], lengths[rows, 0]))]
    made = [_padded(pairs, lengths, part) for part in _cuts(rows, lengths, limits)]
    if rng is not None:
        rng.shuffle(made)
    return made


def _cuts(rows: np.ndarray, lengths: np.ndarray, limits: Limits) -> list[np.ndarray]:
    found, start, own = [], 0, 0
    n = m = 0
    for end, row in enumerate(rows):
        wide, high = max(n, int(lengths[row, 0])), max(m, int(lengths[row, 1]))
        cost = _cells(wide, high) * (end - start + 1)
        own += _cells(*lengths[row])
        if end > start and (end - start == limits.size or cost > limits.cells or cost > limits.waste * own):
            found.append(rows[start:end])
            start, own = end, _cells(*lengths[row])
            wide, high = int(lengths[row, 0]), int(lengths[row, 1])
        n, m = wide, high
    if len(rows):
        found.append(rows[start:])
    return found


def _cells(n: int, m: int) -> int:
    return int((n + 1) ** 2 * (m + 1) ** 2)


def _padded(pairs: Sequence[Pair], lengths: np.ndarray, rows: np.ndarray) -> Batch:
    n, m = lengths[rows].max(0)
    first, second = np.zeros((len(rows), n), np.int64), np.zeros((len(rows), m), np.int64)
    for place, row in enumerate(rows):
        a, b = pairs[row]
        first[place, : len(a)], second[place, : len(b)] = a, b
    return Batch(rows, first, second, lengths[rows])
