"""What subtrees and rules of a grammar tell about the label: the tables of the paper.

    forest, labels  ->  count_subtrees, count_rules   every feature with its mutual information, most telling first
                    ->  composites                    Tables 1-5 and 11-14: the top subtrees by root and label
                    ->  telling_rules                 Table 15: the top rules, each with its most telling subtrees

A feature is a yes/no question about a document: has one of its trees this subtree, this rule? Mutual information is in nats, from
the paper's estimate p(y, z) ∝ 1 + documents with label y and answer z (section 2.3), which is `stats.mutual_information`.
The label of a feature is the one it speaks for most, as in `stats.score_counts`: the one with the largest z. Where the labels are equally
frequent, as in the paper, that is the most frequent one among the documents that have it; of equals the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longway.errors import SettingError
from longway.grammar.forest import Forest, Rule, Subtrees, rule_of
from longway.grammar.trees import outline, span
from longway.stats import mutual_information, z_scores

TOP_SUBTREES = 1000  # that are grouped into composite features
TOP_RULES = 12
SHOWN_SPANS = 5
SHOWN_SUBTREES = 3

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counted:
    """Features by key, most telling first; counts[i, y]: documents with feature keys[i] and label y.

    labels: the one that each speaks for most.
    """

    keys: Ints
    counts: Ints
    labels: Ints
    mutual_information: Floats


@dataclass(frozen=True, slots=True)
class Composite:
    """Subtrees with one root and one label; a document has the feature where it has any of them.

    label: the one that each of the subtrees speaks for most. subtrees: their numbers, most telling first. spans: the words of the first few.
    counts: documents with the feature, by label. mutual_information: of the composite feature and the label.
    """

    root: int
    label: int
    subtrees: tuple[int, ...]
    spans: tuple[str, ...]
    counts: tuple[int, ...]
    mutual_information: float

    @property
    def count(self) -> int:
        """Documents with the feature."""
        return sum(self.counts)

    @property
    def label_share(self) -> float:
        """The label's share among them."""
        return self.counts[self.label] / self.count


@dataclass(frozen=True, slots=True)
class TellingRule:
    """A rule that tells about the label. subtrees: numbers of the most telling ones that it makes; outlines: how they read."""

    rule: Rule
    label: int
    subtrees: tuple[int, ...]
    outlines: tuple[str, ...]
    counts: tuple[int, ...]
    mutual_information: float


def count_subtrees(forest: Forest, labels: Ints, n_labels: int, *, min_leaves: int = 1) -> Counted:
    """Every subtree of the forest, by number. min_leaves: smaller ones are left out."""
    documents, numbers = forest.subtree_places()
    large = (forest.subtrees.n_leaves() >= min_leaves)[numbers]
    return _counted(documents[large], numbers[large], _checked(forest, labels, n_labels), n_labels)


def count_rules(forest: Forest, labels: Ints, n_labels: int) -> Counted:
    """Every binary rule of the forest, by key (see `forest.rule_of`)."""
    return _counted(*forest.rule_places(), _checked(forest, labels, n_labels), n_labels)


