"""The contract of a detector, and what detectors share.

A detector looks at one kind of pattern. It counts a whole dataset as integers, and answers for one row of text:

    count(reading)           -> Features: counts by label for every pattern that is frequent enough
    describe(key)            -> Description: the pattern behind a key, and how to show it
    matrix(piece, keys)      -> examples x patterns: which example of the piece has which pattern
    where(row, pattern)      -> the spans of the pattern in one row; None if the row does not show it

A level with a fixed list of patterns lists them in `patterns` and implements `matrix` and `where`; the rest is here. A level of words and
phrases implements `occurrences` (`words.py`). `where` needs no dataset, and agrees with `matrix` on every row (tests/detect/test_where.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_matrix, vstack

from longway.arrays import Ints, Ints32
from longway.detect.reading import TEXT, Reading, ReadingPart
from longway.errors import SettingError
from longway.records import Pattern
from longway.text.tokenizer import PLAIN, Tokenizer, is_word

Spans = list[tuple[int, int]]

ROW, PAIR = (
    "row",
    "pair",
)  # what a detector of more than one column is made for: any row, a text with a context


class TokenizedText:
    """One text of a row, cut into tokens once."""

    def __init__(self, text: str, tokenizer: Tokenizer = PLAIN) -> None:
        self.text, self.tokenizer = text, tokenizer

    @classmethod
    def of_tokens(cls, tokens: Iterable[str], tokenizer: Tokenizer = PLAIN) -> TokenizedText:
        """A text whose tokens are known already, as if joined by spaces."""
        found, spans, start = cls(" ".join(tokens), tokenizer), [], 0
        for token in found.text.split(" ") if found.text else ():
            spans.append((token, start, start + len(token)))
            start += len(token) + 1
        found.tokens = spans
        return found

    @cached_property
    def tokens(self) -> list[tuple[str, int, int]]:
        """Every token with its start and end, in lower case."""
        return self.tokenizer.spans(self.text)

    @cached_property
    def words(self) -> list[tuple[str, int, int]]:
        """The tokens without punctuation marks."""
        return [token for token in self.tokens if is_word(token[0])]

    @cached_property
    def _indices(self) -> dict[str, list[int]]:
        indices: dict[str, list[int]] = {}
        for index, (token, _, _) in enumerate(self.tokens):
            indices.setdefault(token, []).append(index)
        return indices

    def phrases(self, phrase: Sequence[str], *, wildcard: str | None = None) -> Spans:
        """The spans of these tokens in sequence. wildcard: a token of the phrase that matches any."""
        first = next((i for i, token in enumerate(phrase) if token != wildcard), None)
        if first is None:
            return []
        spans = []
        for index in self._indices.get(phrase[first], ()):
            start, end = index - first, index - first + len(phrase)
            if start >= 0 and end <= len(self.tokens):
                pairs = zip(phrase, self.tokens[start:end], strict=True)
                if all(token in (seen, wildcard) for token, (seen, _, _) in pairs):
                    spans.append((self.tokens[start][1], self.tokens[end - 1][2]))
        return spans


class TokenizedRow:
    """The texts of one row by column, each cut into tokens once."""

    def __init__(self, texts: Mapping[str, str | TokenizedText], tokenizer: Tokenizer = PLAIN) -> None:
        self.columns = {
            name: text if isinstance(text, TokenizedText) else TokenizedText(text, tokenizer)
            for name, text in texts.items()
        }

    def get(self, column: str) -> TokenizedText | None:
        """The text of a column; None if the row has no such column."""
        return self.columns.get(column)

    def phrases(self, column: str, phrase: Sequence[str]) -> dict[str, Spans] | None:
        """The spans of these tokens in sequence in a column; None if there are none."""
        text = self.columns.get(column)
        return {column: spans} if text is not None and (spans := text.phrases(phrase)) else None


@dataclass(frozen=True, slots=True)
class Description:
    """A pattern with what is needed to group it with others and to show an example.

    tags: what it is made of; patterns that share a tag may be about the same thing.
    role: the column ("text" or "context") to show an example from; phrase: the words to mark in it.
    others: if any of several phrases shows the pattern, all of them instead of one phrase.
    at_end: whether the last occurrence of the phrase is marked.
    """

    pattern: Pattern
    tags: frozenset[str]
    role: str = TEXT
    phrase: tuple[str, ...] = ()
    others: tuple[tuple[str, ...], ...] = ()
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class Features:
    """Patterns by key, with counts[i, y]: examples with pattern keys[i] and label y.

    rows: the places of the examples that were counted, in order, if that is not all of them.
    """

    keys: Ints
    counts: Ints
    rows: Ints | None = None


class Detector(ABC):
    """Looks at one kind of pattern.

    level: its name. roles: what a dataset needs for a detector to be made: one for each of "text" and "context" columns, for each
    "row", or for each "pair"; none for a detector that needs more than a reading (a grammar, a list of sets).
    role: the one it was made for. field: the column or columns it looks at; reads: their roles.
    by_piece: whether it knows rows by their places in a piece, so that `matrix` takes whole pieces only.
    patterns: all patterns of a level that has a fixed list of them; the key of a pattern is its place in the list.
    """

    level: ClassVar[str]
    roles: ClassVar[tuple[str, ...]] = ()
    role: str
    field: str
    reads: tuple[str, ...]
    by_piece: ClassVar[bool] = False
    patterns: Sequence[Description] = ()

    def __init__(self, reading: Reading, role: str) -> None:
        self.tokenizer = reading.tokenizer
        self.role, self.field = role, reading.columns.get(role) or " + ".join(reading.columns.values())
        self.reads = (role,) if role in reading.columns else tuple(reading.columns)

    def count(self, reading: Reading) -> Features:
        """Count the examples with each pattern, by label."""
        every = np.arange(len(self.patterns))
        counts = np.zeros((len(every), reading.n_labels), dtype=np.int64)
        for piece in reading.pieces():
            counts += by_label(self.matrix(piece, every), piece.labels, reading.n_labels)
        return frequent(every, counts, reading.min_count, n_texts=reading.n_texts)

    def describe(self, key: int) -> Description:
        """The pattern behind a key of `count`."""
        return self.patterns[key]

    @abstractmethod
    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which examples of the piece have which of the given patterns."""

    def matrix_of(self, reading: Reading, keys: Ints, places: Ints) -> csr_matrix:
        """`matrix` for the examples at these places (ascending) of a reading."""
        parts = []
        for piece in reading.pieces():
            low, high = np.searchsorted(places, [piece.start, piece.start + piece.n_texts])
            rows = places[low:high] - piece.start
            parts.append(
                self.matrix(piece, keys)[rows] if self.by_piece else self.matrix(piece.take(rows), keys)
            )
        return csr_matrix(vstack(parts, format="csr"))

    @staticmethod
    @abstractmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The spans of the pattern by column; {} if the row shows it at no particular place, None if it does not show it."""


class SampledDetector(Detector):
    """Knows its patterns by the place of a row in the reading that it was made of: other rows have none, and another reading is refused.

    places: of the rows that it knows, ascending. present: number of the row in `places`, and key, of each pattern that it has.
    """

    by_piece = True
    places: Ints

    def __init__(self, reading: Reading, role: str, places: Ints) -> None:
        super().__init__(reading, role)
        self._reading, self.places = reading.number, places

    @property
    @abstractmethod
    def present(self) -> tuple[Ints, Ints]:
        """See above."""

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which examples have which patterns; none where a row is not known."""
        self.check(piece.of)
        numbers, found = self.present
        rows = self.places[numbers] - piece.start
        here = (rows >= 0) & (rows < piece.n_texts)
        return columns_of(rows[here], found[here], keys, piece.n_texts)

    def check(self, number: int) -> None:
        """Refuse a reading other than the detector's own."""
        if number != self._reading:
            raise SettingError(
                f"The detector of the level {self.level} only works with the reading it was made from. Got a different one. "
                "Make a detector of that reading."
            )


