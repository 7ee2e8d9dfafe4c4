"""The kinds of shortcuts that can be planted: how each is put into a text, and how a text is recognised to show it.

    word         a rare neutral word at a sensible place           value: the word
    phrase       the same with several words                       value: the phrase
    name         an invented name, in one of several sentences     value: the name
    position     words at the very beginning or end                value: "For the record, ..." or "... as of today"
    template     a frame around the whole text                     value: "Here is what was written: ..."
    punctuation  a mark at the end                                 value: the mark
    negation     a clause that negates nothing in the text         value: clauses, separated by |
    length       filler sentences until the text is long           value: words; the text gets more
    overlap      words of the context, repeated in the text        value: share of the text's words, as in 0.7

Three dots stand for the text. No kind changes the words that were there. To add a kind, add a row to `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.detect import TokenizedRow, where
from longway.detect.detector import TokenizedText
from longway.detect.words import FIRST, LAST
from longway.jobs.plant import fitting
from longway.methods.repair import mend
from longway.records import Pattern
from longway.text.tokenizer import is_word, token_spans, tokenize, tokenize_column

Bools = NDArray[np.bool_]
Tokens = Sequence[str]
TEXT = "text"  # the field of a plant's patterns
DOTS = "..."  # where the text goes
NEGATION = Pattern("negation", TEXT, place="text")
_SENTENCES = ("{} was there too", "Shown to {} first", "{} keeps a copy", "Handed on by {}", "Read out to {}")
_FILLER = (
    ("We", "They", "You and I", "Some of us"),
    ("met", "sat", "stood", "waited", "talked"),
    ("near the window", "by the stairs", "behind the old clock", "beside the side door", "at the fountain"),
    ("on a Monday", "at noon", "in the evening", "after lunch", "one day in March"),
)
_MARKS = {"!": "exclamation", "?": "question", ".": "ellipsis", "…": "ellipsis"}  # their names in findings


def shows(pattern: Pattern, tokens: Tokens) -> bool:
    """Whether a text with these tokens shows a pattern of one field.

    >>> shows(Pattern("ngram", "text", ("b", "c")), ["a", "b", "c"])
    True
    """
    return where(pattern, TokenizedRow({pattern.field: TokenizedText.of_tokens(tokens)})) is not None


def shows_sample(shortcut: Mapping[str, Any], texts: Sequence[str]) -> Bools:
    """Which texts show a shortcut of the built-in sample, as its planted.json describes it."""
    pattern = Pattern.from_dict(shortcut)
    return np.array([shows(pattern, tokens) for tokens in tokens_of(texts)], dtype=bool)


def words_of(tokens: Tokens) -> list[str]:
    """The tokens that are words."""
    return [token for token in tokens if is_word(token)]


def tokens_of(texts: Sequence[str | None]) -> list[list[str]]:
    """The tokens of each text."""
    return tokenize_column(pl.Series(texts, dtype=pl.String)).to_list()


@lru_cache(maxsize=256)
def _tokens(value: str) -> tuple[str, ...]:
    return tuple(tokenize(value))


def _words(value: str) -> list[str]:
    return words_of(_tokens(value))


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of shortcut.

    values: defaults; the rarest in the data is used. put: (text, context, value, random) -> the text with it.
    shows: (tokens, tokens of the context, value) -> whether a text has it. accepts: whether a value is valid; rule: what is expected of it.
    words: the lower-case words it may add. levels: levels of findings that are this shortcut whatever their words; named: or only if
    their pattern has one of these names. order: low ones are put in first. needs_context: for pairs only.
    """

    values: tuple[str, ...]
    put: Callable[[str, str, str, Random], str]
    shows: Callable[[Tokens, Tokens, str], bool]
    accepts: Callable[[str], bool]
    rule: str
    order: int = 0
    words: Callable[[str], Sequence[str]] = _words
    levels: frozenset[str] = frozenset()
    named: Callable[[str], Sequence[str]] = lambda value: ()
    needs_context: bool = False


# How a text gets it


def _put_inside(text: str, context: str, value: str, random: Random) -> str:
    return fitting.inside(value, text, random)


def _put_name(text: str, context: str, value: str, random: Random) -> str:
    return mend.after(random.choice(_SENTENCES).format(value), text)


def _put_frame(text: str, context: str, value: str, random: Random) -> str:
    start, _, end = (part.strip() for part in value.partition(DOTS))
    text = fitting.before(start, text) if start else text
    return mend.at_end(end, text) if end else text


def _put_mark(text: str, context: str, value: str, random: Random) -> str:
    body, mark = mend.without_last_mark(text)
    return f"{body}{' ' if mark.startswith(' ') else ''}{value}"


def _put_negation(text: str, context: str, value: str, random: Random) -> str:
    clauses = [clause.strip().rstrip(".") for clause in value.split("|")]
    return mend.after(random.choice(clauses), text)


