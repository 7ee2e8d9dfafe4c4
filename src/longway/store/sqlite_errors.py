"""What SQLite says of a file of ours, as an error that names the file and the next step."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longway.errors import RunError


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
        raise RunError(f"{path} cannot be used: {error}. {in_use}") from None
    except sqlite3.DatabaseError as error:
        raise RunError(f"{path} is damaged or no {what}: {error}. {damaged}") from None
