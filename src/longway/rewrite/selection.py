"""Which rows a round takes up: the k with the highest scores, shared among the labels where that is asked for."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Balance = Literal["none", "equal", "alternate"]
DECIMALS = 6  # scores are compared to this precision: the rest is the noise of single-precision sums


def top_rows(
    scores: NDArray[np.float64],
    labels: NDArray[np.int64],
    k: int,
    *,
    balance: Balance = "none",
    turn: int = 0,
) -> list[int]:
    """The k rows with the highest scores, highest first, the earlier row among equals; never one without a score (NaN).

    balance: "none" is Algorithm 1; "equal" gives each label the same number of rows; "alternate" takes one label
    after the other, the one of this `turn`, as the published code does.

    >>> top_rows(np.array([0.1, 0.9, np.nan, 0.5]), np.array([0, 0, 1, 1]), 2)
    [1, 3]
    >>> top_rows(np.array([0.1, 0.9, 0.8, 0.5]), np.array([0, 0, 0, 1]), 2, balance="equal")
    [1, 3]
    """
    usable = np.flatnonzero(~np.isnan(scores))
    order = usable[np.argsort(-np.round(scores[usable], DECIMALS), kind="stable")]
    if balance == "none" or not len(order):
        return order[:k].tolist()
    present = np.unique(labels[order])
    if balance == "alternate":
        return order[labels[order] == present[turn % len(present)]][:k].tolist()
    place_in_label = np.empty(len(order), dtype=np.int64)
    for label in present:
        mine = labels[order] == label
        place_in_label[mine] = np.arange(mine.sum())
    # One row of each label, then the next of each ...: the first k are shared out as evenly as the rows allow.
    taken = np.sort(np.lexsort((np.arange(len(order)), place_in_label))[:k])
    return order[taken].tolist()


def count_of(k: int | float, n_rows: int) -> int:
    """How many rows k stands for: a number of rows, or a share of them.

    >>> count_of(5, 100), count_of(0.25, 100), count_of(0.001, 100)
    (5, 25, 1)
    """
    return k if isinstance(k, int) else max(1, round(k * n_rows))
