"""How bad is a finding? critical, high or low: by the accuracy that a model gains from the pattern alone.

    critical   the pattern alone makes a model right at least 10 percentage points more often
    high       at least 2 points, or nearly every text with the pattern has the label (95% interval above 90%)
    low        everything else that passed the test

Points are counted as if the label and all others were equally frequent (`Finding.points`). Critical and high findings must pass a stricter
test, q at most 0.005 instead of 0.05: a gate that stops work because of them should not stop it by chance.
"""

from __future__ import annotations

from collections.abc import Iterable

from longway.records import Finding

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
