"""What a disk says when it cannot be written to, as an error that names the file and the next step."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longway.errors import RunError

_NEXT = {
    errno.ENOSPC: "Make room on the disk",
    errno.EDQUOT: "Make room within your quota",
    errno.EFBIG: "Files may not grow that large here: lift the limit (ulimit -f), or choose another --out",
    errno.EROFS: "Make the disk writable, or choose another --out",
    errno.EACCES: "Get the right to write there, or choose another --out",
    errno.EPERM: "Get the right to write there, or choose another --out",
    errno.EIO: "Check the disk, or choose another --out",
}


@contextmanager
def told_of_disk(path: Path) -> Iterator[None]:
    """Within it a disk that is full or cannot be written to becomes a RunError; all other errors stay what they are."""
    try:
        yield
    except OSError as error:
        if (told := disk_error(error, path)) is None:
            raise
        raise told from None


def disk_error(error: OSError, path: Path | str | None = None) -> RunError | None:
    """The error in words, where it is about a disk; None where it is about something else.

    path: what was being written; by default what the error names.

    >>> print(disk_error(OSError(errno.ENOSPC, "No space left on device"), Path("run/edits.jsonl")))
    run/edits.jsonl cannot be written: No space left on device. What was finished before is kept. Make room on the disk, and run the same command again.
    """
    if error.errno not in _NEXT:
        return None
    where = path or error.filename or "The output"
    return RunError(
        f"{where} cannot be written: {error.strerror}. What was finished before is kept. "
        f"{_NEXT[error.errno]}, and run the same command again."
    )
