"""What a small model is asked, line by line, and what is made of its draws.

    rewrite           a sentence in other words
    triples           a sentence as triples, all on one line
    alter             one triple after the other, turned from praise to blame or back
    realise           triples on one line as a sentence
    counterfactual    a sentence turned to another label
    fill              one marked word after the other, replaced
    perturb           a sentence with one person changed

A question is one step or several; a step is a line that the model continues. There are two sources of steps: `few_shot_steps.py` shows
examples to the model as it comes, `writer_steps.py` asks the writer in the lines that it learned. Each draw is read strictly,
and everything doubtful is `Implausible`: words made up, words lost, pieces of the examples. What goes through
differs in quality all the same: whether the label holds is for `verify` to say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from longway.llm.dress import dressed
from longway.llm.gguf import Draw
from longway.llm.plausible import content_of, denials_in, leaked, length_differs, refusal, words_of
from longway.llm.prompt import Prompt
from longway.task import Task
from longway.text.capitals import like
from longway.triples.triple import BadTriples, Triple, numbered, parse

BETWEEN = " ; "  # triples on one line
COVERED = 0.7  # share of a sentence's words that its triples must have
ADDED = 3  # small words that each triple may have besides those of its sentence: a form of "be", an article, a pronoun
COVERED_BACK = 0.9  # share of the triples' words that a sentence made of them must have
PHRASE_LONGER = 2  # words that a phrase may have more than the one it replaces
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

    head: what it is shown and what stays the same from row to row. tail: the row. key: what its seed depends on. room: tokens, at most.
    read: a draw -> the line that was wanted; Implausible where it is none. avoid: words that it should do without.
    grammar: what can be drawn at all (`local_grammar.py`); "" for anything.
    """

    head: str
    tail: str
    key: str
    room: int
    read: Callable[[Draw], str]
    avoid: tuple[str, ...] = ()
    grammar: str = ""


def kind_of(prompt: Prompt, kinds: Collection[str], longest: int) -> str:
    """What a prompt asks for ("rewrite"); CannotAsk where it is none of the kinds, or its text is empty or too long."""
    kind = prompt.template.partition(".")[0]
    if kind not in kinds:
        raise CannotAsk(f"the small model cannot do {prompt.template!r}; it does {', '.join(kinds)}")
    if len(prompt.text) > longest:
        raise too_long(longest)
    if not prompt.text.strip():
        raise CannotAsk("there is no text to rewrite")
    return kind


def too_long(longest: int) -> CannotAsk:
    """Why a text is not asked about."""
    return CannotAsk(f"longer than {longest} characters: too long for the small model")


def key_of(prompt: Prompt) -> str:
    """What a seed depends on: asked once more, after an answer that could not be used, it is another draw."""
    return f"{prompt.template}\0{prompt.text}\0{prompt.values.get('wrong', '')}"


def side_of(task: Task, target: str) -> str:
    """Praise or blame as the model calls them; CannotAsk for other labels."""
    side = _SIDES.get(target.strip().lower()) if task.kind == "sentiment" else None
    if side is None:
        raise CannotAsk(
            f"the small model turns praise into blame and back; it cannot aim at the label {target!r}"
        )
    return side


def triples_to_alter(prompt: Prompt) -> list[Triple]:
    """The triples of a prompt; CannotAsk where one is a sentence that was not taken apart."""
    triples = [Triple(*parts) for parts in prompt.values["triples"]]
    if any(triple.is_whole for triple in triples):
        raise CannotAsk("a sentence that was not taken apart is no triple for the small model")
    return triples


def words_to_keep(prompt: Prompt) -> frozenset[str]:
    """The words that altered triples must keep."""
    return frozenset(word for phrase in prompt.values["keep"] for word in words_of(phrase))


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


def read_rewritten(text: str, draw: Draw, *, shown: Sequence[str] = ()) -> str:
    """The text in other words, in its outer form. shown: examples that must not come back."""
    candidate = dressed(draw.text, like=text)
    if not draw.ended:
        raise Implausible("no end")
    if reason := refusal(text, candidate, shown):
        raise Implausible(reason)
    return candidate


def read_triples(text: str, draw: Draw) -> str:
    """The triples of a text as numbered lines."""
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


