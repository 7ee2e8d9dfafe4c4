"""What SQLite says of a file of ours, as an error that names the file and the next step."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longway.errors import RunError

_NO_ROOM = (
    "The disk may be full or broken, or memory short. What was kept before is whole. "
    "Make room, and run the same command again."
)
_NO_RIGHT = "Expected a file that can be written. Check the rights of the file and of its folder, and run the same command again."
_TOLD = {
    sqlite3.SQLITE_FULL: _NO_ROOM,
    sqlite3.SQLITE_IOERR: _NO_ROOM,
    sqlite3.SQLITE_READONLY: _NO_RIGHT,
    sqlite3.SQLITE_CANTOPEN: _NO_RIGHT,
    sqlite3.SQLITE_PERM: _NO_RIGHT,
}


@contextmanager
def told_of(path: Path | None, *, what: str, in_use: str, damaged: str) -> Iterator[None]:
    """Within it SQLite's errors become RunErrors; a mistake of ours, such as asking a closed file, stays what it is.

    path: None for a database in memory. what: what the file is. in_use: what was expected and what to do where it cannot be used; damaged: the same where it is broken.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.OperationalError as error:
        if "decode to UTF-8" in str(error):  # Python's own: what was text when it was written is none now
            raise RunError(f"{path} is damaged: {error}. {damaged}") from None
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the last byte; the others say more
        raise RunError(f"{path} cannot be used: {error}. {_TOLD.get(kind, in_use)}") from None
    except sqlite3.DatabaseError as error:
        raise RunError(f"{path} is damaged or no {what}: {error}. {damaged}") from None
