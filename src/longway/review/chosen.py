"""Which text every row ends with: what the run did, and what people said about it.

    text of the row  ->  candidates of round 1, one of which the run kept  ->  candidates of round 2, built upon that one ...

A rejected edit takes those built upon it down with it; a candidate that the run refused can be accepted. What was said last counts
first: from the row as it came, go to the edit accepted last that can be reached, from there to the one accepted last among those
built upon it, and so on. Where nobody said anything, go the way of the run, or stay (`undecided`). Nothing is built upon a text that
was written by hand but what was accepted after it.

Edits of one candidate in several columns go together: one of them rejected, all are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

from longway.errors import SettingError
from longway.review.book import Book

Undecided = Literal["as_run", "reject"]
SAID = ("accept", "hand")


@dataclass(frozen=True)
class Step:
    """One candidate for a row, in all its columns.

    before, after: its texts by column; hand: those that a person wrote. labels: before and after. parent: the place of the step that it
    was built upon, None for the row as it came. choice: "" where nobody decided; seq: of the last decision.
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


@dataclass(frozen=True)
class ChosenRow:
    """A row that has edits.

    texts: by column, what it ends with; as_run: what it has in the dataset of the run. source: the row that an added one was made
    from, "" for others. is_in, was_in: whether it is in the dataset now, and in that of the run. stands: keys of the edits that
    made the text. fallen: of edits that were accepted and do not count.
    """

    id: str
    source: str
    label: str
    texts: dict[str, str]
    as_run: dict[str, str]
    is_in: bool = True
    was_in: bool = True
    stands: tuple[str, ...] = ()
    fallen: tuple[str, ...] = field(default=())

    @property
    def differs(self) -> bool:
        """Whether the dataset is another one than that of the run because of this row."""
        return self.is_in != self.was_in or (self.is_in and self.texts != self.as_run)


def chosen(book: Book, *, undecided: Undecided = "as_run") -> Iterator[ChosenRow]:
    """Every row of which an edit was kept by the run or decided on by a person, in the order of their ids.

    undecided: what becomes of edits that nobody decided on: "as_run" for what the run did, or "reject".
    """
    if undecided not in ("as_run", "reject"):
        raise SettingError(
            f"'undecided' must be as_run or reject. Got {str(undecided)[:80]!r}. Choose one of them."
        )
    for id_, edits in groupby(book.edits_that_matter(), key=lambda edit: str(edit["id"])):
        listed = list(edits)
        yield chosen_row(id_, str(listed[0].get("source") or ""), steps_of(listed), undecided=undecided)


def chosen_row(id: str, source: str, steps: Sequence[Step], *, undecided: Undecided = "as_run") -> ChosenRow:
    """What becomes of one row. source: "" where its own text was changed."""
    came: dict[str, str] = {}
    for step in reversed(steps):
        came |= step.before  # of each column the first
    way = walk(steps, undecided=undecided)
    of_run = walk([replace(step, choice="", seq=0, hand={}) for step in steps])
    texts, as_run = dict(came), dict(came)
    for place in way:
        texts |= {**steps[place].after, **steps[place].hand}
    for place in of_run:
        as_run |= steps[place].after
    said = [place for place, step in enumerate(steps) if step.choice in SAID]
    return ChosenRow(
        id,
        source,
        label=steps[way[-1]].labels[1] if way else steps[0].labels[0],
        texts=texts,
        as_run=as_run,
        is_in=bool(way) or not source,
        was_in=bool(of_run) or not source,
        stands=tuple(key for place in way for key in steps[place].keys),
        fallen=tuple(key for place in said if place not in way for key in steps[place].keys),
    )


def walk(steps: Sequence[Step], *, undecided: Undecided = "as_run") -> list[int]:
    """The places of the steps from the row as it came to the text it ends with."""
    at: int | None = None
    while True:
        here = None if at is None else steps[at]
        below = [place for place in range(len(steps)) if _is_below(steps, place, at)]
        said = [place for place in below if steps[place].choice in SAID]
        if here is not None and here.choice == "hand":
            said = [place for place in said if steps[place].seq > here.seq]
            below = []
        kept = [i for i in below if steps[i].parent == at and steps[i].is_kept and not steps[i].choice]
        if said:
            at = max(said, key=lambda place: steps[place].seq)
        elif kept and undecided == "as_run":
            at = kept[-1]
        else:
            return _way_to(steps, at)


def steps_of(edits: Iterable[Mapping[str, Any]]) -> list[Step]:
    """The edits of one row, in the order of the file, as steps that know what they are built upon."""
    steps: list[Step] = []
    newest: dict[int, int] = {}  # the last step that the run kept, by round
    for together in _candidates(edits):
        number = int(together[0].get("round") or 1)
        earlier = [round_ for round_ in newest if round_ < number]
        parent = newest[max(earlier)] if earlier else None
        step = _step(together, parent)
        if step.is_kept:
            newest[number] = len(steps)
        steps.append(step)
    return steps


def _candidates(edits: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """Edits that belong to one candidate: those that follow one another and differ in the column alone."""
    together: list[Mapping[str, Any]] = []
    for edit in edits:
        if together and not _belongs(edit, together):
            yield together
            together = []
        together.append(edit)
    if together:
        yield together


def _belongs(edit: Mapping[str, Any], together: Sequence[Mapping[str, Any]]) -> bool:
    first = together[0]
    same = all(edit.get(name) == first.get(name) for name in ("round", "how", "accepted", "reason", "method"))
    follows = edit["number"] == together[-1]["number"] + 1
    traces = [one["trace"] for one in (first, edit) if one.get("trace")]
    is_other_column = all(edit.get("field") != one.get("field") for one in together)
    return same and follows and is_other_column and (len(traces) < 2 or traces[0] == traces[1])


def _step(together: Sequence[Mapping[str, Any]], parent: int | None) -> Step:
    decisions = [(edit, edit["decision"]) for edit in together if edit["decision"] is not None]
    choices = {decision["value"].get("choice", "none"): decision for _, decision in decisions}
    choice = next((name for name in ("reject", "hand", "accept") if name in choices), "")
    return Step(
        keys=tuple(edit["key"] for edit in together),
        before={str(edit["field"]): edit["before"] for edit in together},
        after={str(edit["field"]): edit["after"] for edit in together},
        labels=(str(together[0].get("label_before")), str(together[0].get("label_after"))),
        is_kept=bool(together[0].get("accepted")),
        parent=parent,
        choice=choice,
        seq=max((decision["seq"] for _, decision in decisions), default=0),
        hand={
            str(edit["field"]): decision["value"]["text"]
            for edit, decision in decisions
            if decision["value"].get("choice") == "hand"
        },
    )


def _is_below(steps: Sequence[Step], place: int, top: int | None) -> bool:
    """Whether a step is built upon another one, directly or not, with nothing rejected between them."""
    at: int | None = place
    while at is not None and at != top:
        if steps[at].choice == "reject":
            return False
        at = steps[at].parent
    return at == top and place != top


def _way_to(steps: Sequence[Step], at: int | None) -> list[int]:
    way: list[int] = []
    while at is not None:
        way.append(at)
        at = steps[at].parent
    return way[::-1]
