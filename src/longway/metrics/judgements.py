"""The share of items with a property, estimated from a simple random sample of them.

    estimate_share(members=1000, seen=50, hits=2)        0.04, with a 95% interval

The interval is Clopper and Pearson's (1934). It is conservative for draws without replacement, whose number of hits has lighter tails than the
binomial's (Hoeffding 1956), and with no hit it does not collapse, as p +- 2 standard errors does. What was reviewed is known: the ends never
leave what it allows, and a complete review leaves nothing to estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import betaincinv

from longway.metrics import Measure

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class EstimatedShare(Measure):
    """An estimated share with its 95% interval. members: in all; seen: how many were reviewed; hits: how many of those have the property."""

    share: float
    low: float
    high: float
    seen: int
    hits: int
    members: int


def estimate_share(members: int, seen: int, hits: int) -> EstimatedShare | None:
    """The share of hits among all members; None if none was reviewed."""
    if not seen:
        return None
    low, high = exact_interval(hits, seen)
    at_least, at_most = hits / members, (members - seen + hits) / members
    share = min(max(hits / seen, at_least), at_most)  # against rounding
    return EstimatedShare(share, max(min(low, share), at_least), min(max(high, share), at_most), seen, hits, members)  # fmt: skip


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