def read_altered(triple: Triple, keep: frozenset[str], draw: Draw) -> str:
    """A triple with the subject of another one that says something else of it. keep: words that must stay."""
    (altered,) = _strictly(draw, f"1. {draw.text}", n=1)
    if altered.subject.lower() != triple.subject.lower():
        raise Implausible("about something else")
    before, after = words_of(triple.text), words_of(altered.text)
    if content_of(before) == content_of(after):
        raise Implausible("copy")
    _check_kept(keep, before, after)
    if length_differs(before, after):
        raise Implausible("length")
    return str(Triple(triple.subject, altered.predicate, altered.object))


def read_turned_triple(said: str, keep: frozenset[str], draw: Draw) -> str:
    """A sentence, whole, in the place of the triple that said something else. keep: words that must stay."""
    sentence = read_turned(said, draw)
    _check_kept(keep, words_of(said), words_of(sentence))
    return str(Triple.whole(sentence))


def _check_kept(keep: frozenset[str], before: Sequence[str], after: Sequence[str]) -> None:
    if keep & set(before) - set(after):
        raise Implausible("a word that must stay is gone")


def read_realised(said: str, form: str, draw: Draw) -> str:
    """A text that has the words of some triples. said: what they say; form: a text whose outer form it gets."""
    candidate = _text_of_its_own(draw, form)
    before, after = words_of(said), words_of(candidate)
    _check_words(before, after, COVERED_BACK)
    if reason := length_differs(before, after):
        raise Implausible(reason)
    if content_of(after) - content_of(before):
        raise Implausible("says something twice")
    return candidate


def read_turned(text: str, draw: Draw, *, shown: Sequence[str] = ()) -> str:
    """The text with some words changed and most kept, in its outer form. shown: examples that must not come back."""
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


def read_word(old: str, words: frozenset[str], draw: Draw) -> str:
    """A word for the place of an old one, with its capitals. words: those of the text, none of which it may be."""
    word = draw.text.strip().rstrip(".")
    if not draw.ended or not _WORD.fullmatch(word):
        raise Implausible("not one word")
    if word.lower() in words or content_of([word.lower()]) == content_of([old.lower()]):
        raise Implausible("copy")
    return like(word.lower(), old)


def read_phrase(old: str, text: str, draw: Draw) -> str:
    """A few words for the place of an old phrase, with its capitals. text: the one it stands in."""
    phrase = dressed(draw.text.rstrip(". "), like=text.rstrip(".!? "))
    before, after = words_of(old), words_of(phrase)
    if not draw.ended or not after or not all(map(_WORD.fullmatch, phrase.split())):
        raise Implausible("not a few words")
    if len(after) > len(before) + PHRASE_LONGER:
        raise Implausible("length")
    if content_of(before) == content_of(after) or (len(after) == 1 and after[0] in words_of(text)):
        raise Implausible("copy")
    return like(phrase, old)


def read_perturbed(text: str, draw: Draw, *, shown: Sequence[str] = (), longer: int = 0) -> str:
    """The text with a person changed, as a numbered line. longer: how many words more or fewer it may have."""
    candidate = _text_of_its_own(draw, text)
    before, after = words_of(text), words_of(candidate)
    if before == after:
        raise Implausible("copy")
    if abs(len(before) - len(after)) > longer:
        raise Implausible("length")
    if reason := leaked(before, after, shown):
        raise Implausible(reason)
    return f"1. {candidate}"


def _is_sound(triple: Triple) -> bool:
    """Whether it could be a statement: somebody or something, a verb perhaps, and nothing that breaks off."""
    subject, predicate, last = (words_of(p) for p in (triple.subject, triple.predicate, triple.object))
    names_something = bool(set(subject) - _SMALL) and subject[0] not in _SMALL - _ARTICLES
    return names_something and bool(set(predicate) - _SMALL) and (not last or last[-1] not in _SMALL)


def _check_words(before: list[str], after: list[str], share: float) -> None:
    """Implausible where words are made up, too many are lost, or a denial comes or goes."""
    old, new = content_of(before), content_of(after)
    if set(new) - set(old):
        raise Implausible("words made up")
    if len(set(old) & set(new)) < share * len(old):
        raise Implausible("words lost")
    if denials_in(before) % 2 != denials_in(after) % 2:
        raise Implausible("negation changed")


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
