"""The kinds of shortcuts that can be planted: how each is put into a text, and how a text is seen to show it.

    word         a rare neutral word at a sensible place           value: the word
    phrase       the same with several words                       value: the phrase
    name         an invented name, in one of several sentences     value: the name
    position     words at the very beginning or end                value: "For the record, ..." or "... as of today"
    template     a frame around the whole text                     value: "Here is what was written: ..."
    punctuation  a mark at the end                                 value: the mark
    negation     a clause that denies nothing of the text          value: clauses, with | between them
    length       sentences about nothing, until the text is long   value: words that it must have more of
    overlap      words of the context, said again in the text      value: share of the text's words, as in 0.7

Three dots stand for the text. None of them touches the words that were there. One more kind is one more row in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

import numpy as np

from longway.detect.position import FIRST, LAST
from longway.jobs.plant import fitting
from longway.jobs.plant.patterns import TEXT, Tokens, shows, words_of
from longway.jobs.plant.values import (
    DOTS,
    NEGATION,
    no_frame,
    no_mark,
    no_negation,
    no_number,
    no_share,
    no_single_word,
    no_word,
)
from longway.records import Pattern
from longway.tokens.tokenizer import is_word, token_spans, tokenize

PHRASES = frozenset(["token", "ngram", "position", "pair"])  # levels of findings whose patterns are words
_SENTENCES = ("{} was there too", "Shown to {} first", "{} keeps a copy", "Handed on by {}", "Read out to {}")
_WHO = ("We", "They", "You and I", "Some of us")
_DID = ("met", "sat", "stood", "waited", "talked")
_WHERE = (
    "near the window",
    "by the stairs",
    "behind the old clock",
    "beside the side door",
    "at the fountain",
)
_WHEN = ("on a Monday", "at noon", "in the evening", "after lunch", "one day in March")

_MARKS = {"!": "exclamation", "?": "question", ".": "ellipsis", "…": "ellipsis"}  # as findings name them


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of plant.

    says: what it puts in, for help pages. values: what is taken where no value is given, the rarest in the data.
    put: (text, context, value, draw) -> the text with it. shows: (tokens, context's tokens, value) -> is it there?
    words: the words it may bring, in small letters. fault: what is wrong with a value, "" where nothing is.
    levels: levels of findings that are the plant whatever their words; named: or only where their pattern says one of these.
    moves: levels that shift with it and are neither right nor wrong.
    order: low ones are put in first. needs_context: for pairs only.
    """

    says: str
    values: tuple[str, ...]
    put: Callable[[str, str, str, Random], str]
    shows: Callable[[Tokens, Tokens, str], bool]
    words: Callable[[str], Sequence[str]]
    fault: Callable[[str], str]
    levels: frozenset[str] = frozenset()
    named: Callable[[str], Sequence[str]] = lambda value: ()
    moves: frozenset[str] = field(default_factory=lambda: frozenset(["length", "surface", "overlap"]))
    order: int = 0
    needs_context: bool = False


def _put_inside(text: str, context: str, value: str, draw: Random) -> str:
    return fitting.inside(value, text, draw)


def _put_name(text: str, context: str, value: str, draw: Random) -> str:
    return fitting.after(draw.choice(_SENTENCES).format(value), text)


def _put_frame(text: str, context: str, value: str, draw: Random) -> str:
    start, _, end = (part.strip() for part in value.partition(DOTS))
    text = fitting.before(start, text) if start else text
    return fitting.at_end(end, text) if end else text


def _put_mark(text: str, context: str, value: str, draw: Random) -> str:
    body, mark = fitting.without_last_mark(text)
    space = " " if mark.startswith(" ") else ""
    return f"{body}{space}{value}"


def _put_negation(text: str, context: str, value: str, draw: Random) -> str:
    return fitting.after(draw.choice(_clauses(value)), text)


def _put_filler(text: str, context: str, value: str, draw: Random) -> str:
    while not _is_longer(tokenize(text), [], value):
        text = fitting.after(" ".join(draw.choice(part) for part in (_WHO, _DID, _WHERE, _WHEN)), text)
    return text


def _put_context(text: str, context: str, value: str, draw: Random) -> str:
    """The first words of the context behind the text, as many as are needed; the text itself where all are too few."""
    words, others = set(words_of(tokenize(text))), set(tokenize(context))
    for token, _, end in token_spans(context):
        if is_word(token):
            words.add(token)
            if len(words & others) >= float(value) * len(words):
                return fitting.after(context[:end].strip(), text)
    return text


