"""What a small model that was not trained for it is asked: some examples (`prompts/local-*.jinja`), then the line to continue.

    steps_for(prompt)      the steps for a rewriting, triples, a fill ... (`local_steps.py` lists them)

Pairs and long texts are beyond such a model. Left to itself it makes words up, so that a grammar holds it to the words
of the text where the answer has no others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from longway.llm.dress import plain
from longway.llm.local_grammar import text_of_words, triple_about, triples_of_words
from longway.llm.local_steps import (
    BETWEEN,
    CannotAsk,
    Step,
    key_of,
    kind_of,
    read_altered,
    read_perturbed,
    read_realised,
    read_rewritten,
    read_triples,
    read_turned,
    read_word,
    side_of,
    too_long,
    triples_to_alter,
    words_to_keep,
)
from longway.llm.plausible import words_of
from longway.llm.prompt import Prompt
from longway.triples.triple import Triple

LONGEST_TO_WRITE = 400  # characters; what is longer it cannot hold together


def steps_for(prompt: Prompt) -> list[Step]:
    """What the model is asked to answer a prompt; CannotAsk where it cannot."""
    kind = kind_of(prompt, _STEPS, LONGEST_TO_WRITE)
    if kind != "rewrite" and (prompt.task.is_pair or prompt.context is not None):
        raise CannotAsk("the small model is at chance for pairs")
    return _STEPS[kind](prompt)


def parts_of(prompt: Prompt) -> tuple[str, str]:
    """A prompt as the model continues it: what stays the same from row to row, and the row."""
    head, row = (message["content"] for message in prompt.messages())
    return head, f" {row}"


def _asked(prompt: Prompt, template: str, text: str, **values: Any) -> tuple[str, str]:
    return parts_of(replace(prompt, template=template, text=text, values=values, context=None))


def _shown(head: str) -> list[str]:
    """The examples in a head, line by line."""
    return [line.partition(": ")[2] for line in head.splitlines()]


def _room(text: str) -> int:
    """Tokens are about four characters; a text three times as long would be refused anyway."""
    return len(text) // 2 + 16


def _rewriting(prompt: Prompt) -> list[Step]:
    text = plain(prompt.text)
    head, tail = _asked(prompt, "local-rewrite.v1", text)
    read = partial(read_rewritten, prompt.text, shown=_shown(head))
    return [Step(head, tail, prompt.text, _room(text), read, prompt.avoid)]


def _taking_apart(prompt: Prompt) -> list[Step]:
    text = plain(prompt.text)
    head, tail = _asked(prompt, "local-triples.v1", text)
    read, grammar = partial(read_triples, text), triples_of_words(text)
    return [Step(head, tail, key_of(prompt), len(text) // 2 + 40, read, grammar=grammar)]


def _altering(prompt: Prompt) -> list[Step]:
    to, keep = side_of(prompt.task, prompt.values["target"]), words_to_keep(prompt)
    steps = []
    for place, triple in enumerate(triples_to_alter(prompt)):
        text = plain(str(triple))
        head, tail = _asked(prompt, "local-alter.v1", text, to=to)
        key, read = f"{key_of(prompt)}\0{place}", partial(read_altered, triple, keep)
        grammar = triple_about(plain(triple.subject))
        steps.append(Step(head, tail, key, _room(text), read, grammar=grammar))
    return steps


def _realising(prompt: Prompt) -> list[Step]:
    triples = [Triple(*parts) for parts in prompt.values["triples"]]
    text = plain(BETWEEN.join(map(str, triples)))
    if len(text) > LONGEST_TO_WRITE:
        raise too_long(LONGEST_TO_WRITE)
    said = ". ".join(triple.text for triple in triples)
    head, tail = _asked(prompt, "local-realise.v1", text)
    read = partial(read_realised, said, prompt.text)
    return [Step(head, tail, key_of(prompt), _room(text), read, grammar=text_of_words(text))]


def _turning(prompt: Prompt) -> list[Step]:
    text, to = plain(prompt.text), side_of(prompt.task, prompt.values["target"])
    head, tail = _asked(prompt, "local-counterfactual.v1", text, to=to)
    read = partial(read_turned, prompt.text, shown=_shown(head))
    return [Step(head, tail, key_of(prompt), _room(text), read)]


def _filling(prompt: Prompt) -> list[Step]:
    text = plain(prompt.text)
    steps = []
    for start, end in prompt.values["marked"]:
        old = prompt.text[start:end]
        head, tail = _asked(prompt, "local-fill.v1", text, old=plain(old))
        read = partial(read_word, old, frozenset(words_of(text)))
        steps.append(Step(head, tail, f"{key_of(prompt)}\0{start}", 8, read))
    return steps


def _perturbing(prompt: Prompt) -> list[Step]:
    if len(prompt.values["shown"]) > 1:
        raise CannotAsk("the small model changes a person in one line only")
    text, word = plain(prompt.text), plain(prompt.values["word"])
    who = prompt.values["target"].partition(" (")[0]
    head, tail = _asked(prompt, "local-perturb.v1", text, word=word, who=who)
    # A word for a word: what it leaves out or adds otherwise is a loss.
    read = partial(read_perturbed, prompt.text, shown=_shown(head))
    return [Step(head, tail, key_of(prompt), _room(text), read)]


_STEPS: dict[str, Callable[[Prompt], list[Step]]] = {
    "rewrite": _rewriting,
    "triples": _taking_apart,
    "alter": _altering,
    "realise": _realising,
    "counterfactual": _turning,
    "fill": _filling,
    "perturb": _perturbing,
}
