"""Words that describe a person whatever their context: the basis of counts over millions of texts.

    unambiguous_words()     tokens  ->  UnambiguousWord: the attribute it expresses on each axis

    ("girl's",)               gender:woman, age:child
    ("african", "american")   race:black
    ("he", "or", "she")       gender:non-binary, which includes "unspecified"
    ("mother", "tongue")      nothing, and neither does its "mother"

Words that need their sentence (`demographic_mentions.py`, which requires a parse) or their capitals are left out: words with another
meaning (host, minor), words for things (old, Asian), colours (black; "black man" is included), titles and nobility (miss, king,
prince), phases of life (childhood), ages in numbers, "they", and names that are words, places or mostly surnames. Names express a
gender only: the group of a name is a guess about a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import polars as pl

from longway.english.people.person_names import replacement_names
from longway.english.people.pronouns import FORMS, HE, SHE
from longway.english.people.words import Attribute, demographic_entries
from longway.english.words import listed_words
from longway.text.tokenizer import tokenize_column

_LISTS = listed_words(__name__)
MAN, WOMAN, OPEN = (Attribute("gender", name) for name in ("man", "woman", "non-binary"))
THING = "thing"  # kind of a fixed phrase that refers to no person
_WORDS_LEFT_OUT = frozenset(  # in lower case or without a parse too often something else
    [*"né née nee pa ma gran alum alums deity deities humankind womankind tot tots".split(),
     "little one", "little ones", "fully grown"]
)  # fmt: skip
_NAMES_LEFT_OUT = (
    _LISTS["names_that_are_words"] | _LISTS["names_that_are_places"] | _LISTS["names_that_are_surnames"]
)
_PRONOUN_ENDINGS = ("", "'s", "'d", "'ll")  # "she's" is one token


@dataclass(frozen=True, slots=True)
class UnambiguousWord:
    """A word or phrase. attributes: what it expresses on each axis; None if it expresses nothing and neither do its words."""

    word: str
    attributes: Mapping[str, Attribute | None]


@lru_cache(maxsize=1)
def unambiguous_words() -> Mapping[tuple[str, ...], UnambiguousWord]:
    """Return the words by their tokens, with and without "'s" at the end.

    >>> [str(attribute) for attribute in unambiguous_words()["girl's",].attributes.values()]
    ['gender:woman', 'age:child']
    """
    readings: dict[tuple[str, ...], dict[str, set[Attribute | None]]] = {}
    shown: dict[tuple[str, ...], str] = {}
    rows = list(_all())
    tokens_of_rows = tokenize_column(
        pl.Series([word for word, _, _ in rows])
    ).to_list()  # one by one takes seconds
    for tokens, (word, axis, attribute) in zip(map(tuple, tokens_of_rows), rows, strict=True):
        readings.setdefault(tokens, {}).setdefault(axis, set()).add(attribute)
        shown.setdefault(tokens, word)
    words: dict[tuple[str, ...], UnambiguousWord] = {}
    for tokens, by_axis in readings.items():
        attributes = {axis: first for axis, (first, *others) in by_axis.items() if not others}
        one = UnambiguousWord(shown[tokens], attributes)  # for all endings: counts go by the object
        is_pronoun = len(tokens) == 1 and tokens[0] in _pronouns()
        for ending in _PRONOUN_ENDINGS if is_pronoun else ("", "'s"):
            words[*tokens[:-1], tokens[-1] + ending] = one
    return words


def _all() -> Iterator[tuple[str, str, Attribute | None]]:
    """Yield each word with an axis and its attribute on that axis."""
    listed = demographic_entries()
    doubtful = _WORDS_LEFT_OUT | {
        entry.word.lower() for entry in listed if entry.notes & _LISTS.notes_left_out
    }
    for entry in listed:
        is_generic = entry.attribute == MAN and "generic" in entry.notes  # "actor" is used for everybody
        if entry.kind == THING:
            yield entry.word, entry.attribute.axis, None
        elif (
            entry.kind not in _LISTS.kinds_left_out and entry.word.lower() not in doubtful and not is_generic
        ):
            yield entry.word, entry.attribute.axis, entry.attribute
    for word, attribute in (*_adjectives_before_people(), *_pronouns().items(), *_doubled(), *_first_names()):
        yield word, attribute.axis, attribute
    yield from (("mr", "gender", MAN), ("mrs", "gender", WOMAN))


def _adjectives_before_people() -> Iterator[tuple[str, Attribute]]:
    """Yield colours and places right before a word for people: "black man", "Asian women"."""
    people = [
        entry.word
        for entry in demographic_entries("gender")
        if (entry.kind, entry.pos) == ("person", "NOUN") and entry.word.isalpha()
    ]
    for entry in demographic_entries("race"):
        if entry.pos == "ADJ" and entry.notes & _LISTS.said_before_people:
            yield from ((f"{entry.word} {noun}", entry.attribute) for noun in (*people, "folks"))


def _pronouns() -> dict[str, Attribute]:
    forms = {pronoun.form(form): gender for pronoun, gender in ((HE, MAN), (SHE, WOMAN)) for form in FORMS}
    return {**forms, "themself": OPEN}


def _doubled() -> Iterator[tuple[str, Attribute]]:
    """Yield "he or she", "his/her": one person of unspecified gender."""
    for his, her in product(map(HE.form, FORMS), map(SHE.form, FORMS)):
        for joint in (" or ", "/"):
            yield from ((f"{his}{joint}{her}", OPEN), (f"{her}{joint}{his}", OPEN))


def _first_names() -> Iterator[tuple[str, Attribute]]:
    for name in replacement_names():
        is_usable = name.kind == "first" and name.source == "census" and name.gender in (MAN.name, WOMAN.name)
        if is_usable and name.name.lower() not in _NAMES_LEFT_OUT:
            yield name.name, Attribute("gender", name.gender)
