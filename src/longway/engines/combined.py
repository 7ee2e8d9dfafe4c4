"""Several engines as one.

    CombinedEngine([rules, local])      rules+local: the next engine adds what the earlier ones did not provide
    FallbackEngine([rules, local])      rules,local: the next engine is used only if the earlier ones provided nothing

`Written.how` names the engine of each text. `judge` uses the first engine that answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longway.engines.costs import FREE
from longway.engines.engine import Engine, Judgement, Sampling, Usage, Written
from longway.engines.prompt import Prompt
from longway.errors import SettingError
from longway.task import Task


class CombinedEngine(Engine):
    """Uses one engine after the other until there are enough texts."""

    separator = "+"  # in the name
    kind = "turn"  # in the identity

    def __init__(self, engines: Sequence[Engine]) -> None:
        if len(engines) < 2:
            raise SettingError(
                f"A combined engine needs at least two engines. Got {len(engines)}. Write them as rules+local."
            )
        self.engines = tuple(engines)
        self.name = self.separator.join(engine.name for engine in engines)
        self.can = frozenset().union(*(engine.can for engine in engines))
        prices = [engine.price for engine in engines if engine.price != FREE]
        # A budget requires that every price is known.
        self.price = None if None in prices else next(iter(prices), FREE)
        limits = [engine.max_in_flight for engine in engines if engine.max_in_flight is not None]
        self.max_in_flight = min(limits, default=None)

    @property
    def identity(self) -> Mapping[str, object]:
        """The identities of the engines, in order."""
        return {"engine": self.kind, "engines": [dict(engine.identity) for engine in self.engines]}

    @property
    def parts(self) -> tuple[Engine, ...]:
        """The engines it combines."""
        return self.engines

    def judges(self, task: Task) -> bool:
        """Whether any of the engines judges this task."""
        return any("judge" in engine.can and engine.judges(task) for engine in self.engines)

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

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts; `how` names the engine of each."""
        texts: dict[str, str] = {}
        refusals: list[str] = []
        usage = Usage(cost=0.0)
        for engine in self._able("write"):
            if len(texts) >= self._enough(n):
                break
            # All n are requested: the engine may give the same texts as the earlier ones.
            written = await engine.write(prompt, n, sampling)
            hows = written.how or ("",) * len(written.texts)
            for text, how in zip(written.texts, hows, strict=True):
                if len(texts) < n:
                    texts.setdefault(text, how or engine.name)
            refusals += [f"{engine.name}: {reason}" for reason in written.refusals]
            usage += written.usage
        return Written(tuple(texts), tuple(refusals), tuple(texts.values()), usage)

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judgement:
        """The answer of the first engine that gives one."""
        refusals, usage = [], Usage(cost=0.0)
        for engine in self._able("judge"):
            judged = await engine.judge(prompt, options)
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
    """Uses the next engine only if the earlier ones wrote no text.

    It does not judge: a slow engine would have to judge all texts that a fast engine wrote.
    """

    separator = ","
    kind = "else"

    def __init__(self, engines: Sequence[Engine]) -> None:
        super().__init__(engines)
        self.can = self.can - {"judge"}

    def judges(self, task: Task) -> bool:
        """Never."""
        return False

    def _enough(self, n: int) -> int:
        return 1
