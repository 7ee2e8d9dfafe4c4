"""A gate for continuous integration: does an audit stay below given limits, and has it nothing new against a baseline?

    reasons = gate(result, Limits(leak=0.6, severity="high"), baseline=AuditResult)
    junit(result, reasons), sarif(result, reasons)       the reasons as other tools read them

A leak is over its limit if its accuracy is and if its 95% interval is above chance. A finding counts if it is at least as severe as the limit says. With a
baseline, findings that the baseline has do not count unless they have become noticeably worse; without a limit, new critical and high ones count.
An audit in which too few rows were looked at to find anything does not pass, unless the interval of the leak ends below the only limit.
"""

from __future__ import annotations

import json
import os
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote
from xml.etree import ElementTree

from longway.detect.severity import (
    CRITICAL,
    HIGH,
    LOW,
    SEVERITIES,
    at_least,
    severity_of,
    too_few,
    undecided,
)
from longway.errors import CheckFailed, SettingError
from longway.jobs.results import Result
from longway.records import Finding, Leak
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.labels import SEEN
from longway.stats import NOTICEABLE

_LEVELS = {CRITICAL: "error", HIGH: "error", LOW: "warning"}  # of SARIF
_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class Limited(Result):
    """A result that can be compared with limits."""

    __slots__ = ()

    @abstractmethod
    def over(self, limits: Limits, baseline: Self | None) -> list[Reason]:
        """Why it does not pass."""

    def check(
        self,
        *,
        leak: float | None = None,
        severity: str | None = None,
        baseline: Self | Path | str | None = None,
    ) -> None:
        """Raise CheckFailed, which is an AssertionError, if the audit is over a limit: for tests of a dataset.

        leak: the highest accuracy without what should decide: from one part of the input alone, or without the prompt. severity:
        "critical", "high" or "low": findings of this severity or worse. baseline: an earlier audit, or its findings.json; what it has
        does not count.
        """
        before = type(self).open(baseline) if isinstance(baseline, Path | str) else baseline
        if reasons := self.over(Limits(leak, severity), before):
            raise CheckFailed("\n".join(reason.message for reason in reasons))


class Checked(Limited):
    """A result of an audit that is read from a findings.json and compared with limits: of labelled texts, or of candidates."""

    __slots__ = ()

    dataset: Any
    findings: tuple[Finding, ...]
    longway: str

    @property
    @abstractmethod
    def measured_leaks(self) -> list[Leak]:
        """The leaks that `check` compares with the limit."""

    def over(self, limits: Limits, baseline: Self | None) -> list[Reason]:
        """Why it does not pass."""
        return gate(self, limits, baseline=baseline)


