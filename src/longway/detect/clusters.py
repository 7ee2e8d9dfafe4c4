"""Rows that are not independent of each other: copies of a text, near copies, rows that share a context.

    Clusters.of(reading)      which rows belong together: by text, by context, and by both
    clusters.effects(...)     for each pattern, how many rows count as one observation (the design effect)

If 1,900 rows repeat 230 claims and each claim has one label, there are 230 observations, and a test that counts rows finds
thousands of patterns in random labels. Let rho be the correlation of the labels of two rows of one cluster, x a pattern (0 or 1 in
each row, with mean m) and k, s the rows with the pattern and all rows of a cluster. The number of rows with pattern and label then
varies more than for independent rows, by the factor

    1 + rho * sum over clusters of [k (k - 1) - 2 m (s - 1) k + m^2 s (s - 1)] / (n m (1 - m))

and n rows tell as much as n divided by it (Kish 1965, Rao and Scott 1992). rho is 1 if a cluster has one label, and about 0 if labels are
mixed in it as anywhere else, as in inference data, where each premise has all labels: then rows count fully. It is estimated from
the agreement of labels, separately for clusters of similar size, because small clusters are often copies and large ones are often
a shared context. The largest factor over the kinds of clusters is used, and never one below 1.

Cluster permutation and one count per cluster were tried, too: `docs/clustered.md` says why they are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from scipy.sparse.csgraph import connected_components

from longway.arrays import Bools, Floats, Ints, Ints32
from longway.detect.detector import Detector, Features
from longway.detect.reading import Reading
from longway.models.folds import linked, numbered
from longway.text.corpus import mix

# Two texts are near copies if they share most of their words (Jaccard), or half of them where unrelated texts would not: see `_near_in_band`.
NEAR, HALF = 0.8, 0.5
MAX_TOKENS_NEAR = 50_000_000  # more would need too much memory; the user is told
MAX_TOKENS = 10_000_000  # of rows in clusters that are looked at together
FEW = 100  # patterns of a detector for which the effect is always computed
_BANDS, _PER_BAND = 16, 3  # finds nearly nine of ten pairs that share half of their words
_FEWEST_WORDS = 5  # shorter texts are alike by chance

Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows in clusters of at least two whose labels agree more than by chance.

    rows: their places, in order; cluster: the number of each one's cluster. rho, size, n_tokens: of each cluster.
    """

    rows: Ints
    cluster: Ints
    rho: Floats
    size: Ints
    n_tokens: Ints

    def parts(self) -> Iterator[tuple[Ints, Ints]]:
        """Rows and their clusters, some clusters at a time, so that what detectors say of them fits in memory."""
        part = np.cumsum(self.n_tokens) // MAX_TOKENS
        for number in np.unique(part):
            here = part[self.cluster] == number
            yield self.rows[here], self.cluster[here]

    def extra(self, present: Callable[[Ints], csr_matrix], share: Floats) -> Floats:
        """What the clusters add to the variance of each pattern's counts, in units of a row's.

        present: gives the matrix rows x patterns of some rows. share: the patterns' share of all rows.
        """
        own, between = np.zeros_like(share), np.zeros_like(share)
        for rows, cluster in self.parts():
            shape = len(self.rho), len(rows)
            of_rows = csr_matrix((np.ones(len(rows)), (cluster, np.arange(len(rows)))), shape=shape)
            together = csr_matrix(of_rows @ present(rows))
            k = together.data.astype(np.float64)
            at = np.repeat(np.arange(len(self.rho)), np.diff(together.indptr))
            own += np.bincount(together.indices, weights=self.rho[at] * k * (k - 1), minlength=len(share))
            weights = self.rho[at] * (self.size[at] - 1) * k
            between += np.bincount(together.indices, weights=weights, minlength=len(share))
        every = float((self.rho * self.size * (self.size - 1)).sum())
        return own - 2 * share * between + share**2 * every


