"""What a detector gives: patterns, and how often each stands with each label.

Every detector is a small class with the same two verbs:

    count(reading)           -> Features: one row of counts for each pattern it saw often enough
    matrix(piece, chosen)    -> examples x chosen patterns: which example of the piece has which pattern

`count` looks at everything; `matrix` is asked later for the few patterns that turned out to matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.detect.reading import TEXT, Piece, Reading

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern in words.

    name: as a person reads it.
    words: what it is made of, for telling which patterns are about the same thing.
    role: the column ("text" or "context") to show an example from; phrase: the words to mark in it.
    field: the column or columns it is seen in, where that is not the detector's own.
    at_end: whether the phrase is looked for from the end of the text.
    others: where any of several phrases shows the pattern, all of them instead of one phrase.
    """

    name: str
    words: frozenset[str]
    role: str = TEXT
    phrase: tuple[str, ...] = ()
    field: str | None = None
    at_end: bool = False
    others: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Features:
    """Patterns by number, with counts[i, y]: examples with pattern keys[i] and label y.

    totals: examples of each label that were looked at, where that is not all of them.
    """

    keys: Ints
    counts: Ints
    totals: Ints | None = None


class Detector(Protocol):
    """Something that looks at one kind of surface pattern."""

    level: str
    field: str

    def count(self, reading: Reading) -> Features:
        """How often each pattern stands with each label."""
        ...

    def describe(self, key: int) -> Pattern:
        """The pattern behind a key of `count`."""
        ...

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which examples of the piece have which of the given patterns."""
        ...


def tally(features: Ints, labels: NDArray[np.int32], n_features: int, n_labels: int) -> Ints:
    """Counts by feature and label, from one (feature, label) pair for each time a feature is present.

    >>> tally(np.array([0, 2, 2]), np.array([1, 0, 1]), 3, 2).tolist()
    [[0, 1], [0, 0], [1, 1]]
    """
    flat = np.bincount(features.astype(np.int64) * n_labels + labels, minlength=n_features * n_labels)
    return flat.reshape(n_features, n_labels)


def zeros(n_features: int, n_labels: int) -> Callable[[], Ints]:
    """Makes the empty table of counts by feature and label that a walk over a reading begins with."""
    return lambda: np.zeros((n_features, n_labels), dtype=np.int64)


def enough(counts: Ints, min_count: int, *, n_texts: int) -> Ints:
    """Numbers of the features that are in enough examples, and missing from enough, to say anything."""
    present = counts.sum(axis=1)
    return np.flatnonzero((present >= min_count) & (present <= n_texts - min_count))


def columns_of(rows: Ints, found: Ints, keys: Ints, n_rows: int) -> csr_matrix:
    """Examples x keys, from pairs (row, key found there); keys that were not asked for are left out."""
    if not len(keys):
        return csr_matrix((n_rows, 0), dtype=np.int32)
    order = np.argsort(keys)
    place = np.searchsorted(keys, found, sorter=order)
    place = order[np.minimum(place, len(keys) - 1)]
    asked = keys[place] == found
    ones = np.ones(int(asked.sum()), dtype=np.int32)
    matrix = csr_matrix((ones, (rows[asked], place[asked])), shape=(n_rows, len(keys)))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def tagged(role: str, *words: str) -> frozenset[str]:
    """Words of one column, told apart from the same words of the other."""
    return frozenset(f"{role}:{word}" for word in words)
