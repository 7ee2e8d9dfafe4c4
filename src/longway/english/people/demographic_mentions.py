"""The demographic words of a document, and the people they describe.

    find_demographics(document)    words that express somebody's gender, race or age, and skipped words with the reason
    find_persons(document)         the same words grouped by person

    "a black man"     race:black            "a black shirt"    skipped: a colour
    "an Asian poet"   race:asian            "Asian markets"    skipped: said of a thing
    "an old man"      age:senior            "an old friend"    skipped: said of a thing (or of how long)
    "his mother"      gender:man, gender:woman
    "Iron Man"        skipped: part of a name        "Emma is a novel"       skipped: title of a work
    "the ship and her crew"    skipped: said of a thing

Words come from the lists (`words.py`), pronouns from `pronouns.py`, ages in numbers from `ages.py`. A first name expresses a
gender only if nearly all its bearers have it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from longway.english.document import Document, Word, any_lower
from longway.english.inflection import is_all_caps
from longway.english.people.ages import PersonAge, find_person_ages
from longway.english.people.chains import Chain, find_chains
from longway.english.people.mentions import Mention, is_mainly_first_name
from longway.english.people.person_names import (
    RACE_OF_GROUP,
    census_first_name,
    census_surname,
    gender_of_first_name,
    name_kind,
    suits_gender,
)
from longway.english.people.pronouns import HE, NEOPRONOUNS, SHE, THEY, pronoun_form
from longway.english.people.referents import (
    COMMON,
    IN_A_NAME,
    SAID_OF_A_THING,
    is_a_place,
    is_capitalised,
    is_person,
    is_work,
    pronouns_for_things,
    reason_not_a_person,
    starts_a_thing,
    words_in_titles,
)
from longway.english.people.words import (
    AXES,
    GENERATIONS,
    PARTICLES,
    TITLES,
    Attribute,
    DemographicEntry,
    age_attribute,
    entries_for,
    is_widely_known,
    longest_entry,
    other_attributes,
)
from longway.english.words import listed_words

_LISTS = listed_words(__name__)
TITLE_OF_A_WORK = "title of a work"
GENDERS = {"masculine": Attribute("gender", "man"), "feminine": Attribute("gender", "woman")}
NEUTRAL = Attribute("gender", "non-binary")
PRONOUN_ATTRIBUTES = {HE: GENDERS["masculine"], SHE: GENDERS["feminine"]} | dict.fromkeys(
    NEOPRONOUNS, NEUTRAL
)
SURE_GENDER = 0.97  # least share of one gender among the bearers of a first name
# Least share of one group among the bearers of a name; most bearers of most names are white.
SURE_WHITE, SURE_GROUP = 0.75, 0.5
_NO_NAMES = GENERATIONS | PARTICLES | TITLES.keys() | {"said"}
_TAGS = {"NOUN": ("NOUN", "PROPN"), "PROPN": ("PROPN", "NOUN"), "ADJ": ("ADJ",), "ADV": ("ADV",)}


@dataclass(frozen=True, slots=True)
class DemographicMention:
    """Words that express an attribute of a person.

    first, end: indices of the first word and of the word after the last. start, stop: offsets in the text; for an age in numbers those of
    the number. kind: "pronoun", "name", "surname", "years", or the kind of the entry. entry: the entry of the lists, if any.
    of: index of a word for the person described, if the words themselves do not show it.
    """

    first: int
    end: int
    start: int
    stop: int
    attribute: Attribute
    kind: str
    entry: DemographicEntry | None = None
    of: int | None = None

    def head(self, document: Document) -> Word:
        """The last of its words, which the others belong to."""
        return document.words[self.end - 1]

    @property
    def is_generic(self) -> bool:
        """True for a man's word that is used for everybody: "actor", "hero". It expresses no gender."""
        is_mans = self.attribute == GENDERS["masculine"]
        return is_mans and self.entry is not None and "generic" in self.entry.notes

    @property
    def is_name(self) -> bool:
        """True for first names and surnames."""
        return self.kind in ("name", "surname")

    @property
    def listed(self) -> str:
        """The word as it is in the lists, "" if it is not there."""
        return "" if self.entry is None else self.entry.word

    @property
    def number(self) -> str:
        """ "sing" or "plur" for a listed word that has a number, else ""."""
        return "" if self.entry is None else self.entry.number

    @property
    def pos(self) -> str:
        """The part of speech of a listed word, else ""."""
        return "" if self.entry is None else self.entry.pos

    @property
    def shows_gender(self) -> bool:
        """True for a listed word of one gender."""
        is_gendered = self.attribute.axis == "gender" and self.attribute != NEUTRAL
        return self.entry is not None and is_gendered and not self.is_generic

    @property
    def is_of_several(self) -> bool:
        """True for "women", "female"; kin are particular people."""
        return self.entry is not None and self.number != "sing" and self.kind != "kin"


