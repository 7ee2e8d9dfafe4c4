"""How far raters agree: percent, Cohen's kappa with an interval, Krippendorff's alpha for any number of raters.

    agreement(one, other)        two raters, yes or no of the same items
    krippendorff_alpha(rows)     any number of raters, any values, None where one did not rate

Kappa = (p_o - p_e) / (1 - p_e) (Cohen 1960): what they agree on beyond what their habits alone would give. Where both always say the
same there is nothing beyond chance to agree on, and kappa is None.

Its interval is Donner and Eliasziw's (1992): all values of kappa that a goodness-of-fit test of the three counts (both yes, one yes,
both no) does not reject. Unlike kappa +- 2 standard errors it holds in samples of some dozens, and does not shrink to nothing where
two raters agree on everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from longway.errors import SettingError

CHI_SQUARED = 3.841458820694124  # 95% point with one degree of freedom
_STEPS = 4001  # kappas that are tried


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two raters agree on yes or no. percent: 0 to 1. kappa, low, high: None where it is not defined."""

    n: int
    percent: float
    kappa: float | None
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, Any]:
        """The agreement as plain JSON values."""
        return asdict(self)


def agreement(one: Sequence[bool], other: Sequence[bool]) -> Agreement:
    """How far two raters agree on the same items.

    >>> found = agreement([True, True, False, False], [True, False, False, False])
    >>> found.percent, found.kappa
    (0.75, 0.5)
    """
    if len(one) != len(other) or not one:
        raise SettingError(
            f"Two raters must have rated the same items, one at least. Got {len(one)} and {len(other)} ratings. "
            "Compare only what both have rated."
        )
    n = len(one)
    both = sum(a and b for a, b in zip(one, other, strict=True))
    yes = sum(one), sum(other)
    neither = n - yes[0] - yes[1] + both
    percent = (both + neither) / n
    by_chance = (yes[0] * yes[1] + (n - yes[0]) * (n - yes[1])) / n**2
    if by_chance == 1:
        return Agreement(n, percent, None, None, None)
    kappa = (percent - by_chance) / (1 - by_chance)
    low, high = _interval(both, n - both - neither, neither)
    return Agreement(n, percent, kappa, min(low, kappa), max(high, kappa))


def _interval(both: int, apart: int, neither: int) -> tuple[float, float]:
    """The kappas that the counts do not speak against; the share of yes is that of both raters together."""
    n = both + apart + neither
    share = (2 * both + apart) / (2 * n)
    product = share * (1 - share)
    least = max(-share / (1 - share), -(1 - share) / share)  # below, a probability would be negative
    kappas = np.linspace(max(least, -1.0), 1.0, _STEPS)
    expected = n * np.stack(
        [share**2 + kappas * product, 2 * product * (1 - kappas), (1 - share) ** 2 + kappas * product]
    )
    seen = np.array([both, apart, neither], dtype=np.float64)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(expected > 1e-12, (seen - expected) ** 2 / expected, np.where(seen > 0, np.inf, 0.0))
    fits = kappas[parts.sum(axis=0) <= CHI_SQUARED]
    return float(fits.min()), float(fits.max())


def krippendorff_alpha(items: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Krippendorff's alpha for names, without order. items: for each what its raters said, None for those who did not.

    1 is agreement on everything, 0 what chance gives. None where fewer than two values were ever said, or nothing twice.

    >>> round(krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "b"]]), 3)
    0.444
    """
    rated = [kept for item in items if len(kept := [value for value in item if value is not None]) > 1]
    totals = Counter(value for item in rated for value in item)
    n = totals.total()
    if len(totals) < 2:
        return None
    apart = sum(
        (len(item) ** 2 - sum(k * k for k in Counter(item).values())) / (len(item) - 1) for item in rated
    )
    expected = (n * n - sum(k * k for k in totals.values())) / (n - 1)
    return 1 - apart / expected
