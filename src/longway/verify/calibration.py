"""How often each check errs, and what that implies for the texts that passed: read from `calibration.json`.

    bounds("meaning")                       the thresholds of a check
    error_rates("pair")                     false accepts and false rejects per check, with 95% intervals
    base_rate("pair", 0.2, n=50)            the share of wrong candidates, given the share that was rejected
    expected_wrong("pair", base)            the share of wrong labels among accepted candidates
    wrong_rows(0.03, [1, 2])                the share of wrong rows, if some rows were rewritten more than once

`runs/calibration.py` writes the file, using data with known answers. A false accept is a candidate with another label that a
check accepts. A false reject is a candidate with the right label that a check rejects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from longway.json_values import from_json
from longway.stats import wilson_interval

FILE = Path(__file__).parent / "calibration.json"
TaskKind = Literal["single", "pair"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A share with its 95% interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rate(Interval):
    """A share of n candidates with its 95% interval."""

    n: int

    @classmethod
    def of(cls, n: int, of: int) -> Rate:
        """n out of `of`, with Wilson's 95% interval.

        >>> Rate.of(0, 10)
        Rate(share=0.0, low=0.0, high=0.2775, n=10)
        """
        low, high = wilson_interval(n / of, of) if of else (0.0, 1.0)
        return cls(round(n / of, 4) if of else 0.0, round(low, 4), round(high, 4), of)


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """How often a check errs."""

    false_accept: Rate
    false_reject: Rate


@dataclass(frozen=True, slots=True)
class ExpectedWrong(Interval):
    """The share of accepted edits whose label is expected to be wrong, with its 95% interval.

    basis: what the estimate rests on. rows: the same for changed rows, which may have several edits; None if they were not counted.
    """

    basis: str = ""
    rows: Interval | None = None


@dataclass(frozen=True, slots=True)
class CheckErrors:
    """How often a check errs on data with known answers: accepts a wrong text, rejects a right one."""

    false_accept: float
    false_reject: float


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a report says about the checks.

    errors: by check. missing: checks that were skipped, "name: why".
    wrong: None if nothing was accepted or a check that the error rates depend on is missing.
    """

    errors: Mapping[str, CheckErrors] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    wrong: ExpectedWrong | None = None


@dataclass(frozen=True, slots=True)
class _Calibration:
    """The contents of the file."""

    bounds: dict[str, dict[str, float]]
    rates: dict[str, dict[str, ErrorRates]]


@cache
def _calibration() -> _Calibration:
    content: _Calibration = from_json(_Calibration, json.loads(FILE.read_text(encoding="utf-8")))
    return content


def bounds(check: str) -> dict[str, float]:
    """The thresholds of a check."""
    return dict(_calibration().bounds[check])


def error_rates(kind: TaskKind) -> Mapping[str, ErrorRates]:
    """Error rates by check; "all" for all checks together."""
    return _calibration().rates[kind]


def base_rate(kind: TaskKind, rejected: float, n: int) -> Interval:
    """The share of wrong candidates that explains the share of rejected ones among n (Rogan and Gladen 1978).

    rejected = wrong (1 - false accepts) + right false rejects, solved for wrong and clipped to [0, 1]. The interval is that of the n
    candidates and of the error rates.
    """
    rates = error_rates(kind)["all"]
    accept, reject = rates.false_accept, rates.false_reject
    low, high = wilson_interval(rejected, n) if n else (0.0, 1.0)
    return Interval(
        _base(rejected, accept.share, reject.share),
        _base(low, accept.low, reject.high),
        _base(high, accept.high, reject.low),
    )


def _base(rejected: float, accept: float, reject: float) -> float:
    informed = 1 - accept - reject
    return 0.5 if informed <= 0 else min(1.0, max(0.0, (rejected - reject) / informed))


def expected_wrong(kind: TaskKind, base_rate: Interval) -> Interval:
    """The share of wrong labels among accepted candidates.

    base_rate: the share of wrong candidates before checking. The ends of its interval are combined with those of the
    error rates' intervals, which makes the result wide rather than narrow.
    """
    rates = error_rates(kind)["all"]
    accept, reject = rates.false_accept, rates.false_reject
    return Interval(
        _wrong(base_rate.share, accept.share, reject.share),
        _wrong(base_rate.low, accept.low, reject.low),
        _wrong(base_rate.high, accept.high, reject.high),
    )


def _wrong(base: float, accept: float, reject: float) -> float:
    passed = base * accept + (1 - base) * (1 - reject)
    return base * accept / passed if passed > 0 else 0.0


def wrong_rows(share: float, edits: Sequence[int]) -> float:
    """The share of rows with at least one wrong edit, if edits are wrong independently with probability `share`.

    edits: number of accepted edits per row.

    >>> round(wrong_rows(0.1, [1, 2]), 3)
    0.145
    """
    return sum(1 - (1 - share) ** n for n in edits) / len(edits) if edits else 0.0
