"""Conditions of `phrases.toml`: where a phrase may stand so that another one says the same.

subject        who does it: "person", "being" (a person or a name), "thing" (no person), "place", "name", "single"; several
               words: all of them
subjects       one of these lemmas is the subject's main word
after          kinds of the word behind the phrase, see `kinds_of`; "np" stands for all that open a noun phrase
not_after      words or lemmas that must not follow
before, not_before   the same for the word before the phrase
next           the word behind the phrase is one of these; next_end: and then nothing or a preposition follows
next_numeral   a number follows that is no year; next_plural: a plural follows
next_object    the noun phrase behind the phrase has one of these nouns
counted        the last word of the phrase is a noun that is counted: "a film", "films", not "in film"
objects        one of these is the main word of the verb's object
without        words that the sentence must not have
tags           tags that the verb may have; dep, upos: what the first word of the phrase must be
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from longway.rules.clauses import number_of
from longway.rules.stretches import MONTHS, in_names, is_year, piece_of
from longway.text.document import Document, Word
from longway.text.people import Mention, noun_kind, people
from longway.text.person_words import PLACES

_NOUN_PHRASE = frozenset({"name", "place", "det", "num", "noun", "adj", "owner"})
_PERSONS = frozenset("he she i we you who".split())
_MORE_PLACES = frozenset(
    "europe asia africa america antarctica oceania hemisphere united england scotland wales ireland caribbean "
    "mediterranean balkans scandinavia middle".split()
)
_PLACE_NOUNS = frozenset(
    "river city town village lake mountain island county district country state peninsula desert park bridge tower "
    "building university museum airport stadium castle church region sea ocean bay valley volcano capital beach".split()
)
_BY_CLASS = {
    "DET": "det", "NUM": "num", "NOUN": "noun", "ADJ": "adj", "PRON": "pron", "ADP": "prep", "ADV": "adv",
    "VERB": "verb", "AUX": "verb", "CCONJ": "and",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conditions:
    """What must hold around a phrase; empty means anything."""

    subject: str = ""
    subjects: Sequence[str] = ()
    after: Sequence[str] = ()
    not_after: Sequence[str] = ()
    before: Sequence[str] = ()
    not_before: Sequence[str] = ()
    next: Sequence[str] = ()
    next_end: bool = False
    next_numeral: bool = False
    next_plural: bool = False
    counted: bool = False
    next_object: Sequence[str] = ()
    objects: Sequence[str] = ()
    without: Sequence[str] = ()
    tags: Sequence[str] = ()
    dep: Sequence[str] = ()
    upos: Sequence[str] = ()


def holds(conditions: Conditions, document: Document, verb: Word | None, first: int, last: int) -> bool:
    """True where the words around the stretch from `first` to `last` are as the conditions want them."""
    return (
        _neighbours_hold(conditions, document, first, last)
        and _next_holds(conditions, document, last)
        and (not conditions.counted or _is_counted(document, document.words[last]))
        and not any(_is_one_of(w, conditions.without) for w in _sentence(document, first))
        and (not conditions.tags or (verb is not None and verb.tag in conditions.tags))
        and (not conditions.objects or _has_object(document, verb, conditions.objects))
        and _subject_holds(conditions, document, verb)
    )


def _sentence(document: Document, place: int) -> tuple[Word, ...]:
    return document.sentence(document.sentence_number(document.words[place]))


def _neighbours_hold(conditions: Conditions, document: Document, first: int, last: int) -> bool:
    opening = document.words[first]
    before, after = _at(document, first - 1, first), _at(document, last + 1, last)
    if conditions.dep and opening.relation not in conditions.dep:
        return False
    if conditions.upos and opening.upos not in conditions.upos:
        return False
    if conditions.after and not kinds_of(document, after) & _kinds(conditions.after):
        return False
    if conditions.before and not kinds_of(document, before) & _kinds(conditions.before):
        return False
    return not (_is_one_of(after, conditions.not_after) or _is_one_of(before, conditions.not_before))


def _next_holds(conditions: Conditions, document: Document, last: int) -> bool:
    after, second = _at(document, last + 1, last), _at(document, last + 2, last)
    if conditions.next and not _is_one_of(after, conditions.next):
        return False
    if conditions.next_end and not kinds_of(document, second) & {"end", "prep"}:
        return False
    if conditions.next_numeral and (after is None or after.upos != "NUM" or is_year(after)):
        return False
    if conditions.next_plural and not (after is not None and _is_plural(document, after, second)):
        return False
    return not conditions.next_object or _noun_after(document, last) in conditions.next_object


def _is_plural(document: Document, word: Word, second: Word | None) -> bool:
    """True where a plural noun follows, with one adjective at most before it."""
    if word.upos == "ADJ" and second is not None:
        word = second
    return word.tag == "NNS" and word.index not in in_names(document)


def _is_counted(document: Document, noun: Word) -> bool:
    has_number = document.children(noun, "det", "nummod", "nmod:poss")
    return noun.tag == "NNS" or noun.relation == "compound" or bool(has_number)


def _noun_after(document: Document, last: int) -> str:
    """The main noun of the phrase that begins behind a place, as a lemma; "" where there is none."""
    found = ""
    for word in document.words[last + 1 : last + 7]:
        if word.upos == "NOUN":
            found = word.lemma.lower()
        elif found or word.upos not in ("DET", "ADJ", "NUM", "PRON"):
            break
    return found


def kinds_of(document: Document, word: Word | None) -> frozenset[str]:
    """What a word is; several kinds may hold at once.

    "end", "year", "month", "name", "place", "det", "num", "noun", "adj", "owner", "pron", "prep", "adv", "to", "ing",
    "verb", "and", "other"; "bare year" and "bare month" where nothing belongs to it.
    """
    if word is None or word.upos == "PUNCT":
        return frozenset({"end"})
    is_alone = (
        "end" in kinds_of(document, _at(document, word.index + 1, word.index)) if _is_date(word) else False
    )
    found = set()
    if is_year(word):
        return frozenset({"year", "bare year"} if is_alone else {"year"})
    if word.lower in MONTHS and word.text[:1].isupper():
        return frozenset({"month", "bare month"} if is_alone else {"month"})
    if word.index in in_names(document) or word.upos == "PROPN":
        found.add("name")
        if _is_place(document, word):
            found.add("place")
    if word.tag == "TO":
        found.add("to")
    if word.tag == "VBG":
        found.add("ing")
    found.add("owner" if word.tag == "PRP$" else _BY_CLASS.get(word.upos, "other"))
    return frozenset(found)


def _is_date(word: Word) -> bool:
    return is_year(word) or word.lower in MONTHS


def subject_of(document: Document, verb: Word) -> Word | None:
    """The subject of a verb, of an auxiliary or of "be" before what it says."""
    head = document.words[verb.head] if verb.relation in ("aux", "cop") else verb
    found = document.children(head, "nsubj")
    if not found and head.relation in ("conj", "xcomp"):
        found = document.children(document.words[head.head], "nsubj")
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=256)
def _people(document: Document) -> tuple[Mention, ...]:
    return people(document)


def is_person(document: Document, word: Word) -> bool:
    """True where a word surely stands for a person."""
    if word.lower in _PERSONS or (word.upos == "NOUN" and noun_kind(word) is not None):
        return word.index not in in_names(document) or word.lower in _PERSONS
    return any(m.start <= word.index < m.end and m.certain and m.kind == "name" for m in _people(document))


def _is_place(document: Document, word: Word) -> bool:
    near = document.words[word.index : word.index + 4]
    return any(w.lower in PLACES or w.lower in _MORE_PLACES for w in near if w.index in in_names(document))


def _is_place_subject(document: Document, subject: Word) -> bool:
    words = document.subtree(subject)
    if any(w.lower in _PLACE_NOUNS or w.lower in _MORE_PLACES for w in words):
        return True
    return all(w.lower in PLACES for w in words if w.upos != "DET")


def _subject_holds(conditions: Conditions, document: Document, verb: Word | None) -> bool:
    if not (conditions.subject or conditions.subjects):
        return True
    subject = None if verb is None else subject_of(document, verb)
    if subject is None:
        return False
    if conditions.subjects and subject.lemma.lower() not in conditions.subjects:
        return False
    return all(_subject_is(kind, document, subject) for kind in conditions.subject.split())


def _subject_is(kind: str, document: Document, subject: Word) -> bool:
    if kind == "person":
        return is_person(document, subject)
    if kind == "being":
        return is_person(document, subject) or subject.index in in_names(document)
    if kind == "thing":
        return not is_person(document, subject) and subject.upos != "PRON"
    if kind == "place":
        return _is_place_subject(document, subject) and not is_person(document, subject)
    if kind == "single":
        piece = piece_of(document, subject)
        return piece is not None and number_of(document, piece) == "sing"
    return kind == "any" or subject.index in in_names(document)


def _has_object(document: Document, verb: Word | None, wanted: Sequence[str]) -> bool:
    things = () if verb is None else document.children(verb, "obj")
    return any({w.lower, w.lemma.lower(), w.lower.rstrip("s")} & set(wanted) for w in things)


def _kinds(wanted: Sequence[str]) -> frozenset[str]:
    return frozenset(wanted) | (_NOUN_PHRASE if "np" in wanted else frozenset())


def _is_one_of(word: Word | None, words: Sequence[str]) -> bool:
    return word is not None and (word.lower in words or word.lemma.lower() in words)


def _at(document: Document, index: int, same: int) -> Word | None:
    """The word at an index, None outside the sentence of the word at `same`."""
    if not 0 <= index < len(document):
        return None
    word = document.words[index]
    same_sentence = document.sentence_number(word) == document.sentence_number(document.words[same])
    return word if same_sentence else None
