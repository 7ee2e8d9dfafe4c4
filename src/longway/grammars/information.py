"""How well subtrees and rules of a grammar predict the label: the tables of the paper, and explanations of predictions.

    forest, labels  ->  count_subtrees, count_rules   every feature with its mutual information, most informative first
                    ->  composites                    Tables 1-5 and 11-14: the top subtrees by root and label
                    ->  informative_rules             Table 15: the top rules, each with its most informative subtrees
                    ->  RuleShares.explain            section 6: the rules of a tree that explain a wrong prediction

A feature is a yes/no question about a document: does one of its trees have this subtree, this rule? Mutual information is in
nats, from the paper's estimate p(y, z) ∝ 1 + documents with label y and answer z (section 2.3), which is
`stats.mutual_information`. The label of a feature is the one with the largest z, as in `stats.score_counts`. With equally
frequent labels, as in the paper, that is the most frequent one among the documents with the feature; the first on ties.

**Explanations.** Rules are ordered by p(prediction | r) / p(true label | r), each divided by p(y); p(y | r) is estimated from the
training documents with the rule. On balanced labels, as in the paper, dividing by p(y) changes nothing; on others it keeps
every rule from favouring the more frequent label. The paper does not say how it handles zero counts; here as many documents
as there are labels are added, distributed by p(y) (one per label if balanced), so the ratio is always defined and an unseen rule
has the ratio 1. Only binary rules count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from longway.arrays import Bools, Floats, Ints
from longway.errors import SettingError
from longway.grammars.forest import Forest, Rule, Subtrees, rule_key, rule_of
from longway.grammars.trees import Tree, nodes, outline, span
from longway.stats import mutual_information, z_scores

TOP_SUBTREES = 1000  # grouped into composite features
TOP_RULES = 12
SHOWN_SPANS = 5
SHOWN_SUBTREES = 3

Grouping = Callable[[Ints], Ints]  # subtrees by number -> a number for the group of each


@dataclass(frozen=True, slots=True)
class FeatureCounts:
    """Features by key, most informative first; counts[i, y]: documents with feature keys[i] and label y.

    labels: the label that each feature predicts.
    """

    keys: Ints
    counts: Ints
    labels: Ints
    mutual_information: Floats


@dataclass(frozen=True, slots=True)
class Composite:
    """Subtrees with one root and one label; a document has the feature if it has any of them.

    label: the one that each of the subtrees predicts. subtrees: their numbers, most informative first. spans: the words of the
    first few. counts: documents with the feature, by label. mutual_information: of the composite feature and the label.
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
class InformativeRule:
    """A rule that predicts a label. subtrees: numbers of its most informative subtrees; outlines: as text."""

    rule: Rule
    label: int
    subtrees: tuple[int, ...]
    outlines: tuple[str, ...]
    counts: tuple[int, ...]
    mutual_information: float


def count_subtrees(forest: Forest, labels: Ints, n_labels: int, *, min_leaves: int = 1) -> FeatureCounts:
    """Every subtree of the forest, by number. min_leaves: smaller ones are left out."""
    documents, numbers = forest.subtree_places()
    large = (forest.subtrees.n_leaves() >= min_leaves)[numbers]
    return count_features(documents[large], numbers[large], _checked(forest, labels, n_labels), n_labels)


def count_rules(forest: Forest, labels: Ints, n_labels: int) -> FeatureCounts:
    """Every binary rule of the forest, by key (see `forest.rule_of`)."""
    return count_features(*forest.rule_places(), _checked(forest, labels, n_labels), n_labels)


