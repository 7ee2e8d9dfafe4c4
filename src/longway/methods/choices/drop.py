"""The fewest questions to leave out, so that a ranker that does not read the prompt picks the right candidate no more often than by chance.

    rank by cross-validation -> leave out those that were picked with the largest margin -> rank again, with other folds

If h of N questions are picked and the goal is a share g, at least d = (h - gN) / (1 - g) must go: (h - d) / (N - d) = g. Each round leaves
out a part of d, because what the ranker learns from the rest gets weaker, too. A round never looks at the folds that the result is measured with.
Rankers that were never clearly better than chance do not count: nothing is left out because of noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.detect.choices.leak import CANDIDATES, feature_sets, picks
from longway.detect.choices.patterns import Candidates
from longway.detect.choices.ranker import softmax

ROUNDS = 30
SHARE = 0.7  # of the questions that would have to go by the present ranker
FIRST = (
    CANDIDATES,
    "overlap",
)  # what every round looks at; the rankers of cues and words are parts of the first
CLEAR = 2.5  # standard errors above chance from which a leak is not taken for chance
FRESH = 7919  # seeds of the rounds begin here, so that they are not those of the measurement


@dataclass(frozen=True, slots=True)
class Dropped:
    """Which questions to leave out. margins: how much more likely than by chance the ranker thought their right candidate, by question.

    stopped: why nothing more was left out; reached: whether the goal was.
    """

    margins: dict[int, float]
    rounds: int
    reached: bool
    stopped: str


def needed(hits: float, n: int, goal: float) -> int:
    """How many of n questions must go so that a share `goal` of the rest is picked, if only picked ones go.

    >>> needed(450, 1000, 0.25)
    267
    """
    return max(0, ceil((hits - goal * n) / (1 - goal) - 1e-9)) if goal < 1 else 0


def is_clear(accuracy: float, chance: float, n: int) -> bool:
    """Whether an accuracy on n questions is clearly above chance.

    >>> is_clear(0.30, 0.25, 1000), is_clear(0.30, 0.25, 200)
    (True, False)
    """
    return accuracy > chance + CLEAR * sqrt(chance * (1 - chance) / max(1, n))


def choose(
    given: Candidates,
    *,
    is_ordered: bool,
    goal: Callable[[float], float],
    fewest: int,
    clear: Iterable[str],
    seed: int,
    progress: Callable[[float], object] = lambda share: None,
) -> Dropped:
    """Choose the questions to leave out.

    goal: the accuracy to reach, from the chance of the questions that are left. fewest: questions that must be left. clear: the
    rankers, by what they see, that are known to be better than chance. progress: is called with the share of the way that is done.
    """
    features = feature_sets(given, is_ordered=is_ordered)
    keep = np.arange(len(given.questions))
    margins: dict[int, float] = {}
    first_over, is_confirmed = 0.0, False
    active = set(clear)
    for number in range(ROUNDS):
        over, margin = _round(given, features, keep, goal, active, seed + FRESH + number)
        first_over = first_over or max(over, 1e-9)
        progress(min(0.99, max(0.0, 1 - over / first_over)))
        if over <= 0:
            if is_confirmed or not margins:
                return Dropped(margins, number, True, "the goal is reached")
            is_confirmed = True  # if other folds say so, too
            continue
        is_confirmed = False
        sizes = given.sets.sizes[keep]
        target = goal(float((1 / sizes).mean()))
        wanted = max(1, ceil(SHARE * needed((over + target) * len(keep), len(keep), target)))
        n = min(wanted, len(keep) - fewest)
        if n <= 0:
            return Dropped(margins, number, False, f"{len(keep):,} questions must be left")
        gone = np.argsort(-margin, kind="stable")[:n]
        margins |= {int(keep[i]): float(margin[i]) for i in gone}
        keep = np.delete(keep, gone)
    return Dropped(margins, ROUNDS, False, f"the goal was not reached in {ROUNDS} rounds")


def _round(
    given: Candidates,
    features: Mapping[str, tuple[Any, Any]],
    keep: NDArray[np.int64],
    goal: Callable[[float], float],
    active: set[str],
    seed: int,
) -> tuple[float, NDArray[np.float64]]:
    """How far the strongest ranker is over the goal, and its margins: the probability of each right candidate less chance.

    active: rankers that count; those that are clearly better than chance are added.
    """
    sets, rows = given.sets.part(keep)
    chance = float((1 / sets.sizes).mean())
    target = goal(chance)
    worst, margin = -1.0, np.zeros(len(keep))
    for part in (*FIRST, *(name for name in features if name not in FIRST)):
        if part not in FIRST and worst > 0:
            break
        columns, penalty = features[part]
        made = picks(columns[rows], penalty, sets, given.group[keep], seed)
        accuracy = float(made.hit.mean())
        over = accuracy - target
        if is_clear(accuracy, chance, len(keep)):
            active.add(part)
        if over > worst and part in active:
            worst, margin = over, softmax(made.scores, sets)[sets.right] - 1 / sets.sizes
    return worst, margin


def at_random(given: Candidates, n: int, *, seed: int) -> list[int]:
    """As many questions chosen at random, to compare with."""
    rng = np.random.default_rng(seed)
    return sorted(rng.choice(len(given.questions), size=n, replace=False).tolist())