def indices_of(words: Iterable[DemographicMention]) -> set[int]:
    """The indices of all words of the mentions."""
    return {index for word in words for index in range(word.first, word.end)}


@dataclass(frozen=True, slots=True)
class SkippedWord:
    """A word that looks demographic but is not, with the reason."""

    start: int
    stop: int
    reason: str


@dataclass(frozen=True, slots=True)
class Demographics:
    """The result of `find_demographics`, in text order. chains: the people of the document and their mentions."""

    words: tuple[DemographicMention, ...]
    skipped: tuple[SkippedWord, ...]
    chains: tuple[Chain, ...]

    @property
    def names(self) -> int:
        """The number of mentions by name."""
        return sum(mention.kind == "name" for chain in self.chains for mention in chain.mentions)


def find_demographics(document: Document) -> Demographics:
    """Find the demographic words of a document."""
    works = words_in_titles(document)
    all_chains = find_chains(document)
    people = split_chains(document, all_chains, works)
    ages = find_person_ages(document, people)
    aged = {word.index for item in ages for word in item.words}
    listed = list(_listed(document, aged))
    words = [item for item in listed if isinstance(item, DemographicMention)]
    skipped = [item for item in listed if isinstance(item, SkippedWord)]
    taken = indices_of(words)
    things = {item.start for item in skipped if item.reason == IN_A_NAME}
    names = [*_names(document, all_chains), *_family_names(document)]
    words += (item for item in names if item.first not in taken and item.start not in things)
    titles = [item for item in words if item.first in works]
    words = [item for item in words if item.first not in works]
    skipped += dict.fromkeys(SkippedWord(item.start, item.stop, TITLE_OF_A_WORK) for item in titles)
    others = [*_pronouns(document, people), *(_year(document, item) for item in ages)]
    words += (item for item in others if isinstance(item, DemographicMention) and item.first not in taken)
    skipped += (item for item in others if isinstance(item, SkippedWord))
    return Demographics(tuple(sorted(words, key=_place)), tuple(sorted(skipped, key=_place)), people)


def _place(item: DemographicMention | SkippedWord) -> tuple[int, int]:
    return item.start, item.stop


# Pronouns and names


def _pronouns(document: Document, people: Sequence[Chain]) -> Iterator[DemographicMention | SkippedWord]:
    """Gendered pronouns, and "they" in all forms if it certainly refers to one person."""
    things = pronouns_for_things(document, people)
    of_one: set[int] = set()  # pronouns that refer to one person
    for chain in people:
        others = [mention for mention in chain.mentions if mention.kind != "pronoun"]
        if others and all(mention.number == "sing" for mention in others):
            of_one |= {mention.head for mention in chain.mentions if mention.kind == "pronoun"}
    for word in document:
        reading = pronoun_form(document, word)
        if reading is None:
            continue
        if word.index in things:
            yield SkippedWord(word.start, word.end, SAID_OF_A_THING)
        elif _is_in_a_title(document, word):
            yield SkippedWord(word.start, word.end, IN_A_NAME)
        elif reading.pronoun in PRONOUN_ATTRIBUTES:
            attribute = PRONOUN_ATTRIBUTES[reading.pronoun]
            yield _mention(word, attribute, "pronoun")
        elif reading.pronoun == THEY and (word.index in of_one or word.lower == "themself"):
            yield _mention(word, NEUTRAL, "pronoun")


def _is_in_a_title(document: Document, pronoun: Word) -> bool:
    """True for "Her" in "Dolly Dawn and Her Dawn Patrol": a capital inside a sentence."""
    before = document.before(pronoun)
    if before is None or not is_capitalised(pronoun) or is_all_caps(document.text):
        return False
    opens = pronoun.index == document.sentence_of(pronoun)[0].index
    return not opens and (before.upos not in ("PUNCT", "SYM") and before.text.isalpha())


