"""A statement of a sentence as the words of its parts, and how words are written again.

Piece(subject, predicate, object)      words of a document
written(document, words)               as they stand in the text, without the gaps
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from longway.text.document import Document, Word

JOINING = frozenset({"and", "but"})
NOT_WORDS = frozenset({"not", "n't", "never"})
_BREAK = re.compile(r"(?:<br\s*/?>|\s)+", re.IGNORECASE)
MARKS = frozenset({",", ";", ":", "-", "--", "–", "—"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement.

    moved: words that stood before the subject and go to the end, behind `aside` (a comma or nothing). subject_text, predicate_text: where what is
    written is not what stands there ("The film" for "a film", "is"). more: words that the statement also stands for.
    """

    subject: tuple[Word, ...]
    predicate: tuple[Word, ...]
    object: tuple[Word, ...]
    moved: tuple[Word, ...] = ()
    aside: str = ""
    subject_text: str = ""
    predicate_text: str = ""
    more: tuple[Word, ...] = ()

    @property
    def used(self) -> set[int]:
        """Indices of all its words."""
        parts = (self.subject, self.predicate, self.object, self.moved, self.more)
        return {word.index for part in parts for word in part}

    def after(self, before: Piece | None) -> Piece:
        """The statement with the subject of the one before it."""
        assert before is not None
        return replace(self, subject=before.subject, subject_text=before.subject_text)

    def without(self, indices: set[int]) -> Piece:
        """The statement without some of its words."""

        def left(words: tuple[Word, ...]) -> tuple[Word, ...]:
            return tuple(word for word in words if word.index not in indices)

        return replace(
            self,
            subject=left(self.subject),
            predicate=left(self.predicate),
            object=left(self.object),
            moved=left(self.moved),
        )

    def named(self, subject_text: str) -> Piece:
        """The statement with its subject written in another way."""
        return replace(self, subject_text=subject_text)


def written(document: Document, words: Sequence[Word], *, opens: bool = False, ends: bool = False) -> str:
    """Words as they stand in the text, a single space for each gap; marks beside a gap are left out.

    opens: the words opened a sentence and stand inside of one now, so the first loses its capital. ends: all marks stay.
    """
    kept = list(words) if ends else _without_loose_marks(words)
    runs: list[tuple[Word, Word]] = []
    for word in kept:
        if runs and runs[-1][1].index == word.index - 1:
            runs[-1] = (runs[-1][0], word)
        else:
            runs.append((word, word))
    text = " ".join(document.text[first.start : last.end] for first, last in runs)
    text = " ".join(_BREAK.sub(" ", text).split())
    return _lowered(kept[0], text) if opens and kept else text


def _without_loose_marks(words: Sequence[Word]) -> list[Word]:
    """The words without commas and dashes at their ends and beside places where words were cut out."""
    kept: list[Word] = []
    for word in words:
        has_gap = bool(kept) and word.index != kept[-1].index + 1
        while has_gap and kept and kept[-1].text in MARKS:
            kept.pop()
        if word.text in MARKS and (not kept or has_gap):
            continue
        kept.append(word)
    while kept and kept[-1].text in MARKS:
        kept.pop()
    return kept


def _lowered(first: Word, text: str) -> str:
    is_name = first.upos == "PROPN" or first.text in ("I", "I'm") or any(c.isupper() for c in first.text[1:])
    return text if is_name else text[:1].lower() + text[1:]


def is_break(word: Word) -> bool:
    """True for the line breaks of web pages, which the analysis takes for words."""
    return word.text[:1] == "<" and not _BREAK.sub("", word.text)


def trimmed(words: list[Word]) -> list[Word]:
    """The words without marks and joining words at their end."""
    while words and (words[-1].text in MARKS or words[-1].upos == "CCONJ"):
        words = words[:-1]
    return words


def verb_group(document: Document, head: Word, verbs: list[Word], rest: list[Word]) -> int | None:
    """How many words of the rest are verbs, their adverbs, the particle and the preposition; None where others stand between."""
    last = verbs[-1].index
    size = sum(w.index <= last for w in rest)
    if any(w.upos not in ("AUX", "VERB", "ADV", "PART") and w.index != head.index for w in rest[:size]):
        return None
    size = _with_not(rest, size)
    size = _with_complements(document, rest, size)
    following = rest[size] if size < len(rest) else None
    if following is not None and following.upos == "ADP" and following.relation == "case":
        noun = document.head(following)
        belongs = noun is not None and (noun.index == head.index or noun.head == rest[size - 1].index)
        if belongs and size + 1 < len(rest):
            size += 1
    return size


def _with_not(rest: list[Word], size: int) -> int:
    """The group with the "not" behind it and an adverb before that: "is just not"."""
    while size < len(rest):
        after = rest[size + 1].lower if size + 1 < len(rest) else ""
        if rest[size].lower not in NOT_WORDS and not (rest[size].upos == "ADV" and after in NOT_WORDS):
            break
        size += 1
    return size


def _with_complements(document: Document, rest: list[Word], size: int) -> int:
    """The group with its particle and with verbs that follow "to": "fails to give up"."""
    while size < len(rest):
        word, verb = rest[size], rest[size - 1]
        if word.dep == "compound:prt" and word.head == verb.index:
            size += 1
        elif word.tag == "TO" and size + 1 < len(rest) and rest[size + 1].tag == "VB":
            opened = rest[size + 1]
            if opened.relation != "xcomp" or word.head != opened.index or opened.head != verb.index:
                break
            size += 2
        else:
            break
    return size
