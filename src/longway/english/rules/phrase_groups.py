"""Phrases that mean the same: "starred in" and "had a starring role in", "is located in" and "lies in". Family: phrases.

The phrases are in `phrases.toml`, in groups. Any phrase of a group may become any other, in the same tense and number,
negated or not. Notation of a phrase:

    <star> in                 a verb in any form, then a word as written
    <be> ~ released in        ~ is an optional adverb, which is kept ("was originally released in")
    <film:N>  <big:J>         a noun, an adjective in any form
    a                         also matches "an", and is written to fit the next word

A group may have conditions, those of `holds`. Names and titles are never changed.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from longway.english.articles import article_before, with_articles
from longway.english.denials import Tense, be_form, subject_of
from longway.english.document import Change, Document, Word, any_lower
from longway.english.inflection import capitalise, inflect
from longway.english.people.words import PLACES
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import (
    MONTH_WORDS,
    NOT_WORDS,
    is_person,
    is_plural_span,
    is_year,
    name_indices,
    span_of,
)
from longway.english.words import listed_words

_LISTS = listed_words(__name__)
PHRASES_PATH = Path(__file__).parent / "phrases.toml"


@dataclass(frozen=True, slots=True)
class PhraseItem:
    """One part of a phrase. kind: "V", "N" or "J" for a word in any form, "=" for a fixed word, "~" for an adverb."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class PhraseGroup:
    """Phrases with the same meaning.

    n_from: how many of them, from the first on, may be replaced; the others only replace. fixed: see `phrases.toml`. conditions: see `holds`.
    """

    name: str
    ways: tuple[tuple[PhraseItem, ...], ...]
    n_from: int
    fixed: bool
    conditions: dict[str, Any]


@lru_cache(maxsize=1)
def phrase_groups() -> tuple[PhraseGroup, ...]:
    """Read the phrases once."""
    table = tomllib.loads(PHRASES_PATH.read_text(encoding="utf-8"))
    return tuple(_parse_group(name, entry) for name, entry in table.items())


def _parse_group(name: str, entry: dict[str, Any]) -> PhraseGroup:
    ways, sources = entry.pop("ways", []), entry.pop("from", [])
    written = ways or [*sources, *entry.pop("to", [])]
    items = tuple(tuple(map(_parse_item, way.split())) for way in written)
    return PhraseGroup(name, items, len(ways or sources), entry.pop("fixed", False), entry)


def _parse_item(part: str) -> PhraseItem:
    if part == "~":
        return PhraseItem("~", "")
    if part.startswith("<"):
        lemma, _, kind = part.strip("<>").partition(":")
        return PhraseItem(kind or "V", lemma.replace("_", " "))
    return PhraseItem("=", part)


@lru_cache(maxsize=1)
def phrase_index() -> dict[str, tuple[tuple[PhraseGroup, int], ...]]:
    """Return the phrases by first word: the lemma, or "=" and the word as written."""
    index: defaultdict[str, list[tuple[PhraseGroup, int]]] = defaultdict(list)
    for group in phrase_groups():
        for number, way in enumerate(group.ways[: group.n_from]):
            for first in way[:2] if way[0].kind == "~" else way[:1]:
                if first.kind == "~":
                    continue  # indexed by the next word; an adverb before it is not moved
                index[f"={first.text.lower()}" if first.kind == "=" else first.text].append((group, number))
                if first.text == "a" and first.kind == "=":
                    index["=an"].append((group, number))
    return {key: tuple(entries) for key, entries in index.items()}


_NOUN_PHRASE = frozenset({"name", "place", "det", "num", "noun", "adj", "owner"})
_KIND_OF_POS = {
    "DET": "det", "NUM": "num", "NOUN": "noun", "ADJ": "adj", "PRON": "pron", "ADP": "prep", "ADV": "adv",
    "VERB": "verb", "AUX": "verb", "CCONJ": "and",
}  # fmt: skip


