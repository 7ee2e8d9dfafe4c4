"""Training steps on a GPU, recorded as CUDA graphs: a step is one launch instead of about a thousand.

    batch  ->  its sizes  ->  first time: computed as usual    second: recorded    from then on: numbers copied in, replayed

An epoch's batches have the same sizes as the last one's, because texts are sorted by length; only the number of distinct words
differs, and is rounded up. Every recorded step keeps its memory, so no more are recorded once PyTorch holds half of the GPU's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from longway.grammars.chart import Shape
from longway.grammars.minibatch import PairBatch, improve
from longway.grammars.model import NeuralGrammar
from longway.grammars.partition import log_partition

_WORDS = 64  # distinct words are rounded up to a multiple
_SHARE = 0.5  # of the GPU's memory, from which no more steps are recorded


@dataclass(frozen=True)
class _Sizes:
    """The sizes of a batch's arrays: items, words of either text, and distinct words of either text."""

    items: int
    n: int
    m: int
    given: int
    asked: int

    def arrays(self) -> list[tuple[int, ...]]:
        """The shapes of all arrays of numbers: texts, lengths, distinct words, and their places."""
        first, second = (self.items, self.n), (self.items, self.m)
        return [first, second, (self.items, 2), (self.given,), first, (self.asked,), second]


class RecordedSteps:
    """Takes the training steps of one model, as `minibatch.improve` does."""

    def __init__(self, model: NeuralGrammar, optimizer: torch.optim.Optimizer) -> None:
        self.model, self.optimizer = model, optimizer
        self._on_gpu = model.start.is_cuda
        self._seen: set[_Sizes] = set()
        self._recorded: dict[_Sizes, _Recorded] = {}
        if (
            self._on_gpu
        ):  # steps run one at a time, so all share the memory of one pool, which belongs to one stream
            self._pool, self._stream = torch.cuda.graph_pool_handle(), torch.cuda.Stream()

    def step(self, batch: PairBatch) -> Tensor:
        """One training step; returns the batch's nats before it."""
        sizes, numbers = _packed(batch, self.model.kind)
        if sizes in self._recorded:
            return self._recorded[sizes].replay(numbers)
        on_device = numbers.to(self.model.start.device, non_blocking=True)
        if sizes not in self._seen or not self._has_room():
            self._seen.add(sizes)
            return self._work(sizes, on_device)
        self._recorded[sizes] = _Recorded(
            lambda: self._work(sizes, on_device), on_device, self._pool, self._stream
        )
        return self._recorded[sizes].replay(numbers)

    def _has_room(self) -> bool:
        if not self._on_gpu:
            return False
        device = self.model.start.device
        total = torch.cuda.get_device_properties(device).total_memory
        return torch.cuda.memory_reserved(device) < _SHARE * total

    def _work(self, sizes: _Sizes, numbers: Tensor) -> Tensor:
        first, second, lengths, given, given_at, asked, asked_at = _unpacked(sizes, numbers)
        leaves = self.model.leaves(first, second, ((given, given_at), (asked, asked_at)))
        logs = log_partition(self.model.rules(), leaves, lengths, Shape(sizes.n, sizes.m))
        return improve(self.model, self.optimizer, logs)


class _Recorded:
    """One recorded step: where its numbers are, and its result."""

    def __init__(
        self, work: Callable[[], Tensor], numbers: Tensor, pool: Any, stream: torch.cuda.Stream
    ) -> None:
        self.numbers, self.graph = numbers, torch.cuda.CUDAGraph()
        now = torch.cuda.current_stream()
        stream.wait_stream(now)
        with torch.cuda.stream(stream):
            self.graph.capture_begin(pool=pool)
            try:
                self.nats = work()
            finally:
                self.graph.capture_end()
        now.wait_stream(stream)

    def replay(self, numbers: Tensor) -> Tensor:
        """The same step for other numbers."""
        self.numbers.copy_(numbers, non_blocking=True)
        self.graph.replay()
        return self.nats.clone()  # the next replay may overwrite it


def _packed(batch: PairBatch, kind: str) -> tuple[_Sizes, Tensor]:
    """All numbers of a batch in one array, ready for one copy to the GPU. A grammar of sentences needs no distinct words."""
    (given, given_at), (asked, asked_at) = map(_distinct, (batch.first, batch.second))
    if kind == "sentence":
        given, asked = given[:0], asked[:0]
    items, n = batch.first.shape
    sizes = _Sizes(items, n, batch.second.shape[1], len(given), len(asked))
    parts = batch.first, batch.second, batch.lengths, given, given_at, asked, asked_at
    flat = torch.empty(
        sum(part.size for part in parts), dtype=torch.int64, pin_memory=torch.cuda.is_available()
    )
    np.concatenate([part.ravel() for part in parts], out=flat.numpy())
    return sizes, flat


def _distinct(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    words, where = np.unique(ids, return_inverse=True)
    room = -(-len(words) // _WORDS) * _WORDS
    return np.pad(words, (0, room - len(words))), where.reshape(ids.shape)


def _unpacked(sizes: _Sizes, numbers: Tensor) -> list[Tensor]:
    shapes = sizes.arrays()
    parts = numbers.split([int(np.prod(shape)) for shape in shapes])
    return [part.view(shape) for part, shape in zip(parts, shapes, strict=True)]
