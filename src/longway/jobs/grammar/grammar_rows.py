"""Rows as a grammar reads them: pairs, or the sentences of single texts, those that are not too long.

    rows, the labels taking turns  ->  words  ->  pairs with |context| * |text| < 225, neither above 128 words; sentences of at most 128 words

A row with a context is one pair, context first. A single text is cut into sentences; each is parsed by itself, and all belong to the row.
What is too long is left out and counted: the work of a chart grows with the third power of both lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.dataset import examples_at
from longway.grammar.vocabulary import words_of_all
from longway.records import Example, Problem
from longway.tokens.sentences import sentences_of

LONGEST_PAIR = 225  # |context| * |text| must be smaller
LONGEST = 128  # words of one side

Ints = NDArray[np.int64]
Unit = tuple[
    list[str], list[str]
]  # the words of the first text and of the second, which is empty for sentences


@dataclass(frozen=True, slots=True)
class Limits:
    """How long texts may be. pair: the product of both lengths must be smaller; sentence: words of a sentence or of one side, at most.

    of_a_row: sentences of a row that are taken, the first ones; None for all.
    """

    pair: int = LONGEST_PAIR
    sentence: int = LONGEST
    of_a_row: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A row that can be parsed. place: its number among the used rows; label: its number among the labels."""

    place: int
    label: int
    example: Example
    units: tuple[Unit, ...]


@dataclass(slots=True)
class Gathered:
    """Documents in the order of the data, how many units they have, and what was left out on the way."""

    documents: list[Document] = field(default_factory=list)
    units: int = 0
    long_rows: int = 0  # rows of which nothing is left
    long_sentences: int = 0
    blank: int = 0
    cut_rows: int = 0  # rows with more sentences than were taken of one

    def problems(self, limits: Limits, *, pair: bool) -> list[Problem]:
        """What the user should know about rows that were left out."""
        found = []
        if self.long_rows and pair:
            message = f"{self.long_rows:,} pairs were not parsed: the product of their lengths is {limits.pair} words or more, or one side has more than {limits.sentence}."
            found.append(
                Problem(
                    "too_long",
                    message,
                    self.long_rows,
                    "Nothing to do: all counts are of the pairs that were.",
                )
            )
        if self.long_sentences and not pair:
            message = (
                f"{self.long_sentences:,} sentences of more than {limits.sentence} words were not parsed"
            )
            message += f"; {self.long_rows:,} rows have no other." if self.long_rows else "."
            found.append(
                Problem(
                    "too_long",
                    message,
                    self.long_sentences,
                    "Nothing to do, unless the texts lack full stops.",
                )
            )
        if self.blank:
            message = f"{self.blank:,} rows have no word that a grammar could read."
            found.append(Problem("no_words", message, self.blank, "Look at them in the source."))
        return found  # fmt: skip


def in_turn(labels: Sequence[int] | NDArray[np.integer]) -> Ints:
    """All places, the labels taking turns for as long as they have rows left.

    >>> in_turn([0, 0, 0, 0, 1]).tolist()
    [0, 4, 1, 2, 3]
    """
    labels = np.asarray(labels, dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max(initial=0) + 1))
    turn = np.arange(len(order)) - starts[labels[order]]
    return order[np.lexsort((labels[order], turn))]


def gather(
    dataset: Dataset,
    rows: Ints,
    labels: Ints,
    *,
    seed: int,
    limit: int | None = None,
    texts: int | None = None,
    limits: Limits | None = None,
) -> Gathered:
    """Rows to parse, drawn at random, the labels taking turns, until there are `limit` rows or `texts` sentences or pairs.

    rows: row numbers of the used rows; labels: their labels, negative for rows to leave out.
    """
    limits = limits or Limits()
    found = Gathered()
    order = np.random.default_rng(seed).permutation(np.flatnonzero(labels >= 0))
    order = order[in_turn(labels[order])]
    wanted = limit or texts or len(order)
    pool: list[Document] = []  # in the order of the draw
    start, size = 0, 2 * wanted
    while start < len(order):
        some = order[start : start + size]
        made = {one.place: one for one in _read(dataset, rows, labels, np.sort(some), limits, found)}
        pool += [made[place] for place in some.tolist() if place in made]
        start, size = start + size, 2 * size
        if _enough(pool, labels[order[start:]], wanted, by_rows=texts is None):
            break
    for place in in_turn([document.label for document in pool]).tolist():
        if (len(found.documents) if texts is None else found.units) >= wanted:
            break
        found.documents.append(pool[place])
        found.units += len(pool[place].units)
    found.documents.sort(key=lambda document: document.place)
    return found


