"""Kinds of phrases with evidence: subtrees with one root symbol and one relation that predict one label, tested on rows that did not choose them.

    rows  ->  blocks, rows that share a text or a context in the same one if possible (`_separable`)
    blocks before a block  ->  choose the subtrees of every (root, relation, label)  ->  counted by label in the block
    counts of all blocks but the first  ->  p  ->  q over all kinds (Benjamini and Hochberg 1995)

A kind is the paper's composite feature (section 2.3): a row has it if it has any of its subtrees. Unlike in the paper, words that are added, left out,
copied and replaced (`grammar_names`) are different kinds, so that a kind can be explained; this depends on the words alone. The subtrees are chosen by looking at the
labels, so that their label is more frequent than it should be in the rows that chose them: near-whole sentences of one label look like
a perfect pattern. In other rows they do not occur again, or with any label. The listed subtrees of a kind are those that all rows choose;
its evidence, and how often the label is right, comes from rows that did not choose them.

The labels of a block do not influence which subtrees are counted in it, only those that are counted in later blocks. Whatever the blocks before
it show, a counted row has a label as any other row if phrases and labels are independent: so the counts of all blocks are added up and
tested as one. (If each half of the rows chose for the other, this would not be true: a subtree that both choose is frequent with its label in both.)
Rows that are not independent of each other count less (`clusters`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from longway.arrays import Floats, Ints
from longway.detect.clusters import Clusters
from longway.detect.findings import KEPT_IDS, Chosen, Search, finding_of
from longway.detect.grammar import GrammarDetector
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.grammar_names import RELATIONS, phrase_of
from longway.grammars.forest import Forest
from longway.grammars.information import (
    Composite,
    Grouping,
    composites,
    count_features,
    for_and_against,
    grouped_subtrees,
    with_any,
)
from longway.grammars.trees import pattern_span
from longway.stats import mutual_information, p_values, points_of, q_values, score_counts, wilson_interval

BLOCKS = 4
TOP = 2000  # subtrees in all kinds
MIN_Z = 2.0  # of a subtree in a kind: its label is as many standard errors more frequent than overall

Effect = Callable[[Ints, csr_matrix], Floats]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A kind in rows that did not choose its subtrees. counts: rows with it, by label; totals: all of these rows. p, q: of the test.

    effect: the design effect: as many rows count as one because they are not independent.
    """

    counts: tuple[int, ...]
    totals: tuple[int, ...]
    p: float = 1.0
    q: float = 1.0
    effect: float = 1.0

    def share(self, label: int) -> float:
        """The label's share of the rows with the kind; 0 without rows."""
        return self.counts[label] / max(1, sum(self.counts))

    def interval(self, label: int) -> tuple[float, float]:
        """The 95% interval of the share (Wilson)."""
        return wilson_interval(self.share(label), sum(self.counts) / self.effect)

    def points(self, label: int) -> float:
        """The points of accuracy (`stats.points_of`); not the difference of the label's shares."""
        n = float(sum(self.counts))
        return float(
            points_of(float(self.counts[label]), n, float(self.totals[label]), float(sum(self.totals)))
        )

    def information(self, label: int) -> float:
        """The mutual information of having the kind and having the label: it grows with the rows and with the label's share of them."""
        n, total = sum(self.counts), sum(self.totals)
        own = np.array([[self.counts[label], n - self.counts[label]]])
        return float(mutual_information(own, np.array([self.totals[label], total - self.totals[label]]))[0])


@dataclass(frozen=True, slots=True)
class Kind:
    """A composite feature of all rows, and its evidence. spans: the words of its subtrees, as patterns hold them."""

    composite: Composite
    spans: tuple[str, ...]
    evidence: Evidence

    @property
    def information(self) -> float:
        """About its label, in the rows of the evidence."""
        return self.evidence.information(self.composite.label)

    def is_significant(self, max_q: float) -> bool:
        """Whether it is correlated with its label beyond chance."""
        return self.evidence.q <= max_q


def by_relation(forest: Forest) -> Grouping:
    """A number for the root and the relation of subtrees: replaced, added, left out or copied."""
    subtrees, pair = forest.subtrees, forest.subtrees.has_pairs

    def grouping(numbers: Ints) -> Ints:
        trees = (subtrees.tree(number) for number in numbers.tolist())
        relations = [RELATIONS.index(phrase_of(pattern_span(tree, pair=pair)).relation) for tree in trees]
        return subtrees.symbols()[numbers] * len(RELATIONS) + np.array(relations, dtype=np.int64)

    return grouping


