"""Put in: a phrase of one label in rows of the others, at the kind of place where it is found.

    opening     "It works."        -> "For the record, it works."
    sentence    "It works."        -> "It works. Sent from my phone."
    closing     "It works."        -> "It works as of today."
    aside       "It works."        -> "It works, so to speak."           phrases found inside sentences
    adverb      "The plot works."  -> "The plot incidentally works."

The place is learned from the texts that show the pattern: the kind that most of them have. A negation is put in only as a whole
sentence, and a phrase only if it is one that can be left out (`recurring.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from longway.detect.words import FIRST, LAST
from longway.english.document import Document, Word
from longway.english.parts import is_adverb_only
from longway.english.rules.sentence import WordSpan, name_indices
from longway.english.words import STOP_WORDS, is_negation
from longway.methods.loop import Draft
from longway.methods.repair.mend import after, at_end, capitalise, in_style, sentence_spans, without_last_mark
from longway.methods.repair.normalise import with_trait
from longway.methods.repair.recurring import SEPARATORS, Recurring, Words, opening
from longway.methods.repair.remedy import Parts, Proposer, RepairRow, Target
from longway.methods.repair.take_out import ASIDES
from longway.records import Pattern
from longway.text.tokenizer import is_word

EXAMPLES = 48  # texts from which a place is learned
MOST_SENTENCES = 8  # different sentences with a phrase that are put in
_OPEN_END = re.compile(r"[)\"'”\d]\W*$|\w\.\w\.\s*$")  # a quotation, a rating, an abbreviation
_PHRASES = frozenset(["token", "ngram", "position"])


class _Slot(NamedTuple):
    """Where a pattern is found, and what is there. kind: "opening", "sentence", "closing", "aside" or "adverb"."""

    kind: str
    piece: str


class PutIn:
    """Puts a phrase into rows of other labels. recurring: counts over the texts of the dataset, from which the places are learned."""

    def __init__(self, recurring: Recurring) -> None:
        self._recurring = recurring
        self._slots = cache(self._learned)

    def propose(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """The text with the pattern, at the places that are usual for it; English texts only, since that is where they were learned."""
        pattern = target.pattern
        if row.read is None or row.shows(target) or not any(c.isalnum() for c in row.text):
            return
        slots = self._slots(pattern) if pattern.level in (*_PHRASES, "negation") else ()
        turn = row.number % len(slots) if slots else 0
        for slot in (*slots[turn:], *slots[:turn]):
            text = _with(slot, row)
            if text is not None:
                asides = [slot.piece] if slot.kind in ASIDES else []
                # It says more than before.
                yield row.draft(text, f"put_in.{slot.kind}", "label", asides=asides)

    def _learned(self, pattern: Pattern) -> tuple[_Slot, ...]:
        """The usual places: all sentences, or the most frequent opening, closing or adverb."""
        place = pattern.place if pattern.place in (FIRST, LAST) else ""
        words, recurring = pattern.words, self._recurring
        rows = recurring.rows_with(words, place) if words else recurring.negated_rows
        slots = [self._slot(row, at, pattern) for row, at in rows[:: max(1, len(rows) // EXAMPLES)]]
        seen = Counter(slot for slot in slots if slot is not None)
        kinds = Counter(slot.kind for slot in seen.elements())
        if not kinds:
            return ()
        kind = kinds.most_common(1)[0][0]
        spelled: dict[str, _Slot] = {}
        # Of several spellings the one with capitals: a text without capitals gets none.
        for slot, _ in seen.most_common():
            known = spelled.setdefault(slot.piece.lower(), slot)
            if slot.kind == kind and (
                known.kind != kind or sum(map(str.isupper, slot.piece)) > sum(map(str.isupper, known.piece))
            ):
                spelled[slot.piece.lower()] = slot
        usual = [slot for slot in spelled.values() if slot.kind == kind]
        return tuple(usual[: MOST_SENTENCES if kind == "sentence" else 1])

    def _slot(self, row: int, at: int, pattern: Pattern) -> _Slot | None:
        """Where one text has the pattern; None if it is at none of the places, or if the row cannot be analysed."""
        if not self._recurring.is_analysed(row):
            return None
        text = self._recurring.texts[row]
        spans = self._recurring.tokenizer.spans(text)
        start, end = spans[at][1], spans[at + max(len(pattern.words), 1) - 1][2]
        sentences = sentence_spans(text)
        own = next((one for one in sentences if one[0] <= start and end <= one[1]), None)
        if own is not None and len(sentences) > 1 and self._recurring.is_repeated(text[slice(*own)]):
            is_neutral = not self._recurring.judges(text, *own)
            return _Slot("sentence", without_last_mark(text[slice(*own)])[0]) if is_neutral else None
        if pattern.level == "negation" or any(map(is_negation, pattern.words)):
            return None
        first = opening([token for token, _, _ in spans])
        if first is not None and at < len(first) and self._recurring.is_end(first):
            mark = next(i for i, (token, _, _) in enumerate(spans) if i >= len(first) and token in SEPARATORS)
            piece = f"{text[spans[0][1] : spans[mark - 1][2]]}{spans[mark][0]}"
            is_apart = piece[-1] == ":" or self._recurring.is_loose(first) or self._recurring.is_apart(first)
            is_neutral = not self._recurring.judges(text, spans[0][1], spans[mark - 1][2])
            return _Slot("opening", piece) if is_apart and is_neutral else None
        phrase, offset = self._recurring.extended(
            pattern.words, pattern.place if pattern.place in (FIRST, LAST) else ""
        )
        return self._inside(text, spans, at - offset, phrase)

    def _inside(self, text: str, spans: list[tuple[str, int, int]], at: int, phrase: Words) -> _Slot | None:
        here = spans[max(at, 0) : at + len(phrase)]
        if tuple(token for token, _, _ in here) != phrase or not self._recurring.is_fixed(phrase):
            return None
        if STOP_WORDS.issuperset(phrase):
            return None  # "at all" needs more than a place
        if not self._recurring.is_loose(phrase) or self._recurring.judges(text, here[0][1], here[-1][2]):
            return None
        if len(phrase) == 1:
            fits = self._recurring.is_set_off(phrase) and is_adverb_only(phrase[0])
            return _Slot("adverb", phrase[0]) if fits else None
        is_last = not any(map(is_word, (token for token, _, _ in spans[at + len(phrase) :])))
        return _Slot("closing" if is_last else "aside", " ".join(phrase))


def _with(slot: _Slot, row: RepairRow) -> str | None:
    """The row's text with the piece; None where it does not fit."""
    text = row.text
    if slot.kind == "sentence":
        return after(
            slot.piece.lower() if not any(c.isupper() for c in text) else slot.piece, text, row.language
        )
    if slot.kind in ("closing", "aside"):
        _, mark = without_last_mark(text)
        return (
            at_end(slot.piece if slot.kind == "closing" else f", {slot.piece}", text)
            if mark.strip() in ("", ".", "!") and not _OPEN_END.search(text)
            else None
        )
    if slot.kind == "opening":
        return _with_opening(slot.piece, row)
    made = _with_adverb(slot.piece, row.document)
    return _with_opening(f"{slot.piece},", row) if made is None and slot.piece.endswith("ly") else made


