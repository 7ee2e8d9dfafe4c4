"""How often each check errs, and what that says about the texts that passed: read from `calibration.json`.

    bounds("meaning")                       the thresholds of a check
    error_rates("pair")                     for each check its false accepts and rejects, with 95% intervals
    base_rate("pair", 0.2)                  how many candidates were wrong, seen from how many were rejected
    expected_wrong("pair", 0.1)             how many of those that passed are wrong all the same
    wrong_rows(0.03, [1, 2])                how many rows are, where some were rewritten more than once

`runs/calibration.py` makes the file, on data whose answers are known. A false accept is a candidate with another label that a
check lets pass; a false reject one whose label holds and that it does not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from longway.stats import wilson_interval

FILE = Path(__file__).parent / "calibration.json"
TaskKind = Literal["single", "pair"]


@cache
def calibration() -> dict[str, Any]:
    """The file as plain values."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def bounds(check: str) -> dict[str, float]:
    """The thresholds of a check."""
    return dict(calibration()["bounds"][check])


def error_rates(kind: TaskKind) -> dict[str, dict[str, Any]]:
    """For each check its error rates with intervals; "all" for all checks together."""
    return dict(calibration()["rates"][kind])


def base_rate(kind: TaskKind, rejected: float) -> float:
    """The share of wrong candidates that explains the share of rejected ones (Rogan and Gladen 1978).

    rejected = wrong (1 - false accepts) + right false rejects, solved for wrong and kept between 0 and 1.
    """
    return _base(kind, rejected, "share", "share")


def base_rate_interval(kind: TaskKind, rejected: float, n: int) -> tuple[float, float]:
    """The ends between which that share lies, as far as the n candidates and the error rates tell."""
    low, high = wilson_interval(rejected, n) if n else (0.0, 1.0)
    return _base(kind, low, "low", "high"), _base(kind, high, "high", "low")


def _base(kind: TaskKind, rejected: float, accept_end: str, reject_end: str) -> float:
    rates = error_rates(kind)["all"]
    accept, reject = rates["false_accept"][accept_end], rates["false_reject"][reject_end]
    informed = 1 - accept - reject
    return 0.5 if informed <= 0 else min(1.0, max(0.0, (rejected - reject) / informed))


def expected_wrong(
    kind: TaskKind, base_rate: float, *, ends: tuple[float, float] | None = None
) -> tuple[float, float, float]:
    """The share of wrong labels among accepted candidates, with the low and high end of its 95% interval.

    base_rate: the share of wrong ones before checking; ends: between which it lies. The ends of the error rates' intervals
    are taken together with them, so that the result is wide rather than narrow.
    """
    rates = error_rates(kind)["all"]
    accept, reject = rates["false_accept"], rates["false_reject"]
    low, high = ends or (base_rate, base_rate)
    return (
        _wrong(base_rate, accept["share"], reject["share"]),
        _wrong(low, accept["low"], reject["low"]),
        _wrong(high, accept["high"], reject["high"]),
    )


def _wrong(base: float, accept: float, reject: float) -> float:
    passed = base * accept + (1 - base) * (1 - reject)
    return base * accept / passed if passed > 0 else 0.0


def wrong_rows(share: float, edits: Sequence[int]) -> float:
    """The share of rows of which at least one edit is wrong, where each edit is so with the same chance, one by one.

    edits: for each row how many of its edits were accepted.

    >>> round(wrong_rows(0.1, [1, 2]), 3)
    0.145
    """
    return sum(1 - (1 - share) ** n for n in edits) / len(edits) if edits else 0.0


def rate(n: int, of: int) -> dict[str, float]:
    """A share with Wilson's 95% interval, as the file keeps it.

    >>> rate(0, 10)
    {'n': 10, 'share': 0.0, 'low': 0.0, 'high': 0.2775}
    """
    low, high = wilson_interval(n / of, of) if of else (0.0, 1.0)
    return {"n": of, "share": round(n / of, 4) if of else 0.0, "low": round(low, 4), "high": round(high, 4)}