def _names(document: Document, people: Sequence[Chain]) -> Iterator[DemographicMention]:
    """First names that express a gender or a group, and surnames that express a group, of certain people.

    Pronouns, titles and nouns decide about the gender of a name: "Yutong lost her keys", "Vivian Roe hurt himself". A single name that
    contradicts the only pronouns of a text is a surname: "Ruth hit 714 home runs in his career".
    """
    strangers = _Strangers(document, people)
    for chain in people:
        firsts = {mention.parts[0] for mention in chain.mentions if len(mention.parts) > 1}
        surnames = {  # of "Peter F. Paul", "Judge Garth"; not of "Paul", "Aunt Ann", "Queen Anne"
            m.parts[-1]
            for m in chain.mentions
            if len(m.parts) > 1 or (m.parts and m.title and m.title not in _LISTS.before_first_names)
        } - firsts
        of_places = {m.parts[-1] for m in chain.mentions if "of" in m.parts}
        genders = {m.gender for m in chain.mentions if m.gender and (m.kind != "name" or m.title in TITLES)}
        shown = GENDERS.get(genders.pop()) if len(genders) == 1 else None  # by pronouns, titles and nouns
        for mention in chain.mentions:
            if not _is_named(chain, mention) or _names_no_person(document, mention):
                continue
            words = document.words[mention.start : mention.end]
            if len(mention.parts) == 1 and mention.parts[0] in of_places:
                continue  # "England" of "King John of England"
            parts = set(
                mention.parts[: mention.parts.index("of")] if "of" in mention.parts else mention.parts
            )
            body = [word for word in words if {word.lower, word.lower.rstrip(".")} & parts]
            for place, word in enumerate(body):
                if word.lower in PARTICLES or all(len(part) <= 1 for part in word.text.split(".")):
                    continue  # "J.", "P.E.I."
                is_surname = len(mention.parts) == 1 and mention.parts[-1] in surnames
                is_first = (
                    place == 0 and not is_surname and (len(body) > 1 or _is_first_name(mention, firsts))
                )
                kind = "name" if is_first else "surname"
                for attribute in _attributes_of_name(word.text, is_first=is_first):
                    if attribute.axis != "gender" or (
                        shown is None and (len(body) > 1 or mention.title or not strangers(word, attribute))
                    ):
                        yield _mention(word, attribute, kind)
                if is_first and shown is not None:
                    others = (suits_gender(word.text, other.name) for other in other_attributes(shown))
                    if not all(others):  # unlike "Robin"
                        yield _mention(word, shown, kind)


def _family_names(document: Document) -> Iterator[DemographicMention]:
    """Surnames of families that express a group: "the Garcia family"."""
    for word in document:
        above = document.head(word)
        is_of_family = (
            above is not None and above.lemma.lower() in ("family", "household") and above.index > word.index
        )
        if is_of_family and word.relation == "compound" and word.upos == "PROPN":
            for attribute in _attributes_of_name(word.text, is_first=False):
                yield _mention(word, attribute, "surname")


class _Strangers:
    """Pronouns that belong to nobody who is mentioned otherwise."""

    def __init__(self, document: Document, people: Sequence[Chain]) -> None:
        self._document = document
        known = {
            m.head
            for chain in people
            for m in chain.mentions
            if any(o.kind != "pronoun" for o in chain.mentions)
        }
        self._pronouns = [
            (word, PRONOUN_ATTRIBUTES[reading.pronoun])
            for word in document
            if word.index not in known
            and (reading := pronoun_form(document, word)) is not None
            and reading.pronoun in (HE, SHE)
        ]

    def __call__(self, name: Word, attribute: Attribute) -> bool:
        """True if such pronouns follow a name in its sentence, all of another gender: they may well refer to it."""
        number = self._document.sentence_number(name)
        genders = {
            gender
            for word, gender in self._pronouns
            if word.index > name.index and self._document.sentence_number(word) == number
        }
        return bool(genders) and attribute not in genders


def _is_first_name(mention: Mention, firsts: set[str]) -> bool:
    """True if a name of one word is a first name: by the person's longer name, by a title, or by most of its bearers."""
    name = mention.parts[0]
    if name in firsts or mention.title in _LISTS.before_first_names:
        return True
    is_known = census_first_name(name) is not None  # an unknown name alone may be a surname
    return not mention.title and is_known and name_kind(name) == "first"


