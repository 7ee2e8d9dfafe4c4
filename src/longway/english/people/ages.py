"""Ages in numbers: which numbers are the ages of people, and what they become for another age attribute.

"an eleven-year-old"   "63 years old"   "aged 7"   "at the age of forty-two"   "age 70"

find_ages(text)                  Age(start, end, years=11): the number, in words or digits
find_age_numbers(text)           every number that may be an age, whatever its context
find_person_ages(document, ...)  the ages of people: also "John Smith, 45, was", "She turned 30", "a man of 70", "He died at 82"
nearest_age(11, "young")         18: the nearest age with the attribute
format_age(18, "eleven")         "eighteen": in words if the model is in words
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longway.english.denials import subject_of
from longway.english.document import Document, Word, Words
from longway.english.inflection import match_case, number_in_words
from longway.english.people.chains import Chain
from longway.english.people.referents import is_person
from longway.english.people.words import AGE_RANGES, entries_for

_IN_WORDS = {number_in_words(years): years for years in range(1, 121)}
_IN_WORDS |= {word.replace("-", " "): years for word, years in _IN_WORDS.items()}
_NUMBER = r"(?P<years>\d{1,3}|" + "|".join(sorted(map(re.escape, _IN_WORDS), key=len, reverse=True)) + ")"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.,-]){_NUMBER}(?:\s*[-–]\s*|\s+)years?(?:\s*[-–]\s*|\s+)olds?\b",
        rf"\b(?:at\s+the\s+)?age\s+(?:of\s+)?{_NUMBER}(?![\w%]|[.,]\d|\s+to\s+\d|\s*[-–]\s*\d)",
        rf"\baged\s+{_NUMBER}(?![\w%]|[.,]\d|\s+to\s+\d|\s*[-–]\s*\d)",
        rf"\bborn\s+(?:about\s+|nearly\s+|over\s+)?{_NUMBER}\s+years?\s+(?:ago|earlier)\b",
    )
)
# not a price, a share, a score, a range, or a height: 5'4"
_ALONE = re.compile(
    rf"""(?<![\w.,:/$£€#'’′-]){_NUMBER}(?![\w%]|[.,:/]\d|\s*[-–]\s*\w|['’′"″]\s*\d)""", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Age:
    """An age in a text. start, end: offsets of the number. phrase: offsets of the whole "eleven years old"."""

    start: int
    end: int
    years: int
    phrase: tuple[int, int]


def find_ages(text: str) -> list[Age]:
    """Return the ages that a text states in numbers, in order.

    >>> [(text[a.start:a.end], a.years) for text in ["Al, aged 7, is no forty-two-year-old."] for a in find_ages(text)]
    [('7', 7), ('forty-two', 42)]
    """
    ages = (age for pattern in _PATTERNS for age in _matches(pattern, text))
    return sorted(ages, key=lambda age: age.start)


def find_age_numbers(text: str) -> list[Age]:
    """Return the numbers, in words or digits, that may be ages; not parts of numbers, percentages, prices or scores.

    >>> [age.years for age in find_age_numbers("Al, 45, has 3.5% of $20 and forty-two hats; it was 2-1.")]
    [45, 42]
    """
    return list(_matches(_ALONE, text))


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Age]:
    for match in pattern.finditer(text):
        years = parse_age(match["years"])
        if years is not None:
            yield Age(match.start("years"), match.end("years"), years, match.span())


def parse_age(number: str) -> int | None:
    """Return a number in words or digits as an age; None if it is not between 1 and 120."""
    plain = " ".join(number.lower().replace("–", "-").split())
    years = int(plain) if plain.isdigit() else _IN_WORDS.get(plain)
    return years if years is not None and 0 < years <= 120 else None


def nearest_age(years: int, name: str) -> int | None:
    """Return the age nearest to `years` that has the attribute; None for "adult", which has no numbers of its own.

    >>> nearest_age(11, "young"), nearest_age(70, "child"), nearest_age(30, "young")
    (18, 17, 30)
    """
    if name not in AGE_RANGES:
        return None
    low, high = AGE_RANGES[name]
    return min(max(years, low), high)


def format_age(years: int, model: str) -> str:
    """Return a number in the notation of the model: digits, or words with its capitals and hyphen.

    >>> format_age(45, "30"), format_age(45, "Thirty one"), format_age(18, "eleven")
    ('45', 'Forty five', 'eighteen')
    """
    if model.strip().isdigit():
        return str(years)
    words = number_in_words(years)
    return match_case(words.replace("-", " ") if " " in model.strip() else words, model)


_AT_AN_AGE = frozenset("die marry wed retire pass".split())  # "died at 82", but "left at 8"
_PERSON_PRONOUNS = frozenset("he she i you who".split())
_SHARING = ("conj", "xcomp", "advcl")  # "She left and turned 30"
_LAST_HOUR = 12  # "died at 9" may be a time of day
_SIDE_NOTES = frozenset("nsubj cop punct advmod advcl aux mark cc conj discourse".split())
_ENDS = frozenset(", . ; : ! ? ) - – —".split())


@dataclass(frozen=True, slots=True)
class PersonAge:
    """An age in numbers. words: the whole of "71 years old". is_of_a_person: False for an old car. of: a word for the person, or None."""

    age: Age
    words: Words
    is_of_a_person: bool = True
    of: int | None = None


def find_person_ages(document: Document, chains: Sequence[Chain]) -> list[PersonAge]:
    """Return the ages that a document states in numbers, in text order. chains: the people of the document."""
    ages = []
    for age in find_ages(document.text):
        words = document.words_between(*age.phrase)
        if words and document.words_between(age.start, age.end):
            ages.append(PersonAge(age, words, _is_age_of_a_person(document, words)))
    taken = {word.index for phrase in ages for word in phrase.words}
    persons = _certain_persons(chains)
    for age in find_age_numbers(document.text):
        words = document.words_between(age.start, age.end)
        if words and words[0].index not in taken:
            of = _whose(document, words, age.years, persons)
            ages += [PersonAge(age, words, of=of)] if of is not None else []
    return sorted(ages, key=lambda phrase: phrase.age.start)


def _certain_persons(chains: Sequence[Chain]) -> frozenset[int]:
    """Return the indices of words that certainly refer to one person."""
    return frozenset(
        index
        for chain in chains
        for mention in chain.mentions
        if mention.number == "sing" and (mention.certain or len(chain.mentions) > 1)
        for index in range(mention.start, mention.end)
    )


def _whose(document: Document, words: Words, years: int, persons: frozenset[int]) -> int | None:
    """Return the index of a word for the person of this age; None if the number is not an age."""
    inside = {word.index for word in words}
    number = next((word for word in words if word.head not in inside or word.head == word.index), words[-1])
    if words[0].lower == "one":  # "She is the one"
        return None
    below = [other for word in words for other in document.children(word) if other.index not in inside]
    ways = (
        _person_before_comma(document, words),
        _subject_of_turn(document, number),
        _noun_before_of(document, number),
        _subject_at_age(document, number, years, below),
        _subject_of_copula(years, below),
    )
    people = (w for w in ways if w is not None and (w.index in persons or w.lower in _PERSON_PRONOUNS))
    return next((word.index for word in people), None)


def _person_before_comma(document: Document, words: Words) -> Word | None:
    """The girl of "the girl, 12, was found"."""
    first, end = words[0].index, words[-1].index + 1
    comma, after, further = document.word_at(first - 1), document.word_at(end), document.word_at(end + 1)
    if comma is None or comma.text != "," or (after is not None and after.text not in _ENDS):
        return None
    is_list = further is not None and further.upos == "NUM"
    return None if is_list else document.word_at(first - 2)


def _subject_of_turn(document: Document, number: Word) -> Word | None:
    verb = document.head(number)
    is_turned = verb is not None and verb.lemma == "turn" and number.relation in ("obj", "xcomp", "obl")
    if verb is None or not is_turned or document.children(number, "case"):
        return None
    return subject_of(document, verb, shared_by=_SHARING)


def _noun_before_of(document: Document, number: Word) -> Word | None:
    """The man of "a man of 70", not the father of "a father of four"."""
    above, cases = document.head(number), document.children(number, "case")
    if above is None or number.relation != "nmod" or [case.lower for case in cases] != ["of"]:
        return None
    is_man = any(entry.kind == "person" and entry.number == "sing" for entry in entries_for(above.text))
    return above if is_man and document.children(above, "det") else None


def _subject_at_age(document: Document, number: Word, years: int, below: Sequence[Word]) -> Word | None:
    verb = document.head(number)
    rest = [word.lower for word in below if word.relation != "punct"]
    comma = document.after(number)
    opens = (
        document.sentence_of(number)[0].lower == "at" and comma is not None and comma.text == ","
    )  # "At 33, he"
    is_age = (
        verb is not None and rest == ["at"] and years > _LAST_HOUR and (verb.lemma in _AT_AN_AGE or opens)
    )
    return subject_of(document, verb, shared_by=_SHARING) if verb is not None and is_age else None


def _subject_of_copula(years: int, below: Sequence[Word]) -> Word | None:
    """The subject of "She is eight now"; "She is one of them" and "He was two for three" state no age."""
    is_plain = all(word.relation in _SIDE_NOTES or word.dep.endswith(":unmarked") for word in below)
    if years == 1 or not is_plain or not any(word.relation == "cop" for word in below):
        return None
    return next((word for word in below if word.relation == "nsubj"), None)


def _is_age_of_a_person(document: Document, words: Words) -> bool:
    """True for "a 10-year-old girl", "an eleven-year-old", "Al, aged 7", not for "a 10-year-old car"."""
    last = words[-1]
    if words[0].lower in ("age", "aged", "at", "born"):
        return True
    after = document.after(last)
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
