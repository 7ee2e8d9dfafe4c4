"""Perturbing by asking a language model: any engine of `longway engines` that writes.

    the lines of a row, the person marked  ->  prompt perturb.v1  ->  as many lines  ->  read strictly, put back  ->  the row's texts

    AskedPerturber(asker)

A row goes to the model line by line, all texts in one question, so that a person is changed in all of them alike and each line comes back
to its place: its text, its line breaks, the white space around it. An answer that cannot be used is asked for once more, with
what was wrong; then it is refused with the reason: lines missing, marks left, nothing changed, more words changed than one person's
can be (`segments.check_kept`), pieces of the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from longway.engines.asker import Asker
from longway.engines.engine import Sampling
from longway.engines.line_answers import Unreadable, read_numbered
from longway.engines.plausible import words_of
from longway.engines.prompt import CLOSE, OPEN, Prompt, perturb_prompt
from longway.engines.transport import tokens_for
from longway.methods.additions import Refused, ask_structured
from longway.methods.perturb.perturber import Perturbed, Place, Request, unchanged
from longway.methods.perturb.segments import Unfit, check_kept, with_ends_of

LEAK = 5  # words in a row that the question has and the text had not: "a middle-aged person" may come, "(45 to 64)" behind it may not


@dataclass(frozen=True, slots=True)
class _Question:
    """A request as it is asked. lines: where the lines that have words are; the rest is white space and stays."""

    request: Request
    lines: tuple[Place, ...]
    prompt: Prompt


class AskedPerturber:
    """A language model that is asked to change one person. asker: the engine with its journal and its budget.

    The budget's end (`BudgetSpent`) is passed on: what was answered before is in the journal.
    """

    def __init__(self, asker: Asker, *, seed: int = 0) -> None:
        self.asker, self.seed = asker, seed
        self.name = asker.engine.name

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """What becomes of each request, in order."""
        found: dict[int, Perturbed] = {}
        asked: dict[int, _Question] = {}
        for place, request in enumerate(requests):
            try:
                asked[place] = _question(request)
            except Unfit as why:
                found[place] = unchanged(request, str(why))
        questions = list(asked.values())
        readers: list[Callable[[str], tuple[str, ...]]] = [partial(_read, question) for question in questions]
        prompts = [question.prompt for question in questions]
        answers = ask_structured(self.asker.write_all, prompts, list(map(self._sampling, prompts)), readers)
        for place, answer in zip(asked, answers, strict=True):
            if isinstance(answer, Refused):
                found[place] = unchanged(requests[place], answer.reason)
            else:
                found[place] = Perturbed(answer)
        return [found[place] for place in range(len(requests))]

    def _sampling(self, prompt: Prompt) -> Sampling:
        """The likeliest answer, as the paper decodes; room for the whole text."""
        return Sampling(temperature=0.0, top_p=1.0, max_tokens=tokens_for(prompt.text), seed=self.seed)


def prompt_of(request: Request) -> Prompt | None:
    """The question about a request, to see what it takes; None where it cannot be asked."""
    try:
        return _question(request).prompt
    except Unfit:
        return None


def _question(request: Request) -> _Question:
    if any(sign in segment for segment in request.segments for sign in (OPEN, CLOSE)):
        raise Unfit(f"the text itself holds {OPEN} or {CLOSE}")
    lines = _lines_in(request.segments)
    person = request.place
    for number, line in enumerate(lines):
        if line.segment == person.segment and line.start <= person.start < person.end <= line.end:
            at = number, person.start - line.start, person.end - line.start
            shown = [request.segments[line.segment][line.start : line.end] for line in lines]
            return _Question(request, lines, perturb_prompt(shown, at, request.target))
    raise Unfit("the chosen word is not a word of one line")


def _lines_in(segments: Sequence[str]) -> tuple[Place, ...]:
    """Where the lines are that have anything but white space, without their line breaks."""
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
    """The segments with the lines of an answer in their places; Unreadable where it cannot be used."""
    request = question.request
    lines = read_numbered(answer, len(question.lines))
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
    told = question.prompt.messages(n=1, form="json")[0]["content"]
    before, after, shown = (
        _phrases(text) for text in ("\n".join(request.segments), "\n".join(segments), told)
    )
    if (after - before) & shown:
        raise Unreadable("a piece of the question stands in the answer")
    return tuple(segments)


def _phrases(text: str) -> set[tuple[str, ...]]:
    """All stretches of `LEAK` words."""
    words = words_of(text)
    return {tuple(words[i : i + LEAK]) for i in range(len(words) - LEAK + 1)}
