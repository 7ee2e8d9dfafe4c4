"""The contract of a detector, and what detectors share.

A detector looks at one kind of pattern. It counts a whole dataset as integers, and answers for one row of text:

    count(reading)           -> Features: counts by label for every pattern that is frequent enough
    describe(key)            -> Description: the pattern behind a key, and how to show it
    matrix(piece, keys)      -> examples x patterns: which example of the piece has which pattern
    where(row, pattern)      -> the spans of the pattern in one row; None if the row does not show it

`count` covers everything; `matrix` is called later, for the few patterns that matter. `where` needs no dataset. It is the only
implementation of "does this row show the pattern?", and agrees with `matrix` on every row (tests/detect/test_where.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from longway.detect.reading import TEXT, Reading, ReadingPart
from longway.records import Pattern
from longway.text.tokenizer import is_word, token_spans

Ints = NDArray[np.int64]
Spans = list[tuple[int, int]]

ROW, PAIR = (
    "row",
    "pair",
)  # what a detector of more than one column is made for: any row, a text with a context


class TokenizedText:
    """One text of a row, cut into tokens once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of_tokens(cls, tokens: Iterable[str]) -> TokenizedText:
        """A text whose tokens are known already, as if joined by spaces."""
        found, spans, start = cls(" ".join(tokens)), [], 0
        for token in found.text.split(" ") if found.text else ():
            spans.append((token, start, start + len(token)))
            start += len(token) + 1
        found.tokens = spans
        return found

    @cached_property
    def tokens(self) -> list[tuple[str, int, int]]:
        """Every token with its start and end, in lower case."""
        return token_spans(self.text)

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

    def __init__(self, texts: Mapping[str, str | TokenizedText]) -> None:
        self.columns = {
            name: text if isinstance(text, TokenizedText) else TokenizedText(text)
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
    """

    level: ClassVar[str]
    roles: ClassVar[tuple[str, ...]] = ()
    role: str
    field: str
    reads: tuple[str, ...]

    def __init__(self, reading: Reading, role: str) -> None:
        self.role, self.field = role, reading.columns.get(role) or " + ".join(reading.columns.values())
        self.reads = (role,) if role in reading.columns else tuple(reading.columns)

    @abstractmethod
    def count(self, reading: Reading) -> Features:
        """Count the examples with each pattern, by label."""

    @abstractmethod
    def describe(self, key: int) -> Description:
        """The pattern behind a key of `count`."""

    @abstractmethod
    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which examples of the piece have which of the given patterns."""

    def matrix_at(self, piece: ReadingPart, keys: Ints, rows: Ints) -> csr_matrix:
        """`matrix` for some rows of the piece."""
        return self.matrix(piece.take(rows), keys)

    def matrix_of(self, reading: Reading, keys: Ints, places: Ints) -> csr_matrix:
        """`matrix` for the examples at these places (ascending) of a reading."""
        parts = []
        for piece in reading.pieces():
            low, high = np.searchsorted(places, [piece.start, piece.start + piece.n_texts])
            parts.append(self.matrix_at(piece, keys, places[low:high] - piece.start))
        return csr_matrix(vstack(parts, format="csr"))

    @staticmethod
    @abstractmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The spans of the pattern by column; {} if the row shows it at no particular place, None if it does not show it."""


def distinct(values: Ints) -> Ints:
    """The different values in order: `np.unique` by sorting, several times faster on large arrays than its hash table.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(values)
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]])


def tally(features: Ints, labels: NDArray[np.int32], n_features: int, n_labels: int) -> Ints:
    """Counts by feature and label, from one (feature, label) pair for each time a feature is present.

    >>> tally(np.array([0, 2, 2]), np.array([1, 0, 1]), 3, 2).tolist()
    [[0, 1], [0, 0], [1, 1]]
    """
    flat = np.bincount(features.astype(np.int64) * n_labels + labels, minlength=n_features * n_labels)
    return flat.reshape(n_features, n_labels)


def zeros(n_features: int, n_labels: int) -> Ints:
    """A table of counts by feature and label, all of them 0."""
    return np.zeros((n_features, n_labels), dtype=np.int64)


def enough(counts: Ints, min_count: int, *, n_texts: int) -> Ints:
    """Indices of the features that are present in enough examples, and absent from enough, to be tested."""
    present = counts.sum(axis=1)
    return np.flatnonzero((present >= min_count) & (present <= n_texts - min_count))


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
