"""Decisions of reviewers: an append-only log, and the decision that currently applies to each key.

    decisions = Decisions(database)
    decisions.write("edit", key, {"choice": "accept"}, author="ann", seen=0)
    decisions.write_many("edit", {key: {"choice": "reject"}, ...}, author="ann")
    decisions.undo(author="ann")              restores the previous decision by writing a new one: nothing is deleted

    kind "edit"       choice: accept, reject, hand (with the text), none
    kind "finding"    choice: signal (leave alone), shortcut (remove), none

The last decision on a key applies. Decisions written together form one batch and are undone together. Two pages that decide on the
same key do not overwrite each other: the second gets a `Conflict` with the first one's decision. Values are checked where they come in
(`routes.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from longway.errors import LongwayError
from longway.review.database import Database
from longway.store import now

_SCHEMA = (
    # stands_for: the decision that an undo restored; otherwise its own number; 0 for none. undoes: the batch that was undone.
    """create table if not exists log (
        seq integer primary key autoincrement, time text not null, author text not null, kind text not null,
        key text not null, value text not null, batch integer not null, stands_for integer not null,
        undoes integer not null default 0)""",
    "create index if not exists log_key on log (kind, key, seq)",
    "create index if not exists log_author on log (author, batch)",
    "create index if not exists log_batch on log (batch)",
    "create index if not exists log_undoes on log (undoes)",
    # The current decisions, derived from the log; lists are filtered by it.
    """create table if not exists held (
        kind text not null, key text not null, seq integer not null, choice text not null,
        primary key (kind, key)) without rowid""",
)
_COLUMNS = "seq, time, author, kind, key, value, batch"
# The decision before each decision of a batch, for keys whose current decision is that one, or an undo that restored it.
_BEFORE = """
    select one.kind, one.key, coalesce(earlier.value, '{"choice": "none"}'), coalesce(earlier.stands_for, 0) from log as one
    join held on held.kind = one.kind and held.key = one.key join log as now on now.seq = held.seq
    left join log as earlier on earlier.seq =
        (select max(seq) from log as past where past.kind = one.kind and past.key = one.key and past.seq < one.seq)
    where one.batch = ? and now.stands_for = one.seq order by one.seq
"""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision. seq: its number in the log, from 1. value: JSON, depending on the kind. batch: shared by decisions written together."""

    seq: int
    time: str
    author: str
    kind: str
    key: str
    value: Mapping[str, Any]
    batch: int

    @property
    def choice(self) -> str:
        """The choice, "none" if the value has none."""
        return str(self.value.get("choice") or "none")

    def to_dict(self) -> dict[str, object]:
        """The decision as plain JSON values."""
        return asdict(self)


class _Entry(NamedTuple):
    """A decision to be written. value: as JSON. stands_for: as in the log, None for itself."""

    kind: str
    key: str
    value: str
    stands_for: int | None = None


class Conflict(LongwayError):  # noqa: N818 - named after what happened
    """Another decision was made in the meantime. current: the one that applies, None if there is none."""

    def __init__(self, message: str, *, current: Decision | None) -> None:
        self.current = current
        super().__init__(message)


class LookupFailed(LongwayError):  # noqa: N818 - named after what happened
    """Nothing has this key."""


