"""The questions of the exam, with their answers: `questions.jsonl`, one row a line, written for this purpose.

A row has a `family` (the task), a text, a label, and a context if it is a pair. Every labelled row is a question for a judge. Further
fields make it a question for a writer:

    keep, never, avoid      rewriting: words that a right answer contains, words that would change what it says, and the words to remove
    target, gone, about     a counterpart with the label `target`: the words that decide the old label, and what it must still be about
    facts                   triples: words that belong together in one triple
    word, source, target    perturbation: the person; with keep and never

"one|other" means that either is right. These tests know what must be in an answer; they cannot see everything that is wrong with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from longway.engines.exams import questions_file
from longway.english.triples.triple import Triple
from longway.json_values import from_json
from longway.task import Task, task_of

_LABELS = {
    "fact checking": ("SUPPORTS", "REFUTES"),
    "inference": ("entailment", "neutral", "contradiction"),
    "sentiment": ("negative", "positive"),
    "topic": ("sports", "business", "science", "cooking"),
    "toxicity": ("toxic", "not toxic"),
}
_NAMES = {"fact checking": ("claim", "evidence"), "inference": ("hypothesis", "premise")}
_DENIALS = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|neither|nor|hardly|cannot|\w+n['’]t)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer; see the module."""

    id: str
    family: str
    text: str
    label: str = ""
    context: str | None = None
    keep: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    target: str = ""
    gone: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    word: str = ""
    source: str = ""

    @property
    def task(self) -> Task:
        """The task of the row."""
        text_name, context_name = _NAMES.get(self.family, ("text", None))
        return task_of(_LABELS[self.family], text_name=text_name, context_name=context_name)


@cache
def questions() -> tuple[Question, ...]:
    """All questions, in the order of the file."""
    return tuple(from_json(Question, json.loads(line)) for line in questions_file().splitlines())


def in_turn(chosen: Iterable[Question], limit: int | None) -> list[Question]:
    """The questions with families and labels in turn, so that the first few are of all kinds.

    >>> [question.id for question in in_turn(questions(), 3)]
    ['fact-1', 'fact-2', 'inference-1']
    """
    groups: dict[tuple[str, str], int] = {}
    ranked = []
    for place, question in enumerate(chosen):
        kind = question.family, question.label
        ranked.append((groups.get(kind, 0), place, question))
        groups[kind] = groups.get(kind, 0) + 1
    return [question for _, _, question in sorted(ranked, key=lambda one: one[:2])][:limit]


def fault_of_rewrite(question: Question, text: str) -> str:
    """What is wrong with a rewriting, or with a text in which a person was changed; "" if it is right."""
    if text.strip() == question.text.strip():
        return "the text was not changed"
    for words in question.keep:
        if not has(text, words):
            return f"lost: {words}"
    for words in (*question.never, *question.avoid):
        if has(text, words):
            return f"must not contain: {words}"
    return ""


def fault_of_counterpart(question: Question, text: str) -> str:
    """What is wrong with a text that should have the other label; "" if it is right."""
    if text.strip() == question.text.strip():
        return "the text was not changed"
    for words in question.about:
        if not has(text, words):
            return f"no longer about: {words}"
    is_denied = len(_DENIALS.findall(text)) != len(_DENIALS.findall(question.text))
    for words in question.gone:
        if has(text, words) and not is_denied:
            return f"still says: {words}"
    return ""


def fault_of_triples(question: Question, triples: Sequence[Triple]) -> str:
    """What is wrong with the triples of a text; "" if they are right."""
    if len(triples) < len(question.facts):
        return f"{len(triples)} triples for {len(question.facts)} facts"
    for fact in question.facts:
        if not any(all(has(triple.text, words) for words in fact) for triple in triples):
            return f"no triple has both: {' and '.join(fact)}"
    return ""


def has(text: str, words: str) -> bool:
    """Whether the text contains one of these words or phrases, separated by "|".

    >>> has("Two cats sleep.", "dog|cats"), has("Two cats sleep.", "cat"), has("I do not.", "do not")
    (True, False, True)
    """
    return any(
        re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text.replace("’", "'"), re.IGNORECASE) is not None
        for one in words.split("|")
    )
