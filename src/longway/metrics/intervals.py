"""How sure a number is: mean and std over training seeds, and a 95% interval by resampling the test rows.

    estimate("macro_f1", truth, probabilities, labels)     any metric of `classification.py`
    accuracy_estimate(correct)                             accuracy, from which rows were right
    bootstrap(statistic, n)                                anything that can be said of rows

Arrays are (seeds x rows ...): one entry for each model that was trained and each test row. A resample takes test rows with
replacement, the same ones for all seeds, and averages over seeds; the interval runs from the 2.5% to the 97.5% resample.
It tells what other test rows would have given; the std over seeds tells what another training would have given.

Rows are not drawn one by one where few kinds of row exist (right or wrong with each seed): how often each kind is drawn
is multinomial, so a million rows cost no more than ten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from longway.errors import SettingError
from longway.metrics.classification import OF_NUMBERS, cells_of, checked, f1_of, macro_f1_of, metric_named
from longway.stats import wilson_low

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DRAWS = 1000  # resamples
AT_ONCE = 4_000_000  # numbers held at a time


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured number: mean and std over seeds (NaN for one seed), 95% interval over test rows."""

    mean: float
    std: float
    low: float
    high: float
    n: int
    seeds: int

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; None for what is not known."""
        return plain(asdict(self))


def mean_and_std(values: ArrayLike) -> tuple[float, float]:
    """Mean and sample standard deviation of a number over seeds; the latter is NaN for one seed.

    >>> mean_and_std([0.5, 0.7])
    (0.6, 0.141...)
    """
    given = np.asarray(values, np.float64)
    if not given.size:
        raise SettingError("There is no value to take the mean of: train with at least one seed.")
    return float(given.mean()), float(given.std(ddof=1)) if len(given) > 1 else float("nan")


def estimate(
    metric: str,
    truth: Sequence[str],
    probabilities: ArrayLike,
    labels: Sequence[str],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """A metric of `classification.METRICS` (or "f1:LABEL") with its interval.

    probabilities: (seeds x rows x labels), or (rows x labels) for one seed. Of a single test row, only accuracy has an
    interval; resamples in which the metric is NaN are left out.
    """
    given = np.asarray(probabilities, np.float64)
    by_seed = given if given.ndim == 3 else given[None]
    measure = metric_named(metric)
    mean, std = mean_and_std([measure(truth, one, labels) for one in by_seed])
    if metric == "accuracy":  # its interval is known even where all rows are right
        return accuracy_estimate(correctness(truth, by_seed, labels), draws=draws, seed=seed)
    if metric == "macro_f1" or metric.startswith("f1:"):
        drawn = _counted(metric, truth, by_seed, labels, draws=draws, seed=seed)
    else:
        numbers, _ = checked(truth, by_seed[0], labels)
        of_numbers = OF_NUMBERS[metric]

        def of_rows(rows: Ints) -> float:
            return float(np.mean([of_numbers(numbers[rows], one[rows]) for one in by_seed]))

        drawn = bootstrap(of_rows, len(numbers), draws=draws, seed=seed)
    low, high = _middle(drawn) if len(truth) > 1 else (float("nan"), float("nan"))
    return Estimate(mean, std, low, high, len(truth), len(by_seed))


def accuracy_estimate(correct: ArrayLike, *, draws: int = DRAWS, seed: int = 0) -> Estimate:
    """Accuracy with its interval. correct: (seeds x rows) or (rows,), true where the prediction was right."""
    by_seed = seeds_by_rows(correct)
    mean, std = mean_and_std(by_seed.mean(axis=1))
    low, high = mean_interval(by_seed.mean(axis=0), lowest=0.0, draws=draws, seed=seed)
    return Estimate(mean, std, low, high, by_seed.shape[1], len(by_seed))


def correctness(truth: Sequence[str], probabilities: ArrayLike, labels: Sequence[str]) -> NDArray[np.bool_]:
    """(seeds x rows): whether the most likely label is right. probabilities: (seeds x rows x labels)."""
    cells = np.stack([cells_of(truth, one, labels) for one in np.asarray(probabilities, np.float64)])
    return np.asarray(cells // len(labels) == cells % len(labels))


# ---- resampling --------------------------------------------------------------------------------------------------------


def bootstrap(statistic: Callable[[Ints], float], n: int, *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """A statistic of each of many resamples of n rows. statistic: takes row numbers, some of them repeated."""
    if n < 1:
        raise SettingError("There are no test rows to resample. Give a test with at least one row.")
    generator = np.random.default_rng(seed)
    return np.array([statistic(generator.integers(n, size=n)) for _ in range(draws)], np.float64)


def mean_interval(
    values: Floats, *, lowest: float, highest: float = 1.0, draws: int = DRAWS, seed: int = 0
) -> tuple[float, float]:
    """The 95% bootstrap interval of the mean of one value for each row, values between `lowest` and `highest`.

    Where all rows have the same value v, resamples have no spread. But w, the low end of Wilson's interval for n of n rows,
    is all that is known of how common v is; the rest may have any value: w v + (1 - w) lowest to w v + (1 - w) highest.
    """
    kinds, counts = np.unique(values, return_counts=True)
    n = len(values)
    if len(kinds) == 1:
        w = float(wilson_low(np.ones(1), np.array([n]))[0])
        return w * kinds[0] + (1 - w) * lowest, w * kinds[0] + (1 - w) * highest
    if len(kinds) * 4 > n:  # as good as all different: draw the rows themselves
        return _middle(bootstrap(lambda rows: float(values[rows].mean()), n, draws=draws, seed=seed))
    return _middle(np.concatenate([drawn @ kinds / n for drawn in _draw_kinds(counts, draws, seed)]))


def _draw_kinds(counts: Ints, draws: int, seed: int) -> Iterator[Ints]:
    """How often each kind of row is in each resample: (draws x kinds), in pieces."""
    generator = np.random.default_rng(seed)
    n = int(counts.sum())
    piece = max(1, AT_ONCE // len(counts))
    for start in range(0, draws, piece):
        yield generator.multinomial(n, counts / n, size=min(piece, draws - start))


def _counted(
    metric: str, truth: Sequence[str], by_seed: Floats, labels: Sequence[str], *, draws: int, seed: int
) -> Floats:
    """F1 of each resample, from its confusion tables, mean over seeds."""
    k = len(labels)
    cells = np.stack([cells_of(truth, one, labels) for one in by_seed], axis=1)  # rows x seeds
    kinds, counts = np.unique(cells, axis=0, return_counts=True)
    result = []
    for drawn in _draw_kinds(counts, draws, seed):
        total = np.zeros(len(drawn))
        for column in kinds.T:
            places = csr_matrix(
                (np.ones(len(column)), (column, np.arange(len(column)))), (k * k, len(column))
            )
            total += _f1(metric, (places @ drawn.T).T.reshape(-1, k, k), labels)
        result.append(total / len(by_seed))
    return np.concatenate(result)


def _f1(metric: str, tables: Floats, labels: Sequence[str]) -> Floats:
    if metric == "macro_f1":
        return macro_f1_of(tables)
    return f1_of(tables)[:, list(labels).index(metric.removeprefix("f1:"))]


def _middle(drawn: Floats) -> tuple[float, float]:
    """The middle 95% of resamples; those where the number does not exist are left out, NaN where most are."""
    known = drawn[~np.isnan(drawn)]
    if 2 * len(known) <= len(drawn):
        return float("nan"), float("nan")
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


def seeds_by_rows(correct: ArrayLike) -> Floats:
    """(seeds x rows) of 0 and 1; one row for each seed where only rows are given."""
    given = np.atleast_2d(np.asarray(correct, np.float64))
    if given.ndim != 2 or not given.size:
        raise SettingError(f"'correct' must be seeds x rows with at least one of each. Got {given.shape}.")
    if not np.isin(given, (0.0, 1.0)).all():
        raise SettingError(
            "'correct' must hold only true and false (1 and 0), one for each seed and test row."
        )
    return given


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """Values for JSON: None for NaN."""
    return {k: None if isinstance(v, float) and isnan(v) else v for k, v in fields.items()}
