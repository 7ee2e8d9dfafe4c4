"""Whether two versions of the training data differ in what models get right, on the same test rows.

    paired(before_correct, after_correct)      difference, its interval, p, and a verdict
    adjust(comparisons)                        q-values (Benjamini and Hochberg) and verdicts by them

A verdict is "better" or "worse" where p (or q) is at most 0.05, the interval does not hold 0, and training seeds alone would
hardly do as much. For two models that differ by their seed alone do differ on the same test rows, and no test over rows can
know that: with 5,000 rows and three seeds whose accuracies have a std of 0.02, rows alone told equals apart 47 times in 100.
So Welch's t-test over seeds must tell them apart too (3 times in 100). With one seed on a side it cannot be asked: the
verdict is then about two models, not about the data they were trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, lcm
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binomtest, t

from longway.errors import SettingError
from longway.metrics.intervals import DRAWS, mean_interval, plain, seeds_by_rows
from longway.stats import q_values

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Verdict = Literal["better", "worse", "no clear difference"]

FLIPS = 19_999  # sign flips; the smallest p is one in twenty thousand
LEVEL = 0.05  # p or q up to which a difference is called


@dataclass(frozen=True, slots=True)
class Paired:
    """After minus before on the same test rows.

    low, high: 95% interval of the difference over test rows. p: of a difference this large if before and after were
    alike, over test rows; q: among many comparisons. seed_error: the standard error of the difference over training seeds,
    seed_p: p over seeds; both NaN with one seed on a side.
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
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; None for what is not known."""
        return plain(asdict(self))


def paired(
    before_correct: ArrayLike, after_correct: ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> Paired:
    """Whether models trained after the change are right more often, on the same test rows.

    before_correct, after_correct: (seeds x rows) or (rows,), true where the prediction was right.
    p comes from flipping the signs of the rows' differences; with one seed each that is McNemar's test, taken exactly.

    >>> paired([0] * 9 + [1], [1] * 10).verdict
    'better'
    """
    before, after = seeds_by_rows(before_correct), seeds_by_rows(after_correct)
    if before.shape[1] != after.shape[1]:
        raise SettingError(
            f"Before and after must be tested on the same rows. Got {before.shape[1]} and {after.shape[1]} rows."
        )
    n = before.shape[1]
    unit = lcm(len(before), len(after))  # differences are whole numbers of 1 / unit
    whole = np.rint((after.mean(axis=0) - before.mean(axis=0)) * unit).astype(np.int64)
    low, high = mean_interval(whole / unit, lowest=-1.0, draws=draws, seed=seed)
    p = _mcnemar(whole) if unit == 1 else _sign_flip(whole, seed)
    error, seed_p = _over_seeds(before.mean(axis=1), after.mean(axis=1))
    result = Paired(
        before=float(before.mean()),
        after=float(after.mean()),
        difference=float(whole.sum() / (n * unit)),
        low=low,
        high=high,
        p=p,
        q=float("nan"),
        seed_error=error,
        seed_p=seed_p,
        n=n,
        verdict="no clear difference",
    )
    return replace(result, verdict=_verdict(result, p))


def adjust(comparisons: Sequence[Paired]) -> list[Paired]:
    """The same comparisons with q-values, and with verdicts by q instead of p: many comparisons find something by chance."""
    if not comparisons:
        return []
    q = q_values(np.array([one.p for one in comparisons]))
    return [
        replace(one, q=float(value), verdict=_verdict(one, float(value)))
        for one, value in zip(comparisons, q, strict=True)
    ]


def _verdict(one: Paired, p: float) -> Verdict:
    beyond_seeds = isnan(one.seed_p) or one.seed_p <= LEVEL
    if not (p <= LEVEL and (one.low > 0 or one.high < 0) and beyond_seeds):
        return "no clear difference"
    return "better" if one.difference > 0 else "worse"


def _mcnemar(differences: Ints) -> float:
    """The exact test on rows where one side alone is right."""
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def _sign_flip(differences: Ints, seed: int) -> float:
    """The share of random sign flips whose sum is as far from 0 as the one seen, which counts as one of them.

    Rows of the same size s flip alike: the sum of c of them is s (2 B - c), B binomial (c, 1/2).
    """
    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    generator = np.random.default_rng(seed)
    sums = np.zeros(FLIPS, np.int64)
    for size, count in zip(sizes, counts, strict=True):
        sums += size * (2 * generator.binomial(count, 0.5, size=FLIPS) - count)
    as_far = int((np.abs(sums) >= abs(int(differences.sum()))).sum())
    return (as_far + 1) / (FLIPS + 1)


def _over_seeds(before: Floats, after: Floats) -> tuple[float, float]:
    """The standard error of the difference over seeds, and the p of Welch's t-test, which lets the sides' spread differ."""
    if min(len(before), len(after)) < 2:
        return float("nan"), float("nan")
    parts = np.array([side.var(ddof=1) / len(side) for side in (before, after)])
    error, off = float(np.sqrt(parts.sum())), abs(float(after.mean() - before.mean()))
    if error < 1e-9:  # seeds change nothing
        return 0.0, 0.0 if off > 1e-9 else 1.0
    freedom = error**4 / (parts**2 / [len(before) - 1, len(after) - 1]).sum()
    return error, float(2 * t.sf(off / error, freedom))
