"""Clusters of vectors as directions: spherical k-means at several sizes (Dhillon and Modha 2001).

The vectors have length 1, so the nearest centre by Euclidean distance is the one with the highest cosine. A cluster becomes a direction with
a bound: as many vectors are at least that similar to its centre as the cluster has members. Membership then needs no other cluster.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from longway.arrays import Floats32
from longway.detect.concepts.vectors import unit_rows

SIZES = (8, 16, 32, 64)  # clusters; more of them are more patterns to correct for
FEWEST_OF_ONE = 10  # vectors per cluster, on average
STARTS = 10  # of which the best is kept: with fewer, small genres are missed


def cluster_directions(
    units: Floats32, *, sizes: Sequence[int] = SIZES, seed: int = 0
) -> list[tuple[str, Floats32, Floats32]]:
    """For each number of clusters: its name, the centres scaled to length 1 (k, width), and their bounds (k,)."""
    from sklearn.cluster import KMeans  # takes a second to import

    found = []
    for size in sizes:
        if size * FEWEST_OF_ONE > len(units):
            continue
        model = KMeans(size, n_init=STARTS, random_state=seed).fit(units)
        members = np.bincount(model.labels_, minlength=size)
        used = members > 0
        centres = unit_rows(model.cluster_centers_[used])
        found.append((f"clusters of {size}", centres, bounds_for(units @ centres.T, members[used])))
    return found


def bounds_for(scores: Floats32, counts: NDArray[np.integer]) -> Floats32:
    """For each column a bound that so many rows reach (more, if scores are equal): between two scores, so that rounding changes nothing.

    >>> bounds_for(np.array([[0.1], [0.9], [0.5]], np.float32), np.array([2])).astype(float).round(2).tolist()
    [0.3]
    """
    ordered = -np.sort(-scores, axis=0)
    last, column = len(scores) - 1, np.arange(scores.shape[1])
    at = np.clip(counts - 1, 0, last)
    return np.asarray((ordered[at, column] + ordered[np.minimum(at + 1, last), column]) / 2, np.float32)