def composites(
    forest: Forest, labels: Ints, n_labels: int, *, min_leaves: int = 1, top: int = TOP_SUBTREES
) -> list[Composite]:
    """The most telling subtrees, grouped by root and label, the most telling group first.

    min_leaves: 2 for the extended tables of the paper's appendix, where single words are left out.
    """
    best = count_subtrees(forest, labels, n_labels, min_leaves=min_leaves)
    keys, spoken_for = best.keys[:top], best.labels[:top]
    groups, group = np.unique(forest.subtrees.symbols()[keys] * n_labels + spoken_for, return_inverse=True)
    group_of = np.full(len(forest.subtrees), -1, dtype=np.int64)
    group_of[keys] = group
    documents, numbers = forest.subtree_places()
    member = group_of[numbers] >= 0
    once = np.unique(documents[member] * max(1, len(groups)) + group_of[numbers[member]])
    joined = _counted(once // max(1, len(groups)), once % max(1, len(groups)), labels, n_labels)
    return [
        _composite(forest.subtrees, int(groups[i]), n_labels, keys[group == i], counts, information)
        for i, counts, information in zip(joined.keys, joined.counts, joined.mutual_information, strict=True)
    ]


def telling_rules(forest: Forest, labels: Ints, n_labels: int, *, top: int = TOP_RULES) -> list[TellingRule]:
    """The rules that tell most about the label, each with the most telling subtrees it makes for the same label."""
    rules, subtrees = count_rules(forest, labels, n_labels), count_subtrees(forest, labels, n_labels)
    pair, found = forest.subtrees.has_pairs, []
    for i, key in enumerate(rules.keys[:top].tolist()):
        label = int(rules.labels[i])
        shown = subtrees_of_rule(forest.subtrees, subtrees, key, label)
        outlines = tuple(outline(forest.subtrees.tree(number), pair=pair) for number in shown)
        counts = tuple(rules.counts[i].tolist())
        found.append(
            TellingRule(rule_of(key), label, shown, outlines, counts, float(rules.mutual_information[i]))
        )
    return found


def subtrees_of_rule(
    subtrees: Subtrees, counted: Counted, rule: int, label: int, n: int = SHOWN_SUBTREES
) -> tuple[int, ...]:
    """Numbers of the most telling subtrees that a rule, given by its key, makes and that speak for a label."""
    made = (subtrees.rule_keys()[counted.keys] == rule) & (counted.labels == label)
    return tuple(counted.keys[made][:n].tolist())


def speaks_for(counts: Ints, totals: Ints) -> Ints:
    """For each row of counts by label the label with the largest z, one that some document has. totals: documents of each label.

    >>> speaks_for(np.array([[9, 9], [9, 2]]), np.array([90, 10])).tolist()
    [1, 1]
    """
    return np.where(totals > 0, z_scores(counts, totals), -np.inf).argmax(axis=1)


def for_and_against(present: NDArray[np.bool_], labels: Ints, label: int) -> tuple[Ints, Ints]:
    """The documents with a feature that carry its label (supporting) and those that do not (counter-examples).

    >>> supporting, counter = for_and_against(np.array([True, True, False]), np.array([0, 1, 0]), 0)
    >>> supporting.tolist(), counter.tolist()
    ([0], [1])
    """
    return np.flatnonzero(present & (labels == label)), np.flatnonzero(present & (labels != label))


def spans_of(subtrees: Subtrees, numbers: Iterable[int], n: int = SHOWN_SPANS) -> tuple[str, ...]:
    """The words of the first few subtrees that read differently."""
    found: dict[str, None] = {}
    for number in numbers:
        if len(found) == n:
            break
        found.setdefault(span(subtrees.tree(number), pair=subtrees.has_pairs))
    return tuple(found)


def _composite(
    subtrees: Subtrees, group: int, n_labels: int, members: Ints, counts: Ints, information: float
) -> Composite:
    root, label = divmod(group, n_labels)
    numbers = tuple(members.tolist())
    return Composite(
        root, label, numbers, spans_of(subtrees, numbers), tuple(counts.tolist()), float(information)
    )


def _counted(documents: Ints, features: Ints, labels: Ints, n_labels: int) -> Counted:
    """From one (document, feature) pair for each document that has a feature."""
    keys, which = np.unique(features, return_inverse=True)
    flat = np.bincount(which * n_labels + labels[documents], minlength=len(keys) * n_labels)
    counts = flat.reshape(len(keys), n_labels)
    totals = np.bincount(labels, minlength=n_labels)
    spoken_for = speaks_for(counts, totals)
    information = mutual_information(counts, totals)
    order = np.argsort(-information, kind="stable")
    return Counted(keys[order], counts[order], spoken_for[order], information[order])


def _checked(forest: Forest, labels: Ints, n_labels: int) -> Ints:
    if len(labels) != forest.n_documents or (
        len(labels) and not 0 <= labels.min() <= labels.max() < n_labels
    ):
        raise SettingError(
            f"'labels' must have a number from 0 to {n_labels - 1} for each of {forest.n_documents} documents. "
            f"Got {len(labels)} of them. Give the labels of the documents that the forest was made of."
        )
    return labels