def _is_named(chain: Chain, mention: Mention) -> bool:
    """True for a name that is certainly a person's: it looks like one, or a pronoun or a longer name refers to it."""
    if mention.kind != "name":
        return False
    is_bare = len(mention.parts) == 1 and not mention.title
    is_surname = is_bare and name_kind(mention.parts[0]) == "surname"
    return len(chain.mentions) > 1 or (mention.certain and not is_surname)


def _names_no_person(document: Document, mention: Mention) -> bool:
    """True for "Mathias Point", "Trenton, New Jersey", "Ebony magazine", "General", "Said" at the start of a sentence."""
    words = document.words[mention.start : mention.end]
    first = next((w for w in words if w.lower.rstrip(".") in mention.parts), words[0])
    last = document.words[mention.end - 1]
    above = document.head(last) if last.relation == "compound" else None
    is_label = above is not None and above.upos == "NOUN" and not is_person(above)
    before = document.word_at(first.index - 1)
    return (
        is_label
        or (before is not None and before.tag == "PRP$" and len(words) == 1)  # "Her Majesty"
        or starts_a_thing(document, first.index + 1)
        or is_a_place(document, mention.end)
        or first.lower in _NO_NAMES
        or first.upos == "ADJ"  # "Thai politics"
        or last.tag == "NNPS"  # "Mexicans"
    )


def shown_gender(name: str) -> str:
    """The gender that nearly all bearers of a first name have; "" if there is none."""
    gender = gender_of_first_name(name, sure=SURE_GENDER)
    return GENDERS[gender].name if gender else ""


def _attributes_of_name(name: str, *, is_first: bool) -> Iterator[Attribute]:
    known = census_first_name(name) if is_first else None
    if known is not None and known.count >= COMMON and (gender := shown_gender(name)):
        yield Attribute("gender", gender)
    bearer = known or census_surname(name)
    if bearer is None or bearer.count < COMMON or bearer.group not in RACE_OF_GROUP:
        return
    if max(bearer.groups) >= (SURE_WHITE if bearer.group == "white" else SURE_GROUP):
        yield Attribute("race", RACE_OF_GROUP[bearer.group])


# Listed words


def _listed(document: Document, aged: Collection[int]) -> Iterator[DemographicMention | SkippedWord]:
    """Listed words, the longest first on each axis: "young man" expresses an age, its "man" a gender.

    aged: indices of the words of ages in numbers; the "old" of "a 71-year-old man" is part of one.
    """
    ends = dict.fromkeys(AXES, 0)
    for word in document:
        if word.index in aged:
            continue
        done: set[str] = set()
        for stop, entries in _matches(document, word):
            axes = {axis for axis in AXES if axis not in done and ends[axis] <= word.index}
            free = [entry for entry in entries if entry.attribute.axis in axes]
            is_phrase = any(e.kind == "thing" for e in free)  # "ladies and gentlemen" expresses no age either
            for axis in AXES if is_phrase else {entry.attribute.axis for entry in free}:
                done.add(axis)
                ends[axis] = stop
            yield from _entries_that_apply(document, word.index, stop, free)


def _matches(document: Document, word: Word) -> Iterator[tuple[int, tuple[DemographicEntry, ...]]]:
    """The entries that begin with a word, the longest first, each with the index of the word after it."""
    last = word.index
    while last + 1 < len(document) and document.words[last + 1].end - word.start <= longest_entry():
        last += 1
    for index in range(last, word.index - 1, -1):
        stretch = document.text[word.start : document.words[index].end]
        entries = entries_for(" ".join(stretch.split()))
        if entries:
            yield index + 1, entries


