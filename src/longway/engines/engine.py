"""The contract of an engine: something that writes, judges or embeds text.

    write(prompt, n)          up to n texts, and reasons for refused ones
    judge(prompt, options)    the probability of each option
    embed(texts)              one vector per text

All three are coroutines, so that a served model can answer many calls at once. `Engine` declares everything that the rest of
the package uses; `BaseEngine` implements it for an engine that runs in this process, is free, and can do nothing yet. Use an engine
through `asker.Asker`, which handles the journal and the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from longway.engines.costs import FREE, Price
from longway.engines.prompt import Prompt
from longway.errors import SettingError
from longway.task import Task

if TYPE_CHECKING:
    from longway.engines.transport import ChatCall


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw texts; the defaults are RAZOR's (section 4).

    sample: number of the draw. The same prompt with another number is another call.
    """

    temperature: float = 0.7
    top_p: float = 0.9
    max_tokens: int = 512
    seed: int = 0
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call used. cost: in dollars; None if the model's price is unknown."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        unknown = self.cost is None or other.cost is None
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            None if unknown else (self.cost or 0.0) + (other.cost or 0.0),
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Written:
    """Different texts by an engine, and reasons for those it refused. how: for each text, what was done; may be empty."""

    texts: tuple[str, ...]
    refusals: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Judged:
    """The probability of each option, summing to 1; empty, with a refusal, if there is no usable answer."""

    probabilities: Mapping[str, float]
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def best(self) -> str | None:
        """The most probable option; None if there is no answer."""
        return max(self.probabilities, key=self.probabilities.__getitem__) if self.probabilities else None


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector per text."""

    vectors: list[list[float]]
    usage: Usage = field(default_factory=Usage)


class Engine(Protocol):
    """Something that writes, judges or embeds text.

    name: "rules", "served:gpt-4o-mini" ... can: any of "write", "judge" and "embed". price, embedding_price: dollars per million
    tokens; None if unknown. reads_messages: whether its answers depend on `Prompt.messages` only, not on the other fields of a prompt.
    """

    name: str
    can: frozenset[str]
    price: Price | None
    embedding_price: Price | None
    reads_messages: bool

    @property
    def base_url(self) -> str | None:
        """The address of its server; None if it runs in this process."""
        ...

    @property
    def max_in_flight(self) -> int | None:
        """The most calls at once to a server, whose answers are committed one by one; None if it computes one after the other."""
        ...

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything about the engine that affects its answers, as JSON values; never a key. Part of the journal's key."""
        ...

    @property
    def parts(self) -> tuple[Engine, ...]:
        """The engines it combines; itself if it is a single one."""
        ...

    def judges(self, task: Task) -> bool:
        """Whether it can judge texts of this task."""
        ...

    def prepare(self, prompts: Sequence[Prompt]) -> None:
        """Process many prompts together before they are written, if that is faster than one by one."""
        ...

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts."""
        ...

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """The probability of each option as the answer to the prompt."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """One vector per text."""
        ...

    def write_call(self, prompt: Prompt, n: int, sampling: Sampling) -> ChatCall | None:
        """The request that `write` sends to a server; None if it sends none."""
        ...

    def judge_call(self, prompt: Prompt, options: Sequence[str]) -> ChatCall | None:
        """The request that `judge` sends to a server; None if it sends none."""
        ...

    def max_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """The most that `write` can cost, in dollars."""
        ...

    def max_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """The most that `judge` can cost, in dollars."""
        ...

    def max_embed_cost(self, texts: Sequence[str]) -> float:
        """The most that `embed` can cost, in dollars."""
        ...

    async def responds(self) -> tuple[bool, Usage | None]:
        """Whether it still answers after several failed calls, and what finding out used."""
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...


class BaseEngine:
    """Defaults of `Engine`: runs in this process, is free, and can do nothing."""

    name = ""
    can: frozenset[str] = frozenset()
    base_url: str | None = None
    price: Price | None = FREE
    embedding_price: Price | None = FREE
    max_in_flight: int | None = None
    reads_messages = False

    @property
    def identity(self) -> Mapping[str, Any]:
        """See `Engine`."""
        return {"engine": self.name}

    @property
    def parts(self) -> tuple[Engine, ...]:
        """See `Engine`."""
        return (self,)

    def judges(self, task: Task) -> bool:
        """See `Engine`."""
        return "judge" in self.can

    def prepare(self, prompts: Sequence[Prompt]) -> None:
        """See `Engine`."""

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """See `Engine`."""
        raise cannot(self, "write")

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """See `Engine`."""
        raise cannot(self, "judge")

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """See `Engine`."""
        raise cannot(self, "embed")

    def write_call(self, prompt: Prompt, n: int, sampling: Sampling) -> ChatCall | None:
        """See `Engine`."""
        return None

    def judge_call(self, prompt: Prompt, options: Sequence[str]) -> ChatCall | None:
        """See `Engine`."""
        return None

    def max_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """See `Engine`."""
        return 0.0

    def max_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """See `Engine`."""
        return 0.0

    def max_embed_cost(self, texts: Sequence[str]) -> float:
        """See `Engine`."""
        return 0.0

    async def responds(self) -> tuple[bool, Usage | None]:
        """See `Engine`."""
        return False, None

    async def close(self) -> None:
        """See `Engine`."""


def cannot(engine: Engine, verb: str) -> SettingError:
    """The error for an engine that cannot write, judge or embed."""
    can = ", ".join(sorted(engine.can)) or "nothing"
    return SettingError(
        f"The engine {engine.name} cannot {verb}. It can: {can}. `longway engines` lists the others."
    )
