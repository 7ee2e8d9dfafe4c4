"""Words and pairs of words of a text as columns of numbers: what the bag-of-words models see.

    "Not a good day" | "A good day"      columns of the row

    text                                 not, a, good, day, not a, a good, good day
    context                              (a), (good), (day)
    words of the text in the context     a+, good+, day+, and how many: +
    words of the text not in it          not-, and how many: -

A linear model cannot compare a text with its context, since it only adds; the last two lines compare for it. Rows without
contexts have the first line only. A column is kept where at least two training rows have it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

from longway.classify.classifier import Inputs
from longway.classify.saved import check_kind
from longway.text.tokens import encode

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class WordFeatures:
    """Counts words, pairs of words and, where rows are pairs, what text and context share.

    words: those a column may be made of. kept: the columns, each as one number (see `_keys`), ascending.
    """

    def __init__(self, words: Iterable[str], kept: Ints, *, pairs: bool) -> None:
        self.words = list(words)
        self.kept = kept
        self.pairs = pairs
        self._code = {word: i for i, word in enumerate(self.words)}

    @classmethod
    def learned(cls, inputs: Inputs, *, min_rows: int = 2) -> tuple[WordFeatures, csr_matrix]:
        """The columns that at least `min_rows` of these rows have, and the rows' counts."""
        read = _Read.of(inputs)
        seen = _rows_having(_counted(read.rows, read.codes, (len(inputs), len(read.words))))
        words = [word for word, n in zip(read.words, seen.tolist(), strict=True) if n >= min_rows]
        found = cls(words, np.zeros(0, np.int64), pairs=inputs.contexts is not None)
        rows, keys = found._keys(read)
        names, column = np.unique(keys, return_inverse=True)
        counts = _counted(rows, column, (len(inputs), len(names)))
        enough = np.flatnonzero(_rows_having(counts) >= min_rows)
        found.kept = names[enough]
        return found, counts[:, enough]

    def counts(self, inputs: Inputs) -> csr_matrix:
        """Rows x columns: how often each row has each column's word or words."""
        check_kind(inputs, pairs=self.pairs)
        rows, keys = self._keys(_Read.of(inputs))
        column = np.searchsorted(self.kept, keys)
        known = np.zeros(len(keys), bool)
        if len(self.kept):
            known = self.kept[np.minimum(column, len(self.kept) - 1)] == keys
        return _counted(rows[known], column[known], (len(inputs), len(self.kept)))

    def names(self) -> list[str]:
        """What each column stands for, as in the picture above."""
        n = len(self.words)
        marks = ("{}", "({})", "{}+", "{}-")

        def name(key: int) -> str:
            if key < 4 * n:
                return marks[key // n].format(self.words[key % n])
            if key < 4 * n + 2:
                return "+-"[key - 4 * n]
            first, second = divmod(key - 4 * n - 2, n)
            return f"{self.words[first]} {self.words[second]}"

        return [name(key) for key in self.kept.tolist()]

    def _keys(self, read: _Read) -> tuple[Ints, Ints]:
        """For every word and pair of words its row and its number.

        With n words: word w is w, in the context n + w, shared 2n + w, not shared 3n + w; 4n counts shared words, 4n + 1 others;
        the pair of words v, w is 4n + 2 + v n + w.
        """
        n = len(self.words)
        known = np.array([self._code.get(word, -1) for word in read.words], np.int64)
        code = known[read.codes]
        text, context = ~read.is_context, read.is_context
        follows = (read.rows[1:] == read.rows[:-1]) & text[1:] & (code[1:] >= 0) & (code[:-1] >= 0)
        parts = [
            (read.rows, np.where(code < 0, -1, code + n * context)),
            (read.rows[1:][follows], 4 * n + 2 + code[:-1][follows] * n + code[1:][follows]),
        ]
        if self.pairs:
            place = read.rows * (len(read.words) + 1) + read.codes
            shared = np.isin(place[text], place[context])
            rows, mine = read.rows[text], code[text]
            parts += [(rows, np.where(mine < 0, -1, mine + np.where(shared, 2 * n, 3 * n)))]
            parts += [(rows, 4 * n + ~shared)]
        rows, keys = (np.concatenate(part) for part in zip(*parts, strict=True))
        return rows[keys >= 0], keys[keys >= 0]


class TfIdf:
    """Counts made comparable: a rare word weighs more, a repeated one less than double, each row has length 1.

    (1 + log count) x (1 + log((1 + n) / (1 + rows that have it)))
    """

    def __init__(self, idf: Floats) -> None:
        self.idf = idf

    @classmethod
    def learned(cls, counts: csr_matrix) -> TfIdf:
        """Weights from the training rows."""
        return cls(1 + np.log((1 + counts.shape[0]) / (1 + _rows_having(counts))))

    def __call__(self, counts: csr_matrix) -> csr_matrix:
        """The weighted rows."""
        found = csr_matrix(
            ((1 + np.log(counts.data)) * self.idf[counts.indices], counts.indices, counts.indptr),
            counts.shape,
        )
        length = np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel())
        return csr_matrix(diags_array(1 / np.where(length > 0, length, 1)) @ found)


@dataclass(frozen=True, slots=True)
class _Read:
    """All tokens, those of the texts first: the code of each, what codes stand for, its row, and whether it is the context's."""

    codes: Ints
    words: list[str]
    rows: Ints
    is_context: NDArray[np.bool_]

    @classmethod
    def of(cls, inputs: Inputs) -> _Read:
        everything = [*inputs.texts, *(inputs.contexts or ())]
        codes, words, lengths = encode(pl.Series(everything, dtype=pl.String))
        place = np.repeat(np.arange(len(everything)), lengths)
        return cls(codes.astype(np.int64), words, place % max(1, len(inputs)), place >= len(inputs))


def _rows_having(counts: csr_matrix) -> Ints:
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _counted(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_matrix:
    """A matrix of how often each (row, column) comes."""
    found = csr_matrix((np.ones(len(rows)), (rows, columns)), shape)
    found.sum_duplicates()
    return found
