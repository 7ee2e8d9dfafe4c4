"""The edits of a run as a list that can be filtered, searched, ordered and paged.

    EditFilter  ->  positions (a sorted array, cached)  ->  one page of edits, the neighbours of an edit, all keys

The positions of 100,000 edits are found in a tenth of a second and take less than a megabyte. A filter is therefore evaluated once:
every page of it, and the next and previous edit, come from the array.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

from longway.records import Edit
from longway.review.database import Database, folded
from longway.review.decisions import Decision, Decisions, LookupFailed, decision_of
from longway.review.index import search_in

T = TypeVar("T")
CACHED = 32  # filters whose positions are kept
AT_ONCE, MAX_OF_ROW = 500, 200
MAX_GROUPS = 60
ORDERS = {"file": "number", "random": "by_random", "score": "by_score"}
FACETS = ("status", "label", "method", "engine")
LISTS = {"check": "failed", "rule": "rules", "pattern": "patterns"}  # tables with several names for an edit

# Fields that earlier versions did not write.
_DEFAULTS: dict[str, object] = {
    "reason": "", "verdicts": [], "score_before": None, "score_after": None, "round": 1, "how": "", "source": "", "trace": {},
}  # fmt: skip


@dataclass(frozen=True)
class ListPage(Generic[T]):
    """One page of a list. total: rows of the whole list. number: of this page, from 1. pages: how many there are, at least 1."""

    rows: list[T]
    total: int
    number: int
    pages: int


def page_of(rows: Sequence[T], page: int, size: int) -> ListPage[T]:
    """One page of a list; a page beyond the end gives the last one.

    >>> page_of(list("abcde"), 9, 2)
    ListPage(rows=['e'], total=5, number=3, pages=3)
    """
    number, pages, start = page_bounds(len(rows), page, size)
    return ListPage(list(rows[start : start + size]), len(rows), number, pages)


def page_bounds(total: int, page: int, size: int) -> tuple[int, int, int]:
    """The number of an existing page, the number of pages, and where the page starts."""
    pages = max(1, -(-total // size))
    number = min(max(1, page), pages)
    return number, pages, (number - 1) * size


def unknown(what: str, key: str) -> LookupFailed:
    """The error for a key that nothing has."""
    return LookupFailed(
        f"There is no {what} {key[:80]!r} in this run. Expected a key from one of its lists. Go back to the list."
    )


@dataclass(frozen=True)
class EditFilter:
    """Which edits, and in which order; "" means all.

    status: "kept" or "refused" by the run. choice: the reviewer's decision, "none" for undecided. label: the one after the edit.
    check: the name of a failed check. rule: what made the edit. pattern: the key of a finding that the edit changes.
    search: part of the texts or of the id. order: "file", "random" or "score".
    """

    status: str = "all"
    choice: str = ""
    label: str = ""
    method: str = ""
    engine: str = ""
    check: str = ""
    rule: str = ""
    pattern: str = ""
    search: str = ""
    order: str = "file"

    @property
    def chosen(self) -> dict[str, str]:
        """The values that differ from the default."""
        plain = asdict(EditFilter())
        return {name: value for name, value in asdict(self).items() if value != plain[name]}


@dataclass(frozen=True, slots=True)
class ReviewedEdit:
    """An edit of the run and the decision on it.

    key: a hash of its content. number: its line in edits.jsonl. status: "kept" or "refused" by the run. values: the line as written.
    """

    edit: Edit
    key: str
    number: int
    status: str
    decision: Decision | None
    values: Mapping[str, object] = field(repr=False)

    @property
    def choice(self) -> str:
        """The reviewer's decision, "none" for undecided."""
        return "none" if self.decision is None else self.decision.choice

    @property
    def text(self) -> str:
        """The text that the edit puts in: the one by hand, if there is one."""
        by_hand = self.decision is not None and self.choice == "hand"
        return str(self.decision.value["text"]) if by_hand and self.decision else self.edit.after

    def to_dict(self) -> dict[str, Any]:
        """The edit as plain JSON values: the line of edits.jsonl, "key", "number", "status", "decision"."""
        decision = None if self.decision is None else self.decision.to_dict()
        own = {"key": self.key, "number": self.number, "status": self.status, "decision": decision}
        return {**_DEFAULTS, **self.values, **own}


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where an edit is in a filtered list. previous, next: keys, None at an end. place: 0 if the filter excludes the edit."""

    previous: str | None
    next: str | None
    place: int
    total: int


@dataclass(frozen=True, slots=True)
class EditGroup:
    """The kept edits of one rule, or that change one pattern. name: the rule, or the key of the finding."""

    name: str
    n: int
    n_decided: int
    example: ReviewedEdit


class EditList:
    """The edits in the file of a review. has_any: whether the command makes edits at all."""

    def __init__(self, database: Database, decisions: Decisions, *, has_any: bool) -> None:
        self.database, self.decisions, self.has_any = database, decisions, has_any
        self._lists: OrderedDict[tuple[EditFilter, int], array[int]] = OrderedDict()
        self._counts: dict[str, dict[str, int]] | None = None

    def page(self, filter: EditFilter, *, page: int = 1, size: int = 25) -> ListPage[ReviewedEdit]:
        """One page of edits."""
        places = self._places(filter)
        number, pages, start = page_bounds(len(places), page, size)
        edits = self._read(ORDERS[filter.order], places[start : start + size])
        return ListPage(edits, len(places), number, pages)

    def get(self, key: str) -> ReviewedEdit:
        """The edit with this key."""
        return self._read("number", [self._place(key, "number")])[0]

    def neighbours(self, key: str, filter: EditFilter) -> Neighbours:
        """Where an edit is in a filtered list."""
        order = ORDERS[filter.order]
        here, places = self._place(key, order), self._places(filter)
        at = bisect_left(places, here)
        is_in = at < len(places) and places[at] == here
        previous, following = (
            self._key(order, places[i]) if 0 <= i < len(places) else None for i in (at - 1, at + is_in)
        )
        return Neighbours(previous, following, at + 1 if is_in else 0, len(places))

    def keys(self, filter: EditFilter) -> list[str]:
        """The keys of all edits of a filter, in its order."""
        where, values = self._where(filter)
        query = f"select key from edits where {where} order by {ORDERS[filter.order]}"
        return [row[0] for row in self.database.query(query, values)]

    def all(self, filter: EditFilter) -> Iterator[ReviewedEdit]:
        """Every edit of a filter in its order, read in batches."""
        places = self._places(filter)
        for start in range(0, len(places), AT_ONCE):
            yield from self._read(ORDERS[filter.order], places[start : start + AT_ONCE])

    def of_changed_rows(self) -> Iterator[ReviewedEdit]:
        """All edits of rows with a kept or decided edit, grouped by row, in file order within a row."""
        ids = self.database.query(
            "select distinct id from edits where status = 'kept' or key in "
            "(select key from held where kind = 'edit' and choice != 'none') order by id"
        )
        for start in range(0, len(ids), AT_ONCE):
            part = [row[0] for row in ids[start : start + AT_ONCE]]
            marks = ", ".join("?" * len(part))
            query = f"select number from edits where id in ({marks}) order by id, number"
            numbers = [row[0] for row in self.database.query(query, part)]
            edits = {
                edit.number: edit
                for at in range(0, len(numbers), AT_ONCE)
                for edit in self._read("number", numbers[at : at + AT_ONCE])
            }
            yield from (edits[number] for number in numbers)

    def of_row(self, id_: str) -> list[ReviewedEdit]:
        """The edits of a row and of rows made from it, as many as a page can hold."""
        numbers = self.database.query(
            "select number from edits where id = ? union select number from edits where source = ? limit ?",
            (id_, id_, MAX_OF_ROW),
        )
        return self._read("number", sorted(row[0] for row in numbers))

    def facets(self) -> dict[str, dict[str, int]]:
        """The number of edits by status, label, method, engine, failed check, rule, pattern and choice."""
        query = self.database.query
        if self._counts is None:
            columns = {name: (name, "edits") for name in FACETS}
            columns |= {name: ("name", table) for name, table in LISTS.items()}
            counted = "select {}, count(*) from {} group by 1 order by 2 desc, 1"
            self._counts = {name: dict(query(counted.format(*where))) for name, where in columns.items()}
        decided = dict(
            query("select choice, count(*) from held join edits using (key) where kind = 'edit' group by 1")
        )
        n_edits = sum(self._counts["status"].values())
        choices = {name: decided.get(name, 0) for name in ("accept", "reject", "hand")}
        return {**self._counts, "choice": {"none": n_edits - sum(choices.values()), **choices}}

    def groups(self, name: str) -> list[EditGroup]:
        """The edits that the run kept by "rule" or "pattern", most first, with an example of each."""
        rows = self.database.query(
            "select name, count(*), count(held.seq), min(number) "
            f"from {LISTS[name]} join edits using (number) "
            "left join held on held.kind = 'edit' and held.key = edits.key and held.choice != 'none' "
            "where status = 'kept' group by name order by 2 desc, name limit ?",
            (MAX_GROUPS,),
        )
        examples = {edit.number: edit for edit in self._read("number", {row[3] for row in rows})}
        return [EditGroup(value, n, n_decided, examples[first]) for value, n, n_decided, first in rows]

    def _where(self, filter: EditFilter) -> tuple[str, list[str]]:
        """The filter as a condition on the table of edits."""
        decided = "not in" if filter.choice == "none" else "in"
        sign = "!=" if filter.choice == "none" else "="
        conditions = {
            "status = ?": "" if filter.status == "all" else filter.status,
            "label = ?": filter.label,
            "method = ?": filter.method,
            "engine = ?": filter.engine,
            f"key {decided} (select key from held where kind = 'edit' and choice {sign} ?)": filter.choice,
        }
        for name, table in LISTS.items():
            conditions[f"number in (select number from {table} where name = ?)"] = getattr(filter, name)
        where = [condition for condition, wanted in conditions.items() if wanted]
        values = [wanted for wanted in conditions.values() if wanted]
        if part := folded(filter.search.strip()):
            condition, texts = search_in("edits", part)
            where.append(condition)
            values += texts
        return " and ".join(where) or "1", values

    def _places(self, filter: EditFilter) -> array[int]:
        """The positions of the edits of a filter, rising; cached until a decision may have changed them."""
        known = (filter, self.decisions.last_seq if filter.choice else 0)
        places = self._lists.pop(known, None)
        if places is None:
            where, values = self._where(filter)
            order = ORDERS[filter.order]
            query = f"select {order} from edits where {where} order by {order}"
            places = array("q", (row[0] for row in self.database.query(query, values)))
        self._lists[known] = places  # at the end: the least recently used goes first
        while len(self._lists) > CACHED:
            self._lists.popitem(last=False)
        return places

    def _read(self, order: str, places: Iterable[int]) -> list[ReviewedEdit]:
        """The edits at these positions, in order."""
        wanted = list(places)
        marks = ", ".join("?" * len(wanted))
        query = (
            "select number, edits.key, status, before, after, rest, "
            "log.seq, log.time, log.author, log.kind, log.key, log.value, log.batch "
            "from edits join bodies using (number) "
            "left join held on held.kind = 'edit' and held.key = edits.key left join log on log.seq = held.seq "
            f"where {order} in ({marks}) order by {order}"
        )
        return [_edit(row) for row in self.database.query(query, wanted)]

    def _place(self, key: str, order: str) -> int:
        query = f"select {order} from edits where key = ?"
        rows = self.database.query(query, (key,))
        if not rows:
            raise unknown("edit", key)
        return int(rows[0][0])

    def _key(self, order: str, place: int) -> str:
        return str(self.database.query(f"select key from edits where {order} = ?", (place,))[0][0])


def _edit(row: Sequence[Any]) -> ReviewedEdit:
    number, key, status, before, after, rest, *decision = row
    values = {"before": before, "after": after, **json.loads(rest)}
    decided = None if decision[0] is None else decision_of(decision)
    return ReviewedEdit(Edit.from_dict(values), key, number, status, decided, values)
