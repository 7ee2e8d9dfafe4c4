"""What a repair returns: the content of repair.json as typed values, and the repaired dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from longway.jobs.change.collect import ReasonCount
from longway.jobs.change.result import ComparedResult
from longway.jobs.repair.plan import PlannedRemedy

FILE = "repair.json"


@dataclass(frozen=True, slots=True)
class RemedyUse:
    """What one remedy did. rows: rows it looked at; drafts: texts it proposed; used: edits made; refused: drafts by reason."""

    remedy: str
    rows: int
    drafts: int
    used: int
    refused: tuple[ReasonCount, ...] = ()


@dataclass(frozen=True, slots=True)
class WeightSummary:
    """The weights of rows. effective_rows: rows of equal weight that would say as much. leak: of the weighted rows; chance: their
    commonest label."""

    effective_rows: float
    smallest: float
    largest: float
    leak: float
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RepairResult(ComparedResult):
    """What a repair changed, and how the data is before and after.

    plan: the remedies in order; expected_seconds: how long it was expected to take. signal: patterns that were left alone as real signal; goal: the accuracy that the leak should fall to.
    uses: what each remedy did. labels_at_risk: how many of the changed and added rows are expected
    to have a wrong label, by the probabilities of the check of labels; None if it did not look at all of them. labels_before, labels_after: rows by label.
    weights: None if rows were not weighed.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "repair"

    goal: float
    plan: tuple[PlannedRemedy, ...]
    expected_seconds: float = 0.0
    signal: tuple[str, ...]
    uses: tuple[RemedyUse, ...]
    labels_at_risk: float | None = None
    labels_before: Mapping[str, int]
    labels_after: Mapping[str, int]
    weights: WeightSummary | None = None

    @property
    def is_changed(self) -> bool:
        """Whether an edit was accepted."""
        return bool(self.changed or self.added or self.dropped or self.weights)

    def _computed(self) -> Mapping[str, object]:
        """What the file has besides the fields, for other readers."""
        return {"rows_after": self.rows_after}
