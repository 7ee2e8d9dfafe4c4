"""Last words for a process that cannot speak any more.

Where memory is limited, libraries end the process on the spot when it runs out, and so does the system: there is no error to catch.
Or Python waits for ever for a thread that had no memory to begin. So under a limit a second process, which does nothing but wait,
says what happened and how to go on, and ends the one that would never end.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STUCK = (
    60.0  # seconds without any work after which a process that waits for nobody outside is taken for stuck
)
_LOOKS = 6  # at it, in this time
_WORDS = (
    "\nlongway: {what} in the middle, most likely for want of memory: {limit:,} MB are allowed here. Nothing half-written was left. "
    "Allow more (ulimit -v), or take a part with --limit, and run the same command again.\n"
)


@contextmanager
def last_words(stuck: float = STUCK) -> Iterator[None]:
    """Within it a process whose memory is limited does not end or hang without a word; elsewhere nothing is done."""
    limit = _limit()
    if limit is None:
        yield
        return
    hears, speaks = os.pipe()
    watched = os.getpid()
    try:
        waits = os.fork()
    except OSError:  # not even for this: go without
        os.close(hears)
        os.close(speaks)
        yield
        return
    if waits == 0:
        os.close(speaks)
        _watch(watched, hears, limit >> 20, stuck)
    os.close(hears)
    try:
        yield
    finally:
        os.write(speaks, b".")  # whatever ends it now is told by ourselves
        os.close(speaks)


def _watch(watched: int, hears: int, limit: int, stuck: float) -> None:
    """Speak where the other end was closed without a sign, or where the process is stuck; never comes back."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    worked, since = _work_done(watched), time.monotonic()
    while not select.select([hears], [], [], stuck / _LOOKS)[0]:
        now = _work_done(watched)
        if now is None or now != worked:
            worked, since = now, time.monotonic()
        elif time.monotonic() - since >= stuck:
            os.write(2, _WORDS.format(what="stuck", limit=limit).encode())
            os.kill(watched, signal.SIGKILL)
            os._exit(0)
    if not os.read(hears, 1):
        os.write(2, _WORDS.format(what="ended", limit=limit).encode())
    os._exit(0)


def _work_done(process: int) -> float | None:
    """Processor time of a process whose main thread waits for another of its threads; None where it waits for something else.

    A process with a connection may wait for a server, however long; and only Linux tells what a process waits for.
    """
    about = Path(f"/proc/{process}")
    try:
        if not (about / "wchan").read_text().startswith("futex"):
            return None
        if any(str(file.readlink()).startswith("socket:") for file in (about / "fd").iterdir()):
            return None
        fields = (about / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return float(int(fields[11]) + int(fields[12]))


def _limit() -> int | None:
    """The most memory that this process may take, in bytes; None where nobody says."""
    if sys.platform == "win32":
        return None
    import resource

    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((one for one in limits if one != resource.RLIM_INFINITY), default=None)
