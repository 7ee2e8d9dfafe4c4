"""Drawing from a small model until there are enough different lines that can be used.

    draw_lines(draw, step, n, sampling, rounds)      up to n lines, the likeliest first, and why others were refused

Continuations are drawn side by side, round after round. A model that was trained for its job repeats itself; for such a one the
temperature climbs within a round and from round to round (`climbing`): what is likely, and what is different.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import repeat
from typing import Protocol

from longway.llm.engine import Sampling
from longway.llm.gguf import Draw
from longway.llm.local_steps import Implausible, Step
from longway.llm.plausible import words_of

AT_ONCE = 6  # drawn in every round from a model of which most draws are of no use
DRAWS = 3  # times as many samples as lines are wanted, at most
LADDER = (
    (1.3, 2.0),
    (2.5,),
)  # what the temperature is multiplied with, for as many draws each as lines are wanted, round by round
WARM = 0.6  # where the ladder begins if the likeliest line was asked for and could not be used


class Drawer(Protocol):
    """Continues a step once for each temperature."""

    def __call__(
        self, step: Step, temperatures: Sequence[float], *, sampling: Sampling, seed: int
    ) -> list[Draw]:
        """The continuations, in the order of the temperatures."""
        ...


@dataclass(slots=True)
class Lines:
    """What was found: lines with their mean log-likelihoods, why other draws were refused, and how many tokens were drawn."""

    found: dict[str, float] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    n_tokens: int = 0

    def best(self, n: int, avoid: Sequence[str] = ()) -> list[str]:
        """Up to n lines: those without the words to avoid go first, then the likeliest."""
        avoided = set(map(str.lower, avoid))
        return sorted(
            self.found, key=lambda line: (bool(avoided & set(words_of(line))), -self.found[line], line)
        )[:n]


def draw_lines(
    draw: Drawer, step: Step, n: int, sampling: Sampling, rounds: Iterator[Sequence[float]]
) -> Lines:
    """Different lines that pass; drawn until there are n, or the rounds are at their end. rounds: temperatures (`steady`, `climbing`)."""
    lines = Lines()
    first: dict[tuple[str, ...], str] = {}  # of lines with the same words
    n_drawn = 0
    for temperatures in rounds:
        draws = draw(step, temperatures, sampling=sampling, seed=_seed(sampling, n_drawn, step.key))
        n_drawn += len(draws)
        lines.n_tokens += sum(draw.tokens for draw in draws)
        for drawn in draws:
            try:
                line = step.read(drawn)
            except Implausible as reason:
                lines.refused.append(str(reason))
                continue
            line = first.setdefault(tuple(words_of(line)), line)
            lines.found[line] = max(drawn.log_likelihood, lines.found.get(line, drawn.log_likelihood))
        if len(lines.found) >= n:
            break
    return lines


def banned_forms(avoid: Sequence[str]) -> tuple[str, ...]:
    """The single words to avoid as they stand inside and at the start of a text; a ban on part of a phrase would hit too much."""
    words = [word for word in avoid if word.isalpha() and len(word) > 2]
    return tuple(form for word in words for form in (f" {word.lower()}", f" {word.capitalize()}"))


def steady(temperature: float, n: int) -> Iterator[Sequence[float]]:
    """Rounds at one temperature. Where it is 0 there is one line to be had, and no second round."""
    if temperature == 0:
        return iter([(0.0,)])
    at_once = max(n, AT_ONCE)
    return repeat((temperature,) * at_once, max(1, DRAWS * n // at_once))


def climbing(temperature: float, n: int) -> Iterator[Sequence[float]]:
    """Rounds at rising temperatures. Where 0 is asked for, the likeliest line is tried first."""
    if temperature == 0:
        yield (0.0,)
        temperature = WARM
    for factors in LADDER:
        yield [temperature * factor for factor in factors for _ in range(n)]


def _seed(sampling: Sampling, drawn: int, text: str) -> int:
    key = f"{sampling.seed}\0{sampling.sample}\0{drawn}\0{text}"
    return int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=4).digest()) % 2**31
