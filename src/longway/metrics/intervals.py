"""Confidence intervals: mean and std over training seeds, and a 95% interval by resampling test rows.

    estimate("macro_f1", truth, probabilities, labels)     any metric of `classification.py`
    accuracy_estimate(correct)                             accuracy, from which rows were correct
    bootstrap(statistic, n)                                any statistic of rows
    percentage(hits, n), resampled(value, draws)           a `Measurement`: a value with its interval

Arrays are (seeds, rows, ...): one entry per trained model and test row. A resample draws test rows with replacement, the same
ones for all seeds, and averages over seeds; the interval runs from the 2.5% to the 97.5% quantile of the resamples. It
reflects the choice of test rows; the std over seeds reflects the randomness of training.

Test rows that repeat a text or share a context are not independent: a model is often right on all of them or on none. `clusters` says which
rows belong together, in one or several ways (a number for each row, the same for rows that belong together). Whole clusters are then
drawn instead of rows, by the way with the largest variance; where single rows have the largest, and without clusters, rows are drawn.

If there are few kinds of rows (correct or wrong with each seed), rows are not drawn one by one: how often each kind is drawn
is multinomial, so a million rows cost no more than ten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from longway.metrics import Measure
from longway.metrics.classification import (
    METRICS,
    checked,
    confusion_cells,
    f1_of,
    macro_f1_of,
    metric_named,
)
from longway.stats import wilson_interval, wilson_low

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NAN = float("nan")

DRAWS = 1000  # resamples
AT_ONCE = 4_000_000  # numbers held at a time


@dataclass(frozen=True, slots=True)
class MetricEstimate(Measure):
    """A metric: mean and std over seeds (NaN for one seed), 95% interval over test rows."""

    mean: float
    std: float
    low: float
    high: float
    n: int
    seeds: int


def mean_and_std(values: ArrayLike) -> tuple[float, float]:
    """Mean and sample standard deviation over seeds; the latter is NaN for one seed.

    >>> mean_and_std([0.5, 0.7])
    (0.6, 0.141...)
    """
    given = np.asarray(values, np.float64)
    return float(given.mean()), float(given.std(ddof=1)) if len(given) > 1 else NAN


def estimate(
    metric: str,
    truth: Sequence[str],
    probabilities: ArrayLike,
    labels: Sequence[str],
    *,
    clusters: Sequence[Ints] = (),
    draws: int = DRAWS,
    seed: int = 0,
) -> MetricEstimate:
    """A metric of `classification.METRICS` (or "f1:LABEL") with its interval.

    probabilities: (seeds, rows, labels), or (rows, labels) for one seed. With a single test row, only accuracy has an
    interval; resamples in which the metric is NaN are left out.
    """
    given = np.asarray(probabilities, np.float64)
    by_seed = given if given.ndim == 3 else given[None]
    measure = metric_named(metric)
    mean, std = mean_and_std([measure(truth, one_seed, labels) for one_seed in by_seed])
    correct = correctness(truth, by_seed, labels)
    if metric == "accuracy":  # its interval is defined even if all rows are correct
        return accuracy_estimate(correct, clusters=clusters, draws=draws, seed=seed)
    together = widest(correct.mean(axis=0), clusters)
    of_numbers = METRICS[metric].of_numbers if metric in METRICS else None
    if of_numbers is None:
        drawn = _resampled_f1(metric, truth, by_seed, labels, together, draws=draws, seed=seed)
    else:
        numbers, _ = checked(truth, by_seed[0], labels)
        drawn = np.concatenate(
            [
                np.mean([of_numbers(numbers, one_seed, weights) for one_seed in by_seed], axis=0)
                for weights in _drawn_weights(len(numbers), together, draws, seed)
            ]
        )
    low, high = _middle(drawn) if len(truth) > 1 else (NAN, NAN)
    return MetricEstimate(mean, std, low, high, len(truth), len(by_seed))


def accuracy_estimate(
    correct: ArrayLike, *, clusters: Sequence[Ints] = (), draws: int = DRAWS, seed: int = 0
) -> MetricEstimate:
    """Accuracy with its interval. correct: (seeds, rows) or (rows,), true if the prediction was correct."""
    by_seed = seeds_by_rows(correct)
    mean, std = mean_and_std(by_seed.mean(axis=1))
    low, high = mean_interval(by_seed.mean(axis=0), lowest=0.0, clusters=clusters, draws=draws, seed=seed)
    return MetricEstimate(mean, std, low, high, by_seed.shape[1], len(by_seed))


def correctness(truth: Sequence[str], probabilities: ArrayLike, labels: Sequence[str]) -> NDArray[np.bool_]:
    """(seeds, rows): whether the most likely label is correct. probabilities: (seeds, rows, labels)."""
    by_seed = np.asarray(probabilities, np.float64)
    cells = np.stack([confusion_cells(truth, one_seed, labels) for one_seed in by_seed])
    return np.asarray(cells // len(labels) == cells % len(labels))


def seeds_by_rows(correct: ArrayLike) -> Floats:
    """The array as (seeds, rows) of 0 and 1; a flat array is one seed."""
    return np.atleast_2d(np.asarray(correct, np.float64))


# ---- resampling --------------------------------------------------------------------------------------------------------


def design_effect(values: Floats, together: Ints) -> float:
    """How many rows count as one observation of the mean of `values`, if rows with the same number in `together` are drawn together.

    The variance of the mean with clusters drawn, by that with rows drawn (Kish 1965). If all values are the same, it is rows per cluster.

    >>> design_effect(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1]))
    3.0
    """
    n, off = len(values), values - values.mean()
    sums = np.bincount(together, off)[np.unique(together)]
    own = float((off**2).sum())
    if len(sums) < 2 or own < 1e-12:
        return n / len(sums)
    return float((sums**2).sum()) * len(sums) / (len(sums) - 1) / (own * n / (n - 1))


def widest(values: Floats, clusters: Sequence[Ints]) -> Ints | None:
    """Of several ways in which rows belong together, the one with the largest design effect; None if each row counts."""
    effects = [design_effect(values, together) for together in clusters]
    return clusters[int(np.argmax(effects))] if max(effects, default=1.0) > 1 else None


def observations(values: Floats, clusters: Sequence[Ints]) -> float:
    """As how many independent rows these rows count."""
    return len(values) / max([1.0, *(design_effect(values, together) for together in clusters)])


def bootstrap(
    statistic: Callable[[Ints], float],
    n: int,
    *,
    together: Ints | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Floats:
    """A statistic of each of many resamples of n rows. statistic: takes row indices, some of them repeated.

    together: a number for each row; rows with the same number are drawn together.
    """
    generator = np.random.default_rng(seed)
    if together is None:
        return np.array([statistic(generator.integers(n, size=n)) for _ in range(draws)], np.float64)
    _, which, sizes = np.unique(together, return_inverse=True, return_counts=True)
    members = np.split(np.argsort(which, kind="stable"), np.cumsum(sizes)[:-1])
    m = len(members)
    drawn = (np.concatenate([members[i] for i in generator.integers(m, size=m)]) for _ in range(draws))
    return np.array([statistic(rows) for rows in drawn], np.float64)


def mean_interval(
    values: Floats,
    *,
    lowest: float,
    clusters: Sequence[Ints] = (),
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[float, float]:
    """The 95% bootstrap interval of the mean of one value per row, values between `lowest` and 1.

    If all rows have the same value v, resamples have no spread. Let w be the lower end of Wilson's interval for n of n
    rows (or clusters): at least that share has v, and the rest may have any value. So it is w v + (1 - w) lowest to w v + 1 - w.
    """
    kinds, counts = np.unique(values, return_counts=True)
    n = len(values)
    if len(kinds) == 1:
        w = float(wilson_low(np.ones(1), np.array([observations(values, clusters)]))[0])
        return w * kinds[0] + (1 - w) * lowest, w * kinds[0] + 1 - w
    if (together := widest(values, clusters)) is not None:
        _, which, sizes = np.unique(together, return_inverse=True, return_counts=True)
        sums, each = np.bincount(which, values), np.ones(len(sizes), np.int64)
        parts = _draw_kinds(each, draws, seed)
        return _middle(np.concatenate([drawn @ sums / (drawn @ sizes) for drawn in parts]))
    if len(kinds) * 4 > n:  # nearly all different: draw the rows themselves
        return _middle(bootstrap(lambda rows: float(values[rows].mean()), n, draws=draws, seed=seed))
    return _middle(np.concatenate([drawn @ kinds / n for drawn in _draw_kinds(counts, draws, seed)]))


def _draw_kinds(counts: Ints, draws: int, seed: int) -> Iterator[Ints]:
    """How often each kind of row is in each resample: (draws, kinds), in parts."""
    generator = np.random.default_rng(seed)
    n = int(counts.sum())
    size = max(1, AT_ONCE // len(counts))
    for start in range(0, draws, size):
        yield generator.multinomial(n, counts / n, size=min(size, draws - start))


def _drawn_weights(n: int, together: Ints | None, draws: int, seed: int) -> Iterator[Floats]:
    """How often each of n rows is in each resample: (draws, rows), in parts. together: as for `bootstrap`."""
    which = np.arange(n) if together is None else np.unique(together, return_inverse=True)[1]
    at_once = max(1, AT_ONCE // n)
    each = np.ones(which.max() + 1, np.int64)
    for drawn in _draw_kinds(each, draws, seed):
        for start in range(0, len(drawn), at_once):
            yield drawn[start : start + at_once, which].astype(np.float64)


def _resampled_f1(
    metric: str,
    truth: Sequence[str],
    by_seed: Floats,
    labels: Sequence[str],
    together: Ints | None,
    *,
    draws: int,
    seed: int,
) -> Floats:
    """F1 of each resample, from its confusion tables, mean over seeds. together: as for `bootstrap`."""
    k = len(labels)
    cells = np.stack(
        [confusion_cells(truth, one_seed, labels) for one_seed in by_seed], axis=1
    )  # (rows, seeds)
    if together is None:
        kinds, counts = np.unique(cells, axis=0, return_counts=True)
        unit = np.arange(len(kinds))
    else:  # what is drawn are clusters, which have a table each
        unit = np.unique(together, return_inverse=True)[1]
        kinds, counts = cells, np.ones(unit.max() + 1, np.int64)
    result = []
    for drawn in _draw_kinds(counts, draws, seed):
        total = np.zeros(len(drawn))
        for column in kinds.T:
            cell_of_kind = csr_matrix((np.ones(len(column)), (column, unit)), (k * k, len(counts)))
            tables = (cell_of_kind @ drawn.T).T.reshape(-1, k, k)
            if metric == "macro_f1":
                total += macro_f1_of(tables)
            else:
                total += f1_of(tables)[:, list(labels).index(metric.removeprefix("f1:"))]
        result.append(total / len(by_seed))
    return np.concatenate(result)


def _middle(drawn: Floats) -> tuple[float, float]:
    """The middle 95% of the resamples; undefined ones (NaN) are left out, and NaN is returned if most are undefined."""
    known = drawn[~np.isnan(drawn)]
    if 2 * len(known) <= len(drawn):
        return NAN, NAN
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


# ---- a value with its interval -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measurement(Measure):
    """A value and its 95% interval; NaN if unknown."""

    value: float
    low: float
    high: float

    @classmethod
    def from_dict(cls, values: Mapping[str, float | None]) -> Measurement:
        """The measurement in JSON values, which have None for NaN."""
        known = (values[key] for key in ("value", "low", "high"))
        return cls(*(NAN if number is None else float(number) for number in known))


def percentage(hits: float, n: float) -> Measurement:
    """A share in percent with Wilson's interval; unknown without trials.

    >>> [round(x) for x in (percentage(50, 100).low, percentage(50, 100).high)]
    [40, 60]
    >>> percentage(0, 0)
    Measurement(value=nan, low=nan, high=nan)
    """
    if not n:
        return Measurement(NAN, NAN, NAN)
    low, high = wilson_interval(hits / n, n)
    return Measurement(100 * hits / n, 100 * low, 100 * high)


def resampled(value: float, drawn: ArrayLike, *, n: int = 0) -> Measurement:
    """A value with the middle 95% of its resamples; without an interval if these are all the same.

    n: if the value is a percentage of so many rows. If all rows agree, resamples have no spread, and the interval is that of
    `mean_interval`: from w v to w v + 100 (1 - w).
    """
    known = np.asarray(drawn, np.float64)
    known = known[np.isfinite(known)]
    if len(known) > 1 and np.ptp(known) > 1e-9:
        low, high = np.quantile(known, [0.025, 0.975])
        return Measurement(value, float(low), float(high))
    if not n:
        return Measurement(value, NAN, NAN)
    w = wilson_interval(1.0, n)[0]
    return Measurement(value, w * value, w * value + 100 * (1 - w))
