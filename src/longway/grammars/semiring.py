"""The semirings of a chart: what it means to add over alternatives and to multiply along one.

The recursion of `chart.py` is written once. For every cell it holds one value per symbol and one log scale
for all of them, so that no value underflows and the work consists of matrix products:

    true value of symbol a in a cell  =  values[a]  (x)  scale of the cell

    LogSemiring     values are probabilities   add = +     multiply = *    -> the probability of all trees
    MaxSemiring     values are logarithms      add = max   multiply = +    -> the probability of the best tree
    SampleSemiring  is LogSemiring upwards; in the backtrace alternatives are drawn by their weight (`choose`)

`EMPTY` is the log scale of a cell without any tree. It is finite, so that differences of two such scales are
zero and not NaN.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from longway.grammars import device
from longway.grammars.device import gpu_kernels

EMPTY = -1e30
_CHUNK = {
    "cpu": 1 << 18,
    "cuda": 1 << 26,
}  # numbers per step of a max product: what a cache holds, and few launches


def product(left: Tensor, right: Tensor) -> Tensor:
    """left @ right; on a CPU by `device.product`, unless a gradient is needed."""
    needs_gradient = torch.is_grad_enabled() and (left.requires_grad or right.requires_grad)
    if left.is_cuda or needs_gradient:
        return left @ right
    return torch.from_numpy(device.product(left.detach().numpy(), right.detach().numpy()))


class Semiring(Protocol):
    """The operations that the chart needs."""

    zero: float  # the value of an unreachable symbol
    by_products: bool  # whether it uses ordinary matrix products

    def lift(self, logs: Tensor) -> Tensor:
        """The values of log probabilities."""
        ...

    def logs(self, values: Tensor) -> Tensor:
        """The log probabilities of values."""
        ...

    def weigh(self, values: Tensor, log_weights: Tensor) -> Tensor:
        """Values times weights given as logarithms."""
        ...

    def matmul(self, left: Tensor, right: Tensor) -> Tensor:
        """The product of two stacks of matrices."""
        ...

    def add(self, left: Tensor, right: Tensor) -> Tensor:
        """The sum of two stacks of values."""
        ...

    def scale_of(self, values: Tensor) -> Tensor:
        """The logarithm of the largest value of each row; always finite."""
        ...

    def choose(self, logs: Tensor) -> Tensor:
        """For each row the index of the alternative to follow in the backtrace."""
        ...


class LogSemiring:
    """Sums over all trees, by sums and products of scaled probabilities."""

    zero = 0.0
    by_products = True

    def lift(self, logs: Tensor) -> Tensor:
        """The probabilities themselves."""
        return logs.exp()

    def logs(self, values: Tensor) -> Tensor:
        """Their logarithms; minus infinity for zero."""
        return values.log()

    def weigh(self, values: Tensor, log_weights: Tensor) -> Tensor:
        """Values times the weights."""
        return values * log_weights.exp()

    def matmul(self, left: Tensor, right: Tensor) -> Tensor:
        """The ordinary product of matrices."""
        return product(left, right)

    def add(self, left: Tensor, right: Tensor) -> Tensor:
        """The ordinary sum."""
        return left + right

    def scale_of(self, values: Tensor) -> Tensor:
        """The logarithm of the largest value; rows of zeros stay zero."""
        return values.amax(-1).clamp(min=torch.finfo(values.dtype).tiny).log()

    def choose(self, logs: Tensor) -> Tensor:
        """Not defined: a sum over all trees is not a tree."""
        raise TypeError(
            "LogSemiring sums over all trees and selects none. Use MaxSemiring for the best tree, SampleSemiring for a random one."
        )


class MaxSemiring:
    """The best tree, in logarithms: the sum is the maximum, the product is the sum."""

    zero = EMPTY
    by_products = False

    def lift(self, logs: Tensor) -> Tensor:
        """The logarithms, with a finite value for the impossible."""
        return logs.clamp(min=EMPTY)

    def logs(self, values: Tensor) -> Tensor:
        """The values are logarithms already."""
        return values

    def weigh(self, values: Tensor, log_weights: Tensor) -> Tensor:
        """Values plus the log weights."""
        return (values + log_weights).clamp(min=EMPTY)

    def matmul(self, left: Tensor, right: Tensor) -> Tensor:
        """The matrix product with maxima instead of sums, a few rows at a time."""
        *stack, rows, inner = left.shape
        columns = right.shape[-1]
        if not inner:
            return left.new_full((*stack, rows, columns), EMPTY)
        if right.dim() == 2:  # one matrix for all rows
            if left.is_cuda and left.dtype == torch.float32 and (kernels := gpu_kernels()) is not None:
                return kernels.max_product(left, right)
            flat = left.reshape(-1, inner)
            size = max(1, _CHUNK[left.device.type] // (inner * columns))
            transposed = right.T.contiguous()
            parts = [(part.unsqueeze(1) + transposed).amax(-1) for part in flat.split(size)]
            return torch.cat(parts).reshape(*stack, rows, columns)
        a, b = left.reshape(-1, rows, inner), right.reshape(-1, inner, columns)
        size = max(1, _CHUNK[left.device.type] // (rows * inner * columns))
        parts = [
            (one.unsqueeze(-1) + other.unsqueeze(-3)).amax(-2)
            for one, other in zip(a.split(size), b.split(size), strict=True)
        ]
        return torch.cat(parts).reshape(*stack, rows, columns)

    def add(self, left: Tensor, right: Tensor) -> Tensor:
        """The maximum of the two."""
        return torch.maximum(left, right)

    def scale_of(self, values: Tensor) -> Tensor:
        """The maximum."""
        return values.amax(-1)

    def choose(self, logs: Tensor) -> Tensor:
        """The best alternative."""
        return logs.argmax(-1)


class SampleSemiring(LogSemiring):
    """Draws trees by their probability: LogSemiring upwards, random choices in the backtrace."""

    def __init__(self, generator: torch.Generator | None = None) -> None:
        self.generator = generator

    def choose(self, logs: Tensor) -> Tensor:
        """One alternative, drawn by its weight (the maximum of the logs plus Gumbel noise)."""
        noise = torch.rand(logs.shape, generator=self.generator, device=logs.device, dtype=logs.dtype)
        tiny = torch.finfo(logs.dtype).tiny
        return (logs - (-(noise.clamp(min=tiny)).log()).clamp(min=tiny).log()).argmax(-1)
