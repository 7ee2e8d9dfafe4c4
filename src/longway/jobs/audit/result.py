"""What an audit returns: the content of findings.json as typed values."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import polars as pl

from longway.data.summary import DatasetSummary
from longway.detect import GRAMMAR
from longway.detect.sources import Sources
from longway.errors import CheckFailed, RunError
from longway.jobs.audit.rows import RowSummary
from longway.jobs.audit.settings import AuditSettings
from longway.jobs.results import Result, check_version, read
from longway.json_values import to_json
from longway.records import Finding, Leak, Mentions, Problem, Telling
from longway.stats import points_of

if TYPE_CHECKING:
    import pandas as pd

    from longway.show.sections import Page

FILE = "findings.json"
VERSION = 1
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
        hidden = {"variants", "marks", "supporting", "counter", "match"}
        rows = [finding.to_dict() for finding in self]
        return pl.DataFrame([{key: value for key, value in row.items() if key not in hidden} for row in rows])

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame."""
        return self.to_frame().to_pandas()


class Checked(Result):
    """A result of an audit that is read from a findings.json and compared with limits: of labelled texts, or of candidates."""

    __slots__ = ()

    dataset: Any
    findings: tuple[Finding, ...]
    longway: str

    @property
    @abstractmethod
    def measured_leaks(self) -> list[Leak]:
        """The leaks that `check` compares with the limit."""

    @classmethod
    @abstractmethod
    def from_dict(cls, content: object) -> Self:
        """The result in the content of a findings.json; RunError if it is not one that this release reads."""

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
        from longway.jobs.audit.gate import Limits, gate

        before = type(self).open(baseline) if isinstance(baseline, Path | str) else baseline
        if reasons := gate(self, Limits(leak, severity), baseline=before):
            raise CheckFailed("\n".join(reason.message for reason in reasons))

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """The audit in a findings.json, or in a run folder."""
        file = Path(path) / FILE if Path(path).is_dir() else Path(path)
        try:
            return cls.from_dict(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise RunError(
                f"{file} could not be read as the findings of an audit ({error}). Expected a findings.json. Run longway audit to make one."
            ) from None


@dataclass(frozen=True, slots=True, repr=False)
class AuditResult(Checked):
    """What an audit found, strongest first.

    leaks: from words, by part of the input ("text", "context", "both"); all_leaks: from everything that the detectors see. held_out: leaks by name of the held-out set, then by part.
    tested, significant: patterns by level. significant_rows: patterns that would be significant if every row were an independent
    observation. distinct: different texts of each column. sources: what a column of groups says, if one was named. rows: what is said of single rows. score_frames: yields the scores of all rows in pieces.
    folder: the run folder, if there is one.
    """

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
    def only_grammar(self) -> list[Finding]:
        """The findings of the grammar level that no simpler pattern explains, strongest first."""
        return [finding for finding in self.findings if finding.level == GRAMMAR]

    @property
    def n_explained(self) -> int:
        """Patterns of the grammar level that a simpler one explains: they are its variants."""
        simpler = (finding for finding in self.findings if finding.level != GRAMMAR)
        return sum(variant.level == GRAMMAR for finding in simpler for variant in finding.variants)

    @property
    def measured_leaks(self) -> list[Leak]:
        """All leaks of the dataset itself: from words, and from everything that detectors see."""
        return [*self.leaks.values(), *self.all_leaks.values()]

    def page(self) -> Page:
        """The sections of the report."""
        from longway.jobs.audit.show import audit_page

        return audit_page(self)

    @property
    def leak(self) -> Leak:
        """How well the words of the text alone predict the label."""
        return self.leaks["text"]

    def _frame(self) -> pl.DataFrame:
        return self.findings.to_frame()

    def to_dict(self) -> dict[str, object]:
        """The content of findings.json."""
        leak: dict[str, object] = {part: leak.to_dict() for part, leak in self.leaks.items()}
        leak["all"] = {part: leak.to_dict() for part, leak in self.all_leaks.items()}
        leak["majority"] = self.leaks["text"].majority
        leak["held_out"] = {
            name: {part: leak.to_dict() for part, leak in parts.items()}
            for name, parts in self.held_out.items()
        }
        return {
            "version": VERSION,
            "longway": self.longway,
            "created": self.created,
            "dataset": self.dataset.to_dict(),
            "leak": leak,
            "problems": [problem.to_dict() for problem in self.problems],
            "tested": dict(self.tested),
            "significant": dict(self.significant),
            "significant_rows": self.significant_rows,
            "distinct": dict(self.distinct),
            "listed": self.n_listed,
            "findings": [finding.to_dict() for finding in self.findings],
            "sources": to_json(self.sources) if self.sources else None,
            "people": [mentions.to_dict() for mentions in self.people],
            "shortcut_space": asdict(self.space) if self.space else None,
            "lengths": asdict(self.lengths),
            "rows": to_json(self.rows) if self.rows else None,
            "settings": asdict(self.settings),
        }

    @classmethod
    def from_dict(cls, content: object) -> Self:
        """The result in the content of a findings.json; RunError if it is not one that this release reads."""
        given = check_version(content, VERSION, file=FILE, command="audit")
        leak = cast(Mapping[str, object], given.get("leak") or {})
        result = read(
            cls,
            {
                **given,
                "leaks": {part: leak[part] for part in PARTS if leak.get(part)},
                "all_leaks": leak.get("all") or {},
                "held_out": leak.get("held_out") or {},
                "distinct": given.get("distinct") or {},
                "people": given.get("people") or (),
                "space": given.get("shortcut_space") or None,
                "lengths": given.get("lengths") or {},
                "score_frames": None,
            },
            file=FILE,
        )
        findings = Findings(_with_points(finding, result.dataset.used) for finding in result.findings)
        return replace(result, findings=findings)


def _with_points(finding: Finding, used: int) -> Finding:
    """A finding of an earlier version with the points it lacks. used: rows of the audit."""
    variants = tuple(_with_points(one, used) for one in finding.variants)
    if finding.points:
        return replace(finding, variants=variants)
    hits = finding.count * finding.label_share
    points = points_of(hits, finding.count, used * finding.base_rate, used)
    return replace(finding, points=float(points), variants=variants)
