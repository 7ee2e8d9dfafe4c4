"""The contract of an engine: something that writes or judges text.

    write(prompt, n)          up to n texts, and reasons for refused ones
    judge(prompt, options)    the probability of each option

Both are coroutines, so that a served model can answer many calls at once. `Engine` declares everything that the rest of the package
uses; an engine subclasses it and overrides what it can do. Use an engine through `asker.Asker`, which handles the journal and the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from longway.engines.costs import FREE, Call, Price
from longway.engines.prompt import Prompt
from longway.errors import SettingError

NOT_ASKED = "the budget is spent"
RULES = "rules"  # no engine: texts are written by rules, without a model


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw texts; the defaults are RAZOR's (section 4).

    max_tokens: room for an answer; a served engine gives more if the row is long. sample: number of the draw. The same prompt with another number is another call.
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
class Judgement:
    """The probability of each option, summing to 1; empty, with a refusal, if there is no usable answer."""

    probabilities: Mapping[str, float]
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def best(self) -> str | None:
        """The most probable option; None if there is no answer."""
        return max(self.probabilities, key=self.probabilities.__getitem__) if self.probabilities else None


class Engine(Protocol):
    """A model that writes or judges text. The defaults: it runs in this process, is free, and can do nothing.

    name: "served:gpt-4o-mini" ... can: any of "write", "judge" and "edit" (put words in, change a length). price: dollars per million tokens; None if unknown.
    base_url: the address of its server; None if it runs in this process. max_in_flight: the most calls at once to a server, whose
    answers are committed one by one; None if it computes one after the other. is_to_be_graded: whether "auto" chose it, so that a run grades it before it relies on it.
    """

    name: str = ""
    can: frozenset[str] = frozenset()
    price: Price | None = FREE
    base_url: str | None = None
    max_in_flight: int | None = None
    is_to_be_graded: bool = False

    @property
    def identity(self) -> Mapping[str, object]:
        """Everything about the engine that affects its answers, as JSON values; never a key. Part of the journal's key."""
        return {"engine": self.name}

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """Up to n different texts. call: what it may cost, and its key."""
        raise cannot(self, "write")

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """The probability of each option as the answer to the prompt."""
        raise cannot(self, "judge")

    def fits(self, prompt: Prompt, n: int, sampling: Sampling) -> bool:
        """Whether one answer has room for n texts; if not, a long text may be requested in passages."""
        return True

    def first_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """What to reserve before `write`, in dollars: its first request. Further ones are reserved by its `Call`."""
        return 0.0

    def first_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """What to reserve before `judge`."""
        return 0.0

    async def responds(self, call: Call | None = None) -> tuple[bool, Usage | None]:
        """Whether it still answers after several failed calls, and what finding out used."""
        return False, None

    async def close(self) -> None:
        """Release connections and memory."""
        return None


def cannot(engine: Engine, verb: str) -> SettingError:
    """The error for an engine that cannot write or judge."""
    can = ", ".join(sorted(engine.can)) or "nothing"
    return SettingError(
        f"The engine {engine.name} cannot {verb}. It can: {can}. `longway doctor` lists the others."
    )
