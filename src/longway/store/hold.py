"""One process at a time: whoever writes to a run folder holds it.

    with holding(folder): ...       RunError where another process holds it

It is a lock of the operating system, which goes with the process however that ends: a killed run leaves nothing that would stop
the next one. Where a file system has no locks, nothing is held.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from longway.errors import RunError

LOCK_FILE = ".longway-lock"  # on Windows alone: elsewhere the folder itself is locked
_IS_HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Hold a run folder, which is made where it is not there; RunError where another process holds it."""
    with suppress(OSError):  # `Run.open` tells why a folder cannot be made
        folder.mkdir(parents=True, exist_ok=True)
    handle = None
    try:
        handle = _open(folder)
        _lock(handle)
    except OSError as error:
        if handle is not None and error.errno in _IS_HELD:
            os.close(handle)
            raise RunError(
                f"{folder} is in use: another process writes this run. A run folder takes one at a time. "
                "Wait until it has ended, or choose another folder."
            ) from None
    try:
        yield
    finally:
        if handle is not None:
            _let_go(handle, folder)


if sys.platform == "win32":
    import msvcrt

    def _open(folder: Path) -> int:
        return os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT)

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _let_go(handle: int, folder: Path) -> None:
        os.close(handle)
        with suppress(OSError):
            (folder / LOCK_FILE).unlink()

else:
    import fcntl

    def _open(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _let_go(handle: int, folder: Path) -> None:
        os.close(handle)
