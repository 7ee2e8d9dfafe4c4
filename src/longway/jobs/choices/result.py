"""What an audit of candidates returns: the content of its findings.json as typed values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from longway.detect.choices.effects import StyleEffect
from longway.detect.choices.judges import JudgeReport
from longway.errors import CheckFailed, RunError
from longway.jobs.audit.result import Findings
from longway.jobs.choices.settings import ChoiceAuditSettings
from longway.jobs.results import Result, check_version, content_of, read
from longway.json_values import to_json
from longway.records import Finding, Leak, Problem

if TYPE_CHECKING:
    from longway.show.sections import Page

FILE = "findings.json"
VERSION = 1
CANDIDATES = "candidates"


@dataclass(frozen=True, slots=True)
class ChoiceSummary:
    """A dataset with candidates. kind: choice, preference, ranking or votes. rows: in the file; used: with one right candidate.

    sizes: questions by number of candidates. places: how often the right one is at each place; empty if the order means nothing.
    """

    name: str
    kind: str
    rows: int
    used: int
    candidates: int
    fields: Mapping[str, str]
    guessed: tuple[str, ...]
    sizes: Mapping[str, int]
    places: tuple[int, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ChoiceExample:
    """A question for a finding: the place of the right candidate, and which candidates have the pattern."""

    finding: int
    id: str
    prompt: str
    candidates: tuple[str, ...]
    right: int
    has: tuple[bool, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ChoiceAuditResult(Result):
    """What an audit of candidates found.

    leaks: how often a ranker picks the right candidate, by what it sees; "candidates" is everything but the prompt. findings: strongest
    first. effects: of style, in pairs. judges: of votes.
    """

    dataset: ChoiceSummary
    leaks: Mapping[str, Leak]
    findings: tuple[Finding, ...]
    tested: Mapping[str, int]
    effects: tuple[StyleEffect, ...]
    judges: JudgeReport | None
    examples: tuple[ChoiceExample, ...]
    problems: tuple[Problem, ...]
    settings: ChoiceAuditSettings
    longway: str
    created: str
    folder: Path | None = field(default=None, compare=False)

    @property
    def leak(self) -> Leak:
        """How often a ranker that never sees the prompt is right."""
        return self.leaks[CANDIDATES]

    @property
    def measured_leaks(self) -> list[Leak]:
        """The leaks that a gate looks at."""
        return [self.leak]

    def check(
        self,
        *,
        leak: float | None = None,
        severity: str | None = None,
        baseline: ChoiceAuditResult | Path | str | None = None,
    ) -> None:
        """Raise CheckFailed, which is an AssertionError, if the audit is over a limit: for tests of a dataset. The same as `AuditResult.check`."""
        from longway.jobs.audit.gate import Limits, gate

        before = (
            baseline
            if baseline is None or isinstance(baseline, ChoiceAuditResult)
            else ChoiceAuditResult.open(baseline)
        )
        if reasons := gate(self, Limits(leak, severity), baseline=before):
            raise CheckFailed("\n".join(reason.message for reason in reasons))

    @classmethod
    def open(cls, path: Path | str) -> ChoiceAuditResult:
        """The audit in a findings.json, or in a run folder."""
        file = Path(path) / FILE if Path(path).is_dir() else Path(path)
        try:
            return cls.from_dict(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise RunError(
                f"{file} could not be read as the findings of an audit ({error}). Expected a findings.json. Run longway audit to make one."
            ) from None

    def page(self) -> Page:
        """The sections of the report."""
        from longway.jobs.choices.show import choice_page

        return choice_page(self)

    def _frame(self) -> pl.DataFrame:
        return Findings(self.findings).to_frame()

    def to_dict(self) -> dict[str, object]:
        """The content of findings.json."""
        content = content_of(self, VERSION)
        leak = {part: one.to_dict() for part, one in self.leaks.items()} | {"majority": self.leak.majority}
        findings = [finding.to_dict() for finding in self.findings]
        return {
            **{name: value for name, value in content.items() if name != "leaks"},
            "leak": leak,
            "findings": findings,
            "judges": to_json(self.judges) if self.judges else None,
        }

    @classmethod
    def from_dict(cls, content: object) -> ChoiceAuditResult:
        """The result in the content of a findings.json; RunError if this release does not read it."""
        given = check_version(content, VERSION, file=FILE, command="audit")
        leak = given.get("leak")
        parts = (
            {part: one for part, one in leak.items() if isinstance(one, Mapping)}
            if isinstance(leak, Mapping)
            else {}
        )
        return read(cls, {**given, "leaks": parts}, file=FILE)
