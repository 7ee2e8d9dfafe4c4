"""Sister terms: classes of terms that exclude each other, such as nationalities, and where a claim uses one.

    sister_spots(scene)    every such term of a text: "French" in "is a French film", "1984" in "was born in 1984"

The classes are in `sisters.toml`. A term counts only in the frame of its class, in which one term excludes the others:

    quality   "is German", "is a German film"          kind      "is a novel", "is a film director"
    place     "was born in Rome", "is in Peru"         kin       "was the daughter of"
    agent     "was directed by Ann Lee"                network   "aired on HBO"
    month     "in May 1977", "on May 11"               team      "a basketball player"
    year      "was released in 2005"; there is no list of years

Offered replacements never occur in the context or the claim, in any form.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from longway.english.denials import subject_of
from longway.english.document import Change, Document, Word, any_lower
from longway.english.rules.rule import Scene
from longway.english.rules.sentence import is_known_person, main_clause_root
from longway.english.words import listed_words

_LISTS = listed_words(__name__)

CLASSES_PATH = Path(__file__).parent / "sisters.toml"


@dataclass(frozen=True, slots=True)
class SisterTerm:
    """A term and its aliases."""

    text: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SisterClass:
    """Terms that exclude each other; see `sisters.toml`. replacements: the terms that may be inserted."""

    name: str
    frame: str
    sure: bool
    of: str
    verbs: frozenset[str]
    terms: tuple[SisterTerm, ...]
    replacements: tuple[SisterTerm, ...]


@lru_cache(maxsize=1)
def sister_classes() -> tuple[SisterClass, ...]:
    """Read the classes once."""
    return tuple(
        _parse_class(name, row) for name, row in tomllib.loads(CLASSES_PATH.read_text("utf-8")).items()
    )


def _parse_class(name: str, row: dict[str, str | bool]) -> SisterClass:
    terms = _parse_terms(str(row["terms"]))
    return SisterClass(
        name=name,
        frame=str(row["frame"]),
        sure=bool(row["sure"]),
        of=str(row.get("of", "")),
        verbs=frozenset(str(row.get("verbs", "")).split()),
        terms=terms,
        replacements=_parse_terms(str(row["new"])) if "new" in row else terms,
    )


def _parse_terms(text: str) -> tuple[SisterTerm, ...]:
    parts = [" ".join(part.split()) for part in text.split(",") if part.strip()]
    split = (part.partition("=") for part in parts)
    return tuple(SisterTerm(term, tuple(aliases.split("|")) if aliases else ()) for term, _, aliases in split)


@lru_cache(maxsize=32)
def terms_of(name: str) -> frozenset[str]:
    """Return the terms of one class as written, for example of "month"."""
    return frozenset(
        term.text
        for sister_class in sister_classes()
        if sister_class.name == name
        for term in sister_class.terms
    )


def ends_clause(document: Document, last: Word, *also: str) -> bool:
    """Return True if the clause ends after a word, or one of the words in `also` follows."""
    after = document.after(last)
    return after is None or after.text in (".", "!") or after.lower in also


def _is_predicate(document: Document, word: Word) -> bool:
    """Return True for the noun or adjective after a copula of the main clause, or of "incapable of being"."""
    copulas = document.children(word, "cop")
    if not copulas or document.children(word, "case"):  # "was in a film"
        return False
    open_relations = ("xcomp", "advcl", "obl", "ccomp")
    return word.relation == "root" or (
        copulas[0].lower in ("be", "being") and word.relation in open_relations
    )


def _is_quality(document: Document, first: Word, last: Word) -> bool:
    if _is_predicate(document, last):
        return last.upos == "ADJ" and ends_clause(document, last)
    head = document.head(last)
    return (
        last.relation == "amod"
        and head is not None
        and head.text.islower()
        and head.index > last.index
        and _is_predicate(document, head)
    )


def _is_place(document: Document, first: Word, last: Word) -> bool:
    before = document.before(first)
    if (
        before is None
        or before.lower not in ("in", "from", "outside", "of")
        or not ends_clause(document, last)
    ):
        return False
    head = next(
        (w for w in document.words[first.index : last.index + 1] if not first.index <= w.head <= last.index),
        last,
    )
    outside = document.word_at(first.index - 2)
    is_outside = before.lower == "of" and outside is not None and outside.lower == "outside"
    if head.relation == "root":
        return bool(document.children(head, "cop")) and (before.lower != "of" or is_outside)
    governor = document.head(head)
    if governor is None or (before.lower == "of" and not is_outside):
        return governor is not None and governor.lemma == "capital"
    return (
        governor.lemma in _LISTS.location_verbs
        and governor.upos == "VERB"
        and main_clause_root(document, governor.index) is not None
    )


def _is_kind(document: Document, first: Word, last: Word) -> bool:
    before = document.before(first)
    if not _is_predicate(document, last) or last.upos != "NOUN" or before is None:
        return False
    return (before.lower in ("a", "an") and ends_clause(document, last)) or (
        _is_origin(before)
        and ends_clause(document, last)
        and (two := document.before(before)) is not None
        and two.lower in ("a", "an")
    )


def _is_origin(word: Word) -> bool:
    return word.text in terms_of("nationality")


def _is_kin(document: Document, first: Word, last: Word) -> bool:
    before, after = document.before(first), document.after(last)
    named = before is not None and after is not None and before.lower == "the" and after.lower == "of"
    return named and _is_predicate(document, last)


def _is_month(document: Document, first: Word, last: Word) -> bool:
    before, after = document.before(first), document.after(last)
    if before is None or after is None or before.text not in ("in", "on") or not after.text[0].isdigit():
        return False
    return one_time_verb(document, last) is not None


def one_time_verb(document: Document, word: Word) -> Word | None:
    """Return the verb of the main clause if a word depends on it and it names something that happens once."""
    for above in document.ancestors(word):
        if above.upos == "VERB":
            after = document.after(above)
            is_out = above.lemma == "come" and after is not None and after.lower == "out"
            is_many = any(_is_one_of_many(document, w) for w in document.children(above, "obj"))
            is_once = (above.lemma in _LISTS.one_time_verbs or is_out) and not is_many
            return above if is_once and above.relation == "root" else None
        if above.relation == "root":
            return None
    return None


def _is_one_of_many(document: Document, noun: Word) -> bool:
    """Return True for "released an album": there may be others."""
    return noun.tag == "NNS" or any_lower(document.children(noun, "det"), ("a", "an"))


def _is_network(document: Document, first: Word, last: Word) -> bool:
    before = document.before(first)
    governor = document.head(last)
    if before is None or before.text != "on" or governor is None or not ends_clause(document, last):
        return False
    return governor.relation == "root" and governor.lemma in _LISTS.broadcast_verbs


def _is_team(document: Document, first: Word, last: Word) -> bool:
    head = document.head(last)
    before = document.before(first)
    plain = before is not None and (
        before.lower in ("a", "an") or _is_origin(before) or before.lower == "professional"
    )
    return (
        plain
        and last.relation == "compound"
        and head is not None
        and head.lemma in _LISTS.team_nouns
        and _is_predicate(document, head)
        and ends_clause(document, head)
    )


FRAMES: dict[str, Callable[[Document, Word, Word], bool]] = {
    "quality": _is_quality,
    "place": _is_place,
    "kind": _is_kind,
    "kin": _is_kin,
    "month": _is_month,
    "network": _is_network,
    "team": _is_team,
}


MAX_OFFERED = 3  # replacements per spot
_YEAR_RANGE = (1850, 2016)  # of new years
_YEAR_PATTERN = re.compile(r"1[5-9]\d\d|20[01]\d")


@dataclass(frozen=True, slots=True)
class SisterSpot:
    """A term of a text that could be another one.

    start, end: its offsets. others: possible replacements, a few per text. is_known: the context has the term. has_rival:
    the context has another term of the class. aliases: words with the same meaning. rivals: the other terms of the class in the context.
    """

    start: int
    end: int
    name: str
    sure: bool
    others: tuple[str, ...]
    is_known: bool
    has_rival: bool
    aliases: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()

    def becomes(self, text: str) -> Change:
        """Return the change that replaces the term."""
        return Change(self.start, self.end, text)


def sister_spots(scene: Scene) -> Iterator[SisterSpot]:
    """Yield the terms of a text that exclude others, if it has a context."""
    if scene.context is None:
        return
    yield from _years(scene)
    used: set[int] = set()
    for sister_class in sister_classes():
        for first, last, term in _matches(scene, sister_class):
            words = range(first.index, last.index + 1)
            if used.isdisjoint(words):
                used.update(words)
                spot = _make_spot(scene, sister_class, first, last, term)
                if spot.others:
                    yield spot


def _make_spot(
    scene: Scene, sister_class: SisterClass, first: Word, last: Word, term: SisterTerm
) -> SisterSpot:
    context = scene.context or ""
    others = [
        t
        for t in sister_class.replacements
        if t.text != term.text and not _occurs_in(t, context, scene.document.text)
    ]
    is_known = _contains(context, term.text) or (
        sister_class.frame != "agent" and any(_contains(context, a) for a in term.aliases)
    )
    rivals = [
        r.text
        for r in sister_class.terms
        if r.text != term.text
        and (
            _contains(context, r.text)
            or any(_contains(context, a) for a in r.aliases if a not in term.aliases)
        )
    ]
    has_rival = bool(rivals)
    if sister_class.frame == "agent":
        has_rival = any(
            re.search(rf"\b{verb}\w*\b[^.]*\bby\b", context) for verb in _verb_stems(sister_class.verbs)
        )
    return SisterSpot(
        first.start,
        last.end,
        sister_class.name,
        sister_class.sure,
        _sample(scene, term.text, others),
        is_known,
        has_rival,
        tuple(term.aliases),
        tuple(rivals),
    )


def _verb_stems(verbs: frozenset[str]) -> Iterator[str]:
    return ({"write": "writ", "create": "creat", "sing": "s[ua]ng"}.get(verb, verb) for verb in sorted(verbs))


def _sample(scene: Scene, term: str, others: list[SisterTerm]) -> tuple[str, ...]:
    """Return a few of the terms. They depend on the text, so none of them becomes a new shortcut."""
    key = f"{scene.document.text}\0{term}\0"
    order = sorted(others, key=lambda term: blake2b((key + term.text).encode(), digest_size=8).digest())
    return tuple(term.text for term in order[:MAX_OFFERED])


def _occurs_in(term: SisterTerm, *texts: str) -> bool:
    """Return True if a term or an alias occurs in one of the texts."""
    return any(
        _contains(text, word) for text in texts for word in (term.text.removeprefix("the "), *term.aliases)
    )


def _contains(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}s?(?!\w)", text, re.IGNORECASE) is not None


def _matches(scene: Scene, sister_class: SisterClass) -> Iterator[tuple[Word, Word, SisterTerm]]:
    root = scene.document.root
    subject = None if root is None else subject_of(scene.document, root)
    if sister_class.of and (sister_class.of == "person") != is_known_person(scene, subject):
        return
    if sister_class.frame == "agent":
        yield from _agents(scene.document, sister_class)
        return
    check = FRAMES[sister_class.frame]
    words = scene.document.words
    written = {word.text for word in words}
    for term in sorted(sister_class.terms, key=lambda t: -len(t.text)):
        parts = term.text.split()
        for first in words if written.issuperset(parts) else ():
            run = words[first.index : first.index + len(parts)]
            if [w.text for w in run] == parts and check(scene.document, first, run[-1]):
                yield first, run[-1], term


def _agents(document: Document, sister_class: SisterClass) -> Iterator[tuple[Word, Word, SisterTerm]]:
    """Yield the makers of works, whatever their names."""
    for head in document:
        governor = document.head(head)
        if head.dep != "obl:agent" or head.upos != "PROPN" or governor is None:
            continue
        is_alone = not document.children(governor, "conj") and governor.relation in ("root", "xcomp")
        if governor.lemma not in sister_class.verbs or not is_alone:
            continue
        name = [w for w in document.subtree(head) if w.relation != "case"]
        is_plain = all(w.upos == "PROPN" for w in name) and name[-1].index - name[0].index + 1 == len(name)
        if is_plain and ends_clause(document, name[-1], "only", "alone", "exclusively", "solely"):
            yield name[0], name[-1], SisterTerm(document.text[name[0].start : name[-1].end], ())


def _years(scene: Scene) -> Iterator[SisterSpot]:
    """Yield the years of events that happen once."""
    context = scene.context or ""
    for word in scene.document:
        before = scene.document.before(word)
        if not _YEAR_PATTERN.fullmatch(word.text) or before is None:
            continue
        if before.text == "in" and not ends_clause(scene.document, word):
            continue
        if before.text not in ("in", ",", *terms_of("month")):
            continue
        verb = one_time_verb(scene.document, word)
        if verb is None:
            continue
        known = set(re.findall(r"\b\d{4}\b", context))
        if verb.lemma == "die" and not re.search(r"\bdied\b|\bdeath\b|--", context):
            continue  # the years in the context are for other events
        others = _other_years(scene, int(word.text), known)
        yield SisterSpot(
            word.start, word.end, "year", True, others, word.text in known, bool(known - {word.text})
        )


def _other_years(scene: Scene, year: int, known: set[str]) -> tuple[str, ...]:
    """Return some years near a year; they depend on the text."""
    seed = int.from_bytes(blake2b(scene.document.text.encode(), digest_size=4).digest(), "big")
    steps = [3 + (seed >> (4 * i)) % 16 for i in range(6)]
    candidates = [year + (step if (seed >> i) & 1 else -step) for i, step in enumerate(steps)]
    low, high = min(_YEAR_RANGE[0], year - 40), max(_YEAR_RANGE[1], year)
    fitting = dict.fromkeys(
        str(y) for y in candidates if low <= y <= high and str(y) not in known and y != year
    )
    return tuple(fitting)[:MAX_OFFERED]
