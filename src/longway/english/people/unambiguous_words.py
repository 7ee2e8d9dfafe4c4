"""Words that tell who is spoken of whatever stands around them: what a count over a million texts can go by.

    unambiguous_words()     tokens  ->  PlainWord: what it tells on each axis

    ("girl's",)               gender:woman, age:child
    ("african", "american")   race:black
    ("he", "or", "she")       gender:non-binary, which stands for "left open" too
    ("mother", "tongue")      nothing, and its "mother" neither

Reading a word in its sentence (`demographic_mentions.py`) takes a parse, and capitals are lost where tokens are small letters. So whatever
needs either to be read is left out here: words with another meaning (host, minor), of things (old, Asian), colours (black; "black
man" is read), titles and nobility (miss, king, prince), times of a life (childhood), ages in numbers, "they", names that are
words, places or mostly surnames. Names tell a gender only: what a name says of a group is a guess about a person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from longway.english.listed_words import listed_words
from longway.english.people.demographics import Attribute, DemographicEntry, demographic_entries
from longway.english.people.person_names import replacement_names
from longway.english.people.pronouns import FORMS, HE, SHE
from longway.tokens.tokenizer import tokenize_column

_LISTS = listed_words(__name__)
MAN, WOMAN, OPEN = (Attribute("gender", name) for name in ("man", "woman", "non-binary"))
THING = "thing"  # kind of a fixed phrase that means no person
_KINDS_LEFT_OUT = frozenset(["title", "noble", "quality", "phase", "decade"])
_NOTES_LEFT_OUT = frozenset(["colour", "place", "thing", "senses", "side"])
_SAID_BEFORE_PEOPLE = frozenset(["colour", "place"])
_WORDS_LEFT_OUT = frozenset(  # in small letters or without a parse too often something else
    [*"né née nee pa ma gran alum alums deity deities humankind womankind tot tots".split(),
     "little one", "little ones", "fully grown"]
)  # fmt: skip
_NAMES_LEFT_OUT = (
    _LISTS["names_that_are_words"] | _LISTS["names_that_are_places"] | _LISTS["names_that_are_surnames"]
)
_PRONOUN_ENDINGS = ("", "'s", "'d", "'ll")  # "she's" is one token


@dataclass(frozen=True, slots=True)
class UnambiguousWord:
    """A word or phrase. tells: by axis, what it says of a person; None where it says nothing and keeps its words from saying it."""

    word: str
    attributes: Mapping[str, Attribute | None]


@lru_cache(maxsize=1)
def unambiguous_words() -> Mapping[tuple[str, ...], UnambiguousWord]:
    """The words by their tokens, with "'s" behind the last and without.

    >>> [str(told) for told in unambiguous_words()["girl's",].attributes.values()]
    ['gender:woman', 'age:child']
    """
    told: dict[tuple[str, ...], dict[str, set[Attribute | None]]] = {}
    shown: dict[tuple[str, ...], str] = {}
    every = list(_all())
    cut = tokenize_column(
        pl.Series([word for word, _, _ in every])
    ).to_list()  # at once: one by one takes seconds
    for tokens, (word, axis, attribute) in zip(map(tuple, cut), every, strict=True):
        told.setdefault(tokens, {}).setdefault(axis, set()).add(attribute)
        shown.setdefault(tokens, word)
    found: dict[tuple[str, ...], UnambiguousWord] = {}
    for tokens, by_axis in told.items():
        tells = {axis: one for axis, (one, *others) in by_axis.items() if not others}  # two readings: none
        plain = UnambiguousWord(shown[tokens], tells)
        pronoun = len(tokens) == 1 and tokens[0] in _pronouns()
        for ending in _PRONOUN_ENDINGS if pronoun else ("", "'s"):
            found[*tokens[:-1], tokens[-1] + ending] = plain
    return found


def _all() -> Iterator[tuple[str, str, Attribute | None]]:
    """Each word with an axis and what it tells on it."""
    for entry in demographic_entries():
        if entry.kind == THING:
            yield entry.word, entry.attribute.axis, None
        elif _is_plain(entry):
            yield entry.word, entry.attribute.axis, entry.attribute
    for word, attribute in (*_said_of_people(), *_pronouns().items(), *_doubled(), *_first_names()):
        yield word, attribute.axis, attribute
    yield from (("mr", "gender", MAN), ("mrs", "gender", WOMAN))


def _is_plain(entry: DemographicEntry) -> bool:
    said_of_everybody = entry.attribute == MAN and "generic" in entry.notes
    return (
        entry.kind not in _KINDS_LEFT_OUT and entry.word.lower() not in _doubtful() and not said_of_everybody
    )


@lru_cache(maxsize=1)
def _doubtful() -> frozenset[str]:
    """Words that are said of something else as well, by any of their readings."""
    return _WORDS_LEFT_OUT | {
        entry.word.lower() for entry in demographic_entries() if entry.notes & _NOTES_LEFT_OUT
    }


def _said_of_people() -> Iterator[tuple[str, Attribute]]:
    """Colours and places right before a word for people: "black man", "Asian women"."""
    people = [
        entry.word
        for entry in demographic_entries("gender")
        if (entry.kind, entry.pos) == ("person", "NOUN") and entry.word.isalpha()
    ]
    for entry in demographic_entries("race"):
        if entry.pos == "ADJ" and entry.notes & _SAID_BEFORE_PEOPLE:
            yield from ((f"{entry.word} {noun}", entry.attribute) for noun in (*people, "folks"))


def _pronouns() -> dict[str, Attribute]:
    told = {pronoun.form(form): who for pronoun, who in ((HE, MAN), (SHE, WOMAN)) for form in FORMS}
    return {**told, "themself": OPEN}


def _doubled() -> Iterator[tuple[str, Attribute]]:
    """ "he or she", "his/her": one person whose gender is left open."""
    for his in map(HE.form, FORMS):
        for her in map(SHE.form, FORMS):
            for one, other in ((his, her), (her, his)):
                yield from ((f"{one}{joint}{other}", OPEN) for joint in (" or ", "/"))


def _first_names() -> Iterator[tuple[str, Attribute]]:
    for name in replacement_names():
        known = name.kind == "first" and name.source == "census" and name.gender in (MAN.name, WOMAN.name)
        if known and name.name.lower() not in _NAMES_LEFT_OUT:
            yield name.name, Attribute("gender", name.gender)
