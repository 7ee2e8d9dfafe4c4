"""The journal of a run: every call that cost time or money, with its answer, in one SQLite file.

A call is keyed on everything that shaped its answer (engine, model file, prompt version and text, parameters, sample number).
An answer is committed before it is used, so after a crash the same command finds it here and never pays twice.

    journal = Journal(folder / "journal.sqlite")
    answer = journal.get(key)          None if there is no answer yet
    journal.put(JournalEntry(key, kind="write", engine="rules", answer={...}, cost=0.0002))

One process writes at a time; others can read at any moment (write-ahead logging). API keys and passwords are never stored.
SQLite does not notice a byte that a bad disk changed, so each call has a digest; one that does not match raises a RunError.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from longway.errors import RunError
from longway.shard_map import ShardMap

JOURNAL_FILE = "journal.sqlite"  # SQLite keeps files with longer names next to it
CHECKED = "verify"  # the kind of rows that are outputs of checks, which are no calls to an engine
WORDS = "words"  # the kind of rows that hold the important words of a dataset, which are no calls either
_SCHEMA = """
create table if not exists calls (
    key text primary key,
    kind text not null,
    engine text not null,
    asked text not null,
    answer text not null,
    cost real not null,
    prompt_tokens integer not null,
    completion_tokens integer not null,
    seconds real not null,
    at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    row_digest text not null default ''
) without rowid
"""
_ADD_DIGEST = "alter table calls add column row_digest text not null default ''"  # older journals have none
WAIT = 30  # seconds to wait for another process that locks the file
_DAMAGED = (
    "Nothing was overwritten. Restore a copy of it if there is one. "
    "Otherwise delete the run folder and start again."
)
_COLUMNS = (
    "key", "kind", "engine", "asked", "answer", "cost", "prompt_tokens", "completion_tokens", "seconds",
)  # fmt: skip
_SELECT = f"select {', '.join(_COLUMNS)}, row_digest from calls"
_NO_ROOM = (
    "The disk may be full or broken, or memory short. Earlier answers are kept. "
    "Make room, and run the same command again."
)
_NO_PERMISSION = "Expected a writable file. Check the permissions of the file and its folder, and run the same command again."
_NEXT_STEPS = {
    sqlite3.SQLITE_FULL: _NO_ROOM,
    sqlite3.SQLITE_IOERR: _NO_ROOM,
    sqlite3.SQLITE_READONLY: _NO_PERMISSION,
    sqlite3.SQLITE_CANTOPEN: _NO_PERMISSION,
    sqlite3.SQLITE_PERM: _NO_PERMISSION,
}


def key_of(shaped_by: Mapping[str, object]) -> str:
    """The key of a call: the hash of everything that shaped its answer.

    >>> key_of({"engine": "rules", "n": 4}) == key_of({"n": 4, "engine": "rules"})
    True
    """
    text = json.dumps(shaped_by, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One call with its answer. kind: "write", "judge" ...; asked: the request, for people; cost: in dollars."""

    key: str
    kind: str
    engine: str
    answer: Mapping[str, object]
    asked: Mapping[str, object] = field(default_factory=dict)
    cost: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def row(self) -> tuple[str | float, ...]:
        """The values of the columns."""
        texts = (self.key, self.kind, self.engine, json.dumps(self.asked), json.dumps(self.answer))
        return (*texts, self.cost, self.prompt_tokens, self.completion_tokens, self.seconds)


def _digest(row: Sequence[str | float]) -> str:
    """A digest of a call's columns without its seconds, so two runs have the same."""
    *texts, cost, prompt_tokens, completion_tokens, _ = row
    content = json.dumps([*texts, float(cost), prompt_tokens, completion_tokens])  # SQLite returns a float
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class CallTotals:
    """What one engine did. kind: of calls, such as "write" or "judge". cost: in dollars, None if the price is not known."""

    engine: str
    kind: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float | None


