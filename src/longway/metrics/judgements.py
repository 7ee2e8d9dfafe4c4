"""Statistics of human judgements: how much raters agree, and a share estimated from a stratified sample.

    agreement(first, second)                    two raters, yes or no about the same items: percent, Cohen's kappa, interval, occurrence
    krippendorff_alpha(items)                   any number of raters, any values, None for a missing rating
    allocate({"a": 900, "b": 100}, 50)          {"a": 45, "b": 5}: how many items to draw from each stratum
    estimate_share([Stratum(...), ...])         the share over all strata, with a 95% interval

**Kappa** = (p_o - p_e) / (1 - p_e) (Cohen 1960): agreement beyond what the raters' own rates would give by chance. If both
always give the same answer, nothing is beyond chance and kappa is None. Its interval is Donner and Eliasziw's (1992): all
values of kappa that a goodness-of-fit test of the three counts (both yes, one yes, both no) does not reject. Unlike
kappa +- 2 standard errors it is valid for samples of a few dozen, and does not collapse if two raters agree on everything.

**Allocation** is Adams' method of apportionment: each draw goes to the stratum with the most members per draw so far. It is
proportional, gives every stratum one draw before any has two, and maximizes the smallest n_h / W_h (see below).

**Estimate.** With N_h members in stratum h, n_h of them reviewed, x_h of those hits and W_h = N_h / N, the share is

    p = sum_h W_h x_h / n_h

**Interval.** Clopper and Pearson's (1934), as for m draws from one stratum, with m = min_h n_h / W_h and x = m p. It is
conservative:
  - var(p) = sum_h W_h^2 p_h (1 - p_h) / n_h  <=  max_h (W_h / n_h) * p (1 - p)  =  p (1 - p) / m, so m never overstates the sample;
  - with proportional draws, m is n and the number of hits is a sum of draws with different probabilities, whose tails are
    lighter than the binomial's (Hoeffding 1956); the same holds for drawing without replacement;
  - with no hit it does not collapse, as p +- 2 standard errors does.
Reviewed members are known: the ends never leave what they allow, and a complete review leaves nothing to estimate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from typing import TypeVar

import numpy as np
from scipy.special import betaincinv

from longway.metrics import Measure

Name = TypeVar("Name", bound=Hashable)
LEVEL = 0.95
CHI_SQUARED = 3.841458820694124  # its 95% point with one degree of freedom
_GRID = 4001  # values of kappa that are tested


@dataclass(frozen=True, slots=True)
class Agreement(Measure):
    """Agreement of two raters on yes or no.

    percent: share of items with the same answer, 0 to 1. kappa, low, high: None if not defined. occurrence: share of items that
    at least one rater said yes to. Table 9 of the perturbation paper gives occurrence and agreement of each tag.
    """

    n: int
    percent: float
    kappa: float | None
    low: float | None
    high: float | None
    occurrence: float


def agreement(first: Sequence[bool], second: Sequence[bool]) -> Agreement:
    """Agreement of two raters on the same items.

    >>> raters = agreement([True, True, False, False], [True, False, False, False])
    >>> raters.percent, raters.kappa, raters.occurrence
    (0.75, 0.5, 0.5)
    """
    n = len(first)
    both = sum(a and b for a, b in zip(first, second, strict=True))
    yes = sum(first), sum(second)
    neither = n - yes[0] - yes[1] + both
    percent, occurrence = (both + neither) / n, 1 - neither / n
    by_chance = (yes[0] * yes[1] + (n - yes[0]) * (n - yes[1])) / n**2
    if by_chance == 1:
        return Agreement(n, percent, None, None, None, occurrence)
    kappa = (percent - by_chance) / (1 - by_chance)
    low, high = _kappa_interval(both, n - both - neither, neither)
    return Agreement(n, percent, kappa, min(low, kappa), max(high, kappa), occurrence)


def _kappa_interval(both: int, differ: int, neither: int) -> tuple[float, float]:
    """The values of kappa that the counts do not reject; the rate of yes is that of both raters together."""
    n = both + differ + neither
    rate = (2 * both + differ) / (2 * n)
    product = rate * (1 - rate)
    lowest = max(-rate / (1 - rate), -(1 - rate) / rate)  # below this a probability would be negative
    kappas = np.linspace(max(lowest, -1.0), 1.0, _GRID)
    expected = n * np.stack(
        [rate**2 + kappas * product, 2 * product * (1 - kappas), (1 - rate) ** 2 + kappas * product]
    )
    counts = np.array([both, differ, neither], dtype=np.float64)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        empty = np.where(counts > 0, np.inf, 0.0)
        parts = np.where(expected > 1e-12, (counts - expected) ** 2 / expected, empty)
    fits = kappas[parts.sum(axis=0) <= CHI_SQUARED]
    return float(fits.min()), float(fits.max())


def krippendorff_alpha(items: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Krippendorff's alpha for nominal values. items: the ratings of each item, None for a missing one.

    1 is perfect agreement, 0 is chance. None if fewer than two values occur, or no item has two ratings.

    >>> round(krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "b"]]), 3)
    0.444
    """
    rated = [given for item in items if len(given := [value for value in item if value is not None]) > 1]
    totals = Counter(value for item in rated for value in item)
    n = totals.total()
    if len(totals) < 2:
        return None
    observed = sum(
        (len(item) ** 2 - sum(k * k for k in Counter(item).values())) / (len(item) - 1) for item in rated
    )
    expected = (n * n - sum(k * k for k in totals.values())) / (n - 1)
    return 1 - observed / expected


