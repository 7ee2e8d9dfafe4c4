"""The rule-based perturber: no model, the default.

    text  ->  people and what is said of them  ->  the person of the chosen word  ->  changes  ->  text

    gender   pronouns with their verbs (`text/agreement.py`), nouns and titles from the lists, first names
    race     first names and surnames, group words that describe the person
    age      nouns and adjectives from the lists, ages in numbers

Everything else stays, byte for byte, but for the articles before what was changed. What cannot be changed is told, and nothing is
invented: a word without a counterpart stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from longway.demographics.ages import in_range, written_as, years_in
from longway.demographics.axes import AGES, Attribute
from longway.demographics.found import Found, FoundIn, found_in
from longway.demographics.given_names import name_for
from longway.demographics.persons import Person, persons_in
from longway.rewrite.perturb.perturber import Perturbed, Place, Request, unchanged
from longway.text.agreement import change_pronouns
from longway.text.articles import mend_articles
from longway.text.capitals import capitalised, like
from longway.text.changes import Change, apply_changes
from longway.text.document import Document
from longway.text.english import english
from longway.text.pronouns import HE, SHE, Pronoun, singular_they

BETWEEN = "\n\n"  # segments are read as one text, so that a person in both is one person
NOBODY = "nobody is told of by this word"
NO_WORD = "there is no other word for it"
QUOTED = "only a quotation speaks of this person"
NO_NUMBER = "an age in numbers cannot be left open"


_QUOTATION = re.compile(r"“[^”]{2,600}”|\"[^\"]{2,600}\"|``.{2,600}?''", re.DOTALL)


@dataclass(slots=True)
class _Changes:
    """What is to be changed in one document, and what cannot be."""

    changes: list[Change] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class RulePerturber:
    """Changes one person by rules.

    everyone: all people with the attribute of the chosen word are changed, not only the one it stands for.
    names: whether names are changed. nouns: whether anything but pronouns is.
    keep_entities: people with a full name are left alone (facts about known people stay true).
    reflexive: the form of "they". read: analyses texts; the package's pipeline by default.
    """

    name = "rules"

    def __init__(
        self,
        *,
        everyone: bool = False,
        names: bool = True,
        nouns: bool = True,
        keep_entities: bool = False,
        reflexive: Literal["themselves", "themself"] = "themselves",
        key: str = "",
        read: Callable[[str], Document] | None = None,
    ) -> None:
        self.everyone, self.names, self.nouns, self.keep_entities = everyone, names, nouns, keep_entities
        self.key = key
        self.pronouns: dict[str, Pronoun] = {
            "man": HE,
            "woman": SHE,
            "non-binary": singular_they(reflexive),
        }
        self._read = read

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """What becomes of each request, in order."""
        return [self.perturb_one(request) for request in requests]

    def perturb_one(self, request: Request) -> Perturbed:
        """What becomes of one request."""
        text = BETWEEN.join(request.segments)
        document = (self._read or english().analyse)(text)
        found = found_in(document)
        people = persons_in(document, found)
        at = _offsets(request.segments)[request.place.segment] + request.place.start
        chosen = [p for p in people if any(word.start <= at < word.stop for word in p.words)]
        if self.everyone:
            chosen = _everyone(people, request.source)
        if not chosen:
            return unchanged(request, NOBODY)
        quoted = [person for person in chosen if _is_only_quoted(text, person)]
        chosen = [person for person in chosen if person not in quoted]
        if not chosen:
            return unchanged(request, QUOTED)
        done = self._changes(document, chosen, request)
        if not done.changes:
            return unchanged(request, done.refused[0] if done.refused else NO_WORD)
        changes = sorted({*done.changes, *mend_articles(document, done.changes)})
        return Perturbed(
            _segments(request.segments, changes),
            chain=tuple(_places(request.segments, document, chosen)),
            left=tuple(dict.fromkeys([*done.refused, *_left_alone(document, found)])),
        )

    def _changes(self, document: Document, chosen: Sequence[Person], request: Request) -> _Changes:
        done = _Changes()
        for person in chosen:
            if self.keep_entities and len(person.name.split()) > 1:
                done.refused.append(f"{person.name!r}: a person known by name")
                continue
            if request.target.axis == "gender":
                self._change_pronouns(document, person, request, done)
            if self.nouns:
                self._change_words(document, person, request, done)
        return done

    def _change_pronouns(self, document: Document, person: Person, request: Request, done: _Changes) -> None:
        wanted = self.pronouns[request.target.name]
        indices = [
            word.first for word in person.words if word.kind == "pronoun" and word.attribute == request.source
        ]
        done.changes += change_pronouns(document, dict.fromkeys(indices, wanted))

    def _change_words(self, document: Document, person: Person, request: Request, done: _Changes) -> None:
        mine = [word for word in person.words if word.kind != "pronoun" and word.attribute == request.source]
        target = request.target.name
        if any(word.kind == "years" for word in mine):
            if target not in AGES:
                done.refused.append(NO_NUMBER)
                return
            if target != "child":
                target = "adult"  # "an eighteen-year-old woman", not "an eighteen-year-old young woman"
        taken = frozenset(word.lower for word in document)
        is_known = self.everyone or request.source.name in person.told(request.source.axis)
        for word in mine:
            if word.is_generic and not is_known:
                continue
            written = document.text[word.start : word.stop]
            if word.entry is not None:
                new = _counterpart(document, word, target)
            elif word.kind == "years":
                new = _years(written, request.target.name)
            else:
                new = self._name_for(written, word.kind, request.target, taken)
            if new is None:
                done.refused.append(f"{written!r}: {NO_WORD}")
            elif new != written:
                done.changes.append(Change(word.start, word.stop, new))

    def _name_for(self, written: str, kind: str, target: Attribute, taken: frozenset[str]) -> str | None:
        if not self.names or (kind == "surname" and target.axis == "gender"):
            return written
        new = name_for(
            written, target, kind="surname" if kind == "surname" else "first", taken=taken, key=self.key
        )
        return None if new is None else like(new, written)


def _counterpart(document: Document, word: Found, name: str) -> str | None:
    """The listed word for another attribute, with the capitals of its place; group words keep those of their own."""
    assert word.entry is not None
    new = word.entry.counterparts.get(name)
    if new is None:
        return None
    if word.attribute.axis == "race":
        first = document.words[word.first]
        opens = first.index == document.sentences[document.sentence_number(first)][0]
        return capitalised(new) if opens and first.text[:1].isupper() else new
    return new if any(c.isupper() for c in new) else like(new, document.text[word.start : word.stop])


def _years(written: str, name: str) -> str | None:
    years = years_in(written)
    new = None if years is None else in_range(years, name)
    return None if new is None else written_as(new, written)


def _is_only_quoted(text: str, person: Person) -> bool:
    """True where everything said of a person stands in somebody's quoted words; a text that is one quotation has none."""
    spans = [match.span() for match in _QUOTATION.finditer(text)]
    is_whole = any(end - start > 0.8 * len(text.strip()) for start, end in spans)
    return not is_whole and all(
        any(start <= word.start and word.stop <= end for start, end in spans) for word in person.words
    )


