"""Answers that must have a form: asked, read strictly, asked once more with what was wrong, then refused with the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from longway.engines.engine import Sampling, Written
from longway.engines.prompt import Prompt, mended
from longway.english.triples.triple import BadTriples
from longway.methods.additions import Ask

T = TypeVar("T")
NO_ANSWER = "the engine gave no answer"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why there is no usable answer."""

    reason: str


def ask_structured(
    ask: Ask, prompts: Sequence[Prompt], samplings: Sequence[Sampling], read: Sequence[Callable[[str], T]]
) -> list[T | Refused]:
    """What each answer says, read by its own reader; a reader raises BadTriples where it cannot.

    An answer that cannot be read is asked for once more, with what was wrong with it.
    """
    answers = ask(prompts, 1, samplings)
    found: list[T | Refused] = []
    again: list[tuple[int, Prompt]] = []
    for place, (prompt, written) in enumerate(zip(prompts, answers, strict=True)):
        if not written.texts:
            found.append(Refused(written.refusals[0] if written.refusals else NO_ANSWER))
            continue
        try:
            found.append(read[place](written.texts[0]))
        except BadTriples as wrong:
            found.append(Refused(str(wrong)))
            again.append((place, mended(prompt, written.texts[0], str(wrong))))
    if again:
        once_more = ask([p for _, p in again], 1, [samplings[place] for place, _ in again])
        for (place, _), written in zip(again, once_more, strict=True):
            found[place] = _second(written, read[place], found[place])
    return found


def _second(written: Written, read: Callable[[str], T], first: T | Refused) -> T | Refused:
    assert isinstance(first, Refused)
    if not written.texts:
        return replace(first, reason=f"{first.reason}; no answer to the repair")
    try:
        return read(written.texts[0])
    except BadTriples as wrong:
        return Refused(f"not even after a repair: {wrong}")
