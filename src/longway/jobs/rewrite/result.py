"""What a rewrite returns: the content of rewrite.json as typed values, and the rewritten dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from longway.jobs.change.collect import ShownEdit
from longway.jobs.change.result import ResultOfRounds
from longway.jobs.rewrite.decisions import DecisionSummary
from longway.verify.calibration import ExpectedWrong

FILE = "rewrite.json"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RewriteResult(ResultOfRounds):
    """What a rewrite changed, and how the data is before and after.

    changed: rows with another text. added: rows that were added (CrossAug). asked: rows that were worked on. accepted: candidates that
    replaced a text. labels_changed: rows with another label in the written file. bleu: of new against old texts. strongest: accepted
    edits whose score fell most.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "rewrite"

    labels_changed: int
    bleu: float | None
    expected_wrong: ExpectedWrong | None
    strongest: tuple[ShownEdit, ...]
    decisions: DecisionSummary | None = None

    def _computed(self) -> Mapping[str, object]:
        """What the file has besides the fields, for other readers."""
        return {"rejected": self.rejected}
