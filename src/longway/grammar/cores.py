"""Products of many small matrices on all cores of this machine.

    [stack, rows, inner] @ [stack, inner, columns]     the stack is cut into as many runs as there are cores
    [..., rows, inner]   @ [inner, columns]            one product; its rows are cut

NumPy's loop over a stack costs a tenth of PyTorch's, and it lets go of the interpreter. BLAS itself is held to one core
(`shared_out`): small matrices gain nothing from two, and wait for the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import torch

_WORTH = 1 << 18  # multiplications that repay the call of another thread
_threads = [1]  # how many `product` may use; the last one counts


def product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left @ right, of stacks of matrices, or of a stack and one matrix for all."""
    one_for_all = right.ndim == 2
    rows = left.reshape(prod(left.shape[:-1]), left.shape[-1]) if one_for_all else left
    found = np.empty((*rows.shape[:-1], right.shape[-1]), left.dtype)
    runs = max(1, min(_threads[-1], len(rows), 1 + left.size * right.shape[-1] // _WORTH))
    cuts = [len(rows) * place // runs for place in range(runs + 1)]
    parts = [(rows[a:b], right if one_for_all else right[a:b], found[a:b]) for a, b in pairwise(cuts)]
    others = [_pool().submit(_multiply, *part) for part in parts[1:]]
    _multiply(*parts[0])
    for other in others:
        other.result()
    return found.reshape(*left.shape[:-1], right.shape[-1])


def _multiply(left: np.ndarray, right: np.ndarray, into: np.ndarray) -> None:
    np.matmul(left, right, out=into)


@contextmanager
def shared_out() -> Iterator[None]:
    """Within it PyTorch and BLAS take one core each, and `product` the others, too."""
    threads = torch.get_num_threads()
    _threads.append(threads)
    torch.set_num_threads(1)
    try:
        with _blas().limit(limits=1):
            yield
    finally:
        _threads.pop()
        torch.set_num_threads(threads)


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="grammar")


@lru_cache(maxsize=1)
def _blas() -> Any:
    """NumPy's own BLAS, as its wheels bring it; PyTorch's would take the cores of all its other work away, too."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(prefix="libscipy_openblas")
