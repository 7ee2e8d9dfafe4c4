"""What results of commands that change data have in common.

ChangeResult        rows that changed, checks, costs: every such result
EditedResult        of a dataset, which it can return with its edits
ComparedResult      which compares the texts before and after
ResultOfRounds      of a method that works in rounds
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from longway.data import Dataset
from longway.data.edited import edited_dataset, read_edits
from longway.data.summary import DatasetSummary
from longway.errors import RunError
from longway.jobs.before_after import Comparison
from longway.jobs.change.collect import CheckCount, ReasonCount, RefusedEdits, RoundSummary, ShownEdit
from longway.jobs.results import EDITS_FILE, Result
from longway.json_values import FLAT
from longway.records import Edit
from longway.store import CallTotals


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ChangeResult(Result):
    """The result of a job that changes data.

    settings: as run.json has them. changed, added, dropped: rows. stopped: why it ended. checks: what each rejected. cost: what engines did.
    failed_calls: to engines, by reason. budget: in dollars. original: the data that `data` is made of. folder: the run folder, None if
    nothing was written. edits_made: the edits, if there is no folder.
    """

    has_card: ClassVar[bool] = True

    settings: Mapping[str, object]
    changed: int = 0
    added: int = 0
    dropped: int = 0
    stopped: str
    checks: tuple[CheckCount, ...] = ()
    cost: tuple[CallTotals, ...] = ()
    failed_calls: tuple[ReasonCount, ...] = ()
    budget: float | None = None
    longway: str
    created: str
    original: Any = field(default=None, compare=False)
    folder: Path | None = field(default=None, compare=False)
    edits_made: tuple[Edit, ...] = field(default=(), compare=False)

    @property
    @abstractmethod
    def data(self) -> Any:
        """The data with what was changed."""

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Every candidate, accepted or not."""
        return self.edits_made if self.folder is None else tuple(read_edits(self.folder / EDITS_FILE))

    @property
    def is_changed(self) -> bool:
        """Whether a row was changed, added or left out."""
        return bool(self.changed or self.added or self.dropped)

    def of(self, original: object, *, keeps_folder: bool) -> Self:
        """The result with its data and edits, which are read into memory if the folder is temporary."""
        if keeps_folder:
            return replace(self, original=original)
        return replace(self, original=original, folder=None, edits_made=self.edits)

    def _known_original(self) -> Any:
        if self.original is None:
            raise RunError(
                "This result was read from a file and does not have its data. Load dataset.* from the run folder."
            )
        return self.original

    def _frame(self) -> pl.DataFrame:
        """One row per edit."""
        hidden = ("verdicts", "trace")
        rows = [{name: v for name, v in edit.to_dict().items() if name not in hidden} for edit in self.edits]
        return pl.DataFrame(rows, infer_schema_length=None)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EditedResult(ChangeResult):
    """The result of a job that changes a dataset. encoding_note: why it is not in the encoding it came in, if so."""

    dataset: DatasetSummary
    encoding_note: str = ""

    @property
    def data(self) -> Dataset:
        """The dataset with the accepted edits, in memory, with the column longway_id."""
        return edited_dataset(self._known_original(), self.edits)

    @property
    def rows_after(self) -> int:
        """Used rows of the dataset with its edits."""
        return self.dataset.used + self.added - self.dropped


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ComparedResult(EditedResult):
    """The result of a job that makes labels harder to predict from texts.

    comparison: the data before and after. missing_checks: those that were not made, and why. sample: accepted edits, drawn at random.
    refused: rejected candidates by reason.
    """

    comparison: Comparison = field(metadata=FLAT)
    missing_checks: tuple[str, ...]
    sample: tuple[ShownEdit, ...]
    refused: tuple[RefusedEdits, ...] = ()

    @property
    def rejected(self) -> int:
        """Candidates that were not used."""
        return sum(one.count for one in self.refused)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResultOfRounds(ComparedResult):
    """The result of a method that works in rounds.

    method, engine, judge: their names. asked: rows that texts were requested for. candidates: texts written for them; accepted: those
    that were used.
    """

    method: str
    engine: str
    judge: str
    asked: int
    candidates: int
    accepted: int
    rounds: tuple[RoundSummary, ...]

    @property
    def rejected(self) -> int:
        """Candidates that were not used."""
        return self.candidates - self.accepted
