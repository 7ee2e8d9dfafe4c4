"""Batches of texts of similar length, and what is done with one: log probabilities, and a training step.

    pairs, as word ids  ->  ordered by length  ->  split if a batch is full or lengths differ too much  ->  PairBatch
    batch  ->  on_device  ->  log_probabilities  ->  improve: gradient, clipping, Adam's update

Needs only PyTorch and NumPy, so that the benchmark can run the same steps on a bare machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from longway.grammars.chart import Shape
from longway.grammars.model import NeuralGrammar
from longway.grammars.partition import log_partition

Pair = tuple[Sequence[int], Sequence[int]]  # the word ids of both texts; the second may be empty
CLIP = 3.0  # maximum norm of the gradient, as in Kim et al. 2019


@dataclass(frozen=True)
class PairBatch:
    """Some pairs as padded arrays."""

    rows: np.ndarray  # indices of the pairs
    first: np.ndarray  # [batch, n]
    second: np.ndarray  # [batch, m]
    lengths: np.ndarray  # [batch, 2]


@dataclass(frozen=True)
class BatchLimits:
    """The maximum size of a batch: its pairs, its chart cells (a single pair may have more), and padding.

    waste: maximum ratio of a batch's cells to the pairs' own cells; padding costs time on a CPU, and hardly any on a GPU,
    which skips it.
    """

    size: int
    cells: int
    waste: float


TRAINING = {"cpu": BatchLimits(16, 1_000_000, 1.5), "cuda": BatchLimits(64, 40_000_000, 2.0)}
PARSING = {"cpu": BatchLimits(32, 1_500_000, 1.5), "cuda": BatchLimits(512, 40_000_000, 2.0)}


def batches(
    pairs: Sequence[Pair], limits: BatchLimits, *, rng: np.random.Generator | None = None
) -> list[PairBatch]:
    """All pairs in batches: in order of length, or shuffled if `rng` is given."""
    lengths = np.array([(len(a), len(b)) for a, b in pairs], dtype=np.int64).reshape(-1, 2)
    rows = np.arange(len(pairs))
    if rng is not None:
        rng.shuffle(rows)  # the sort is stable, so pairs of equal length are batched differently each time
    rows = rows[np.lexsort((lengths[rows, 1], lengths[rows, 0]))]
    result = [_padded(pairs, lengths, part) for part in _split(rows, lengths, limits)]
    if rng is not None:
        rng.shuffle(result)
    return result


def _split(rows: np.ndarray, lengths: np.ndarray, limits: BatchLimits) -> list[np.ndarray]:
    parts, start, own = [], 0, 0
    n = m = 0
    for end, row in enumerate(rows):
        wide, high = max(n, int(lengths[row, 0])), max(m, int(lengths[row, 1]))
        cost = _cells(wide, high) * (end - start + 1)
        own += _cells(*lengths[row])
        if end > start and (end - start == limits.size or cost > limits.cells or cost > limits.waste * own):
            parts.append(rows[start:end])
            start, own = end, _cells(*lengths[row])
            wide, high = int(lengths[row, 0]), int(lengths[row, 1])
        n, m = wide, high
    if len(rows):
        parts.append(rows[start:])
    return parts


def _cells(n: int, m: int) -> int:
    return int((n + 1) ** 2 * (m + 1) ** 2)


def _padded(pairs: Sequence[Pair], lengths: np.ndarray, rows: np.ndarray) -> PairBatch:
    n, m = lengths[rows].max(0)
    first, second = np.zeros((len(rows), n), np.int64), np.zeros((len(rows), m), np.int64)
    for i, row in enumerate(rows):
        a, b = pairs[row]
        first[i, : len(a)], second[i, : len(b)] = a, b
    return PairBatch(rows, first, second, lengths[rows])


def on_device(batch: PairBatch, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Shape]:
    """A batch as tensors, and its shape."""
    first, second, lengths = (
        torch.as_tensor(array).to(device, non_blocking=True)
        for array in (batch.first, batch.second, batch.lengths)
    )
    return first, second, lengths, Shape(first.shape[1], second.shape[1])


def leaves_on_device(model: NeuralGrammar, batch: PairBatch) -> tuple[Tensor, Tensor, Shape]:
    """The log probabilities of a batch's leaves, the lengths of its texts, and its shape."""
    device = model.start.device
    first, second, lengths, shape = on_device(batch, device)
    # on the host: a GPU would have to finish all its work first, to say how many there are
    distinct = tuple(distinct_words(array, device) for array in (batch.first, batch.second))
    return model.leaves(first, second, distinct), lengths, shape


def distinct_words(ids: np.ndarray, device: torch.device) -> tuple[Tensor, Tensor]:
    """The distinct word ids of some texts, and the index of each word among them."""
    words, where = np.unique(ids, return_inverse=True)
    return (
        torch.as_tensor(words).to(device, non_blocking=True),
        torch.as_tensor(where.reshape(ids.shape)).to(device, non_blocking=True),
    )


def log_probabilities(model: NeuralGrammar, batch: PairBatch) -> Tensor:
    """The log probability of each text or pair of a batch, summed over all its trees."""
    leaves, lengths, shape = leaves_on_device(model, batch)
    return log_partition(model.rules(), leaves, lengths, shape)


def improve(model: NeuralGrammar, optimizer: torch.optim.Optimizer, logs: Tensor) -> Tensor:
    """One training step for the texts with these log probabilities; returns their nats before it."""
    nats = -logs.sum()
    optimizer.zero_grad(set_to_none=True)
    (nats / len(logs)).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimizer.step()
    return nats.detach()
