"""The algebra of a chart: what "add over the alternatives" and "multiply along one" mean.

The recursion of `chart.py` is written once. It holds, for every cell, one value for each symbol
and one log scale for all of them, so that no value underflows and the work stays matrix products:

    true value of symbol a in a cell  =  values[a]  (x)  scale of the cell

    Log     values are probabilities   add = +     multiply = *    -> the probability of all trees
    Max     values are logarithms      add = max   multiply = +    -> the probability of the best tree
    Sample  is Log on the way up; on the way down a part is drawn instead of taken (`choose`)

`EMPTY` is the log scale of a cell that no tree reaches. It is finite, so that differences of two
such scales are zero and not "not a number".
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from longway.grammar import cores
from longway.grammar.device import gpu_kernels

EMPTY = -1e30
_CHUNK = 1 << 20  # numbers that one step of a max product may lay out at once


def product(left: Tensor, right: Tensor) -> Tensor:
    """left @ right; on a CPU by `cores.product`. Where a derivative is wanted, it is PyTorch's product all the same."""
    wants_derivative = torch.is_grad_enabled() and (left.requires_grad or right.requires_grad)
    if left.is_cuda or wants_derivative:
        return left @ right
    return torch.from_numpy(cores.product(left.detach().numpy(), right.detach().numpy()))


class Semiring(Protocol):
    """What the chart needs to know of an algebra."""

    zero: float  # nothing reaches this symbol
    by_products: bool  # whether its work is ordinary products of matrices

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
        """The logarithm of the largest value of each row, finite also where there is none."""
        ...

    def choose(self, logs: Tensor) -> Tensor:
        """For each row the place of the alternative to follow on the way down."""
        ...


class Log:
    """Sums over all trees, by plain sums and products of scaled probabilities."""

    zero = 0.0
    by_products = True

    def lift(self, logs: Tensor) -> Tensor:
        """The probabilities themselves."""
        return logs.exp()

    def logs(self, values: Tensor) -> Tensor:
        """Their logarithms; nothing at all is minus infinity."""
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
        """The logarithm of the largest; a row whose values all vanished keeps them so."""
        return values.amax(-1).clamp(min=torch.finfo(values.dtype).tiny).log()

    def choose(self, logs: Tensor) -> Tensor:
        """Not defined: a sum over all trees is no tree."""
        raise TypeError(
            "Log sums over all trees and picks none. Use Max for the best tree, Sample for a drawn one."
        )


class Max:
    """The best tree, in logarithms: the sum is the maximum, the product is the sum."""

    zero = EMPTY
    by_products = False

    def lift(self, logs: Tensor) -> Tensor:
        """The logarithms, with a finite value for what cannot be."""
        return logs.clamp(min=EMPTY)

    def logs(self, values: Tensor) -> Tensor:
        """The values are logarithms already."""
        return values

    def weigh(self, values: Tensor, log_weights: Tensor) -> Tensor:
        """Values plus the log weights."""
        return (values + log_weights).clamp(min=EMPTY)

    def matmul(self, left: Tensor, right: Tensor) -> Tensor:
        """The product of matrices with maxima for sums, laid out a few rows at a time."""
        *stack, rows, inner = left.shape
        columns = right.shape[-1]
        if not inner:
            return left.new_full((*stack, rows, columns), EMPTY)
        if right.dim() == 2:  # one matrix for all rows
            if left.is_cuda and left.dtype == torch.float32 and (kernels := gpu_kernels()) is not None:
                return kernels.max_product(left, right)
            flat = left.reshape(-1, inner)
            size = max(1, _CHUNK // (inner * columns))
            turned = right.T.contiguous()
            parts = [(part.unsqueeze(1) + turned).amax(-1) for part in flat.split(size)]
            return torch.cat(parts).reshape(*stack, rows, columns)
        a, b = left.reshape(-1, rows, inner), right.reshape(-1, inner, columns)
        size = max(1, _CHUNK // (rows * inner * columns))
        parts = [
            (one.unsqueeze(-1) + other.unsqueeze(-3)).amax(-2)
            for one, other in zip(a.split(size), b.split(size), strict=True)
        ]
        return torch.cat(parts).reshape(*stack, rows, columns)

    def add(self, left: Tensor, right: Tensor) -> Tensor:
        """The larger of the two."""
        return torch.maximum(left, right)

    def scale_of(self, values: Tensor) -> Tensor:
        """The largest itself."""
        return values.amax(-1)

    def choose(self, logs: Tensor) -> Tensor:
        """The best alternative."""
        return logs.argmax(-1)


class Sample(Log):
    """Draws trees by their probability: Log on the way up, a draw on the way down."""

    def __init__(self, generator: torch.Generator | None = None) -> None:
        self.generator = generator

    def choose(self, logs: Tensor) -> Tensor:
        """One alternative, drawn by its weight (the largest of the logs plus Gumbel noise)."""
        noise = torch.rand(logs.shape, generator=self.generator, device=logs.device, dtype=logs.dtype)
        tiny = torch.finfo(logs.dtype).tiny
        return (logs - (-(noise.clamp(min=tiny)).log()).clamp(min=tiny).log()).argmax(-1)
