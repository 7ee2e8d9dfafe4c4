"""Rows of like length together, so that there is little to fill up. Needs no torch: the embedded models use it too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def by_length(lengths: Sequence[int], *, size: int) -> Iterator[NDArray[np.int64]]:
    """Places of `lengths`, longest first, in batches of at most `size` tokens, or of one row.

    >>> [some.tolist() for some in by_length([3, 9, 4], size=8)]
    [[1], [2, 0]]
    """
    order = np.argsort(lengths, kind="stable")[::-1].astype(np.int64)
    start = 0
    while start < len(order):
        some = order[start : start + max(1, size // max(1, lengths[order[start]]))]
        yield some
        start += len(some)
