"""A share estimated from a stratified sample: how many of each kind to draw, and how sure the share is.

    allocate({"a": 900, "b": 100}, 50)          {"a": 45, "b": 5}: who is drawn from how often
    estimate_share([Stratum(...), ...])         the share over everything, with a 95% interval

**Allocation** is Adams' method of apportionment: each next draw goes to the stratum with the most members for each draw it has so
far. That is proportional, gives every stratum one draw before any has two, and makes the least n_h / W_h (see below) as large
as it can be.

**Estimate.** With N_h members in stratum h, n_h of them looked at, x_h of those wrong and W_h = N_h / N, the share is

    p = sum_h W_h x_h / n_h

**Interval.** Clopper and Pearson's (1934), as if m draws had been made of one kind, with m = min_h n_h / W_h and x = m p. It is meant to
hold, not to be short:
  - var(p) = sum_h W_h^2 p_h (1 - p_h) / n_h  <=  max_h (W_h / n_h) * p (1 - p)  =  p (1 - p) / m, so m never promises more than was drawn;
  - where the draws are proportional, m is n and the number of wrong ones is a sum of draws with unlike chances, whose tails are
    lighter than the binomial's (Hoeffding 1956), and so is what is drawn without replacement;
  - with no wrong one seen it does not shrink to nothing, as p +- 2 standard errors does.
What was looked at is known: the ends never leave what it allows, and all members looked at leave nothing to estimate.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from heapq import heapify, heapreplace
from typing import Any, TypeVar

from scipy.special import betaincinv

from longway.errors import SettingError

Name = TypeVar("Name", bound=Hashable)
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Stratum:
    """Members of one kind: how many there are, how many were looked at, how many of those have what is counted."""

    members: int
    seen: int
    hits: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.seen <= self.members:
            raise SettingError(
                "A stratum needs 0 <= hits <= seen <= members. "
                f"Got {self.hits} hits, {self.seen} seen, {self.members} members. Check how they were counted."
            )


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated share with its 95% interval. effective: draws of one kind that would say as much (m)."""

    share: float
    low: float
    high: float
    seen: int
    hits: int
    members: int
    effective: float

    def to_dict(self) -> dict[str, Any]:
        """The share as plain JSON values."""
        return asdict(self)


def allocate(members: Mapping[Name, int], size: int) -> dict[Name, int]:
    """How many to draw from each stratum; all members where there are fewer than asked for.

    Fewer draws than strata: the largest get one each.

    >>> allocate({"a": 900, "b": 100}, 10), allocate({"a": 900, "b": 1}, 10), allocate({"a": 2, "b": 1}, 10)
    ({'a': 9, 'b': 1}, {'a': 9, 'b': 1}, {'a': 2, 'b': 1})
    """
    if size < 1:
        raise SettingError(f"'size' must be 1 or more. Got {size}. Try 100.")
    names = [name for name, n in members.items() if n > 0]
    size = min(size, sum(members[name] for name in names))
    first = sorted(names, key=lambda name: -members[name])[:size]
    given = dict.fromkeys(first, 1)
    heap = [(-members[name] / 1, place, name) for place, name in enumerate(first)]
    heapify(heap)
    for _ in range(size - len(first)):
        _, place, name = heap[0]
        given[name] += 1
        full = given[name] >= members[name]  # all of it: the next one comes from elsewhere
        heapreplace(heap, (0.0 if full else -members[name] / given[name], place, name))
    return {name: given.get(name, 0) for name in names}


def estimate_share(strata: Sequence[Stratum]) -> Share | None:
    """The share of hits over all members; None where a stratum was not looked at, or there is none."""
    strata = [one for one in strata if one.members]
    if not strata or any(not one.seen for one in strata):
        return None
    total = sum(one.members for one in strata)
    share = sum(one.members / total * one.hits / one.seen for one in strata)
    effective = min(one.seen * total / one.members for one in strata)
    low, high = exact_interval(effective * share, effective)
    hits, seen = sum(one.hits for one in strata), sum(one.seen for one in strata)
    surely, at_most = hits / total, (total - seen + hits) / total
    share = min(max(share, surely), at_most)  # against rounding
    return Share(
        share,
        max(min(low, share), surely),
        min(max(high, share), at_most),
        seen,
        hits,
        total,
        effective,
    )


def exact_interval(hits: float, n: float) -> tuple[float, float]:
    """Clopper and Pearson's 95% interval for hits of n; both may be fractions of draws (Korn and Graubard 1998).

    >>> [round(end, 4) for end in exact_interval(0, 100)]
    [0.0, 0.0362]
    """
    tail = (1 - LEVEL) / 2
    hits = min(max(hits, 0.0), n)
    low = 0.0 if hits <= 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits >= n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high
