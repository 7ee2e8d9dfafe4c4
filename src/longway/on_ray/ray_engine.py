"""An engine whose calls are answered by Ray actors: many write and judge at once, on any machine of the cluster.

    Asker (journal, budget, order of the rows: in this process)  ->  RayEngine (a queue)  ->  actors, each with its own engine

The key of a call, its price and its place in the journal come from the engine in this process, so that a run on Ray continues a journal
that was begun without it, and pays for nothing twice. At most `max_in_flight` calls are taken from the asker at a time; an
actor gets its next calls when it has answered, so that a slow one delays no other.

The actors are plain Ray actors and live as long as the run. (The actor pools of Ray Data end with each dataset; a round of rewriting
needs the answers of the previous one, and a model would be loaded again each time.)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlsplit

from longway.engines.engine import Engine, Judgement, Sampling, Usage, Written
from longway.engines.prompt import Prompt
from longway.engines.recording import current_key
from longway.engines.served import is_gguf
from longway.errors import CallFailed, LongwayError, SettingError
from longway.on_ray.session import cpus, session

BATCH = 16  # calls that a computing engine gets at once: it prepares many texts faster together
BATCHES_AHEAD = 2  # per actor: the one it works on, and the next
RETRY_AFTER = (0.1, 2.0, 8.0)  # seconds, for calls whose actor died
RESTARTS = -1  # of an actor whose process died: without limit


class EngineFactory(Protocol):
    """Returns the engine for a name (`registry.engine_named`)."""

    def __call__(self, spec: str, **options: Any) -> Engine:
        """The engine."""
        ...


@contextmanager
def engines_on_ray(
    place: str, engine_named: EngineFactory, *, actors: int | None = None
) -> Iterator[EngineFactory]:
    """A factory of engines that run on Ray, for the duration of the block. actors: per engine; by default one per processor."""
    with session(place):

        def on_ray(spec: str, **options: Any) -> Engine:
            _check_no_key(options)
            engine = engine_named(spec, **options)
            _check_no_gguf(engine)
            same = engine.name if "auto" in spec else spec  # a worker might choose another engine
            return RayEngine(engine, lambda: engine_named(same, **options), actors=actors or int(cpus()))

        yield on_ray


class RayEngine(Engine):
    """An engine on Ray.

    engine: the same engine in this process: it provides identity, prices and requests, and is not called.
    make: creates the engine in each actor.
    """

    def __init__(self, engine: Engine, make: Callable[[], Engine], *, actors: int) -> None:
        import ray

        self._engine, self.name, self.can = engine, engine.name, engine.can
        self.base_url, self.reads_messages = engine.base_url, engine.reads_messages
        self.price = engine.price
        served_limit = engine.max_in_flight  # a served model computes elsewhere: its actors only wait
        self._batch = BATCH if served_limit is None else 1
        actors, at_once = distribute(actors, served_limit)
        self.max_in_flight = actors * at_once * self._batch
        actor = ray.remote(_Actor).options(
            num_cpus=1 if served_limit is None else 0, max_concurrency=at_once, max_restarts=RESTARTS
        )
        self._actors: list[Any] = [actor.remote(make) for _ in range(actors)]
        self._slots = [actor for _ in range(at_once) for actor in self._actors]
        self._free: asyncio.Queue[Any] | None = None
        self._waiting: list[_Pending] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def identity(self) -> Mapping[str, object]:
        """That of the engine; the place does not matter."""
        return self._engine.identity

    @property
    def parts(self) -> tuple[Engine, ...]:
        """The engines that the engine combines."""
        return self._engine.parts

    def fits(self, prompt: Prompt, n: int, sampling: Sampling) -> bool:
        """As for the engine."""
        return self._engine.fits(prompt, n, sampling)

    def max_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """That of the engine."""
        return self._engine.max_write_cost(prompt, n, sampling)

    def max_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """That of the engine."""
        return self._engine.max_judge_cost(prompt, options)

    async def responds(self) -> tuple[bool, Usage | None]:
        """Whether the engine responds from this process."""
        return await self._engine.responds()

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts, by an actor."""
        cost = partial(self.max_write_cost, prompt, n, sampling)
        return await self._ask("write", prompt, n, sampling, max_cost=cost)

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judgement:
        """The probability of each option, by an actor."""
        cost = partial(self.max_judge_cost, prompt, options)
        return await self._ask("judge", prompt, tuple(options), max_cost=cost)

    async def close(self) -> None:
        """Stop the actors, and close the engine in this process."""
        import ray

        for actor in self._actors:
            ray.kill(actor)
        await self._engine.close()

    async def _ask(self, kind: str, *arguments: Any, max_cost: Callable[[], float]) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(((kind, arguments, current_key.get()), max_cost, answer))
        self._start(self._serve())
        return await answer

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)  # the loop holds only a weak reference
        task.add_done_callback(self._tasks.discard)

    async def _serve(self) -> None:
        """Give the next calls to a free actor; there may be none left, since calls are batched."""
        if self._free is None:
            self._free = asyncio.Queue()
            for slot in self._slots:
                self._free.put_nowait(slot)
        actor = await self._free.get()
        calls, self._waiting = self._waiting[: self._batch], self._waiting[self._batch :]
        calls = [call for call in calls if not call[-1].done()]  # Ctrl-C cancelled some
        try:
            if calls:
                answers = await actor.answer.remote([call for call, _, _ in calls])
                for (_, _, future), answer in zip(calls, answers, strict=True):
                    _resolve(future, answer)
        except Exception as error:  # one of Ray's: the actor's process died
            if self._batch > 1:
                self._start(self._one_by_one(calls, self._free))
                return
            for _, max_cost, future in calls:
                _resolve(future, self._lost(max_cost, error))
        finally:
            self._free.put_nowait(actor)

    async def _one_by_one(self, calls: list[_Pending], free: asyncio.Queue[Any]) -> None:
        """Repeat each call alone: one of them may have killed the actor, and an engine that computes is free.

        An actor that is being restarted takes no calls, so each is tried again after a pause.
        """
        for call, max_cost, future in calls:
            failure: Exception | None = None
            for seconds in RETRY_AFTER:
                await asyncio.sleep(seconds)
                actor = await free.get()
                try:
                    (answer,) = await actor.answer.remote([call])
                except Exception as error:
                    failure = error
                else:
                    _resolve(future, answer)
                    break
                finally:
                    free.put_nowait(actor)
            else:
                _resolve(future, self._lost(max_cost, failure or RuntimeError("no answer")))

    def _lost(self, max_cost: Callable[[], float], error: Exception) -> CallFailed:
        """The failure of a call that may have been sent and charged: it counts as the most it can cost."""
        reason = (str(error).strip().splitlines() or [""])[0][:200] or type(error).__name__
        return CallFailed(
            f"A Ray worker died during a call to {self.name} ({reason}).", usage=Usage(cost=max_cost())
        )


