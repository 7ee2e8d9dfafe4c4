"""What people decided: a log that only grows, and what it says now.

    decisions = Decisions(database)
    decisions.write("edit", key, {"choice": "accept"}, author="ann", seen=0)
    decisions.write_many("edit", {key: {"choice": "reject"}, ...}, author="ann")
    decisions.undo(author="ann")              what was before, as a new decision: nothing is ever taken out

    kind "edit"       choice: accept, reject, hand (with the text), none
    kind "finding"    choice: signal (leave alone), shortcut (remove), none

The last decision on a key is the one that holds. What is written together is one batch and is undone together. Two pages that
decide on the same key do not lose each other's work: the second is told what the first decided (`Conflict`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from longway.errors import LongwayError, SettingError
from longway.review.database import Database
from longway.store import now

CHOICES = {"edit": ("accept", "reject", "hand", "none"), "finding": ("signal", "shortcut", "none")}
_SCHEMA = (
    # stands_for: the decision that an undo brought back; its own number otherwise; 0 for nothing. undoes: the batch taken back.
    """create table if not exists log (
        seq integer primary key autoincrement, time text not null, author text not null, kind text not null,
        key text not null, value text not null, batch integer not null, stands_for integer not null,
        undoes integer not null default 0)""",
    "create index if not exists log_key on log (kind, key, seq)",
    "create index if not exists log_author on log (author, batch)",
    "create index if not exists log_batch on log (batch)",
    "create index if not exists log_undoes on log (undoes)",
    # What holds now, so that lists can be filtered by it. Made of the log alone.
    """create table if not exists held (
        kind text not null, key text not null, seq integer not null, choice text not null,
        primary key (kind, key)) without rowid""",
)
_COLUMNS = "seq, time, author, kind, key, value, batch"
# What held before each decision of a batch, for keys on which that decision holds, or an undo that brought it back.
_BEFORE = """
    select one.kind, one.key, coalesce(earlier.value, '{"choice": "none"}'), coalesce(earlier.stands_for, 0) from log as one
    join held on held.kind = one.kind and held.key = one.key join log as now on now.seq = held.seq
    left join log as earlier on earlier.seq =
        (select max(seq) from log as past where past.kind = one.kind and past.key = one.key and past.seq < one.seq)
    where one.batch = ? and now.stands_for = one.seq order by one.seq
"""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision. seq: its place in the log, from 1. batch: what was written together has the same number."""

    seq: int
    time: str
    author: str
    kind: str
    key: str
    value: dict[str, Any]
    batch: int

    def to_dict(self) -> dict[str, Any]:
        """The decision as plain JSON values."""
        return asdict(self)


class _Told(NamedTuple):
    """What is to be written. value: as JSON. stands_for: as in the log, None for itself."""

    kind: str
    key: str
    value: str
    stands_for: int | None = None


class Conflict(LongwayError):  # noqa: N818 - named after what happened
    """Somebody decided otherwise in the meantime. current: what holds now, None where nothing does."""

    def __init__(self, message: str, *, current: Decision | None) -> None:
        self.current = current
        super().__init__(message)


class LookupFailed(LongwayError):  # noqa: N818 - named after what happened
    """There is nothing with this key."""


