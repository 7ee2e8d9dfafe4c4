"""Stable keys of words and phrases, and their occurrences in texts.

    hashes of tokens  ->  `phrases`  ->  Occurrences: row, key, first token and the token after the last

A key is a 64-bit number that depends on the words and their order alone, so it is the same in every process, dataset and run. Counts, the leak
and a repair use these keys: what the audit counts is what a repair balances. Two phrases of a dataset have the same key with a probability
of less than one in a million.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from longway.arrays import Bools, Ints
from longway.text.corpus import hash_of

Hashes = NDArray[np.uint64]

START, END = "\x02", "\x03"  # ends of a text as words of phrases; no token is a control character
LONGEST = 12  # words of a phrase
_SPREAD = 0x9E3779B97F4A7C15
_FACTORS = np.array(
    [_SPREAD, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9]
    + [_SPREAD * (2 * place + 1) & (1 << 64) - 1 for place in range(2, LONGEST - 1)],
    dtype=np.uint64,
)  # odd, one for each place in a phrase


class Occurrences(NamedTuple):
    """Where words and phrases occur: the row, the key, the first token and the token after the last, counted through the block.

    The occurrences of one key are in the order of their rows.
    """

    row: Ints
    key: Ints
    start: Ints
    stop: Ints

    def only(self, which: Bools | Ints) -> Occurrences:
        """Some of the occurrences."""
        return Occurrences(*(each[which] for each in self))


def joined(parts: Sequence[Occurrences]) -> Occurrences:
    """The occurrences of several kinds, one kind after the other."""
    return Occurrences(*map(np.concatenate, zip(*parts, strict=True)))


def keys_of(hashes: Sequence[Hashes]) -> Ints:
    """The key of each phrase, from the hashes of all first words, of all second words, and so on."""
    mixed = np.zeros(len(hashes[0]), dtype=np.uint64)
    for words, factor in zip(hashes, _FACTORS[: len(hashes)], strict=True):
        mixed += words * factor
    return (mixed * _FACTORS[0]).view(np.int64)


def key_of(words: Sequence[str]) -> int:
    """The key of a word or phrase."""
    return int(keys_of([np.array([hash_of(word)], dtype=np.uint64) for word in words])[0])


def top_bits(keys: Ints, bits: int) -> Ints:
    """The first bits of each key: a place in a table of 2 ** bits."""
    return (keys.view(np.uint64) >> np.uint64(64 - bits)).astype(np.int64)


def phrases(rows: Ints, hashes: Hashes, size: int, wanted: Bools | None = None) -> Occurrences:
    """All `size` neighbouring tokens of one text. rows: of each token, ascending; wanted: the tokens that may be part of a phrase; None for all."""
    n = max(0, len(rows) - size + 1)
    inside = rows[:n] == rows[size - 1 :][:n]
    for i in range(size if wanted is not None else 0):
        inside &= wanted[i : i + n]  # type: ignore[index]
    at = np.flatnonzero(inside)
    return Occurrences(rows[at], keys_of([hashes[at + i] for i in range(size)]), at, at + size)


def words_and_phrases(lengths: Ints, hashes: Hashes, ignored: Hashes | None = None) -> Iterator[Occurrences]:
    """The single tokens of texts, then all pairs and all triples of neighbouring tokens, in which the start and the end of a text count as tokens.

    lengths: of the texts. ignored: hashes of words; phrases with one of them are left out.
    """
    ends = np.cumsum(lengths)
    at = np.stack([ends - lengths, ends], axis=1).ravel()
    marks = np.array([hash_of(START), hash_of(END)] * len(lengths), dtype=np.uint64)
    marked, rows = np.insert(hashes, at, marks), np.arange(len(lengths))
    for size, each, n in ((1, hashes, lengths), (2, marked, lengths + 2), (3, marked, lengths + 2)):
        yield phrases(np.repeat(rows, n), each, size, None if ignored is None else ~np.isin(each, ignored))
