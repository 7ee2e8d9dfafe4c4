"""What an audit of candidates returns: the content of its findings.json as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from longway.detect.choices.leak import CANDIDATES, ENCODER, headline
from longway.detect.choices.preferences import JudgeReport, StyleEffect
from longway.jobs.audit.gate import Checked
from longway.jobs.audit.result import Findings
from longway.jobs.audit.settings import ChoiceAuditSettings
from longway.jobs.results import Result
from longway.records import Finding, Leak, Problem

FILE = "findings.json"
NO_ENCODER_OF_LANGUAGE = "no_encoder"  # a problem


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
    tag: ClassVar[None] = None  # as in the summary of labelled texts
    streamed: ClassVar[bool] = False


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
class ChoiceAuditResult(Checked):
    """What an audit of candidates found.

    leaks: how often a ranker picks the right candidate, by what it sees: "candidates" their surface and words, "encoder" their surface
    and their meaning to the sentence encoder, if it is installed. findings: strongest
    first. effects: of style, in pairs. judges: of votes.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "audit"
    has_card: ClassVar[bool] = True

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
        """How often a ranker that sees the surface and the words of the candidates is right."""
        return self.leaks[CANDIDATES]

    @property
    def measured_leaks(self) -> list[Leak]:
        """The leaks without the prompt, which a gate looks at: by surface and words, and by surface and meaning."""
        return [self.leaks[part] for part in (CANDIDATES, ENCODER) if part in self.leaks]

    @property
    def headline(self) -> Leak:
        """The leak of the verdict: with the sentence encoder if it is installed."""
        return headline(self.leaks)

    def _frame(self) -> pl.DataFrame:
        return Findings(self.findings).to_frame()

    def to_dict(self) -> dict[str, Any]:
        """The content of findings.json; the leaks have the form of those of labelled texts."""
        content = Result.to_dict(self)
        leak = {**content.pop("leaks"), "majority": self.leak.majority}
        return {**content, "leak": leak}

    @classmethod
    def _fields_in(cls, content: Mapping[str, Any]) -> Mapping[str, object]:
        leaks = {part: leak for part, leak in content["leak"].items() if part != "majority"}
        return {**content, "leaks": leaks}
