"""A sample of rows that a grammar can parse: pairs, or the sentences of single texts, without those that are too long.

    rows, balanced over labels  ->  words  ->  pairs with |context| * |text| < 225, neither above 128 words; sentences of at most 128 words

A row with a context is one pair, context first. A single text is split into sentences; each is parsed separately, and all belong to the row.
Long pairs and sentences are left out and counted: the work of a chart grows with the third power of both lengths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.dataset import examples_at
from longway.grammars.vocabulary import words_of_all
from longway.records import Example, Problem
from longway.text.sentences import sentences_of

Ints = NDArray[np.int64]
Unit = tuple[
    list[str], list[str]
]  # the words of the first text and of the second, which is empty for sentences


@dataclass(frozen=True, slots=True)
class LengthLimits:
    """How long texts may be. pair: the product of both lengths must be smaller; sentence: words of a sentence or of one side, at most.

    of_a_row: sentences per row, the first ones; None for all.
    """

    pair: int = 225
    sentence: int = 128
    of_a_row: int | None = None


@dataclass(frozen=True, slots=True)
class ParsableRow:
    """A row that can be parsed. place: its number among the used rows; label: the number of its label."""

    place: int
    label: int
    example: Example
    units: tuple[Unit, ...]


@dataclass(slots=True)
class RowSample:
    """Rows in the order of the data, and what was left out.

    units: pairs or sentences of all rows. long_rows: rows without a unit that is short enough. cut_rows: rows with more sentences than
    were taken.
    """

    limits: LengthLimits
    rows: list[ParsableRow] = field(default_factory=list)
    units: int = 0
    long_rows: int = 0
    long_sentences: int = 0
    blank: int = 0
    cut_rows: int = 0

    def problems(self, *, pair: bool) -> list[Problem]:
        """What the user should know about rows that were left out."""
        n, limits, found = self.long_rows, self.limits, []
        if n and pair:
            message = f"{n:,} pairs were not parsed: the product of their lengths is {limits.pair} words or more, or one side has more than {limits.sentence}."
            found.append(Problem("too_long", message, n, "Nothing to do: all counts are of the other pairs."))
        if self.long_sentences and not pair:
            message = (
                f"{self.long_sentences:,} sentences of more than {limits.sentence} words were not parsed"
            )
            message += f"; {n:,} rows have no other." if n else "."
            next_step = "Nothing to do, unless the texts lack full stops."
            found.append(Problem("too_long", message, self.long_sentences, next_step))
        if self.blank:
            message = f"{self.blank:,} rows have no word that a grammar could read."
            found.append(Problem("no_words", message, self.blank, "Look at them in the source."))
        return found


def in_turn(labels: Sequence[int] | NDArray[np.integer]) -> Ints:
    """All places, alternating between labels as long as they have rows left.

    >>> in_turn([0, 0, 0, 0, 1]).tolist()
    [0, 4, 1, 2, 3]
    """
    labels = np.asarray(labels, dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max(initial=0) + 1))
    turn = np.arange(len(order)) - starts[labels[order]]
    return order[np.lexsort((labels[order], turn))]


def sample_rows(
    dataset: Dataset,
    rows: Ints,
    labels: Ints,
    *,
    seed: int,
    limit: int | None = None,
    texts: int | None = None,
    limits: LengthLimits | None = None,
) -> RowSample:
    """Rows to parse, drawn at random and balanced over labels, until there are `limit` rows or `texts` sentences or pairs.

    rows: row numbers of the used rows; labels: their labels, negative for rows to leave out.
    """
    sample = RowSample(limits or LengthLimits())
    order = np.random.default_rng(seed).permutation(np.flatnonzero(labels >= 0))
    order = order[in_turn(labels[order])]
    wanted = limit or texts or len(order)
    pool: list[ParsableRow] = []  # in the order of the draw
    start, size = 0, 2 * wanted
    while start < len(order):
        some = order[start : start + size]
        made = {row.place: row for row in _read(dataset, rows, labels, np.sort(some), sample)}
        pool += [made[place] for place in some.tolist() if place in made]
        start, size = start + size, 2 * size
        if _is_enough(pool, labels[order[start:]], wanted, by_rows=texts is None):
            break
    for place in in_turn([row.label for row in pool]).tolist():
        if (len(sample.rows) if texts is None else sample.units) >= wanted:
            break
        sample.rows.append(pool[place])
        sample.units += len(pool[place].units)
    sample.rows.sort(key=lambda row: row.place)
    return sample


def parsable_rows(
    texts: Sequence[str], contexts: Sequence[str | None] | None, limits: LengthLimits
) -> list[ParsableRow]:
    """A row for each text, without anything to parse where it is too long. contexts: None for single texts."""
    make = _sentences if contexts is None else _pairs
    examples = [
        Example(str(i), text, "", context)
        for i, (text, context) in enumerate(zip(texts, contexts or [None] * len(texts), strict=True))
    ]
    units = make(examples, RowSample(limits))
    return [ParsableRow(i, 0, examples[i], tuple(its)) for i, its in enumerate(units)]


def _is_enough(pool: Sequence[ParsableRow], left: Ints, wanted: int, *, by_rows: bool) -> bool:
    """Whether the pool has as much as wanted, and for each label its share or all of its rows."""
    n_labels = 1 + max([*left.tolist(), *(row.label for row in pool)], default=0)
    had = np.zeros(n_labels)
    for row in pool:
        had[row.label] += 1 if by_rows else len(row.units)
    more = np.bincount(left, minlength=n_labels) > 0
    return had.sum() >= wanted and not (more & (had < wanted / n_labels)).any()


def split_off(
    rows: list[ParsableRow], share: float, seed: int
) -> tuple[list[ParsableRow], list[ParsableRow]]:
    """The rows to learn from, and the held-out rows: the same share of each label. Both in the order of the data."""
    shuffled = np.random.default_rng([seed, 1]).permutation(len(rows))
    by_label = sorted(shuffled.tolist(), key=lambda i: rows[i].label)
    n = max(1, round(share * len(by_label)))
    apart = {by_label[(2 * i + 1) * len(by_label) // (2 * n)] for i in range(n)}  # at equal distances
    kept = [row for i, row in enumerate(rows) if i not in apart]
    return kept, [row for i, row in enumerate(rows) if i in apart]


def labels_as(dataset: Dataset, names: Sequence[str]) -> tuple[Ints, Ints]:
    """The row number of each used row and the number of its label among `names`, -1 for other labels."""
    number = {name: i for i, name in enumerate(names)}
    own = np.array([number.get(name, -1) for name in dataset.labels], dtype=np.int64)
    parts = [(batch.rows, own[batch.labels]) for batch in dataset.batches()]
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([labels for _, labels in parts])


def _read(
    dataset: Dataset, rows: Ints, labels: Ints, places: Ints, sample: RowSample
) -> Iterator[ParsableRow]:
    """The rows at these places (ascending) that can be parsed; the others are counted."""
    examples = examples_at(dataset, rows[places])
    make = _sentences if dataset.columns.context is None else _pairs
    for place, example, units in zip(places.tolist(), examples, make(examples, sample), strict=True):
        if units:
            yield ParsableRow(place, int(labels[place]), example, tuple(units))


def _pairs(examples: list[Example], sample: RowSample) -> Iterator[list[Unit]]:
    limits = sample.limits
    firsts = words_of_all([example.context or "" for example in examples])
    seconds = words_of_all([example.text for example in examples])
    for first, second in zip(firsts, seconds, strict=True):
        fits = len(first) * len(second) < limits.pair and max(len(first), len(second)) <= limits.sentence
        sample.blank += not (first or second)
        sample.long_rows += not fits
        yield [(first, second)] if fits and (first or second) else []


def _sentences(examples: list[Example], sample: RowSample) -> Iterator[list[Unit]]:
    of_a_row = sample.limits.of_a_row
    cut = [sentences_of(example.text) for example in examples]
    words = iter(words_of_all([sentence for sentences in cut for sentence in sentences]))
    for sentences in cut:
        read = [one for one in (next(words) for _ in sentences) if one]
        short: list[Unit] = [(one, []) for one in read if len(one) <= sample.limits.sentence]
        sample.long_sentences += len(read) - len(short)
        sample.long_rows += bool(read) and not short
        sample.blank += not read
        sample.cut_rows += of_a_row is not None and len(short) > of_a_row
        yield short[:of_a_row]
