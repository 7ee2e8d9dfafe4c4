"""What a proof with candidates returns: the content of its results.json as typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import ClassVar

import polars as pl

from longway.jobs.prove.result import Comparison, Figure, GroupSide
from longway.jobs.results import Result

FILE = "results.json"
BEFORE, AFTER, CONTROL = "before", "after", "random drop"


@dataclass(frozen=True, slots=True)
class ChoiceVersion:
    """A version of the training data."""

    name: str
    source: str
    questions: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ChoiceTest:
    """A part of a test set. name: as in the figures. source: the test set. kind: which part, see `prove_tests`."""

    name: str
    source: str
    kind: str
    questions: int
    chance: float


@dataclass(frozen=True, slots=True)
class CueGroup:
    """Accuracy where the right candidate has a pattern that another has not (supporting), and the other way round (against)."""

    data: str
    model: str
    test: str
    pattern: str
    family: str
    supporting: GroupSide
    against: GroupSide

    @property
    def gap(self) -> float:
        """Accuracy on supporting less that on reversed questions."""
        return (self.supporting.accuracy or 0.0) - (self.against.accuracy or 0.0)


@dataclass(frozen=True, slots=True)
class GapChange:
    """How much more often a model is right where the cues support the right candidate than where they are reversed, by version.

    low, high: 95% interval of the change.
    """

    model: str
    test: str
    before: float
    after: float
    low: float
    high: float

    @property
    def change(self) -> float:
        """After less before; below 0 if the model relies less on the cues."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, repr=False)
class ChoiceProveResult(Result):
    """What a proof with candidates measured.

    kind: of the data. cues: the findings of the audit of `before` that test questions were grouped by, strongest first. rows: accuracy of each
    version, model and part of a test set. comparisons: each changed version against `before`, then `after` against the random drop. groups: by
    cue. gaps: by model.
    notes: what a reader must know.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "prove"

    kind: str
    versions: tuple[ChoiceVersion, ...]
    tests: tuple[ChoiceTest, ...]
    cues: tuple[str, ...]
    rows: tuple[Figure, ...]
    comparisons: tuple[Comparison, ...]
    groups: tuple[CueGroup, ...]
    gaps: tuple[GapChange, ...]
    notes: tuple[str, ...]
    settings: Mapping[str, object]
    longway: str
    created: str
    seconds: float | None = None
    folder: Path | None = field(default=None, compare=False)

    def compared(self, kind: str, against: str = BEFORE) -> list[Comparison]:
        """The comparisons of `after` on a kind of part, such as "cues reversed"."""
        names = {one.name for one in self.tests if one.kind == kind}
        return [
            one
            for one in self.comparisons
            if one.data == AFTER and one.test in names and one.against == against
        ]

    def _frame(self) -> pl.DataFrame:
        return pl.DataFrame([asdict(row) for row in self.rows])
