"""Changes of persons by rules: one person's gender, race or age is rewritten, and everything else stays. No model.

    change_person(Request(texts, word, gender:woman, gender:man))  ->  Perturbed: the new texts

    texts  ->  people and the words about them  ->  the person of the chosen word  ->  changes  ->  texts

    gender   pronouns with their verbs (`verb_agreement.py`), nouns and titles from the lists, first names
    race     first names and surnames, group words that describe the person
    age      nouns and adjectives from the lists, ages in numbers

Everything else stays, byte for byte, except for articles before a change and the apostrophe after it. Nothing is invented: a word
without a counterpart stays, and is reported. `doubts.py` has the reasons not to change a person.

Several texts (premise and hypothesis) are read as one, so that a person who occurs in both is changed in both alike:

    ("Ann left.", "She is gone.")   ->  "Ann left.\n\nShe is gone."         what is analysed (`as_one`), with changes at exact
    Change(11, 14, "He")            ->  ("Ann left.", "He is gone.")        positions, applied to their text (`with_changes`)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from longway.english.articles import fix_articles
from longway.english.document import Change, Document, Word, any_lower, apply_changes
from longway.english.inflection import capitalise, inflect, is_all_caps, lemmas, match_case
from longway.english.people.ages import format_age, nearest_age, parse_age
from longway.english.people.demographic_mentions import (
    DemographicMention,
    DescribedPerson,
    find_demographics,
    find_persons,
)
from longway.english.people.doubts import Case, reason_of_doubt
from longway.english.people.person_names import replacement_name
from longway.english.people.pronouns import HE, PRONOUNS, SHE, singular_they
from longway.english.people.referents import is_person
from longway.english.people.words import AGE_RANGES, Attribute
from longway.english.pipeline import load_pipeline
from longway.english.verb_agreement import change_pronouns
from longway.english.words import listed_words

NOBODY = "the word does not describe a person"
NO_WORD = "there is no other word for it"
QUOTED = "the person is mentioned only in a quotation"
NO_NUMBER = "an age in numbers cannot be left open"
ADULT = Attribute("age", "adult")
BESIDE = "its counterpart is next to it"
IN_QUOTES = "in a quotation"
NAMES_STAY = "names are kept"
KNOWN = "a person known by name"
WELL_KNOWN = "a widely known person"
BETWEEN = "\n\n"  # between two texts; read as the end of a paragraph

_QUOTATION = re.compile(
    r"""“[^”]{2,600}” | "[^"]{2,600}" | ``.{2,600}?''
      | (?<!\w)‘(?=\D)(?:[^’]|’(?=\w)){2,600}’(?!\w)
      | (?<![\w'])'(?=[A-Z])(?:[^'\n]|'(?=\w)){2,600}[,.!?]'(?!\w)  # 'She is here,' but not the '90s, the ladies' room
    """,
    re.DOTALL | re.VERBOSE,
)
_LISTS = listed_words(__name__)
_NOBLES: dict[str, tuple[str, frozenset[str]]] = {  # what a word becomes, and in whose company
    "lady": ("lord", _LISTS.at_court),
    "ladies": ("lords", _LISTS.at_court),
    "countess": ("earl", _LISTS.british),
    "countesses": ("earls", _LISTS.british),
}
_AND = r",?\s+(?:and|or|nor|not|&)\s+(?:(?:the|an?|my|your|his|her|our|their)\s+)?"  # between two words of a list


@dataclass(frozen=True, slots=True)
class Place:
    """A span of one segment of a request."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Request:
    """A person to change.

    segments: the texts of a row, in reading order. place: the word that names the person. source: the attribute that the word
    has. target: the attribute that it should get.
    """

    segments: tuple[str, ...]
    place: Place
    source: Attribute
    target: Attribute

    @property
    def word(self) -> str:
        """The chosen word as it is written."""
        return self.segments[self.place.segment][self.place.start : self.place.end]


@dataclass(frozen=True, slots=True)
class Perturbed:
    """The result of a request.

    segments: one per segment of the request, the same if nothing was changed. reason: why nothing was changed, or "".
    chain: the words that refer to the person, if the perturber knows them. left: what it did not change, and why, for people.
    """

    segments: tuple[str, ...]
    reason: str = ""
    chain: tuple[Place, ...] = ()
    left: tuple[str, ...] = ()


def unchanged(request: Request, reason: str) -> Perturbed:
    """The result of a request that a perturber refuses."""
    return Perturbed(request.segments, reason)


@dataclass(frozen=True, slots=True)
class Rules:
    """How people are changed.

    everyone: change all people with the attribute of the chosen word, not only the one it refers to.
    names: whether names are changed. nouns: whether anything but pronouns is changed.
    keep_entities: do not change people known by name, so that facts about them stay true (`DescribedPerson.is_known_by_name`).
    change_famous: change widely known people, too (`DescribedPerson.is_widely_known`).
    pronouns: what a non-binary person is called: "they", "xe", "ze" or "ey". reflexive: the form of "they".
    key: another key gives other names.
    """

    everyone: bool = False
    names: bool = True
    nouns: bool = True
    keep_entities: bool = False
    change_famous: bool = False
    pronouns: Literal["they", "xe", "ze", "ey"] = "they"
    reflexive: Literal["themselves", "themself"] = "themselves"
    key: str = ""


def change_person(
    request: Request, rules: Rules | None = None, *, read: Callable[[str], Document] | None = None
) -> Perturbed:
    """Change one person of some texts in every word, or in none. read: analyses texts; default the package's pipeline."""
    rules = rules or Rules()
    text, starts = as_one(request.segments), starts_of(request.segments)
    document = (read or load_pipeline().analyse)(text)
    found = find_demographics(document)
    people = find_persons(document, found)
    at = starts[request.place.segment] + request.place.start
    chosen = [person for person in people if any(word.start <= at < word.stop for word in person.words)]
    if rules.everyone:
        chosen = _everyone(people, request.source)
    if not chosen:
        return unchanged(request, NOBODY)
    quotations = _quotations(text)
    inside = {word for word in found.words for at, end in quotations if at <= word.start and word.stop <= end}
    quoted = [person for person in people if inside.issuperset(person.words)]
    chosen = [person for person in chosen if person not in quoted]
    if not chosen:
        return unchanged(request, QUOTED)
    changes: list[Change] = []
    refused: list[str] = []
    for person in chosen:
        new = _new_words(document, person, request, rules) if rules.nouns else _NewWords({}, [], [])
        keep_names = not (rules.names and rules.nouns)
        case = Case(document, person, people, request.source, request.target, new.words, starts, keep_names)
        if reason := _reason_to_stay(case, rules):
            refused.append(reason)
        elif new.missing:
            refused += new.missing
        else:
            refused += new.refused
            changes += _changes_of(case, rules)
    if not changes:
        return unchanged(request, refused[0] if refused else NO_WORD)
    changes = sorted({*changes, *fix_articles(document, changes)})
    words = [word for person in quoted for word in person.words if word.attribute == request.source]
    left = [*refused, *(f"{text[word.start : word.stop]!r}: {IN_QUOTES}" for word in words)]
    left += [f"{text[word.start : word.stop]!r}: {word.reason}" for word in found.skipped]
    return Perturbed(
        with_changes(request.segments, changes),
        chain=_places(request.segments, document, chosen),
        left=tuple(dict.fromkeys(left)),
    )


def _reason_to_stay(case: Case, rules: Rules) -> str:
    """Why a person stays as they are; "" if they may be changed."""
    person = case.person
    if rules.keep_entities and person.is_known_by_name:
        return f"{person.name!r}: {KNOWN}"
    if not rules.change_famous and person.is_widely_known:
        return f"{person.name!r}: {WELL_KNOWN}"
    for word, new in case.words.items():
        if _is_beside(case.document, word, new):
            return f"{case.text_of(word)!r}: {BESIDE}"
    return "" if rules.everyone else reason_of_doubt(case)


def _changes_of(case: Case, rules: Rules) -> list[Change]:
    """The changes of all words of a person."""
    changes: list[Change] = []
    if case.target.axis == "gender":
        they = singular_they(rules.reflexive) if rules.pronouns == "they" else PRONOUNS[rules.pronouns]
        wanted = {"man": HE, "woman": SHE, "non-binary": they}[case.target.name]
        words = [word for word in case.person.words if word.kind == "pronoun"]
        indices = [word.first for word in words if word.attribute == case.source]
        changes += change_pronouns(case.document, dict.fromkeys(indices, wanted))
    for word, new in case.words.items():
        changes.append(Change(word.start, word.stop, new))
        changes += _possessive(case.document, word, new)
    return changes


@dataclass(frozen=True, slots=True)
class _NewWords:
    """The new words of a person. refused: words that stay, with the reason. missing: words that must change but have no counterpart."""

    words: dict[DemographicMention, str]
    refused: list[str]
    missing: list[str]


def _new_words(document: Document, person: DescribedPerson, request: Request, rules: Rules) -> _NewWords:
    """The new words for a person's words other than pronouns."""
    found = _NewWords({}, [], [])
    own, target = _of_request(person, request), request.target.name
    if any(word.kind == "years" for word in own):
        if target not in AGE_RANGES:
            return _NewWords({}, [], [NO_NUMBER])
        if target != "child":
            target = "adult"  # "an eighteen-year-old woman", not "an eighteen-year-old young woman"
    taken = frozenset(word.lower for word in document)
    is_known = rules.everyone or request.source.name in person.attributes(request.source.axis)
    for word in own:
        if word.is_generic and not is_known:
            continue
        written = document.text[word.start : word.stop]
        new: str | None = written
        if word.entry is not None:
            new = _counterpart(document, word, target) if word.attribute.name != target else written
        elif word.kind == "years":
            new = _years(written, request.target.name)
        elif not rules.names:
            found.refused.append(f"{written!r}: {NAMES_STAY}")
        else:
            new = _new_name(document, word, request.target, taken, key=rules.key)
        if new is None:
            found.missing.append(f"{written!r}: {NO_WORD}")
        elif new != written:
            found.words[word] = new
    return found


def _new_name(
    document: Document, word: DemographicMention, target: Attribute, taken: frozenset[str], *, key: str
) -> str | None:
    """Another name; None for the "Sarah" of "Sarah-Jane", the "Mercedes" of "Mercedes-Benz"."""
    text = document.text
    if "-" in (text[word.start - 1 : word.start], text[word.stop : word.stop + 1]):
        return None
    written = text[word.start : word.stop]
    kind: Literal["surname", "first"] = "surname" if word.kind == "surname" else "first"
    new = replacement_name(written, target, kind=kind, taken=taken, key=key)
    if new is None:
        return None
    return new.lower() if written.islower() else match_case(new, written)


def _of_request(person: DescribedPerson, request: Request) -> list[DemographicMention]:
    """A person's words with the attribute to change, without pronouns.

    A man of 45 is also an adult: an age in numbers changes with "man", and "man" with the age if he becomes a child.
    """
    source, words = request.source, [word for word in person.words if word.kind != "pronoun"]
    ages = {word.attribute for word in words if word.kind in ("years", "decade")}
    if source.axis == "age" and len(ages) == 1 and source in (ADULT, *ages):
        changing = ages | {ADULT} if source == ADULT or request.target.name == "child" else ages
        return [word for word in words if word.attribute in changing]
    return [word for word in words if word.attribute == source]


def _is_beside(document: Document, word: DemographicMention, new: str) -> bool:
    """Whether a word would become the one it contrasts with: "the king and queen", "My aunt is not my uncle"."""
    head, phrase = word.head(document), new
    noun = document.head(head)
    if head.relation == "amod" and noun is not None and noun.index > head.index:  # "white men and Black men"
        head, phrase = noun, new + document.text[word.stop : noun.end]
    before, behind = document.text[: word.start].lower(), document.text[head.end :].lower()
    same = "(?:" + "|".join(map(re.escape, _in_both_numbers(phrase.lower()))) + ")"
    if re.match(rf"{_AND}{same}\b", behind) or re.search(rf"\b{same}{_AND}$", before):
        return True
    if re.match(rf"{_AND}{re.escape(new.lower())}\b", document.text[word.stop :].lower()):
        return True  # "white and Black families"
    if head is noun and any(
        a.lower == new.lower() for w in _tied(document, head) for a in document.children(w, "amod")
    ):
        return True  # "nine white members and three Black ones"
    forms = tuple(_in_both_numbers(phrase.lower()))
    return any(document.text[: w.end].lower().endswith(forms) for w in _tied(document, head))


def _in_both_numbers(phrase: str) -> list[str]:
    """A phrase in the singular and in the plural: "two boys and a boy" is not written either.

    >>> _in_both_numbers("white man")
    ['white man', 'white men']
    """
    before, _, noun = phrase.rpartition(" ")
    singulars = {noun, *lemmas(noun, "NOUN")}
    forms = singulars | {plural for lemma in singulars if (plural := inflect(lemma, "NNS")) is not None}
    return sorted(f"{before} {form}".strip() for form in forms)


def _tied(document: Document, word: Word) -> Iterator[Word]:
    """The words that the parse coordinates with a word, and those that a copula links to it."""
    above = document.head(word)
    first = above if above is not None and word.relation in ("conj", "appos") else word
    yield from (other for other in (first, *document.children(first, "conj", "appos")) if other is not word)
    if document.children(word, "cop"):
        yield from document.children(word, "nsubj")
    if above is not None and word.relation == "nsubj" and document.children(above, "cop"):
        yield above


def _possessive(document: Document, word: DemographicMention, new: str) -> Iterator[Change]:
    """The change of the apostrophe after a word: "the ladies' room", "the gentlemen's room"."""
    mark = document.words[word.end] if word.end < len(document) else None
    if mark is None or mark.text[:1] not in ("'", "’") or mark.start > word.stop + 1:
        return  # "the children 's room" in tokens
    ends_in_s = new[-1:] in ("s", "S")
    is_plural = word.number == "plur"
    if len(mark.text) == 1 and not ends_in_s:
        yield Change(mark.start, mark.end, mark.text + ("S" if new.isupper() else "s"))
    elif len(mark.text) > 1 and ends_in_s and is_plural:
        yield Change(mark.start, mark.end, mark.text[:1])


def _counterpart(document: Document, word: DemographicMention, name: str) -> str | None:
    """The listed word for another attribute, capitalised like the old one; group words keep their own capitals."""
    assert word.entry is not None
    new = word.entry.counterparts.get(name)
    if new is None:
        return None
    if not _can_be_written(document, word, name):
        return None
    new = (_noble_counterpart(document, word) if name == "man" else None) or new
    if word.attribute.axis == "race":
        first = document.words[word.first]
        opens = first.index == document.sentences[document.sentence_number(first)][0]
        if is_all_caps(document.text):
            return new.upper()
        return capitalise(new) if opens and first.text[:1].isupper() else new
    written = document.text[word.start : word.stop]
    if any(c.isupper() for c in new):
        return new.lower() if document.text.islower() else new
    if written.istitle() and " " in written:  # "Vice Chairman"
        return " ".join(map(capitalise, new.split(" ")))
    return match_case(new, written)


def _can_be_written(document: Document, word: DemographicMention, name: str) -> bool:
    """False for "the people's 800 metres", "the girls' 800 metres", "non-binary empowerment", "parent says"."""
    head = word.head(document)
    above, owners = document.head(head), document.children(head, "nmod:poss", "det")
    is_of_thing = above is not None and not is_person(above)
    if name == "non-binary":
        is_adjective = head.relation == "amod" and is_of_thing
        is_customer = (
            head.relation == "compound" and above is not None and not is_of_thing
        )  # "women customers"
        is_baby = document.lower_at(word.first - 1) == "baby"  # "a baby boy"
        is_mom = word.kind == "kin" and not owners and word.number == "sing"  # "mom loved it"
        if is_adjective or is_customer or is_baby or is_mom:
            return False
    if word.kind == "kin" and any_lower(owners, ("my",)) and head.lower in ("husbands", "wives"):
        return False  # "my husbands sauce"
    is_event = document.lower_at(word.end) in ("'s", "'", "’s", "’") and is_of_thing
    is_category = word.listed in ("men", "women", "ladies", "boys", "girls")
    return not (is_event and is_category and name not in ("man", "woman"))


def _noble_counterpart(document: Document, word: DemographicMention) -> str | None:
    """What "lady" and "countess" become among nobles: "the feudal lords", "the seventh Earl"."""
    new, company = _NOBLES.get(document.text[word.start : word.stop].lower(), ("", frozenset()))
    among = {other.lower for other in document if not word.first <= other.index < word.end}
    return new if among & company else None


def _years(written: str, name: str) -> str | None:
    years = parse_age(written)
    new = None if years is None else nearest_age(years, name)
    return None if new is None else format_age(new, written)


def _quotations(text: str) -> list[tuple[int, int]]:
    """The spans of quotations; none if the whole text is one quotation."""
    spans = [match.span() for match in _QUOTATION.finditer(text)]
    is_whole = any(end - start > 0.8 * len(text.strip()) for start, end in spans)
    return [] if is_whole else spans


def _everyone(people: Sequence[DescribedPerson], source: Attribute) -> list[DescribedPerson]:
    """All people with an attribute; ambiguous words ("actor") are included if someone surely has it."""
    if not any(source.name in person.attributes(source.axis) for person in people):
        return []
    return [person for person in people if any(word.attribute == source for word in person.words)]


def _places(
    segments: Sequence[str], document: Document, people: Iterable[DescribedPerson]
) -> tuple[Place, ...]:
    """The places of the people's mentions, in order."""
    spots = {(word.start, word.stop) for person in people for word in person.words}
    for mention in (mention for person in people for mention in person.mentions):
        spots.add((document.words[mention.start].start, document.words[mention.end - 1].end))
    places = [place_in(segments, *spot) for spot in sorted(spots)]
    return tuple(place for place in places if place is not None)


def as_one(segments: Iterable[str]) -> str:
    """The segments as one text, so that a person in several of them is one person."""
    return BETWEEN.join(segments)


def starts_of(segments: Sequence[str]) -> list[int]:
    """The position of each segment in the one text.

    >>> starts_of(["Ann left.", "", "She is gone."])
    [0, 11, 13]
    """
    return list(accumulate((len(segment) + len(BETWEEN) for segment in segments[:-1]), initial=0))


def place_in(segments: Sequence[str], start: int, end: int) -> Place | None:
    """A span of the one text as a place in its segment; None if it crosses two of them.

    >>> place_in(["Ann left.", "She is gone."], 11, 14)
    Place(segment=1, start=0, end=3)
    """
    for number, (segment, first) in enumerate(zip(segments, starts_of(segments), strict=True)):
        if first <= start and end <= first + len(segment):
            return Place(number, start - first, end - first)
    return None


def with_changes(segments: Sequence[str], changes: Iterable[Change]) -> tuple[str, ...]:
    """The segments with changes of the one text applied; a change that crosses two segments is skipped.

    >>> with_changes(["Ann left.", "She is gone."], [Change(11, 14, "He")])
    ('Ann left.', 'He is gone.')
    """
    inside: list[list[Change]] = [[] for _ in segments]
    for change in changes:
        place = place_in(segments, change.start, change.end)
        if place is not None:
            inside[place.segment].append(Change(place.start, place.end, change.text))
    return tuple(map(apply_changes, segments, inside))
