"""A message for a process that runs out of memory and cannot print one.

Under a memory limit, libraries and the system kill the process when memory runs out: there is no error to catch. Or Python waits
forever for a thread that could not start. So under a limit, a second process watches: it prints what happened and what to do, and kills a
process that hangs.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path

STUCK = 60.0  # seconds without processor time after which a process that waits for its own threads counts as stuck
_CHECKS = 6  # in this time
_MESSAGE = (
    "\nlongway: the process {what}, most likely because memory ran out: the limit is {limit:,} MB. No file was left half-written. "
    "Raise the limit (ulimit -v), or use fewer rows with --limit, and run the same command again.\n"
)


@contextmanager
def last_words(stuck: float = STUCK) -> Iterator[None]:
    """Print a message if the process dies or hangs within this block. Does nothing without a memory limit."""
    limit = _limit()
    if limit is None:
        yield
        return
    reader, writer = os.pipe()
    watched = os.getpid()
    try:
        watcher = os.fork()
    except OSError:  # no memory for a second process: go on without it
        os.close(reader)
        os.close(writer)
        yield
        return
    if watcher == 0:
        os.close(writer)
        _watch(watched, reader, limit >> 20, stuck)
    os.close(reader)
    with os.fdopen(os.dup(2), "w", buffering=1, errors="replace") as messages, redirect_stderr(messages):
        # Libraries report a lack of memory there, in their own words.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            yield
        finally:
            os.dup2(messages.fileno(), 2)
            os.write(writer, b".")  # this process reports its own errors from here on
            os.close(writer)


def _watch(watched: int, reader: int, limit: int, stuck: float) -> None:
    """Print the message if the pipe was closed without a sign, or if the process is stuck. Does not return."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    worked, since = _work_done(watched), time.monotonic()
    while not select.select([reader], [], [], stuck / _CHECKS)[0]:
        now = _work_done(watched)
        if now is None or now != worked:
            worked, since = now, time.monotonic()
        elif time.monotonic() - since >= stuck:
            os.write(2, _MESSAGE.format(what="got stuck", limit=limit).encode())
            os.kill(watched, signal.SIGKILL)
            os._exit(0)
    if not os.read(reader, 1):
        os.write(2, _MESSAGE.format(what="was killed", limit=limit).encode())
    os._exit(0)


def _work_done(process: int) -> float | None:
    """Processor time of a process whose main thread waits for another of its threads; None if it waits for something else.

    A process with a connection may wait for a server for any time. Only Linux shows what a process waits for.
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
    """The memory limit of this process in bytes; None if there is none."""
    if sys.platform == "win32":
        return None
    import resource

    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min((one for one in limits if one != resource.RLIM_INFINITY), default=None)
