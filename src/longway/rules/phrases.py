"""Phrases that say the same: "starred in" and "had a starring role in", "is located in" and "lies in".

The phrases are in `phrases.toml`, in groups; any phrase of a group may become any other one, in the same tense and
number, negated or not. How a phrase is written there:

    <star> in                 a verb in any form, then a word as it is
    <be> ~ released in        ~ is an adverb that may stand there and moves along ("was originally released in")
    <film:N>  <big:J>         a noun, an adjective in any form
    a                         also matches "an", and is written as its neighbour asks for

A group may have conditions, which the file explains. Names and titles are never touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from longway.rules.clauses import NOT_WORDS, Number, number_of
from longway.rules.phrase_conditions import holds, subject_of
from longway.rules.phrase_table import Group, Item, index
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import in_names, piece_of
from longway.text.articles import article_before, mend_articles
from longway.text.capitals import capitalised
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.inflect import inflect

_UPOS = {"V": ("VERB", "AUX"), "N": ("NOUN",), "J": ("ADJ",)}
_FINITE = {"VBZ": "present", "VBP": "present", "VBD": "past"}


@dataclass(frozen=True, slots=True)
class Match:
    """Where a phrase was found. verb: its first verb. negation: the "not" in it or before it. adverb: the word at ~."""

    first: int
    last: int
    verb: Word | None = None
    noun: Word | None = None
    negation: Word | None = None
    adverb: Word | None = None


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one phrase put in other words, for each phrase and each of its other words."""
    document = scene.document
    names = in_names(document)
    for word in document:
        for group, number in index().get(word.lemma.lower(), ()) + index().get(f"={word.lower}", ()):
            match = _match(document, group.ways[number], word.index)
            if match is None or _touches_a_name(document, group.ways[number], match, names):
                continue
            if holds(group.conditions, document, match.verb, match.first, match.last):
                yield from _other_ways(scene, group, number, match)


def _touches_a_name(document: Document, way: tuple[Item, ...], match: Match, names: frozenset[int]) -> bool:
    """True where a word of the phrase belongs to a name; "TV" has its capitals by itself."""
    own = {item.text for item in way if item.kind == "="}
    touched = [i for i in range(match.first, match.last + 1) if i in names]
    beside = match.first - 1 in names or match.last + 1 in names  # "TV Land"
    return any(document.words[i].text not in own for i in touched) or bool(touched and beside)


def _other_ways(scene: Scene, group: Group, number: int, match: Match) -> Iterator[Rewriting]:
    document = scene.document
    for other, way in enumerate(group.ways):
        if other == number:
            continue
        written = _write(document, group, way, match)
        if written is None:
            continue
        start, text = written
        end = document.words[match.last].end
        opens = any(document.words[first].start == start for first, _ in document.sentences)
        if opens and document.text[start : start + 1].isupper() and text[:1].islower():
            text = capitalised(text)
        change = Change(start, end, text)
        if document.text[start:end] != text:
            yield Rewriting(f"phrases.{group.name}", (change, *mend_articles(document, [change])))


# Finding a phrase


def _match(document: Document, way: tuple[Item, ...], place: int) -> Match | None:
    first, verb, noun, negation, adverb = place, None, None, None, None
    for item in way:
        word = document.words[place] if place < len(document) else None
        if item.kind == "~":
            if word is not None and _is_adverb(word):
                adverb, place = word, place + 1
            continue
        if word is None or not _fits(item, word):
            return None
        place += 1
        if item.kind == "V" and verb is None:
            verb = word
            after = document.words[place] if place < len(document) else None
            if item.text == "be" and after is not None and after.lower in NOT_WORDS:
                negation, place = after, place + 1
        elif item.kind == "N" and noun is None:
            noun = word
    if document.sentence_number(document.words[first]) != document.sentence_number(document.words[place - 1]):
        return None
    if verb is not None and verb.lemma.lower() != "be" and negation is None:
        before = document.words[first - 1] if first else None
        negation = before if before is not None and before.lower in NOT_WORDS else None
    return Match(first, place - 1, verb, noun, negation, adverb)


