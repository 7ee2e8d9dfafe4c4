"""Which rules of a tree speak for a wrong answer (section 6 of the paper).

    training trees, labels  ->  p(y | r) / p(y) for each rule r  ->  the rules of one tree by that of the answer over that of the true label

p(y | r) is taken from the training documents with label y that have the rule, p(y) from all of them. The paper orders by
p(answer | r) / p(true label | r) on balanced labels, where the division by p(y) changes nothing; on others it keeps every rule
from speaking for the more frequent label. The paper does not say what it does where there are no documents; here as many more
are counted as there are labels, shared out by p(y) (one for each label where they are balanced), so that the ratio is always
defined and a rule that was never seen speaks for no label (its ratio is 1). The rules are the binary ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longway.grammar.features import count_rules
from longway.grammar.forest import Forest, Rule, rule_key
from longway.grammar.trees import Tree, nodes


@dataclass(frozen=True, slots=True)
class Speaks:
    """A rule of a tree. ratio: above 1 where it speaks for the answer. node: where the tree has it (the first place)."""

    rule: Rule
    ratio: float
    node: Tree


class RuleShares:
    """For each rule, how the labels are shared out among the training documents that have it, beside all of them."""

    def __init__(self, forest: Forest, labels: NDArray[np.int64], n_labels: int) -> None:
        counted = count_rules(forest, labels, n_labels)
        self._counts = dict(zip(counted.keys.tolist(), counted.counts, strict=True))
        self._none = np.zeros(n_labels, dtype=np.int64)
        totals = np.bincount(labels, minlength=n_labels) + 1.0  # one more: a label may have no document
        self._base = totals / totals.sum()

    def lift(self, rule: Rule) -> NDArray[np.float64]:
        """p(y | r) / p(y) for each label y: above 1 where the label is more frequent with the rule than without asking."""
        seen = self._counts.get(rule_key(rule), self._none) + len(self._base) * self._base
        return np.asarray(seen / seen.sum() / self._base)

    def explain(self, trees: Iterable[Tree], *, answer: int, truth: int) -> list[Speaks]:
        """The rules of a document's trees, those that speak most for the answer and against the true label first.

        For an answer that is right, give another label as `truth`: the rules then speak for the one against the other.
        """
        found: dict[Rule, Speaks] = {}
        for node in (node for tree in trees for node in nodes(tree)):
            if node.parts is None:
                continue
            rule = Rule(node.symbol, node.parts[0].symbol, node.parts[1].symbol)
            if rule not in found:
                lift = self.lift(rule)
                found[rule] = Speaks(rule, float(lift[answer] / lift[truth]), node)
        return sorted(found.values(), key=lambda one: (-one.ratio, one.rule))
