"""The people of a document with all words that tell something about them.

    persons_in(document)   Person: mentions (the chain), demographic words, pronouns

A chain (`text/chains.py`) says which mentions are one person. To it come the words that describe the person and are no mention of
their own: "She is the *queen*", "an *eleven*-year-old boy", "the *Asian* poet". What belongs to nobody found is a person of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from longway.demographics.found import Found, FoundIn, found_in
from longway.demographics.parted import is_another
from longway.text.document import Document, Word
from longway.text.people import Mention, is_first_rather_than_last

_BECOME = frozenset("be become remain seem stay".split())
# Titles of people who are known by one name: "Queen Victoria", "President Roe"; not "Mr. Roe", "Aunt Ann", "Dr Roe".
_RANKS = frozenset(
    "lord king prince duke earl baron viscount emperor tsar czar sultan emir shah pharaoh pope lady dame queen princess duchess countess "
    "baroness viscountess empress tsarina president vice-president governor senator chancellor ambassador general admiral marshal "
    "archbishop cardinal saint st st. premier ayatollah archduke marquess marquis marchioness".split()
)


@dataclass(slots=True)
class Person:
    """One person (or several that are spoken of as one).

    words: the demographic words about them, on all axes. name: the longest name they are called by.
    is_known_by_name: True for "Ann Roe", "Queen Victoria", "Einstein"; not for "Mr. Roe", "Ann".
    """

    mentions: list[Mention] = field(default_factory=list)
    words: list[Found] = field(default_factory=list)
    name: str = ""

    @property
    def is_known_by_name(self) -> bool:
        """Whether a name says who it is: more than one word, a rank, or a lone name that is not a common first name."""
        names = (mention for mention in self.mentions if mention.kind == "name")
        return any(
            len(name.parts) > 1
            or name.title in _RANKS
            or (not name.title and not is_first_rather_than_last(name.parts[0]))
            for name in names
        )

    def told(self, axis: str) -> set[str]:
        """What the words say about the person on an axis."""
        return {
            word.attribute.name for word in self.words if word.attribute.axis == axis and not word.is_generic
        }


def persons_in(document: Document, found: FoundIn | None = None) -> tuple[Person, ...]:
    """The people that the document says something demographic about, in order of the text."""
    found = found or found_in(document)
    people = [Person(list(chain.mentions), name=chain.name) for chain in found.chains]
    owner = {i: person for person in people for m in person.mentions for i in range(m.start, m.end)}
    for word in found.words:
        inside = next((owner[i] for i in range(word.first, word.end) if i in owner), None)
        described = _described(document, word, owner)
        person = inside or described or Person()
        if inside is not None and described is not None and inside is not described:
            person = _joined(inside, described, owner)
        for index in range(word.first, word.end):
            owner[index] = person
        person.words.append(word)
    people = list({id(person): person for person in owner.values()}.values())
    people = _without_strays(document, [person for person in people if person.words])
    return tuple(sorted(people, key=lambda person: min(word.start for word in person.words)))


def _joined(one: Person, other: Person, owner: dict[int, Person]) -> Person:
    """Both as one person where they can be; else the first: "She is a man's mother" does not make her a man."""
    mine, theirs = one.told("gender"), other.told("gender")
    if mine and theirs and mine != theirs:
        return one
    other.words += one.words
    other.mentions += one.mentions
    other.name = max(other.name, one.name, key=len)
    for index, person in owner.items():
        if person is one:
            owner[index] = other
    return other


def _described(document: Document, word: Found, owner: dict[int, Person]) -> Person | None:
    """Whom a word describes that is no mention: what it modifies, or the subject of "is", "became", "as"."""
    if word.kind in ("pronoun", "name", "surname"):
        return None
    if word.of is not None:
        return owner.get(word.of)
    if word.kind == "decade":  # "a man in his late forties"
        owners = document.children(document.words[word.end - 1], "nmod:poss")
        return next((owner[other.index] for other in owners if other.index in owner), None)
    head = document.words[word.end - 1]
    for _ in range(3):  # "an eleven-year-old boy": the number hangs on "year", that on "old", that on "boy"
        above = document.head(head)
        if above is None:
            break
        if head.relation in ("amod", "compound", "nummod", "nmod", "appos", "flat", "acl", "obl", "advmod"):
            if head.dep == "nmod:poss" or (
                head.relation in ("nmod", "obl") and document.children(head, "case")
            ):
                break  # "the king's mother", "the mother of the king": two people
            head = above
            if head.index in owner:
                return owner[head.index]
        else:
            break
    subject = _subject(document, head)
    return owner.get(subject.index) if subject is not None else None


def _subject(document: Document, word: Word) -> Word | None:
    """Of whom a noun or adjective is said: "She is the queen", "Ann became a nun"."""
    if document.children(word, "cop"):
        return next(iter(document.children(word, "nsubj")), None)
    verb = document.head(word)
    if verb is not None and verb.lemma in _BECOME and word.relation in ("xcomp", "obj"):
        return next(iter(document.children(verb, "nsubj")), None)
    return None


def _without_strays(document: Document, people: list[Person]) -> list[Person]:
    """Pronouns that nobody was sure about go to the person of their gender, if there is one only and it stands before them."""
    kept = list(people)
    for gender in ("man", "woman"):
        of_gender = [person for person in kept if gender in person.told("gender")]
        strays = [person for person in of_gender if all(word.kind == "pronoun" for word in person.words)]
        known = [person for person in of_gender if person not in strays]
        if len(known) != 1 or _is_several(known[0]):
            continue
        first = min(word.start for word in known[0].words)
        if any(word.start < first for stray in strays for word in stray.words):
            continue  # "His father loves him": there is a second man, and "him" may be either
        inside = {i for mention in known[0].mentions for i in range(mention.start, mention.end)}
        for stray in strays:
            if any(is_another(document, document.words[word.first], inside) for word in stray.words):
                continue  # "Juliet is her favourite singer"
            known[0].words = sorted([*known[0].words, *stray.words], key=lambda word: word.start)
            known[0].mentions += stray.mentions
            kept.remove(stray)
    return kept


def _is_several(person: Person) -> bool:
    return any(mention.number == "plur" for mention in person.mentions) or any(
        word.entry is not None and word.entry.number == "plur" for word in person.words
    )