def _entries_that_apply(
    document: Document, first: int, end: int, entries: Sequence[DemographicEntry]
) -> Iterator[DemographicMention | SkippedWord]:
    """The entries that apply here, one per axis, or the reason why none does."""
    reasons = []
    done: set[str] = set()
    start, head = document.words[first].start, document.words[end - 1]
    is_before_noun = head.relation in ("compound", "amod") and head.head >= end
    fitting = [entry for entry in entries if is_before_noun and (entry.kind, entry.pos) == ("group", "ADJ")]
    fitting = fitting or [
        entry for entry in entries if head.upos in _TAGS.get(entry.pos, ())
    ]  # "a Cherokee elder"
    for entry in sorted(fitting or entries, key=lambda entry: _misfit(document, first, end, entry)):
        reason = reason_not_a_person(document, first, end, entry)
        if reason:
            reasons.append(reason)
        elif entry.attribute.axis not in done:
            done.add(entry.attribute.axis)
            yield DemographicMention(first, end, start, head.end, entry.attribute, entry.kind, entry)
    if not done and reasons:
        yield SkippedWord(start, head.end, reasons[0])


def _misfit(document: Document, first: int, end: int, entry: DemographicEntry) -> tuple[bool, bool]:
    """Sort key for how badly an entry fits: a title without a name behind it, then capitals."""
    after = document.word_at(end)
    has_name = after is not None and is_capitalised(after) and after.upos == "PROPN"
    is_capital = document.words[first].text[:1].isupper()
    return entry.kind == "title" and not has_name, entry.word[:1].isupper() != is_capital


# Ages in numbers


def _year(document: Document, age_of: PersonAge) -> DemographicMention | SkippedWord:
    age = age_of.age
    if not age_of.is_of_a_person:
        return SkippedWord(age.start, age.end, "the age of a thing")
    number = document.words_between(age.start, age.end)
    attribute = age_attribute(age.years)
    return DemographicMention(
        number[0].index, number[-1].index + 1, age.start, age.end, attribute, "years", of=age_of.of
    )


def _mention(word: Word, attribute: Attribute, kind: str) -> DemographicMention:
    return DemographicMention(word.index, word.index + 1, word.start, word.end, attribute, kind)


def split_chains(document: Document, chains: Sequence[Chain], works: Collection[int]) -> tuple[Chain, ...]:
    """Split chains that contain more than one person, and drop titles of works. works: indices of the words of titles.

        a title       "Juliet is a play about her": the play is not a person, "her" is somebody else
        a predicate   "Juliet is her favourite singer": one is not one's own singer
        a name ahead  "She saw Titanic. Rose lives.": a pronoun does not precede its name by a sentence

    A chain is the most likely reading. If it is wrong, changing one person would change two.
    """
    return tuple(part for chain in chains for part in _parts(document, chain, works))


def _parts(document: Document, chain: Chain, works: Collection[int]) -> Iterator[Chain]:
    mentions = [mention for mention in chain.mentions if mention.head not in works]
    own = [mention for mention in mentions if mention.kind != "pronoun"]
    first = min((_sentence(document, mention) for mention in own), default=0)
    early = [m for m in mentions if m.gender and _sentence(document, m) < first]
    inside = {index for mention in mentions for index in range(mention.start, mention.end)}
    pronouns = [m for m in mentions if m.kind == "pronoun" and m not in early]
    others = [m for m in pronouns if is_other_person(document, document.words[m.head], inside)]
    rest = [mention for mention in mentions if mention not in early and mention not in others]
    is_named = any(mention.kind == "name" for mention in rest)
    if rest:
        yield replace(chain, mentions=tuple(rest), name=chain.name if is_named else "")
    for part in (early, *([mention] for mention in others)):
        if part:
            yield Chain(tuple(part), gender=part[0].gender, number=chain.number)


def _sentence(document: Document, mention: Mention) -> int:
    return document.sentence_number(document.words[mention.head])


def is_other_person(document: Document, pronoun: Word, person: Collection[int]) -> bool:
    """True for the "her" of "Juliet is her favourite singer" if Juliet is the person. person: indices of the words for the person."""
    predicate = document.head(pronoun)
    if predicate is None or pronoun.dep != "nmod:poss" or not document.children(predicate, "cop"):
        return False
    if document.children(predicate, "case") or not (is_person(predicate) or is_work(predicate)):
        return False  # "She is in her late 40s", "She is her old self"
    is_own = any_lower(document.children(predicate, "amod"), ("own",))
    return not is_own and any(subject.index in person for subject in document.children(predicate, "nsubj"))


