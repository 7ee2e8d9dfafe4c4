"""Questions about triples: a text taken apart, triples altered, triples put into words (CoBA, section 3.3 and appendix H).

    triples_prompt         a text, or a pair, as numbered triples
    alter_prompt           triples changed so that another label is true
    realise_prompt         triples, in the order given, as a text
    identify_prompt        the words that decide a label, and those that merely go with it
    pick_prompt            of the triples of two texts, those that carry what the pair is about (section 4.5)
    mended                 the same question once more, saying what was wrong with the first answer

The wording is our own. Triples are read by `triples/triple.py`, the other answers in lines by `line_answers.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longway.llm.prompt import Prompt, without_row
from longway.task import Task
from longway.triples.triple import Triple

TEXT_TO_TEXT = Task("labels", ())  # a text and the text it is turned into: there is no label
LONGEST_TOLD = 4000  # characters of an answer that is shown again


def triples_prompt(task: Task, text: str, *, context: str | None = None) -> Prompt:
    """The question which triples a text consists of; with a context, those of both."""
    return Prompt("triples.v1", without_row(task, text, context), text, context, reads="lines")


def alter_prompt(
    task: Task,
    triples: Sequence[Triple],
    *,
    label: str,
    target: str,
    keep: Sequence[str] = (),
    text: str,
    context: str | None = None,
) -> Prompt:
    """The question how these triples of a text must read for another label to be true.

    label: the one it has; target: the one that it should have. keep: words of the triples that must stay. text: the whole text.
    """
    values = {"triples": _plain(triples), "target": target, "keep": list(keep)}
    return Prompt(
        "alter.v1", without_row(task, text, context), text, context, label, values=values, reads="lines"
    )


def realise_prompt(
    task: Task,
    triples: Sequence[Triple],
    *,
    label: str | None,
    text: str,
    context_triples: Sequence[Triple] | None = None,
) -> Prompt:
    """The question for a text that says what the triples say, in their order.

    label: the one that the new text has. text: what the triples come from; it is not shown, and a copy of it is no answer.
    context_triples: those of the context, where it is to be put into words, too.
    """
    pair = None if context_triples is None else _plain(context_triples)
    values = {"triples": _plain(triples), "context_triples": pair}
    reads = "texts" if context_triples is None else "lines"
    return Prompt("realise.v1", without_row(task, text, None), text, None, label, values=values, reads=reads)


def identify_prompt(task: Task, text: str, *, label: str, k: int, context: str | None = None) -> Prompt:
    """The question which words decide the label and which merely go with it, up to k of each."""
    about = without_row(task, text, context)
    return Prompt("identify.v1", about, text, context, label, values={"k": k}, reads="lines")


def pick_prompt(source_triples: Sequence[Triple], target_triples: Sequence[Triple]) -> Prompt:
    """The question which triples of a text and of the text it was turned into carry what the pair is about."""
    values = {"source": _plain(source_triples), "target": _plain(target_triples)}
    text, other = (
        ". ".join(triple.text for triple in triples) for triples in (source_triples, target_triples)
    )
    return Prompt("pick.v1", TEXT_TO_TEXT, text, other, values=values, reads="lines")


def mended(prompt: Prompt, answer: str, reason: str) -> Prompt:
    """The same question, saying that an earlier answer could not be used, and why."""
    told = {"answer": answer[:LONGEST_TOLD], "reason": reason}
    return replace(prompt, values={**prompt.values, "wrong": told})


def _plain(triples: Sequence[Triple]) -> list[list[str]]:
    return [[triple.subject, triple.predicate, triple.object] for triple in triples]