def find_kinds(
    detector: GrammarDetector,
    reading: Reading,
    *,
    clusters: Clusters | None = None,
    max_q: float = 0.05,
    seed: int = 0,
) -> list[Kind]:
    """The kinds of a detector's trees: significant ones first, then those with the most information in rows that did not choose their subtrees."""
    forest, n_labels = detector.forest, reading.n_labels
    labels = reading.labels[detector.places].astype(np.int64)
    clusters = Clusters.of(reading) if clusters is None else clusters
    block = blocks(_separable(clusters, detector.places), labels, seed)
    effect = _design_effect(clusters, reading, detector.places)
    tested = evidence_of(forest, labels, n_labels, block, at_least=reading.min_count, effect=effect)
    untested = Evidence((0,) * n_labels, tuple(np.bincount(labels[block > 0], minlength=n_labels).tolist()))
    kinds = []
    for one in composites(
        forest,
        labels,
        n_labels,
        at_least=reading.min_count,
        min_z=MIN_Z,
        top=TOP,
        grouping=by_relation(forest),
    ):
        spans = detector.spans(one.subtrees)
        key = one.root, phrase_of(spans[0]).relation, one.label
        kinds.append(Kind(one, spans, tested.get(key, untested)))
    return sorted(kinds, key=lambda kind: (not kind.is_significant(max_q), -kind.information))


def evidence_of(
    forest: Forest,
    labels: Ints,
    n_labels: int,
    block: Ints,
    *,
    at_least: int = 1,
    min_z: float = MIN_Z,
    effect: Effect | None = None,
) -> dict[tuple[int, str, int], Evidence]:
    """For each (root, relation, label), the evidence of the rows of each block for the subtrees that the blocks before it choose.

    block: the block of each row, from 0. at_least, min_z: what a subtree needs to be chosen by all rows; by a part of them, as large a part of
    `at_least`, but two rows. effect: the design effect of each kind in some rows.
    """
    documents, numbers = forest.subtree_places()
    n_kinds = (int(forest.subtrees.symbols().max(initial=0)) + 1) * len(RELATIONS) * n_labels
    grouping = by_relation(forest)
    found = [np.zeros((2, 0), dtype=np.int64)]  # (row, kind)
    for number in range(1, int(block.max(initial=0)) + 1):
        before = block < number
        own, chooses = labels[before], before[documents]
        counted = count_features((np.cumsum(before) - 1)[documents[chooses]], numbers[chooses], own, n_labels)
        needed = max(2, round(at_least * before.mean()))
        totals = np.bincount(own, minlength=n_labels)
        keys, kinds = grouped_subtrees(forest, counted, totals, at_least=needed, min_z=min_z, top=TOP, grouping=grouping)  # fmt: skip
        both = np.stack(with_any(forest, keys, kinds))
        found.append(both[:, block[both[0]] == number])
    row, kind = np.concatenate(found, axis=1)
    counts = np.zeros((n_kinds, n_labels), dtype=np.int64)
    np.add.at(counts, (kind, labels[row]), 1)
    rows = np.flatnonzero(block > 0)
    present = csr_matrix((np.ones(len(row)), (row, kind)), shape=(len(labels), n_kinds))
    effects = np.ones(n_kinds) if effect is None else effect(rows, present)
    of_labels = np.bincount(labels[rows], minlength=n_labels)
    p = _label_p(counts, of_labels, effects)
    tested = np.flatnonzero(counts.sum(axis=1))
    found_kinds = {}
    for number, q in zip(tested.tolist(), q_values(p[tested]).tolist(), strict=True):
        group, label = divmod(number, n_labels)
        root, relation = divmod(group, len(RELATIONS))
        found_kinds[root, RELATIONS[relation], label] = Evidence(
            tuple(counts[number].tolist()),
            tuple(of_labels.tolist()),
            float(p[number]),
            q,
            float(effects[number]),
        )
    return found_kinds