def holds(name: str, wanted: Any, document: Document, verb: Word | None, first: int, last: int) -> bool:
    """Return True if one condition of a group is met around a phrase, from index `first` to `last`.

    subject        kind of subject: "person", "being" (a person or a name), "thing" (not a person), "place", "name", "single";
                   several kinds must all hold
    subjects       the subject has one of these lemmas
    after          kinds of the word after the phrase, see `kinds_of`; "np" is any start of a noun phrase
    not_after      words or lemmas that must not follow
    before, not_before   the same for the word before the phrase
    next           the word after the phrase is one of these; next_end: followed by nothing or a preposition
    next_numeral   a number follows that is not a year; next_plural: a plural follows
    next_object    the noun phrase after the phrase has one of these nouns
    counted        the last word of the phrase is a counted noun: "a film", "films", not in "film"
    objects        the verb has one of these objects
    without        words that the sentence must not have; no_verb_after: no finite verb follows
    tags           allowed tags of the verb; dep, upos: those of the first word
    """
    opening = document.words[first]
    before, after = _word_in_sentence(document, first - 1, first), _word_in_sentence(document, last + 1, last)
    match name:
        case "dep":
            return opening.relation in wanted
        case "upos":
            return opening.upos in wanted
        case "before":
            return bool(kinds_of(document, before) & _expanded_kinds(wanted))
        case "not_before":
            return not _is_one_of(before, wanted)
        case "after":
            return bool(kinds_of(document, after) & _expanded_kinds(wanted))
        case "not_after":
            return not _is_one_of(after, wanted)
        case "next":
            return _is_one_of(after, wanted)
        case "next_end":
            second = _word_in_sentence(document, last + 2, last)
            return bool(kinds_of(document, second) & {"end", "prep"})
        case "next_numeral":
            return after is not None and after.upos == "NUM" and not is_year(after)
        case "next_plural":
            return after is not None and _is_plural(document, after)
        case "next_object":
            return _noun_after(document, last) in wanted
        case "counted":
            return _is_counted(document, document.words[last])
        case "without":
            return not any(_is_one_of(word, wanted) for word in document.sentence_of(opening))
        case "no_verb_after":
            return not _has_verb_after(document, last)
        case "tags":
            return verb is not None and verb.tag in wanted
        case "objects":
            return _has_object(document, verb, wanted)
    subject = None if verb is None else subject_of(document, verb, shared_by=("conj", "xcomp"))
    if subject is None or name == "subjects":
        return subject is not None and subject.lemma.lower() in wanted
    return all(_subject_is(kind, document, subject) for kind in wanted.split())


def _has_verb_after(document: Document, last: int) -> bool:
    """Return True if a clause follows, however it was parsed: "before the bus came"."""
    rest = (w for w in document.sentence_of(document.words[last]) if w.index > last)
    return any(w.tag in ("VBD", "VBZ", "VBP", "MD") and w.index not in name_indices(document) for w in rest)


def _is_plural(document: Document, word: Word) -> bool:
    """Return True if a plural noun follows, after at most one adjective."""
    second = _word_in_sentence(document, word.index + 1, word.index)
    if word.upos == "ADJ" and second is not None:
        word = second
    return word.tag == "NNS" and word.index not in name_indices(document)


def _is_counted(document: Document, noun: Word) -> bool:
    is_determined = bool(document.children(noun, "det", "nummod", "nmod:poss"))
    return noun.tag == "NNS" or noun.relation == "compound" or is_determined


def _noun_after(document: Document, last: int) -> str:
    """Return the lemma of the main noun of the phrase after a position, or ""."""
    noun = ""
    for word in document.words[last + 1 : last + 7]:
        if word.upos == "NOUN":
            noun = word.lemma.lower()
        elif noun or word.upos not in ("DET", "ADJ", "NUM", "PRON"):
            break
    return noun


def kinds_of(document: Document, word: Word | None) -> frozenset[str]:
    """Return the kinds of a word; several may hold at once.

    "end", "year", "month", "name", "place", "det", "num", "noun", "adj", "owner", "pron", "prep", "adv", "to", "ing", "verb",
    "and", "other"; "bare year" and "bare month" if the date ends the clause.
    """
    if word is None or word.upos == "PUNCT":
        return frozenset({"end"})
    is_month = word.lower in MONTH_WORDS and word.text[:1].isupper()
    if is_year(word) or is_month:
        date = "year" if is_year(word) else "month"
        ends = "end" in kinds_of(document, _word_in_sentence(document, word.index + 1, word.index))
        return frozenset({date, f"bare {date}"} if ends else {date})
    kinds = set()
    if word.index in name_indices(document) or word.upos == "PROPN":
        kinds.add("name")
        near = (w for w in document.words[word.index : word.index + 4] if w.index in name_indices(document))
        if any_lower(near, PLACES | _LISTS.more_places):
            kinds.add("place")
    if word.tag == "TO":
        kinds.add("to")
    if word.tag == "VBG":
        kinds.add("ing")
    kinds.add("owner" if word.tag == "PRP$" else _KIND_OF_POS.get(word.upos, "other"))
    return frozenset(kinds)


def _is_place_subject(document: Document, subject: Word) -> bool:
    words = document.subtree(subject)
    if any_lower(words, _LISTS.place_nouns | _LISTS.more_places):
        return True
    return all(w.lower in PLACES for w in words if w.upos != "DET")


def _subject_is(kind: str, document: Document, subject: Word) -> bool:
    if kind == "person":
        return is_person(document, subject)
    if kind == "being":
        return is_person(document, subject) or subject.index in name_indices(document)
    if kind == "thing":
        return not is_person(document, subject) and subject.upos != "PRON"
    if kind == "place":
        return _is_place_subject(document, subject) and not is_person(document, subject)
    if kind == "single":
        span = span_of(document, subject)
        return span is not None and is_plural_span(document, span) is False
    return kind == "any" or subject.index in name_indices(document)


