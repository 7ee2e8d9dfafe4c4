"""Sister terms: what a claim names of a class of things that exclude each other, and what else it could have named.

    spots(scene)    every such term of a text, at its place: "French" in "is a French film", "1984" in "was born in 1984"

The classes are in `sisters.toml`. A term counts only in the frame of its class, where one answer excludes the others:

    quality   "is German", "is a German film"          kind      "is a novel", "is a film director"
    place     "was born in Rome", "is in Peru"         kin       "was the daughter of"
    agent     "was directed by Ann Lee"                network   "aired on HBO"
    month     "in May 1977", "on May 11"               team      "a basketball player"
    year      "was released in 2005"; there is no list of years

What is offered in its place never stands in the context or the claim, in whatever form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from longway.rules.denial import subject_of
from longway.rules.frame import is_person
from longway.rules.rule import Scene
from longway.rules.sister_classes import SisterClass, Term, sister_classes, terms_of
from longway.rules.sister_frames import FRAMES, at, ends, verb_of
from longway.text.document import Document, Word

MOST = 3  # terms offered for one spot
_YEARS = (1850, 2016)  # between which years are made up
_YEAR = re.compile(r"1[5-9]\d\d|20[01]\d")


@dataclass(frozen=True, slots=True)
class Spot:
    """A term of a text that could be another one.

    start, end: its place. others: what could stand there and does not stand in the context, some for each text.
    is_known: the term stands in the context. has_rival: another one of the class, or a word for it, does.
    """

    start: int
    end: int
    name: str
    sure: bool
    others: tuple[str, ...]
    is_known: bool
    has_rival: bool


def spots(scene: Scene) -> Iterator[Spot]:
    """The terms of a text that exclude others, where the context is given."""
    if scene.context is None:
        return
    yield from _years(scene)
    taken: set[int] = set()
    for one in sister_classes():
        for first, last, term in _matches(scene, one):
            words = range(first.index, last.index + 1)
            if taken.isdisjoint(words):
                taken.update(words)
                spot = _spot(scene, one, first, last, term)
                if spot.others:
                    yield spot


def _spot(scene: Scene, one: SisterClass, first: Word, last: Word, term: Term) -> Spot:
    context = scene.context or ""
    others = [t for t in one.given if t.text != term.text and not _stands(t, context, scene.document.text)]
    is_known = _has(context, term.text) or (
        one.frame != "agent" and any(_has(context, a) for a in term.aliases)
    )
    rivals = (t for t in one.terms if t.text != term.text)
    has_rival = any(
        _has(context, r.text) or any(_has(context, a) for a in r.aliases if a not in term.aliases)
        for r in rivals
    )
    if one.frame == "agent":
        has_rival = any(re.search(rf"\b{verb}\w*\b[^.]*\bby\b", context) for verb in _stems(one.verbs))
    return Spot(
        first.start, last.end, one.name, one.sure, _some(scene, term.text, others), is_known, has_rival
    )


def _stems(verbs: frozenset[str]) -> Iterator[str]:
    return ({"write": "writ", "create": "creat", "sing": "s[ua]ng"}.get(verb, verb) for verb in sorted(verbs))


def _some(scene: Scene, written: str, others: list[Term]) -> tuple[str, ...]:
    """A few of the terms, others for each text, so that none of them becomes telling."""
    key = f"{scene.document.text}\0{written}\0"
    order = sorted(others, key=lambda term: blake2b((key + term.text).encode(), digest_size=8).digest())
    return tuple(term.text for term in order[:MOST])


def _stands(term: Term, *texts: str) -> bool:
    """True where a term or a word for the same stands in one of the texts."""
    return any(_has(text, word) for text in texts for word in (term.text.removeprefix("the "), *term.aliases))


def _has(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}s?(?!\w)", text, re.IGNORECASE) is not None


def _matches(scene: Scene, one: SisterClass) -> Iterator[tuple[Word, Word, Term]]:
    if one.of and (one.of == "person") != is_person(scene, _subject(scene.document)):
        return
    if one.frame == "agent":
        yield from _agents(scene.document, one)
        return
    check = FRAMES[one.frame]
    words = scene.document.words
    written = {word.text for word in words}
    for term in sorted(one.terms, key=lambda t: -len(t.text)):
        parts = term.text.split()
        for first in words if written.issuperset(parts) else ():
            run = words[first.index : first.index + len(parts)]
            if [w.text for w in run] == parts and check(scene.document, first, run[-1]):
                yield first, run[-1], term


def _subject(document: Document) -> Word | None:
    root = next((w for w in document if w.relation == "root"), None)
    return None if root is None else subject_of(document, root)


def _agents(document: Document, one: SisterClass) -> Iterator[tuple[Word, Word, Term]]:
    """Whoever a work is by, whatever the name."""
    for head in document:
        governor = document.head(head)
        if (
            head.dep != "obl:agent"
            or head.upos != "PROPN"
            or governor is None
            or governor.lemma not in one.verbs
        ):
            continue
        if document.children(governor, "conj") or governor.relation not in ("root", "xcomp"):
            continue
        name = [w for w in document.subtree(head) if w.relation != "case"]
        is_plain = all(w.upos == "PROPN" for w in name) and name[-1].index - name[0].index + 1 == len(name)
        if is_plain and ends(document, name[-1], "only", "alone", "exclusively", "solely"):
            yield name[0], name[-1], Term(document.text[name[0].start : name[-1].end], ())


def _years(scene: Scene) -> Iterator[Spot]:
    """Years of what happens once."""
    context = scene.context or ""
    for word in scene.document:
        before = at(scene.document, word.index - 1)
        if (
            not _YEAR.fullmatch(word.text)
            or before is None
            or before.text not in ("in", ",", *terms_of("month"))
        ):
            continue
        if before.text == "in" and not ends(scene.document, word):
            continue
        verb = verb_of(scene.document, word)
        if verb is None:
            continue
        known = set(re.findall(r"\b\d{4}\b", context))
        if verb.lemma == "die" and not re.search(r"\bdied\b|\bdeath\b|--", context):
            continue  # the years that the context has are others
        others = _other_years(scene, int(word.text), known)
        yield Spot(word.start, word.end, "year", True, others, word.text in known, bool(known - {word.text}))


def _other_years(scene: Scene, year: int, known: set[str]) -> tuple[str, ...]:
    """Some years near a year; other ones for each text."""
    seed = int.from_bytes(blake2b(scene.document.text.encode(), digest_size=4).digest(), "big")
    steps = [3 + (seed >> (4 * i)) % 16 for i in range(6)]
    near = [year + (step if (seed >> i) & 1 else -step) for i, step in enumerate(steps)]
    low, high = min(_YEARS[0], year - 40), max(_YEARS[1], year)
    fitting = dict.fromkeys(str(y) for y in near if low <= y <= high and str(y) not in known and y != year)
    return tuple(fitting)[:MOST]
