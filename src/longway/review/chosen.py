"""The final text of every row: the edits of the run combined with the decisions of reviewers.

    text of the row  ->  candidates of round 1, one of which the run kept  ->  candidates of round 2, based on that one ...

Rejecting an edit also rejects those based on it; a candidate that the run refused can be accepted. The latest decision wins: from the
row as loaded, go to the reachable edit that was accepted last, from there to the one accepted last among those based on it, and so on.
Without decisions, follow the run, or stay (`undecided`). Nothing follows a text written by hand, except what was accepted
after it.

Edits of one candidate in several columns belong together: if one is rejected, all are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from longway.review.edit_list import ReviewedEdit
from longway.review.row_edits import RowTrace
from longway.review.run_contents import RunContents

Undecided = Literal["as_run", "reject"]
ACCEPTED = ("accept", "hand")


@dataclass(frozen=True)
class RowStep:
    """One candidate for a row, in all its columns.

    before, after: its texts by column. hand: texts by hand. labels: before and after. parent: index of the candidate that it is
    based on, None for the row as loaded. choice: "" if undecided. seq: of the last decision.
    """

    keys: tuple[str, ...]
    before: Mapping[str, str]
    after: Mapping[str, str]
    labels: tuple[str, str]
    is_kept: bool
    parent: int | None = None
    choice: str = ""
    seq: int = 0
    hand: Mapping[str, str] = field(default_factory=dict)
    drops: bool = False


@dataclass(frozen=True)
class ChosenRow:
    """A row with edits.

    texts: final texts by column. as_run: texts in the dataset of the run. source: the row that an added row was made from, "" otherwise.
    is_in, was_in: whether the row is in the dataset now, and in that of the run. applied: keys of the edits that made the
    text. overridden: keys of accepted edits without effect.
    """

    id: str
    source: str
    label: str
    texts: dict[str, str]
    as_run: dict[str, str]
    is_in: bool = True
    was_in: bool = True
    applied: tuple[str, ...] = ()
    overridden: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the row differs from the dataset of the run."""
        return self.is_in != self.was_in or (self.is_in and self.texts != self.as_run)


def chosen(contents: RunContents, *, undecided: Undecided = "as_run") -> Iterator[ChosenRow]:
    """Every row with an edit that the run kept or a reviewer decided on, ordered by id.

    undecided: what to do with edits without a decision: "as_run" follows the run, "reject" drops them.
    """
    for id_, edits in groupby(contents.edits.of_changed_rows(), key=lambda reviewed: reviewed.edit.id):
        listed = list(edits)
        yield chosen_row(id_, listed[0].edit.source, row_steps(listed), undecided=undecided)


def chosen_row(
    id: str, source: str, steps: Sequence[RowStep], *, undecided: Undecided = "as_run"
) -> ChosenRow:
    """The final state of one row. source: "" if its own text was changed."""
    loaded: dict[str, str] = {}
    for step in reversed(steps):
        loaded |= step.before  # the first text of each column
    way = walk(steps, undecided=undecided)
    way_of_run = walk([replace(step, choice="", seq=0, hand={}) for step in steps])
    texts, as_run = dict(loaded), dict(loaded)
    for at in way:
        texts |= {**steps[at].after, **steps[at].hand}
    for at in way_of_run:
        as_run |= steps[at].after
    accepted = [at for at, step in enumerate(steps) if step.choice in ACCEPTED]
    return ChosenRow(
        id,
        source,
        label=steps[way[-1]].labels[1] if way else steps[0].labels[0],
        texts=texts,
        as_run=as_run,
        is_in=_is_in(steps, way, source),
        was_in=_is_in(steps, way_of_run, source),
        applied=tuple(key for at in way for key in steps[at].keys),
        overridden=tuple(key for at in accepted if at not in way for key in steps[at].keys),
    )


def _is_in(steps: Sequence[RowStep], way: Sequence[int], source: str) -> bool:
    """Whether the dataset has the row if these candidates are used."""
    return not steps[way[-1]].drops if way else not source