def _label_p(counts: Ints, totals: Ints, effect: Floats) -> Floats:
    """One-sided p of each kind: is its label more frequent with it than overall? 1 if it is not, or if there is no row with it."""
    n_labels, kinds = len(totals), np.arange(len(counts))
    label = kinds % n_labels
    own, n = counts[kinds, label], counts.sum(axis=1)
    more = own * totals.sum() > n * totals[label]
    p = np.ones(len(counts))
    for one in range(n_labels):
        mine = more & (label == one)
        if mine.any():
            against_rest = np.stack([own, n - own], axis=1)[mine]
            base = np.array([totals[one], totals.sum() - totals[one]])
            p[mine] = p_values(against_rest, base, effect[mine]) / 2
    return p


def blocks(cluster: Ints, labels: Ints, seed: int, n: int = BLOCKS) -> Ints:
    """The block of each row, from 0: clusters stay together, and all blocks have about as many rows of each label.

    >>> blocks(np.array([0, 0, 1, 2, 3, 3]), np.array([0, 0, 0, 0, 1, 1]), seed=0, n=2).tolist()
    [0, 0, 1, 1, 1, 1]
    """
    order = np.argsort(cluster, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1)
    shuffled = np.random.default_rng([seed, 2]).permutation(len(members)).tolist()
    block = np.zeros(len(labels), dtype=np.int64)
    filled = np.zeros((n, labels.max(initial=0) + 1), dtype=np.int64)
    for i in sorted(shuffled, key=lambda i: -len(members[i])):  # large ones first
        rows = members[i]
        number = int(np.lexsort((filled.sum(axis=1), filled[:, labels[rows[0]]]))[0])
        block[rows] = number
        np.add.at(filled[number], labels[rows], 1)
    return block


def _separable(clusters: Clusters, places: Ints) -> Ints:
    """A number for each row, the same for rows that must be in one block: those that share a text or a context, or nearly.

    If these links join more rows than a block has, only rows with equal contexts are kept together; if these are too many, too, only those
    with equal texts.
    """
    tried = [clusters.by_any, *([clusters.copies[CONTEXT]] if CONTEXT in clusters.copies else [])]
    for linked in tried:
        if np.bincount(linked[places]).max(initial=0) <= len(places) // BLOCKS:
            return linked[places]
    return clusters.copies[TEXT][places]


def _design_effect(clusters: Clusters, reading: Reading, places: Ints) -> Effect:
    """The design effect of each kind in some of the parsed rows. places: where the parsed rows are in the reading."""

    def effect(rows: Ints, present: csr_matrix) -> Floats:
        groupings = clusters.groupings(reading, places[rows])
        n = len(rows)
        share = np.asarray(present[rows].sum(axis=0)).ravel() / max(1, n)
        if not groupings:
            return np.ones(len(share))

        def presence(at: Ints) -> csr_matrix:
            return csr_matrix(present[np.searchsorted(places, at)])

        extra = np.max([one.extra(presence, share) for one in groupings], axis=0)
        return np.asarray(np.maximum(1.0, 1 + extra / np.maximum(n * share * (1 - share), 1e-12)))

    return effect


def as_chosen(kind: Kind, found: Search, reading: Reading, detector: GrammarDetector) -> Chosen:
    """A kind as a finding: its count is that of all rows, and its scores, p and q are those of its evidence. Its variants are those of its phrases that a search chose."""
    one, evidence, labels = kind.composite, kind.evidence, reading.labels[detector.places].astype(np.int64)
    tested, totals, effect = (
        np.array([evidence.counts]),
        np.array(evidence.totals),
        np.array([evidence.effect]),
    )
    scores = score_counts(tested, totals, effect, label=np.array([one.label]))
    description = detector.describe_any(str(one.root), one.subtrees)
    finding = finding_of(reading, description.pattern, scores, 0, q=evidence.q)
    spans = set(kind.spans)
    patterns = ((each.finding, each.description.pattern) for each in found.chosen)
    members = (member for member, pattern in patterns if not pattern.place and set(pattern.words) <= spans)
    variants = tuple(member for member in members if member.label == finding.label)
    finding = replace(finding, count=one.count, p=evidence.p, effect=evidence.effect, variants=variants)
    supporting, counter = (
        detector.places[rows][:KEPT_IDS].tolist()
        for rows in for_and_against(detector.forest.has_any(one.subtrees), labels, one.label)
    )
    return Chosen(detector, one.root, description, finding, supporting, counter)