@dataclass(frozen=True, slots=True)
class Stratum:
    """One stratum. members: in all; seen: how many were reviewed; hits: how many of those have the property."""

    members: int
    seen: int
    hits: int


@dataclass(frozen=True, slots=True)
class EstimatedShare(Measure):
    """An estimated share with its 95% interval. effective: the equivalent number of draws from one stratum (m)."""

    share: float
    low: float
    high: float
    seen: int
    hits: int
    members: int
    effective: float


def allocate(members: Mapping[Name, int], size: int) -> dict[Name, int]:
    """How many items to draw from each stratum; all of them if there are fewer than `size`.

    With fewer draws than strata, the largest strata get one each.

    >>> allocate({"a": 900, "b": 100}, 10), allocate({"a": 900, "b": 1}, 10), allocate({"a": 2, "b": 1}, 10)
    ({'a': 9, 'b': 1}, {'a': 9, 'b': 1}, {'a': 2, 'b': 1})
    """
    names = [name for name, n in members.items() if n > 0]
    size = min(size, sum(members[name] for name in names))
    first = sorted(names, key=lambda name: -members[name])[:size]
    draws = dict.fromkeys(first, 1)
    heap = [(-members[name] / 1, i, name) for i, name in enumerate(first)]
    heapify(heap)
    for _ in range(size - len(first)):
        _, i, name = heap[0]
        draws[name] += 1
        is_full = draws[name] >= members[name]
        heapreplace(heap, (0.0 if is_full else -members[name] / draws[name], i, name))
    return {name: draws.get(name, 0) for name in names}


def estimate_share(strata: Sequence[Stratum]) -> EstimatedShare | None:
    """The share of hits among all members; None if a stratum was not reviewed, or there is none."""
    strata = [stratum for stratum in strata if stratum.members]
    if not strata or any(not stratum.seen for stratum in strata):
        return None
    total = sum(stratum.members for stratum in strata)
    share = sum(stratum.members / total * stratum.hits / stratum.seen for stratum in strata)
    effective = min(stratum.seen * total / stratum.members for stratum in strata)
    low, high = exact_interval(effective * share, effective)
    hits, seen = sum(stratum.hits for stratum in strata), sum(stratum.seen for stratum in strata)
    at_least, at_most = hits / total, (total - seen + hits) / total
    share = min(max(share, at_least), at_most)  # against rounding
    low, high = max(min(low, share), at_least), min(max(high, share), at_most)
    return EstimatedShare(share, low, high, seen, hits, total, effective)


def exact_interval(hits: float, n: float) -> tuple[float, float]:
    """Clopper and Pearson's 95% interval for hits of n; both may be fractional (Korn and Graubard 1998).

    >>> [round(end, 4) for end in exact_interval(0, 100)]
    [0.0, 0.0362]
    """
    tail = (1 - LEVEL) / 2
    hits = min(max(hits, 0.0), n)
    low = 0.0 if hits <= 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high