def _has_object(document: Document, verb: Word | None, wanted: Sequence[str]) -> bool:
    things = () if verb is None else document.children(verb, "obj")
    return any({w.lower, w.lemma.lower(), w.lower.rstrip("s")} & set(wanted) for w in things)


def _expanded_kinds(wanted: Sequence[str]) -> frozenset[str]:
    return frozenset(wanted) | (_NOUN_PHRASE if "np" in wanted else frozenset())


def _is_one_of(word: Word | None, words: Sequence[str]) -> bool:
    return word is not None and (word.lower in words or word.lemma.lower() in words)


def _word_in_sentence(document: Document, index: int, same: int) -> Word | None:
    """Return the word at an index, None outside the sentence of the word at `same`."""
    if not 0 <= index < len(document):
        return None
    word = document.words[index]
    same_sentence = document.sentence_number(word) == document.sentence_number(document.words[same])
    return word if same_sentence else None


_ITEM_POS = {"V": ("VERB", "AUX"), "N": ("NOUN",), "J": ("ADJ",)}
_FINITE_TENSES: dict[str, Tense] = {"VBZ": "present", "VBP": "present", "VBD": "past"}


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """A matched phrase. verb: its first verb. negation: the "not" in or before it. adverb: the word matched by ~."""

    first: int
    last: int
    verb: Word | None = None
    noun: Word | None = None
    negation: Word | None = None
    adverb: Word | None = None


def phrases(scene: Scene) -> Rephrasings:
    """Yield the text with one phrase replaced, for each phrase and each alternative."""
    document = scene.document
    names = name_indices(document)
    for word in document:
        for group, number in phrase_index().get(word.lemma.lower(), ()) + phrase_index().get(
            f"={word.lower}", ()
        ):
            match = _match(document, group.ways[number], word.index)
            if match is None or _touches_a_name(document, group.ways[number], match, names):
                continue
            place = (document, match.verb, match.first, match.last)
            if all(holds(name, wanted, *place) for name, wanted in group.conditions.items()):
                yield from _other_ways(scene, group, number, match)


def _touches_a_name(
    document: Document, way: tuple[PhraseItem, ...], match: PhraseMatch, names: frozenset[int]
) -> bool:
    """Return True if a word of the phrase belongs to a name; literals such as "TV" have capitals anyway."""
    literals = {item.text for item in way if item.kind == "="}
    touched = [i for i in range(match.first, match.last + 1) if i in names]
    beside = match.first - 1 in names or match.last + 1 in names  # "TV Land"
    return any(document.words[i].text not in literals for i in touched) or bool(touched and beside)


def _other_ways(scene: Scene, group: PhraseGroup, number: int, match: PhraseMatch) -> Rephrasings:
    document = scene.document
    for other, way in enumerate(group.ways):
        if other == number:
            continue
        replacement = _write(document, group, way, match)
        if replacement is None:
            continue
        start, text = replacement
        end = document.words[match.last].end
        opens = any(document.words[first].start == start for first, _ in document.sentences)
        if opens and document.text[start : start + 1].isupper() and text[:1].islower():
            text = capitalise(text)
        change = Change(start, end, text)
        if document.text[start:end] != text:
            yield Rephrasing(f"phrases.{group.name}", with_articles(document, change))


# Finding a phrase


def _match(document: Document, way: tuple[PhraseItem, ...], index: int) -> PhraseMatch | None:
    first, verb, noun, negation, adverb = index, None, None, None, None
    for item in way:
        word = document.word_at(index)
        if item.kind == "~":
            if word is not None and _is_adverb(word):
                adverb, index = word, index + 1
            continue
        if word is None or not _fits(item, word):
            return None
        index += 1
        if item.kind == "V" and verb is None:
            verb = word
            after = document.word_at(index)
            if item.text == "be" and after is not None and after.lower in NOT_WORDS:
                negation, index = after, index + 1
        elif item.kind == "N" and noun is None:
            noun = word
    if document.sentence_number(document.words[first]) != document.sentence_number(document.words[index - 1]):
        return None
    if verb is not None and verb.lemma.lower() != "be" and negation is None:
        before = document.word_at(first - 1)
        negation = before if before is not None and before.lower in NOT_WORDS else None
    return PhraseMatch(first, index - 1, verb, noun, negation, adverb)


def _fits(item: PhraseItem, word: Word) -> bool:
    if item.kind == "=":
        return word.lower == item.text.lower() or (item.text == "a" and word.lower == "an")
    is_contracted = word.lower in ("'s", "'re", "'m")  # "he's" would keep its apostrophe
    return word.lemma.lower() == item.text and word.upos in _ITEM_POS[item.kind] and not is_contracted


