"""How bad is a finding? critical, high or low: by the accuracy that a model gains from the pattern alone.

    critical   the pattern alone makes a model right at least 10 percentage points more often
    high       at least 2 points, or nearly every text with the pattern has the label (95% interval above 90%)
    low        everything else that passed the test

Points are counted as if the label and all others were equally frequent (`Finding.points`). Critical and high findings must pass a stricter
test, q at most 0.005 instead of 0.05: a gate that stops work because of them should not stop it by chance.

Where nothing was found, `undecided` says whether a critical leak would have been: a simple model that is right 10 points more often than by
chance. Its 95% interval is above chance if it counts at least

    chance * (1 - chance) * (1.96 / 0.10)^2

independent rows: 96 where chance is 50%. From frequent labels there is less to gain; where chance is above 80%, half of what is left to 100%
takes the place of the 10 points. A measurement counts fewer independent rows (`Leak.observations`) than it has, because of repeated texts and
because models of different folds make related errors: of 600 rows with different texts, 300. "No leak" is only said if they are enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longway.records import Finding, Leak

CRITICAL, HIGH, LOW = "critical", "high", "low"
SEVERITIES = (CRITICAL, HIGH, LOW)  # worst first
CRITICAL_POINTS, HIGH_POINTS = 0.10, 0.02
NEARLY_ALWAYS = 0.9
MAX_Q = 0.005


def severity_of(finding: Finding) -> str:
    """The severity of one finding."""
    if finding.q > MAX_Q:
        return LOW
    if finding.points >= CRITICAL_POINTS:
        return CRITICAL
    is_sure = finding.share_low >= max(NEARLY_ALWAYS, finding.base_rate)
    return HIGH if finding.points >= HIGH_POINTS or is_sure else LOW


def at_least(severity: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings of this severity or worse."""
    wanted = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return [finding for finding in findings if severity_of(finding) in wanted]


def rows_needed(leak: Leak) -> int:
    """How many rows like those measured would show a critical leak, to two digits; 0 if it shows a leak, or there are enough."""
    points = max(min(CRITICAL_POINTS, (1 - leak.majority) / 2), 1e-9)
    needed = leak.majority * (1 - leak.majority) * (1.96 / points) ** 2
    if leak.low > leak.majority or leak.observations >= needed or not leak.observations:
        return 0
    return int(float(f"{leak.rows * needed / leak.observations:.1e}"))


def undecided(leaks: Iterable[Leak], findings: Sequence[Finding] = ()) -> Leak | None:
    """The leak that was measured on too few rows to tell, and needs the most; None if there is none, or something was found.

    leaks, findings: of one audit. What reads both columns of a pair does not count: it is meant to predict the label.
    """
    parts = [leak for leak in leaks if leak.part != "both"]
    is_found = bool(findings) or any(leak.low > leak.majority for leak in parts)
    return None if is_found else max(filter(rows_needed, parts), key=rows_needed, default=None)


def too_few_words(leak: Leak) -> str:
    """The end of a sentence about a leak: that it was measured on too few rows to tell; "" if they are enough."""
    return f"; too few rows to tell, about {rows_needed(leak):,} are needed" if rows_needed(leak) else ""


def too_few(leak: Leak, source: str) -> str:
    """Why an undecided leak is no pass, and what would help. source: what the model reads, such as "from the claim alone".

    >>> leak = Leak("text", ("claim",), 0.5, 0.31, 0.69, 0.5, "10-fold cross-validation", 600, observations=23)
    >>> too_few(leak, "from the claim alone")
    'Too few rows to tell: a simple model is right in 31% to 69% from the claim alone (95% interval; chance is 50%). About 2,500 rows like these are needed.'
    """
    return (
        f"Too few rows to tell: a simple model is right in {leak.low:.0%} to {leak.high:.0%} {source} (95% interval; chance is "
        f"{leak.majority:.0%}). About {rows_needed(leak):,} rows like these are needed."
    )