class Decisions:
    """The log of decisions in the file of a review."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.writing():
            for statement in _SCHEMA:
                database.tell(statement)

    def write(
        self, kind: str, key: str, value: dict[str, Any], *, author: str, seen: int | None = None
    ) -> Decision:
        """The decision as it was written; it is on the disk when this returns.

        seen: the number of the decision on this key that the page showed, 0 for none; where another has come since, `Conflict`.
        """
        text = _checked(kind, key, value, author)
        with self.database.writing():
            current = self.of(kind, key)
            if seen is not None and seen != (current.seq if current else 0):
                raise Conflict(_since(current, seen), current=current)
            return self._add([_Told(kind, key, text)], author=author, batch=self._next())[0]

    def write_many(self, kind: str, values: Mapping[str, dict[str, Any]], *, author: str) -> list[Decision]:
        """The decisions as they were written, all in one batch, all or none."""
        told = [_Told(kind, key, _checked(kind, key, value, author)) for key, value in values.items()]
        with self.database.writing():
            return self._add(told, author=author, batch=self._next())

    def undo(self, *, author: str, batch: int | None = None) -> list[Decision]:
        """The decisions that take back the author's last batch, or the given one of theirs; [] where there is none left.

        A key on which something else was decided since stays as it is; where that holds for all keys of the batch, `Conflict`.
        """
        with self.database.writing():
            last = self._last(author) if batch is None else self._own(author, batch)
            if last is None:
                return []
            before = [_Told(*row) for row in self.database.ask(_BEFORE, (last,))]
            if not before:
                kind, key = self.database.ask("select kind, key from log where batch = ? limit 1", (last,))[0]
                current = self.of(kind, key)
                raise Conflict(
                    "What you decided last cannot be taken back: something else was decided since. "
                    f"{_said(current)} Look at it again and decide anew.",
                    current=current,
                )
            return self._add(before, author=author, batch=self._next(), undoes=last)

    def of(self, kind: str, key: str) -> Decision | None:
        """The decision that holds for a key."""
        query = f"select {_COLUMNS} from log where kind = ? and key = ? order by seq desc limit 1"
        rows = self.database.ask(query, (kind, key))
        return decision_of(rows[0]) if rows else None

    def current(self, kind: str) -> dict[str, Decision]:
        """All decisions of a kind that hold, by key, in the order in which they were made."""
        columns = ", ".join(f"log.{name}" for name in _COLUMNS.split(", "))
        query = f"select {columns} from held join log using (seq) where held.kind = ? order by seq"
        return {row[4]: decision_of(row) for row in self.database.ask(query, (kind,))}

    def history(self, kind: str | None = None, key: str | None = None, *, last: int = 200) -> list[Decision]:
        """The last decisions, newest first; of one kind and key where they are given."""
        asked = {name: value for name, value in (("kind", kind), ("key", key)) if value is not None}
        where = " and ".join(f"{name} = ?" for name in asked) or "1"
        query = f"select {_COLUMNS} from log where {where} order by seq desc limit ?"
        return [decision_of(row) for row in self.database.ask(query, (*asked.values(), last))]

    def batches(self, *, last: int = 60) -> list[tuple[Decision, int]]:
        """The last batches, newest first: the newest decision of each, and how many decisions it has."""
        query = (
            f"select {_COLUMNS}, n from log join (select max(seq) as newest, count(*) as n from log "
            "group by batch order by batch desc limit ?) on seq = newest order by seq desc"
        )
        return [(decision_of(row[:-1]), row[-1]) for row in self.database.ask(query, (last,))]

    @property
    def last_seq(self) -> int:
        """The number of the newest decision, 0 before the first."""
        return int(self.database.ask("select coalesce(max(seq), 0) from log")[0][0])

    def _next(self) -> int:
        """A number for a new batch."""
        return int(self.database.ask("select coalesce(max(batch), 0) + 1 from log")[0][0])

    def _add(self, told: Sequence[_Told], *, author: str, batch: int, undoes: int = 0) -> list[Decision]:
        """Put decisions into the log, in a transaction that was begun."""
        time, first = now(), self.last_seq + 1
        rows = [
            (first + i, time, author, one.kind, one.key, one.value, batch,
             first + i if one.stands_for is None else one.stands_for, undoes)
            for i, one in enumerate(told)
        ]  # fmt: skip
        self.database.tell_many("insert into log values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        written = [decision_of(row[:7]) for row in rows]
        self.database.tell_many(
            "insert or replace into held values (?, ?, ?, ?)",
            ((one.kind, one.key, one.seq, _choice(one.value)) for one in written),
        )
        return written

    def _last(self, author: str) -> int | None:
        """The author's newest batch that is no undo and was not taken back."""
        rows = self.database.ask(
            "select max(batch) from log where author = ? and undoes = 0 "
            "and batch not in (select undoes from log where undoes > 0)",
            (author,),
        )
        return rows[0][0]

    def _own(self, author: str, batch: int) -> int | None:
        """The batch where it is the author's and was not taken back."""
        rows = self.database.ask("select author, undoes from log where batch = ? limit 1", (batch,))
        if not rows or rows[0][0] != author or rows[0][1]:
            raise LookupFailed(
                f"There is nothing to take back under the number {batch}. Expected one of the batches that {author} "
                "decided. Look at the history."
            )
        return None if self.database.ask("select 1 from log where undoes = ? limit 1", (batch,)) else batch


def decision_of(row: Iterable[Any]) -> Decision:
    """A row of the log as a decision."""
    seq, time, author, kind, key, value, batch = row
    return Decision(seq, time, author, kind, key, json.loads(value), batch)


def _choice(value: Mapping[str, Any]) -> str:
    return str(value.get("choice", ""))


def _checked(kind: str, key: str, value: dict[str, Any], author: str) -> str:
    """The value as JSON; SettingError where a decision cannot be this."""
    for name, given in (("kind", kind), ("key", key), ("author", author)):
        if not isinstance(given, str) or not given or "\0" in given or not given.isprintable():
            raise SettingError(
                f"The {name} of a decision must be a short text that can be printed. Got {given!r:.80}. Check it."
            )
    if not isinstance(value, dict):
        raise SettingError(
            f"The value of a decision must be an object. Got {type(value).__name__}. Check it."
        )
    known = CHOICES.get(kind)
    if known and value.get("choice") not in known:
        raise SettingError(
            f"The choice for an {kind} must be one of {', '.join(known)}. Got {value.get('choice')!r:.80}. Choose one of them."
        )
    if value.get("choice") == "hand" and not isinstance(value.get("text"), str):
        raise SettingError("A text written by hand needs the text. Got none. Send it as 'text'.")
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise SettingError(
            f"The value of a decision must be plain JSON. Got one that is not: {error}. Check it."
        ) from None


def _since(current: Decision | None, seen: int) -> str:
    if current is None:
        return f"The decision {seen} is not there: nothing was decided yet. Reload the page and decide again."
    return f"This was decided in the meantime. {_said(current)} Reload the page and decide again."


def _said(current: Decision | None) -> str:
    return "" if current is None else f"{current.author} said {_choice(current.value) or 'something else'!r}."
