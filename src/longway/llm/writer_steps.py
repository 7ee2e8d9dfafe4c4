"""What the writer is asked: the lines that it learned (`writer_lines.py`), without examples.

    steps_for(prompt)      the steps for a rewriting, a counterfactual, a fill ... (`local_steps.py` lists them)

Texts are turned to another label for reviews, and for pairs whose labels have a stance that the writer knows. A triple of a review is
altered as a triple; one of a pair is turned as the sentence that it says, and stays a sentence. Each step's lines are its head:
everything that is drawn for it starts from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from longway.classify.entailment import shortened, tidied
from longway.llm import text_prompts
from longway.llm.dress import plain
from longway.llm.local_steps import (
    CannotAsk,
    Step,
    key_of,
    kind_of,
    read_altered,
    read_perturbed,
    read_phrase,
    read_realised,
    read_rewritten,
    read_triples,
    read_turned,
    read_turned_triple,
    side_of,
    too_long,
    triples_to_alter,
    words_to_keep,
)
from longway.llm.plausible import words_of
from longway.llm.prompt import Prompt
from longway.llm.writer_lines import (
    CLOSE,
    GAP,
    LABELS,
    OPEN,
    alter_lines,
    fill_lines,
    person_lines,
    rewrite_lines,
    say_lines,
    triples_lines,
    turn_lines,
)
from longway.triples.triple import Triple

LONGEST_TO_WRITE = 600  # characters, as it was trained
LONGEST_CONTEXT = 600
AVOID_NAMED = 3  # words to avoid that a question names; it never saw more
PERSON_LONGER = 2  # words that a changed person may take more or fewer: "he's" and "they are"
_PAIRS = ("rewrite", "counterfactual", "fill", "alter", "realise")


def steps_for(prompt: Prompt) -> list[Step]:
    """What the writer is asked to answer a prompt; CannotAsk where it cannot."""
    kind = kind_of(prompt, _STEPS, LONGEST_TO_WRITE)
    if prompt.context is not None and kind not in _PAIRS:
        raise CannotAsk(f"the writer does {kind!r} for single texts only")
    return _STEPS[kind](prompt)


def context_of(prompt: Prompt) -> str | None:
    """The context as the writer knows contexts: without marks of treebanks, and not too long."""
    if prompt.context is None:
        return None
    return shortened(tidied(prompt.context), prompt.text)[:LONGEST_CONTEXT]


def _room(text: str) -> int:
    """Tokens are about four characters; a text that is much longer would be refused anyway."""
    return len(text) // 3 + 16


def _rewriting(prompt: Prompt) -> list[Step]:
    lines = rewrite_lines(prompt.text, avoid=_named(prompt))
    read = partial(read_rewritten, prompt.text)
    return [Step(lines, "", prompt.text, _room(prompt.text), read, prompt.avoid)]


def _named(prompt: Prompt) -> list[str]:
    """The words to avoid that stand in the text; it learned from such lists."""
    words = set(words_of(prompt.text))
    return [word for word in prompt.avoid if word.lower() in words][:AVOID_NAMED]


def _turning(prompt: Prompt) -> list[Step]:
    target, context = prompt.values["target"], context_of(prompt)
    if context is None:
        lines = turn_lines(prompt.text, side_of(prompt.task, target))
    else:
        lines = turn_lines(tidied(prompt.text), _stance_of(prompt, target), context=context)
    read = partial(read_turned, prompt.text)
    return [Step(lines, "", key_of(prompt), _room(prompt.text), read)]


def _stance_of(prompt: Prompt, target: str) -> str:
    stance = prompt.task.stances.get(target)
    if stance is None or stance not in LABELS:
        raise CannotAsk(
            f"the writer turns pairs to {', '.join(LABELS.values())}; it cannot aim at the label {target!r}"
        )
    return LABELS[stance]


def _filling(prompt: Prompt) -> list[Step]:
    steps, context = [], context_of(prompt)
    for start, end in prompt.values["marked"]:
        old = prompt.text[start:end]
        shown = prompt.text[:start] + GAP + prompt.text[end:]
        avoid = tuple(dict.fromkeys((old, *prompt.avoid)))
        lines = fill_lines(shown, context=context, avoid=avoid[:AVOID_NAMED])
        read = partial(read_phrase, old, prompt.text)
        steps.append(Step(lines, "", f"{key_of(prompt)}\0{start}", len(old) // 2 + 8, read, avoid))
    return steps


def _taking_apart(prompt: Prompt) -> list[Step]:
    text = plain(prompt.text)
    read = partial(read_triples, text)
    return [Step(triples_lines(text), "", key_of(prompt), len(text) // 2 + 40, read)]


def _altering(prompt: Prompt) -> list[Step]:
    context, keep = context_of(prompt), words_to_keep(prompt)
    if context is not None:
        return _turning_each(prompt, context, keep)
    to = side_of(prompt.task, prompt.values["target"])
    steps = []
    for place, triple in enumerate(triples_to_alter(prompt)):
        text = plain(str(triple))
        key, read = f"{key_of(prompt)}\0{place}", partial(read_altered, triple, keep)
        steps.append(Step(alter_lines(text, to), "", key, _room(text), read))
    return steps


def _turning_each(prompt: Prompt, context: str, keep: frozenset[str]) -> list[Step]:
    """The triples of a pair, each turned as a sentence: how a triple must read depends on the context, and it learned that of sentences."""
    to, steps = _stance_of(prompt, prompt.values["target"]), []
    for place, parts in enumerate(prompt.values["triples"]):
        said = tidied(Triple(*parts).text)
        key, read = f"{key_of(prompt)}\0{place}", partial(read_turned_triple, said, keep)
        steps.append(Step(turn_lines(said, to, context=context), "", key, _room(said), read))
    return steps


def _realising(prompt: Prompt) -> list[Step]:
    if prompt.values["context_triples"] is not None:
        raise CannotAsk("the writer puts the triples of one text into words, not those of a pair")
    triples = [Triple(*parts) for parts in prompt.values["triples"]]
    said = ". ".join(triple.text for triple in triples)
    if len(said) > LONGEST_TO_WRITE:
        raise too_long(LONGEST_TO_WRITE)
    read = partial(read_realised, said, prompt.text)
    return [Step(say_lines(list(map(str, triples))), "", key_of(prompt), _room(said), read)]


def _perturbing(prompt: Prompt) -> list[Step]:
    shown: Sequence[str] = prompt.values["shown"]
    if len(shown) > 1:
        raise CannotAsk("the writer changes a person in one line only")
    marked = shown[0].replace(text_prompts.OPEN, OPEN).replace(text_prompts.CLOSE, CLOSE)
    lines = person_lines(marked, prompt.values["target"].partition(" (")[0])
    read = partial(read_perturbed, prompt.text, longer=PERSON_LONGER)
    return [Step(lines, "", key_of(prompt), _room(prompt.text), read)]


_STEPS: dict[str, Callable[[Prompt], list[Step]]] = {
    "rewrite": _rewriting,
    "triples": _taking_apart,
    "alter": _altering,
    "realise": _realising,
    "counterfactual": _turning,
    "fill": _filling,
    "perturb": _perturbing,
}
