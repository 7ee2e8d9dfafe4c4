"""The SQLite file of a review: RUN/review/review.sqlite.

    log       every decision, in the order in which they came; rows are added and never changed (`decisions.py`)
    others    what the run folder holds, made so that it can be searched (`index.py`); may be thrown away at any time

It lies in a folder of its own, since the files of a run are part of what "done" stands for (`store/run.py`). Readers and one writer
work at the same time (write-ahead logging), in this process and in others; what was committed is on the disk.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longway.errors import RunError
from longway.store.sqlite_errors import told_of

REVIEW_FOLDER, REVIEW_FILE = "review", "review.sqlite"
WAIT = 60  # seconds for another process that is writing


class Database:
    """One connection to the file, for all threads of a process; SQLite's own errors become ours."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._inside = False
        with self._told():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise RunError(
                    f"{path.parent} cannot be made: {error.strerror or error}. Decisions are kept in the run folder, which "
                    "must be writable. Copy the folder to where you may write, and review it there."
                ) from None
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=WAIT)
        try:
            with self._told():
                self._db.execute("pragma journal_mode = wal")
                self._db.execute(
                    "pragma synchronous = full"
                )  # a decision that was told is there after a power cut
                self._db.execute(
                    "pragma cache_size = -65536"
                )  # KiB; indexes of 100,000 edits are made in memory
                self._db.create_function("contains", 2, _contains, deterministic=True)
        except RunError:
            self._db.close()
            raise

    def ask(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of an answer."""
        with self._told():
            return self._db.execute(query, values).fetchall()

    def tell(self, query: str, values: Sequence[Any] = ()) -> None:
        """Do one thing."""
        with self._told():
            self._db.execute(query, values)

    def tell_many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        """Do one thing for each of the rows."""
        with self._told():
            self._db.executemany(query, rows)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it is on the disk at the end, or nothing is. Within another one it is part of that."""
        with self._lock:
            if self._inside:
                yield
                return
            self.tell("begin immediate")
            self._inside = True
            try:
                yield
                self.tell("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise
            finally:
                self._inside = False

    def close(self) -> None:
        """Close the file; everything was on the disk before, and now is all in one file."""
        with self._lock:
            try:
                self._db.execute("pragma wal_checkpoint(truncate)")
            except sqlite3.Error:
                pass  # another process reads: what is in the file beside this one is found there next time
            finally:
                self._db.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        with self._lock, told_of(
            self.path,
            what="review",
            in_use="Expected a file that can be written and that no other process holds for long. Check disk and rights, and try again.",
            damaged="Expected an SQLite file that a review wrote. Move it away to begin anew; the run itself is not touched.",
        ):  # fmt: skip
            yield


def _contains(text: str | None, part: str) -> bool:
    """Whether a text has this part, whatever the case; `part` is folded already."""
    return part in folded(text or "")


def folded(text: str) -> str:
    """A text as it is searched: without case, and without what SQLite cannot hold.

    >>> folded("Straße")
    'strasse'
    """
    return text.casefold().replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