def composites(
    forest: Forest,
    labels: Ints,
    n_labels: int,
    *,
    min_leaves: int = 1,
    at_least: int = 1,
    min_z: float = 0.0,
    top: int = TOP_SUBTREES,
    grouping: Grouping | None = None,
) -> list[Composite]:
    """The most informative subtrees, grouped by root and label, the most informative group first.

    grouping: instead of by root; subtrees with different roots must have different numbers.

    min_leaves: 2 for the extended tables of the paper's appendix, which leave out single words. at_least, min_z: subtrees of fewer documents,
    or whose label is not as clear (`stats.z_scores`), are left out; the paper takes the top subtrees of a large corpus, in which they rank low.
    """
    counted = count_subtrees(forest, labels, n_labels, min_leaves=min_leaves)
    keys, groups = grouped_subtrees(forest, counted, np.bincount(labels, minlength=n_labels), at_least=at_least, min_z=min_z, top=top, grouping=grouping)  # fmt: skip
    joined = count_features(*with_any(forest, keys, groups), labels, n_labels)
    return [
        _composite(forest.subtrees, group, n_labels, keys[groups == group], counts, information)
        for group, counts, information in zip(
            joined.keys.tolist(), joined.counts, joined.mutual_information, strict=True
        )
    ]


def grouped_subtrees(
    forest: Forest,
    counted: FeatureCounts,
    totals: Ints,
    *,
    at_least: int = 1,
    min_z: float = 0.0,
    top: int = TOP_SUBTREES,
    grouping: Grouping | None = None,
) -> tuple[Ints, Ints]:
    """The most informative of the counted subtrees, and the group of each: root * labels + label. totals: documents per label.

    grouping: instead of by root.
    """
    z = z_scores(counted.counts, totals)[np.arange(len(counted.keys)), counted.labels]
    kept = np.flatnonzero((counted.counts.sum(axis=1) >= at_least) & (z >= min_z))[:top]
    keys = counted.keys[kept]
    group = forest.subtrees.symbols()[keys] if grouping is None else grouping(keys)
    return keys, group * len(totals) + counted.labels[kept]


