"""Demographic words of a document: which words tell somebody's gender, race or age, and which only look as if they did.

    found_in(document)    Found words, and those that were left with the reason

    "a black man"     race:black            "a black shirt"    left: a colour
    "an Asian poet"   race:asian            "Asian markets"    left: said of a thing
    "an old man"      age:senior            "an old friend"    left: said of a thing (or of how long)
    "his mother"      gender:man, gender:woman
    "Iron Man"        left: part of a name        "Emma is a novel"       left: title of a work
    "the ship and her crew"    left: said of a thing

Words come from the lists (`words.py`), pronouns from `text/pronouns.py`, ages in numbers from `told_ages.py`; a first name tells
the gender of nearly all who bear it, or nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from longway.demographics.axes import AXES, Attribute, attribute_of_age
from longway.demographics.given_names import kind_of
from longway.demographics.meant import (
    COMMON,
    IN_A_NAME,
    SAID_OF_A_THING,
    is_a_place,
    is_capitalised,
    is_person,
    objection,
    starts_a_thing,
    word_at,
)
from longway.demographics.parted import parted
from longway.demographics.things import pronouns_of_things
from longway.demographics.told_ages import ToldAge, told_ages
from longway.demographics.words import Entry, longest_in_letters, readings
from longway.demographics.works import in_works
from longway.text.chains import Chain, chains
from longway.text.document import Document, Word
from longway.text.names import first_name, surname
from longway.text.people import Mention
from longway.text.person_words import GENERATIONS, PARTICLES, TITLES
from longway.text.pronouns import HE, SHE, THEY, form_of

OF_A_WORK = "title of a work"
GENDERS = {"masculine": Attribute("gender", "man"), "feminine": Attribute("gender", "woman")}
OPEN = Attribute("gender", "non-binary")
PRONOUNS = {HE: GENDERS["masculine"], SHE: GENDERS["feminine"]}
SURE_GENDER = 0.97  # share of one gender from which a first name tells it
SURE_WHITE, SURE_GROUP = (
    0.75,
    0.5,
)  # share of one group from which a name tells it: most bearers of most names are white
_NO_NAMES = GENERATIONS | PARTICLES | TITLES.keys() | {"said"}
_BEFORE_FIRST_NAMES = frozenset(  # "Queen Victoria", but "Mrs Victor"
    "king queen prince princess pope saint st st. sister brother aunt uncle emperor empress tsar tsarina dame sir father mother".split()
)
_TAGS = {"NOUN": ("NOUN", "PROPN"), "PROPN": ("PROPN", "NOUN"), "ADJ": ("ADJ",), "ADV": ("ADV",)}
_CENSUS_GROUPS = {
    "white": "white",
    "black": "black",
    "hispanic": "hispanic",
    "api": "asian",
    "aian": "native-american",
}


@dataclass(frozen=True, slots=True)
class Found:
    """Words that tell something about a person.

    first, end: the first word and the one after the last, as indices. start, stop: their place in the text; for an age in numbers
    that of the number. kind: "pronoun", "name", "surname", "years", or the kind of the list's entry. entry: where it is listed.
    of: a word for the person that it is said of, as an index, where the word itself does not show it.
    """

    first: int
    end: int
    start: int
    stop: int
    attribute: Attribute
    kind: str
    entry: Entry | None = None
    of: int | None = None

    @property
    def is_generic(self) -> bool:
        """True for a man's word that is said of everybody: "actor", "hero". Alone it tells nothing about gender."""
        is_mans = self.attribute == GENDERS["masculine"]
        return is_mans and self.entry is not None and "generic" in self.entry.notes


@dataclass(frozen=True, slots=True)
class Left:
    """Words that look demographic and are none, with the reason."""

    start: int
    stop: int
    reason: str


@dataclass(frozen=True, slots=True)
class FoundIn:
    """What `found_in` gives, in order of the text. chains: the people of the document and their mentions (`text/chains.py`)."""

    words: tuple[Found, ...]
    left: tuple[Left, ...]
    chains: tuple[Chain, ...]

    @property
    def names(self) -> int:
        """How many mentions are names."""
        return sum(mention.kind == "name" for chain in self.chains for mention in chain.mentions)


