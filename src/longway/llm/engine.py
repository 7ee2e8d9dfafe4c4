"""What an engine is: something that writes and judges text, whatever is behind it.

    write(prompt, n)          up to n texts, and why others were refused
    judge(prompt, options)    how likely each option is
    embed(texts)              one vector for each text, where the engine can

All are coroutines, so that a served model can answer many at once; engines that compute here answer one after the other.
`identity` holds everything of the engine that shapes its answers and becomes part of the journal's key. Whoever
wants answers asks through `asking.Asker`, which keeps the journal and the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from longway.llm.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw texts; the defaults are RAZOR's (section 4).

    sample: number of the draw: the same prompt asked again with another number is another call.
    """

    temperature: float = 0.7
    top_p: float = 0.9
    max_tokens: int = 512
    seed: int = 0
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost. cost: in dollars, None where the model's price is not known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Written:
    """Texts that an engine wrote, each different, and why it refused others.

    how: for each text, what was done, where the engine can say; empty otherwise.
    """

    texts: tuple[str, ...]
    refusals: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Judged:
    """How likely each option is, summing to 1; empty with a refusal where the engine gave no usable answer."""

    probabilities: Mapping[str, float]
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def best(self) -> str | None:
        """The likeliest option, None where there is no answer."""
        return max(self.probabilities, key=self.probabilities.__getitem__) if self.probabilities else None


class Engine(Protocol):
    """Something that writes or judges text.

    name: as people call it ("rules", "served:gpt-4o-mini"). can: which of "write", "judge" and "embed" it does.
    """

    name: str
    can: frozenset[str]

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything of the engine that shapes its answers; never a key."""
        ...

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts."""
        ...

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """How likely each option is as the answer to the prompt."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...
