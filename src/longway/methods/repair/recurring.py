"""What recurs in the texts of a dataset: sentences, openings, closings and phrases that many rows share.

    recurring = Recurring(texts, read=pipeline.analyse)
    recurring.is_boilerplate("Sent from my phone.")     many texts have this sentence, or its phrases
    recurring.is_end(("for", "the", "record"))          many texts begin with these words, up to a mark
    recurring.extended(("it", "happens"))               (("as", "it", "happens"), 1): the phrase that the words are part of
    recurring.is_loose(("as", "it", "happens"))         whether the phrase can be left out: nothing depends on it
    recurring.is_apart(("first", "things", "first"))    whether what follows this opening is a sentence without it

It looks at texts only, never at labels.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cache, cached_property
from math import ceil

import numpy as np
import polars as pl

from longway.arrays import Ints
from longway.detect.detector import TokenizedText
from longway.detect.words import FIRST, LAST
from longway.english.document import Document
from longway.english.inflection import capitalise
from longway.english.parts import has_sentiment, is_closed, is_optional_adverb, may_be_adverb
from longway.english.words import STOP_WORDS, is_negation
from longway.methods.repair.mend import MARKS, sentence_spans
from longway.text.corpus import hash_of
from longway.text.keys import phrases
from longway.text.tokenizer import PLAIN, Tokenizer, is_word

Words = tuple[str, ...]
LEAST, LEAST_SHARE = 4, 0.004  # rows that have what recurs
LONGEST = 8  # words of a phrase, an opening or a closing
COVERED = 0.7  # share of a sentence's words that are in recurring triples of words
BOUND = 0.1  # share of the rows of a triple's rarest word that have the triple; lower for what common words make by chance
ALWAYS = 0.75  # share of a phrase's rows that have the same word beside it
FIXED = 0.9  # share of a word's rows in which it belongs to the phrase
VOTES, AGREED = 16, 0.5  # rows that are analysed to judge a phrase; share of them that must agree
VARIED, AGREED_IF_VARIED = 0.5, 0.15  # share of different words before the phrase; then fewer have to agree
SET_OFF = 0.25  # share of a phrase's rows in which it is between two marks
SEPARATORS = frozenset(",;:-–—،、，；：؛")
ENDS = frozenset(MARKS)
_RELATIVE = frozenset(["WDT", "WP"])


class Recurring:
    """Counts sentences, openings, closings and phrases over texts.

    read: analyses English texts; without it no phrase counts as loose. least: rows that have what recurs; None for a share of the texts.
    analysed: the rows that `read` may analyse; None for all.
    """

    def __init__(
        self,
        texts: Sequence[str],
        *,
        read: Callable[[str], Document] | None = None,
        analysed: Collection[int] | None = None,
        tokenizer: Tokenizer = PLAIN,
    ) -> None:
        self.tokenizer = tokenizer
        self._analysed = analysed
        self.least = max(LEAST, ceil(LEAST_SHARE * len(texts)))
        self.texts, self._read = texts, read
        self.extended = cache(self._extended)
        self.is_fixed = cache(self._is_fixed)
        self.is_loose = cache(self._is_loose)
        self.is_apart = cache(self._is_apart)
        self._count_sentences()

    def is_boilerplate(self, sentence: str) -> bool:
        """Whether many texts have this sentence, or one much like it. A sentence of one word or with a digit (a rating) never is."""
        words = words_of(sentence, self.tokenizer)
        if len(words) < 2 or any(c.isdigit() for c in sentence):
            return False
        return self.is_repeated(sentence) or (len(words) > 3 and self._coverage(words) >= COVERED)

    def is_repeated(self, sentence: str) -> bool:
        """Whether many texts have exactly this sentence, which has several words and no digit."""
        words = words_of(sentence, self.tokenizer)
        return words in self._sentences and len(words) > 1 and not any(c.isdigit() for c in sentence)

    def is_end(self, words: Words, *, last: bool = False) -> bool:
        """Whether many texts begin with these words, followed by a mark. last: whether they end with them, separated by a mark from the rest."""
        return self._ends[last][words] >= self.least

    def rows_with(self, words: Words, place: str = "") -> list[tuple[int, int]]:
        """The texts with these words in sequence, each with the place of the first occurrence among its tokens."""
        rarest = min(words, key=lambda word: len(self._postings.get(word, ())))
        found = []
        for row in self._postings.get(rarest, ()):
            tokens = self._tokens[row]
            at = _find(tokens, words)
            if place == FIRST:
                at = next((i for i, token in enumerate(tokens) if is_word(token)), -1)
            elif place == LAST:
                at = max((i for i, token in enumerate(tokens) if is_word(token)), default=-1) - len(words) + 1
            if at >= 0 and tuple(tokens[at : at + len(words)]) == words:
                found.append((row, at))
        return found

    @cached_property
    def negated_rows(self) -> list[tuple[int, int]]:
        """The texts with a negation, each with the place of the first one among its tokens."""
        negated = enumerate(list(map(is_negation, tokens)) for tokens in self._tokens)
        return [(row, found.index(True)) for row, found in negated if any(found)]

    def _is_fixed(self, phrase: Words) -> bool:
        """Whether the phrase recurs and has a word that seldom occurs outside it, or function words only."""
        content = [word for word in phrase if word not in STOP_WORDS]
        n = len(self.rows_with(phrase))
        if n < self.least:
            return False
        return not content or any(n >= FIXED * len(self._postings.get(word, ())) for word in content)

    def _is_loose(self, phrase: Words) -> bool:
        """Whether a phrase can be left out: in most texts nothing else depends on it, and it depends on nothing as an argument."""
        if self._read is None:
            return False
        rows = self._english(self.rows_with(phrase))
        votes = [self._is_loose_in(row, at, len(phrase)) for row, at in _voters(rows)]
        share = sum(votes) / max(len(votes), 1)
        before = {self._beside(row, at, len(phrase))[0] for row, at in rows}
        is_varied = len(phrase) > 1 and len(before) >= VARIED * len(rows)
        return share >= (AGREED_IF_VARIED if is_varied else AGREED)

    def _is_apart(self, words: Words) -> bool:
        """Whether what follows an opening is nearly always a sentence of its own, whatever the analysis makes of the opening."""
        if self._read is None:
            return False
        found = self._english(self.rows_with(words))
        rows = [(row, at) for row, at in found if opening(self._tokens[row]) == words]
        votes = [self._is_sentence_after(row, at + len(words)) for row, at in _voters(rows)]
        return len(votes) >= self.least and sum(votes) >= ALWAYS * len(votes)

    def is_analysed(self, row: int) -> bool:
        """Whether a text is English and can be analysed."""
        return self._read is not None and (self._analysed is None or row in self._analysed)

    def _english(self, rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Those of the rows that may be analysed."""
        return [each for each in rows if self.is_analysed(each[0])]

    def is_set_off(self, phrase: Words) -> bool:
        """Whether a phrase is often between two marks, or between a mark and an end of the text."""
        beside = [self._beside(row, at, len(phrase)) for row, at in self.rows_with(phrase)]
        return sum(pair == ("", "") for pair in beside) >= SET_OFF * max(len(beside), 1)

    def judges(self, text: str, start: int, end: int) -> bool:
        """Whether a stretch of a text has a word that judges; False if texts are not analysed."""
        return self._read is not None and has_sentiment(self._read(text), start, end)

    def _is_loose_in(self, row: int, at: int, n: int) -> bool:
        assert self._read is not None
        text = self.texts[row]
        spans = self.tokenizer.spans(text)[at : at + n]
        document, start, end = self._read(text), spans[0][1], spans[-1][2]
        if n > 1:
            return is_closed(document, start, end, strict=False)
        words = document.words_between(start, end)
        return any(is_optional_adverb(document, word) or may_be_adverb(document, word) for word in words)

    def _is_sentence_after(self, row: int, at: int) -> bool:
        """Whether the words behind the mark at a place are a sentence: its main word has a subject that refers to nothing before it."""
        assert self._read is not None
        text = self.texts[row]
        rest = self._read(capitalise(text[self.tokenizer.spans(text)[at][2] :].lstrip()))
        if not rest.words:
            return False
        root = next((word for word in rest.words[slice(*rest.sentences[0])] if word.head == word.index), None)
        if root is None:
            return False
        subjects = rest.children(root, "nsubj", "expl", "csubj")
        return any(one.index < root.index and one.tag not in _RELATIVE for one in subjects)

    def _extended(self, words: Words, place: str = "") -> tuple[Words, int]:
        """The longest phrase that words nearly always belong to, and where they start in it. place: first or last word of the text."""
        phrase, offset = words, 0
        rows = self.rows_with(words, place)
        n = len(rows)
        if n < self.least:
            return words, 0
        while len(phrase) < LONGEST:
            beside = [self._beside(row, at, len(phrase)) for row, at in rows]
            for side, step in ((0, 1), (1, 0)):
                word, count = Counter(pair[side] for pair in beside).most_common(1)[0]
                if word and count >= ALWAYS * n:
                    phrase = (word, *phrase) if step else (*phrase, word)
                    offset += step
                    kept = zip(rows, beside, strict=True)
                    rows = [(row, at - step) for (row, at), pair in kept if pair[side] == word]
                    break
            else:
                break
        return phrase, offset

    def _beside(self, row: int, at: int, n: int) -> tuple[str, str]:
        tokens = self._tokens[row]
        left = tokens[at - 1] if at else ""
        right = tokens[at + n] if at + n < len(tokens) else ""
        return (left if is_word(left) else ""), (right if is_word(right) else "")

    @cached_property
    def _tokens(self) -> list[list[str]]:
        return self.tokenizer.lists(self.texts)

    @cached_property
    def _postings(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = defaultdict(list)
        for row, tokens in enumerate(self._tokens):
            for word in dict.fromkeys(tokens):
                rows[word].append(row)
        return rows

    @cached_property
    def _ends(self) -> tuple[Counter[Words], Counter[Words]]:
        return Counter(filter(None, map(opening, self._tokens))), Counter(
            filter(None, map(closing, self._tokens))
        )

    def _count_sentences(self) -> None:
        # A sentence that is a whole text says what the row is about.
        spans = [own if len(own) > 1 else [] for own in map(sentence_spans, self.texts)]
        owners = np.repeat(np.arange(len(spans)), np.array(list(map(len, spans)), dtype=np.int64))
        both = zip(self.texts, spans, strict=True)
        sentences = [text[slice(*span)] for text, own in both for span in own]
        codes, words, lengths = self.tokenizer.encode(pl.Series(sentences, dtype=pl.String))
        keep = np.array([is_word(word) for word in words], dtype=bool)[codes]
        sentence, kept = np.repeat(np.arange(len(lengths)), lengths)[keep], codes[keep]
        parts = np.split(kept, np.searchsorted(sentence, np.arange(1, len(lengths))))
        seen = {(row, tuple(part.tolist())) for row, part in zip(owners.tolist(), parts, strict=False)}
        n_rows = Counter(part for _, part in seen)
        self._sentences = {tuple(words[c] for c in part) for part, n in n_rows.items() if n >= self.least}
        hashes = np.array([hash_of(word) for word in words], dtype=np.uint64)
        found = phrases(sentence, hashes[kept], 3)
        _, rows_of_word, _ = _rows_with(kept.astype(np.int64), owners[sentence])
        numbers = np.unique(kept, return_inverse=True)[1]
        rarest = np.min([rows_of_word[numbers[found.start + i]] for i in range(3)], axis=0)
        keys, n, first = _rows_with(found.key, owners[found.row])
        self._triples = frozenset(keys[(n >= self.least) & (n >= BOUND * rarest[first])].tolist())

    def _coverage(self, words: Words) -> float:
        covered = [False] * len(words)
        hashes = np.array([hash_of(word) for word in words], dtype=np.uint64)
        for i, key in enumerate(phrases(np.zeros(len(words), np.int64), hashes, 3).key.tolist()):
            if key in self._triples:
                covered[i : i + 3] = [True] * 3
        return sum(covered) / len(covered)


def _rows_with(keys: Ints, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """The different keys in order, in how many rows each is, and where it is first."""
    order = np.lexsort((rows, keys))
    key, row = keys[order], rows[order]
    once = np.append(True, (key[1:] != key[:-1]) | (row[1:] != row[:-1]))[: len(key)]
    different, first, n = np.unique(key[once], return_index=True, return_counts=True)
    return different, n, order[once][first]


def _voters(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Some of the rows, evenly drawn."""
    return [rows[i * len(rows) // VOTES] for i in range(VOTES)] if len(rows) > VOTES else rows


def words_of(text: str, tokenizer: Tokenizer = PLAIN) -> Words:
    """The words of a text in lower case."""
    return tuple(word for word, _, _ in TokenizedText(text, tokenizer).words)


def opening(tokens: Sequence[str]) -> Words | None:
    """The words before the first separating mark, if they are few and words follow.

    >>> opening(["for", "the", "record", ",", "it", "works", "."])
    ('for', 'the', 'record')
    """
    return _end(tokens)


def closing(tokens: Sequence[str]) -> Words | None:
    """The words after the last separating mark, if they are few and words precede."""
    words = _end(tokens[::-1])
    return words[::-1] if words else None


def _end(tokens: Sequence[str]) -> Words | None:
    words: list[str] = []
    for place, token in enumerate(tokens):
        if token in SEPARATORS and words:
            return tuple(words) if any(map(is_word, tokens[place:])) else None
        if token in ENDS and words:
            return None
        if is_word(token):
            words.append(token)
            if len(words) > LONGEST:
                return None
    return None


def _find(tokens: list[str], words: Words) -> int:
    """Where words are in sequence for the first time; -1 if nowhere."""
    n = len(words)
    at = -1
    for _ in range(tokens.count(words[0])):
        at = tokens.index(words[0], at + 1)
        if tuple(tokens[at : at + n]) == words:
            return at
    return -1
