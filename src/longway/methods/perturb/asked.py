"""Perturbing by prompting a language model: any engine of `longway doctor` that writes.

    the lines of a row, the person marked  ->  prompt perturb.v1  ->  as many lines  ->  read strictly  ->  the row's texts

    perturb_by_prompts(requests, asker)

All texts of a row are in one prompt, line by line, so that a person is changed in all of them alike. Each line of the answer replaces
its line in the row; line breaks and surrounding white space stay. An unusable answer is requested once more, with what was wrong,
and then refused with the reason: missing lines, marks left, nothing changed, more words changed than one person needs
(`segments.check_kept`), pieces of the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from longway.engines.answers import Unreadable
from longway.engines.asker import Asker
from longway.engines.engine import Sampling
from longway.engines.prompt import CLOSE, OPEN, Prompt, perturb_prompt
from longway.engines.requests import tokens_for
from longway.english.people.change import Perturbed, Place, Request, unchanged
from longway.methods.loop import Refused, ask_structured
from longway.methods.perturb.segments import Unfit, check_kept, with_ends_of, words_of

LEAK = 5  # consecutive new words of the prompt: "a middle-aged person" may occur, followed by "(45 to 64)" it may not


@dataclass(frozen=True, slots=True)
class _Question:
    """A request with its prompt. lines: the places of all lines with words; the rest is white space and stays."""

    request: Request
    lines: tuple[Place, ...]
    prompt: Prompt


def perturb_by_prompts(requests: Sequence[Request], asker: Asker, *, seed: int = 0) -> list[Perturbed]:
    """The result of each request, in order. asker: the engine with its journal and its budget.

    `BudgetSpent` passes through: earlier answers are in the journal.
    """
    found: dict[int, Perturbed] = {}
    asked: dict[int, _Question] = {}
    for place, request in enumerate(requests):
        try:
            asked[place] = _question(request)
        except Unfit as why:
            found[place] = unchanged(request, str(why))
    prompts = [question.prompt for question in asked.values()]
    samplings = [sampling_of(prompt, seed=seed) for prompt in prompts]
    readers = [partial(_read, question) for question in asked.values()]
    answers = ask_structured(asker.write_all, prompts, samplings, readers)
    for place, answer in zip(asked, answers, strict=True):
        if isinstance(answer, Refused):
            found[place] = unchanged(requests[place], answer.reason)
        else:
            found[place] = Perturbed(answer)
    return [found[place] for place in range(len(requests))]


def sampling_of(prompt: Prompt, *, seed: int = 0) -> Sampling:
    """The likeliest answer, as in the paper, with room for the whole text."""
    return Sampling(temperature=0.0, top_p=1.0, max_tokens=tokens_for(prompt.text), seed=seed)


def prompt_of(request: Request) -> Prompt | None:
    """The prompt of a request, to estimate its cost; None if it cannot be asked."""
    try:
        return _question(request).prompt
    except Unfit:
        return None


def _question(request: Request) -> _Question:
    if any(sign in segment for segment in request.segments for sign in (OPEN, CLOSE)):
        raise Unfit(f"the text itself contains {OPEN} or {CLOSE}")
    lines = _lines_in(request.segments)
    person = request.place
    for number, line in enumerate(lines):
        if line.segment == person.segment and line.start <= person.start < person.end <= line.end:
            at = number, person.start - line.start, person.end - line.start
            shown = [request.segments[line.segment][line.start : line.end] for line in lines]
            return _Question(request, lines, perturb_prompt(shown, at, request.target))
    raise Unfit("the chosen word is not a word of one line")


def _lines_in(segments: Sequence[str]) -> tuple[Place, ...]:
    """The places of all lines that are not blank, without their line breaks."""
    found = []
    for number, segment in enumerate(segments):
        start = 0
        for line in segment.splitlines(keepends=True):
            bare = len(line.splitlines()[0])
            if line.strip():
                found.append(Place(number, start, start + bare))
            start += len(line)
    return tuple(found)


def _read(question: _Question, answer: str) -> tuple[str, ...]:
    """The segments with the lines of an answer in their places. Raises Unreadable if it cannot be used."""
    request = question.request
    lines = question.prompt.read(answer)
    if any(sign in line for line in lines for sign in (OPEN, CLOSE)):
        raise Unreadable(f"the signs {OPEN} and {CLOSE} are still there")
    segments = list(request.segments)
    try:
        for place, line in zip(reversed(question.lines), reversed(lines), strict=True):
            text = segments[place.segment]
            new = with_ends_of(text[place.start : place.end], line)
            segments[place.segment] = text[: place.start] + new + text[place.end :]
        check_kept(request.segments, segments)
    except Unfit as why:
        raise Unreadable(str(why)) from None
    instructions = question.prompt.messages(n=1)[0]["content"]
    before, after, shown = (
        _phrases(text) for text in ("\n".join(request.segments), "\n".join(segments), instructions)
    )
    if (after - before) & shown:
        raise Unreadable("a piece of the question stands in the answer")
    return tuple(segments)


def _phrases(text: str) -> set[tuple[str, ...]]:
    """All sequences of `LEAK` words."""
    words = words_of(text)
    return {tuple(words[i : i + LEAK]) for i in range(len(words) - LEAK + 1)}
