"""What is done with one batch: its numbers put on a device, its log probabilities, a step of the training.

    batch  ->  on_device  ->  log_probabilities  ->  improve: their derivative, clipped, and Adam's update

Needs PyTorch and NumPy alone, so that the benchmark can take the same steps where there is nothing else.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longway.grammar.batches import Batch
from longway.grammar.chart import Shape
from longway.grammar.model import NeuralGrammar
from longway.grammar.partition import log_partition

CLIP = 3.0  # of the gradient's length, as in Kim et al. 2019


def on_device(batch: Batch, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Shape]:
    """A batch as tensors, and its shape."""
    first, second, lengths = (
        torch.as_tensor(array).to(device, non_blocking=True)
        for array in (batch.first, batch.second, batch.lengths)
    )
    return first, second, lengths, Shape(first.shape[1], second.shape[1])


def log_probabilities(model: NeuralGrammar, batch: Batch) -> Tensor:
    """The log probability of each text or pair of a batch, summed over all its trees."""
    first, second, lengths, shape = on_device(batch, model.start.device)
    return log_partition(model.rules(), model.leaves(first, second), lengths, shape)


def improve(model: NeuralGrammar, optimiser: torch.optim.Optimizer, logs: Tensor) -> Tensor:
    """One step that makes the texts of these log probabilities more likely; gives their nats before it."""
    nats = -logs.sum()
    optimiser.zero_grad(set_to_none=True)
    (nats / len(logs)).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimiser.step()
    return nats.detach()