def _enough(pool: Sequence[Document], left: Ints, wanted: int, *, by_rows: bool) -> bool:
    """Whether the pool has what is wanted, and of each label its share or all rows."""
    n_labels = 1 + max([*left.tolist(), *(document.label for document in pool)], default=0)
    had = np.zeros(n_labels)
    for document in pool:
        had[document.label] += 1 if by_rows else len(document.units)
    more = np.bincount(left, minlength=n_labels) > 0
    return had.sum() >= wanted and not (more & (had < wanted / n_labels)).any()


def split_off(documents: list[Document], share: float, seed: int) -> tuple[list[Document], list[Document]]:
    """The documents to learn from and the same part of each label that is held out, both in the order of the data."""
    shuffled = np.random.default_rng([seed, 1]).permutation(len(documents))
    by_label = sorted(shuffled.tolist(), key=lambda i: documents[i].label)
    n = max(1, round(share * len(by_label)))
    apart = {by_label[(2 * i + 1) * len(by_label) // (2 * n)] for i in range(n)}  # at equal distances
    kept = [document for i, document in enumerate(documents) if i not in apart]
    return kept, [document for i, document in enumerate(documents) if i in apart]


def labels_as(dataset: Dataset, names: Sequence[str]) -> tuple[Ints, Ints]:
    """The row number of each used row and its label among `names`, -1 for a label that is not."""
    number = {name: i for i, name in enumerate(names)}
    own = np.array([number.get(name, -1) for name in dataset.labels], dtype=np.int64)
    parts = [(batch.rows, own[batch.labels]) for batch in dataset.batches()]
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([labels for _, labels in parts])


def _read(
    dataset: Dataset, rows: Ints, labels: Ints, places: Ints, limits: Limits, found: Gathered
) -> Iterator[Document]:
    """The rows at these places (ascending) that can be parsed; the others are counted."""
    examples = examples_at(dataset, rows[places])
    make = _sentences if dataset.columns.context is None else _pairs
    for place, example, units in zip(places.tolist(), examples, make(examples, limits, found), strict=True):
        if units:
            yield Document(place, int(labels[place]), example, tuple(units))


def _pairs(examples: list[Example], limits: Limits, found: Gathered) -> Iterator[list[Unit]]:
    firsts = words_of_all([example.context or "" for example in examples])
    seconds = words_of_all([example.text for example in examples])
    for first, second in zip(firsts, seconds, strict=True):
        fits = len(first) * len(second) < limits.pair and max(len(first), len(second)) <= limits.sentence
        found.blank += not (first or second)
        found.long_rows += not fits
        yield [(first, second)] if fits and (first or second) else []


def _sentences(examples: list[Example], limits: Limits, found: Gathered) -> Iterator[list[Unit]]:
    cut = [sentences_of(example.text) for example in examples]
    words = iter(words_of_all([sentence for sentences in cut for sentence in sentences]))
    for sentences in cut:
        read = [one for one in (next(words) for _ in sentences) if one]
        short: list[Unit] = [(one, []) for one in read if len(one) <= limits.sentence]
        found.long_sentences += len(read) - len(short)
        found.long_rows += bool(read) and not short
        found.blank += not read
        found.cut_rows += limits.of_a_row is not None and len(short) > limits.of_a_row
        yield short[: limits.of_a_row]