class Journal:
    """Answers by key, on disk; in memory only if the path is None.

    shard_map: how answers that are missing can be computed in other processes; None for this one.
    """

    def __init__(self, path: Path | None, *, shard_map: ShardMap | None = None) -> None:
        self.path, self.shard_map = path, shard_map
        self._lock = threading.Lock()
        with self._locked():
            self._db = sqlite3.connect(
                ":memory:" if path is None else path,
                check_same_thread=False,
                isolation_level=None,
                timeout=WAIT,
            )
        try:
            with self._locked():
                self._db.execute("pragma journal_mode = wal")
                # Committed answers survive a killed process; only a power cut may lose the last calls.
                self._db.execute("pragma synchronous = normal")
                self._db.execute(_SCHEMA)
                names = {row[1] for row in self._db.execute("pragma table_info(calls)")}
                if names >= set(_COLUMNS) and "row_digest" not in names:
                    self._db.execute(_ADD_DIGEST)
                self._db.execute(f"select {', '.join(_COLUMNS)} from calls limit 1").fetchall()
        except RunError:
            self._db.close()
            raise

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock; SQLite's errors become RunErrors."""
        in_use = (
            "Expected a journal that no other process writes to. "
            "End the other run, check disk and permissions, and run the same command again."
        )
        damaged = f"Expected an SQLite file that a run wrote. {_DAMAGED}"
        with self._lock, sqlite_errors(self.path, what="journal", in_use=in_use, damaged=damaged):
            yield

    def get(self, key: str) -> dict[str, Any] | None:
        """The answer to a call; None if there is none yet."""
        return self.get_all([key]).get(key)

    def get_all(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The known answers, by key."""
        wanted, answers = list(keys), {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            with self._locked():
                rows = self._db.execute(f"{_SELECT} where key in ({marks})", part).fetchall()
            answers.update({entry.key: entry.answer for entry in map(self._read, rows)})
        return cast(dict[str, dict[str, Any]], answers)

    def _read(self, row: Sequence[Any]) -> JournalEntry:
        """An entry as it was put; RunError if the file is damaged."""
        *columns, digest = row
        key, kind, engine, asked, answer, *numbers = columns
        try:
            if digest and digest != _digest(columns):
                raise ValueError(digest)
            return JournalEntry(key, kind, engine, json.loads(answer), json.loads(asked), *numbers)
        except (TypeError, ValueError):
            raise RunError(
                f"{self.path} is damaged: the entry with the key {str(key)[:12]} was changed. {_DAMAGED}"
            ) from None

    def check_writable(self) -> None:
        """RunError if an answer could not be stored now; call it before paying for one."""
        with self._locked():
            self._db.execute("begin immediate")
            self._db.execute("rollback")

    def put(self, entry: JournalEntry) -> None:
        """Store one answer; it is committed when this returns. A key that exists is not changed."""
        self.put_all([entry])

    def put_all(self, entries: Iterable[JournalEntry]) -> None:
        """Store several answers in one transaction."""
        with self._locked():
            self._db.execute("begin immediate")
            try:
                self._db.executemany(
                    f"insert into calls ({', '.join(_COLUMNS)}, row_digest) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                    "on conflict (key) do nothing",
                    ((*row, _digest(row)) for row in (entry.row() for entry in entries)),
                )
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("rollback")
                raise

    def entries(self) -> Iterator[JournalEntry]:
        """Every call with its answer, ordered by key; read a few hundred at a time."""
        last = ""
        while True:
            with self._locked():
                rows = self._db.execute(f"{_SELECT} where key > ? order by key limit 500", (last,)).fetchall()
            yield from map(self._read, rows)
            if not rows:
                return
            last = rows[-1][0]

    def spent(self) -> float:
        """The cost of all calls, in dollars."""
        with self._locked():
            return float(self._db.execute("select coalesce(sum(cost), 0) from calls").fetchone()[0])

    def totals(self) -> list[CallTotals]:
        """Calls, tokens, cost and seconds for each engine and kind of call."""
        query = (
            "select engine, kind, count(*), sum(prompt_tokens), sum(completion_tokens), sum(cost), sum(seconds) "
            "from calls group by engine, kind order by engine, kind"
        )
        with self._locked():
            return [CallTotals(*row) for row in self._db.execute(query)]

    def __len__(self) -> int:
        with self._locked():
            return int(self._db.execute("select count(*) from calls").fetchone()[0])

    def close(self) -> None:
        """Close the file and merge the write-ahead log into it."""
        with self._lock:
            try:
                self._db.execute("pragma wal_checkpoint(truncate)")
            except sqlite3.Error:
                pass  # another connection reads; the next one finds the log
            finally:
                self._db.close()


@contextmanager
def sqlite_errors(path: Path | None, *, what: str, in_use: str, damaged: str = "") -> Iterator[None]:
    """Turn SQLite's errors into RunErrors; programming errors, such as using a closed file, pass through.

    path: None for a database in memory. what: what the file is. in_use, damaged: what was expected and what to do, if the file
    cannot be used or is damaged; by default the same.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.OperationalError as error:
        if "decode to UTF-8" in str(error):  # raised by Python: a text column is no longer UTF-8
            raise RunError(f"{path} is damaged: {error}. {damaged or in_use}") from None
        kind = vars(error).get("sqlite_errorcode", 0) & 0xFF  # the other bytes are details
        raise RunError(f"{path} cannot be used: {error}. {_NEXT_STEPS.get(kind, in_use)}") from None
    except sqlite3.DatabaseError as error:
        raise RunError(f"{path} is damaged or no {what}: {error}. {damaged or in_use}") from None
