"""A measured number with its 95% interval."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from longway.metrics.intervals import plain
from longway.stats import wilson_interval


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and its 95% interval; NaN where nothing is known."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; None for what is not known."""
        return plain(asdict(self))


def percentage(hits: float, n: float) -> Figure:
    """A share in percent with Wilson's interval; nothing is known where there is no trial.

    >>> [round(x) for x in (percentage(50, 100).low, percentage(50, 100).high)]
    [40, 60]
    >>> percentage(0, 0)
    Figure(value=nan, low=nan, high=nan)
    """
    if not n:
        return Figure(float("nan"), float("nan"), float("nan"))
    low, high = wilson_interval(hits / n, n)
    return Figure(100 * hits / n, 100 * low, 100 * high)


def preference(first: float, second: float) -> Figure:
    """How often the first of two was preferred, in percent; 50 and everything possible where neither was.

    >>> preference(3, 1).value
    75.0
    >>> preference(0, 0)
    Figure(value=50.0, low=0.0, high=100.0)
    """
    return percentage(first, first + second) if first + second else Figure(50.0, 0.0, 100.0)


def resampled(value: float, drawn: ArrayLike, *, n: int = 0) -> Figure:
    """A number with the middle 95% of what resamples gave; no interval where these are all the same.

    n: given for a percentage of so many rows. Where all rows agree, resamples have no spread, and w, the low end of Wilson's interval for n of n,
    is all that is known of how common their value is: from w v to w v + 100 (1 - w), as in `metrics.intervals`.
    """
    known = np.asarray(drawn, np.float64)
    known = known[np.isfinite(known)]
    if len(known) > 1 and np.ptp(known) > 1e-9:
        low, high = np.quantile(known, [0.025, 0.975])
        return Figure(value, float(low), float(high))
    if not n:
        return Figure(value, float("nan"), float("nan"))
    w = wilson_interval(1.0, n)[0]
    return Figure(value, w * value, w * value + 100 * (1 - w))
