"""The SQLite file of a review: RUN/review/review.sqlite.

    log       every decision in order; rows are added and never changed (`decisions.py`)
    others    a searchable index of the run folder (`index.py`); can be deleted at any time

The file has its own folder because the files of a run are part of its "done" state (`store/run.py`). Several readers and one writer
can work at the same time (write-ahead logging), in this process and in others. Committed data is on disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longway.errors import RunError
from longway.store.journal import sqlite_errors

REVIEW_FOLDER, REVIEW_FILE = "review", "review.sqlite"
WAIT = 60  # seconds for another process that is writing


class Database:
    """One connection to the file for all threads of a process; SQLite's errors are raised as RunError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._inside = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(
                f"{path.parent} cannot be created: {error.strerror or error}. Decisions are stored in the run folder, which "
                "must be writable. Copy the folder to a place where you can write, and review it there."
            ) from None
        with self._errors():
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=WAIT)
        try:
            with self._errors():
                self._db.execute("pragma journal_mode = wal")
                self._db.execute("pragma synchronous = full")  # a confirmed decision survives a power cut
                self._db.execute("pragma cache_size = -65536")  # KiB: indexes 100,000 edits in memory
                self._db.create_function("contains", 2, _contains, deterministic=True)
                self._db.create_function("folded", 1, folded, deterministic=True)
        except RunError:
            self._db.close()
            raise

    def query(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query."""
        with self._errors():
            return self._db.execute(query, values).fetchall()

    def execute(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Execute one statement."""
        with self._errors():
            self._db.execute(statement, values)

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a statement once per row."""
        with self._errors():
            self._db.executemany(statement, rows)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One atomic transaction; inside another one it is part of that."""
        with self._lock:
            if self._inside:
                yield
                return
            self.execute("begin immediate")
            self._inside = True
            try:
                yield
                self.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise
            finally:
                self._inside = False

    def close(self) -> None:
        """Close the file and merge the write-ahead log into it."""
        with self._lock:
            try:
                self._db.execute("pragma wal_checkpoint(truncate)")
            except sqlite3.Error:
                pass  # another process is reading: the log file is picked up next time
            finally:
                self._db.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with self._lock, sqlite_errors(
            self.path,
            what="review",
            in_use="Expected a writable file that no other process locks for long. Check disk space and permissions, and try again.",
            damaged="Expected an SQLite file written by a review. Move it away to start over; the run itself is not affected.",
        ):  # fmt: skip
            yield


def _contains(text: str | None, part: str) -> bool:
    """Whether a text contains a part, ignoring case; `part` is folded already."""
    return part in folded(text or "")


def folded(text: str) -> str:
    """A text as it is searched: without case and without characters that SQLite cannot store.

    >>> folded("Straße")
    'strasse'
    """
    return text.casefold().replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