class Decisions:
    """The log of decisions in the file of a review."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.writing():
            for statement in _SCHEMA:
                database.execute(statement)

    def write(
        self, kind: str, key: str, value: Mapping[str, object], *, author: str, seen: int | None = None
    ) -> Decision:
        """Write a decision and return it; it is on disk when this returns.

        seen: the number of the decision on this key that the page showed, 0 for none. If there is a newer one, raises `Conflict`.
        """
        text = json.dumps(value, allow_nan=False)
        with self.database.writing():
            current = self.of(kind, key)
            if seen is not None and seen != (current.seq if current else 0):
                raise Conflict(_since(current, seen), current=current)
            return self._add([_Entry(kind, key, text)], author=author, batch=self._next())[0]

    def write_many(
        self, kind: str, values: Mapping[str, Mapping[str, object]], *, author: str
    ) -> list[Decision]:
        """Write decisions as one batch, all or none, and return them."""
        entries = [_Entry(kind, key, json.dumps(value, allow_nan=False)) for key, value in values.items()]
        with self.database.writing():
            return self._add(entries, author=author, batch=self._next())

    def undo(self, *, author: str, batch: int | None = None) -> list[Decision]:
        """Undo the author's last batch, or the given batch of theirs, and return the new decisions; [] if there is none left.

        A key with a newer decision is left alone. If that applies to all keys of the batch, raises `Conflict`.
        """
        with self.database.writing():
            last = self._last(author) if batch is None else self._own(author, batch)
            if last is None:
                return []
            before = [_Entry(*row) for row in self.database.query(_BEFORE, (last,))]
            if not before:
                query = "select kind, key from log where batch = ? limit 1"
                current = self.of(*self.database.query(query, (last,))[0])
                raise Conflict(
                    f"Your last decision cannot be undone: there is a newer one. {_said(current)} Reload the page and decide again.",
                    current=current,
                )
            return self._add(before, author=author, batch=self._next(), undoes=last)

    def of(self, kind: str, key: str) -> Decision | None:
        """The current decision on a key."""
        query = f"select {_COLUMNS} from log where kind = ? and key = ? order by seq desc limit 1"
        rows = self.database.query(query, (kind, key))
        return decision_of(rows[0]) if rows else None

    def current(self, kind: str) -> dict[str, Decision]:
        """All current decisions of a kind by key, oldest first."""
        columns = ", ".join(f"log.{name}" for name in _COLUMNS.split(", "))
        query = f"select {columns} from held join log using (seq) where held.kind = ? order by seq"
        return {row[4]: decision_of(row) for row in self.database.query(query, (kind,))}

    def history(self, kind: str | None = None, key: str | None = None, *, last: int = 200) -> list[Decision]:
        """The last decisions, newest first, optionally of one kind and key."""
        given = {name: value for name, value in (("kind", kind), ("key", key)) if value is not None}
        where = " and ".join(f"{name} = ?" for name in given) or "1"
        query = f"select {_COLUMNS} from log where {where} order by seq desc limit ?"
        return [decision_of(row) for row in self.database.query(query, (*given.values(), last))]

    def batches(self, *, last: int = 60) -> list[tuple[Decision, int]]:
        """The last batches, newest first: the newest decision of each, and its number of decisions."""
        query = (
            f"select {_COLUMNS}, n from log join (select max(seq) as newest, count(*) as n from log "
            "group by batch order by batch desc limit ?) on seq = newest order by seq desc"
        )
        return [(decision_of(row[:-1]), row[-1]) for row in self.database.query(query, (last,))]

    @property
    def last_seq(self) -> int:
        """The number of the newest decision, 0 before the first."""
        return int(self.database.query("select coalesce(max(seq), 0) from log")[0][0])

    def _next(self) -> int:
        return int(self.database.query("select coalesce(max(batch), 0) + 1 from log")[0][0])

    def _add(self, entries: Sequence[_Entry], *, author: str, batch: int, undoes: int = 0) -> list[Decision]:
        """Append decisions to the log, within an open transaction."""
        time, first = now(), self.last_seq + 1
        rows = [
            (seq, time, author, entry.kind, entry.key, entry.value, batch, seq if entry.stands_for is None else entry.stands_for, undoes)
            for seq, entry in enumerate(entries, first)
        ]  # fmt: skip
        self.database.execute_many("insert into log values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        written = [decision_of(row[:7]) for row in rows]
        self.database.execute_many(
            "insert or replace into held values (?, ?, ?, ?)",
            ((new.kind, new.key, new.seq, str(new.value.get("choice", ""))) for new in written),
        )
        return written

    def _last(self, author: str) -> int | None:
        """The author's newest batch that is no undo and was not undone."""
        rows = self.database.query(
            "select max(batch) from log where author = ? and undoes = 0 "
            "and batch not in (select undoes from log where undoes > 0)",
            (author,),
        )
        return rows[0][0]

    def _own(self, author: str, batch: int) -> int | None:
        """The batch if it is the author's; None if it was undone already."""
        rows = self.database.query("select author, undoes from log where batch = ? limit 1", (batch,))
        if not rows or rows[0][0] != author or rows[0][1]:
            raise LookupFailed(
                f"There is no batch {batch} to undo. Expected a batch of decisions by {author}. Look at the history."
            )
        return None if self.database.query("select 1 from log where undoes = ? limit 1", (batch,)) else batch


def decision_of(row: Iterable[Any]) -> Decision:
    """A row of the log as a decision."""
    seq, time, author, kind, key, value, batch = row
    return Decision(seq, time, author, kind, key, json.loads(value), batch)


def _since(current: Decision | None, seen: int) -> str:
    if current is None:
        return f"Decision {seen} does not exist: nothing was decided yet. Reload the page and decide again."
    return f"There is a newer decision. {_said(current)} Reload the page and decide again."


def _said(current: Decision | None) -> str:
    choice = current and current.value.get("choice")
    return "" if current is None else f"{current.author} decided {choice or 'something else'!r}."