class Clusters:
    """Which rows of a reading belong together.

    by_role: for each column a number for each row, the same for copies and near copies; copies: the same for exact copies alone.
    keys: hashes of the texts, 0 for none. near_skipped: columns with too much text to look for near copies.
    """

    def __init__(
        self,
        by_role: dict[str, Ints],
        copies: dict[str, Ints],
        keys: dict[str, Keys],
        near_skipped: Sequence[str] = (),
    ) -> None:
        self.by_role, self.copies, self.keys, self.near_skipped = by_role, copies, keys, tuple(near_skipped)

    @classmethod
    def of(cls, reading: Reading) -> Clusters:
        """Look for rows that share a text or a context, or nearly."""
        keys = {role: text_keys(reading, role) for role in reading.columns}
        copies = {role: copies_of(each) for role, each in keys.items()}
        by_role, skipped = {}, []
        for role, each in keys.items():
            first = first_places(each)
            pairs = np.zeros((2, 0), dtype=np.int64)
            if int(reading.corpora[role].lengths()[first].sum()) > MAX_TOKENS_NEAR:
                skipped.append(role)
            else:
                pairs = near_pairs(reading, role, first)
            by_role[role] = _joined(copies[role], pairs)
        return cls(by_role, copies, keys, skipped)

    @cached_property
    def by_any(self) -> Ints:
        """A number for each row, the same for rows that share a text or a context, also by way of a third row."""
        return linked(list(self.by_role.values()))

    def is_first(self, role: str, rows: Ints | None = None) -> Bools:
        """Which rows have a text that no earlier row has; of a role that is no column, a row over all columns.

        rows: the places to look at; the others are never first.
        """
        keys = self.keys[role] if role in self.keys else row_keys(self.keys)
        places = np.arange(len(keys)) if rows is None else rows
        first = np.zeros(len(keys), dtype=bool)
        first[places[first_places(keys[places])]] = True
        return first

    def n_distinct(self, role: str) -> int:
        """Different texts of a column; near copies count once, missing texts do not."""
        return len(np.unique(self.by_role[role][self.keys[role] != 0]))

    def groupings(self, reading: Reading, rows: Ints | None = None) -> list[Grouping]:
        """The kinds of clusters whose labels agree more than by chance: copies, near copies, by any column. rows: those that count.

        Near copies are a kind of their own because they are often pairs with opposite labels, which would hide that copies agree.
        """
        kinds = list(self.copies.values())
        kinds += [
            near
            for role, near in self.by_role.items()
            if near.max(initial=0) < self.copies[role].max(initial=0)
        ]
        kinds += [self.by_any] if len(self.by_role) > 1 else []
        places = np.arange(reading.n_texts) if rows is None else rows
        lengths = np.sum([corpus.lengths() for corpus in reading.corpora.values()], axis=0)
        found = (_grouping(kind, reading.labels, reading.n_labels, lengths, places) for kind in kinds)
        return [one for one in found if len(one.rows)]


def effects(
    reading: Reading,
    detector: Detector,
    features: Features,
    groupings: Sequence[Grouping],
    wanted: Bools,
) -> Floats:
    """The design effect of each pattern, 1 or more. wanted: the patterns that it is computed for; 1 for the others."""
    effect = np.ones(len(features.keys))
    if not groupings or not wanted.any():
        return effect
    keys = features.keys[wanted]
    n = reading.n_texts if features.rows is None else len(features.rows)
    share = features.counts[wanted].sum(axis=1) / n
    variance = np.maximum(n * share * (1 - share), 1e-12)

    def present(rows: Ints) -> csr_matrix:
        return detector.matrix_of(reading, keys, rows)

    extra = np.max([one.extra(present, share) for one in groupings], axis=0)
    effect[wanted] = np.maximum(1.0, 1 + extra / variance)
    return effect


def _grouping(cluster: Ints, labels: Ints32, n_labels: int, lengths: Ints, places: Ints) -> Grouping:
    """The rows at these places that are in clusters of two or more in which labels agree more than by chance."""
    _, which, sizes = np.unique(cluster[places], return_inverse=True, return_counts=True)
    repeated = sizes[which] > 1
    rows, which = places[repeated], which[repeated]
    numbers, which = np.unique(which, return_inverse=True)
    sizes = sizes[numbers]
    share = np.bincount(labels[places], minlength=n_labels) / max(len(places), 1)
    rho = agreement_by_size(which, sizes, labels[rows], share)
    tied = rho[which] > 0
    rows, which = rows[tied], np.unique(which[tied], return_inverse=True)[1]
    rho, sizes = rho[rho > 0], sizes[rho > 0]
    n_tokens = np.bincount(which, weights=lengths[rows], minlength=len(sizes)).astype(np.int64)
    return Grouping(rows, which, rho, sizes, n_tokens)


