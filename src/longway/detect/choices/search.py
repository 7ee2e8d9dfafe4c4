"""Findings: patterns that the right candidates have more often than a random choice among the same candidates would.

Where n candidates are offered and k of them have the pattern, a random answer has it with probability k / n. Over all questions the
number of right answers with the pattern then follows a Poisson binomial distribution, whose tail is the p-value. Questions with 0 or n
candidates with the pattern say nothing and are left out. Questions that repeat a prompt are not independent: their design effect widens the tail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from longway.detect.choices.candidates import (
    CandidatePattern,
    Candidates,
    Floats,
    Ints,
    Sets,
    all_patterns,
    fit,
    softmax,
)
from longway.records import Finding, Pattern
from longway.stats import mutual_information, q_values, wilson_low

CLEAR = 1.0  # standard errors from which the tail is computed exactly
NOT_EXPLAINED = 0.01  # highest p-value of a pattern beside stronger ones with which it leads a group
PLAIN, PLAINER = ("characters", "words"), 1.1
SLACK = 2.0  # the score test is approximate
MOST_COVARIATES = 25
MOST_JOINED = 400
KEPT_IDS = 20


@dataclass(frozen=True, slots=True)
class Test:
    """One pattern against random answers.

    applies: questions that it says something about; hits: of these, those whose right candidate has it; expected: by random answers.
    q: the corrected p-value, once all tests are known. effect: the design effect of repeated prompts. points: how much more often than a random choice one is right by choosing among the
    candidates with the pattern, over all questions.
    """

    pattern: CandidatePattern
    applies: int
    hits: int
    expected: float
    z: float
    p: float
    effect: float
    points: float
    q: float = 1.0

    @property
    def share(self) -> float:
        """The share of the questions it applies to whose right candidate has it."""
        return self.hits / self.applies if self.applies else 0.0


def test(pattern: CandidatePattern, sets: Sets, group: Ints) -> Test:
    """Test one pattern."""
    k, n = sets.total(pattern.has.astype(np.int64)), sets.sizes
    applies = (k > 0) & (k < n)
    chance = (k / n)[applies]
    hit = pattern.has[sets.right][applies]
    excess = hit - chance
    variance = float((chance * (1 - chance)).sum())
    hits, expected = int(hit.sum()), float(chance.sum())
    effect = design_effect(excess, group[applies])
    z = (hits - expected) / np.sqrt(variance * effect) if variance > 0 else 0.0
    p = float(ndtr(-z))
    if z > CLEAR:
        p = max(poisson_binomial_tail(hits, k[applies], n[applies]), p if effect > 1 else 0.0)
    picked = (hit / k[applies] - 1 / n[applies]).sum() / max(1, len(n))
    return Test(pattern, int(applies.sum()), hits, expected, float(z), p, effect, float(picked))


def design_effect(excess: Floats, group: Ints) -> float:
    """How many questions count as one because they repeat a prompt: the variance of group sums over that of single questions, at least 1.

    Where all questions are alike, their variance says nothing: those of a group then count as one.
    """
    if not excess.any():
        excess = np.ones(len(excess))
    _, at = np.unique(group, return_inverse=True)
    return (
        max(1.0, float((np.bincount(at, excess) ** 2).sum()) / float((excess**2).sum())) if len(at) else 1.0
    )


def poisson_binomial_tail(hits: int, k: Ints, n: Ints) -> float:
    """P(at least this many hits) if question i is a hit with probability k[i] / n[i], independently of the others.

    >>> round(poisson_binomial_tail(2, np.array([1, 1]), np.array([2, 4])), 4)
    0.125
    """
    distribution = np.ones(1)
    pairs, counts = np.unique(np.stack([k, n]), axis=1, return_counts=True)
    for (some, of), count in zip(pairs.T, counts, strict=True):
        distribution = np.convolve(distribution, binom.pmf(np.arange(count + 1), count, some / of))
    return float(min(1.0, max(distribution[hits:].sum(), 0.0)))


def search(
    given: Candidates,
    *,
    is_ordered: bool,
    max_q: float,
    field: str,
    label: str,
    noun: str = "option",
    step: Callable[[str], object] = lambda name: None,
) -> tuple[list[Finding], dict[str, int], list[Test]]:
    """The findings, strongest first, each with those that it explains as variants; tests by family; all tests."""
    step("testing patterns of candidates")
    patterns = all_patterns(given, is_ordered=is_ordered, noun=noun)
    tests = [one for pattern in patterns if (one := test(pattern, given.sets, given.group)).applies]
    q = q_values(np.array([one.p for one in tests])) if tests else np.zeros(0)
    counts = dict(Counter(one.pattern.family for one in tests))
    found = [replace(one, q=float(value)) for one, value in zip(tests, q, strict=True) if value <= max_q]
    # of patterns with nearly the same points, plain length comes first
    found.sort(key=lambda one: one.points * (PLAINER if one.pattern.cue in PLAIN else 1.0), reverse=True)
    step("joining patterns that say the same")
    findings = []
    for lead, others in join(found, given.sets):
        variants = tuple(_finding(one, given, field, label) for one in others)
        findings.append(replace(_finding(lead, given, field, label), variants=variants))
    return findings, counts, tests


def join(tests: Sequence[Test], sets: Sets) -> list[tuple[Test, list[Test]]]:
    """Groups of patterns that say the same: each with those that add nothing to the patterns before them.

    Strongest first, a pattern leads a group if a conditional logit with the leaders before it leaves it significant (score test). The
    level is the p-value at which patterns were found: words that only follow length would else pass by the number of words tested.
    """
    level = min(NOT_EXPLAINED, SLACK * max((one.p for one in tests), default=0.0))
    groups: list[tuple[Test, list[Test]]] = []
    leaders = Leaders(sets)
    for one in tests[:MOST_JOINED]:
        column = sets.centred(one.pattern.has.astype(np.float64))
        if leaders.p_value(column) <= level:
            groups.append((one, []))
            leaders.add(column, *([] if one.pattern.graded is None else [one.pattern.graded]))
        else:
            groups[leaders.most_like(column)][1].append(one)
    return groups


class Leaders:
    """A conditional logit of some columns, and whether another column says more than they do."""

    def __init__(self, sets: Sets) -> None:
        self.sets = sets
        self.columns: list[Floats] = []
        self._leads: list[Floats] = []
        self._weights = np.zeros(0)

    def add(self, column: Floats, *more: Floats) -> None:
        """Add a leading column, and others that belong to it; fit the weights again."""
        self._leads.append(column)
        self.columns += [column, *more]
        self._weights = np.append(self._weights, np.zeros(1 + len(more)))[:MOST_COVARIATES]
        self._fit()

    def most_like(self, column: Floats) -> int:
        """The place of the leading column that is correlated most with another one."""
        return int(
            np.argmax([abs(float(column @ other)) / (np.linalg.norm(other) + 1e-12) for other in self._leads])
        )

    def p_value(self, column: Floats) -> float:
        """The one-sided p-value of a column beside those that are there (efficient score test); 0 for the first."""
        if not self.columns:
            return 0.0
        mine = self._within(column[:, None])[:, 0]
        cross = self._weighted.T @ mine
        explained = float(cross @ np.linalg.lstsq(self._information, cross, rcond=None)[0])
        information = float((self._p * mine) @ mine) - explained
        return float(ndtr(-mine[self.sets.right].sum() / np.sqrt(information))) if information > 1e-9 else 1.0

    def _fit(self) -> None:
        used = np.stack(self.columns[:MOST_COVARIATES], axis=1)
        self._weights = fit(used, self.sets, 1e-3, self._weights)
        self._p = softmax(used @ self._weights, self.sets)
        theirs = self._within(used)
        self._weighted = self._p[:, None] * theirs
        self._information = self._weighted.T @ theirs

    def _within(self, values: Floats) -> Floats:
        """Values less their expectation within the question."""
        mean = self.sets.total(self._p[:, None] * values)
        return np.asarray(values - mean[self.sets.question])


def _finding(one: Test, given: Candidates, field: str, label: str) -> Finding:
    share, base = one.share, one.expected / one.applies
    n_candidates, n_right = len(one.pattern.has), len(given.questions)
    hits, having = int(one.pattern.has[given.sets.right].sum()), int(one.pattern.has.sum())
    table, totals = np.array([[hits, having - hits]]), np.array([n_right, n_candidates - n_right])
    information = float(mutual_information(table, totals)[0])
    supporting, counter = (
        tuple(given.questions[at].id for at in np.flatnonzero(side)[:KEPT_IDS])
        for side in given.sets.sides(one.pattern.has)
    )
    pattern = Pattern(one.pattern.family, field, place=one.pattern.name)
    pmi = float(np.log(max(share, 1e-300) / base))
    return Finding(
        pattern, label, label if share >= 0.5 else "other", one.applies, share, float(wilson_low(np.array([share]), np.array([one.applies / one.effect]))[0]),
        base, information, information, one.z, pmi, share * pmi, one.p, one.q, one.points, effect=one.effect, supporting=supporting, counter=counter,
    )  # fmt: skip