def found_in(document: Document, *, sure: float | None = None) -> FoundIn:
    """The demographic words of a document, and the words that only look like some. sure: as in `text.chains.chains`."""
    works = in_works(document)
    said = chains(document, sure=sure)
    people = parted(document, said, works)
    ages = told_ages(document, people)
    aged = {word.index for one in ages for word in one.words}
    listed = list(_listed(document, aged))
    words = [one for one in listed if isinstance(one, Found)]
    left = [one for one in listed if isinstance(one, Left)]
    taken = {index for one in words for index in range(one.first, one.end)}
    things = {one.start for one in left if one.reason == IN_A_NAME}
    words += (one for one in _names(document, said) if one.first not in taken and one.start not in things)
    titles = [one for one in words if one.first in works]
    words = [one for one in words if one.first not in works]
    left += dict.fromkeys(Left(one.start, one.stop, OF_A_WORK) for one in titles)
    read = [*_pronouns(document, people), *(_year(document, one) for one in ages)]
    words += (one for one in read if isinstance(one, Found) and one.first not in taken)
    left += (one for one in read if isinstance(one, Left))
    return FoundIn(tuple(sorted(words, key=_place)), tuple(sorted(left, key=_place)), people)


def _place(one: Found | Left) -> tuple[int, int]:
    return one.start, one.stop


# Pronouns and names


def _pronouns(document: Document, people: Sequence[Chain]) -> Iterator[Found | Left]:
    """Pronouns that tell a gender, and "they" in all its forms where it surely stands for one person."""
    things = pronouns_of_things(document, people)
    of_one = {
        mention.head
        for chain in people
        if _is_one_person(chain)
        for mention in chain.mentions
        if mention.kind == "pronoun"
    }
    for word in document:
        found = form_of(document, word)
        if found is None:
            continue
        if word.index in things:
            yield Left(word.start, word.end, SAID_OF_A_THING)
        elif found.pronoun in PRONOUNS:
            yield _found(document, word.index, word.index + 1, PRONOUNS[found.pronoun], "pronoun")
        elif found.pronoun == THEY and (word.index in of_one or word.lower == "themself"):
            yield _found(document, word.index, word.index + 1, OPEN, "pronoun")


def _is_one_person(chain: Chain) -> bool:
    others = [mention for mention in chain.mentions if mention.kind != "pronoun"]
    return bool(others) and all(mention.number == "sing" for mention in others)


def _names(document: Document, people: Sequence[Chain]) -> Iterator[Found]:
    """First names that tell a gender or a group, and surnames that tell a group, of those that are people for sure."""
    for chain in people:
        firsts = {mention.parts[0] for mention in chain.mentions if len(mention.parts) > 1}
        for mention in chain.mentions:
            if not _is_named(chain, mention) or _names_no_person(document, mention):
                continue
            body = [
                w for w in document.words[mention.start : mention.end] if w.lower.rstrip(".") in mention.parts
            ]
            for place, word in enumerate(body):
                is_first = place == 0 and (len(body) > 1 or _is_first_name(mention, firsts))
                kind = "name" if is_first else "surname"
                for told in _told_by_name(word.text, is_first=is_first):
                    yield _found(document, word.index, word.index + 1, told, kind)


def _is_first_name(mention: Mention, firsts: set[str]) -> bool:
    """Whether a name of one word is a first name: the person's longer name says so, or a title, or most who bear it."""
    name = mention.parts[0]
    if name in firsts or mention.title in _BEFORE_FIRST_NAMES:
        return True
    return not mention.title and kind_of(name) == "first"


def _is_named(chain: Chain, mention: Mention) -> bool:
    """True for a name that is surely a person's: it looks like one, or a pronoun or a longer name points to it."""
    if mention.kind != "name":
        return False
    is_bare_surname = len(mention.parts) == 1 and not mention.title and kind_of(mention.parts[0]) == "surname"
    return len(chain.mentions) > 1 or (mention.certain and not is_bare_surname)


def _names_no_person(document: Document, mention: Mention) -> bool:
    """True for "Mathias Point", "Trenton, New Jersey", "Ebony magazine", "General", "Said" at the start of a sentence."""
    words = document.words[mention.start : mention.end]
    first = next((w for w in words if w.lower.rstrip(".") in mention.parts), words[0])
    above = document.head(document.words[mention.end - 1])
    is_label = (
        document.words[mention.end - 1].relation == "compound"
        and above is not None
        and above.upos == "NOUN"
        and not is_person(above)
    )
    return (
        is_label
        or starts_a_thing(document, first.index + 1)
        or is_a_place(document, mention.end)
        or first.lower in _NO_NAMES
        or first.upos == "ADJ"  # "Thai politics"
    )


