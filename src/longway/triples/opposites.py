"""The words that speak for or against something (`opposites.tsv`), found in a text.

    mentions(document)      where such words stand, on which side they are, and what says the opposite

A word counts only as the part of speech it is listed with: "well" in "well acted", not in "Well, who knows"; "like" as a verb. Expressions
of several words come first ("waste of time"), and some say nothing of that kind ("bad guy", "as well"). WordNet was tried for words
that are missing: half of what it gave was wrong here ("wry", "hefty", "sad"), and reading it takes seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from longway.text.document import Document, Word
from longway.text.inflect import lemmas

Side = Literal["positive", "negative"]
PATH = Path(__file__).parent / "opposites.tsv"
_DONE = frozenset("forced broken inspired accomplished polished dated failed".split())
_ADJECTIVAL = frozenset({"amod", "root", "xcomp", "conj", "acl", "ccomp", "advcl", "parataxis"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the table; words: as they are written there, the inflected one marked with "~"."""

    words: tuple[str, ...]
    upos: str
    side: Side | None
    opposites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a text that speak for one side.

    first, last: indices of its words. word: the one that carries the form. is_form: the listed form itself stands there, so nothing is inflected.
    """

    first: int
    last: int
    word: Word
    entry: Entry
    side: Side
    is_form: bool = False

    @property
    def is_phrase(self) -> bool:
        """Whether it has several words."""
        return self.first != self.last or self.entry.upos == "PHRASE"


@dataclass(frozen=True)
class Table:
    """The table: single words by word and part of speech, expressions by their first word, the longest first."""

    words: dict[tuple[str, str], Entry]
    phrases: dict[str, list[Entry]]


@lru_cache(maxsize=1)
def table() -> Table:
    """The table, read once."""
    words: dict[tuple[str, str], Entry] = {}
    phrases: dict[str, list[Entry]] = defaultdict(list)
    for line in PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        written, upos, side, opposites = line.split("\t")
        parts = tuple(written.replace("-", " - ").split())
        entry = Entry(parts, upos, _side(side), tuple(o.strip() for o in opposites.split(",")))
        if len(parts) > 1 or upos in ("PHRASE", "KEEP"):
            phrases[parts[0].lstrip("~")].append(entry)
        words[written, upos] = entry
    for entries in phrases.values():
        entries.sort(key=lambda entry: -len(entry.words))
    return Table(words, dict(phrases))


def mentions(document: Document, fixed: frozenset[int] = frozenset()) -> Iterator[Mention]:
    """The words that speak for one side, in order, unclear ones left out. fixed: indices of words that do not count."""
    place = 0
    while place < len(document):
        word = document.words[place]
        found = _phrase_at(document, word) or _word_at(document, word)
        place = found.last + 1 if isinstance(found, Mention) else place + 1 if found is None else found
        if isinstance(found, Mention) and fixed.isdisjoint(range(found.first, found.last + 1)):
            yield found


def choose(options: tuple[str, ...], key: str) -> list[str]:
    """The options, another one first for another key.

    >>> sorted(choose(("bad", "poor"), "any key"))
    ['bad', 'poor']
    """
    start = blake2b(key.encode(), digest_size=4).digest()[-1] % len(options)
    return [*options[start:], *options[:start]]


def other(side: Side) -> Side:
    """The other side."""
    return "negative" if side == "positive" else "positive"


def _phrase_at(document: Document, word: Word) -> Mention | int | None:
    """An expression that begins here; the place behind it where it says nothing."""
    known = table().phrases
    for start in dict.fromkeys((word.lower, word.lemma.lower())):
        for entry in known.get(start, ()):
            words = document.words[word.index : word.index + len(entry.words)]
            if not _matches(entry, words):
                continue
            if entry.side is None:
                return words[-1].index + 1
            carrier = next(
                (w for w, part in zip(words, entry.words, strict=True) if part.startswith("~")), words[0]
            )
            return Mention(words[0].index, words[-1].index, carrier, entry, entry.side, is_form=True)
    return None


def _matches(entry: Entry, words: tuple[Word, ...]) -> bool:
    if len(words) != len(entry.words):
        return False
    return all(
        word.lemma.lower() == part[1:] and word.upos in ("VERB", "AUX")
        if part.startswith("~")
        else word.lower == part
        for word, part in zip(words, entry.words, strict=True)
    )


def _word_at(document: Document, word: Word) -> Mention | None:
    for key, is_form in _readings(document, word):
        entry = table().words.get(key)
        if entry is not None and entry.side is not None:
            return Mention(word.index, word.index, word, entry, entry.side, is_form)
    return None


def _readings(document: Document, word: Word) -> Iterator[tuple[tuple[str, str], bool]]:
    """The rows that a word may be one of, and whether it stands there in the listed form."""
    if word.upos == "ADJ" and not _is_part(document, word):
        yield (word.lower, "ADJ"), word.tag == "JJ"
        if word.tag in ("JJR", "JJS"):
            for lemma in (word.lemma.lower(), *lemmas(word.lower, "ADJ")):
                yield (lemma, "ADJ"), False
    elif word.upos == "ADV":
        is_aside = word.lower == "well" and _next(document, word) in (",", "...")
        if not is_aside:
            yield (word.lower, "ADV"), word.tag == "RB"
            if word.tag in ("RBR", "RBS"):
                yield (word.lemma.lower(), "ADV"), False
    elif word.upos == "VERB":
        if _is_adjectival(document, word):
            yield (word.lower, "ADJ"), True
        if not _is_other_verb(document, word):
            yield (word.lemma.lower(), "VERB"), False
    elif word.upos == "NOUN" and not _is_part(document, word):
        yield (word.lemma.lower(), "NOUN"), False


def _is_adjectival(document: Document, verb: Word) -> bool:
    """True for participles that say how something is: "was boring", "felt forced"; not "were forced to watch"."""
    if verb.tag not in ("VBG", "VBN") or verb.relation not in _ADJECTIVAL or document.children(verb, "obj"):
        return False
    return verb.lower not in _DONE or not document.children(verb, "aux")


def _is_other_verb(document: Document, word: Word) -> bool:
    """True for "would like", "delight in", "is lacking" and verbs whose object tells another meaning."""
    helpers = {w.lower for w in document.children(word, "aux")}
    if word.lemma in ("like", "love", "hate") and helpers & {"would", "'d", "’d"}:
        return True
    if word.lemma in ("delight", "engage", "shine", "rock", "lack") and _next(document, word) in (
        "in",
        "on",
        "out",
    ):
        return True
    objects = {w.lemma.lower() for w in document.children(word, "obj")}
    if word.lemma == "waste" and objects & {"time", "money", "hour", "minute", "moment", "life", "day"}:
        return True
    first, _ = document.sentences[document.sentence_number(word)]
    if word.lemma == "avoid":
        return word.index != first  # "Avoid it!" is a verdict, "she avoids it" is none
    if word.lemma == "inspire" and any(w.tag == "VB" for w in document.children(word)):
        return True  # "inspires people to read"
    return word.lemma == "lack" and not document.children(word, "obj")


def _is_part(document: Document, noun: Word) -> bool:
    """True for a word that only is a part of another: "joy ride", "prize-winner", "half-empty"."""
    around = document.text[max(0, noun.start - 1) : noun.start] + document.text[noun.end : noun.end + 1]
    return noun.relation == "compound" or "-" in around


def _next(document: Document, word: Word) -> str:
    return document.words[word.index + 1].lower if word.index + 1 < len(document) else ""


def _side(written: str) -> Side | None:
    return "positive" if written == "positive" else "negative" if written == "negative" else None