@dataclass(slots=True)
class DescribedPerson:
    """A person, or several who are mentioned as one.

    words: the demographic words about them, on all axes. name: the longest name.
    is_known_by_name: True for "Ann Roe", "Queen Victoria", "Einstein"; not for "Mr. Roe", "Ann".
    is_widely_known: True for "Albert Einstein", "Queen Victoria"; not for "Ann Roe".
    """

    mentions: list[Mention] = field(default_factory=list)
    words: list[DemographicMention] = field(default_factory=list)
    name: str = ""

    @property
    def names(self) -> list[Mention]:
        """The mentions by name."""
        return [mention for mention in self.mentions if mention.kind == "name"]

    @property
    def mentioned(self) -> set[int]:
        """The indices of the words of all mentions."""
        return {index for mention in self.mentions for index in range(mention.start, mention.end)}

    @property
    def start(self) -> int:
        """Where the first word begins."""
        return min(word.start for word in self.words)

    @property
    def is_open(self) -> bool:
        """True for a person who is mentioned by pronouns alone."""
        return all(word.kind == "pronoun" for word in self.words)

    @property
    def is_kin(self) -> bool:
        """True for "her mother"."""
        return any(word.kind == "kin" for word in self.words)

    @property
    def is_named(self) -> bool:
        """True if a name expresses an attribute."""
        return any(word.is_name for word in self.words)

    @property
    def has_plural(self) -> bool:
        """True for "women"."""
        return any(word.number == "plur" for word in self.words)

    @property
    def is_known_by_name(self) -> bool:
        """True if a name identifies the person: several words, a rank, or a single name that is not a common first name."""
        return any(
            len(name.parts) > 1
            or name.title in _LISTS.ranks
            or (not name.title and not is_mainly_first_name(name.parts[0]))
            for name in self.names
        )

    @property
    def is_widely_known(self) -> bool:
        """True if a name is that of a widely known person, and no word contradicts that person's gender."""
        genders = self.attributes("gender")
        return any(is_widely_known(name.parts, title=name.title, genders=genders) for name in self.names)

    def add(self, other: DescribedPerson) -> None:
        """Add the words and the mentions of another person, who is the same."""
        self.words += other.words
        self.mentions += other.mentions

    def attributes(self, axis: str) -> set[str]:
        """The names of the attributes on an axis that the words express."""
        return {
            word.attribute.name for word in self.words if word.attribute.axis == axis and not word.is_generic
        }


def find_persons(document: Document, found: Demographics | None = None) -> tuple[DescribedPerson, ...]:
    """The people that the document describes, in text order.

    Words that describe a person without being a mention are added to the person's chain: "She is the *queen*", "an *eleven*-year-old
    boy", "the *Asian* poet". A word that belongs to no chain is a person of its own.
    """
    found = found or find_demographics(document)
    people = [DescribedPerson(list(chain.mentions), name=chain.name) for chain in found.chains]
    owner = {i: person for person in people for m in person.mentions for i in range(m.start, m.end)}
    for word in found.words:
        inside = next((owner[i] for i in range(word.first, word.end) if i in owner), None)
        described = _described(document, word, owner)
        person = inside or described or DescribedPerson()
        if inside is not None and described is not None and inside is not described:
            person = _joined(inside, described, owner)
        for index in range(word.first, word.end):
            owner[index] = person
        person.words.append(word)
    people = list({id(person): person for person in owner.values()}.values())
    people = _without_strays(document, [person for person in people if person.words])
    return tuple(sorted(people, key=attrgetter("start")))


def _joined(
    first: DescribedPerson, second: DescribedPerson, owner: dict[int, DescribedPerson]
) -> DescribedPerson:
    """Both as one person if possible, else the first: "She is a man's mother" does not make her a man."""
    mine, theirs = first.attributes("gender"), second.attributes("gender")
    if mine and theirs and mine != theirs:
        return first
    second.add(first)
    second.name = max(second.name, first.name, key=len)
    owner |= {index: second for index, person in owner.items() if person is first}
    return second


