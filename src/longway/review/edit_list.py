"""The edits of a run as a list that is filtered, searched, ordered and paged.

    EditFilter  ->  places (a sorted array, kept)  ->  one page of edits, the neighbours of an edit, all keys

The places of a hundred thousand edits are found in a tenth of a second and need less than a megabyte, so that a filter is looked up
once: every page of it, and the next and previous edit, come out of the array.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from longway.review.database import Database, folded
from longway.review.decisions import Decisions, LookupFailed, decision_of
from longway.review.index import search_in
from longway.review.paging import Page, cut, one_of, unknown

REMEMBERED = 32  # filters whose lists are kept
AT_ONCE, MOST_OF_A_ROW = 500, 200
ORDERS = {"file": "number", "random": "by_random", "score": "by_score"}
FACETS = ("status", "label", "method", "engine")

# What runs of earlier versions do not say of an edit.
_UNSAID: dict[str, Any] = {
    "reason": "",
    "verdicts": [],
    "score_before": None,
    "score_after": None,
    "round": 1,
    "how": "",
    "source": "",
    "trace": {},
}


@dataclass(frozen=True)
class EditFilter:
    """Which edits, and in which order; "" stands for all.

    status: "kept" or "refused" by the run. choice: what a person decided, "none" where nobody did. label: the one after the edit.
    check: the name of a check that failed. search: a part of the texts or of the id. order: "file", "random" or "score".
    """

    status: str = "all"
    choice: str = ""
    label: str = ""
    method: str = ""
    engine: str = ""
    check: str = ""
    search: str = ""
    order: str = "file"

    def __post_init__(self) -> None:
        one_of("status", self.status, ("all", "kept", "refused"))
        one_of("choice", self.choice, ("", "none", "accept", "reject", "hand"))
        one_of("order", self.order, tuple(ORDERS))


class EditList:
    """The edits in the file of a review. has_any: whether the run makes edits at all."""

    def __init__(self, database: Database, decisions: Decisions, *, has_any: bool) -> None:
        self.database, self.decisions, self.has_any = database, decisions, has_any
        self._lists: OrderedDict[tuple[EditFilter, int], array[int]] = OrderedDict()
        self._counts: dict[str, dict[str, int]] | None = None

    def page(self, filter: EditFilter, *, page: int = 1, size: int = 25) -> Page:
        """The edits of one page: what edits.jsonl says, and "key", "number", "status", "decision"."""
        places = self._places(filter)
        shown, number, pages = cut(places, page, size)
        return Page(self._read(ORDERS[filter.order], shown), len(places), number, pages)

    def one(self, key: str, filter: EditFilter | None = None) -> dict[str, Any]:
        """One edit, and "previous" and "next" (keys, None at an end), "place" (0 where the filter leaves it out) and "total"."""
        filter = filter or EditFilter()
        order = ORDERS[filter.order]
        found = self.database.ask(f"select {order} from edits where key = ?", (key,)) if self.has_any else []
        if not found:
            raise LookupFailed(unknown("edit", key))
        here, places = found[0][0], self._places(filter)
        at = bisect_left(places, here)
        is_in = at < len(places) and places[at] == here
        around = {"previous": at - 1, "next": at + 1 if is_in else at}
        keys = {
            name: self._key(order, places[i]) if 0 <= i < len(places) else None for name, i in around.items()
        }
        place = at + 1 if is_in else 0
        return {**self._read(order, [here])[0], **keys, "place": place, "total": len(places)}

    def keys(self, filter: EditFilter) -> list[str]:
        """The keys of all edits that a filter lets through, in its order."""
        where, values = self._where(filter)
        query = f"select key from edits where {where} order by {ORDERS[filter.order]}"
        return [row[0] for row in self.database.ask(query, values)] if self.has_any else []

    def all(self) -> Iterator[dict[str, Any]]:
        """Every edit in the order of the file, some at a time, as `edits` gives them."""
        places = self._places(EditFilter())
        for start in range(0, len(places), AT_ONCE):
            yield from self._read("number", places[start : start + AT_ONCE])

    def that_matter(self) -> Iterator[dict[str, Any]]:
        """All edits of rows of which one was kept or decided on, those of a row together, in the order of the file within it."""
        if not self.has_any:
            return
        ids = self.database.ask(
            "select distinct id from edits where status = 'kept' or key in "
            "(select key from held where kind = 'edit' and choice != 'none') order by id"
        )
        for start in range(0, len(ids), AT_ONCE):
            part = [one[0] for one in ids[start : start + AT_ONCE]]
            marks = ", ".join("?" * len(part))
            found = self.database.ask(
                f"select number from edits where id in ({marks}) order by id, number", part
            )
            numbers = [one[0] for one in found]
            edits = {
                edit["number"]: edit
                for at in range(0, len(numbers), AT_ONCE)
                for edit in self._read("number", numbers[at : at + AT_ONCE])
            }
            yield from (edits[number] for number in numbers)

    def facets(self) -> dict[str, dict[str, int]]:
        """How many edits there are of each status, label, method, engine, failed check and choice."""
        if not self.has_any:
            return {name: {} for name in (*FACETS, "check", "choice")}
        if self._counts is None:
            ask = self.database.ask
            self._counts = {
                name: dict(ask(f"select {name}, count(*) from edits group by 1 order by 2 desc, 1"))
                for name in FACETS
            }
            self._counts["check"] = dict(
                ask("select name, count(*) from failed group by 1 order by 2 desc, 1")
            )
        decided = dict(
            self.database.ask(
                "select choice, count(*) from held join edits using (key) where kind = 'edit' group by 1"
            )
        )
        n_edits = sum(self._counts["status"].values())
        choices = {name: decided.get(name, 0) for name in ("accept", "reject", "hand")}
        return {**self._counts, "choice": {"none": n_edits - sum(choices.values()), **choices}}

    def _where(self, filter: EditFilter) -> tuple[str, list[Any]]:
        """The filter as a condition on the table of edits."""
        where, values = ["1"], list[Any]()
        for name in ("status", "label", "method", "engine"):
            if (wanted := getattr(filter, name)) not in ("", "all" if name == "status" else ""):
                where.append(f"{name} = ?")
                values.append(wanted)
        if filter.check:
            where.append("number in (select number from failed where name = ?)")
            values.append(filter.check)
        if filter.choice:
            no, wanted = ("not ", "none") if filter.choice == "none" else ("", filter.choice)
            sign = "!=" if no else "="
            where.append(f"key {no}in (select key from held where kind = 'edit' and choice {sign} ?)")
            values.append(wanted)
        if part := folded(filter.search.strip()):
            condition, wanted = search_in("edits", part, "id || char(10) || before || char(10) || after")
            where.append(condition)
            values += wanted
        return " and ".join(where), values

    def _places(self, filter: EditFilter) -> array[int]:
        """The places of the edits that a filter lets through, rising; kept until something is decided that matters for it."""
        if not self.has_any:
            return array("q")
        known = (filter, self.decisions.last_seq if filter.choice else 0)
        places = self._lists.pop(known, None)
        if places is None:
            where, values = self._where(filter)
            order = ORDERS[filter.order]
            query = f"select {order} from edits where {where} order by {order}"
            places = array("q", (row[0] for row in self.database.ask(query, values)))
        self._lists[known] = places  # at the end: those that were not asked for go first
        while len(self._lists) > REMEMBERED:
            self._lists.popitem(last=False)
        return places

    def _read(self, order: str, places: Iterable[int]) -> list[dict[str, Any]]:
        """The edits at these places, in order, each with the decision that holds for it."""
        wanted = list(places)
        marks = ", ".join("?" * len(wanted))
        query = (
            "select number, edits.key, status, before, after, rest, "
            "log.seq, log.time, log.author, log.kind, log.key, log.value, log.batch "
            "from edits join bodies using (number) "
            "left join held on held.kind = 'edit' and held.key = edits.key left join log on log.seq = held.seq "
            f"where {order} in ({marks}) order by {order}"
        )
        return [_edit(one) for one in self.database.ask(query, wanted)]

    def _key(self, order: str, place: int) -> str:
        return str(self.database.ask(f"select key from edits where {order} = ?", (place,))[0][0])

    def of_row(self, id_: str) -> list[dict[str, Any]]:
        """The edits of a row and of rows that were made from it, as far as a page can hold them."""
        if not self.has_any:
            return []
        numbers = self.database.ask(
            "select number from edits where id = ? union select number from edits where source = ? limit ?",
            (id_, id_, MOST_OF_A_ROW),
        )
        return self._read("number", sorted(one[0] for one in numbers))


def _edit(row: Sequence[Any]) -> dict[str, Any]:
    number, key, status, before, after, rest, *decision = row
    told = {**_UNSAID, "before": before, "after": after, **json.loads(rest)}
    decided = None if decision[0] is None else decision_of(decision).to_dict()
    return {**told, "key": key, "number": number, "status": status, "decision": decided}
