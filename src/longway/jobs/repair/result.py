"""What a repair returns: the content of repair.json as typed values, and the repaired dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from longway.data.summary import DatasetSummary
from longway.jobs.before_after import Comparison
from longway.jobs.edit_counts import CheckCount, ReasonCount, ShownEdit
from longway.jobs.repair.plan import ExpectedPattern, PlannedRemedy
from longway.jobs.results import EditedResult
from longway.store import CallTotals

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
class RepairResult(EditedResult):
    """What a repair changed, and how the data is before and after.

    plan: the remedies in order. expected: what the plan expected of the strongest patterns, and expected_seconds how long it would take. signal: patterns that were left alone as real signal; goal: the accuracy that the leak should fall to.
    uses: what each remedy did. changed, added, dropped: rows. labels_at_risk: how many of the changed and added rows are expected
    to have a wrong label, by the probabilities of the check of labels; None if it did not look at all of them. labels_before, labels_after: rows by label. sample: edits drawn at random.
    stopped: why it ended. weights: None if rows were not weighed. cost: what engines did. failed_calls: by reason.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "repair"

    dataset: DatasetSummary
    settings: Mapping[str, object]
    goal: float
    plan: tuple[PlannedRemedy, ...]
    expected: tuple[ExpectedPattern, ...] = ()
    expected_seconds: float = 0.0
    signal: tuple[str, ...]
    uses: tuple[RemedyUse, ...]
    changed: int
    added: int
    dropped: int
    labels_at_risk: float | None = None
    labels_before: Mapping[str, int]
    labels_after: Mapping[str, int]
    weights: WeightSummary | None = None
    stopped: str
    comparison: Comparison
    checks: tuple[CheckCount, ...]
    missing_checks: tuple[str, ...]
    sample: tuple[ShownEdit, ...]
    cost: tuple[CallTotals, ...] = ()
    failed_calls: tuple[ReasonCount, ...] = ()
    longway: str
    created: str

    @property
    def is_changed(self) -> bool:
        """Whether an edit was accepted."""
        return bool(self.changed or self.added or self.dropped or self.weights)

    @property
    def rows_after(self) -> int:
        """Used rows of the repaired dataset."""
        return self.dataset.used + self.added - self.dropped

    def _computed(self) -> Mapping[str, object]:
        """What the file has besides the fields, for other readers."""
        return {"rows_after": self.rows_after}
