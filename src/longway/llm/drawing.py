"""Drawing from a small model until there are enough different lines that can be used.

    draw_lines(model, step, n, sampling, decoding)      up to n lines, the likeliest first, and why others were refused

Continuations are drawn side by side, round after round. A model that was trained for its job repeats itself; for such a one the
temperature climbs from round to round: first what is likely, then what is different.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain, repeat

from longway.llm.engine import Sampling
from longway.llm.gguf import Model
from longway.llm.local_steps import Implausible, Step
from longway.llm.plausible import words_of

AT_ONCE = 6  # drawn in every round from a model of which most draws are of no use
AT_LEAST = 2  # drawn in every round from the writer: what is missing, but one alone is hardly faster
DRAWS = 3  # times as many samples as lines are wanted, at most
LADDER = (1.0, 1.3, 1.6)  # what the temperature is multiplied with, round by round; then it stays
WARM = 0.6  # where the ladder begins if the likeliest line was asked for and could not be used


@dataclass(frozen=True, slots=True)
class Decoding:
    """How lines are drawn.

    banned: strings whose tokens must not be used. pushed: what is added to the logits of some tokens.
    climbs: whether the temperature climbs. adapted: False leaves the model's adapter out.
    """

    banned: tuple[str, ...] = ()
    pushed: Mapping[int, float] = field(default_factory=dict)
    climbs: bool = False
    adapted: bool = True


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


def draw_lines(model: Model, step: Step, n: int, sampling: Sampling, decoding: Decoding) -> Lines:
    """Different lines that pass; drawn until there are n, or `DRAWS` times as many draws were made."""
    lines = Lines()
    first: dict[tuple[str, ...], str] = {}  # of lines with the same words
    n_drawn = 0
    for temperature in _temperatures(sampling.temperature, decoding.climbs):
        missing = n - len(lines.found)
        if missing <= 0 or n_drawn >= DRAWS * n:
            break
        drawn = replace(sampling, temperature=temperature, max_tokens=min(sampling.max_tokens, step.room))
        draws = model.draw(
            step.head,
            step.tail,
            1 if temperature == 0 else max(missing, AT_LEAST) if decoding.climbs else max(n, AT_ONCE),
            sampling=drawn,
            seed=_seed(sampling, n_drawn, step.key),
            banned=decoding.banned,
            pushed=decoding.pushed,
            grammar=step.grammar,
            adapted=decoding.adapted,
        )
        n_drawn += len(draws)
        lines.n_tokens += sum(draw.tokens for draw in draws)
        for draw in draws:
            try:
                line = step.read(draw)
            except Implausible as reason:
                lines.refused.append(str(reason))
                continue
            line = first.setdefault(tuple(words_of(line)), line)
            lines.found[line] = max(draw.log_likelihood, lines.found.get(line, draw.log_likelihood))
    return lines


def banned_forms(avoid: Sequence[str]) -> tuple[str, ...]:
    """The single words to avoid as they stand inside and at the start of a text; a ban on part of a phrase would hit too much."""
    words = [word for word in avoid if word.isalpha() and len(word) > 2]
    return tuple(form for word in words for form in (f" {word.lower()}", f" {word.capitalize()}"))


def _temperatures(temperature: float, climbs: bool) -> Iterator[float]:
    """The temperature of each round. Where it is 0 there is one line to be had, and no second round unless it climbs."""
    if temperature == 0:
        yield 0.0
        temperature = WARM if climbs else 0.0
    if climbs:
        yield from (temperature * factor for factor in chain(LADDER, repeat(LADDER[-1])))
    elif temperature:
        yield from repeat(temperature)


def _seed(sampling: Sampling, drawn: int, text: str) -> int:
    key = f"{sampling.seed}\0{sampling.sample}\0{drawn}\0{text}"
    return int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=4).digest()) % 2**31
