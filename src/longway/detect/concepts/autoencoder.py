"""A sparse autoencoder of vectors in NumPy: each vector as a sum of a few of many learned directions.

    a = top k of (x E + e), below zero cut off        x' = a D + d        loss = mean |x - x'|^2         (Gao et al. 2024, "k-sparse")

Rows of D have length 1. Trained by Adam on a CPU in seconds: the vectors are a few thousand. A feature becomes a direction (its column
of E) with a bound: as many vectors reach it as have the feature among their top k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from longway.detect.concepts.kmeans import bounds_for
from longway.detect.concepts.vectors import unit_rows

MAX_FEATURES = 64  # few and large ones: of 500, each had only a part of a planted topic (docs/concepts.md)
PER_FEATURE = 8  # vectors for each feature, at least
ACTIVE = 4  # features of a vector
EPOCHS = 30
BATCH = 256
RATE = 2e-3
_BETAS, _EPSILON = (0.9, 0.999), 1e-8

Floats = NDArray[np.float32]


@dataclass(slots=True)
class Weights:
    """encode: (width, features), encode_bias: (features,), decode: (features, width), decode_bias: (width,)."""

    encode: Floats
    encode_bias: Floats
    decode: Floats
    decode_bias: Floats

    def arrays(self) -> Iterator[tuple[str, Floats]]:
        """The arrays by name."""
        return ((each.name, getattr(self, each.name)) for each in fields(self))


def activations(weights: Weights, x: Floats, active: int) -> Floats:
    """(n, features): the top activations of each vector, zeros elsewhere."""
    before = x @ weights.encode + weights.encode_bias
    if active < before.shape[1]:
        bound = np.partition(before, -active, axis=1)[:, -active][:, None]
        before = np.where(before >= bound, before, 0)
    return np.maximum(before, 0)


def loss_and_gradients(weights: Weights, x: Floats, active: int) -> tuple[float, Weights]:
    """The mean squared error of some vectors, and its derivatives; which features are active is held constant."""
    a = activations(weights, x, active)
    error = a @ weights.decode + weights.decode_bias - x
    by_output = 2 * error / len(x)
    by_a = (by_output @ weights.decode.T) * (a > 0)
    gradients = Weights(
        *(
            np.asarray(one, x.dtype)
            for one in (x.T @ by_a, by_a.sum(axis=0), a.T @ by_output, by_output.sum(axis=0))
        )
    )
    return float((error**2).sum() / len(x)), gradients


def train(
    units: Floats,
    *,
    features: int = MAX_FEATURES,
    active: int = ACTIVE,
    epochs: int = EPOCHS,
    seed: int = 0,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Weights:
    """The autoencoder of these vectors. Features start as vectors of the data, so that few of them are never active."""
    random = np.random.default_rng(seed)
    first = units[random.choice(len(units), features, replace=features > len(units))]
    decode = unit_rows(first + random.normal(0, 0.01, first.shape).astype(np.float32))
    weights = Weights(
        decode.T.copy(), np.zeros(features, np.float32), decode, units.mean(axis=0).astype(np.float32)
    )
    adam = _Adam(weights)
    for epoch in range(epochs):
        order = random.permutation(len(units))
        for start in range(0, len(units), BATCH):
            _, gradients = loss_and_gradients(weights, units[order[start : start + BATCH]], active)
            adam.step(weights, gradients)
            weights.decode = unit_rows(weights.decode)
        progress(epoch + 1, epochs)
    return weights


def feature_directions(
    weights: Weights, units: Floats, *, active: int = ACTIVE
) -> tuple[str, Floats, Floats]:
    """Name, directions of length 1 and bounds of the features that are ever active."""
    counts = (activations(weights, units, active) > 0).sum(axis=0)
    used = counts > 0
    directions = unit_rows(weights.encode.T[used])
    return "autoencoder", directions, bounds_for(units @ directions.T, counts[used])


class _Adam:
    """Kingma and Ba 2015."""

    def __init__(self, weights: Weights) -> None:
        self.mean = {name: np.zeros_like(array) for name, array in weights.arrays()}
        self.square = {name: np.zeros_like(array) for name, array in weights.arrays()}
        self.steps = 0

    def step(self, weights: Weights, gradients: Weights) -> None:
        self.steps += 1
        first, second = _BETAS
        for name, gradient in gradients.arrays():
            mean, square = self.mean[name], self.square[name]
            mean += (1 - first) * (gradient - mean)
            square += (1 - second) * (gradient**2 - square)
            unbiased = mean / (1 - first**self.steps)
            spread = np.sqrt(square / (1 - second**self.steps)) + _EPSILON
            setattr(weights, name, (getattr(weights, name) - RATE * unbiased / spread).astype(np.float32))