def with_any(forest: Forest, keys: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """Every (document, group) such that the document has a subtree of the group. keys, groups: subtrees and the group of each."""
    group_of = np.full(len(forest.subtrees), -1, dtype=np.int64)
    group_of[keys] = groups
    documents, numbers = forest.subtree_places()
    member = group_of[numbers] >= 0
    n = int(groups.max(initial=0)) + 1
    once = np.unique(documents[member] * n + group_of[numbers[member]])
    return once // n, once % n


def informative_rules(
    forest: Forest, labels: Ints, n_labels: int, *, top: int = TOP_RULES
) -> list[InformativeRule]:
    """The rules that predict the label best, each with its most informative subtrees for the same label."""
    rules, subtrees = count_rules(forest, labels, n_labels), count_subtrees(forest, labels, n_labels)
    pair, result = forest.subtrees.has_pairs, []
    for i, key in enumerate(rules.keys[:top].tolist()):
        label = int(rules.labels[i])
        shown = subtrees_of_rule(forest.subtrees, subtrees, key, label)
        outlines = tuple(outline(forest.subtrees.tree(number), pair=pair) for number in shown)
        counts, information = tuple(rules.counts[i].tolist()), float(rules.mutual_information[i])
        result.append(InformativeRule(rule_of(key), label, shown, outlines, counts, information))
    return result


def subtrees_of_rule(
    subtrees: Subtrees, counted: FeatureCounts, rule: int, label: int, n: int = SHOWN_SUBTREES
) -> tuple[int, ...]:
    """Numbers of the most informative subtrees with this rule (by key) at the root that predict a label."""
    made = (subtrees.rule_keys()[counted.keys] == rule) & (counted.labels == label)
    return tuple(counted.keys[made][:n].tolist())


def strongest_label(counts: Ints, totals: Ints) -> Ints:
    """For each row of counts by label the label with the largest z, among labels that occur. totals: documents per label.

    >>> strongest_label(np.array([[9, 9], [9, 2]]), np.array([90, 10])).tolist()
    [1, 1]
    """
    return np.where(totals > 0, z_scores(counts, totals), -np.inf).argmax(axis=1)


def for_and_against(present: Bools, labels: Ints, label: int) -> tuple[Ints, Ints]:
    """The documents with a feature that have its label (supporting) and those that do not (counter-examples).

    >>> supporting, counter = for_and_against(np.array([True, True, False]), np.array([0, 1, 0]), 0)
    >>> supporting.tolist(), counter.tolist()
    ([0], [1])
    """
    return np.flatnonzero(present & (labels == label)), np.flatnonzero(present & (labels != label))


def spans_of(subtrees: Subtrees, numbers: Iterable[int]) -> tuple[str, ...]:
    """The words of the first few subtrees with different words."""
    spans: dict[str, None] = {}
    for number in numbers:
        if len(spans) == SHOWN_SPANS:
            break
        spans.setdefault(span(subtrees.tree(number), pair=subtrees.has_pairs))
    return tuple(spans)


@dataclass(frozen=True, slots=True)
class RuleEvidence:
    """A rule of a tree. ratio: above 1 if it favours the prediction. node: its first occurrence in the tree."""

    rule: Rule
    ratio: float
    node: Tree


class RuleShares:
    """For each rule, the label frequencies among the training documents with it, relative to all documents."""

    def __init__(self, forest: Forest, labels: Ints, n_labels: int) -> None:
        counted = count_rules(forest, labels, n_labels)
        self._counts = dict(zip(counted.keys.tolist(), counted.counts, strict=True))
        self._none = np.zeros(n_labels, dtype=np.int64)
        totals = np.bincount(labels, minlength=n_labels) + 1.0  # one more: a label may have no document
        self._base = totals / totals.sum()

    def lift(self, rule: Rule) -> Floats:
        """p(y | r) / p(y) for each label y: above 1 if the label is more frequent with the rule than overall."""
        counts = self._counts.get(rule_key(rule), self._none) + len(self._base) * self._base
        return np.asarray(counts / counts.sum() / self._base)

    def explain(self, trees: Iterable[Tree], *, answer: int, truth: int) -> list[RuleEvidence]:
        """The rules of a document's trees, those that most favour the prediction over the true label first.

        answer: the prediction. If it is correct, pass another label as `truth` to compare the two.
        """
        evidence: dict[Rule, RuleEvidence] = {}
        for node in (node for tree in trees for node in nodes(tree)):
            if node.parts is None:
                continue
            rule = Rule(node.symbol, node.parts[0].symbol, node.parts[1].symbol)
            if rule not in evidence:
                lift = self.lift(rule)
                evidence[rule] = RuleEvidence(rule, float(lift[answer] / lift[truth]), node)
        return sorted(evidence.values(), key=lambda each: (-each.ratio, each.rule))


def _composite(
    subtrees: Subtrees, group: int, n_labels: int, members: Ints, counts: Ints, information: float
) -> Composite:
    numbers = tuple(members.tolist())
    root, label = subtrees.tree(numbers[0]).symbol, group % n_labels
    spans = spans_of(subtrees, numbers)
    return Composite(root, label, numbers, spans, tuple(counts.tolist()), float(information))


def count_features(documents: Ints, features: Ints, labels: Ints, n_labels: int) -> FeatureCounts:
    """Features by key, from one (document, key) pair per document that has a feature."""
    keys, which = np.unique(features, return_inverse=True)
    flat = np.bincount(which * n_labels + labels[documents], minlength=len(keys) * n_labels)
    counts = flat.reshape(len(keys), n_labels)
    totals = np.bincount(labels, minlength=n_labels)
    predicted = strongest_label(counts, totals)
    information = mutual_information(counts, totals)
    order = np.argsort(-information, kind="stable")
    return FeatureCounts(keys[order], counts[order], predicted[order], information[order])


def _checked(forest: Forest, labels: Ints, n_labels: int) -> Ints:
    if len(labels) != forest.n_documents or (
        len(labels) and not 0 <= labels.min() <= labels.max() < n_labels
    ):
        raise SettingError(
            f"'labels' must have a number from 0 to {n_labels - 1} for each of {forest.n_documents} documents. "
            f"Got {len(labels)} of them. Use the labels of the forest's documents."
        )
    return labels
