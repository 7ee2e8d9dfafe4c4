"""Two and three words in a row: "is not", "new york", "worst movie ever".

An n-gram can only be frequent if its parts are (Agrawal and Srikant 1994), so three words are counted only
where both pairs inside them were frequent. Before counting exactly, a pass over a small table of hashed counts throws
out what cannot be frequent (Park, Chen, Yu 1995): memory is bounded by what is frequent, not by
what occurs, and the counts stay exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.detect.detector import (
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    columns_of,
    distinct,
    enough,
    tagged,
    tally,
)
from longway.detect.reading import TEXT, Reading, ReadingPart
from longway.records import Pattern
from longway.text.corpus import Block

Ints32 = NDArray[np.int32]

Bools = NDArray[np.bool_]

_BITS = 20  # of one word's code (corpus.MAX_WORDS)
_TRIPLE = 1 << 3 * _BITS  # marks a key of three words
_TABLE_BITS = (16, 24)  # fewest and most
_MERGE_AT = 1 << 19


class NgramDetector(Detector):
    """Does the text contain these two or three words in sequence, without a mark between them?"""

    level = "ngram"
    roles = (TEXT,)

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._words = reading.vocabulary.words

    def count(self, reading: Reading) -> Features:
        """Counts of every frequent n-gram."""
        frequency = reading.corpora[self.role].document_frequency()
        words = (frequency >= reading.min_count) & reading.vocabulary.word_mask()
        pairs = self._count(reading, partial(_pairs, words=words))
        triples = self._count(reading, partial(_triples, words=words, frequent_pairs=pairs.keys))
        keys = np.concatenate([pairs.keys, triples.keys])
        counts = np.concatenate([pairs.counts, triples.counts])
        kept = enough(counts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys[kept], counts[kept])

    def _count(self, reading: Reading, ngrams: Callable[[Block], tuple[Ints, Ints]]) -> Features:
        role, min_count = self.role, reading.min_count
        bits = int(np.clip(reading.corpora[role].n_tokens.bit_length() - 2, *_TABLE_BITS))
        table = np.zeros(1 << bits, dtype=np.uint32)
        for piece in reading.pieces():
            _, keys = ngrams(piece.blocks[role])
            np.add.at(table, _hash(keys, bits), np.uint32(1))
        may_be_frequent = table >= min_count
        counter = _Counter(reading.n_labels)
        for piece in reading.pieces():
            rows, keys = ngrams(piece.blocks[role])
            maybe = may_be_frequent[_hash(keys, bits)]
            counter.add(rows[maybe], keys[maybe], piece.labels)
        keys, counts = counter.counted()
        frequent = counts.sum(axis=1) >= reading.min_count
        return Features(keys[frequent], counts[frequent])

    def describe(self, key: int) -> Description:
        """The words in order."""
        words = tuple(self._words[code] for code in _codes_of(key))
        pattern = Pattern(self.level, self.field, words)
        return Description(pattern, tagged(self.role, *words), self.role, words)

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts have which n-grams."""
        block = piece.blocks[self.role]
        every = np.ones(len(self._words), dtype=bool)  # the keys asked for leave out what is not wanted
        pair_rows, pairs = _pairs(block, every)
        triple_rows, triples = _triples(block, every, None)
        rows, found = np.concatenate([pair_rows, triple_rows]), np.concatenate([pairs, triples])
        return columns_of(rows, found, keys, piece.n_texts)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of the words in sequence."""
        return row.phrases(pattern.field, pattern.words)


class _Counter:
    """Counts by key and label, merged now and then so that they never pile up."""

    def __init__(self, n_labels: int) -> None:
        self._keys = np.zeros(0, dtype=np.int64)
        self._counts = np.zeros((0, n_labels), dtype=np.int32)
        self._waiting: list[tuple[Ints, Ints32]] = []

    def add(self, rows: Ints, keys: Ints, labels: Ints32) -> None:
        """Count the n-grams of one piece; a text counts once however often it says it."""
        known, local = np.unique(keys, return_inverse=True)
        n = max(1, len(labels))
        once = distinct(local * n + rows)
        counts = tally(once // n, labels[once % n], len(known), self._counts.shape[1])
        self._waiting.append((known, counts.astype(np.int32)))
        if sum(len(k) for k, _ in self._waiting) > max(_MERGE_AT, len(self._keys) // 2):
            self.counted()

    def counted(self) -> tuple[Ints, Ints]:
        """All keys in order with their counts; what waited is counted in."""
        parts = [(self._keys, self._counts), *self._waiting]
        self._waiting = []
        self._keys, which = np.unique(np.concatenate([keys for keys, _ in parts]), return_inverse=True)
        self._counts = np.zeros((len(self._keys), self._counts.shape[1]), dtype=np.int32)
        start = 0
        for keys, counts in parts:
            self._counts[which[start : start + len(keys)]] += counts  # a part has each key once
            start += len(keys)
        return self._keys, self._counts.astype(np.int64)


def _pairs(block: Block, words: Bools) -> tuple[Ints, Ints]:
    """Row and key of every two neighbouring words."""
    rows, codes = block.rows(), block.codes.astype(np.int64)
    here = np.flatnonzero(_neighbours(block, words))
    return rows[here], codes[here] << _BITS | codes[here + 1]


def _triples(block: Block, words: Bools, frequent_pairs: Ints | None) -> tuple[Ints, Ints]:
    """Row and key of every three neighbouring words, where given only those whose two pairs are frequent."""
    rows, codes = block.rows(), block.codes.astype(np.int64)
    neighbours = _neighbours(block, words)
    if frequent_pairs is not None:
        neighbours &= _among(codes[:-1] << _BITS | codes[1:], frequent_pairs)
    here = np.flatnonzero(neighbours[:-1] & neighbours[1:])
    return rows[here], _TRIPLE | (codes[here] << _BITS | codes[here + 1]) << _BITS | codes[here + 2]


def _among(keys: Ints, ordered: Ints) -> Bools:
    """Which keys are among the ordered ones (np.isin would sort them anew for each piece)."""
    if not len(ordered):
        return np.zeros(len(keys), dtype=bool)
    place = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return np.asarray(ordered[place] == keys)


def _neighbours(block: Block, words: Bools) -> Bools:
    """For each token but the last, whether it and the next are words of one text."""
    rows, wanted = block.rows(), words[block.codes]
    return (rows[1:] == rows[:-1]) & wanted[1:] & wanted[:-1]


def _codes_of(key: int) -> list[int]:
    mask = (1 << _BITS) - 1
    pair = [key >> _BITS & mask, key & mask]
    return [key >> 2 * _BITS & mask, *pair] if key & _TRIPLE else pair


def _hash(keys: Ints, bits: int) -> Ints:
    """A place in a table of 2 ** bits for each key (Fibonacci hashing)."""
    mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)