def by_label(present: csr_matrix, labels: Ints32, n_labels: int) -> Ints:
    """Patterns x labels: the examples with each pattern and label. present: examples x patterns.

    >>> by_label(csr_matrix([[1, 0], [1, 1]]), np.array([1, 0]), 2).tolist()
    [[1, 1], [1, 0]]
    """
    ones = np.ones(len(labels), dtype=np.int64)
    own = csr_matrix((ones, (labels, np.arange(len(labels)))), shape=(n_labels, len(labels)))
    return np.asarray((own @ present).toarray().T, dtype=np.int64)


def frequent(keys: Ints, counts: Ints, min_count: int, *, n_texts: int, rows: Ints | None = None) -> Features:
    """The patterns that are present in enough examples, and absent from enough, to be tested."""
    present = counts.sum(axis=1)
    kept = (present >= min_count) & (present <= n_texts - min_count)
    return Features(keys[kept], counts[kept], rows)


def columns_of(rows: Ints, present: Ints, keys: Ints, n_rows: int) -> csr_matrix:
    """Examples x keys, from pairs (row, key present in it); other keys are ignored."""
    if not len(keys):
        return csr_matrix((n_rows, 0), dtype=np.int32)
    order = np.argsort(keys)
    column = np.searchsorted(keys, present, sorter=order)
    column = order[np.minimum(column, len(keys) - 1)]
    wanted = keys[column] == present
    ones = np.ones(int(wanted.sum()), dtype=np.int32)
    matrix = csr_matrix((ones, (rows[wanted], column[wanted])), shape=(n_rows, len(keys)))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def tagged(role: str, *words: str) -> frozenset[str]:
    """Tags for words of one column, different from those of the same words in the other."""
    return frozenset(f"{role}:{word}" for word in words)