def _described(
    document: Document, word: DemographicMention, owner: dict[int, DescribedPerson]
) -> DescribedPerson | None:
    """The person that a word describes without being a mention: what it modifies, or the subject of "is", "became", "as"."""
    if word.kind == "pronoun" or word.is_name:
        return None
    if word.of is not None:
        return owner.get(word.of)
    if word.kind == "decade":  # "a man in his late forties"
        owners = document.children(word.head(document), "nmod:poss")
        return next((owner[other.index] for other in owners if other.index in owner), None)
    head = word.head(document)
    for _ in range(3):  # "an eleven-year-old boy": the number hangs on "year", that on "old", that on "boy"
        above = document.head(head)
        if above is None:
            break
        if head.relation in ("amod", "compound", "nummod", "nmod", "appos", "flat", "acl", "obl", "advmod"):
            has_case = head.relation in ("nmod", "obl") and document.children(head, "case")
            if head.dep == "nmod:poss" or has_case:
                break  # "the king's mother", "the mother of the king": two people
            head = above
            if head.index in owner:
                return owner[head.index]
        else:
            break
    subject = _subject_of_predicate(document, head) or _subject_of_bare_noun(document, word)
    return owner.get(subject.index) if subject is not None else None


def _subject_of_predicate(document: Document, word: Word) -> Word | None:
    """The subject of a predicate noun or adjective: "She is the queen", "Ann became a nun"."""
    if document.children(word, "cop"):
        return next(iter(document.children(word, "nsubj")), None)
    verb = document.head(word)
    if [case.lower for case in document.children(word, "case")] == ["as"]:  # "As a young woman she sang"
        behind = document.words[word.index + 1 : word.index + 3]
        spoken_of = next((w for w in behind if w.lower in ("he", "she", "they")), None)
        if spoken_of is not None or verb is None or word.relation != "obl":
            return spoken_of
        return next(iter(document.children(verb, "nsubj")), None)
    if verb is not None and verb.lemma in _LISTS.become and word.relation in ("xcomp", "obj"):
        return next(iter(document.children(verb, "nsubj")), None)
    if (
        verb is not None and verb.lemma in _LISTS.named_so and word.relation in ("xcomp", "obj")
    ):  # "He was named king"
        return next((s for s in document.children(verb, "nsubj") if s.dep == "nsubj:pass"), None)
    return None


def _subject_of_bare_noun(document: Document, word: DemographicMention) -> Word | None:
    """The subject of the sentence for a noun that says what they are: "Though queen, Isolde slept badly"."""
    head = word.head(document)
    is_bare = head.tag in ("NN", "NNP") and not document.children(head, "det", "nmod:poss", "nummod")
    if not is_bare or document.lower_at(word.first - 1) not in ("though", "although", "while", "once"):
        return None
    root = next((w for w in document.sentence_of(head) if w.relation == "root"), None)
    subjects = document.children(root, "nsubj") if root is not None else ()
    return next((subject for subject in subjects if not word.first <= subject.index < word.end), None)


def _without_strays(document: Document, people: list[DescribedPerson]) -> list[DescribedPerson]:
    """Add pronouns outside all chains to the only person of their gender, if that person comes before them.

    If a text has only pronouns for a gender, all of them are one person, unless the grammar says otherwise.
    """
    kept = list(people)
    for gender in ("man", "woman"):
        of_gender = [person for person in kept if gender in person.attributes("gender")]
        strays = [person for person in of_gender if person.is_open]
        known = [person for person in of_gender if person not in strays]
        if not known:
            kept = _as_one_person(document, kept, strays)
            continue
        is_several = known[0].has_plural or any(m.number == "plur" for m in known[0].mentions)
        if len(known) != 1 or is_several:
            continue
        if any(stray.start < known[0].start for stray in strays):
            continue  # "His father loves him": "him" may be either man
        inside = known[0].mentioned
        for stray in strays:
            if any(is_other_person(document, document.words[word.first], inside) for word in stray.words):
                continue  # "Juliet is her favourite singer"
            known[0].add(stray)
            known[0].words.sort(key=attrgetter("start"))
            kept.remove(stray)
    return kept


def _as_one_person(
    document: Document, people: list[DescribedPerson], strays: Sequence[DescribedPerson]
) -> list[DescribedPerson]:
    """The people with all strays joined; unchanged if two of them are arguments of one verb: "He saw him"."""
    pronouns = [document.words[word.first] for stray in strays for word in stray.words]
    verbs = [word.head for word in pronouns if word.relation in ("nsubj", "obj", "iobj", "obl")]
    if len(strays) < 2 or len(verbs) > len(set(verbs)):
        return people
    first, *others = strays
    for other in others:
        first.add(other)
        first.words.sort(key=attrgetter("start"))
    return [person for person in people if all(person is not other for other in others)]
