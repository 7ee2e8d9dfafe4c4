"""What was done to the rows: edits for edits.jsonl, new texts for the dataset.

editing = Editing(perturbing, engine="rules")
editing.take(outcome)                       its edits; the new texts are remembered
editing.texts, editing.contexts             by id, for rows that were changed in place
editing.additions(columns)                  rows to be added, where that was asked for
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from longway.data.columns import Columns
from longway.data.edited import Addition
from longway.recipes.engine_runs import addition_of
from longway.recipes.perturb import Outcome, Perturbing, Try
from longway.records import Edit, Example
from longway.rewrite.method import Rows, fresh_id

METHOD = "perturb"


class Editing:
    """Takes outcomes and keeps what the dataset needs. engine: as edits name it. new: the segments of rows that were perturbed."""

    def __init__(self, perturbing: Perturbing, *, engine: str) -> None:
        self._perturbing, self._engine = perturbing, engine
        self._rows: Rows = perturbing.rows
        self._adds: bool = perturbing.settings.add
        self._ids = set(perturbing.rows.ids)
        self._id_of: dict[int, str] = {}
        self.new: dict[int, tuple[str, ...]] = {}

    def take(self, outcome: Outcome) -> list[Edit]:
        """An edit for every choice that was tried and each column it concerns; of an added row under its own id."""
        row = outcome.row
        id_ = self._rows.ids[row]
        if self._adds and outcome.tries:
            id_ = fresh_id(self._ids, id_, METHOD)
        if outcome.taken is not None:
            self.new[row], self._id_of[row] = outcome.taken.perturbed.segments, id_
        return [edit for one in outcome.tries for edit in self._edits(outcome, one, id_)]

    @property
    def texts(self) -> dict[str, str]:
        """The new texts of rows that were changed in place, by id."""
        return {} if self._adds else {self._id_of[row]: segments[-1] for row, segments in self.new.items()}

    @property
    def contexts(self) -> dict[str, str]:
        """The same for contexts."""
        if self._adds:
            return {}
        return {self._id_of[row]: segments[0] for row, segments in self.new.items() if len(segments) > 1}

    def additions(self, columns: Columns) -> list[Addition]:
        """The rows that are added."""
        if not self._adds:
            return []
        return [
            addition_of(self._example(row), columns, source=self._rows.ids[row]) for row in sorted(self.new)
        ]

    def _example(self, row: int) -> Example:
        segments = self.new[row]
        context = segments[0] if len(segments) > 1 else self._rows.context(row)
        return Example(self._id_of[row], segments[-1], self._rows.label(row), context)

    def _edits(self, outcome: Outcome, one: Try, id_: str) -> Iterator[Edit]:
        """One for each column that differs; one for the column of the chosen word where there is no other text."""
        request, label = one.request, self._rows.label(outcome.row)
        columns = list(zip(outcome.fields, request.segments, one.perturbed.segments, strict=True))
        differ = [column for column in columns if column[1] != column[2]]
        for name, before, after in differ or [columns[request.place.segment]]:
            yield Edit(
                id=id_,
                field=name,
                before=before,
                after=after,
                label_before=label,
                label_after=label,
                method=METHOD,
                engine=self._engine,
                accepted=not one.reason,
                reason=one.reason,
                verdicts=one.verdicts,
                how=f"{request.target.axis}: {request.source.name} to {request.target.name}",
                source=self._rows.ids[outcome.row] if self._adds else "",
                trace=self._trace(outcome, one),
            )

    def _trace(self, outcome: Outcome, one: Try) -> dict[str, Any]:
        request = one.request
        return {
            "word": request.word,
            "axis": request.target.axis,
            "source": request.source.name,
            "target": request.target.name,
            "chain": [[outcome.fields[at.segment], at.start, at.end] for at in one.perturbed.chain],
            "left": list(one.perturbed.left),
            "perturbability": round(self._perturbing.seen[outcome.row].perturbability, 4),
        }
