"""What is preferred: the style of answers in pairs, and the habits of the judges of votes.

Style effects say how often the answer with more of something is preferred, as it is and between answers of equal length. With l the log length
of the candidate that has more, less that of the other, in a logistic regression

    log odds(the candidate with more is preferred) = b + c l        share = 1 / (1 + exp(-b)) at equal length (l = 0)

The interval of b is that of the profile likelihood, which also holds where the candidate with more always wins: all b whose likelihood, at
its best c, is less than 1.92 below the highest one.

Judges prefer places, lengths, their own answers. That a judge prefers its own answers may be a bias, or they may be better. So its share is
compared with that of other judges, who wrote neither of the answers, on the same pairs:

    excess = share of its own answers, in its votes - share of the same answers, in the votes of others
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit
from scipy.stats import chi2

from longway.data.choice_columns import Kind
from longway.data.choices import Question
from longway.detect.choices.candidates import Candidates, Floats, design_effect
from longway.detect.choices.cues import CUES
from longway.stats import difference_interval, wilson_interval

FEWEST_PAIRS = 20  # pairs that must differ in a cue
MOST, PENALTY, NEAR = 50.0, 1e-3, 1e-3  # of a weight
FEWEST_VOTES = 10  # votes from which a share is given
OWN = "its own answer"
LENGTH = "characters"
LENGTHS = (LENGTH, "words")


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """How often the candidate with more of a cue is preferred. name: what it has more of. equal_*: the same between answers of equal length; None for length itself."""

    cue: str
    family: str
    name: str
    pairs: int
    share: float
    low: float
    high: float
    equal_share: float | None = None
    equal_low: float | None = None
    equal_high: float | None = None


def style_effects(given: Candidates, kind: Kind = "preference") -> list[StyleEffect]:
    """The effect of each cue in which enough pairs differ, clearest first.

    The pairs are the questions with two candidates; of a ranking, the best candidate of each list with each other one: if the order of a list has
    nothing to do with a cue, the best one has more of it than another as often as less.
    """
    sets = given.sets
    is_used = (sets.sizes == 2) | (kind == "ranking")
    best = sets.right[sets.question]
    other = np.flatnonzero(is_used[sets.question] & (best != np.arange(len(best))))
    right, group = best[other], given.group[sets.question[other]]
    length = np.log1p(given.cues[:, list(CUES).index(LENGTH)])
    effects = []
    for i, cue in enumerate(CUES.values()):
        more = given.cues[right, i] - given.cues[other, i]
        keep = np.flatnonzero(more)
        if len(keep) < FEWEST_PAIRS:
            continue
        hit = (more[keep] > 0).astype(np.float64)
        share = float(hit.mean())
        repeats = design_effect(hit - share, group[keep])
        interval = wilson_interval(share, len(keep) / repeats)
        effect = StyleEffect(cue.name, cue.family, cue.more, len(keep), share, *interval)
        if cue.name not in LENGTHS:
            longer = np.sign(more[keep]) * (length[right] - length[other])[keep]
            equal, low, high = (float(expit(b)) for b in intercept(hit, longer, repeats))
            effect = replace(effect, equal_share=equal, equal_low=low, equal_high=high)
        effects.append(effect)
    return sorted(effects, key=lambda effect: -max(effect.low - 0.5, 0.5 - effect.high))


def intercept(hit: Floats, longer: Floats, repeats: float = 1.0) -> tuple[float, float, float]:
    """b of the logistic regression with its 95% profile likelihood interval. repeats: how many pairs count as one.

    >>> hit = np.repeat([1.0, 0.0], [30, 10])
    >>> [round(float(expit(b)), 2) for b in intercept(hit, np.zeros(40))]
    [0.75, 0.6, 0.87]
    """
    best = minimize_scalar(lambda b: -_profile(b, hit, longer), bracket=(-1.0, 1.0), tol=NEAR)
    lowest = -float(best.fun) - float(chi2.ppf(0.95, 1)) / 2 * repeats

    def above(b: float) -> float:
        return _profile(b, hit, longer) - lowest

    ends = [brentq(above, end, best.x, xtol=NEAR) if above(end) < 0 else end for end in (-MOST, MOST)]
    return float(best.x), *map(float, ends)  # type: ignore[return-value]


def _profile(b: float, hit: Floats, longer: Floats) -> float:
    """The log likelihood of b at its best c, less a small penalty: without it, c would have no end where the longer one always wins."""

    def loss(c: float) -> float:
        odds = np.where(hit > 0, 1.0, -1.0) * (b + c * longer)
        return float(np.logaddexp(0.0, -odds).sum()) + PENALTY / 2 * (b * b + c * c)

    return -float(minimize_scalar(loss, bracket=(-1.0, 1.0), tol=NEAR).fun)


# The judges of votes


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
class JudgeReport:
    """What votes say about judges.

    votes: by judge, ties included. shares: place, length, own answers; order: pairs that were voted on in both orders, and kept their winner.
    is_named: whether the votes say whose they are.
    """

    votes: dict[str, int]
    ties: int
    shares: tuple[Share, ...]
    order: Share | None
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
    return JudgeReport(dict(votes), len(ties), tuple(shares), _order(every), is_named)


def with_raters(votes: Sequence[Question]) -> list[Question]:
    """The votes, each with a judge of its own if they name none and some are on the same pair in the same order: nobody is asked that twice.

    >>> asked = [Question(str(i), i, "Why?", ("a", "b"), 0) for i in range(2)]
    >>> [one.judge for one in with_raters(asked)]
    ['vote 1', 'vote 2']
    """
    pairs = {(one.prompt, one.candidates) for one in votes}
    is_known = any(one.judge for one in votes) or len(pairs) == len(votes)
    return [one if is_known else replace(one, judge=f"vote {n}") for n, one in enumerate(votes, 1)]


def _shares(questions: Sequence[Question], judge: str) -> list[Share]:
    """What a judge prefers, or all of them."""
    votes = [one for one in questions if not judge or one.judge == judge]
    other = [one for one in votes if len({*map(len, one.candidates)}) == 2]
    found = [
        share_of("the first answer", judge, votes, [one.right == 0 for one in votes]),
        share_of(
            "the longer answer",
            judge,
            other,
            [one.right == int(len(one.candidates[1]) > len(one.candidates[0])) for one in other],
        ),
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
    low, high = difference_interval(
        (mine.share, mine.low, mine.high), (theirs.share, theirs.low, theirs.high)
    )
    return replace(mine, expected=theirs.share, excess_low=low, excess_high=high)


def _pair(one: Question) -> tuple[str, frozenset[str]]:
    """What is compared, in whatever order."""
    return one.prompt, frozenset(one.candidates)


def _share_of_maker(maker: str, votes: Sequence[Question]) -> Share | None:
    """How often the answer of a maker is preferred."""
    hits = [one.makers[one.right or 0] == maker for one in votes]
    return share_of(OWN, maker, votes, hits, None)


def share_of(
    name: str, judge: str, votes: Sequence[Question], hits: Sequence[bool], expected: float | None = 0.5
) -> Share | None:
    """A share with its interval; None if there are too few votes. Votes on the same prompt are not independent: they widen the interval."""
    if len(hits) < FEWEST_VOTES:
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
    winners = [
        {one.right if one.right is None else one.candidates[one.right] for one in some} for some in both
    ]
    kept = [len(some) == 1 for some in winners]
    return share_of("the same answer in both orders", "", [some[0] for some in both], kept, 1.0)
