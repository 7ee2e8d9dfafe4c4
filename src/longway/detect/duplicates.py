"""What is wrong with the rows themselves: duplicates, contradicting labels, rows shared with the test set.

Two rows are the same when their tokens are (case and spacing do not count). They are near duplicates when their sets of
words overlap by four fifths or more (Jaccard); candidates come from min-hashing (Broder 1997), each is checked
for real, so nothing is called a duplicate that is not.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from longway.data.problems import say_rows
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.records import Problem
from longway.tokens.corpus import mix

NEAR = 0.8
MAX_TOKENS_NEAR = 50_000_000  # more would need too much memory; the user is told
_BANDS, _PER_BAND = 6, 4
_FEWEST_WORDS = 5  # shorter texts are alike by chance
_SHOWN = 10

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]


def duplicate_problems(reading: Reading, tests: Mapping[str, Reading] | None = None) -> list[Problem]:
    """Everything that is odd about which rows the dataset has; `tests` are held-out sets by name."""
    keys = row_keys(reading)
    rows, runs = _repeated(keys)
    copies = np.sort(rows[1:][runs[1:] == runs[:-1]])
    problems = [
        _contradictions(reading, rows, runs),
        _repeats(reading, copies),
        _near_repeats(reading, copies),
    ]
    problems += [_shared(reading, keys, test, name) for name, test in (tests or {}).items()]
    return [problem for problem in problems if problem is not None]


def row_keys(reading: Reading) -> Keys:
    """A hash of each row's tokens in order, over all its text columns."""
    return np.concatenate([np.zeros(0, dtype=np.uint64), *reading.each(_piece_keys)])


def _piece_keys(piece: ReadingPart) -> Keys:
    keys = np.zeros(piece.n_texts, dtype=np.uint64)
    for block in piece.blocks.values():
        keys = (keys ^ block.keys()) * np.uint64(0x9E3779B97F4A7C15)
    return keys


