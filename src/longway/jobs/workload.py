"""The progress of a run over all of its work, such as writing, checking and measuring, with the time that is left.

    work = Workload(watcher, {"write": 600, "check": 600}, guesses={"check": 0.05})
    work.begin("write", "round 1: writing 60 texts", 60)    from now on, 60 parts of this kind are being done
    work.inside(12, 60)                                     so much of them is done
    work.did(60)                                            they are done

The seconds that a part takes are measured for each kind of work; until the first one is done they are guessed.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from longway.methods.method import Verify
from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.verifier import Verifier

if TYPE_CHECKING:
    from longway.jobs.run import Watcher

CHECKED = 0.05  # seconds that the checks of one text take on a slow core
CHECK = "check"


class Workload:
    """The parts of a run's work by kind.

    expected: parts of each kind in the whole run. guesses: seconds of a part before one is done; kinds without one are guessed to take
    as long as the average part so far, and before that as the usual one.
    """

    def __init__(
        self,
        watcher: Watcher,
        expected: Mapping[str, float],
        *,
        guesses: Mapping[str, float] | None = None,
        usual: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._watcher, self._clock = watcher, clock
        self._expected, self._guesses, self._usual = dict(expected), dict(guesses or {}), usual
        self._done: defaultdict[str, float] = defaultdict(float)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._kind = self._words = ""
        self._parts = self._inside = self._share = 0.0
        self._started = self._since = clock()

    def restart(self, more: Mapping[str, tuple[float, float]]) -> None:
        """Begin now. more: kinds of work that come last, with their parts and a guess of the seconds of each."""
        self._started = self._since = self._clock()
        for kind, (parts, each) in more.items():
            self._expected[kind], self._guesses[kind] = parts, each

    def expect(self, kind: str, parts: float) -> None:
        """Correct the parts of a kind in the whole run, those that are done included."""
        self._expected[kind] = parts

    def done(self, kind: str) -> float:
        """The parts of a kind that are done."""
        return self._done[kind]

    def begin(self, kind: str, words: str, parts: float = 0.0) -> None:
        """Parts of a kind begin. words: what is being done."""
        self._close()
        self._kind, self._words, self._parts = kind, words, parts
        self._show()

    def inside(self, done: int, total: int) -> None:
        """So much of what is being done is done. May be called from another thread."""
        if not self._kind:
            return
        self._inside = self._parts * done / max(total, 1)
        self._show()

    def did(self, parts: float) -> None:
        """Parts of the current kind are done."""
        self._done[self._kind] += parts
        self._close()
        self._show()

    def left(self) -> float | None:
        """The seconds that are left; None if nothing is known about them."""
        rates = [(rest, self._each(kind)) for kind in self._expected if (rest := self._rest(kind)) > 0]
        if any(each is None for _, each in rates):
            return None
        return sum(rest * (each or 0.0) for rest, each in rates)

    def checked(
        self,
        verifier: Verifier,
        then: Callable[[], object],
        *,
        prefix: Callable[[], str] = lambda: "",
    ) -> Verify:
        """The checks of a verifier as parts of the work: one for each candidate. then: begins what follows. prefix: words before "checking"."""

        def verify(candidates: Sequence[Candidate]) -> Iterator[tuple[Verdict, ...]]:
            verifier.progress = self.inside
            texts = "1 text" if len(candidates) == 1 else f"{len(candidates):,} texts"
            self.begin(CHECK, f"{prefix()}checking {texts}", len(candidates))
            yield from verifier.verify(candidates)
            self.did(len(candidates))
            then()

        return verify

    def _rest(self, kind: str) -> float:
        is_now = kind == self._kind
        return self._expected[kind] - self._done[kind] - (self._inside if is_now else 0.0)

    def _each(self, kind: str) -> float | None:
        """The seconds of a part of a kind."""
        parts, seconds = self._measured([kind])
        if parts > 0:
            return seconds / parts
        if kind in self._guesses:
            return self._guesses[kind]
        parts, seconds = self._measured(self._expected)
        return seconds / parts if parts > 0 else self._usual

    def _measured(self, kinds: Iterable[str]) -> tuple[float, float]:
        """The parts of these kinds that are done, and the seconds they took; what is being done counts if some of it is done."""
        parts = seconds = 0.0
        for kind in kinds:
            is_now = kind == self._kind and self._inside > 0
            parts += self._done[kind] + (self._inside if is_now else 0.0)
            seconds += self._seconds[kind] + (self._clock() - self._since if is_now else 0.0)
        return parts, seconds

    def _close(self) -> None:
        now = self._clock()
        self._seconds[self._kind] += now - self._since
        self._since, self._kind, self._inside = now, "", 0.0

    def _show(self) -> None:
        left = self.left()
        if left is not None:
            spent = self._clock() - self._started
            self._share = spent / max(spent + left, 1e-9)
        self._watcher.work(self._words, self._share, left)