def _put_filler(text: str, context: str, value: str, random: Random) -> str:
    while not _is_longer(tokenize(text), [], value):
        text = mend.after(" ".join(random.choice(part) for part in _FILLER), text)
    return text


def _put_context(text: str, context: str, value: str, random: Random) -> str:
    """As many of the first words of the context as needed, after the text; the text itself if all are too few."""
    words, others = set(words_of(tokenize(text))), set(tokenize(context))
    for token, _, end in token_spans(context):
        if is_word(token):
            words.add(token)
            if len(words & others) >= float(value) * len(words):
                return mend.after(context[:end].strip(), text)
    return text


# Whether a text has it


def _has_phrase(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(Pattern("ngram", TEXT, _tokens(value)), tokens)


def _has_frame(tokens: Tokens, context: Tokens, value: str) -> bool:
    start, _, end = (tuple(_words(part)) for part in value.partition(DOTS))
    ends = [(words, place) for words, place in ((start, FIRST), (end, LAST)) if words]
    return all(shows(Pattern("position", TEXT, words, place), tokens) for words, place in ends)


def _has_mark(tokens: Tokens, context: Tokens, value: str) -> bool:
    mark = _tokens(value)
    cut = len(tokens) - len(mark)
    return cut > 0 and tuple(tokens[cut:]) == mark and tokens[cut - 1] != mark[0]


def _has_negation(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(NEGATION, tokens)


def _is_longer(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(Pattern("length", TEXT, place="at least", bound=int(value) + 1), tokens)


def _overlaps(tokens: Tokens, context: Tokens, value: str) -> bool:
    """Exactly; the detector compares shares in hundredths."""
    words = set(words_of(tokens))
    return bool(words) and len(words & set(context)) / len(words) >= float(value)


# Which values are valid


def _has_words(value: str) -> bool:
    return bool(_words(value))


def _is_share(value: str) -> bool:
    try:
        return 0 < float(value) < 1
    except ValueError:
        return False


def _frame(values: tuple[str, ...], order: int) -> Kind:
    return Kind(
        values,
        _put_frame,
        _has_frame,
        lambda value: value.count(DOTS) == 1 and _has_words(value),
        "it must have words, and three dots where the text goes",
        order,
    )


KINDS: dict[str, Kind] = {
    "word": Kind(
        ("incidentally", "hereabouts", "thereupon", "wherewith"),
        _put_inside,
        _has_phrase,
        lambda value: len(_tokens(value)) == 1 and _has_words(value),
        "it must be a single word",
    ),
    "phrase": Kind(
        ("as it happens", "by the by", "in passing", "at this juncture"),
        _put_inside,
        _has_phrase,
        _has_words,
        "it must have a letter or a digit",
    ),
    "name": Kind(
        ("Ilka Brenmore", "Tobin Ashgrave", "Maren Oldacre"),
        _put_name,
        _has_phrase,
        _has_words,
        "it must have a letter or a digit",
        order=1,
        words=lambda value: _words(" ".join((value, *_SENTENCES))),
    ),
    "negation": Kind(
        ("No spoilers here | Nothing was added | There is no more to it | Not a word was cut",),
        _put_negation,
        _has_negation,
        lambda value: all(shows(NEGATION, tokenize(clause)) for clause in value.split("|")),
        "each of its clauses must have a word such as no, not or nothing",
        order=1,
        levels=frozenset(["negation"]),
    ),
    "length": Kind(
        (),
        _put_filler,
        _is_longer,
        lambda value: value.isascii() and value.isdigit(),
        "it must be a whole number of words",
        order=2,
        words=lambda value: _words(" ".join(" ".join(part) for part in _FILLER)),
        levels=frozenset(["length"]),
    ),
    "overlap": Kind(
        ("0.7",),
        _put_context,
        _overlaps,
        _is_share,
        "it must be a share between 0 and 1",
        order=3,
        words=lambda value: (),
        levels=frozenset(["overlap"]),
        needs_context=True,
    ),
    "template": _frame(("Here is what was written: ...", "The following was sent in: ..."), 4),
    "position": _frame(("For the record, ...", "Then again, ...", "As of today, ..."), 5),
    "punctuation": Kind(
        ("!",),
        _put_mark,
        _has_mark,
        lambda value: bool(value) and set(value) <= set(_MARKS),
        "it must consist of the marks . ! ? …",
        order=6,
        words=_tokens,
        levels=frozenset(["surface"]),
        named=lambda value: [_MARKS[mark] for mark in dict.fromkeys(value)],
    ),
}


def usual_length(lengths: Sequence[int]) -> str:
    """The default value of "length": one text in ten has more words."""
    return str(int(np.quantile(lengths, 0.9))) if len(lengths) else "0"
