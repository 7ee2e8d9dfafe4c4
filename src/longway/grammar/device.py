"""Where the arithmetic runs: the package `gpu` where it can take the work, the plain twins elsewhere.

    gpu_kernels()                        any work of 32-bit numbers on a GPU with Triton
    gpu_twins(rules, preterminals)       the recursion, whose kernels also ask for fitting numbers of symbols

Both give the package, or None: the caller then goes on with its own plain lines.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from torch import Tensor


@lru_cache(maxsize=1)
def gpu_kernels() -> Any:
    """The package `grammar.gpu`; None where there is no Triton beside this PyTorch."""
    try:
        from longway.grammar import gpu
    except ImportError:
        return None
    return gpu


def gpu_twins(rules: Tensor, preterminals: int) -> Any:
    """The package `grammar.gpu` where it can take rules [N, ...], else None.

    It can on a GPU, with 32-bit numbers, and with numbers of symbols that are powers of two from 16.
    """
    sizes = (rules.shape[0], preterminals)
    fits = all(size >= 16 and size & (size - 1) == 0 for size in sizes)
    return gpu_kernels() if fits and rules.is_cuda and rules.dtype == torch.float32 else None
