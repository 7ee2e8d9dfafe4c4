"""How many calls to a server may run at once: more while it keeps up, fewer when it does not.

    Pace    the rule, without a clock or a network: it is given events and sets the limit
    Gate    admits coroutines at that pace

The rule is additive increase, multiplicative decrease, as in networks. It looks at one round after the other: about as many calls as
may run at once, all begun after the limit last changed. At first the limit doubles with each round (quadruples while answers
are as fast as ever), until the server is saturated: it refuses (429), or answers take more than twice as long as when it was least
busy. From then on the limit grows by two per round, stays while answers are slow, shrinks by a fifth when they are very slow, and
halves on a refusal. If shrinking does not make answers faster, the server itself has become slower, and the reference latency
is measured again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import fmean

FAST = 1.25  # times the best latency: no sign of a queue
SLOW = 2.0  # stop growing
VERY_SLOW = 4.0  # shrink
HELPED = 0.85  # shrinking twice has helped if the latency fell below this share


class Pace:
    """The limit of running calls; times are seconds of any monotonic clock."""

    def __init__(self, *, start: int = 8, most: int = 128) -> None:
        self.most = max(1, most)
        self.limit = float(min(start, self.most))
        self.open_at = 0.0  # no call before: the server asked for a pause
        self._is_starting = True
        self._burst = self.limit  # calls sent together after the limit has grown
        self._best: dict[str, float] = {}  # by kind: a judgement is much shorter than a rewriting
        self._kind = ""
        self._slow: list[float] = []  # latencies of consecutive rounds that made the limit shrink
        self._round_began, self._most_used = float("-inf"), 0
        self._latencies: list[float] = []

    def answered(self, *, began: float, now: float, in_flight: int, kind: str = "") -> None:
        """Report an answered call. in_flight: running calls, including this one."""
        latency = now - began
        self._best[kind] = min(latency, self._best.get(kind, latency))
        if kind != self._kind:
            self._kind, self._slow = kind, []
            self._new_round(began)
        if began < self._round_began:
            return  # sent at another limit
        self._latencies.append(latency)
        self._most_used = max(self._most_used, in_flight)
        if len(self._latencies) >= (self._burst if self._is_starting else self.limit):
            self._end_round(now)

    def refused(self, *, began: float, now: float, wait: float = 0.0) -> None:
        """Report a call that the server refused as too many. wait: seconds without calls that it asked for."""
        self.open_at = max(self.open_at, now + wait)
        self._is_starting = False
        if began >= self._round_began:  # calls sent together with the one that halved the limit do not count
            self.limit = max(1.0, self.limit / 2)
            self._new_round(now)

    def _end_round(self, now: float) -> None:
        # Only the second half: the first is still affected by the previous limit.
        latency = fmean(self._latencies[len(self._latencies) // 2 :])
        best = self._best[self._kind]
        slowness = latency / best if best > 0 else 1.0
        if slowness > SLOW:
            self._is_starting = False
        if slowness > VERY_SLOW:
            self._slow_down(latency)
        else:
            self._slow.clear()
        was_tested = self._most_used >= 0.8 * int(self.limit)
        if slowness <= SLOW and was_tested:
            self._grow(self.limit * (4 if slowness < FAST else 2) if self._is_starting else self.limit + 2)
        self._new_round(now)

    def _grow(self, limit: float) -> None:
        limit = min(limit, float(self.most))
        self._burst = max(1.0, limit - self.limit)
        self.limit = limit

    def _slow_down(self, latency: float) -> None:
        self._slow.append(latency)
        if len(self._slow) > 2 and latency > HELPED * self._slow[-3]:
            self._best[self._kind] = latency
            self._slow.clear()
        else:
            self.limit = max(1.0, 0.8 * self.limit)

    def _new_round(self, now: float) -> None:
        self._round_began, self._most_used = now, 0
        self._latencies = []


class Gate:
    """Admits as many coroutines at once as the pace allows, in order of arrival."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.in_flight = 0
        self.most_in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Room for one call, for the duration of the block."""
        await self._enter()
        try:
            yield
        finally:
            self.in_flight -= 1
            self._admit_next()

    async def _enter(self) -> None:
        while True:
            if (pause := self.pace.open_at - time.monotonic()) > 0:
                await asyncio.sleep(pause)
            elif self._has_room():
                break
            else:
                await self._queue()
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self._admit_next()  # the limit may have grown by more than one

    def _has_room(self) -> bool:
        return self.in_flight < max(1, int(self.pace.limit))

    async def _queue(self) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._admit_next()  # cancelled just when admitted: the next one gets the place
            raise

    def _admit_next(self) -> None:
        if self._has_room():
            while self._waiting:
                place = self._waiting.popleft()
                if not place.done():
                    place.set_result(None)
                    return
