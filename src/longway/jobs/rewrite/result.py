"""What a rewrite returns: the content of rewrite.json as typed values, and the rewritten dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from longway.data.summary import DatasetSummary
from longway.jobs.before_after import Comparison
from longway.jobs.edit_counts import CheckCount, ReasonCount, RoundSummary, ShownEdit
from longway.jobs.results import EditedResult
from longway.jobs.rewrite.decisions import DecisionSummary
from longway.store import CallTotals
from longway.verify.verifier import ExpectedWrong

FILE = "rewrite.json"


@dataclass(frozen=True, slots=True)
class RefusedEdits:
    """Why candidates were rejected, how many, and one of them. reason: the check that failed, or another reason."""

    reason: str
    count: int
    example: ShownEdit | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RewriteResult(EditedResult):
    """What a rewrite changed, and how the data is before and after.

    changed: rows with another text. added: rows that were added (CrossAug). asked: rows that were worked on. candidates: texts written
    for them; accepted: those that replaced a text. stopped: why it ended. bleu:
    of new against old texts. sample: accepted edits, drawn at random; strongest: those whose score fell most. refused: rejected
    candidates by reason. failed_calls: to engines, by reason. budget: in dollars. settings: as run.json has them.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "rewrite"

    dataset: DatasetSummary
    method: str
    engine: str
    judge: str
    settings: Mapping[str, object]
    changed: int
    added: int = 0
    asked: int
    candidates: int
    accepted: int
    labels_changed: int
    stopped: str
    rounds: tuple[RoundSummary, ...]
    comparison: Comparison
    bleu: float | None
    checks: tuple[CheckCount, ...]
    missing_checks: tuple[str, ...]
    expected_wrong: ExpectedWrong | None
    sample: tuple[ShownEdit, ...]
    strongest: tuple[ShownEdit, ...]
    refused: tuple[RefusedEdits, ...]
    failed_calls: tuple[ReasonCount, ...]
    cost: tuple[CallTotals, ...]
    budget: float | None
    decisions: DecisionSummary | None = None
    longway: str
    created: str

    @property
    def rejected(self) -> int:
        """Candidates that were not used."""
        return self.candidates - self.accepted

    @property
    def is_changed(self) -> bool:
        """Whether an edit was accepted."""
        return self.accepted > 0

    def _computed(self) -> Mapping[str, object]:
        """What the file has besides the fields, for other readers."""
        return {"rejected": self.rejected}
