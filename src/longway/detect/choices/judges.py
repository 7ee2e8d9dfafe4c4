"""Judges: which place they prefer, which length, whose answers; and how well they agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longway.data.choices import Question
from longway.detect.choices.search import design_effect
from longway.stats import wilson_interval

FEWEST = 10  # votes from which a share is given
ROUNDS = 1000  # of the bootstrap


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95% interval; expected: what a fair judge would have."""

    name: str
    judge: str
    n: int
    share: float
    low: float
    high: float
    expected: float


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
    """votes: by judge, ties included. shares: place, length, own answers; order: pairs that were voted on in both orders, and kept their winner."""

    votes: dict[str, int]
    ties: int
    shares: tuple[Share, ...]
    order: Share | None
    agreement: Agreement | None


def judge_report(questions: Sequence[Question], ties: Sequence[Question]) -> JudgeReport:
    """What the votes say about the judges."""
    votes = Counter(one.judge or "all votes" for one in (*questions, *ties))
    shares = [
        share
        for judge in ("", *sorted({one.judge for one in questions if one.judge}))
        for share in _shares(_of(judge, questions), judge)
    ]
    return JudgeReport(
        dict(votes), len(ties), tuple(shares), _order(questions), agreement([*questions, *ties])
    )


def _of(judge: str, questions: Sequence[Question]) -> list[Question]:
    return [one for one in questions if not judge or one.judge == judge]


def _shares(votes: Sequence[Question], judge: str) -> list[Share]:
    lengths = [tuple(map(len, one.candidates)) for one in votes]
    other = [one for one, (first, second) in zip(votes, lengths, strict=True) if first != second]
    own = [one for one in votes if judge and one.makers and one.makers.count(judge) == 1]
    found = [
        share_of("the first answer", judge, votes, [one.right == 0 for one in votes]),
        share_of("the longer answer", judge, other, [_is_longer(one) for one in other]),
        share_of("its own answer", judge, own, [one.makers[one.right or 0] == judge for one in own]),
    ]
    return [one for one in found if one is not None]


def _is_longer(vote: Question) -> bool:
    return vote.right == int(len(vote.candidates[1]) > len(vote.candidates[0]))


def share_of(
    name: str, judge: str, votes: Sequence[Question], hits: Sequence[bool], expected: float = 0.5
) -> Share | None:
    """A share with its interval; None if there are too few votes. Votes on the same prompt are not independent: they widen the interval."""
    if len(hits) < FEWEST:
        return None
    share = sum(hits) / len(hits)
    _, group = np.unique(np.array([one.prompt or one.id for one in votes], dtype=object), return_inverse=True)
    effect = design_effect(np.array(hits, dtype=np.float64) - share, group)
    low, high = wilson_interval(share, len(hits) / effect)
    return Share(name, judge, len(hits), share, low, high, expected)


def _order(questions: Sequence[Question]) -> Share | None:
    """How often a judge who saw a pair in both orders kept the winner."""
    seen: dict[tuple[str, str, frozenset[str]], dict[str, Question]] = defaultdict(dict)
    for one in questions:
        seen[one.judge, one.prompt, frozenset(one.candidates)][one.candidates[0]] = one
    both = [list(votes.values()) for votes in seen.values() if len(votes) == 2]
    kept = [len({one.candidates[one.right or 0] for one in votes}) == 1 for votes in both]
    return share_of("the same answer in both orders", "", [votes[0] for votes in both], kept, 1.0)


def agreement(votes: Sequence[Question]) -> Agreement | None:
    """Fleiss' kappa over the pairs that several judges voted on, whatever the order they saw; a tie is a third answer."""
    seen: dict[tuple[str, tuple[str, ...]], dict[str, str]] = defaultdict(dict)
    for one in votes:
        winner = "tie" if one.right is None else one.candidates[one.right]
        seen[one.prompt, tuple(sorted(one.candidates))][one.judge] = winner
    tables = []
    for (_, candidates), by_judge in seen.items():
        if len(by_judge) > 1:
            answers = list(by_judge.values())
            tables.append([answers.count(candidates[0]), answers.count(candidates[1]), answers.count("tie")])
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