def _left_alone(document: Document, found: FoundIn) -> Iterator[str]:
    """What only looks demographic in the document, with the reason."""
    for one in found.left:
        yield f"{document.text[one.start : one.stop]!r}: {one.reason}"


def _everyone(people: Sequence[Person], source: Attribute) -> list[Person]:
    """All people with an attribute; words that are also said of others ("actor") join them where someone surely has it."""
    if not any(source.name in person.told(source.axis) for person in people):
        return []
    return [person for person in people if any(word.attribute == source for word in person.words)]


def _offsets(segments: Sequence[str]) -> list[int]:
    """Where each segment begins in the joined text."""
    starts, at = [], 0
    for segment in segments:
        starts.append(at)
        at += len(segment) + len(BETWEEN)
    return starts


def _segments(segments: Sequence[str], changes: Iterable[Change]) -> tuple[str, ...]:
    """The segments with the changes of the joined text made in each."""
    changed = []
    for segment, start in zip(segments, _offsets(segments), strict=True):
        inside = [
            Change(change.start - start, change.end - start, change.text)
            for change in changes
            if start <= change.start and change.end <= start + len(segment)
        ]
        changed.append(apply_changes(segment, inside))
    return tuple(changed)


def _places(segments: Sequence[str], document: Document, people: Iterable[Person]) -> Iterator[Place]:
    """Where the mentions of the people stand, in order."""
    starts = _offsets(segments)
    spots = sorted(
        {
            (document.words[m.start].start, document.words[m.end - 1].end)
            for person in people
            for m in person.mentions
        }
        | {(word.start, word.stop) for person in people for word in person.words}
    )
    for start, end in spots:
        segment = max(i for i, at in enumerate(starts) if at <= start)
        yield Place(segment, start - starts[segment], min(end - starts[segment], len(segments[segment])))
