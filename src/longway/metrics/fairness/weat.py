"""WEAT and SEAT: are two groups of words or sentences closer to one kind of attribute than to the other?

    vectors of targets X, Y and attributes A, B  ->  associations()  ->  s(w, A, B) of each target  ->  association_test()

    s(w, A, B) = mean over a in A of cos(w, a)  -  mean over b in B of cos(w, b)
    d          = (mean of s over X  -  mean of s over Y)  /  standard deviation of s over X and Y together     (effect size, -2 to 2)
    p          = share of the ways to split X and Y again, with as many in X, whose sum of s over X is at least the observed one

After Caliskan et al. 2017 (words) and May et al. 2019 (sentences). The test is one-sided as published: X with A and Y with B.
It is exact for up to 100,000 splits; otherwise that many are drawn, and the observed split counts as one of them. The interval
of d resamples X and Y. 0 is no association.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError
from longway.metrics import Measure
from longway.metrics.intervals import DRAWS, NAN, Measurement, bootstrap, percentage, resampled
from longway.stats import holm

Floats = NDArray[np.float64]

SPLITS = 100_000
AT_ONCE = 2_000_000  # numbers held at a time
LEVEL = 0.05
SAME = 1e-12  # a standard deviation below this counts as zero


@dataclass(frozen=True, slots=True)
class Association(Measure):
    """One test. holm: p corrected for all tests reported together. exact: whether p is from all splits."""

    name: str
    n_x: int
    n_y: int
    d: Measurement
    p: float
    holm: float
    exact: bool


@dataclass(frozen=True, slots=True)
class Associations(Measure):
    """Several tests: the percentage with p below 0.05, the same after Holm's correction, and the mean absolute d."""

    tests: int
    significant: Measurement
    significant_holm: Measurement
    mean_size: Measurement


def associations(vectors: ArrayLike, first: ArrayLike, second: ArrayLike) -> Floats:
    """s(w, A, B) of each vector: how much closer it is to the attributes A (first) than to B (second), -2 to 2.

    >>> associations([[1, 0], [0, 2]], [[3, 0]], [[0, 1]]).tolist()
    [1.0, -1.0]
    """
    targets = _unit(vectors)
    return np.asarray(targets @ _unit(first).mean(axis=0) - targets @ _unit(second).mean(axis=0))


def association_test(name: str, x: ArrayLike, y: ArrayLike, *, seed: int = 0) -> Association:
    """Effect size with its interval, and p. x, y: s(w, A, B) of the targets in X and in Y."""
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if not (len(first) and len(second)) or not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise SettingError(
            f"The test {name!r} has no targets on one side, or vectors of length 0. At least one per side was expected, "
            f"got {len(first)} and {len(second)}. Check the file and the model."
        )
    drawn = _resampled_effects(first, second, seed)
    p, exact = permutation_p(first, second, splits=SPLITS, seed=seed)
    d = resampled(effect_size(first, second), drawn)
    return Association(name, len(first), len(second), d, p, NAN, exact)


def effect_size(x: Floats, y: Floats) -> float:
    """Cohen's d of the associations of X and Y; 0 if all are equal.

    >>> round(effect_size(np.array([1.0, 0.8]), np.array([-1.0, -0.8])), 2)
    1.72
    """
    spread = float(np.concatenate([x, y]).std(ddof=1))
    return float(x.mean() - y.mean()) / spread if spread > SAME else 0.0


def permutation_p(x: Floats, y: Floats, *, splits: int = SPLITS, seed: int = 0) -> tuple[float, bool]:
    """The one-sided p of the sum of x among the splits of x and y, and whether all splits were tried."""
    both = np.concatenate([x, y])
    n, observed = len(x), float(x.sum())
    observed -= 1e-9 * max(1.0, abs(observed))  # tolerance: the same numbers added in another order
    if comb(len(both), n) <= splits:
        chosen = np.array(list(combinations(range(len(both)), n)))
        return float((both[chosen].sum(axis=1) >= observed).mean()), True
    generator = np.random.default_rng(seed)
    hits, left = 1, splits - 1  # the observed split counts as one
    size = max(1, AT_ONCE // len(both))
    while left:
        rows = np.broadcast_to(both, (min(size, left), len(both)))
        hits += int((generator.permuted(rows, axis=1)[:, :n].sum(axis=1) >= observed).sum())
        left -= len(rows)
    return hits / splits, False


def corrected(tests: Sequence[Association]) -> list[Association]:
    """The same tests with p corrected by Holm for all of them."""
    values = holm(np.array([test.p for test in tests]))
    return [replace(test, holm=float(value)) for test, value in zip(tests, values, strict=True)]


def associations_of(tests: Sequence[Association], *, seed: int = 0) -> Associations:
    """Several tests summarized; the interval of the mean size resamples tests."""
    sizes = np.abs([test.d.value for test in tests])
    drawn = bootstrap(lambda rows: float(sizes[rows].mean()), len(sizes), seed=seed)
    return Associations(
        len(tests),
        percentage(sum(test.p < LEVEL for test in tests), len(tests)),
        percentage(sum(test.holm < LEVEL for test in tests), len(tests)),
        resampled(float(sizes.mean()), drawn),
    )


def _resampled_effects(x: Floats, y: Floats, seed: int) -> Floats:
    """The effect sizes of resamples of X and of Y."""
    generator = np.random.default_rng(seed)
    xs = x[generator.integers(len(x), size=(DRAWS, len(x)))]
    ys = y[generator.integers(len(y), size=(DRAWS, len(y)))]
    both = np.concatenate([xs, ys], axis=1)
    spread = both.std(axis=1, ddof=1)
    off = xs.mean(axis=1) - ys.mean(axis=1)
    return np.where(spread > SAME, off / np.maximum(spread, SAME), 0.0)


def _unit(vectors: ArrayLike) -> Floats:
    given = np.atleast_2d(np.asarray(vectors, np.float64))
    return given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), 1e-12)
