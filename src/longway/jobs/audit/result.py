"""What an audit returns: the content of findings.json as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from longway.data.summary import DatasetSummary
from longway.detect.sources import Sources
from longway.jobs.audit.gate import Checked
from longway.jobs.audit.rows import RowSummary
from longway.jobs.audit.settings import AuditSettings
from longway.jobs.results import Result
from longway.records import Finding, Leak, Mentions, Problem, Telling

if TYPE_CHECKING:
    import pandas as pd


FILE = "findings.json"
PARTS = ("text", "context", "both")


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts per bin and label; `edges` has one more entry than a label has counts."""

    edges: tuple[float, ...] = ()
    counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpaceSummary:
    """The texts in the shortcut space: how gamma is distributed per label, and the texts that stand out."""

    variant: str
    dimensions: int
    mean_gamma: Mapping[str, float | None] = field(default_factory=dict)
    histogram: Histogram = field(default_factory=Histogram)
    telling: tuple[Telling, ...] = ()


class Findings(tuple[Finding, ...]):
    """Findings, strongest first."""

    __slots__ = ()

    def to_frame(self) -> pl.DataFrame:
        """A row per finding, without its variants and examples."""
        hidden = {"variants", "marks", "supporting", "counter", "match", "reasons"}
        rows = [finding.to_dict() for finding in self]
        return pl.DataFrame([{key: value for key, value in row.items() if key not in hidden} for row in rows])

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame."""
        return self.to_frame().to_pandas()


@dataclass(frozen=True, slots=True, repr=False)
class AuditResult(Checked):
    """What an audit found, strongest first.

    leaks: from words, by part of the input ("text", "context", "both"); all_leaks: from everything that the detectors see. held_out: leaks by name of the held-out set, then by part.
    tested, significant: patterns by level. significant_rows: patterns that would be significant if every row were an independent
    observation. distinct: different texts of each column. sources: what a column of groups says, if one was named. rows: what is said of single rows. score_frames: yields the scores of all rows in pieces.
    folder: the run folder, if there is one.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "audit"
    has_card: ClassVar[bool] = True

    dataset: DatasetSummary
    leaks: Mapping[str, Leak]
    all_leaks: Mapping[str, Leak]
    held_out: Mapping[str, Mapping[str, Leak]]
    problems: tuple[Problem, ...]
    tested: Mapping[str, int]
    significant: Mapping[str, int]
    findings: Findings
    settings: AuditSettings
    longway: str
    created: str
    significant_rows: int | None = None
    distinct: Mapping[str, int] = field(default_factory=dict)
    sources: Sources | None = None
    people: tuple[Mentions, ...] = ()
    space: SpaceSummary | None = None
    lengths: Histogram = field(default_factory=Histogram)
    rows: RowSummary | None = None
    score_frames: Any = field(default=None, compare=False)
    folder: Path | None = field(default=None, compare=False)

    @property
    def scores(self) -> pl.DataFrame:
        """One row per example: id, row number, label, length in tokens, gamma, lean and pvi."""
        return pl.concat(self.score_frames()) if self.score_frames else pl.DataFrame()

    @property
    def n_listed(self) -> int:
        """Findings with their variants."""
        return sum(1 + len(finding.variants) for finding in self.findings)

    @property
    def measured_leaks(self) -> list[Leak]:
        """All leaks of the dataset itself: from words, and from everything that detectors see."""
        return [*self.leaks.values(), *self.all_leaks.values()]

    @property
    def leak(self) -> Leak:
        """How well the words of the text alone predict the label."""
        return self.leaks["text"]

    def _frame(self) -> pl.DataFrame:
        return self.findings.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """The content of findings.json; all leaks are in one entry."""
        content = Result.to_dict(self)
        leak = {**content.pop("leaks"), "all": content.pop("all_leaks"), "held_out": content.pop("held_out")}
        leak["majority"] = self.leaks["text"].majority
        space = content.pop("space")
        return {**content, "leak": leak, "shortcut_space": space, "listed": self.n_listed}

    @classmethod
    def _fields_in(cls, content: Mapping[str, Any]) -> Mapping[str, object]:
        leak = content.get("leak", {})
        return {
            **content,
            "leaks": {part: leak[part] for part in PARTS if leak.get(part)},
            "all_leaks": leak.get("all", {}),
            "held_out": leak.get("held_out", {}),
            "space": content.get("shortcut_space"),
            "score_frames": None,
        }
