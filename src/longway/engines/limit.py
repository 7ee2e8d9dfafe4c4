"""How many calls to a server may run at once: more while it keeps up, fewer when it does not.

    limit = Limit(most=128)
    async with limit.slot():          waits for room
        ...
    limit.answered(seconds)           or `refused`

The limit starts small and grows by one with each answer, so it doubles each round, until answers take more than twice as long as the
fastest one: the server is saturated. A refusal (429) or a timeout halves it, and from then on it grows by one per round.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

START = 4  # a server with one slot answers the last of so many calls before its timeout
SLOW = 2.0  # times the fastest answer


class Limit:
    """A semaphore whose size follows the server. Times are seconds of a monotonic clock."""

    def __init__(self, most: int) -> None:
        self.most, self.size = most, float(min(START, most))
        self.running = 0
        self.open_at = 0.0  # no call begins before: the server asked for a pause
        self._halved_at = float("-inf")
        self._fastest: dict[str, float] = {}  # by kind: a judgement is much shorter than a rewriting
        self._room = asyncio.Semaphore(int(self.size))
        self._owed = 0  # calls that must end before another one may begin

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Room for one call, for the duration of the block."""
        await self._room.acquire()
        self.running += 1
        try:
            while (pause := self.open_at - time.monotonic()) > 0:
                await asyncio.sleep(pause)
            yield
        finally:
            self.running -= 1
            self._admit(1)

    def answered(self, seconds: float, kind: str = "") -> None:
        """Report an answered call that is still running."""
        self._fastest[kind] = min(seconds, self._fastest.get(kind, seconds))
        if seconds <= SLOW * self._fastest[kind] and self.running >= int(self.size):
            was_refused = self._halved_at >= 0
            self._resize(min(self.most, self.size + (1 / self.size if was_refused else 1)))

    def refused(self, *, began: float, now: float, wait: float = 0.0) -> None:
        """Report a call that the server refused or did not answer in time. wait: seconds without calls that it asked for."""
        self.open_at = max(self.open_at, now + wait)
        if began >= self._halved_at:  # calls sent together with the one that halved the limit do not count
            self._halved_at = now
            self._resize(max(1.0, self.size / 2))

    def _resize(self, size: float) -> None:
        more, self.size = int(size) - int(self.size), size
        self._admit(more)

    def _admit(self, more: int) -> None:
        """Let so many more calls begin; fewer if it is negative."""
        self._owed -= more
        while self._owed < 0:
            self._owed += 1
            self._room.release()
