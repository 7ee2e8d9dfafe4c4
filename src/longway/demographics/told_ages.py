"""Which numbers of a document tell how old a person is.

    told_ages(document, chains)     ToldAge: the number, and whose age it is where the sentence says so

    by its words      "an eleven-year-old", "aged 7", "at the age of 40" (`ages.py`); a car may be eleven years old, too
    behind a person   "John Smith, 45, was arrested"
    turned            "She turned 30"              of    "a man of 70"
    at                "He died at 82"              is    "She is eight"

Numbers that stand so and are of no person ("the bus, 45, was late", "She turned 30 pages", "a father of four") are no ages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longway.demographics.ages import Age, ages_in, numbers_in
from longway.demographics.meant import is_person, word_at
from longway.demographics.words import readings
from longway.text.chains import Chain
from longway.text.document import Document, Word

_AT_AN_AGE = frozenset("die marry wed retire pass".split())  # "died at 82", but "left at 8"
_PRONOUNS = frozenset("he she i you who".split())
_LAST_HOUR = 12  # "died at 9" may be a time of day
_SIDE_NOTES = frozenset("nsubj cop punct advmod advcl aux mark cc conj discourse".split())
_ENDS = frozenset(", . ; : ! ? ) - – —".split())


@dataclass(frozen=True, slots=True)
class ToldAge:
    """An age in numbers. words: the whole of "71 years old". is_of_a_person: False for an old car. of: a word for the person, or None."""

    age: Age
    words: tuple[Word, ...]
    is_of_a_person: bool = True
    of: int | None = None


def told_ages(document: Document, chains: Sequence[Chain]) -> list[ToldAge]:
    """The ages that a document tells in numbers, in order of the text. chains: the people of the document."""
    told = []
    for age in ages_in(document.text):
        words = document.words_between(*age.phrase)
        if words and document.words_between(age.start, age.end):
            told.append(ToldAge(age, words, _is_age_of_a_person(document, words)))
    taken = {word.index for one in told for word in one.words}
    persons = _persons(chains)
    for age in numbers_in(document.text):
        words = document.words_between(age.start, age.end)
        if words and words[0].index not in taken:
            of = _whose(document, words, age.years, persons)
            told += [ToldAge(age, words, of=of)] if of is not None else []
    return sorted(told, key=lambda one: one.age.start)


def _persons(chains: Sequence[Chain]) -> frozenset[int]:
    """The words that stand for one person for sure."""
    return frozenset(
        index
        for chain in chains
        for mention in chain.mentions
        if mention.number == "sing" and (mention.certain or len(chain.mentions) > 1)
        for index in range(mention.start, mention.end)
    )


def _whose(document: Document, words: tuple[Word, ...], years: int, persons: frozenset[int]) -> int | None:
    """A word for the person who is so old; None where a number tells no age."""
    inside = {word.index for word in words}
    number = next((word for word in words if word.head not in inside or word.head == word.index), words[-1])
    if words[0].lower == "one":  # "She is the one"
        return None
    below = [other for word in words for other in document.children(word) if other.index not in inside]
    ways = (
        _behind_a_person(document, words),
        _turned(document, number),
        _of(document, number),
        _at(document, number, years, below),
        _is(years, below),
    )
    found = (word for word in ways if word is not None)
    return next((w.index for w in found if w.index in persons or w.lower in _PRONOUNS), None)


def _behind_a_person(document: Document, words: tuple[Word, ...]) -> Word | None:
    """The girl of "the girl, 12, was found"."""
    first, end = words[0].index, words[-1].index + 1
    comma, after, further = word_at(document, first - 1), word_at(document, end), word_at(document, end + 1)
    if comma is None or comma.text != "," or (after is not None and after.text not in _ENDS):
        return None
    is_list = further is not None and further.upos == "NUM"
    return None if is_list else word_at(document, first - 2)


def _turned(document: Document, number: Word) -> Word | None:
    verb = document.head(number)
    is_turned = verb is not None and verb.lemma == "turn" and number.relation in ("obj", "xcomp", "obl")
    return _subject(document, verb) if is_turned and not document.children(number, "case") else None


def _of(document: Document, number: Word) -> Word | None:
    """The man of "a man of 70", not the father of "a father of four"."""
    above, cases = document.head(number), document.children(number, "case")
    if above is None or number.relation != "nmod" or [case.lower for case in cases] != ["of"]:
        return None
    is_man = any(entry.kind == "person" and entry.number == "sing" for entry in readings(above.text))
    return above if is_man and document.children(above, "det") else None


def _at(document: Document, number: Word, years: int, below: Sequence[Word]) -> Word | None:
    verb = document.head(number)
    rest = [word.lower for word in below if word.relation != "punct"]
    is_age = verb is not None and verb.lemma in _AT_AN_AGE and rest == ["at"] and years > _LAST_HOUR
    return _subject(document, verb) if is_age else None


def _is(years: int, below: Sequence[Word]) -> Word | None:
    """The subject of "She is eight now"; "She is one of them" and "He was two for three" tell no age."""
    is_plain = all(word.relation in _SIDE_NOTES or word.dep.endswith(":unmarked") for word in below)
    if years == 1 or not is_plain or not any(word.relation == "cop" for word in below):
        return None
    return next((word for word in below if word.relation == "nsubj"), None)


def _subject(document: Document, verb: Word | None) -> Word | None:
    """Who does something; of "She left and turned 30", too."""
    while verb is not None:
        subjects = document.children(verb, "nsubj")
        if subjects or verb.relation not in ("conj", "xcomp", "advcl"):
            return next(iter(subjects), None)
        verb = document.head(verb)
    return None


def _is_age_of_a_person(document: Document, words: tuple[Word, ...]) -> bool:
    """True for "a 10-year-old girl", "an eleven-year-old", "Al, aged 7", not for "a 10-year-old car"."""
    last = words[-1]
    if words[0].lower in ("age", "aged", "at"):
        return True
    after = word_at(document, last.index + 1)
    if (
        after is not None
        and after.upos in ("NOUN", "PROPN", "ADJ")
        and document.text[last.end : after.start].isspace()
    ):
        nouns = (w for w in document.words[after.index : after.index + 4] if w.upos in ("NOUN", "PROPN"))
        noun = next((w for w in nouns if not document.children(w, "case")), after)
        while (
            (above := document.head(noun)) is not None
            and noun.relation == "compound"
            and above.index > noun.index
        ):
            noun = above
        return noun.upos == "PROPN" or is_person(noun)
    subject = next(iter(document.children(last, "nsubj")), None)
    if subject is not None:
        return subject.upos == "PROPN" or is_person(subject)
    return True
