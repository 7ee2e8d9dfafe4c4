"""Logits or vectors as points in the plane: their first two principal components (RAZOR's Fig. 6, by class).

    vectors (rows x dimensions)  ->  project  ->  points (rows x 2)  ->  by_class  ->  points of each label

The sign of a component is free; here the dimension that weighs most in it counts positive, so that the same vectors
give the same picture everywhere. Two labels often have logits on little more than a line: the second component is then close to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh

from longway.errors import SettingError
from longway.metrics.diversity import centred_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Projection:
    """points: rows x dimensions. shares: of the variance in each; 0 in a component that the vectors do not have."""

    points: Floats
    shares: tuple[float, ...]


def project(vectors: ArrayLike, *, dimensions: int = 2) -> Projection:
    """The vectors' first principal components.

    >>> project([[0.0, 1.0], [0.0, 3.0]]).points.tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    if dimensions < 1:
        raise SettingError(f"'dimensions' must be at least 1. Got {dimensions!r}.")
    centred = centred_rows(vectors)
    values, directions = eigh(centred.T @ centred)
    values, directions = np.maximum(values[::-1], 0.0), directions[:, ::-1]
    kept = min(dimensions, int((values > values[0] * 1e-12).sum()))
    directions = directions[:, :kept]
    heaviest = np.abs(directions).argmax(axis=0)
    directions = directions * np.sign(directions[heaviest, np.arange(kept)])
    points = np.zeros((len(centred), dimensions))
    points[:, :kept] = centred @ directions
    shares = np.zeros(dimensions)
    shares[:kept] = values[:kept] / max(values.sum(), np.finfo(np.float64).tiny)
    return Projection(points, tuple(shares.tolist()))


def by_class(points: Floats, labels: Sequence[str]) -> dict[str, Floats]:
    """The points of each label, labels in order."""
    if len(points) != len(labels):
        raise SettingError(f"Each point needs a label. Got {len(points)} points and {len(labels)} labels.")
    names = np.array(labels, dtype=object)
    return {label: points[names == label] for label in sorted(set(labels))}