@dataclass(frozen=True, slots=True)
class Limits:
    """What an audit may have. leak: the highest accuracy from one part of the input alone. severity: findings of this severity or worse are refused."""

    leak: float | None = None
    severity: str | None = None

    def __post_init__(self) -> None:
        if self.leak is not None and not 0 <= self.leak <= 1:
            raise SettingError(f"The limit of the leak must be from 0 to 1. Got {self.leak}. Try leak=0.6.")
        if self.severity is not None and self.severity not in SEVERITIES:
            names = ", ".join(SEVERITIES)
            raise SettingError(
                f"The severity must be one of {names}. Got {self.severity!r}. Try severity=high."
            )

    @classmethod
    def read(cls, given: Iterable[str]) -> Limits:
        """The limits in the words of the command line.

        >>> Limits.read(["leak=0.6", "severity=high"])
        Limits(leak=0.6, severity='high')
        """
        leak, severity = None, None
        for word in given:
            name, _, value = word.partition("=")
            if name == "leak":
                try:
                    leak = float(value)
                except ValueError:
                    raise SettingError(
                        f"The limit of the leak must be a number. Got {value!r}. Try leak=0.6."
                    ) from None
            elif name == "severity":
                severity = value
            else:
                raise SettingError(
                    f"--fail-over knows leak and severity. Got {word!r}. Try --fail-over leak=0.6."
                )
        return cls(leak, severity)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an audit does not pass, in one line. rule: "leak" or "finding"; level: as SARIF calls it."""

    rule: str
    message: str
    level: str = "error"


def gate(result: Checked, limits: Limits, *, baseline: Checked | None = None) -> list[Reason]:
    """The reasons why an audit does not pass; none if it does."""
    over = [*_leak_reasons(result, limits), *_finding_reasons(result, limits, baseline)]
    return over or _too_few_reasons(result, limits, baseline)


def _leak_reasons(result: Checked, limits: Limits) -> list[Reason]:
    if limits.leak is None:
        return []
    if missing := [leak for leak in result.measured_leaks if not leak.is_measured]:
        columns = " + ".join(missing[0].columns)
        return [
            Reason("leak", f"leak: what {columns} alone predict could not be measured ({missing[0].how})")
        ]
    over: dict[str, Leak] = {}
    for leak in result.measured_leaks:  # of two measurements of a part, the higher one
        if leak.part != "both" and leak.accuracy > limits.leak and leak.low > leak.majority:
            over[leak.part] = max(leak, over.get(leak.part, leak), key=lambda one: one.accuracy)
    return [
        Reason(
            "leak",
            f"leak: from {' + '.join(leak.columns)} alone a simple model{_seen(leak)} gets {leak.accuracy:.1%} right, over the limit of {limits.leak:.1%} "
            f"(chance: {leak.majority:.1%})",
        )
        for leak in over.values()
    ]


def _too_few_reasons(result: Checked, limits: Limits, baseline: Checked | None) -> list[Reason]:
    """Why an audit that is over no limit does not pass: too few rows to find anything.

    Where the leak alone is limited, an interval that ends below the limit is enough. Too few rows in the baseline, too, are nothing new.
    """
    is_known = baseline is not None and undecided(baseline.measured_leaks, baseline.findings) is not None
    is_leak_alone = limits.severity is None and baseline is None
    limit = (1.0 if limits.leak is None else limits.leak) if is_leak_alone else float(is_known)
    leak = undecided([one for one in result.measured_leaks if one.high > limit], result.findings)
    source = "" if leak is None else f"from {' + '.join(leak.columns)} alone{_seen(leak)}"
    return [] if leak is None else [Reason("leak", f"leak: {too_few(leak, source)}")]


def _seen(leak: Leak) -> str:
    """What the model sees of candidates, which are measured several times; "" for other data."""
    return f" ({SEEN[leak.part]})" if leak.part in SEEN else ""


def _finding_reasons(result: Checked, limits: Limits, baseline: Checked | None) -> list[Reason]:
    severity = limits.severity or (HIGH if baseline is not None else None)
    if severity is None:
        return []
    known = {} if baseline is None else {_identity(finding): finding for finding in _all(baseline)}
    reasons = []
    for finding in at_least(severity, result.findings):
        level, before = severity_of(finding), known.get(_identity(finding))
        if before is not None and not _is_worse(finding, before):
            continue
        news = ""
        if baseline is not None:
            news = f", {severity_of(before)} in the baseline" if before else ", not in the baseline"
        message = (
            f"{level}: “{one_line(finding.pattern.name)}” in {one_line(finding.field)} predicts {one_line(finding.label)} "
            f"({finding.label_share:.0%} of {finding.count:,} rows, base rate {finding.base_rate:.0%}){news}"
        )
        reasons.append(Reason("finding", message, _LEVELS[level]))
    return reasons


def _is_worse(finding: Finding, before: Finding) -> bool:
    """Whether a finding is more severe than in the baseline, and not by a hair."""
    more_severe = SEVERITIES.index(severity_of(finding)) < SEVERITIES.index(severity_of(before))
    return more_severe and finding.points > NOTICEABLE * before.points


def _all(result: Checked) -> list[Finding]:
    """Findings and their variants: which of them leads a group may change from one version of the data to the next."""
    return [one for finding in result.findings for one in (finding, *finding.variants)]


def _identity(finding: Finding) -> tuple[object, ...]:
    """What a finding is compared by. Bounds of lengths, and numbers of grammar rules and concepts, change with every row that is added."""
    pattern = finding.pattern
    place = "" if pattern.level in ("grammar", "concept") else pattern.place
    return pattern.level, pattern.field, pattern.words, place, finding.label


def one_line(text: str) -> str:
    """The text on one line, shortened."""
    return cut(" ".join(text.split()), PATTERN_LIMIT)


def junit(result: Checked, reasons: Iterable[Reason]) -> str:
    """The reasons as JUnit XML: one test for the leak, one for the findings."""
    return _as_xml(_suite("longway audit", result.dataset.name, reasons))


def junit_of_labels(name: str, reasons: Mapping[str, Iterable[Reason]]) -> str:
    """The reasons of several labels as JUnit XML, one test suite for each label. name: of the dataset."""
    suites = ElementTree.Element("testsuites", name="longway audit")
    suites.extend(_suite(label, name, found) for label, found in reasons.items())
    return _as_xml(suites)


def _suite(name: str, dataset: str, reasons: Iterable[Reason]) -> ElementTree.Element:
    failed = list(reasons)
    cases = {rule: [one for one in failed if one.rule == rule] for rule in ("leak", "finding")}
    suite = ElementTree.Element(
        "testsuite",
        name=_for_xml(name),
        tests=str(len(cases)),
        failures=str(sum(map(bool, cases.values()))),
    )
    for rule, failures in cases.items():
        case = ElementTree.SubElement(suite, "testcase", classname=_for_xml(dataset), name=rule)
        if failures:
            failure = ElementTree.SubElement(case, "failure", message=_for_xml(failures[0].message))
            failure.text = _for_xml("\n".join(one.message for one in failures))
    return suite


def _as_xml(element: ElementTree.Element) -> str:
    return ElementTree.tostring(element, encoding="unicode", xml_declaration=True) + "\n"


def sarif(result: Checked, reasons: Iterable[Reason], *, path: Path | None = None) -> str:
    """The reasons as SARIF 2.1.0. path: the file that was audited; a code scanning tool shows the alerts there."""
    place: dict[str, object] = {}
    if path is not None:
        file = {"artifactLocation": {"uri": quote(os.fsencode(path.as_posix()))}, "region": {"startLine": 1}}
        place = {"locations": [{"physicalLocation": file}]}
    rules = [
        {"id": "leak", "shortDescription": {"text": "Part of the input predicts the label"}},
        {"id": "finding", "shortDescription": {"text": "A surface pattern predicts the label"}},
    ]
    results = [
        {"ruleId": one.rule, "level": one.level, "message": {"text": one.message}, **place} for one in reasons
    ]
    driver = {"name": "longway", "version": result.longway, "rules": rules}
    content = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(content, indent=2) + "\n"


def _for_xml(text: str) -> str:
    """The text without characters that XML cannot hold: a pattern may contain any."""
    return _NOT_IN_XML.sub("\ufffd", text)
