"""A share of judged items, estimated from a stratified sample.

    allocate({"a": 900, "b": 100}, 50)          {"a": 45, "b": 5}: how many items to draw from each stratum
    estimate_share([Stratum(...), ...])         the share over all strata, with a 95% interval

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

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from typing import TypeVar

from scipy.special import betaincinv

from longway.metrics import Measure

Name = TypeVar("Name", bound=Hashable)
LEVEL = 0.95


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