def agreement_by_size(cluster: Ints, sizes: Ints, labels: Ints32, share: Floats) -> Floats:
    """For each cluster, how far the labels of two of its rows agree beyond chance, from 0 to 1, pooled over clusters of similar size.

    cluster, labels: of each row. sizes: of each cluster, two or more. share: of each label among all rows.

    >>> agreement_by_size(np.array([0, 0, 1, 1]), np.array([2, 2]), np.array([0, 0, 1, 1]), np.array([0.5, 0.5])).tolist()
    [1.0, 1.0]
    """
    by_chance = float((share**2).sum())
    keys, n = np.unique(cluster * len(share) + labels, return_counts=True)
    agreeing = (
        np.bincount(keys // len(share), weights=n.astype(np.float64) ** 2, minlength=len(sizes)) - sizes
    )
    kind = np.log2(sizes).astype(np.int64)  # 2-3, 4-7, 8-15, ...
    agree, of = (np.bincount(kind, weights=weights) for weights in (agreeing, sizes * (sizes - 1.0)))
    rho = (agree / np.maximum(of, 1) - by_chance) / max(1 - by_chance, 1e-12)
    return np.clip(rho, 0.0, 1.0)[kind]


def text_keys(reading: Reading, role: str) -> Keys:
    """A hash of the tokens of each text of a column; 0 for a text without tokens."""
    keys = (piece.blocks[role].keys() for piece in reading.pieces())
    return np.concatenate([np.zeros(0, dtype=np.uint64), *keys])


def copies_of(keys: Keys) -> Ints:
    """A number for each text, the same for copies; a missing text is shared with nobody."""
    alone = mix(np.arange(len(keys), dtype=np.uint64) + np.uint64(1 << 63))
    return numbered(np.where(keys == 0, alone, keys))


def row_keys(keys: dict[str, Keys]) -> Keys:
    """A hash of each row's tokens in order, over all its text columns."""
    both = np.zeros(len(next(iter(keys.values()))), dtype=np.uint64)
    for each in keys.values():
        both = (both ^ each) * np.uint64(0x9E3779B97F4A7C15)
    return both


def first_places(keys: Keys) -> Ints:
    """The places where a key is first seen, in order."""
    return np.sort(np.unique(keys, return_index=True)[1])


def _joined(numbers: Ints, pairs: Ints) -> Ints:
    """The numbers, one for those that a pair of rows joins."""
    n = int(numbers.max(initial=-1)) + 1
    ends = numbers[pairs[0]], numbers[pairs[1]]
    graph = csr_matrix((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(n, n))
    return connected_components(graph, directed=False)[1][numbers].astype(np.int64)


def near_pairs(reading: Reading, role: str, places: Ints) -> Ints:
    """Pairs of places whose texts have nearly the same words: the later one above, an earlier one below.

    places: where to look, in order. Candidates come from min-hashing (Broder 1997); each is checked for real.
    """
    bands, sets = [], []
    for piece in reading.pieces():
        first, last = np.searchsorted(places, [piece.start, piece.start + piece.n_texts])
        part = piece.blocks[role].take(places[first:last] - piece.start).counts(len(reading.vocabulary))
        part.data[:] = 1
        bands.append(_band_keys(part))
        sets.append(part)
    if not bands:
        return np.zeros((2, 0), dtype=np.int64)
    words = csr_matrix(vstack(sets, format="csr"))
    rarity = np.log(words.shape[0] / np.maximum(words.getnnz(axis=0), 1))
    found = [_near_in_band(words, rarity, band) for band in np.concatenate(bands, axis=1)]
    return places[np.unique(np.concatenate(found, axis=1), axis=1)]


def _band_keys(words: csr_matrix) -> NDArray[np.uint32]:
    """bands x rows: a hash that two rows share with high probability when most of their words are the same."""
    sizes = np.diff(words.indptr)
    codes = mix(words.indices.astype(np.uint64) + np.uint64(1))
    keys = np.zeros((_BANDS, len(sizes)), dtype=np.uint64)
    full = np.flatnonzero(sizes)
    for i in range(_BANDS * _PER_BAND):
        hashed = mix(codes ^ np.uint64((i + 1) * 0x9E3779B97F4A7C15 & (1 << 64) - 1))
        smallest = np.minimum.reduceat(hashed, words.indptr[full]) if len(full) else hashed
        keys[i // _PER_BAND, full] = mix(keys[i // _PER_BAND, full] ^ smallest)
    keys[:, sizes < _FEWEST_WORDS] = 0
    return keys.astype(
        np.uint32
    )  # half the memory; a pair that shares one by accident is checked and refused


def _near_in_band(words: csr_matrix, rarity: Floats, band: NDArray[np.uint32]) -> Ints:
    """Of the rows that share a key with an earlier row, those that are near copies of the first of them, with that one.

    Half of the words in common are enough if they are rare: if words were drawn independently, fewer than one of all pairs of n texts
    would share these very words. That is so if the logarithms of n / texts with the word add up to more than 2 log n. Short sentences built alike ("a man is
    playing a guitar") stay apart, and long chains of them do not arise.
    """
    order = np.argsort(band, kind="stable")
    same = np.concatenate([[False], band[order][1:] == band[order][:-1]]) & (band[order] != 0)
    start = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
    later, earlier = order[same], order[start[same]]
    sizes = np.diff(words.indptr)
    near = [np.zeros((2, 0), dtype=np.int64)]
    for chunk in range(0, len(later), 100_000):
        a, b = later[chunk : chunk + 100_000], earlier[chunk : chunk + 100_000]
        common = csr_matrix(words[a].multiply(words[b]))
        shared = common.getnnz(axis=1)
        share = shared / (sizes[a] + sizes[b] - shared)
        close = (share >= NEAR) | ((share >= HALF) & (common @ rarity > 2 * np.log(words.shape[0])))
        near.append(np.stack([a[close], b[close]]))
    return np.concatenate(near, axis=1)
