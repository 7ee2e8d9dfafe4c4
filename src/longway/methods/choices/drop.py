"""The fewest questions to leave out, so that nothing that does not read the prompt picks the right candidate more often than by chance.

    rank by cross-validation -> leave out those that were picked with the largest margin -> rank again, with other folds

Two kinds of guessers must be at the goal: rankers, and rules that choose among the candidates with one pattern that an audit has found.
If h of N questions are picked and the goal is a share g, at least d = (h - gN) / (1 - g) must go: (h - d) / (N - d) = g. Each round leaves
out a part of d, because what the ranker learns from the rest gets weaker, too. One set of folds is noisy, so the goal is reached only if the
mean over several is within it. A round never uses the folds that the result is measured with. Rankers whose leak was not clearly above
chance before the first round do not count: nothing is left out because of noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from longway.detect.choices.candidates import Bools, Candidates, Floats, Ints, hits, softmax
from longway.detect.choices.leak import Encoder, feature_sets, picks

ROUNDS = 30
NEAR = 0.05  # over the goal, from which on a round uses several sets of folds: one alone differs from another by as much
REPEATS = 5  # of these sets
REACHED = "the goal is reached"
SHARE = 0.7  # of the questions that would have to go by the present ranker
FRESH = 7919  # seeds of the rounds begin here, so that they are not those of the measurement


@dataclass(frozen=True, slots=True)
class Dropped:
    """Which questions to leave out. margins: how much more likely than by chance the ranker thought their right candidate, by question.

    stopped: why nothing more was left out; reached: whether the goal was.
    """

    margins: dict[int, float]
    reached: bool
    stopped: str


def needed(hits: float, n: int, goal: float) -> int:
    """How many of n questions must go so that a share `goal` of the rest is picked, if only picked ones go.

    >>> needed(450, 1000, 0.25)
    267
    """
    return max(0, ceil((hits - goal * n) / (1 - goal) - 1e-9)) if goal < 1 else 0


@dataclass(frozen=True, slots=True)
class _Guess:
    """How far a guesser is over the goal, and how much more likely than by chance it finds each right candidate."""

    over: float
    margin: Floats


class _Guessers:
    """The rankers and rules, on the questions that are left."""

    def __init__(
        self,
        given: Candidates,
        *,
        goal: Callable[[float], float],
        rankers: Iterable[str],
        rules: Sequence[Bools],
        encoder: Encoder | None,
    ) -> None:
        self.given, self.goal, self.rules = given, goal, rules
        features = feature_sets(given, encoder=encoder)
        self.features = {part: features[part] for part in sorted(rankers)}

    def target(self, keep: Ints) -> float:
        """The accuracy to reach on these questions."""
        return self.goal(float((1 / self.given.sets.sizes[keep]).mean()))

    def ranker(self, keep: Ints, seeds: Iterable[int]) -> _Guess:
        """The ranker that is furthest over the goal, by its mean over the seeds of folds."""
        sets, rows = self.given.sets.part(keep)
        target = self.target(keep)
        worst = _Guess(-1.0, np.zeros(len(keep)))
        for columns, penalty in self.features.values():
            made = [picks(columns[rows], penalty, sets, self.given.group[keep], seed) for seed in seeds]
            over = float(np.mean([one.hit.mean() for one in made])) - target
            if over > worst.over:
                likely = np.mean([softmax(one.scores, sets)[sets.right] for one in made], axis=0)
                worst = _Guess(over, likely - 1 / sets.sizes)
        return worst

    def rule(self, keep: Ints) -> _Guess:
        """The rule that is furthest over the goal; in few questions, over what chance does: one standard error."""
        sets, rows = self.given.sets.part(keep)
        chance = float((1 / sets.sizes).mean())
        target = max(self.goal(chance), chance + sqrt(chance * (1 - chance) / len(keep)))
        worst = _Guess(-1.0, np.zeros(len(keep)))
        for has in self.rules:
            likely = hits(has[rows].astype(np.float64), sets)
            if likely.mean() - target > worst.over:
                worst = _Guess(float(likely.mean()) - target, likely - 1 / sets.sizes)
        return worst


def choose(
    given: Candidates,
    *,
    goal: Callable[[float], float],
    fewest: int,
    rankers: Iterable[str],
    seed: int,
    rules: Sequence[Bools] = (),
    encoder: Encoder | None = None,
    progress: Callable[[float], object] = lambda share: None,
) -> Dropped:
    """Choose the questions to leave out.

    goal: the accuracy to reach, from the chance of the questions that are left. fewest: questions that must be left. rankers: by what
    they see, those that are clearly better than chance. rules: for each pattern that was found, which candidates have it.
    encoder: reads the candidates, for the ranker by meaning.
    progress: is called with the share of the way that is done.
    """
    guessers = _Guessers(given, goal=goal, rankers=rankers, rules=rules, encoder=encoder)
    keep = np.arange(len(given.questions))
    margins: dict[int, float] = {}
    first_over = 0.0
    for number in range(ROUNDS):
        first = seed + FRESH + REPEATS * number
        ranker, rule = guessers.ranker(keep, [first]), guessers.rule(keep)
        if ranker.over <= NEAR:
            ranker = guessers.ranker(keep, range(first, first + REPEATS))
        over = max(ranker.over, rule.over)
        first_over = first_over or max(over, 1e-9)
        progress(min(0.99, max(0.0, 1 - over / first_over)))
        if over <= 0:
            return Dropped(margins, True, REACHED)
        target = guessers.target(keep)
        share = SHARE if ranker.over == over else 1.0
        wanted = max(1, ceil(share * needed((over + target) * len(keep), len(keep), target)))
        n = min(wanted, len(keep) - fewest)
        if n <= 0:
            return Dropped(margins, False, f"{len(keep):,} questions must be left")
        leads, follows = (ranker, rule) if ranker.over >= rule.over else (rule, ranker)
        gone = np.lexsort((-follows.margin, -leads.margin))[
            :n
        ]  # by the margin of the guesser furthest over the goal first
        margins |= {int(keep[i]): float(max(ranker.margin[i], rule.margin[i])) for i in gone}
        keep = np.delete(keep, gone)
    return Dropped(margins, False, f"the goal was not reached in {ROUNDS} rounds")


def at_random(total: int, n: int, *, seed: int) -> list[int]:
    """As many questions chosen at random, to compare with."""
    return sorted(np.random.default_rng(seed).choice(total, size=n, replace=False).tolist())
