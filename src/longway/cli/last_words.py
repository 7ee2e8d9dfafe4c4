"""Last words for a process that cannot speak any more.

Where memory is limited, libraries end the process on the spot when it runs out, and so does the system: there is no error to catch.
So under a limit a second process, which does nothing but wait, says what happened and how to go on.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_WORDS = (
    "\nlongway: ended in the middle, most likely for want of memory: {limit:,} MB are allowed here. Nothing half-written was left. "
    "Allow more (ulimit -v), or take a part with --limit, and run the same command again.\n"
)


@contextmanager
def last_words() -> Iterator[None]:
    """Within it a process whose memory is limited does not end without a word; elsewhere nothing is done."""
    limit = _limit()
    if limit is None:
        yield
        return
    hears, speaks = os.pipe()
    try:
        waits = os.fork()
    except OSError:  # not even for this: go without
        os.close(hears)
        os.close(speaks)
        yield
        return
    if waits == 0:
        os.close(speaks)
        _wait(hears, _WORDS.format(limit=limit >> 20).encode())
    os.close(hears)
    try:
        yield
    finally:
        os.write(speaks, b".")  # whatever ends it now is told by ourselves
        os.close(speaks)


def _wait(hears: int, words: bytes) -> None:
    """Speak where the other end was closed without a sign; never comes back."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if not os.read(hears, 1):
        os.write(2, words)
    os._exit(0)


def _limit() -> int | None:
    """The most memory that this process may take, in bytes; None where nobody says."""
    if sys.platform == "win32":
        return None
    import resource

    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((one for one in limits if one != resource.RLIM_INFINITY), default=None)