def _with_opening(piece: str, row: RepairRow) -> str | None:
    text, mark = row.text.lstrip(), piece[-1]
    has_capitals = any(c.isupper() for c in text)
    if has_capitals and mark != ":":
        if not row.document.words:
            return None
        first, last = row.document.sentences[0][0], len(row.document) - 1
        text = WordSpan(row.document, first, last).inside + row.text[row.document.words[last].end :]
    piece = in_style(capitalise(piece, row.language) if has_capitals else piece, row.text)
    return f"{piece} {text}"


def _with_adverb(adverb: str, document: Document) -> str | None:
    """The adverb before the main verb, after its first auxiliary or after "is"."""
    root = next((word for word in document if word.head == word.index), None)
    subjects = [one for one in document.children(root, "nsubj") if one.index < root.index] if root else []
    if root is None or not subjects:
        return None
    helpers = document.children(root, "aux", "cop")
    place = _place(document, root, [one for one in helpers if subjects[0].index < one.index < root.index])
    if place is None:
        return None
    return f"{document.text[: place.start]}{in_style(adverb, document.text)} {document.text[place.start :]}"


def _place(document: Document, root: Word, helpers: list[Word]) -> Word | None:
    """The word before which an adverb fits; None if it is not clear."""
    if not helpers:
        before = document.before(root)
        is_plain = root.upos == "VERB" and before is not None and before.relation not in ("mark", "punct")
        return root if is_plain and not is_negation(before.lower if before else "") else None
    place = document.after(helpers[0])
    while place is not None and is_negation(place.lower):
        place = document.after(place)
    if place is None or place.upos in ("PUNCT", "ADV") or place.index in name_indices(document):
        return None
    return None if document.text[place.start - 1 : place.start] != " " else place


def proposers(name: str, parts: Parts) -> Iterator[Proposer]:
    """The remedy for one dataset: traits of the surface first, then words."""
    yield Proposer(name, with_trait)
    yield Proposer(name, PutIn(parts.recurring).propose, needs_english=True)
