"""Does accuracy differ between two versions of the training data, on the same test rows?

    paired(before_correct, after_correct)      difference, its interval, p, and a verdict
    adjust(comparisons)                        q-values (Benjamini and Hochberg), and verdicts based on them

A verdict is "better" or "worse" if p (or q) is at most 0.05, the interval excludes 0, and the difference exceeds what training
seeds alone produce. Two models that differ only in their seed also differ on the same test rows, and no test over rows can
account for that: with 5,000 rows and three seeds whose accuracies have a std of 0.02, a test over rows alone called equal
versions different 47 times in 100. So Welch's t-test over seeds must be significant too (3 times in 100). With one seed on a
side it cannot be computed: the verdict is then about two models, not about their training data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, lcm
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, t

from longway.metrics import Measure
from longway.metrics.intervals import DRAWS, NAN, mean_interval, seeds_by_rows, widest
from longway.stats import q_values

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PairedVerdict = Literal["better", "worse", "no clear difference"]

FLIPS = 19_999  # sign flips; the smallest p is one in twenty thousand
LEVEL = 0.05  # significance level of p or q


@dataclass(frozen=True, slots=True)
class Paired(Measure):
    """After minus before on the same test rows.

    low, high: 95% interval of the difference over test rows. p: over test rows; q: corrected for many comparisons.
    seed_error: the standard error of the difference over training seeds, seed_p: p over seeds; both NaN with one seed on a side.
    """

    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    q: float
    seed_error: float
    seed_p: float
    n: int
    verdict: PairedVerdict


def paired(
    before_correct: ArrayLike,
    after_correct: ArrayLike,
    *,
    clusters: Sequence[Ints] = (),
    draws: int = DRAWS,
    seed: int = 0,
) -> Paired:
    """Whether models trained after the change are correct more often, on the same test rows.

    before_correct, after_correct: (seeds, rows) or (rows,), true if the prediction was correct.
    p is from flipping the signs of the rows' differences; with one seed each this is McNemar's exact test.
    clusters: which rows belong together (see `intervals`). The interval then draws clusters, and the differences of a cluster flip together.

    >>> paired([0] * 9 + [1], [1] * 10).verdict
    'better'
    """
    before, after = seeds_by_rows(before_correct), seeds_by_rows(after_correct)
    n = before.shape[1]
    unit = lcm(len(before), len(after))  # differences are multiples of 1 / unit
    whole = np.rint((after.mean(axis=0) - before.mean(axis=0)) * unit).astype(np.int64)
    low, high = mean_interval(whole / unit, lowest=-1.0, clusters=clusters, draws=draws, seed=seed)
    together = widest(whole / unit, clusters)
    if together is not None:
        p = _sign_flip(np.rint(np.bincount(together, whole)).astype(np.int64), seed)
    else:
        p = _mcnemar(whole) if unit == 1 else _sign_flip(whole, seed)
    error, seed_p = _over_seeds(before.mean(axis=1), after.mean(axis=1))
    difference = float(whole.sum() / (n * unit))
    means = float(before.mean()), float(after.mean())
    result = Paired(*means, difference, low, high, p, NAN, error, seed_p, n, "no clear difference")
    return replace(result, verdict=_verdict(result, p))


def adjust(comparisons: Sequence[Paired]) -> list[Paired]:
    """The same comparisons with q-values, and verdicts by q instead of p: of many, some are significant by chance."""
    if not comparisons:
        return []
    q = q_values(np.array([comparison.p for comparison in comparisons]))
    return [
        replace(comparison, q=float(value), verdict=_verdict(comparison, float(value)))
        for comparison, value in zip(comparisons, q, strict=True)
    ]


def _verdict(result: Paired, p: float) -> PairedVerdict:
    beyond_seeds = isnan(result.seed_p) or result.seed_p <= LEVEL
    if not (p <= LEVEL and (result.low > 0 or result.high < 0) and beyond_seeds):
        return "no clear difference"
    return "better" if result.difference > 0 else "worse"


def _mcnemar(differences: Ints) -> float:
    """The exact test on rows that only one side gets right."""
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def _sign_flip(differences: Ints, seed: int) -> float:
    """The share of random sign flips whose sum is as far from 0 as the observed one, which counts as one of them.

    Rows with the same absolute difference s flip alike: the sum of c of them is s (2 B - c), B binomial (c, 1/2).
    """
    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    generator = np.random.default_rng(seed)
    sums = np.zeros(FLIPS, np.int64)
    for size, count in zip(sizes, counts, strict=True):
        sums += size * (2 * generator.binomial(count, 0.5, size=FLIPS) - count)
    as_far = int((np.abs(sums) >= abs(int(differences.sum()))).sum())
    return (as_far + 1) / (FLIPS + 1)


def _over_seeds(before: Floats, after: Floats) -> tuple[float, float]:
    """The standard error of the difference over seeds, and the p of Welch's t-test, which allows unequal variances."""
    if min(len(before), len(after)) < 2:
        return NAN, NAN
    parts = np.array([side.var(ddof=1) / len(side) for side in (before, after)])
    error, off = float(np.sqrt(parts.sum())), abs(float(after.mean() - before.mean()))
    if error < 1e-9:  # seeds change nothing
        return 0.0, 0.0 if off > 1e-9 else 1.0
    freedom = error**4 / (parts**2 / [len(before) - 1, len(after) - 1]).sum()
    return error, float(2 * t.sf(off / error, freedom))