def walk(steps: Sequence[RowStep], *, undecided: Undecided = "as_run") -> list[int]:
    """The indices of the candidates from the row as loaded to its final text."""
    at: int | None = None
    while True:
        here = None if at is None else steps[at]
        below = [i for i in range(len(steps)) if _is_below(steps, i, at)]
        accepted = [i for i in below if steps[i].choice in ACCEPTED]
        if here is not None and here.choice == "hand":
            accepted = [i for i in accepted if steps[i].seq > here.seq]
            below = []
        kept = [i for i in below if steps[i].parent == at and steps[i].is_kept and not steps[i].choice]
        if accepted:
            at = max(accepted, key=lambda i: steps[i].seq)
        elif kept and undecided == "as_run":
            at = kept[-1]
        else:
            return _way_to(steps, at)


def row_steps(edits: Iterable[ReviewedEdit]) -> list[RowStep]:
    """The candidates for one row, from its edits in file order."""
    steps: list[RowStep] = []
    newest: dict[int, int] = {}  # the last candidate that the run kept, by round
    for together in _by_candidate(edits):
        number = together[0].edit.round or 1
        earlier = [round_ for round_ in newest if round_ < number]
        step = _candidate(together, newest[max(earlier)] if earlier else None)
        if step.is_kept:
            newest[number] = len(steps)
        steps.append(step)
    return steps


def _by_candidate(edits: Iterable[ReviewedEdit]) -> Iterator[list[ReviewedEdit]]:
    """Consecutive edits that differ only in the column form one candidate."""
    together: list[ReviewedEdit] = []
    for edit in edits:
        if together and not _belongs(edit, together):
            yield together
            together = []
        together.append(edit)
    if together:
        yield together


def _belongs(reviewed: ReviewedEdit, together: Sequence[ReviewedEdit]) -> bool:
    edit, first = reviewed.edit, together[0].edit
    same = (edit.round, edit.how, edit.accepted, edit.reason, edit.method) == (
        first.round, first.how, first.accepted, first.reason, first.method,
    )  # fmt: skip
    follows = reviewed.number == together[-1].number + 1
    same_trace = not (edit.trace and first.trace) or edit.trace == first.trace
    return same and follows and same_trace and all(edit.field != other.edit.field for other in together)


def _candidate(together: Sequence[ReviewedEdit], parent: int | None) -> RowStep:
    first = together[0].edit
    before = {reviewed.edit.field: reviewed.edit.before for reviewed in together}
    after = {reviewed.edit.field: reviewed.edit.after for reviewed in together}
    if (trace := RowTrace.of(first)) is not None:
        before |= {name: both[0] for name, both in trace.columns.items()}
        after |= {name: both[1] for name, both in trace.columns.items()}
    choices = {reviewed.choice for reviewed in together if reviewed.decision is not None}
    return RowStep(
        keys=tuple(reviewed.key for reviewed in together),
        before=before,
        after=after,
        labels=(first.label_before, first.label_after),
        is_kept=first.accepted,
        parent=parent,
        choice=next((name for name in ("reject", "hand", "accept") if name in choices), ""),
        seq=max((reviewed.decision.seq for reviewed in together if reviewed.decision is not None), default=0),
        hand={reviewed.edit.field: reviewed.text for reviewed in together if reviewed.choice == "hand"},
        drops=first.drops,
    )


def _is_below(steps: Sequence[RowStep], index: int, top: int | None) -> bool:
    """Whether a candidate is based on another one, directly or not, with nothing rejected in between."""
    at: int | None = index
    while at is not None and at != top:
        if steps[at].choice == "reject":
            return False
        at = steps[at].parent
    return at == top and index != top


def _way_to(steps: Sequence[RowStep], at: int | None) -> list[int]:
    way: list[int] = []
    while at is not None:
        way.append(at)
        at = steps[at].parent
    return way[::-1]
