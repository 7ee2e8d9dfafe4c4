"""How much the surface of a dataset says about its labels, kept up to date while rows are changed, added and dropped.

For each feature f, with c_y texts of label y that have it,

    G(f) = n * I(f; label)  =  sum over labels y of   c_y log (c_y / e_y)  +  (n_y - c_y) log ((n_y - c_y) / (n_y - e_y))

where e_y is what c_y would be by chance. G grows with the number of texts: a feature that says nothing about the label has about 0.5, whatever
the number. What is above `bound` is excess, and their sum is what a repair lowers:

    excess = sum over features f of   max(0, G(f) - bound)

A change, an addition or a removal of one row touches only the features of that row, so its effect is exact and cheap. (The numbers of texts of each
label enter G too; they are those at the time a row is looked at.)

Patterns of a grammar are known only in the rows that were parsed. n_y is then the number of parsed rows: the others are left out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from longway.methods.repair.features import Numbers

BOUND = 1.0  # nats: two labels give a feature without any relation to them more than that in 1 of 6 cases
UNEVEN = 1.002  # rows of a label beside those of another, each by its share
Floats = NDArray[np.float64]


class Balance:
    """The counts of the features of a dataset by label. features: for each row the numbers of its features, each once.

    parsed: a number that says of a row that a grammar parsed it. Features with higher numbers are counted in such rows only.
    """

    def __init__(
        self,
        features: Sequence[Numbers],
        labels: Sequence[int] | NDArray[np.integer],
        n_features: int,
        *,
        bound: float = BOUND,
        parsed: int | None = None,
    ) -> None:
        self.features, self.labels = list(features), [int(label) for label in labels]
        self.bound = bound
        self.parsed = n_features if parsed is None else parsed
        n_labels = max(self.labels, default=0) + 1
        self.totals = np.bincount(self.labels, minlength=n_labels).astype(np.float64)
        self.counts = np.zeros((n_labels, n_features), dtype=np.int32)
        for row, label in enumerate(self.labels):
            self.counts[label, self.features[row]] += 1

    def excess(self) -> float:
        """The sum over all features."""
        seen = np.flatnonzero(self.counts.sum(axis=0))
        return sum(
            float(self._excess(self.counts[:, part], totals).sum()) for part, totals in self._parts(seen)
        )

    def strength(self, features: Numbers) -> Floats:
        """G of some features, none of them of a grammar."""
        return gain(self.counts[:, features], self.totals)

    def effect_of_change(self, row: int, features: Numbers) -> float:
        """How much the excess would rise if a row had these features; negative is better."""
        label = self.labels[row]
        lost = np.setdiff1d(self.features[row], features, assume_unique=True)
        new = np.setdiff1d(features, self.features[row], assume_unique=True)
        return self._effect(lost, label, -1) + self._effect(new, label, 1)

    def effect_of_adding(self, label: int, features: Numbers) -> float:
        """How much the excess would rise with one more row."""
        return self._effect(features, label, 1)

    def effect_of_dropping(self, row: int) -> float:
        """How much the excess would rise without a row."""
        return self._effect(self.features[row], self.labels[row], -1)

    def change(self, row: int, features: Numbers) -> None:
        """Give a row other features."""
        self.counts[self.labels[row], self.features[row]] -= 1
        self.features[row] = features
        self.counts[self.labels[row], features] += 1

    def add(self, label: int, features: Numbers) -> int:
        """Add a row; returns its number."""
        self.features.append(features)
        self.labels.append(label)
        self.counts[label, features] += 1
        self.totals[label] += 1
        return len(self.features) - 1

    def drop(self, row: int, *, times: int = 1) -> None:
        """Remove a row from the counts; the numbers of other rows stay. times: -1 to count it again."""
        self.counts[self.labels[row], self.features[row]] -= times
        self.totals[self.labels[row]] -= times

    def _effect(self, features: Numbers, label: int, step: int) -> float:
        return sum(self._effect_of_part(part, totals, label, step) for part, totals in self._parts(features))

    def _effect_of_part(self, features: Numbers, totals: Floats, label: int, step: int) -> float:
        counts = self.counts[:, features].astype(np.float64)
        before = self._excess(counts, totals)
        counts[label] += step
        return float((self._excess(counts, np.maximum(totals, counts.max(axis=1))) - before).sum())

    def _parts(self, features: Numbers) -> Iterator[tuple[Numbers, Floats]]:
        """Features that are known in all rows, and those that are known in parsed rows, with the number of these rows by label."""
        if len(known := features[features < self.parsed]):
            yield known, self.totals
        if len(patterns := features[features > self.parsed]):
            yield patterns, self.counts[:, self.parsed].astype(np.float64)

    def _excess(self, counts: NDArray[np.floating | np.integer], totals: Floats) -> Floats:
        return np.maximum(gain(counts, totals) - self.bound, 0.0)


def gain(counts: NDArray[np.floating | np.integer], totals: Floats) -> Floats:
    """G of features, from their counts by label (labels x features) and the number of rows of each label."""
    seen: Floats = counts.astype(np.float64)
    n = seen.sum(axis=0)
    share = totals / max(totals.sum(), 1.0)
    present, absent = np.outer(share, n), np.outer(share, totals.sum() - n)
    terms: Floats = _term(seen, present) + _term(totals[:, None] - seen, absent)
    return terms.sum(axis=0)


def _term(seen: Floats, expected: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(seen > 0, seen * np.log(seen / expected), 0.0)


def best_drops(
    balance: Balance, rows: Iterable[int], shares: Floats, *, size: int | None = None, strict: bool = True
) -> Iterator[int]:
    """Drop rows one after the other, each time the one that lowers the excess most, as long as one does; yields those dropped.

    shares: of the labels in the end; the next row is always of the label that has most beyond its share, and as long as a label has too
    many rows, also one that does not lower the excess. size: drop until the dataset has so many rows, whether that lowers the excess or not.
    strict: False if the next row may be of any label as long as shares are even enough: a pattern that only rows of one label have ends the strict order at once.
    Effects are computed again only for rows that could be next: a row that is worth less than another was worth before is not looked at.
    """
    waiting: list[list[tuple[float, int]]] = [[] for _ in shares]
    for row in rows:
        waiting[balance.labels[row]].append((balance.effect_of_dropping(row), row))
    for heap in waiting:
        heapq.heapify(heap)
    while size is None or balance.totals.sum() > size:
        beyond = np.where(shares > 0, balance.totals / np.maximum(shares, 1e-12), -1.0)
        is_uneven = bool(beyond.max() > UNEVEN * beyond[shares > 0].min())
        order = np.argsort(-beyond, kind="stable")[
            : None if size is not None or not (strict or is_uneven) else 1
        ]
        must = is_uneven or size is not None
        found = (_best(balance, waiting[label], must=must, keep=not strict) for label in order)
        best = next((row for row in found if row is not None), None)
        if best is None:
            return
        balance.drop(best)
        yield best


def _best(balance: Balance, heap: list[tuple[float, int]], *, must: bool, keep: bool = False) -> int | None:
    """The row that lowers the excess most; None if none does. must: any row will do. keep: rows that do not lower it stay, for later."""
    if keep and not must:
        best = min(((balance.effect_of_dropping(row), row) for _, row in heap), default=(0.0, -1))
        if best[0] >= 0:
            return None
        heap[:] = [one for one in heap if one[1] != best[1]]
        heapq.heapify(heap)
        return best[1]
    while heap:
        _, row = heapq.heappop(heap)
        effect = balance.effect_of_dropping(row)
        if effect >= 0 and not must:
            continue
        if not heap or effect <= heap[0][0]:
            return row
        heapq.heappush(heap, (effect, row))
    return None
