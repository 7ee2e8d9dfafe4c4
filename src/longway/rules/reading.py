"""Reading texts for the rules: analysis that titles do not lead astray.

    read_all(pipeline, texts)      one Document for each text
    read(pipeline, text)           the same for one

"Pearl (album) was recorded" and "Exit the Queen is a comedy" confuse a parser. So a bracket behind a name, and a title
that opens a sentence which was not understood, are taken out before the analysis and put back into it: they become part of one word,
"Pearl (album)" or "Exit the Queen". Every word still is at its exact place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import tee

from longway.rules.clauses import clauses
from longway.text.document import Document, Word
from longway.text.english import English

STAND_IN = "Hamlet"  # a name that every parser knows as one
_BRACKET = re.compile(r"(?<=[\w.!?'’]) \([^()\n]{1,60}\)(?= )")
_TITLE = re.compile(
    r"(?:[A-Z0-9][\w'’.:&!-]*|\d+)(?: (?:(?:of|the|and|in|on|a|an|to|for|with|at|from|by|de|la|&|[A-Z0-9][\w'’.:&!?-]*) )*"
    r"(?:[A-Z0-9][\w'’.:&!?-]*))(?= (?:is|was|are|were|has|had|have|did|does|will|can|could|would|\w+(?:ed|s)|won|came|began|took) )"
)
Cut = tuple[int, int, str]  # from where to where, and what stands in


def read_all(pipeline: English, texts: Iterable[str], *, processes: int = 1) -> Iterator[Document]:
    """One document for each text, in order."""
    first, second = tee(texts)
    cuts = [list(_brackets(text)) for text in first]
    originals = list(second)
    without = [_cut(text, cut) for text, cut in zip(originals, cuts, strict=True)]
    for text, cut, document in zip(
        originals, cuts, pipeline.analyse_all(without, processes=processes), strict=True
    ):
        found = _restored(document, text, cut)
        yield (
            found
            if found is not None and any(clauses(found))
            else _second_reading(pipeline, text, cut, found)
        )


def read(pipeline: English, text: str) -> Document:
    """The document of one text."""
    return next(read_all(pipeline, [text]))


def _second_reading(pipeline: English, text: str, cut: list[Cut], found: Document | None) -> Document:
    """The document with its opening title read as one name, where that helps to understand the sentence."""
    title = _TITLE.match(_cut(text, cut))
    if title is not None and " " in title[0]:
        end = _place(title.end(), cut, is_end=True)
        cuts = [(0, end, STAND_IN), *(c for c in cut if c[0] > end)]
        again = _restored(pipeline.analyse(_cut(text, cuts)), text, cuts)
        if again is not None and any(clauses(again)):
            return again
    return found if found is not None else pipeline.analyse(text)


def _brackets(text: str) -> Iterator[Cut]:
    """Brackets behind a word with a capital: what tells two things of one name apart."""
    for found in _BRACKET.finditer(text):
        before = text[: found.start()].split()[-1:]
        if before and any(c.isupper() for c in before[0]):
            yield found.start(), found.end(), ""


def _cut(text: str, cuts: list[Cut]) -> str:
    parts, place = [], 0
    for start, end, stand_in in cuts:
        parts += [text[place:start], stand_in]
        place = end
    return "".join([*parts, text[place:]])


def _restored(document: Document, text: str, cuts: list[Cut]) -> Document | None:
    """The analysis of the shortened text as one of the whole text; None where a cut fell inside a word."""
    if not cuts:
        return document
    words: list[Word] = []
    for word in document:
        start, end = _place(word.start, cuts, is_end=False), _place(word.end, cuts, is_end=True)
        if words and start < words[-1].end:
            return None
        words.append(replace(word, start=start, end=end, text=text[start:end]))
    return Document(text, tuple(words), document.sentences)


def _place(place: int, cuts: list[Cut], *, is_end: bool) -> int:
    """Where a place of the shortened text is in the whole one; the end of a word takes in the cut behind it."""
    removed = 0
    for start, end, stand_in in cuts:
        here = start - removed  # where the cut is in the shortened text
        if place < here or (place == here and not is_end and not stand_in):
            break
        if stand_in and place < here + len(stand_in):
            return start
        removed += end - start - len(stand_in)
    return place + removed