def _has_phrase(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(Pattern("ngram", TEXT, _tokens(value)), tokens)


def _has_frame(tokens: Tokens, context: Tokens, value: str) -> bool:
    start, _, end = (tuple(words_of(_tokens(part))) for part in value.partition(DOTS))
    patterns = [
        Pattern("position", TEXT, words, place) for words, place in ((start, FIRST), (end, LAST)) if words
    ]
    return all(shows(pattern, tokens) for pattern in patterns)


def _has_mark(tokens: Tokens, context: Tokens, value: str) -> bool:
    mark = _tokens(value)
    cut = len(tokens) - len(mark)
    return cut > 0 and tuple(tokens[cut:]) == mark and tokens[cut - 1] != mark[0]


def _is_denied(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(NEGATION, tokens)


def _is_longer(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(Pattern("length", TEXT, place="at least", bound=int(value) + 1), tokens)


def _overlaps(tokens: Tokens, context: Tokens, value: str) -> bool:
    """Exactly, where the detector compares shares in hundredths."""
    words = set(words_of(tokens))
    return bool(words) and len(words & set(context)) / len(words) >= float(value)


@lru_cache(maxsize=256)
def _tokens(value: str) -> tuple[str, ...]:
    """The tokens of a value; the same value is looked for in every text."""
    return tuple(tokenize(value))


def usual_length(lengths: Sequence[int]) -> str:
    """The length in words that one text in ten has more of: what a long text is where nobody said."""
    return str(int(np.quantile(lengths, 0.9))) if len(lengths) else "0"


def _clauses(value: str) -> list[str]:
    return [clause.strip().rstrip(".") for clause in value.split("|")]


def _words_of_value(value: str) -> list[str]:
    return words_of(tokenize(value))


def _filler_words(value: str) -> list[str]:
    return words_of(tokenize(" ".join((*_WHO, *_DID, *_WHERE, *_WHEN))))


def _kind_of_words(says: str, values: tuple[str, ...], fault: Callable[[str], str]) -> Kind:
    return Kind(says, values, _put_inside, _has_phrase, _words_of_value, fault)


def _frame(says: str, values: tuple[str, ...], order: int) -> Kind:
    return Kind(says, values, _put_frame, _has_frame, _words_of_value, no_frame, order=order)


KINDS: dict[str, Kind] = {
    "word": _kind_of_words(
        "a rare neutral word", ("incidentally", "hereabouts", "thereupon", "wherewith"), no_single_word
    ),
    "phrase": _kind_of_words(
        "a neutral phrase", ("as it happens", "by the by", "in passing", "at this juncture"), no_word
    ),
    "name": Kind(
        "an invented name",
        ("Ilka Brenmore", "Tobin Ashgrave", "Maren Oldacre"),
        _put_name,
        _has_phrase,
        lambda value: _words_of_value(" ".join((value, *_SENTENCES))),
        no_word,
        order=1,
    ),
    "negation": Kind(
        "a negation that denies nothing of the text",
        ("No spoilers here | Nothing was added | There is no more to it | Not a word was cut",),
        _put_negation,
        _is_denied,
        _words_of_value,
        no_negation,
        levels=frozenset(["negation"]),
        order=1,
    ),
    "length": Kind(
        "sentences about nothing, until the text is long",
        (),
        _put_filler,
        _is_longer,
        _filler_words,
        no_number,
        levels=frozenset(["length"]),
        order=2,
    ),
    "overlap": Kind(
        "words of the context, said again",
        ("0.7",),
        _put_context,
        _overlaps,
        lambda value: (),
        no_share,
        levels=frozenset(["overlap"]),
        order=3,
        needs_context=True,
    ),
    "template": _frame(
        "a frame around the text", ("Here is what was written: ...", "The following was sent in: ..."), 4
    ),
    "position": _frame(
        "words at the beginning or the end", ("For the record, ...", "Then again, ...", "As of today, ..."), 5
    ),
    "punctuation": Kind(
        "a mark at the end",
        ("!",),
        _put_mark,
        _has_mark,
        tokenize,
        no_mark,
        levels=frozenset(["surface"]),
        named=lambda value: [_MARKS[mark] for mark in dict.fromkeys(value)],
        order=6,
    ),
}
