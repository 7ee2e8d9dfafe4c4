"""Several engines as one, each in turn.

    TurnEngine([rules, local])      rules+local: the next one is asked for what the ones before did not give
    ElseEngine([rules, local])      rules,local: the next one is asked only where the ones before gave nothing

`Written.how` says for each text which engine wrote it. Judging and embedding go to the first engine that gives an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longway.errors import SettingError
from longway.llm.engine import Engine, Judged, Sampling, Usage, Written
from longway.llm.prompt import Prompt


class TurnEngine:
    """Engines asked one after the other until there are enough texts."""

    between = "+"  # in its name
    kind = "turn"  # in its identity

    def __init__(self, engines: Sequence[Engine]) -> None:
        if len(engines) < 2:
            raise SettingError(
                f"An engine made of several needs at least two. Got {len(engines)}. Write them as rules+local."
            )
        self.engines = tuple(engines)
        self.name = self.between.join(engine.name for engine in engines)
        self.can = frozenset().union(*(engine.can for engine in engines))
        prices = [engine.price for engine in engines if hasattr(engine, "price")]
        if prices:  # a budget can be kept only if every price is known
            self.price = None if None in prices else prices[0]
        at_once = [engine.max_in_flight for engine in engines if hasattr(engine, "max_in_flight")]
        if at_once:  # its answers are paid for
            self.max_in_flight = min(at_once)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What shapes the answers of each engine, in their order."""
        return {"engine": self.kind, "engines": [dict(engine.identity) for engine in self.engines]}

    def prepare(self, prompts: Iterable[Prompt]) -> None:
        """Let every engine that wants to have a look at many prompts together."""
        kept = list(prompts)
        for engine in self.engines:
            if hasattr(engine, "prepare"):
                engine.prepare(kept)

    def most_to_write(self, *about: Any) -> float:
        """The most that one call for texts can cost, in dollars."""
        return self._most("write", *about)

    def most_to_judge(self, *about: Any) -> float:
        """The most that one call for a label can cost, in dollars."""
        return self._most("judge", *about)

    def most_to_embed(self, *about: Any) -> float:
        """The most that one call for vectors can cost, in dollars."""
        return self._most("embed", *about)

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts; `how` names the engine of each."""
        found: dict[str, str] = {}
        refusals: list[str] = []
        usage = Usage(cost=0.0)
        for engine in self._that("write"):
            if len(found) >= self._enough(n):
                break
            # The next one is asked for all n: it may give the same texts as the ones before.
            written = await engine.write(prompt, n, sampling)
            hows = written.how or ("",) * len(written.texts)
            for text, how in zip(written.texts, hows, strict=True):
                if len(found) < n:
                    found.setdefault(text, how or engine.name)
            refusals += [f"{engine.name}: {reason}" for reason in written.refusals]
            usage = _sum(usage, written.usage)
        return Written(tuple(found), tuple(refusals), tuple(found.values()), usage)

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """The answer of the first engine that gives one."""
        refusals, usage = [], Usage(cost=0.0)
        for engine in self._that("judge"):
            judged = await engine.judge(prompt, options)
            usage = _sum(usage, judged.usage)
            if judged.probabilities:
                return Judged(judged.probabilities, usage=usage)
            refusals.append(f"{engine.name}: {judged.refusal}")
        return Judged({}, "; ".join(refusals) or f"no engine of {self.name} can judge", usage)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of the first engine that has any."""
        for engine in self._that("embed"):
            return await engine.embed(texts)
        raise SettingError(
            f"None of the engines {self.name} has vectors. One that can embed was expected. Choose another engine."
        )

    async def close(self) -> None:
        """Let go of all engines."""
        for engine in self.engines:
            await engine.close()

    def _enough(self, n: int) -> int:
        """Texts after which no other engine is asked."""
        return n

    def _that(self, can: str) -> list[Engine]:
        return [engine for engine in self.engines if can in engine.can]

    def _most(self, kind: str, *about: Any) -> float:
        rates = [getattr(engine, f"most_to_{kind}", None) for engine in self._that(kind)]
        return float(sum(rate(*about) for rate in rates if rate is not None))


class ElseEngine(TurnEngine):
    """Engines of which the next one is asked only where the ones before gave no text. It does not judge: what a quick engine wrote for
    most texts, a slow one would judge for all of them."""

    between = ","
    kind = "else"

    def __init__(self, engines: Sequence[Engine]) -> None:
        super().__init__(engines)
        self.can = self.can - {"judge"}

    def _enough(self, n: int) -> int:
        return 1


def _sum(first: Usage, second: Usage) -> Usage:
    unknown = first.cost is None or second.cost is None
    return Usage(
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
        None if unknown else (first.cost or 0.0) + (second.cost or 0.0),
        first.seconds + second.seconds,
    )
