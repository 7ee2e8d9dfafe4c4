"""Judges: which place they prefer, which length, whose answers; and how well they agree.

That a judge prefers its own answers may be a bias, or they may be better. So its share is compared with that of other judges, who wrote
neither of the answers, on the same pairs:

    excess = share of its own answers, in its votes - share of the same answers, in the votes of others
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from longway.data.choices import Question
from longway.detect.choices.search import design_effect
from longway.stats import wilson_interval

FEWEST = 10  # votes from which a share is given
OWN = "its own answer"
ROUNDS = 1000  # of the bootstrap


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95% interval.

    expected: what a fair judge would have; None if that is not known. excess_low, excess_high: 95% interval of the share less the expected
    one, where that is a measured figure, too.
    """

    name: str
    judge: str
    n: int
    share: float
    low: float
    high: float
    expected: float | None
    excess_low: float | None = None
    excess_high: float | None = None

    @property
    def is_off(self) -> bool:
        """Whether it is clearly not that of a fair judge."""
        if self.expected is None:
            return False
        low = self.low - self.expected if self.excess_low is None else self.excess_low
        high = self.high - self.expected if self.excess_high is None else self.excess_high
        return low > 0 or high < 0


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well judges agree on the pairs that more than one of them saw. kappa: agreement beyond chance, with its 95% interval."""

    pairs: int
    judges: int
    agreement: float
    kappa: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What votes say about judges.

    votes: by judge, ties included. shares: place, length, own answers; order: pairs that were voted on in both orders, and kept their winner.
    is_named: whether the votes say whose they are.
    """

    votes: dict[str, int]
    ties: int
    shares: tuple[Share, ...]
    order: Share | None
    agreement: Agreement | None
    is_named: bool = True


def judge_report(questions: Sequence[Question], ties: Sequence[Question]) -> JudgeReport:
    """What the votes say about the judges."""
    votes = Counter(one.judge or "all votes" for one in (*questions, *ties))
    shares = [
        share
        for judge in ("", *sorted({one.judge for one in questions if one.judge}))
        for share in _shares(questions, judge)
    ]
    every = with_raters([*questions, *ties])
    is_named = any(one.judge for one in (*questions, *ties))
    return JudgeReport(dict(votes), len(ties), tuple(shares), _order(every), agreement(every), is_named)


def with_raters(votes: Sequence[Question]) -> list[Question]:
    """The votes, each with a judge of its own if they name none and some are on the same pair in the same order: nobody is asked that twice.

    >>> asked = [Question(str(i), i, "Why?", ("a", "b"), 0) for i in range(2)]
    >>> [one.judge for one in with_raters(asked)]
    ['vote 1', 'vote 2']
    """
    pairs = {(one.prompt, one.candidates) for one in votes}
    if any(one.judge for one in votes) or len(pairs) == len(votes):
        return list(votes)
    return [replace(one, judge=f"vote {number}") for number, one in enumerate(votes, 1)]


def _shares(questions: Sequence[Question], judge: str) -> list[Share]:
    """What a judge prefers, or all of them."""
    votes = [one for one in questions if not judge or one.judge == judge]
    other = [one for one in votes if len({*map(len, one.candidates)}) == 2]
    found = [
        share_of("the first answer", judge, votes, [one.right == 0 for one in votes]),
        share_of("the longer answer", judge, other, [_is_longer(one) for one in other]),
        own_share(questions, judge) if judge else None,
    ]
    return [one for one in found if one is not None]


def own_share(questions: Sequence[Question], judge: str) -> Share | None:
    """How often a judge prefers its own answer, against judges who wrote neither answer; None if there are too few votes.

    Only pairs that both judged are compared. If they are too few, nothing is expected: the share may be the quality of the answers.
    """
    own = [one for one in questions if one.judge == judge and one.makers.count(judge) == 1]
    others = [one for one in questions if one.makers.count(judge) == 1 and one.judge not in one.makers]
    shared = {_pair(one) for one in own} & {_pair(one) for one in others}
    mine, theirs = (_share_of_maker(judge, [one for one in some if _pair(one) in shared]) for some in (own, others))  # fmt: skip
    if mine is None or theirs is None:
        return _share_of_maker(judge, own)
    low, high = difference_interval(mine, theirs)
    return replace(mine, expected=theirs.share, excess_low=low, excess_high=high)


