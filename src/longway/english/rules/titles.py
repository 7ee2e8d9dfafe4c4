"""Parsing for the rules that handles titles.

    read_all(pipeline, texts)      one Document per text
    read(pipeline, text)           the same for one text

"Pearl (album) was recorded" and "Exit the Queen is a comedy" confuse a parser. So a bracket after a name, and a title at the
start of a sentence that was not understood, are removed before parsing. In the resulting Document they are part of one
word, "Pearl (album)" or "Exit the Queen", at its exact offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from longway.english.document import Document, Word
from longway.english.pipeline import EnglishPipeline
from longway.english.rules.clauses import clauses

PLACEHOLDER = "Hamlet"  # parsers know it as a name
_BRACKET = re.compile(r"(?<=[\w.!?'’]) \([^()\n]{1,60}\)(?= )")
_TITLE = re.compile(
    r"(?:[A-Z0-9][\w'’.:&!-]*|\d+)(?: (?:(?:of|the|and|in|on|a|an|to|for|with|at|from|by|de|la|&|[A-Z0-9][\w'’.:&!?-]*) )*"
    r"(?:[A-Z0-9][\w'’.:&!?-]*))(?= (?:is|was|are|were|has|had|have|did|does|will|can|could|would|\w+(?:ed|s)|won|came|began|took) )"
)
Cut = tuple[int, int, str]  # start, end, replacement


def read_all(pipeline: EnglishPipeline, texts: Iterable[str], *, processes: int = 1) -> Iterator[Document]:
    """Yield one document per text, in order."""
    originals = list(texts)
    all_cuts = [list(_brackets(text)) for text in originals]
    shortened = [_apply_cuts(text, cuts) for text, cuts in zip(originals, all_cuts, strict=True)]
    parsed = pipeline.analyse_all(shortened, processes=processes)
    for text, cuts, short_document in zip(originals, all_cuts, parsed, strict=True):
        document = _restore(short_document, text, cuts)
        if document is None or not any(clauses(document)):
            document = _read_with_title(pipeline, text, cuts, document)
        yield document


def read(pipeline: EnglishPipeline, text: str) -> Document:
    """Return the document of one text."""
    return next(read_all(pipeline, [text]))


def _read_with_title(
    pipeline: EnglishPipeline, text: str, cuts_before: list[Cut], document: Document | None
) -> Document:
    """Parse again with the opening title as one name; keep the result if it makes the sentence clear."""
    title = _TITLE.match(_apply_cuts(text, cuts_before))
    if title is not None and " " in title[0]:
        end = _original_offset(title.end(), cuts_before, is_end=True)
        cuts = [(0, end, PLACEHOLDER), *(c for c in cuts_before if c[0] > end)]
        reparsed = _restore(pipeline.analyse(_apply_cuts(text, cuts)), text, cuts)
        if reparsed is not None and any(clauses(reparsed)):
            return reparsed
    return document if document is not None else pipeline.analyse(text)


def _brackets(text: str) -> Iterator[Cut]:
    """Yield brackets after a capitalised word: they distinguish things with the same name."""
    for match in _BRACKET.finditer(text):
        before = text[: match.start()].split()[-1:]
        if before and any(c.isupper() for c in before[0]):
            yield match.start(), match.end(), ""


def _apply_cuts(text: str, cuts: list[Cut]) -> str:
    parts, offset = [], 0
    for start, end, replacement in cuts:
        parts += [text[offset:start], replacement]
        offset = end
    return "".join([*parts, text[offset:]])


def _restore(document: Document, text: str, cuts: list[Cut]) -> Document | None:
    """Map the document of the shortened text to the whole text; None if a cut was inside a word."""
    if not cuts:
        return document
    words: list[Word] = []
    for word in document:
        start, end = (
            _original_offset(word.start, cuts, is_end=False),
            _original_offset(word.end, cuts, is_end=True),
        )
        if words and start < words[-1].end:
            return None
        words.append(replace(word, start=start, end=end, text=text[start:end]))
    return Document(text, tuple(words), document.sentences)


def _original_offset(offset: int, cuts: list[Cut], *, is_end: bool) -> int:
    """Map an offset of the shortened text to the whole text. The end of a word includes the cut after it."""
    removed = 0
    for start, end, replacement in cuts:
        cut_offset = start - removed  # of the cut in the shortened text
        if offset < cut_offset or (offset == cut_offset and not is_end and not replacement):
            break
        if replacement and offset < cut_offset + len(replacement):
            return start
        removed += end - start - len(replacement)
    return offset + removed
