"""The writer's input: a line that names the job, the texts, and a line for its answer.

    turn to contradiction            rewrite                      judge as positive or negative
    premise: A man sleeps.           text: The film isn't bad.    text: A film without a soul.
    hypothesis: A man dreams.        avoid: bad, n't              answer:
    answer:                          answer:

The writer was trained on exactly these lines (`train/writer.py` uses the same functions). An answer is one line. Pairs are always a
premise and a hypothesis, labelled by the stance of the premise (`task.stances`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longway.engines.plausible import plain
from longway.task import Stance

VERSION = 1  # increases when a line changes; the writer must then be trained again
TEXT, PREMISE, HYPOTHESIS = "text", "premise", "hypothesis"
OPEN, CLOSE = "[[", "]]"  # around the words in question
GAP = "[[_]]"
LABELS: Mapping[Stance, str] = {
    "entails": "entailment",
    "contradicts": "contradiction",
    "neutral": "neutral",
}
BETWEEN_TRIPLES = " ; "


def rewrite_lines(text: str, *, avoid: Sequence[str] = ()) -> str:
    """Asks for the text in other words. avoid: words to avoid."""
    return _asked("rewrite", {TEXT: text}, avoid=avoid)


def edit_lines(
    text: str, *, include: str = "", place: str = "", least: int | None = None, most: int | None = None
) -> str:
    """Asks for the text with some words put in, or of another length. place: "first" or "last", if it matters where the words are."""
    length = f"at least {least} words" if least is not None else f"at most {most} words"
    fields = {f"include {place}".strip(): include} if include else {}
    if least is not None or most is not None:
        fields["length"] = length
    return _asked("edit", {TEXT: text, **fields})


def turn_lines(
    text: str, to: str, *, context: str | None = None, field: str = HYPOTHESIS, avoid: Sequence[str] = ()
) -> str:
    """Asks for the smallest change that makes the label `to` true. field: the text of a pair to change."""
    if context is None:
        return _asked(f"turn to {to}", {TEXT: text}, avoid=avoid)
    pair = _pair(text, context) if field == HYPOTHESIS else _pair(context, text)
    return _asked(f"turn {field} to {to}", pair, avoid=avoid)


def fill_lines(shown: str, *, context: str | None = None, to: str = "", avoid: Sequence[str] = ()) -> str:
    """Asks for words for the gap. shown: the text with `GAP`; to: the label that the filled text should have."""
    texts = {TEXT: shown} if context is None else _pair(shown, context)
    return _asked(f"fill to {to}" if to else "fill", texts, avoid=avoid)


def triples_lines(text: str) -> str:
    """Asks for the text as triples."""
    return _asked("triples", {TEXT: text})


def alter_lines(triple: str, to: str) -> str:
    """Asks for a triple about the same thing that has the label `to`."""
    return _asked(f"alter to {to}", {"triple": triple})


def say_lines(triples: Sequence[str]) -> str:
    """Asks for the triples as a text."""
    return _asked("say", {"triples": BETWEEN_TRIPLES.join(triples)})


def person_lines(shown: str, to: str) -> str:
    """Asks for the text with one person changed: the one named by the word in brackets, or everybody without brackets. to: "a woman" ..."""
    return _asked(f"person to {to}", {TEXT: shown})


def judge_lines(text: str, labels: Sequence[str], *, context: str | None = None) -> str:
    """Asks which of the labels is true."""
    *first, last = labels
    return _asked(
        f"judge as {', '.join(first)} or {last}", {TEXT: text} if context is None else _pair(text, context)
    )


def answered(answer: str) -> str:
    """An answer in the form in which it follows the input."""
    return f" {plain(answer)}\n"


def _pair(text: str, context: str) -> dict[str, str]:
    return {PREMISE: context, HYPOTHESIS: text}


def _asked(job: str, texts: Mapping[str, str], *, avoid: Sequence[str] = ()) -> str:
    lines = [job, *(f"{name}: {plain(text)}" for name, text in texts.items())]
    if avoid:
        lines.append(f"avoid: {', '.join(map(plain, avoid))}")
    return "\n".join([*lines, "answer:"])