_Call = tuple[str, tuple[Any, ...], str]  # kind, arguments, key
_Pending = tuple[_Call, Callable[[], float], "asyncio.Future[Any]"]  # the call, its highest cost, its answer


class _Actor:
    """Answers calls with its own engine. Failures are returned, since Ray would wrap and print them."""

    def __init__(self, make: Callable[[], Engine]) -> None:
        self._engine: Engine | None = None
        self._make = make

    async def answer(self, calls: list[_Call]) -> list[Any]:
        try:
            if self._engine is None:
                self._engine = self._make()
            self._engine.prepare([arguments[0] for _, arguments, _ in calls])
        except LongwayError as error:
            return [error] * len(calls)
        verbs: dict[str, Callable[..., Any]] = {
            "write": self._engine.write,
            "judge": self._engine.judge,
        }
        return [await self._one(verbs[kind], arguments, key) for kind, arguments, key in calls]

    async def _one(self, verb: Callable[..., Any], arguments: tuple[Any, ...], key: str) -> Any:
        current_key.set(key)
        try:
            return await verb(*arguments)
        except LongwayError as error:
            return error


def _resolve(future: asyncio.Future[Any], answer: Any) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)


def distribute(actors: int, served_limit: int | None) -> tuple[int, int]:
    """The number of actors, and the calls (or batches of them) that each has at once.

    served_limit: the most calls at once to a served model, for all actors together; None for an engine that computes.

    >>> distribute(2, 128), distribute(8, 4), distribute(2, None)
    ((2, 64), (4, 1), (2, 2))
    """
    if served_limit is None:
        return max(1, actors), BATCHES_AHEAD
    actors = max(1, min(actors, served_limit))
    return actors, max(1, served_limit // actors)


def _check_no_gguf(engine: Engine) -> None:
    """Raises SettingError for a GGUF file: every actor would load it, and compute on the same cores."""
    if is_gguf(engine):
        raise SettingError(
            f"A GGUF file does not run on Ray. Got the engine {engine.name!r}. Omit --on, or serve the file with llama-server and use "
            "--engine served:MODEL --base-url ADDRESS."
        )


def _check_no_key(options: Mapping[str, Any]) -> None:
    """Raises SettingError if a key would be sent with the work: Ray stores it and may print it."""
    address = options.get("base_url") or ""
    if options.get("api_key") or "@" in urlsplit(address).netloc:
        raise SettingError(
            "An engine on Ray cannot be given a key: Ray would store it with the work. "
            "Set LONGWAY_API_KEY in the environment of Ray's workers, and give the address without a password."
        )