def _fits(item: Item, word: Word) -> bool:
    if item.kind == "=":
        return word.lower == item.text.lower() or (item.text == "a" and word.lower == "an")
    is_written_out = word.lower not in (
        "'s",
        "'re",
        "'m",
        "’s",
        "’re",
    )  # "he's" would leave its apostrophe behind
    return word.lemma.lower() == item.text and word.upos in _UPOS[item.kind] and is_written_out


def _is_adverb(word: Word) -> bool:
    return word.upos == "ADV" and (
        word.lower.endswith("ly") or word.lower in ("first", "also", "later", "now", "then")
    )


# Writing another


def _write(document: Document, group: Group, new: tuple[Item, ...], match: Match) -> tuple[int, str] | None:
    """Where the new words begin and what they are; None where a form is missing or not sure."""
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
    after = document.words[match.last + 1].text if match.last + 1 < len(document) else ""
    text = _put_together(new, match, form, after)
    return None if text is None else (start, head + text)


def _verb_group(document: Document, match: Match, lemma: str) -> tuple[int, str, str] | None:
    """Where the verbs begin, what stands before the new verb ("did not "), and the new verb in its form."""
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
        before = document.words[match.first - 1] if match.first else None
        if before is not None and before.upos == "ADV" and not was_be:
            return None  # "only worked as": the adverb would have to move
        form = _agreeing(document, verb, lemma)
        return None if form is None else (start, "", form)
    return _negated(document, match, lemma)


def _negated(document: Document, match: Match, lemma: str) -> tuple[int, str, str] | None:
    """The verbs where "was not part of" becomes "did not belong to", or the other way round."""
    verb, negation = match.verb, match.negation
    assert verb is not None
    assert negation is not None
    if verb.lemma.lower() == "be":
        negated = " not" if negation.lower == "not" else "n't"
        auxiliary = {"is": "does", "are": "do", "was": "did", "were": "did"}.get(verb.lower)
        return None if auxiliary is None else (verb.start, f"{auxiliary}{negated} ", lemma)
    helper = document.words[negation.index - 1] if negation.index else None
    if helper is None or helper.lower not in ("did", "does", "do") or verb.tag not in ("VB", "VBP"):
        return None
    number = _number_at(document, verb)
    if number is None:
        return None
    form = (
        ("were" if number == "plur" else "was") if helper.lower == "did" else ("is", "are")[number == "plur"]
    )
    gap = document.text[helper.end : negation.end]
    return helper.start, "", form + gap


def _agreeing(document: Document, verb: Word, lemma: str) -> str | None:
    """The new verb in the form of the old one, where one of them is "be"."""
    if verb.lower == "am":
        return None
    if lemma != "be":
        tag = {"is": "VBZ", "are": "VBP", "was": "VBD", "were": "VBD"}.get(verb.lower, verb.tag)
        return inflect(lemma, tag)
    if verb.tag not in _FINITE:
        return inflect("be", verb.tag)
    if verb.tag == "VBZ":
        return "is"
    number = _number_at(document, verb)
    if number is None:
        return None
    return {
        ("present", "sing"): "is",
        ("present", "plur"): "are",
        ("past", "sing"): "was",
        ("past", "plur"): "were",
    }[_FINITE[verb.tag], number]


def _number_at(document: Document, verb: Word) -> Number | None:
    subject = subject_of(document, verb)
    piece = None if subject is None else piece_of(document, subject)
    return None if piece is None else number_of(document, piece)


def _put_together(new: tuple[Item, ...], match: Match, form: str | None, after: str) -> str | None:
    """The new phrase in words; after: the word that follows it, for "a" or "an"."""
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
    for place, follows in enumerate([*words[1:], after]):
        if words[place] == "a":
            words[place] = article_before(follows)
    return " ".join(words)
