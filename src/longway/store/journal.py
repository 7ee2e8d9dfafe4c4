"""The journal of a run: every call that cost time or money, and its answer, in one SQLite file.

A call is keyed on everything that shaped its answer (engine, model file, prompt version and text, parameters, sample
number). An answer is committed before it is used, so that whatever dies when, the same command again finds it
here and pays nothing twice.

    journal = Journal(folder / "journal.sqlite")
    answer = journal.get(key)          None where it was never asked
    journal.put(key, kind="write", answer={...}, cost=0.0002)

One process writes at a time; readers may look at any moment (write-ahead logging). Keys and passwords are never part of it.
SQLite does not notice a letter that a bad disk changed, so each call has a digest, and one that does not fit is told, never used.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longway.errors import RunError
from longway.store.sqlite_errors import told_of

JOURNAL_FILE = "journal.sqlite"  # SQLite puts files with longer names beside it
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
_ADD_DIGEST = "alter table calls add column row_digest text not null default ''"  # earlier journals have none
WAIT = 30  # seconds for another process that holds the file
_DAMAGED = (
    "Nothing was overwritten. Put a copy in its place if there is one. "
    "Delete the run folder and start again if there is none."
)

_COLUMNS = (
    "key", "kind", "engine", "asked", "answer", "cost", "prompt_tokens", "completion_tokens", "seconds",
)  # fmt: skip
_SELECT = f"select {', '.join(_COLUMNS)}, row_digest from calls"


def key_of(shaped_by: Mapping[str, Any]) -> str:
    """A name for a call: the hash of everything that shaped its answer.

    >>> key_of({"engine": "rules", "n": 4}) == key_of({"n": 4, "engine": "rules"})
    True
    """
    text = json.dumps(shaped_by, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _digest(call: Sequence[str | float]) -> str:
    """A digest of a call's columns but its seconds, so that two runs have the same."""
    *words, cost, prompt_tokens, completion_tokens, _ = call
    said = json.dumps(
        [*words, float(cost), prompt_tokens, completion_tokens]
    )  # SQLite makes a fraction of the cost, too
    return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()


class Journal:
    """Answers by key, on disk; `None` as path keeps them in memory only."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = threading.Lock()
        with self._told():
            self._db = sqlite3.connect(
                ":memory:" if path is None else path,
                check_same_thread=False,
                isolation_level=None,
                timeout=WAIT,
            )
        try:
            with self._told():
                self._db.execute("pragma journal_mode = wal")
                # What was committed must survive a killed process, and so it does; only a power cut may lose the last calls.
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
    def _told(self) -> Iterator[None]:
        """The lock; SQLite's own errors become one that says which file and what to do."""
        with self._lock, told_of(
            self.path,
            what="journal",
            in_use="Expected a journal that no other process writes to. End the other run, check disk and rights, and run the same command again.",
            damaged=f"Expected an SQLite file that a run wrote. {_DAMAGED}",
        ):  # fmt: skip
            yield

    def get(self, key: str) -> dict[str, Any] | None:
        """The answer to a call, None where it was never asked."""
        return self.get_all([key]).get(key)

    def get_all(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The answers that are there, by key."""
        wanted, found = list(keys), {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            with self._told():
                rows = self._db.execute(f"{_SELECT} where key in ({marks})", part).fetchall()
            found.update({call["key"]: call["answer"] for call in map(self._read, rows)})
        return found

    def _read(self, row: Sequence[Any]) -> dict[str, Any]:
        """A call as it was put; RunError where the file has another one."""
        *columns, digest = row
        call = dict(zip(_COLUMNS, columns, strict=True))
        try:
            if digest and digest != _digest(columns):
                raise ValueError(digest)
            return call | {"asked": json.loads(call["asked"]), "answer": json.loads(call["answer"])}
        except (TypeError, ValueError):
            raise RunError(
                f"{self.path} is damaged: what stands under the key {str(call['key'])[:12]} is not what was kept. {_DAMAGED}"
            ) from None

    def check_writable(self) -> None:
        """RunError where an answer could not be kept now; to be called before one is paid for."""
        with self._told():
            self._db.execute("begin immediate")
            self._db.execute("rollback")

    def put(
        self,
        key: str,
        *,
        kind: str,
        engine: str,
        answer: Mapping[str, Any],
        asked: Mapping[str, Any] | None = None,
        cost: float = 0.0,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
        seconds: float = 0.0,
    ) -> None:
        """Keep one answer, committed when this returns; a key that is there already stays as it is."""
        self.put_all(
            [
                (
                    key,
                    kind,
                    engine,
                    json.dumps(asked or {}),
                    json.dumps(answer),
                    cost,
                    prompt_tokens,
                    completion_tokens,
                    seconds,
                )
            ]
        )

    def put_all(self, calls: Iterable[tuple[str, str, str, str, str, float, int, int, float]]) -> None:
        """Keep several answers in one transaction: key, kind, engine, asked, answer, cost, tokens in and out, seconds."""
        with self._told():
            self._db.execute("begin immediate")
            try:
                self._db.executemany(
                    f"insert into calls ({', '.join(_COLUMNS)}, row_digest) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                    "on conflict (key) do nothing",
                    ((*call, _digest(call)) for call in calls),
                )
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("rollback")
                raise

    def calls(self) -> Iterator[dict[str, Any]]:
        """Every call with its answer, in the order of the keys; read a few hundred at a time."""
        last = ""
        while True:
            with self._told():
                rows = self._db.execute(f"{_SELECT} where key > ? order by key limit 500", (last,)).fetchall()
            yield from map(self._read, rows)
            if not rows:
                return
            last = rows[-1][0]

    def spent(self) -> float:
        """Money spent on all calls, in dollars."""
        with self._told():
            return float(self._db.execute("select coalesce(sum(cost), 0) from calls").fetchone()[0])

    def totals(self) -> list[dict[str, Any]]:
        """Calls, tokens, money and seconds for each engine and kind of call."""
        query = (
            "select engine, kind, count(*), sum(prompt_tokens), sum(completion_tokens), sum(cost), sum(seconds) "
            "from calls group by engine, kind order by engine, kind"
        )
        names = ("engine", "kind", "calls", "prompt_tokens", "completion_tokens", "cost", "seconds")
        with self._told():
            return [dict(zip(names, row, strict=True)) for row in self._db.execute(query)]

    def __len__(self) -> int:
        with self._told():
            return int(self._db.execute("select count(*) from calls").fetchone()[0])

    def close(self) -> None:
        """Close the file; everything put was on disk before, and now is all in one file."""
        with self._lock:
            try:
                self._db.execute("pragma wal_checkpoint(truncate)")
            except sqlite3.Error:
                pass  # another connection reads: what is in the file beside this one is found there next time
            finally:
                self._db.close()
