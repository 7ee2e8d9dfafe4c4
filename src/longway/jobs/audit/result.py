"""What an audit returns: the content of findings.json as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from longway.data.summary import DatasetSummary
from longway.jobs.audit.settings import AuditSettings
from longway.jobs.results import Result, check_version, read
from longway.records import Finding, Leak, Mentions, Problem, Telling

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True, repr=False)
class AuditResult(Result):
    """What an audit found, strongest first.

    leaks: by part of the input ("text", "context", "both"). held_out: leaks by name of the held-out set, then by part.
    tested, significant: patterns by level. score_frames: yields the scores of all rows in pieces; has_shards: whether they are on disk already.
    folder: the run folder, if there is one.
    """

    dataset: DatasetSummary
    leaks: Mapping[str, Leak]
    held_out: Mapping[str, Mapping[str, Leak]]
    problems: tuple[Problem, ...]
    tested: Mapping[str, int]
    significant: Mapping[str, int]
    findings: tuple[Finding, ...]
    settings: AuditSettings
    longway: str
    created: str
    people: tuple[Mentions, ...] = ()
    space: SpaceSummary | None = None
    lengths: Histogram = field(default_factory=Histogram)
    score_frames: Any = field(default=None, compare=False)
    has_shards: bool = field(default=False, compare=False)
    folder: Path | None = field(default=None, compare=False)

    @property
    def scores(self) -> pl.DataFrame:
        """One row per example: id, row number, label, length in tokens, gamma and lean."""
        return pl.concat(self.score_frames()) if self.score_frames else pl.DataFrame()

    @property
    def n_listed(self) -> int:
        """Findings with their variants."""
        return sum(1 + len(finding.variants) for finding in self.findings)

    def page(self) -> Page:
        """The sections of the report."""
        from longway.jobs.audit.show import audit_page

        return audit_page(self)

    def _frame(self) -> pl.DataFrame:
        rows = [finding.to_dict() for finding in self.findings]
        hidden = {"variants", "marks", "supporting", "counter", "match"}
        return pl.DataFrame([{key: value for key, value in row.items() if key not in hidden} for row in rows])

    def to_dict(self) -> dict[str, object]:
        """The content of findings.json."""
        leak: dict[str, object] = {part: leak.to_dict() for part, leak in self.leaks.items()}
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
            "listed": self.n_listed,
            "findings": [finding.to_dict() for finding in self.findings],
            "people": [mentions.to_dict() for mentions in self.people],
            "shortcut_space": asdict(self.space) if self.space else None,
            "lengths": asdict(self.lengths),
            "settings": asdict(self.settings),
        }

    @classmethod
    def from_dict(cls, content: object) -> AuditResult:
        """The result in the content of a findings.json; RunError if it is not one that this release reads."""
        given = check_version(content, VERSION, file=FILE, command="audit")
        leak = cast(Mapping[str, object], given.get("leak") or {})
        return read(
            cls,
            {
                **given,
                "leaks": {part: leak[part] for part in PARTS if leak.get(part)},
                "held_out": leak.get("held_out") or {},
                "people": given.get("people") or (),
                "space": given.get("shortcut_space") or None,
                "lengths": given.get("lengths") or {},
                "score_frames": None,
            },
            file=FILE,
        )
