"""The contract of an engine: something that writes or judges text.

    write(prompt, n)          up to n texts, and reasons for refused ones
    judge(prompt, options)    the probability of each option

Both are coroutines, so that a served model can answer many calls at once. `Engine` declares everything that the rest of the package
uses; an engine subclasses it and overrides what it can do. `CombinedEngine` and `FallbackEngine` join several. Use an engine through `asker.Asker`, which handles the journal and the
budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from longway.engines.costs import FREE, Call, Price
from longway.engines.prompt import Prompt
from longway.errors import SettingError


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
    """Something that writes or judges text. The defaults: it runs in this process, is free, and can do nothing.

    name: "rules", "served:gpt-4o-mini" ... can: any of "write", "judge" and "edit" (put words in, change a length). price: dollars per million tokens; None if unknown.
    base_url: the address of its server; None if it runs in this process. max_in_flight: the most calls at once to a server, whose
    answers are committed one by one; None if it computes one after the other. by_shard: whether it can be sent to other processes, and
    writes there what it would write here. reads_messages: whether its answers depend on
    `Prompt.messages` only, not on the other fields of a prompt. seconds_a_call: about how long a call takes on a slow core, for estimates;
    None if it must be tried. is_to_be_graded: whether "auto" chose it, so that a run grades it before it relies on it.
    """

    name: str = ""
    can: frozenset[str] = frozenset()
    price: Price | None = FREE
    base_url: str | None = None
    max_in_flight: int | None = None
    by_shard: bool = False
    reads_messages: bool = False
    seconds_a_call: float | None = None
    is_to_be_graded: bool = False

    @property
    def identity(self) -> Mapping[str, object]:
        """Everything about the engine that affects its answers, as JSON values; never a key. Part of the journal's key."""
        return {"engine": self.name}

    @property
    def parts(self) -> tuple[Engine, ...]:
        """The engines it combines; itself if it is a single one."""
        return (self,)

    def prepare(self, prompts: Sequence[Prompt]) -> None:
        """Process many prompts together before they are written, if that is faster than one by one."""
        return None

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """Up to n different texts. call: what it may cost, and its key."""
        raise cannot(self, "write")

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """The probability of each option as the answer to the prompt."""
        raise cannot(self, "judge")

    def fits(self, prompt: Prompt, n: int, sampling: Sampling) -> bool:
        """Whether one answer has room for n texts; if not, a long text may be requested in passages."""
        return True

    def max_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """The most that `write` can cost, in dollars."""
        return 0.0

    def max_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """The most that `judge` can cost, in dollars."""
        return 0.0

    def first_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """What to reserve before `write`: all that it can cost, or its first request if it reserves further ones by its `Call`."""
        return self.max_write_cost(prompt, n, sampling)

    def first_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """What to reserve before `judge`."""
        return self.max_judge_cost(prompt, options)

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


class CombinedEngine(Engine):
    """Several engines as one, used one after the other until there are enough texts: "rules+served".

    `Written.how` names the engine of each text. `judge` uses the first engine that answers.
    """

    separator = "+"  # in the name
    kind = "turn"  # in the identity

    def __init__(self, engines: Sequence[Engine]) -> None:
        if len(engines) < 2:
            raise SettingError(
                f"A combined engine needs at least two engines. Got {len(engines)}. Write them as rules+served."
            )
        self.engines = tuple(engines)
        self.name = self.separator.join(engine.name for engine in engines)
        self.can = frozenset().union(*(engine.can for engine in engines))
        prices = [engine.price for engine in engines if engine.price != FREE]
        # A budget requires that every price is known.
        self.price = None if None in prices else next(iter(prices), FREE)
        limits = [engine.max_in_flight for engine in engines if engine.max_in_flight is not None]
        self.max_in_flight = min(limits, default=None)
        self.by_shard = all(engine.by_shard for engine in engines)

    @property
    def identity(self) -> Mapping[str, object]:
        """The identities of the engines, in order."""
        return {"engine": self.kind, "engines": [dict(engine.identity) for engine in self.engines]}

    @property
    def parts(self) -> tuple[Engine, ...]:
        """The engines it combines."""
        return self.engines

    def fits(self, prompt: Prompt, n: int, sampling: Sampling) -> bool:
        """Whether it does for every engine that writes."""
        return all(engine.fits(prompt, n, sampling) for engine in self._able("write"))

    def prepare(self, prompts: Sequence[Prompt]) -> None:
        """Let every engine prepare the prompts."""
        for engine in self.engines:
            engine.prepare(prompts)

    def max_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """The sum over the engines that write."""
        return sum(engine.max_write_cost(prompt, n, sampling) for engine in self._able("write"))

    def max_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """The sum over the engines that judge."""
        return sum(engine.max_judge_cost(prompt, options) for engine in self._able("judge"))

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """Up to n different texts; `how` names the engine of each."""
        texts: dict[str, str] = {}
        refusals: list[str] = []
        usage = Usage(cost=0.0)
        for engine in self._able("write"):
            if len(texts) >= self._enough(n):
                break
            # All n are requested: the engine may give the same texts as the earlier ones.
            written = await engine.write(prompt, n, sampling, call)
            hows = written.how or ("",) * len(written.texts)
            for text, how in zip(written.texts, hows, strict=True):
                if len(texts) < n:
                    texts.setdefault(text, how or engine.name)
            refusals += [f"{engine.name}: {reason}" for reason in written.refusals]
            usage += written.usage
        return Written(tuple(texts), tuple(refusals), tuple(texts.values()), usage)

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """The answer of the first engine that gives one."""
        refusals, usage = [], Usage(cost=0.0)
        for engine in self._able("judge"):
            judged = await engine.judge(prompt, options, call)
            usage += judged.usage
            if judged.probabilities:
                return Judgement(judged.probabilities, usage=usage)
            refusals.append(f"{engine.name}: {judged.refusal}")
        return Judgement({}, "; ".join(refusals) or f"no engine of {self.name} can judge", usage)

    async def close(self) -> None:
        """Close all engines."""
        for engine in self.engines:
            await engine.close()

    def _enough(self, n: int) -> int:
        """The number of texts after which no other engine is used."""
        return n

    def _able(self, verb: str) -> list[Engine]:
        return [engine for engine in self.engines if verb in engine.can]


class FallbackEngine(CombinedEngine):
    """Uses the next engine only if the earlier ones wrote no text: "rules,served".

    It does not judge: a slow engine would have to judge all texts that a fast engine wrote.
    """

    separator = ","
    kind = "else"

    def __init__(self, engines: Sequence[Engine]) -> None:
        super().__init__(engines)
        self.can = self.can - {"judge"}

    def _enough(self, n: int) -> int:
        return 1
