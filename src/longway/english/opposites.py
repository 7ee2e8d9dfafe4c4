"""Opposites: reviewed lists of words that exclude each other, and sentiment words with their opposites.

    COMPLEMENTS["possible"]          "impossible": exactly one of the two holds, so "not possible" means the same
    CONTRARIES["include"]            ("exclude", "leave out"): both cannot hold, but neither may
    CONTRARY_PARTICIPLES["renewed"]  ("cancelled", "dropped"): the same for participles and adjectives after "be"
    sentiment_mentions(document)     sentiment words of a text with their opposites (`opposites.tsv`)
    antonym_changes(document)        predicate words replaced by their WordNet antonyms

A complement preserves the meaning of a negated word. A contrary preserves only the label of a refuted claim: if it is
false that Dover does not include a castle, it is also false that Dover excludes one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from longway.english.document import Change, Document, Word, Words
from longway.english.inflection import lemmas
from longway.english.replacements import antonyms, with_article
from longway.english.words import listed_phrases, listed_words
from longway.task import Side

_PAIRS = dict(pair.split("/") for pair in listed_words(__name__)["complements"])
COMPLEMENTS: dict[str, str] = _PAIRS | {opposite: word for word, opposite in _PAIRS.items()}

CONTRARIES = listed_phrases(__name__, "contraries")
CONTRARY_PARTICIPLES = listed_phrases(__name__, "contrary_participles")


TABLE_PATH = Path(__file__).parent / "opposites.tsv"
_SIDES: dict[str, Side] = {"positive": "positive", "negative": "negative"}
_EVENT_PARTICIPLES = frozenset("forced broken inspired accomplished polished dated failed".split())
_ADJECTIVE_RELATIONS = frozenset({"amod", "root", "xcomp", "conj", "acl", "ccomp", "advcl", "parataxis"})


@dataclass(frozen=True, slots=True)
class OppositeEntry:
    """One row of the table. words: as listed, the inflected one marked with "~"."""

    words: tuple[str, ...]
    upos: str
    side: Side | None
    opposites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentimentMention:
    """A sentiment word or expression in a text.

    first, last: word indices. word: the inflected word. is_form: the text has the listed form, so the opposite is not
    inflected.
    """

    first: int
    last: int
    word: Word
    entry: OppositeEntry
    side: Side
    is_form: bool = False

    @property
    def is_phrase(self) -> bool:
        """Whether it has several words."""
        return self.first != self.last or self.entry.upos == "PHRASE"


@dataclass(frozen=True)
class OppositeTable:
    """The table: words by (word, part of speech), expressions by first word, longest first."""

    words: dict[tuple[str, str], OppositeEntry]
    phrases: dict[str, list[OppositeEntry]]


@lru_cache(maxsize=1)
def opposite_table() -> OppositeTable:
    """Read the table once."""
    words: dict[tuple[str, str], OppositeEntry] = {}
    phrases: dict[str, list[OppositeEntry]] = defaultdict(list)
    for line in TABLE_PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        written, upos, side, opposites = line.split("\t")
        parts = tuple(written.replace("-", " - ").split())
        entry = OppositeEntry(parts, upos, _SIDES.get(side), tuple(o.strip() for o in opposites.split(",")))
        if len(parts) > 1 or upos in ("PHRASE", "KEEP"):
            phrases[parts[0].lstrip("~")].append(entry)
        words[written, upos] = entry
    for entries in phrases.values():
        entries.sort(key=lambda entry: -len(entry.words))
    return OppositeTable(words, dict(phrases))


def sentiment_mentions(
    document: Document, protected: frozenset[int] = frozenset()
) -> Iterator[SentimentMention]:
    """Yield the sentiment words of a text in order, skipping ambiguous ones. protected: indices of words to skip.

    A word counts only as the listed part of speech: "well" in "well acted", not in "Well, who knows". Expressions are
    matched first ("waste of time"); some are neutral ("bad guy", "as well"). WordNet was tried for unlisted words: half
    of its suggestions were wrong here ("wry", "hefty", "sad"), and loading it takes seconds.
    """
    position = 0
    while position < len(document):
        word = document.words[position]
        match = _phrase_at(document, word) or _word_at(document, word)
        if isinstance(match, SentimentMention):
            position = match.last + 1
            if protected.isdisjoint(range(match.first, position)):
                yield match
        else:
            position = position + 1 if match is None else match


def predicate_words(document: Document) -> list[Word]:
    """Return the words outside the subjects: what a text asserts, not what it is about."""
    subjects = [w for w in document if w.relation in ("nsubj", "expl")]
    inside = {w.index for subject in subjects for w in document.subtree(subject)}
    return [word for word in document if word.index not in inside]


def antonym_changes(document: Document, words: Iterable[Word]) -> Iterator[list[Change]]:
    """Yield, per word, the changes to its best WordNet antonym."""
    for word in words:
        for replacement in antonyms(word, document)[:1]:
            yield with_article(document, replacement)


def rotated(options: tuple[str, ...], key: str) -> list[str]:
    """Return the options in order, starting at a position that depends on the key.

    >>> sorted(rotated(("bad", "poor"), "any key"))
    ['bad', 'poor']
    """
    start = blake2b(key.encode(), digest_size=4).digest()[-1] % len(options)
    return [*options[start:], *options[:start]]


def _phrase_at(document: Document, word: Word) -> SentimentMention | int | None:
    """Return the expression that starts here; for a neutral one, the index of the word after it."""
    for start in dict.fromkeys((word.lower, word.lemma.lower())):
        for entry in opposite_table().phrases.get(start, ()):
            words = document.words[word.index : word.index + len(entry.words)]
            if not _matches(entry, words):
                continue
            if entry.side is None:
                return words[-1].index + 1
            inflected = (w for w, part in zip(words, entry.words, strict=True) if part.startswith("~"))
            word = next(inflected, words[0])
            return SentimentMention(words[0].index, words[-1].index, word, entry, entry.side, is_form=True)
    return None


def _matches(entry: OppositeEntry, words: Words) -> bool:
    if len(words) != len(entry.words):
        return False
    return all(
        word.lemma.lower() == part[1:] and word.upos in ("VERB", "AUX")
        if part.startswith("~")
        else word.lower == part
        for word, part in zip(words, entry.words, strict=True)
    )


def _word_at(document: Document, word: Word) -> SentimentMention | None:
    for key, is_form in _readings(document, word):
        entry = opposite_table().words.get(key)
        if entry is not None and entry.side is not None:
            return SentimentMention(word.index, word.index, word, entry, entry.side, is_form)
    return None


def _readings(document: Document, word: Word) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield the table keys that match a word, and whether the word has the listed form."""
    if word.upos == "ADJ" and not _is_compound_part(document, word):
        yield (word.lower, "ADJ"), word.tag not in ("JJR", "JJS")
        if word.tag in ("JJR", "JJS"):
            for lemma in (word.lemma.lower(), *lemmas(word.lower, "ADJ")):
                yield (lemma, "ADJ"), False
    elif word.upos == "ADV":
        if not _is_aside(document, word):
            yield (word.lower, "ADV"), word.tag == "RB"
            if word.tag in ("RBR", "RBS"):
                yield (word.lemma.lower(), "ADV"), False
    elif word.upos == "VERB":
        if _is_adjectival(document, word):
            yield (word.lower, "ADJ"), True
        if not _is_other_verb(document, word):
            yield (word.lemma.lower(), "VERB"), False
    elif word.upos == "NOUN" and not _is_compound_part(document, word):
        yield (word.lemma.lower(), "NOUN"), False


