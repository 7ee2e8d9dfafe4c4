"""The rule-based perturber: no model, the default.

    text  ->  people and the words about them  ->  the person of the chosen word  ->  changes  ->  text

    gender   pronouns with their verbs (`english/verb_agreement.py`), nouns and titles from the lists, first names
    race     first names and surnames, group words that describe the person
    age      nouns and adjectives from the lists, ages in numbers

Everything else stays, byte for byte, except for articles before a change and the apostrophe after it. Nothing is invented: a word
without a counterpart stays, and is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from longway.english.articles import fix_articles
from longway.english.document import Change, Document, Word
from longway.english.inflection import capitalise, inflect, is_all_caps, lemmas, match_case
from longway.english.listed_words import listed_words
from longway.english.people.ages import format_age, nearest_age, parse_age
from longway.english.people.demographic_mentions import (
    DemographicMention,
    Demographics,
    DescribedPerson,
    find_demographics,
    find_persons,
)
from longway.english.people.demographics import AGE_RANGES, Attribute
from longway.english.people.person_names import replacement_name
from longway.english.people.pronouns import HE, PRONOUNS, SHE, Pronoun, singular_they
from longway.english.people.referents import is_person
from longway.english.pipeline import load_pipeline
from longway.english.verb_agreement import change_pronouns
from longway.methods.perturb.doubts import reason_of_doubt
from longway.methods.perturb.perturber import Perturbed, Place, Request, unchanged
from longway.methods.perturb.segments import as_one, place_in, starts_of, with_changes

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

_QUOTATION = re.compile(
    r"""“[^”]{2,600}” | "[^"]{2,600}" | ``.{2,600}?''
      | (?<!\w)‘(?=\D)(?:[^’]|’(?=\w)){2,600}’(?!\w)
      | (?<![\w'])'(?=[A-Z])(?:[^'\n]|'(?=\w)){2,600}[,.!?]'(?!\w)  # 'She is here,' but not the '90s, the ladies' room
    """,
    re.DOTALL | re.VERBOSE,
)
_LISTS = listed_words(__name__)
_AT_COURT, _BRITISH = _LISTS["at_court"], _LISTS["british"]
_AND = r",?\s+(?:and|or|nor|not|&)\s+(?:(?:the|an?|my|your|his|her|our|their)\s+)?"  # between two words of a list


@dataclass(slots=True)
class _Changes:
    """The changes of people. refused: words that stay, with the reason. missing: words that must change but have no counterpart."""

    changes: list[Change] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class RulePerturber:
    """Changes one person by rules.

    everyone: change all people with the attribute of the chosen word, not only the one it refers to.
    names: whether names are changed. nouns: whether anything but pronouns is changed.
    keep_entities: do not change people known by name, so that facts about them stay true (`DescribedPerson.is_known_by_name`).
    change_famous: change widely known people, too (`DescribedPerson.is_widely_known`).
    pronouns: what a non-binary person is called: "they", "xe", "ze" or "ey". reflexive: the form of "they".
    read: analyses texts; default the package's pipeline.
    """

    name = "rules"

    def __init__(
        self,
        *,
        everyone: bool = False,
        names: bool = True,
        nouns: bool = True,
        keep_entities: bool = False,
        change_famous: bool = False,
        pronouns: Literal["they", "xe", "ze", "ey"] = "they",
        reflexive: Literal["themselves", "themself"] = "themselves",
        key: str = "",
        read: Callable[[str], Document] | None = None,
    ) -> None:
        self.everyone, self.names, self.nouns, self.keep_entities = everyone, names, nouns, keep_entities
        self.change_famous, self.key = change_famous, key
        self.pronouns: dict[str, Pronoun] = {
            "man": HE,
            "woman": SHE,
            "non-binary": singular_they(reflexive) if pronouns == "they" else PRONOUNS[pronouns],
        }
        self._read = read

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """The result of each request, in order."""
        return [self.perturb_one(request) for request in requests]

    def perturb_one(self, request: Request) -> Perturbed:
        """The result of one request."""
        text = as_one(request.segments)
        document = (self._read or load_pipeline().analyse)(text)
        found = find_demographics(document)
        people = find_persons(document, found)
        at = starts_of(request.segments)[request.place.segment] + request.place.start
        chosen = [p for p in people if any(word.start <= at < word.stop for word in p.words)]
        if self.everyone:
            chosen = _everyone(people, request.source)
        if not chosen:
            return unchanged(request, NOBODY)
        quotations = _quotations(text)
        quoted = [person for person in people if _is_only_quoted(person, quotations)]
        chosen = [person for person in chosen if person not in quoted]
        if not chosen:
            return unchanged(request, QUOTED)
        done = self._changes(document, chosen, people, request)
        if not done.changes:
            return unchanged(request, done.refused[0] if done.refused else NO_WORD)
        changes = sorted({*done.changes, *fix_articles(document, done.changes)})
        return Perturbed(
            with_changes(request.segments, changes),
            chain=tuple(_places(request.segments, document, chosen)),
            left=tuple(
                dict.fromkeys(
                    [*done.refused, *_quoted(text, quoted, request.source), *_left_alone(document, found)]
                )
            ),
        )

    def _changes(
        self,
        document: Document,
        chosen: Sequence[DescribedPerson],
        people: Sequence[DescribedPerson],
        request: Request,
    ) -> _Changes:
        """The changes of all chosen people. A person is changed in every word, or in none."""
        done = _Changes()
        for person in chosen:
            own = _Changes()
            words = self._words(document, person, request, own) if self.nouns else {}
            beside = [word for word, new in words.items() if _stands_beside(document, word, new)]
            reason = self._reason_to_keep(person)
            if beside and not reason:
                reason = f"{_written(document, beside[0])!r}: {BESIDE}"
            if not reason and not self.everyone:
                reason = reason_of_doubt(
                    document, person, people, request, words, keep_names=not (self.names and self.nouns)
                )
            if reason or own.missing:
                done.refused += [reason] if reason else own.missing
                continue
            if request.target.axis == "gender":
                self._change_pronouns(document, person, request, own)
            for word, new in words.items():
                own.changes.append(Change(word.start, word.stop, new))
                own.changes += _possessive(document, word, new)
            done.changes += own.changes
            done.refused += own.refused
        return done

    def _reason_to_keep(self, person: DescribedPerson) -> str:
        """Why a person stays as they are, whoever they become; "" if they may be changed."""
        if self.keep_entities and person.is_known_by_name:
            return f"{person.name!r}: {KNOWN}"
        if not self.change_famous and person.is_widely_known:
            return f"{person.name!r}: {WELL_KNOWN}"
        return ""

    def _change_pronouns(
        self, document: Document, person: DescribedPerson, request: Request, done: _Changes
    ) -> None:
        wanted = self.pronouns[request.target.name]
        indices = [
            word.first for word in person.words if word.kind == "pronoun" and word.attribute == request.source
        ]
        done.changes += change_pronouns(document, dict.fromkeys(indices, wanted))

    def _words(
        self, document: Document, person: DescribedPerson, request: Request, done: _Changes
    ) -> dict[DemographicMention, str]:
        """The new words for a person's words other than pronouns; reasons for the others are added to `done`."""
        mine = _of_request(person, request)
        target = request.target.name
        if any(word.kind == "years" for word in mine):
            if target not in AGE_RANGES:
                done.missing.append(NO_NUMBER)
                return {}
            if target != "child":
                target = "adult"  # "an eighteen-year-old woman", not "an eighteen-year-old young woman"
        taken = frozenset(word.lower for word in document)
        is_known = self.everyone or request.source.name in person.attributes(request.source.axis)
        found: dict[DemographicMention, str] = {}
        for word in mine:
            if (word.is_generic and not is_known) or (
                word.entry is not None and word.attribute.name == target
            ):
                continue
            written = _written(document, word)
            if word.entry is not None:
                new = _counterpart(document, word, target)
            elif word.kind == "years":
                new = _years(written, request.target.name)
            elif not self.names:
                done.refused.append(f"{written!r}: {NAMES_STAY}")
                continue
            else:
                new = (
                    None
                    if _is_hyphenated(document, word)
                    else self._name_for(written, word.kind, request.target, taken)
                )
            if new is None:
                done.missing.append(f"{written!r}: {NO_WORD}")
            elif new != written:
                found[word] = new
        return found

    def _name_for(self, written: str, kind: str, target: Attribute, taken: frozenset[str]) -> str | None:
        new = replacement_name(
            written, target, kind="surname" if kind == "surname" else "first", taken=taken, key=self.key
        )
        if new is None:
            return None
        return new.lower() if written.islower() else match_case(new, written)


def _written(document: Document, word: DemographicMention) -> str:
    return document.text[word.start : word.stop]


def _is_hyphenated(document: Document, word: DemographicMention) -> bool:
    """True for the "Sarah" of "Sarah-Jane", the "Mercedes" of "Mercedes-Benz"."""
    return (
        document.text[word.start - 1 : word.start] == "-" or document.text[word.stop : word.stop + 1] == "-"
    )


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


def _stands_beside(document: Document, word: DemographicMention, new: str) -> bool:
    """Whether a word would become the one it contrasts with: "the king and queen", "My aunt is not my uncle"."""
    head, phrase = document.words[word.end - 1], new
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
    is_plural = word.entry is not None and word.entry.number == "plur"
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
    new = _noble_counterpart(document, word, name) or new
    if word.attribute.axis == "race":
        first = document.words[word.first]
        opens = first.index == document.sentences[document.sentence_number(first)][0]
        if is_all_caps(document.text):
            return new.upper()
        return capitalise(new) if opens and first.text[:1].isupper() else new
    written = _written(document, word)
    if any(c.isupper() for c in new):
        return new.lower() if document.text.islower() else new
    if written.istitle() and " " in written:  # "Vice Chairman"
        return " ".join(map(capitalise, new.split(" ")))
    return match_case(new, written)


def _can_be_written(document: Document, word: DemographicMention, name: str) -> bool:
    """False for "the people's 800 metres", "the girls' 800 metres", "non-binary empowerment", "parent says"."""
    head, mark = document.words[word.end - 1], document.word_at(word.end)
    above = document.head(head)
    is_of_thing = above is not None and not is_person(above)
    if name == "non-binary" and head.relation == "amod" and is_of_thing:
        return False
    owners = document.children(head, "nmod:poss", "det")
    if name == "non-binary" and head.relation == "compound" and above is not None and is_person(above):
        return False  # "women customers"
    if name == "non-binary" and document.lower_at(word.first - 1) == "baby":
        return False  # "a baby boy"
    if name == "non-binary" and word.kind == "kin" and not owners and _is_one(word):
        return False  # "mom loved it"
    if word.kind == "kin" and any(w.lower == "my" for w in owners) and head.lower in ("husbands", "wives"):
        return False  # "my husbands sauce"
    is_event = mark is not None and mark.lower in ("'s", "'", "’s", "’") and is_of_thing
    is_category = word.entry is not None and word.entry.word in ("men", "women", "ladies", "boys", "girls")
    return not (is_event and is_category and name not in ("man", "woman"))


def _is_one(word: DemographicMention) -> bool:
    return word.entry is not None and word.entry.number == "sing"


def _noble_counterpart(document: Document, word: DemographicMention, name: str) -> str | None:
    """What "lady" and "countess" become among nobles: "the feudal lords", "the seventh Earl"."""
    among = {other.lower for other in document if not word.first <= other.index < word.end}
    written = _written(document, word).lower()
    if name == "man" and written in ("lady", "ladies") and not among.isdisjoint(_AT_COURT):
        return "lord" if written == "lady" else "lords"
    if name == "man" and written in ("countess", "countesses") and not among.isdisjoint(_BRITISH):
        return "earl" if written == "countess" else "earls"
    return None


def _years(written: str, name: str) -> str | None:
    years = parse_age(written)
    new = None if years is None else nearest_age(years, name)
    return None if new is None else format_age(new, written)


def _quotations(text: str) -> list[tuple[int, int]]:
    """The spans of quotations; none if the whole text is one quotation."""
    spans = [match.span() for match in _QUOTATION.finditer(text)]
    is_whole = any(end - start > 0.8 * len(text.strip()) for start, end in spans)
    return [] if is_whole else spans


def _is_only_quoted(person: DescribedPerson, quotations: Sequence[tuple[int, int]]) -> bool:
    """Whether all words about a person are in quotations."""
    return all(
        any(start <= word.start and word.stop <= end for start, end in quotations) for word in person.words
    )


def _quoted(text: str, people: Iterable[DescribedPerson], source: Attribute) -> Iterator[str]:
    """The words with an attribute about people who are only quoted, with the reason why they stay."""
    for person in people:
        for word in person.words:
            if word.attribute == source:
                yield f"{text[word.start : word.stop]!r}: {IN_QUOTES}"


def _left_alone(document: Document, found: Demographics) -> Iterator[str]:
    """Words that only look demographic, with the reason."""
    for one in found.skipped:
        yield f"{document.text[one.start : one.stop]!r}: {one.reason}"


def _everyone(people: Sequence[DescribedPerson], source: Attribute) -> list[DescribedPerson]:
    """All people with an attribute; ambiguous words ("actor") are included if someone surely has it."""
    if not any(source.name in person.attributes(source.axis) for person in people):
        return []
    return [person for person in people if any(word.attribute == source for word in person.words)]


def _places(
    segments: Sequence[str], document: Document, people: Iterable[DescribedPerson]
) -> Iterator[Place]:
    """The places of the people's mentions, in order."""
    spots = sorted(
        {
            (document.words[m.start].start, document.words[m.end - 1].end)
            for person in people
            for m in person.mentions
        }
        | {(word.start, word.stop) for person in people for word in person.words}
    )
    for spot in spots:
        place = place_in(segments, *spot)
        if place is not None:
            yield place