def _pair(one: Question) -> tuple[str, frozenset[str]]:
    """What is compared, in whatever order."""
    return one.prompt, frozenset(one.candidates)


def _share_of_maker(maker: str, votes: Sequence[Question]) -> Share | None:
    """How often the answer of a maker is preferred."""
    hits = [one.makers[one.right or 0] == maker for one in votes]
    return share_of(OWN, maker, votes, hits, None)


def difference_interval(first: Share, second: Share) -> tuple[float, float]:
    """The 95% interval of a share less another one, from their own intervals (Newcombe 1998, method 10).

    The shares are taken as independent; if both rise and fall with the same pairs, the interval is too wide, not too narrow.
    """
    difference = first.share - second.share
    below = hypot(first.share - first.low, second.high - second.share)
    above = hypot(first.high - first.share, second.share - second.low)
    return difference - below, difference + above


def _is_longer(vote: Question) -> bool:
    return vote.right == int(len(vote.candidates[1]) > len(vote.candidates[0]))


def share_of(
    name: str, judge: str, votes: Sequence[Question], hits: Sequence[bool], expected: float | None = 0.5
) -> Share | None:
    """A share with its interval; None if there are too few votes. Votes on the same prompt are not independent: they widen the interval."""
    if len(hits) < FEWEST:
        return None
    share = sum(hits) / len(hits)
    _, group = np.unique(np.array([one.prompt or one.id for one in votes], dtype=object), return_inverse=True)
    effect = design_effect(np.array(hits, dtype=np.float64) - share, group)
    low, high = wilson_interval(share, len(hits) / effect)
    return Share(name, judge, len(hits), share, low, high, expected)


def _order(votes: Sequence[Question]) -> Share | None:
    """How often a judge who saw a pair in both orders gave the same answer; a tie is one, too."""
    seen: dict[Hashable, dict[str, Question]] = defaultdict(dict)
    for one in votes:
        seen[one.judge, _pair(one)][one.candidates[0]] = one
    both = [list(some.values()) for some in seen.values() if len(some) == 2]
    kept = [len({_winner(one) for one in some}) == 1 for some in both]
    return share_of("the same answer in both orders", "", [some[0] for some in both], kept, 1.0)


def _winner(vote: Question) -> str | None:
    """The answer that won; None for a tie."""
    return None if vote.right is None else vote.candidates[vote.right]


def agreement(votes: Sequence[Question]) -> Agreement | None:
    """Fleiss' kappa over the pairs that several judges voted on, whatever the order they saw; a tie is a third answer."""
    seen: dict[tuple[str, tuple[str, ...]], dict[str, str | None]] = defaultdict(dict)
    for one in votes:
        seen[one.prompt, tuple(sorted(one.candidates))][one.judge] = _winner(one)
    tables = []
    for (_, candidates), by_judge in seen.items():
        if len(by_judge) > 1:
            answers = list(by_judge.values())
            tables.append([answers.count(candidates[0]), answers.count(candidates[1]), answers.count(None)])
    if len(tables) < FEWEST:
        return None
    counts = np.array(tables, dtype=np.float64)
    generator = np.random.default_rng(0)
    draws = [fleiss(counts[generator.integers(len(counts), size=len(counts))])[1] for _ in range(ROUNDS)]
    observed, kappa = fleiss(counts)
    low, high = np.nanquantile(draws, [0.025, 0.975])
    judges = len({one.judge for one in votes})
    return Agreement(len(counts), judges, observed, kappa, float(low), float(high))


def fleiss(counts: np.ndarray) -> tuple[float, float]:
    """Agreement and kappa of a table of pairs by answers; pairs may have different numbers of votes.

    >>> fleiss(np.array([[2.0, 0, 0], [0, 2, 0], [1, 1, 0], [2, 0, 0]]))
    (0.75, 0.4666666666666667)
    """
    n = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    observed = float(same.mean())
    share = counts.sum(axis=0) / counts.sum()
    by_chance = float((share**2).sum())
    return observed, (observed - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0
