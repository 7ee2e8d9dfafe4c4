"""Words and phrases: single words, n-grams, words at a place, pairs across two columns, and sets of words.

    text  ->  `occurrences`: row, stable key, tokens  ->  counts by key  ->  matrix of the keys that matter

Before n-grams are counted exactly, a pass over a small table of hashed counts throws out what cannot be frequent (Park, Chen, Yu 1995):
memory is bounded by what is frequent, not by what occurs, and the counts stay exact.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from longway.arrays import Ints, Ints32
from longway.detect.detector import (
    PAIR,
    Description,
    Detector,
    Features,
    Spans,
    TokenizedRow,
    columns_of,
    frequent,
    tagged,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.languages.lemmas import forms_by_lemma, has_lemmas, lemma
from longway.records import Pattern
from longway.text.corpus import Block, hash_of
from longway.text.keys import Hashes, Occurrences, joined, key_of, keys_of, phrases, top_bits

ANY_FORM = "any form"  # the place of a pattern whose word is the dictionary form
FIRST, LAST = "first word", "last word"
FIRST_QUARTER, LAST_QUARTER = "in the first quarter", "in the last quarter"
PLACES = (FIRST, LAST, FIRST_QUARTER, LAST_QUARTER)
QUARTERS_FROM = 8  # words; shorter texts have no quarters
N_WORDS = 200  # of each column, that are paired with those of the other
LONGEST = 3  # words of a phrase that is counted
_MARK = "\x06"  # before a place; no token is a control character
_TABLE_BITS = (16, 24)  # fewest and most
_MERGE_AT = 1 << 19


class Counter:
    """Counts by key and label, merged now and then so that they never pile up; and the words of each key, as codes, -1 behind the last."""

    def __init__(self, n_labels: int) -> None:
        self.keys = np.zeros(0, dtype=np.int64)
        self.counts = np.zeros((0, n_labels), dtype=np.int64)
        self.words = np.zeros((0, LONGEST), dtype=np.int32)
        self._waiting: list[tuple[Ints, Ints, Ints32]] = []

    def add(self, found: Occurrences, codes: Ints32, labels: Ints32) -> None:
        """Count the occurrences in one block; a text counts once for a key that it has several times. codes: of the block's tokens."""
        order = np.argsort(found.key, kind="stable")
        key, row = found.key[order], found.row[order]
        is_new = np.append(True, key[1:] != key[:-1])[: len(key)]
        once = is_new | np.append(True, row[1:] != row[:-1])[: len(key)]
        n_labels = self.counts.shape[1]
        pairs = (np.cumsum(is_new) - 1)[once] * n_labels + labels[row[once]]
        counts = np.bincount(pairs, minlength=int(is_new.sum()) * n_labels).reshape(-1, n_labels)
        first = found.only(order[is_new])
        at = first.start[:, None] + np.arange(LONGEST)
        words = np.where(at < first.stop[:, None], codes[np.minimum(at, len(codes) - 1)], -1)
        self._waiting.append((first.key, counts, words))
        if sum(len(keys) for keys, *_ in self._waiting) > max(_MERGE_AT, len(self.keys) // 2):
            self.merge()

    def merge(self) -> None:
        """Count in what waits."""
        parts = [(self.keys, self.counts, self.words), *self._waiting]
        self._waiting = []
        self.keys, which = np.unique(np.concatenate([keys for keys, *_ in parts]), return_inverse=True)
        self.counts = np.zeros((len(self.keys), self.counts.shape[1]), dtype=np.int64)
        self.words = np.zeros((len(self.keys), LONGEST), dtype=np.int32)
        for (keys, counts, words), end in zip(
            parts, np.cumsum([len(keys) for keys, *_ in parts]), strict=True
        ):
            here = which[end - len(keys) : end]
            self.counts[here] += counts  # a part has each key once
            self.words[here] = words


class PhraseDetector(Detector):
    """Counts the phrases that `occurrences` finds in a column, by their keys.

    is_unbounded: whether a dataset may have many more patterns than different words.
    """

    is_unbounded: ClassVar[bool] = False

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._vocabulary = reading.vocabulary
        self._is_word = reading.vocabulary.word_mask()

    @abstractmethod
    def occurrences(self, block: Block) -> Occurrences:
        """Every occurrence of every pattern in a block of texts."""

    def count(self, reading: Reading) -> Features:
        """Counts of every frequent pattern."""
        bits = int(np.clip(reading.corpora[self.role].n_tokens.bit_length() - 2, *_TABLE_BITS))
        table = np.zeros(1 << bits, dtype=np.uint32)
        for piece in reading.pieces() if self.is_unbounded else ():
            np.add.at(table, top_bits(self.occurrences(piece.blocks[self.role]).key, bits), np.uint32(1))
        counter = Counter(reading.n_labels)
        for piece in reading.pieces():
            block = piece.blocks[self.role]
            found = self.occurrences(block)
            if self.is_unbounded:
                found = found.only(table[top_bits(found.key, bits)] >= reading.min_count)
            counter.add(found, block.codes, piece.labels)
        counter.merge()
        features = frequent(counter.keys, counter.counts, reading.min_count, n_texts=reading.n_texts)
        self._keys, self._codes = features.keys, counter.words[np.searchsorted(counter.keys, features.keys)]
        return features

    def describe(self, key: int) -> Description:
        """The words in order."""
        words = self._words(key)
        return Description(
            Pattern(self.level, self.field, words), tagged(self.role, *words), self.role, words
        )

    def _words(self, key: int) -> tuple[str, ...]:
        codes = self._codes[np.searchsorted(self._keys, key)]
        return tuple(self._vocabulary.words[code] for code in codes.tolist() if code >= 0)

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts have which patterns."""
        found = self.occurrences(piece.blocks[self.role])
        return columns_of(found.row, found.key, keys, piece.n_texts)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of the words in sequence."""
        return row.phrases(pattern.field, pattern.words)

    def _hashes(self, block: Block) -> Hashes:
        return self._vocabulary.hashes[block.codes]


class TokenDetector(PhraseDetector):
    """Does the text contain this word? Punctuation marks are left to the surface detector.

    In data of one language other than English, with the extra `lemmas`, also all forms of a word together: "any form: wandern".
    """

    level = "token"
    roles = (TEXT, CONTEXT)

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        words, languages = reading.vocabulary.words, reading.tokenizer.languages
        self._language = languages[0] if len(languages) == 1 and has_lemmas(languages[0]) else ""
        forms = forms_by_lemma(words, self._language) if self._language else {}
        self._forms = {key_of((base, _MARK)): (base, places) for base, places in forms.items()}
        self._form_keys = np.zeros(len(words) if forms else 0, dtype=np.int64)  # by word; 0: it has one form
        for key, (_, places) in self._forms.items():
            self._form_keys[places] = key

    def occurrences(self, block: Block) -> Occurrences:
        """Every word, and the dictionary form of each word that has several."""
        found = phrases(block.rows(), self._hashes(block), 1, self._is_word[block.codes])
        if not self._forms:
            return found
        keys = self._form_keys[block.codes[found.start]]
        return joined([found, found._replace(key=keys).only(keys != 0)])

    def describe(self, key: int) -> Description:
        """The word."""
        if key not in self._forms:
            return super().describe(key)
        base, places = self._forms[key]
        forms = [self._vocabulary.words[place] for place in places]
        pattern = Pattern(self.level, self.field, (base,), ANY_FORM, language=self._language)
        others = tuple((form,) for form in forms)
        return Description(pattern, tagged(self.role, *forms), self.role, others[0], others)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of the word, or of its forms."""
        if pattern.place != ANY_FORM:
            return row.phrases(pattern.field, pattern.words)
        text = row.get(pattern.field)
        if text is None or not has_lemmas(pattern.language):
            return None
        spans = [
            (start, end)
            for token, start, end in text.tokens
            if token.isalpha() and (lemma(token, pattern.language),) == pattern.words
        ]
        return {pattern.field: spans} if spans else None


class NgramDetector(PhraseDetector):
    """Does the text contain these two or three words in sequence, without a mark between them?"""

    level = "ngram"
    roles = (TEXT,)
    is_unbounded = True

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._is_word &= reading.corpora[role].document_frequency() >= reading.min_count

    def occurrences(self, block: Block) -> Occurrences:
        """Every two and three neighbouring words that are frequent."""
        rows, hashes, wanted = block.rows(), self._hashes(block), self._is_word[block.codes]
        return joined([phrases(rows, hashes, size, wanted) for size in (2, 3)])


class PositionDetector(PhraseDetector):
    """Is this word at this place? A word that is harmless elsewhere can predict the label at one place. Punctuation marks are skipped.

    There are four places: the first word, the last word, and for texts of eight words or more the first and the last quarter.
    """

    level = "position"
    roles = (TEXT,)

    def occurrences(self, block: Block) -> Occurrences:
        """Every word at one of the places."""
        at = np.flatnonzero(self._is_word[block.codes])
        rows, hashes = block.rows()[at], self._hashes(block)[at]
        length = np.bincount(rows, minlength=block.n_texts)[rows]
        place = np.arange(len(rows)) - np.searchsorted(rows, rows)  # rows ascend: where each text starts
        quarter = np.where(length >= QUARTERS_FROM, 4 * place // np.maximum(length, 1), -1)
        parts = []
        for name, here in zip(
            PLACES, (place == 0, place == length - 1, quarter == 0, quarter == 3), strict=True
        ):
            keys = keys_of([hashes[here], np.array([hash_of(_MARK + name)], dtype=np.uint64)])
            parts.append(Occurrences(rows[here], keys, at[here], at[here] + 1))
        return joined(parts)

    def describe(self, key: int) -> Description:
        """The place and the word."""
        words = self._words(key)
        place = next(name for name in PLACES if key_of((*words, _MARK + name)) == key)
        pattern = Pattern(self.level, self.field, words, place)
        return Description(pattern, tagged(self.role, *words), self.role, words, at_end="last" in place)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The occurrences at that place; several words must follow one another there."""
        text, n_words = row.get(pattern.field), len(pattern.words)
        if text is None or not n_words or pattern.place not in PLACES:
            return None
        n = len(text.words)
        last = n - n_words  # where the last occurrence can start
        quarters = n if n >= QUARTERS_FROM else 0
        starts = {
            FIRST: range(min(1, last + 1)),
            LAST: range(max(0, last), last + 1),
            FIRST_QUARTER: (i for i in range(quarters) if 4 * i // n == 0),
            LAST_QUARTER: (i for i in range(quarters) if 4 * i // n == 3),
        }[pattern.place]
        spans = [
            (text.words[i][1], text.words[i + n_words - 1][2])
            for i in starts
            if tuple(word for word, _, _ in text.words[i : i + n_words]) == pattern.words
        ]
        return {pattern.field: spans} if spans else None


class PairDetector(Detector):
    """Does the context contain this word and the text that word: "outside" in the premise and "inside" in the hypothesis?

    Only the most frequent words of each side are paired (those in more than a third of the examples left out): the choice does not look
    at the labels, so the tests stay honest.
    """

    level = "pair"
    roles = (PAIR,)

    def __init__(self, reading: Reading, role: str = PAIR) -> None:
        super().__init__(reading, role)
        self._context = reading.columns[CONTEXT]
        self._words = reading.vocabulary.words
        self._chosen = {role: _frequent_words(reading, role) for role in (CONTEXT, TEXT)}

    def count(self, reading: Reading) -> Features:
        """Counts of every pair of frequent words."""
        counts = np.zeros((len(self._chosen[CONTEXT]) * len(self._chosen[TEXT]), reading.n_labels), np.int64)
        for piece in reading.pieces():
            context, text = self._side(piece, CONTEXT), self._side(piece, TEXT)
            for label in range(reading.n_labels):
                mine = piece.labels == label
                counts[:, label] += (context[mine].T @ text[mine]).toarray().ravel()
        keys = np.flatnonzero(counts.sum(axis=1) >= reading.min_count)
        return Features(keys, counts[keys])

    def describe(self, key: int) -> Description:
        """The word of the context and the word of the text."""
        places = divmod(key, len(self._chosen[TEXT]))
        context, text = (
            self._words[self._chosen[role][place]]
            for role, place in zip((CONTEXT, TEXT), places, strict=True)
        )
        pattern = Pattern(self.level, self.field, (context, text), context=self._context)
        return Description(pattern, tagged(CONTEXT, context) | tagged(TEXT, text), TEXT, (text,))

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which examples have which pair."""
        context, text = np.divmod(keys, len(self._chosen[TEXT]))
        both = self._side(piece, CONTEXT)[:, context].multiply(self._side(piece, TEXT)[:, text])
        return csr_matrix(both)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of both words."""
        if not pattern.words or not pattern.context:
            return None
        (text, context), (there, here) = pattern.columns, pattern.words
        in_text, in_context = row.phrases(text, [here]), row.phrases(context, [there])
        return {**in_text, **in_context} if in_text and in_context else None

    def _side(self, piece: ReadingPart, role: str) -> csr_matrix:
        return _presence(piece.blocks[role], len(self._words), self._chosen[role])


class SufficientDetector(Detector):
    """Does the text contain all these words, wherever they are?

    Sets of words that are enough for a model's wrong answer, and come again and again: shortcuts by RAZOR's Definition 1. The sets were found
    by way of a model of the same data, so that q is taken over them and all single words together: the doubt is that of a search
    through the vocabulary, not of a few lucky picks.
    """

    level = "sufficient"

    def __init__(self, reading: Reading, role: str, sets: Sequence[tuple[str, ...]]) -> None:
        super().__init__(reading, role)
        self.patterns = [
            Description(Pattern(self.level, self.field, words), tagged(role, *words), role, words[:1])
            for words in sets
        ]
        self._codes = reading.vocabulary.codes

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts have which sets."""
        columns = np.zeros((piece.n_texts, len(keys)), dtype=np.int64)
        for column, key in enumerate(keys.tolist()):
            words = set(self.patterns[key].pattern.words)
            if words <= self._codes.keys():
                codes = np.array([self._codes[word] for word in words], dtype=np.int64)
                has = _presence(piece.blocks[self.role], len(self._codes), codes)
                columns[:, column] = np.asarray(has.sum(axis=1)).ravel() == len(words)
        return csr_matrix(columns)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of the words, if the text contains all of them."""
        text = row.get(pattern.field)
        spans = [] if text is None else [text.phrases([word]) for word in pattern.words]
        return {pattern.field: sorted(chain.from_iterable(spans))} if spans and all(spans) else None


def _presence(block: Block, n_words: int, codes: Ints) -> csr_matrix:
    """Texts x words: which texts have which of the words."""
    present = block.counts(n_words)[:, codes]
    present.data[:] = 1
    return present


def _frequent_words(reading: Reading, role: str) -> Ints:
    frequency = reading.corpora[role].document_frequency()
    fit = (
        reading.vocabulary.word_mask() & (frequency <= reading.n_texts / 3) & (frequency >= reading.min_count)
    )
    words = np.flatnonzero(fit)
    return np.sort(words[np.argsort(-frequency[words], kind="stable")[:N_WORDS]])
