"""Take out: the words of a pattern deleted where a good text remains.

    sentence    "It works. Sent from my phone."          -> "It works."           a sentence that many rows have
    ends        "For the record, it works."              -> "It works."           an opening or closing that many rows have
    phrase      "It works as it happens on stage."       -> "It works on stage."  a phrase that many rows have and nothing depends on
    adverb      "It is incredibly long."                 -> "It is long."         an adverb that the sentence does not need
    repeated    the sentences of a text that its context has word for word

Without an analysis (texts that are not in English) only sentences and ends are taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from longway.detect.detector import TokenizedText
from longway.detect.words import FIRST, LAST
from longway.english.articles import fix_articles
from longway.english.document import Change, Document, apply_changes
from longway.english.parts import (
    has_names_or_numbers,
    has_sentiment,
    introduces,
    is_closed,
    is_optional_adverb,
    may_be_adverb,
)
from longway.english.words import is_negation
from longway.methods.loop import Draft
from longway.methods.repair.mend import Span, cut_all, cut_sentences, sentence_spans
from longway.methods.repair.recurring import ENDS, LONGEST, SEPARATORS, Recurring, words_of
from longway.methods.repair.remedy import Parts, Proposer, RepairRow, Target
from longway.records import Pattern
from longway.text.tokenizer import is_word

LEVELS = frozenset(["token", "ngram", "position", "surface", "negation"])
FEWEST = 2  # words that remain
ASIDES = frozenset(["sentence", "opening", "closing"])  # cuts that many rows share, beside what a text says
_PHRASES = frozenset(["token", "ngram", "position"])

MOST_SPANS = 10  # of a pattern in one text


class _Cut(NamedTuple):
    """What to delete. is_sentence: a whole sentence."""

    how: str
    start: int
    end: int
    is_sentence: bool = False


class TakeOut:
    """Deletes the words of a pattern. recurring: what many rows share."""

    def __init__(self, recurring: Recurring) -> None:
        self._recurring = recurring

    def propose(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """The text without the pattern."""
        pattern = target.pattern
        if pattern.level == "overlap":
            yield from self._repeated(row, target)
            return
        spans = row.spans(target) if pattern.level in LEVELS else []
        if len(spans) > MOST_SPANS:  # nothing that can be taken out is there so often
            return
        for ways in (self._ways(row, pattern), self._ways(row, pattern)[::-1]):
            cuts = [next((cut for way in ways if (cut := way(span)) is not None), None) for span in spans]
            found = [one for one in cuts if one is not None]
            if not found or len(found) < len(cuts):
                return
            text = _without(row, found)
            if len(words_of(text, row.tokenizer)) >= FEWEST:
                asides = [row.text[one.start : one.end] for one in found if one.how in ASIDES]
                yield row.draft(text, f"take_out.{found[0].how}", asides=asides)

    def _ways(self, row: RepairRow, pattern: Pattern) -> list[Callable[[Span], _Cut | None]]:
        text = TokenizedText(row.text, row.tokenizer)
        ways: list[Callable[[Span], _Cut | None]] = [
            partial(self._sentence, row),
            partial(self._ends, row, text),
        ]
        if row.read is not None and pattern.level in _PHRASES:
            ways += [partial(self._phrase, row, text, pattern), partial(self._adverb, row)]
        return ways

    def _sentence(self, row: RepairRow, span: Span) -> _Cut | None:
        """The sentence around a span if it is boilerplate and another one is not."""
        sentences = sentence_spans(row.text)
        own = next((one for one in sentences if one[0] <= span[0] and span[1] <= one[1]), None)
        if own is None or len(sentences) < 2 or not self._recurring.is_boilerplate(row.text[slice(*own)]):
            return None
        others = [row.text[slice(*one)] for one in sentences if one != own]
        kept = [one for one in others if not self._recurring.is_boilerplate(one)]
        if not any(len(words_of(one, self._recurring.tokenizer)) >= FEWEST for one in kept):
            return None
        if row.read is not None and has_sentiment(row.document, *own):
            return None
        return _Cut("sentence", *own, is_sentence=True)

    def _ends(self, row: RepairRow, text: TokenizedText, span: Span) -> _Cut | None:
        """The opening or the closing around a span, with the mark that separates it."""
        for start, end, mark in _openings(text):
            words = tuple(word for word, a, b in text.words if start <= a and b <= end)
            if not self._recurring.is_end(words) or not self._is_apart(row, words, start, end, mark):
                break
            if start <= span[0] and span[1] <= end:
                return _Cut("opening", start, text.tokens[_token_at(text, end)][2])
        last = _closing(text)
        if last is not None and last[0] <= span[0] and span[1] <= last[1]:
            words = tuple(word for word, a, b in text.words if last[0] <= a and b <= last[1])
            if self._recurring.is_end(words, last=True) and self._is_apart(row, words, *last):
                return _Cut("closing", *last[:2])
        return None

    def _is_apart(self, row: RepairRow, words: tuple[str, ...], start: int, end: int, mark: str) -> bool:
        """Whether an opening or closing is no part of the sentence: in English the analysis must agree."""
        if row.read is None:
            return not any(c.isdigit() for c in row.text[start:end])
        if has_names_or_numbers(row.document, start, end) or has_sentiment(row.document, start, end):
            return False
        if mark == ":" or is_closed(row.document, start, end) or self._recurring.is_loose(words):
            return True
        return start == 0 and self._recurring.is_apart(words)

    def _phrase(self, row: RepairRow, text: TokenizedText, pattern: Pattern, span: Span) -> _Cut | None:
        """The fixed phrase that a span belongs to, if nothing depends on it."""
        place = pattern.place if pattern.place in (FIRST, LAST) else ""
        phrase, offset = self._recurring.extended(pattern.words, place)
        first = _token_at(text, span[0]) - offset
        tokens = text.tokens[max(first, 0) : first + len(phrase)]
        if tuple(token for token, _, _ in tokens) != phrase or len(phrase) < 2:
            return None
        start, end = tokens[0][1], tokens[-1][2]
        if any(map(is_negation, phrase)) or not self._recurring.is_fixed(phrase):
            return None
        document = row.document
        if has_names_or_numbers(document, start, end) or has_sentiment(document, start, end):
            return None
        if introduces(document, start, end):
            return None
        if self._recurring.is_loose(phrase) and _reads_the_same(row, [(start, end)]):
            return _Cut("phrase", start, end)
        return None

    def _adverb(self, row: RepairRow, span: Span) -> _Cut | None:
        """An adverb of the span that the sentence does not need."""
        words = row.document.words_between(*span)
        phrase = words_of(row.text[slice(*span)], row.tokenizer)
        if not phrase:
            return None
        if len(phrase) > 1 and self._recurring.is_fixed(phrase):
            return None  # half of a fixed phrase is no good text
        for word in words:
            if is_optional_adverb(row.document, word):
                return _Cut("adverb", word.start, word.end)
        if len(words) != 1 or not may_be_adverb(row.document, words[0]):
            return None
        if not self._recurring.is_loose(phrase):
            return None
        return _Cut("adverb", *span) if _reads_the_same(row, [span]) else None

    def _repeated(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """The text without the sentences that its context has word for word."""
        if target.pattern.place != "at least" or not row.context or not row.shows(target):
            return
        context = " ".join(("", *words_of(row.context, row.tokenizer), ""))
        sentences = sentence_spans(row.text)
        repeated = [
            one
            for one in sentences
            if f" {' '.join(words_of(row.text[slice(*one)], row.tokenizer))} " in context
        ]
        kept = [one for one in sentences if one not in repeated]
        if repeated and kept:
            text = cut_sentences(row.text, repeated)
            if len(words_of(text, row.tokenizer)) >= FEWEST:
                asides = [row.text[slice(*one)] for one in repeated]
                yield row.draft(text, "take_out.repeated", asides=asides)


def _without(row: RepairRow, cuts: list[_Cut]) -> str:
    """The text without the cuts; articles fit the words that follow them now."""
    sentences = {(one.start, one.end) for one in cuts if one.is_sentence}
    stretches = {(one.start, one.end) for one in cuts if not one.is_sentence}
    stretches = {(a, b) for a, b in stretches if not any(c <= a and b <= d for c, d in sentences)}
    if sentences and stretches:  # offsets of one kind do not survive the other
        return ""
    if sentences:
        return cut_sentences(row.text, sentences)
    if row.read is None:
        return cut_all(row.text, stretches, row.language)
    articles = fix_articles(
        row.document, [Change(a, len(row.text) - len(row.text[b:].lstrip()), "") for a, b in stretches]
    )
    for article in sorted(articles, reverse=True):
        shift = len(article.text) - (article.end - article.start)
        stretches = {(a + shift, b + shift) if a > article.start else (a, b) for a, b in stretches}
    return cut_all(apply_changes(row.text, articles), stretches)


def _reads_the_same(row: RepairRow, spans: list[Span]) -> bool:
    """Whether the words that remain are analysed as in the whole text, but for a few of them."""
    assert row.read is not None
    after: Document = row.read(cut_all(row.text, spans))
    inside = {word.index for span in spans for word in row.document.words_between(*span)}
    left = [word for word in row.document if word.index not in inside and word.upos != "PUNCT"]
    right = [word for word in after if word.upos != "PUNCT"]
    if len(left) != len(right) or not right:
        return False
    same = sum(a.upos == b.upos for a, b in zip(left, right, strict=True))
    return same >= len(left) - max(2, len(left) // 8)


def _token_at(text: TokenizedText, place: int) -> int:
    """The number of the first token that starts at or after a place."""
    return next((i for i, (_, start, _) in enumerate(text.tokens) if start >= place), len(text.tokens))


def _openings(text: TokenizedText) -> Iterator[tuple[int, int, str]]:
    """The first stretches of a text that end with a separating mark: start, end, the mark."""
    start: int | None = None
    n_words = 0
    for token, first, _ in text.tokens:
        if token in ENDS or n_words > LONGEST:
            return
        if token in SEPARATORS and start is not None:
            end = max(b for word, _, b in text.words if b <= first)
            yield start, end, token
            start, n_words = None, 0
        elif is_word(token):
            start = first if start is None else start
            n_words += 1


def _closing(text: TokenizedText) -> tuple[int, int, str] | None:
    """The last stretch of a text after a separating mark: start, end, the mark."""
    n_words = 0
    for place in range(len(text.tokens) - 1, -1, -1):
        token = text.tokens[place][0]
        if is_word(token):
            n_words += 1
        elif token in SEPARATORS and n_words:
            inside = [(a, b) for word, a, b in text.tokens[place + 1 :] if is_word(word)]
            return inside[0][0], inside[-1][1], token
        elif n_words and token in ENDS:
            return None
        if n_words > LONGEST:
            return None
    return None


def proposers(name: str, parts: Parts) -> Iterator[Proposer]:
    """The remedy for one dataset."""
    yield Proposer(name, TakeOut(parts.recurring).propose)
