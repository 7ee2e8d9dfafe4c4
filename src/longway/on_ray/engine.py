"""An engine whose calls are answered by actors on Ray: many of them write and judge at once, wherever they are.

    Asker (journal, budget, order of the rows: here)  ->  RayEngine (a queue)  ->  actors, each with an engine of its own

Nothing is decided there: the key of a call, its price and its place in the journal come from the engine that is kept here, so that
a run on Ray goes on with a journal that was begun without, and pays nothing twice. At most `max_in_flight` calls are taken from the
asker at a time; an actor gets its next ones when it has answered, so that a slow one holds up nobody.

Actors are Ray's own and live as long as the run. (Ray Data's pools of actors end with each dataset that went through them; a
round of rewriting needs the answers of the one before, and a model would be loaded anew each time.)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import urlsplit

from longway.errors import CallFailed, LongwayError, SettingError
from longway.llm.engine import Engine, Judged, Sampling, Usage, Written
from longway.llm.prompt import Prompt
from longway.llm.recorded import current_key
from longway.on_ray.session import cpus, session

TOGETHER = 16  # calls that an engine which computes gets at once: it looks at many texts together faster than one by one
AHEAD = 2  # such batches that an actor has: one it works on, and the next
AGAIN_AFTER = (0.1, 2.0, 8.0)  # seconds: when calls are asked again whose actor died
RESTARTS = -1  # of an actor whose process died: as often as that happens


class Named(Protocol):
    """Gives the engine for a name (`llm.engines.engine_named`)."""

    def __call__(self, spec: str, **more: Any) -> Engine:
        """The engine."""
        ...


@contextmanager
def engines_on_ray(place: str, named: Named, *, actors: int | None = None) -> Iterator[Named]:
    """Gives engines that are asked on Ray, for as long as the block lasts. actors: of each engine; without, one a processor."""
    with session(place):

        def on_ray(spec: str, **more: Any) -> Engine:
            _check_no_secret(more)
            engine = named(spec, **more)
            same = engine.name if "auto" in spec else spec  # a worker might choose another one
            return RayEngine(engine, lambda: named(same, **more), actors=actors or int(cpus()))

        yield on_ray


class RayEngine:
    """An engine that is asked on Ray.

    engine: the same engine here: it says what shapes answers and what they cost, and is not asked.
    make: makes it anew, in each actor.
    """

    def __init__(self, engine: Engine, make: Callable[[], Engine], *, actors: int) -> None:
        import ray

        self._engine, self.name, self.can = engine, engine.name, engine.can
        waits = getattr(
            engine, "max_in_flight", None
        )  # a served model computes elsewhere: its actors only wait
        self._together = TOGETHER if waits is None else 1
        actors, at_once = room(actors, waits)
        self.max_in_flight: int = actors * at_once * self._together
        one = ray.remote(_Actor).options(
            num_cpus=1 if waits is None else 0, max_concurrency=at_once, max_restarts=RESTARTS
        )
        self._actors: list[Any] = [one.remote(make) for _ in range(actors)]
        self._slots = [actor for _ in range(at_once) for actor in self._actors]
        self._free: asyncio.Queue[Any] | None = None
        self._waiting: list[_Waiting] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def __getattr__(self, name: str) -> Any:
        """What else is known of the engine: its price, its address. Texts are looked at by the actors, not here."""
        if name.startswith("_") or name == "prepare":
            raise AttributeError(name)
        return getattr(self._engine, name)

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that shapes the answers; where they are computed does not."""
        return self._engine.identity

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts."""
        return await self._ask("write", prompt, n, sampling)

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """How likely each option is as the answer to the prompt."""
        return await self._ask("judge", prompt, tuple(options))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        return await self._ask("embed", list(texts))

    async def close(self) -> None:
        """Let the actors go, and the engine here."""
        import ray

        for actor in self._actors:
            ray.kill(actor)
        await self._engine.close()

    async def _ask(self, kind: str, *about: Any) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(((kind, about, current_key.get()), answer))
        self._start(self._serve())
        return await answer

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the loop itself does not hold it
        task.add_done_callback(self._tasks.discard)

    async def _serve(self) -> None:
        """Give the next calls to an actor that has room; there may be none left, as calls go together."""
        if self._free is None:
            self._free = asyncio.Queue()
            for slot in self._slots:
                self._free.put_nowait(slot)
        actor = await self._free.get()
        calls, self._waiting = self._waiting[: self._together], self._waiting[self._together :]
        calls = [(call, answer) for call, answer in calls if not answer.done()]  # Ctrl-C gave some up
        try:
            if calls:
                answers = await actor.answer.remote([call for call, _ in calls])
                for (_, answer), found in zip(calls, answers, strict=True):
                    _pass_on(answer, found)
        except Exception as error:  # Ray's own: the process of the actor died
            if self._together > 1:
                self._start(self._alone(calls, self._free))
                return
            for (kind, about, _), answer in calls:
                _pass_on(answer, self._lost(kind, about, error))
        finally:
            self._free.put_nowait(actor)

    async def _alone(self, calls: list[_Waiting], free: asyncio.Queue[Any]) -> None:
        """Ask each of these by itself, one after the other: one of them may be to blame, and an engine that computes is free.

        While an actor is started anew, it takes no calls: they are tried again after a while.
        """
        for call, answer in calls:
            failure: Exception | None = None
            for seconds in AGAIN_AFTER:
                await asyncio.sleep(seconds)
                actor = await free.get()
                try:
                    (found,) = await actor.answer.remote([call])
                except Exception as error:
                    failure = error
                else:
                    _pass_on(answer, found)
                    break
                finally:
                    free.put_nowait(actor)
            else:
                _pass_on(answer, self._lost(call[0], call[1], failure or RuntimeError("no answer")))

    def _lost(self, kind: str, about: tuple[Any, ...], error: Exception) -> CallFailed:
        """The failure of a call that may have been sent, and may be on the bill: it counts as what it can cost at most."""
        most = getattr(self._engine, f"most_to_{kind}", None)
        usage = Usage(cost=most(*about)) if most is not None else None
        return CallFailed(f"A worker of Ray died while {self.name} was asked ({_short(error)}).", usage=usage)


_Call = tuple[str, tuple[Any, ...], str]  # kind, what it is about, its key
_Waiting = tuple[_Call, "asyncio.Future[Any]"]


class _Actor:
    """Answers calls with an engine of its own. Failures are answers, too: Ray would wrap and print them."""

    def __init__(self, make: Callable[[], Engine]) -> None:
        self._engine: Any = None
        self._make = make

    async def answer(self, calls: list[_Call]) -> list[Any]:
        try:
            if self._engine is None:
                self._engine = self._make()
            if hasattr(self._engine, "prepare"):
                self._engine.prepare([about[0] for kind, about, _ in calls if kind != "embed"])
        except LongwayError as error:
            return [error] * len(calls)
        return [await self._one(*call) for call in calls]

    async def _one(self, kind: str, about: tuple[Any, ...], key: str) -> Any:
        current_key.set(key)
        try:
            return await getattr(self._engine, kind)(*about)
        except LongwayError as error:
            return error


def _pass_on(answer: asyncio.Future[Any], found: Any) -> None:
    if answer.done():
        return
    if isinstance(found, Exception):
        answer.set_exception(found)
    else:
        answer.set_result(found)


def _short(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200] or type(error).__name__


def room(actors: int, waits: int | None) -> tuple[int, int]:
    """How many actors there are, and how many calls or batches of them each has at once.

    waits: the most calls that a served model may have under way, all actors together; None for an engine that computes.

    >>> room(2, 128), room(8, 4), room(2, None)
    ((2, 64), (4, 1), (2, 2))
    """
    if waits is None:
        return max(1, actors), AHEAD
    actors = max(1, min(actors, waits))
    return actors, max(1, waits // actors)


def _check_no_secret(more: Mapping[str, Any]) -> None:
    """Raise SettingError where a key would travel with the work: Ray keeps and may print what it is given."""
    address = more.get("base_url") or ""
    if more.get("api_key") or "@" in urlsplit(address).netloc:
        raise SettingError(
            "A key cannot be given to an engine that is asked on Ray: it would be stored with the work. "
            "Put it into the environment of Ray's workers (LONGWAY_API_KEY), and give the address without it."
        )
