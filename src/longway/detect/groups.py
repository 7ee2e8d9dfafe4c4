"""Which patterns say the same thing: "york", "new york", "in new york".

Two patterns of one label say the same thing when they are related, and the weaker one has little left to say once the
stronger is known: its mutual information with the label *given* the stronger (summed over the two
answers) is less than a third of what it says alone. "in the end" stays apart from "the", because knowing that a text
has "the" leaves all of it to be said. Related means that they share a word, or stand in nearly the same texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longway.detect.detector import Description

LITTLE_LEFT = 1 / 3
SAME_TEXTS = 0.8

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Together:
    """How often patterns stand together: in all texts, and in texts of the label that both speak for.

    all[i, j], own[i, j]: texts with both patterns (own: 0 where i and j speak for different labels); the diagonals have
    each pattern's own counts. n_label[i]: texts of i's label; n: texts. effect[i]: how many texts count as one observation of i.
    """

    all: Ints
    own: Ints
    n_label: Ints
    n: int
    effect: NDArray[np.float64] | None = None

    def by_label(self, i: int, j: int) -> Ints:
        """Texts with both patterns: of their label, and of the others."""
        return np.array([self.own[i, j], self.all[i, j] - self.own[i, j]])

    def totals(self, i: int) -> Ints:
        """Texts of i's label, and of the others."""
        return np.array([self.n_label[i], self.n - self.n_label[i]])


def group_patterns(patterns: Sequence[Description], labels: Sequence[int], together: Together) -> list[int]:
    """For each pattern, strongest first, the number of the pattern that leads its group (maybe its own).

    labels: the label each pattern speaks for.
    """
    leader_of: list[int] = []
    leaders: list[int] = []
    leaders_with: defaultdict[str, set[int]] = defaultdict(set)  # groups with a member that has the word
    alike = _same_texts(together.all)
    for i, pattern in enumerate(patterns):
        related: set[int] = set().union(*(leaders_with[word] for word in pattern.tags))
        related.update(np.array(leaders, dtype=np.int64)[alike[i, leaders]].tolist())
        same_label = sorted(lead for lead in related if labels[lead] == labels[i])
        leader = next((lead for lead in same_label if _says_the_same(together, lead, i)), i)
        leader_of.append(leader)
        if leader == i:
            leaders.append(i)
        for word in pattern.tags:
            leaders_with[word].add(leader)
    return leader_of


def _same_texts(both: Ints) -> NDArray[np.bool_]:
    """Which patterns stand in nearly the same texts (Jaccard)."""
    count = np.diagonal(both)
    either = count[:, None] + count[None, :] - both
    return np.asarray(both >= SAME_TEXTS * either)


def _says_the_same(together: Together, lead: int, other: int) -> bool:
    """Whether little is left to say for the other pattern once the leading one is known."""
    leading, own, both = (together.by_label(*pair) for pair in ((lead, lead), (other, other), (lead, other)))
    totals = together.totals(other)
    given_yes = _information(both, leading - both)
    given_no = _information(own - both, totals - leading - own + both)
    effect = 1.0 if together.effect is None else float(together.effect[other])
    chance = 0.5 * effect  # what independent answers share by chance, in each of the two parts
    left = max(0.0, given_yes - chance) + max(0.0, given_no - chance)
    return left < LITTLE_LEFT * _information(own, totals - own)


def _information(yes: Ints, no: Ints) -> float:
    """Mutual information of a yes/no answer and the label, times the number of examples."""
    table = np.stack([yes, no]).astype(np.float64)
    n = table.sum()
    if n == 0:
        return 0.0
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / n
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / expected[seen])).sum())
