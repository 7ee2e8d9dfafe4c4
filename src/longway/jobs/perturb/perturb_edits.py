"""The outcome of each row as edits.

editing = Editing(perturbing, engine="rules")
editing.take(outcome)      its edits, which change a row in place or add one
editing.new                the new segments of perturbed rows
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from longway.jobs.perturb.perturb import Outcome, Perturbing, Try
from longway.methods.method import Rows, fresh_id
from longway.records import Edit

METHOD = "perturb"


class Editing:
    """Makes edits of outcomes. engine: as edits name it. new: the segments of rows that were perturbed."""

    def __init__(self, perturbing: Perturbing, *, engine: str) -> None:
        self._perturbing, self._engine = perturbing, engine
        self._rows: Rows = perturbing.rows
        self._adds: bool = perturbing.settings.add
        self._ids = set(perturbing.rows.ids)
        self.new: dict[int, tuple[str, ...]] = {}

    def take(self, outcome: Outcome) -> list[Edit]:
        """An edit for every choice that was tried and each column it concerns; of an added row under its own id."""
        row = outcome.row
        id_ = self._rows.ids[row]
        if self._adds and outcome.tries:
            id_ = fresh_id(self._ids, id_, METHOD)
        if outcome.taken is not None:
            self.new[row] = outcome.taken.perturbed.segments
        return [edit for one in outcome.tries for edit in self._edits(outcome, one, id_)]

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
