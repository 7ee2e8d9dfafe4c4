"""What is wrong with the rows themselves: duplicates, contradicting labels, rows shared with the test set.

Two rows are the same when their tokens are (case and spacing do not count). They are near duplicates when their sets of
words overlap by four fifths or more (Jaccard), or by half if the common words are rare, see `clusters.near_pairs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from longway.arrays import Ints
from longway.data.problems import say_rows
from longway.detect.clusters import HALF, Clusters, first_places, row_keys, text_keys
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.records import Problem
from longway.text.corpus import mix

_SHOWN = 10

Keys = NDArray[np.uint64]


def duplicate_problems(
    reading: Reading, tests: Mapping[str, Reading] | None = None, *, clusters: Clusters | None = None
) -> list[Problem]:
    """Everything that is odd about which rows the dataset has; `tests` are held-out sets by name."""
    clusters = Clusters.of(reading) if clusters is None else clusters
    keys = row_keys(clusters.keys)
    rows, runs = _repeated(keys)
    copies = np.sort(rows[1:][runs[1:] == runs[:-1]])
    labels, starts = reading.labels[rows], np.flatnonzero(np.diff(runs, prepend=0))
    differs = np.zeros(len(starts), dtype=bool)
    if len(rows):
        differs = np.minimum.reduceat(labels, starts) != np.maximum.reduceat(labels, starts)
    found = [
        (
            "contradicting_labels",
            np.sort(rows[differs[runs - 1]]),
            "with the same text as another row and a different label",
            "Decide which label is right, or drop them: no model can get both.",
        ),
        (
            "duplicate",
            copies,
            "repeating an earlier row (case and spacing aside)",
            "Drop the repeats, or make sure that all copies stay in one split.",
        ),
    ]
    skipped: list[Problem] = []
    if TEXT in clusters.near_skipped:
        message = "Near duplicates were not looked for in so much text."
        advice = "Audit a part with --limit to see how many there are."
        skipped.append(Problem("near_duplicate_skipped", message, reading.n_texts, advice))
    else:
        found.append(
            (
                "near_duplicate",
                near_duplicates(clusters, copies),
                f"nearly repeating an earlier row (at least {HALF:.0%} of the words in common)",
                "Look at a few: copies with a word changed make a test set easier than it seems.",
            )
        )
    shared = []
    for name, test in (tests or {}).items():
        of_test = row_keys({role: text_keys(test, role) for role in test.columns})
        message = f"that also stand in {name}"
        advice = "Take them out of one of the two, or the test measures memory."
        shared.append(("shared_with_test", np.flatnonzero(np.isin(keys, of_test)), message, advice))
    return [*_problems(reading, found), *skipped, *_problems(reading, shared)]


def _problems(reading: Reading, found: Sequence[tuple[str, Ints, str, str]]) -> Iterator[Problem]:
    """The problems that rows have, each with its count and first rows."""
    for kind, places, message, next_step in found:
        if len(places):
            rows = reading.rows[places[:_SHOWN]] + 1
            text = f"{say_rows(len(places))} {message}."
            yield Problem(kind, text, len(places), next_step, tuple(rows.tolist()))


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


def near_duplicates(clusters: Clusters, copies: Ints) -> Ints:
    """Rows whose text is a near copy of an earlier row's text, with the same context if there is one. copies: exact ones, left out."""
    left = np.ones(len(clusters.by_role[TEXT]), dtype=bool)
    left[copies] = False
    places = np.flatnonzero(left)
    keys = mix(clusters.by_role[TEXT].astype(np.uint64))
    if CONTEXT in clusters.keys:
        keys = mix(keys ^ clusters.keys[CONTEXT])
    later = np.ones(len(places), dtype=bool)
    later[first_places(keys[places])] = False
    return places[later]
