"""What the small model can be asked to write, and what is made of its draws.

    rewrite           a sentence in other words
    triples           a sentence as triples, all on one line
    alter             one triple after the other, turned from praise to blame or back
    realise           triples on one line as a sentence
    counterfactual    a sentence turned from praise to blame or back
    fill              one marked word after the other, replaced
    perturb           a sentence with one person changed

A question is one step or several; a step is a line that the model continues after some examples. Each draw is read strictly,
and everything doubtful is `Implausible`: words made up, words lost, pieces of the examples. What goes through
differs in quality all the same: whether the label holds is for `verify` to say. Pairs and long texts are beyond the model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from longway.llm.dress import dressed, plain
from longway.llm.gguf import Draw
from longway.llm.local_grammar import text_of_words, triple_about, triples_of_words
from longway.llm.plausible import content_of, denials_in, leaked, length_differs, refusal, words_of
from longway.llm.prompt import Prompt
from longway.task import Task
from longway.text.capitals import like
from longway.triples.triple import BadTriples, Triple, numbered, parse

LONGEST_TO_WRITE = 400  # characters; what is longer it cannot hold together
BETWEEN = " ; "  # triples on one line
COVERED = 0.7  # share of a sentence's words that its triples must have
ADDED = 3  # small words that each triple may have besides those of its sentence: a form of "be", an article, a pronoun
COVERED_BACK = 0.9  # share of the triples' words that a sentence made of them must have
_SIDES = {"pos": "positive", "neg": "negative", "positive": "positive", "negative": "negative"}
_ARTICLES = frozenset({"a", "an", "the"})
# Neither a subject nor a predicate consists of these alone, and no object ends in one.
_SMALL = _ARTICLES | frozenset(
    "of in on at to for by with from as and or but not although though while if because when than that which who so".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class CannotAsk(ValueError):  # noqa: N818 - says what happened
    """The small model is not asked this; the message says why."""


class Implausible(ValueError):  # noqa: N818 - says what happened
    """A draw is of no use; the message says why in a few words."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line for the model to continue.

    template, text, values: what it is shown. key: what its seed depends on. room: tokens, at most.
    read: a draw and the examples shown -> the line that was wanted; Implausible where it is none.
    grammar: what can be drawn at all (`local_grammar.py`); "" for anything.
    """

    template: str
    text: str
    key: str
    room: int
    read: Callable[[Draw, Sequence[str]], str]
    values: Mapping[str, Any] = field(default_factory=dict)
    grammar: str = ""


def steps_for(prompt: Prompt) -> list[Step]:
    """What the model is asked to answer a prompt; CannotAsk where it cannot."""
    kind = prompt.template.partition(".")[0]
    if kind not in _STEPS:
        raise CannotAsk(f"the small model cannot do {prompt.template!r}; it does {', '.join(_STEPS)}")
    if kind != "rewrite" and (prompt.task.is_pair or prompt.context is not None):
        raise CannotAsk("the small model is at chance for pairs")
    if len(prompt.text) > LONGEST_TO_WRITE:
        raise CannotAsk(f"longer than {LONGEST_TO_WRITE} characters: too long for the small model")
    if not prompt.text.strip():
        raise CannotAsk("there is no text to rewrite")
    return _STEPS[kind](prompt)


def put_together(prompt: Prompt, parts: Sequence[Sequence[str]], n: int) -> list[str]:
    """Up to n answers from the lines found for each step; none where a step has none."""
    if not all(parts):
        return []
    most = max(map(len, parts))
    answers = [[lines[i % len(lines)] for lines in parts] for i in range(most)]
    kind = prompt.template.partition(".")[0]
    if kind == "alter":
        return ["\n".join(f"{i}. {line}" for i, line in enumerate(lines, 1)) for lines in answers][:n]
    if kind == "fill":
        return list(dict.fromkeys(_filled(prompt, words) for words in answers))[:n]
    return [lines[0] for lines in answers][:n]


def _rewriting(prompt: Prompt) -> list[Step]:
    def read(draw: Draw, shown: Sequence[str]) -> str:
        candidate = dressed(draw.text, like=prompt.text)
        if not draw.ended:
            raise Implausible("no end")
        if reason := refusal(prompt.text, candidate, shown):
            raise Implausible(reason)
        return candidate

    text = plain(prompt.text)
    # Tokens are about four characters; a text three times as long would be refused anyway.
    return [Step("local-rewrite.v1", text, prompt.text, len(text) // 2 + 16, read)]


def _taking_apart(prompt: Prompt) -> list[Step]:
    text = plain(prompt.text)
    read = partial(_read_triples, text)
    room, grammar = len(text) // 2 + 40, triples_of_words(text)
    return [Step("local-triples.v1", text, _key(prompt), room, read, grammar=grammar)]


def _read_triples(text: str, draw: Draw, shown: Sequence[str]) -> str:
    lines = [line.strip() for line in draw.text.split(BETWEEN.strip())]
    triples = _strictly(draw, "\n".join(f"{i}. {line}" for i, line in enumerate(lines, 1)))
    said = ". ".join(triple.text for triple in triples)
    before, after = words_of(text), words_of(said)
    old = content_of(before)
    _check_words(before, after, COVERED)
    put_in = [word for word in (Counter(after) - Counter(before)).elements() if not content_of([word])]
    if len(put_in) > ADDED * len(triples):
        raise Implausible("too many small words")
    each = [content_of(words_of(triple.text)) for triple in triples]
    if len(set(map(frozenset, each))) < len(each) or any(words - old for words in each):
        raise Implausible("says something twice")
    if not all(map(_is_sound, triples)):
        raise Implausible("no statement")
    return numbered(triples)


def _is_sound(triple: Triple) -> bool:
    """Whether it could be a statement: somebody or something, a verb perhaps, and nothing that breaks off."""
    subject, predicate, last = (words_of(p) for p in (triple.subject, triple.predicate, triple.object))
    names_something = bool(set(subject) - _SMALL) and subject[0] not in _SMALL - _ARTICLES
    return names_something and bool(set(predicate) - _SMALL) and (not last or last[-1] not in _SMALL)


def _altering(prompt: Prompt) -> list[Step]:
    to = _side(prompt.task, prompt.values["target"])
    keep = frozenset(word for phrase in prompt.values["keep"] for word in words_of(phrase))
    steps = []
    for place, parts in enumerate(prompt.values["triples"]):
        triple = Triple(*parts)
        if triple.is_whole:
            raise CannotAsk("a sentence that was not taken apart is no triple for the small model")
        text = plain(str(triple))
        read = partial(_read_altered, triple, keep)
        key, room = f"{_key(prompt)}\0{place}", len(text) // 2 + 16
        grammar = triple_about(plain(triple.subject))
        steps.append(Step("local-alter.v1", text, key, room, read, {"to": to}, grammar))
    return steps


def _read_altered(triple: Triple, keep: frozenset[str], draw: Draw, shown: Sequence[str]) -> str:
    (altered,) = _strictly(draw, f"1. {draw.text}", n=1)
    if altered.subject.lower() != triple.subject.lower():
        raise Implausible("about something else")
    before, after = words_of(triple.text), words_of(altered.text)
    if content_of(before) == content_of(after):
        raise Implausible("copy")
    if keep & set(before) - set(after):
        raise Implausible("a word that must stay is gone")
    if length_differs(before, after):
        raise Implausible("length")
    return str(Triple(triple.subject, altered.predicate, altered.object))


def _realising(prompt: Prompt) -> list[Step]:
    triples = [Triple(*parts) for parts in prompt.values["triples"]]
    text = plain(BETWEEN.join(map(str, triples)))
    if len(text) > LONGEST_TO_WRITE:
        raise CannotAsk(f"longer than {LONGEST_TO_WRITE} characters: too long for the small model")
    said = ". ".join(triple.text for triple in triples)
    read = partial(_read_realised, said, prompt.text)
    room, grammar = len(text) // 2 + 16, text_of_words(text)
    return [Step("local-realise.v1", text, _key(prompt), room, read, grammar=grammar)]


def _read_realised(said: str, form: str, draw: Draw, shown: Sequence[str]) -> str:
    candidate = _text_of_its_own(draw, form)
    before, after = words_of(said), words_of(candidate)
    _check_words(before, after, COVERED_BACK)
    if reason := length_differs(before, after):
        raise Implausible(reason)
    if content_of(after) - content_of(before):
        raise Implausible("says something twice")
    return candidate


def _check_words(before: list[str], after: list[str], share: float) -> None:
    """Implausible where words are made up, too many are lost, or a denial comes or goes."""
    old, new = content_of(before), content_of(after)
    if set(new) - set(old):
        raise Implausible("words made up")
    if len(set(old) & set(new)) < share * len(old):
        raise Implausible("words lost")
    if denials_in(before) % 2 != denials_in(after) % 2:
        raise Implausible("negation changed")


def _turning(prompt: Prompt) -> list[Step]:
    text, to = plain(prompt.text), _side(prompt.task, prompt.values["target"])
    read = partial(_read_turned, prompt.text)
    return [Step("local-counterfactual.v1", text, _key(prompt), len(text) // 2 + 16, read, {"to": to})]


def _read_turned(text: str, draw: Draw, shown: Sequence[str]) -> str:
    candidate = _text_of_its_own(draw, text)
    before, after = words_of(text), words_of(candidate)
    old, new = content_of(before), content_of(after)
    if old == new:
        raise Implausible("copy")
    if not new - old:
        raise Implausible("only leaves words out")
    if sum((old & new).values()) < 0.5 * sum(old.values()):
        raise Implausible("little in common")
    if reason := length_differs(before, after) or leaked(before, after, shown):
        raise Implausible(reason)
    return candidate


def _filling(prompt: Prompt) -> list[Step]:
    text = plain(prompt.text)
    steps = []
    for start, end in prompt.values["marked"]:
        old = prompt.text[start:end]
        read, key = partial(_read_word, old, frozenset(words_of(text))), f"{_key(prompt)}\0{start}"
        steps.append(Step("local-fill.v1", text, key, 8, read, {"old": plain(old)}))
    return steps


def _read_word(old: str, words: frozenset[str], draw: Draw, shown: Sequence[str]) -> str:
    word = draw.text.strip().rstrip(".")
    if not draw.ended or not _WORD.fullmatch(word):
        raise Implausible("not one word")
    if word.lower() in words or content_of([word.lower()]) == content_of([old.lower()]):
        raise Implausible("copy")
    return like(word.lower(), old)


def _perturbing(prompt: Prompt) -> list[Step]:
    if len(prompt.values["shown"]) > 1:
        raise CannotAsk("the small model changes a person in one line only")
    text, word = plain(prompt.text), plain(prompt.values["word"])
    who = prompt.values["target"].partition(" (")[0]
    read = partial(_read_perturbed, prompt.text)
    room = len(text) // 2 + 16
    return [Step("local-perturb.v1", text, _key(prompt), room, read, {"word": word, "who": who})]


def _read_perturbed(text: str, draw: Draw, shown: Sequence[str]) -> str:
    candidate = _text_of_its_own(draw, text)
    before, after = words_of(text), words_of(candidate)
    if before == after:
        raise Implausible("copy")
    if len(before) != len(after):  # a word for a word: what it leaves out or adds otherwise is a loss
        raise Implausible("length")
    if reason := leaked(before, after, shown):
        raise Implausible(reason)
    return f"1. {candidate}"


def _filled(prompt: Prompt, words: Sequence[str]) -> str:
    """The text with the words in the marked places."""
    text = prompt.text
    for (start, end), word in reversed(list(zip(prompt.values["marked"], words, strict=True))):
        text = text[:start] + word + text[end:]
    return text


def _strictly(draw: Draw, answer: str, n: int | None = None) -> list[Triple]:
    if not draw.ended:
        raise Implausible("no end")
    try:
        return parse(answer, n=n)
    except BadTriples as bad:
        raise Implausible(str(bad).partition(":")[0]) from None


def _text_of_its_own(draw: Draw, form: str) -> str:
    """The draw in the outer form of another text; Implausible where it is no text."""
    if not draw.ended:
        raise Implausible("no end")
    if not words_of(draw.text) or re.search(r"[|<>]|^\w+:", draw.text) or BETWEEN in draw.text:
        raise Implausible("not a text of its own")
    return dressed(draw.text, like=form)


def _side(task: Task, target: str) -> str:
    side = _SIDES.get(target.strip().lower()) if task.kind == "sentiment" else None
    if side is None:
        raise CannotAsk(
            f"the small model turns praise into blame and back; it cannot aim at the label {target!r}"
        )
    return side


def _key(prompt: Prompt) -> str:
    """What a seed depends on: asked once more, after an answer that could not be used, it is another draw."""
    return f"{prompt.template}\0{prompt.text}\0{prompt.values.get('wrong', '')}"


_STEPS: dict[str, Callable[[Prompt], list[Step]]] = {
    "rewrite": _rewriting,
    "triples": _taking_apart,
    "alter": _altering,
    "realise": _realising,
    "counterfactual": _turning,
    "fill": _filling,
    "perturb": _perturbing,
}
