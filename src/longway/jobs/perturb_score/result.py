"""What scoring perturbers returns: the content of score.json as typed values, and its figures as rows of results.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from longway.jobs.edit_counts import ReasonCount
from longway.jobs.results import Result, check_version, content_of, read
from longway.metrics import json_values
from longway.metrics.intervals import Measurement
from longway.metrics.rewrites import AGREEMENTS, Agreement, Closeness
from longway.store import CallTotals

if TYPE_CHECKING:
    from longway.show.sections import Page

FILE, ROWS_FILE, REWRITES_FILE = "score.json", "results.json", "rewrites.jsonl"
VERSION = 1
COMMAND = "perturb-score"
COPIED = "source copied"
MEASURES = ("bleu", "rouge2", "distance", "exact", "unchanged", "perplexity")


@dataclass(frozen=True, slots=True)
class PartScore(Closeness):
    """What a perturber writes for some rows, against what people wrote (Table 2 of the paper).

    axis, attribute: of the rows' targets; "" for all. unchanged: percentage of rows that it returns as they were; refused: how many of
    these it refused with a reason. perplexity: of the people's rewrites under the network, per token; None if it is no network.
    """

    axis: str
    attribute: str
    unchanged: Measurement
    refused: int
    perplexity: Measurement | None = None

    @property
    def name(self) -> str:
        """The part as results.json names it: all, gender, gender:man."""
        return ":".join(filter(None, (self.axis, self.attribute))) or "all"

    def measures(self) -> Iterator[tuple[str, Measurement]]:
        """The measures of Table 2 by name."""
        for name in MEASURES:
            if (value := getattr(self, name)) is not None:
                yield name, value


@dataclass(frozen=True, slots=True)
class PerturberScore:
    """One perturber. parts: all rows first, then by axis, then by attribute. refused: its reasons. unlikely: rows without a likelihood,
    because they are too long for the network."""

    name: str
    parts: tuple[PartScore, ...]
    refused: tuple[ReasonCount, ...] = ()
    unlikely: int = 0

    @property
    def overall(self) -> PartScore:
        """The score on all rows."""
        return self.parts[0]


@dataclass(frozen=True, slots=True)
class NamedAgreement(Agreement):
    """How much rewrites agree (Table 8 of the paper). name: who is compared."""

    name: str


@dataclass(frozen=True, slots=True)
class ScoredRewrite:
    """A row to read, in which a perturber and a person differ. reason: why the perturber refused, or ""."""

    perturber: str
    word: str
    target: str
    before: str
    wanted: str
    wrote: str
    distance: int
    reason: str


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One figure, as in results.json."""

    data: str
    model: str
    method: str
    test: str
    metric: str
    mean: float
    std: float | None
    low: float
    high: float
    seeds: int = 1


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PerturbScoreResult(Result):
    """How close perturbers are to what people wrote.

    data: name of the file. rows: those that were scored; texts: different ones among them. skipped: rows that were not, by reason.
    perturbers: the source copied first, as a baseline. agreement: of people with each other, and of each perturber with people; empty if
    no text was rewritten by several people. examples: rows to read. settings: as run.json has them.
    """

    data: str
    fingerprint: str
    rows: int
    texts: int
    skipped: tuple[ReasonCount, ...]
    perturbers: tuple[PerturberScore, ...]
    agreement: tuple[NamedAgreement, ...]
    examples: tuple[ScoredRewrite, ...]
    settings: Mapping[str, object]
    failed_calls: tuple[ReasonCount, ...]
    cost: tuple[CallTotals, ...]
    budget: float | None
    longway: str
    created: str
    folder: Path | None = field(default=None, compare=False)

    @property
    def figures(self) -> list[ScoreRow]:
        """Every figure with its interval, as in results.json."""
        found = [
            ScoreRow(
                self.data, one.name, COMMAND, part.name, metric, value.value, None, value.low, value.high
            )
            for one in self.perturbers
            for part in one.parts
            for metric, value in part.measures()
        ]
        for one in self.agreement:
            for metric in AGREEMENTS:
                value = getattr(one, metric)
                found.append(
                    ScoreRow(self.data, one.name, COMMAND, "agreement", metric, value.value, None, value.low, value.high)
                )  # fmt: skip
        return found

    def page(self) -> Page:
        """The sections of the report."""
        from longway.jobs.perturb_score.show import score_page

        return score_page(self)

    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.figures, schema_overrides={"std": pl.Float64})

    def rows_of_results(self) -> dict[str, object]:
        """The content of results.json."""
        return {"rows": json_values([asdict(row) for row in self.figures])}

    def to_dict(self) -> dict[str, object]:
        """The content of score.json."""
        content: dict[str, object] = json_values(content_of(self, VERSION))
        return content

    @classmethod
    def from_dict(cls, content: object) -> PerturbScoreResult:
        """The result in the content of a score.json; RunError if it is not one that this release reads."""
        return read(cls, check_version(content, VERSION, file=FILE, command="perturb score"), file=FILE)
