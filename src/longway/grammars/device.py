"""Where the arithmetic runs: the kernels in `gpu/` if they support the work, else NumPy products on all CPU cores.

    gpu_kernels()                        products of 32-bit numbers on a GPU with Triton
    product(left, right)                 many small matrix products on all cores
    all_cores()                          context in which `product` uses them

The first returns a module, or None: the caller then uses its own code. `backtrace.gpu_twins` is the same for the whole recursion.

    [stack, rows, inner] @ [stack, inner, columns]     the stack is split into as many parts as there are cores
    [..., rows, inner]   @ [inner, columns]            one product; its rows are split

NumPy's loop over a stack costs a tenth of PyTorch's, and releases the interpreter lock. BLAS is limited to one core inside
`all_cores`: small matrices gain nothing from a second, and wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any, TypeVar

import numpy as np
import torch

T = TypeVar("T")

_WORTH = 1 << 18  # multiplications that justify another thread
_threads = [1]  # how many `product` may use; a stack, the last entry counts


@lru_cache(maxsize=1)
def gpu_kernels() -> Any:
    """The module `gpu.products`; None if Triton is not installed with this PyTorch."""
    try:
        from longway.grammars.gpu import products
    except ImportError:
        return None
    return products


def product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left @ right, of stacks of matrices, or of a stack and one matrix for all."""
    one_for_all = right.ndim == 2
    rows = left.reshape(prod(left.shape[:-1]), left.shape[-1]) if one_for_all else left
    result = np.empty((*rows.shape[:-1], right.shape[-1]), left.dtype)
    n_parts = max(1, min(_threads[-1], len(rows), 1 + left.size * right.shape[-1] // _WORTH))
    cuts = [len(rows) * i // n_parts for i in range(n_parts + 1)]
    parts = [(rows[a:b], right if one_for_all else right[a:b], result[a:b]) for a, b in pairwise(cuts)]
    others = [_pool().submit(_multiply, *part) for part in parts[1:]]
    _multiply(*parts[0])
    for other in others:
        other.result()
    return result.reshape(*left.shape[:-1], right.shape[-1])


def _multiply(left: np.ndarray, right: np.ndarray, into: np.ndarray) -> None:
    np.matmul(left, right, out=into)


def at_once(jobs: list[Callable[[], T]]) -> list[T]:
    """The results of the jobs, each run in a thread; within them `product` uses one core."""
    _threads.append(1)
    try:
        others = [_pool().submit(_on_one_core, job) for job in jobs[1:]]
        return [job() for job in jobs[:1]] + [other.result() for other in others]
    finally:
        _threads.pop()


def _on_one_core(job: Callable[[], T]) -> T:
    torch.set_num_threads(1)  # a setting of each thread
    return job()


@contextmanager
def all_cores() -> Iterator[int]:
    """Within it PyTorch and BLAS use one core each, and `product` and `at_once` use all; gives their number."""
    threads = torch.get_num_threads()
    _threads.append(threads)
    torch.set_num_threads(1)
    try:
        with _blas().limit(limits=1):
            yield threads
    finally:
        _threads.pop()
        torch.set_num_threads(threads)


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="grammar")


@lru_cache(maxsize=1)
def _blas() -> Any:
    """The BLAS of NumPy's wheels only; limiting PyTorch's as well would slow down all its other work."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(prefix="libscipy_openblas")