def _told_by_name(name: str, *, is_first: bool) -> Iterator[Attribute]:
    known = first_name(name) if is_first else None
    if known is not None and known.count >= COMMON:
        share = max(known.female, 1 - known.female)
        if share >= SURE_GENDER:
            yield GENDERS["feminine" if known.female > 0.5 else "masculine"]
    bearer = known or surname(name)
    if bearer is None or bearer.count < COMMON or bearer.group not in _CENSUS_GROUPS:
        return
    if max(bearer.groups) >= (SURE_WHITE if bearer.group == "white" else SURE_GROUP):
        yield Attribute("race", _CENSUS_GROUPS[bearer.group])


# Listed words


def _listed(document: Document, aged: Collection[int]) -> Iterator[Found | Left]:
    """Listed words, the longest first on each axis: "young man" tells an age, its "man" a gender.

    aged: words of ages in numbers; the "old" of "a 71-year-old man" is no word of its own.
    """
    ends = dict.fromkeys(AXES, 0)
    for word in document:
        if word.index in aged:
            continue
        done: set[str] = set()
        for stop, entries in _matches(document, word):
            free = [
                entry
                for entry in entries
                if entry.attribute.axis not in done and ends[entry.attribute.axis] <= word.index
            ]
            is_phrase = any(
                entry.kind == "thing" for entry in free
            )  # "ladies and gentlemen" tells no age either
            for axis in AXES if is_phrase else {entry.attribute.axis for entry in free}:
                done.add(axis)
                ends[axis] = stop
            yield from _read(document, word.index, stop, free)


def _matches(document: Document, word: Word) -> Iterator[tuple[int, tuple[Entry, ...]]]:
    """The entries that begin with a word, the longest first, with the word after them."""
    last = word.index
    while last + 1 < len(document) and document.words[last + 1].end - word.start <= longest_in_letters():
        last += 1
    for index in range(last, word.index - 1, -1):
        stretch = document.text[word.start : document.words[index].end]
        found = readings(" ".join(stretch.split()))
        if found:
            yield index + 1, found


def _read(document: Document, first: int, end: int, entries: Sequence[Entry]) -> Iterator[Found | Left]:
    """The entries that hold here, one for each axis; or why none does."""
    reasons = []
    done: set[str] = set()
    tag = document.words[end - 1].upos
    fitting = [entry for entry in entries if tag in _TAGS.get(entry.pos, ())]
    for entry in sorted(fitting or entries, key=lambda entry: _misfit(document, first, end, entry)):
        reason = objection(document, first, end, entry)
        if reason:
            reasons.append(reason)
        elif entry.attribute.axis not in done:
            done.add(entry.attribute.axis)
            yield _found(document, first, end, entry.attribute, entry.kind, entry)
    if not done and reasons:
        yield Left(document.words[first].start, document.words[end - 1].end, reasons[0])


def _misfit(document: Document, first: int, end: int, entry: Entry) -> tuple[bool, bool]:
    """How badly an entry fits the words, to sort by: as a title without a name behind it, by capitals."""
    after = word_at(document, end)
    has_name = after is not None and is_capitalised(after) and after.upos == "PROPN"
    is_capital = document.words[first].text[:1].isupper()
    return entry.kind == "title" and not has_name, entry.word[:1].isupper() != is_capital


# Ages in numbers


def _year(document: Document, told: ToldAge) -> Found | Left:
    age = told.age
    if not told.is_of_a_person:
        return Left(age.start, age.end, "the age of a thing")
    number = document.words_between(age.start, age.end)
    said = attribute_of_age(age.years)
    return Found(number[0].index, number[-1].index + 1, age.start, age.end, said, "years", of=told.of)


def _found(
    document: Document, first: int, end: int, told: Attribute, kind: str, entry: Entry | None = None
) -> Found:
    return Found(first, end, document.words[first].start, document.words[end - 1].end, told, kind, entry)
