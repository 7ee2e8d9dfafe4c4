"""A word or expression replaced by its opposite, in the form that the place asks for."""

from __future__ import annotations

import re

from longway.text.capitals import like
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.inflect import MASS_NOUNS, inflect, inflect_like
from longway.text.word_lists import word_lists
from longway.triples.opposites import Mention, choose

_DO = {"VBP": "do not", "VBZ": "does not", "VBD": "did not"}
_STRENGTHENING = frozenset(
    "highly strongly heartily thoroughly definitely certainly absolutely really wholeheartedly would".split()
)
_COMPARED = {"good": "bad", "great": "bad", "bad": "good", "poor": "good"}  # "worse", "best"
_ABSTRACT = re.compile(r".*(?:ness|ence|ance|tude|ity|ism|dom|cy)")
_MASS = frozenset(
    "fun wit excitement enjoyment praise criticism scorn contempt garbage trash crap rubbish junk drivel tripe tedium "
    "poetry perfection satisfaction dissatisfaction misery admiration warmth charm enthusiasm grace talent skill "
    "imagination laziness".split()
)
_BOTH = frozenset("charm talent skill misery failure success delight joy pleasure waste".split())


def replaced(document: Document, mention: Mention, key: str) -> list[Change] | None:
    """The changes that put an opposite in; None where no opposite fits the place."""
    options = choose(mention.entry.opposites, key)
    if mention.word.tag in ("JJR", "JJS"):
        options = [_COMPARED.get(mention.entry.words[0], options[0]), *options]
    for opposite in options:
        if opposite == "not":
            changes = _negated(document, mention.word)
        elif mention.is_phrase:
            changes = _phrase(document, mention, opposite)
        else:
            changes = _word(document, mention, opposite)
        if changes is not None:
            return [*changes, *_degree(document, mention.word)]
    return None


def _word(document: Document, mention: Mention, opposite: str) -> list[Change] | None:
    word = mention.word
    if word.upos == "NOUN" and not _counts_alike(document, word, opposite):
        return None
    form = like(opposite, word.text) if mention.is_form else inflect_like(opposite, word)
    if form is None or form.lower() == word.lower:
        return None
    if word.upos == "NOUN" and form == word.text:
        return None
    return [Change(word.start, word.end, form)]


def _counts_alike(document: Document, noun: Word, opposite: str) -> bool:
    """True where a noun goes with the article that stands there, or with none."""
    last = opposite.rpartition(" ")[2]
    is_mass = (
        last in _MASS or last in MASS_NOUNS or last in word_lists().mass or bool(_ABSTRACT.fullmatch(last))
    )
    owners = {w.lower for w in document.children(noun, "det", "nmod:poss", "nummod")}
    if owners & {"a", "an", "one", "another", "each", "every"} or noun.tag == "NNS":
        return not is_mass or last in _BOTH
    return bool(owners) or is_mass


def _phrase(document: Document, mention: Mention, opposite: str) -> list[Change] | None:
    first, last = document.words[mention.first], document.words[mention.last]
    after = document.words[last.index + 1].lower if last.index + 1 < len(document) else ""
    if opposite == "wealth of" and after in ("a", "an", "any", "the"):
        return None
    parts = []
    for part in opposite.split():
        form = inflect(part[1:], mention.word.tag) if part.startswith("~") else part
        if form is None:
            return None
        parts.append(form)
    return [Change(first.start, last.end, like(" ".join(parts), first.text))]


def _negated(document: Document, verb: Word) -> list[Change] | None:
    """The verb denied: "do not recommend", "would not recommend"; words that make it stronger go."""
    start = verb.start
    before = verb.index - 1
    while (
        before >= 0
        and document.words[before].lower in _STRENGTHENING - {"would"}
        and document.words[before].head == verb.index
    ):
        start = document.words[before].start
        before -= 1
    helpers = [w for w in document.children(verb, "aux") if w.index < verb.index and w.lower != "to"]
    if helpers:
        last = helpers[-1] if verb.tag in ("VBN", "VBG") and len(helpers) == 1 else helpers[0]
        if last.index != before or last.lower in ("'ll", "'d", "’d", "’ll"):
            return None
        word = "not" if last.lower == "can" else " not "
        return [Change(last.end, start, word if word == " not " else "not "), *_moved(start, verb)]
    if verb.tag == "VBN":
        return [Change(start, verb.start, "not ")]
    if not document.children(verb, "nsubj") or verb.tag not in _DO:
        return None
    return [Change(start, verb.end, f"{_DO[verb.tag]} {verb.lemma}")]


def _moved(start: int, verb: Word) -> list[Change]:
    return [Change(start, verb.start, "")] if start != verb.start else []


def _degree(document: Document, word: Word) -> list[Change]:
    """ "too slow" becomes "very brisk"."""
    found = [w for w in document.children(word, "advmod") if w.lower == "too" and w.index < word.index]
    return [Change(_start_of(document, w), w.end, like("very", w.text)) for w in found]


def _start_of(document: Document, too: Word) -> int:
    """Where "too" begins, with the "far" before it."""
    before = document.words[too.index - 1] if too.index else too
    return before.start if before.lower in ("far", "way", "just") else too.start