def _is_adverb(word: Word) -> bool:
    return word.upos == "ADV" and (
        word.lower.endswith("ly") or word.lower in ("first", "also", "later", "now", "then")
    )


# Writing another


def _write(
    document: Document, group: PhraseGroup, new: tuple[PhraseItem, ...], match: PhraseMatch
) -> tuple[int, str] | None:
    """Return where the new words start and what they are; None if a form is missing or uncertain."""
    start = document.words[match.first].start
    head = ""
    form: str | None = None
    new_verb = next((item.text for item in new if item.kind == "V"), None)
    if new_verb is not None:
        if match.verb is None:
            return None
        verbs = _verb_group(document, match, new_verb)
        if verbs is None:
            return None
        start, head, form = verbs
    elif match.verb is not None and (not group.fixed or match.negation is not None):
        return None
    after = document.word_at(match.last + 1)
    text = _join_words(new, match, form, after.text if after is not None else "")
    return None if text is None else (start, head + text)


def _verb_group(document: Document, match: PhraseMatch, lemma: str) -> tuple[int, str, str] | None:
    """Return the start of the verbs, the words before the new verb ("did not "), and its form."""
    verb, negation = match.verb, match.negation
    assert verb is not None
    start = document.words[match.first].start
    was_be, is_be = verb.lemma.lower() == "be", lemma == "be"
    if verb.tag == "VBG" and was_be != is_be:
        return None
    if was_be == is_be:
        form = verb.text.lower() if is_be else inflect(lemma, verb.tag)
        gap = "" if negation is None or not was_be else document.text[verb.end : negation.end]
        return None if form is None else (start, "", form + gap)
    if negation is None:
        before = document.word_at(match.first - 1)
        if before is not None and before.upos == "ADV" and not was_be:
            return None  # "only worked as": the adverb would have to move
        form = _agreeing(document, verb, lemma)
        return None if form is None else (start, "", form)
    return _negated(document, match, lemma)


def _negated(document: Document, match: PhraseMatch, lemma: str) -> tuple[int, str, str] | None:
    """Return the verbs if "was not part of" becomes "did not belong to", or the reverse."""
    verb, negation = match.verb, match.negation
    assert verb is not None
    assert negation is not None
    if verb.lemma.lower() == "be":
        negated = " not" if negation.lower == "not" else "n't"
        auxiliary = {"is": "does", "are": "do", "was": "did", "were": "did"}.get(verb.lower)
        return None if auxiliary is None else (verb.start, f"{auxiliary}{negated} ", lemma)
    helper = document.before(negation)
    if helper is None or helper.lower not in ("did", "does", "do") or verb.tag not in ("VB", "VBP"):
        return None
    is_plural = _has_plural_subject(document, verb)
    if is_plural is None:
        return None
    form = be_form("past" if helper.lower == "did" else "present", is_plural)
    return helper.start, "", form + document.text[helper.end : negation.end]


def _agreeing(document: Document, verb: Word, lemma: str) -> str | None:
    """Return the new verb in the form of the old one, if one of them is "be"."""
    if verb.lower == "am":
        return None
    if lemma != "be":
        tag = {"is": "VBZ", "are": "VBP", "was": "VBD", "were": "VBD"}.get(verb.lower, verb.tag)
        return inflect(lemma, tag)
    if verb.tag not in _FINITE_TENSES:
        return inflect("be", verb.tag)
    if verb.tag == "VBZ":
        return "is"
    is_plural = _has_plural_subject(document, verb)
    return None if is_plural is None else be_form(_FINITE_TENSES[verb.tag], is_plural)


def _has_plural_subject(document: Document, verb: Word) -> bool | None:
    subject = subject_of(document, verb, shared_by=("conj", "xcomp"))
    span = None if subject is None else span_of(document, subject)
    return None if span is None else is_plural_span(document, span)


def _join_words(new: tuple[PhraseItem, ...], match: PhraseMatch, form: str | None, after: str) -> str | None:
    """Return the new phrase as text. after: the word that follows it, for "a" or "an"."""
    words: list[str] = []
    for item in new:
        if item.kind == "=":
            words.append(item.text)
        elif item.kind == "V":
            assert form is not None
            words.append(form)
        elif item.kind == "~":
            words += [match.adverb.text] if match.adverb is not None else []
        else:
            inflected = inflect(item.text, match.noun.tag) if match.noun is not None else item.text
            if inflected is None:
                return None
            words.append(inflected)
    if match.adverb is not None and not any(item.kind == "~" for item in new):
        return None
    for position, follows in enumerate([*words[1:], after]):
        if words[position] == "a":
            words[position] = article_before(follows)
    return " ".join(words)