def _repeated(keys: Keys) -> tuple[Ints, Ints]:
    """The rows that share their key with another, copies beside each other in order, and a number for each run of copies."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    same = ordered[1:] == ordered[:-1]
    in_run = np.zeros(len(keys), dtype=bool)
    in_run[1:] |= same
    in_run[:-1] |= same
    rows = order[in_run]
    starts = np.concatenate([np.ones(min(1, len(rows)), dtype=bool), keys[rows[1:]] != keys[rows[:-1]]])
    return rows, np.cumsum(starts)


def _contradictions(reading: Reading, rows: Ints, runs: Ints) -> Problem | None:
    labels = reading.labels[rows]
    starts = np.flatnonzero(np.diff(runs, prepend=0))
    torn = (
        np.minimum.reduceat(labels, starts) != np.maximum.reduceat(labels, starts) if len(rows) else runs > 0
    )
    return _problem(
        "contradicting_labels",
        reading,
        np.sort(rows[torn[runs - 1]]),
        "with the same text as another row and a different label",
        "Decide which label is right, or drop them: no model can get both.",
    )


def _repeats(reading: Reading, copies: Ints) -> Problem | None:
    return _problem(
        "duplicate",
        reading,
        copies,
        "repeating an earlier row (case and spacing aside)",
        "Drop the repeats, or make sure that all copies stay in one split.",
    )


def _near_repeats(reading: Reading, copies: Ints) -> Problem | None:
    left = np.ones(reading.n_texts, dtype=bool)
    left[copies] = False  # they are told about on their own
    if int(reading.corpora[TEXT].lengths()[left].sum()) > MAX_TOKENS_NEAR:
        return Problem(
            "near_duplicate_skipped",
            "Near duplicates were not looked for in so much text.",
            reading.n_texts,
            "Audit a part with --limit to see how many there are.",
        )
    return _problem(
        "near_duplicate",
        reading,
        near_duplicates(reading, np.flatnonzero(left)),
        f"sharing at least {NEAR:.0%} of their words with an earlier row",
        "Look at a few: copies with a word changed make a test set easier than it seems.",
    )


def near_duplicates(reading: Reading, among: Ints | None = None) -> Ints:
    """Rows whose text has nearly the words of an earlier row's text, with the same context if there is one.

    among: places of the rows to look at; without, all. Exact copies can be left out: each has the words of an earlier row,
    so that no other row has a copy alone for its neighbour.
    """
    n_words = len(reading.vocabulary)
    places = np.arange(reading.n_texts) if among is None else among

    def look(piece: ReadingPart) -> tuple[Keys, csr_matrix]:
        first, last = np.searchsorted(places, [piece.start, piece.start + piece.n_texts])
        here = places[first:last] - piece.start
        words = piece.blocks[TEXT].take(here).counts(n_words)
        words.data[:] = 1
        keys = _band_keys(words)
        if CONTEXT in piece.blocks:
            keys = np.where(keys != 0, mix(keys ^ piece.blocks[CONTEXT].take(here).keys()), keys)
        return keys, words

    bands, sets = [], []
    for keys, words in reading.each(look):
        bands.append(keys)
        sets.append(words)
    if not bands:
        return np.zeros(0, dtype=np.int64)
    words = csr_matrix(vstack(sets, format="csr"))
    found = np.concatenate([_checked(words, band) for band in np.concatenate(bands, axis=1)])
    return places[np.unique(found)]


def _band_keys(words: csr_matrix) -> Keys:
    """bands x rows: a hash that two rows share with high probability when most of their words are the same."""
    sizes = np.diff(words.indptr)
    codes = mix(words.indices.astype(np.uint64) + np.uint64(1))
    keys = np.zeros((_BANDS, len(sizes)), dtype=np.uint64)
    full = np.flatnonzero(sizes)
    for i in range(_BANDS * _PER_BAND):
        hashed = mix(codes ^ np.uint64((i + 1) * 0x9E3779B97F4A7C15 & (1 << 64) - 1))
        smallest = np.minimum.reduceat(hashed, words.indptr[full]) if len(full) else hashed
        keys[i // _PER_BAND, full] = mix(keys[i // _PER_BAND, full] ^ smallest)
    short = np.flatnonzero(sizes < _FEWEST_WORDS)
    keys[:, short] = 0
    return keys


def _checked(words: csr_matrix, band: Keys) -> Ints:
    """Of the rows that share a band with an earlier row, those that are near duplicates of the first of them."""
    order = np.argsort(band, kind="stable")
    same = np.concatenate([[False], band[order][1:] == band[order][:-1]]) & (band[order] != 0)
    start = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    later, earlier = order[same], order[start[same]]
    sizes = np.diff(words.indptr)
    near = []
    for chunk in range(0, len(later), 100_000):
        a, b = later[chunk : chunk + 100_000], earlier[chunk : chunk + 100_000]
        shared = np.asarray(words[a].multiply(words[b]).sum(axis=1)).ravel()
        near.append(a[shared >= NEAR * (sizes[a] + sizes[b] - shared)])
    return np.concatenate([np.zeros(0, dtype=np.int64), *near])


def _shared(reading: Reading, keys: Keys, test: Reading, name: str) -> Problem | None:
    return _problem(
        "shared_with_test",
        reading,
        np.flatnonzero(np.isin(keys, row_keys(test))),
        f"that also stand in {name}",
        "Take them out of one of the two, or the test measures memory.",
    )


def _problem(kind: str, reading: Reading, places: Ints, message: str, next_step: str) -> Problem | None:
    """The problem with its count and first rows, or None where there is none."""
    if len(places) == 0:
        return None
    rows = reading.rows[places[:_SHOWN]] + 1
    return Problem(kind, f"{say_rows(len(places))} {message}.", len(places), next_step, tuple(rows.tolist()))