def _is_aside(document: Document, word: Word) -> bool:
    """Return True for "well" that judges nothing: "Well, it ends", "if not, well let us say"."""
    if word.lower != "well":
        return False
    before, after = document.before(word), document.after(word)
    if after is not None and after.text in (",", "..."):
        return True
    is_modifier = after is not None and (after.tag == "VBN" or after.upos == "ADJ")
    return before is not None and before.text == "," and not is_modifier


def _is_adjectival(document: Document, verb: Word) -> bool:
    """Return True for participles used as adjectives: "was boring", "felt forced"; not "were forced to watch"."""
    is_participle = verb.tag in ("VBG", "VBN") and verb.relation in _ADJECTIVE_RELATIONS
    if not is_participle or document.children(verb, "obj"):
        return False
    return verb.lower not in _EVENT_PARTICIPLES or not document.children(verb, "aux")


def _is_other_verb(document: Document, word: Word) -> bool:
    """Return True for verbs used in a neutral sense: "would like", "delight in", "waste an hour"."""
    helpers = {w.lower for w in document.children(word, "aux")}
    if word.lemma in ("like", "love", "hate") and helpers & {"would", "'d", "’d"}:
        return True
    has_particle = document.lower_at(word.index + 1) in ("in", "on", "out")
    if word.lemma in ("delight", "engage", "shine", "rock", "lack") and has_particle:
        return True
    objects = {w.lemma.lower() for w in document.children(word, "obj")}
    if word.lemma == "waste" and objects & {"time", "money", "hour", "minute", "moment", "life", "day"}:
        return True
    if word.lemma == "avoid":
        return word is not document.sentence_of(word)[0]  # "Avoid it!" is a verdict, "she avoids it" is not
    if word.lemma == "inspire" and any(w.tag == "VB" for w in document.children(word)):
        return True  # "inspires people to read"
    return word.lemma == "lack" and not document.children(word, "obj")


def _is_compound_part(document: Document, noun: Word) -> bool:
    """Return True for a part of a compound: "joy ride", "prize-winner", "half-empty"."""
    around = document.text[max(0, noun.start - 1) : noun.start] + document.text[noun.end : noun.end + 1]
    return noun.relation == "compound" or "-" in around
