"""Which patterns say the same thing: "york", "new york", "in new york".

Two patterns of one label say the same thing when they are related, and the weaker one has little left to say once the
stronger is known: its mutual information with the label *given* the stronger (summed over the two
answers) is less than a third of what it says alone. "in the end" stays apart from "the", because knowing that a text
has "the" leaves all of it to be said. Related means that they share a word, or stand in nearly the same texts.

A pattern of the grammar is compared with simpler patterns in another way (`explained_by_words`), because a list should show what only the
grammar sees. It joins a simpler pattern that most of its texts show, if it is worth little within the texts with that pattern and within
those without it (`stats.within_groups`): less than a third of what it is worth alone, for its label or against it. If both share a word, it
also joins if that difference may be chance (the Mantel-Haenszel test, corrected for the number of patterns that share a word with a simpler one).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Floats, Ints
from longway.detect.detector import Description
from longway.stats import points_of, q_values, within_groups

LITTLE_LEFT = 1 / 3
SAME_TEXTS = 0.8
MOST_TEXTS = 0.5  # share of the texts with a pattern of the grammar that must show the words
MAX_Q = 0.05


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
    effect: Floats | None = None

    def by_label(self, i: int, j: int) -> Ints:
        """Texts with both patterns: of their label, and of the others."""
        return np.array([self.own[i, j], self.all[i, j] - self.own[i, j]])

    def totals(self, i: int) -> Ints:
        """Texts of i's label, and of the others."""
        return np.array([self.n_label[i], self.n - self.n_label[i]])


def group_patterns(
    patterns: Sequence[Description], keys: Sequence[Hashable], together: Together
) -> list[int]:
    """For each pattern, strongest first, the number of the pattern that leads its group (maybe its own).

    keys: only patterns with equal keys are grouped, such as those that predict the same label.
    """
    leader_of: list[int] = []
    leaders: list[int] = []
    leaders_with: defaultdict[str, set[int]] = defaultdict(set)  # groups with a member that has the word
    alike = _same_texts(together.all)
    for i, pattern in enumerate(patterns):
        related: set[int] = set().union(*(leaders_with[word] for word in pattern.tags))
        related.update(np.array(leaders, dtype=np.int64)[alike[i, leaders]].tolist())
        candidates = sorted(lead for lead in related if keys[lead] == keys[i])
        leader = next((lead for lead in candidates if _says_the_same(together, lead, i)), i)
        leader_of.append(leader)
        if leader == i:
            leaders.append(i)
        for word in pattern.tags:
            leaders_with[word].add(leader)
    return leader_of


def explained_by_words(
    patterns: Sequence[Description],
    present: csr_matrix,
    labels: NDArray[np.integer],
    predicts: Ints,
    is_grammar: Bools,
    effect: Floats,
) -> dict[int, int]:
    """For each pattern of the grammar that adds nothing to a simpler pattern, the number of the latter.

    present: texts x patterns, of the texts that the grammar parsed. labels: of these texts. predicts: the label that each pattern
    predicts; only patterns of the same one explain it. effect: how many texts count as one observation of each pattern.
    """
    left: dict[int, list[_Left]] = {}
    count = np.asarray(present.sum(axis=0)).ravel()
    for label in np.unique(predicts[is_grammar]).tolist():
        own = labels == label
        count_own = np.asarray(present[own].sum(axis=0)).ravel()
        words, phrases = (
            np.flatnonzero((predicts == label) & (is_grammar == kind)) for kind in (False, True)
        )
        both, both_own = ((rows[:, phrases].T @ rows[:, words]).toarray() for rows in (present, present[own]))
        for i, j in np.argwhere(both >= MOST_TEXTS * count[phrases][:, None]).tolist():
            phrase, word = int(phrases[i]), int(words[j])
            # By row: texts with pattern and label, with the pattern, with the label, all; with the words, and without them.
            shown = np.array([both_own[i, j], both[i, j], count_own[word], count[word]])
            everything = np.array([count_own[phrase], count[phrase], own.sum(), len(own)])
            tables = np.stack([shown, everything - shown], axis=1)
            points, p = within_groups(*tables, effect=float(effect[phrase]))
            is_little = abs(points) < LITTLE_LEFT * float(points_of(*everything))
            shares_word = bool(patterns[phrase].tags & patterns[word].tags)
            left.setdefault(phrase, []).append(
                _Left(word, abs(points), p if shares_word else 0.0, is_little, shares_word)
            )
    may_be_chance = _not_significant(left)
    explained = {}
    for phrase, found in left.items():
        if phrase in may_be_chance or any(one.is_little for one in found):
            best = min(found, key=lambda one: (not one.is_little, -one.p, one.points, one.word))
            explained[phrase] = best.word
    return explained


def _not_significant(left: Mapping[int, Sequence[_Left]]) -> set[int]:
    """The patterns whose rest may be chance, given one of the simpler patterns with which they share a word."""
    tested = {
        phrase: max(one.p for one in found)
        for phrase, found in left.items()
        if any(one.shares_word for one in found)
    }
    q = q_values(np.array(list(tested.values())))
    return {phrase for phrase, its_q in zip(tested, q.tolist(), strict=True) if its_q > MAX_Q}


@dataclass(frozen=True, slots=True)
class _Left:
    """What a pattern is worth within the texts with a simpler one and within those without. is_little: whether that is hardly anything.

    points: without their sign. p: that it is chance; 0 if they share no word, for then a lack of evidence joins nothing.
    """

    word: int
    points: float
    p: float
    is_little: bool
    shares_word: bool


def _same_texts(both: Ints) -> Bools:
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
