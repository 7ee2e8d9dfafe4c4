"""Style effects in pairs: how often the answer with more of something is preferred, as it is and between answers of equal length.

With l the log length of the candidate that has more, less that of the other, in a logistic regression

    log odds(the candidate with more is preferred) = b + c l        share = 1 / (1 + exp(-b)) at equal length (l = 0)

The interval of b is that of the profile likelihood, which also holds where the candidate with more always wins: all b whose likelihood, at
its best c, is less than 1.92 below the highest one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit
from scipy.stats import chi2

from longway.data.choice_columns import Kind
from longway.detect.choices.cues import CUES, Cue
from longway.detect.choices.patterns import Candidates
from longway.detect.choices.search import design_effect
from longway.stats import wilson_interval

Ints = NDArray[np.int64]

Floats = NDArray[np.float64]
FEWEST = 20  # pairs that must differ in a cue
MOST, PENALTY, NEAR = 50.0, 1e-3, 1e-3  # of a weight
LENGTH = "characters"
LENGTHS = (LENGTH, "words")
MORE = {  # what the answer has more of, if the name of the cue is not that
    "word length": "letters per word", "paragraphs": "lines", "space before": "space before the first word",
    "space behind": "space behind the last word", "double space": "double spaces", "capital": "a capital at the start",
    "capitals": "capital letters", "full stop": "a full stop at the end", "quotes": "quotation marks",
    "exclamation": "exclamation marks", "questions": "question marks", "precision": "decimals",
    "middle number": "a middling number", "absolutes": "absolute words (always ...)", "hedges": "hedges (may, often ...)",
    "negation": "negations", "joiners": "joining words (and ...)", "first person": "I, me, my", "second person": "you, your",
    "article fit": "fit with a or an", "number fit": "fit with is or are", "echo share": "a share of prompt words",
    "echo": "words of the prompt", "restated prompt": "the prompt at the start", "similarity": "likeness to the other",
    "same start": "the start of the other", "bullets": "list items", "bold": "bold words", "code": "code blocks",
    "tables": "table rows", "refusal": "refusals", "apology": "apologies", "flattery": "flattery, eagerness",
    "repetition": "repeated words", "other script": "letters of other scripts",
}  # fmt: skip


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


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of candidates. right, other: the places of the preferred one and of the other; group: the same for pairs that are not independent."""

    right: Ints
    other: Ints
    group: Ints

    @classmethod
    def of(cls, given: Candidates, kind: Kind) -> Pairs:
        """The questions with two candidates; of a ranking, the best candidate of each list with each other one.

        If the order of a list has nothing to do with a cue, the best one has more of it than another as often as less.
        """
        sets = given.sets
        is_used = (sets.sizes == 2) | (kind == "ranking")
        best = sets.right[sets.question]
        keep = np.flatnonzero(is_used[sets.question] & (best != np.arange(len(best))))
        return cls(best[keep], keep, given.group[sets.question[keep]])


def style_effects(given: Candidates, kind: Kind = "preference") -> list[StyleEffect]:
    """The effect of each cue in which enough pairs differ, clearest first."""
    pairs = Pairs.of(given, kind)
    length = np.log1p(given.cues[:, [cue.name for cue in CUES].index(LENGTH)])
    effects = [_effect(cue, given.cues[:, i], length, pairs) for i, cue in enumerate(CUES)]
    clear = [effect for effect in effects if effect is not None]
    return sorted(clear, key=lambda effect: -max(effect.low - 0.5, 0.5 - effect.high))


def _effect(cue: Cue, values: Floats, length: Floats, pairs: Pairs) -> StyleEffect | None:
    more = values[pairs.right] - values[pairs.other]
    keep = np.flatnonzero(more)
    if len(keep) < FEWEST:
        return None
    hit = (more[keep] > 0).astype(np.float64)
    share = float(hit.mean())
    repeats = design_effect(hit - share, pairs.group[keep])
    name = MORE.get(cue.name, cue.name)
    effect = StyleEffect(
        cue.name, cue.family, name, len(keep), share, *wilson_interval(share, len(keep) / repeats)
    )
    if cue.name in LENGTHS:
        return effect
    longer = np.sign(more[keep]) * (length[pairs.right] - length[pairs.other])[keep]
    equal, low, high = (_share(b) for b in intercept(hit, longer, repeats))
    return replace(effect, equal_share=equal, equal_low=low, equal_high=high)


def intercept(hit: Floats, longer: Floats, repeats: float = 1.0) -> tuple[float, float, float]:
    """b of the logistic regression with its 95% profile likelihood interval. repeats: how many pairs count as one.

    >>> hit = np.repeat([1.0, 0.0], [30, 10])
    >>> [round(_share(b), 2) for b in intercept(hit, np.zeros(40))]
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


def _share(log_odds: float) -> float:
    return float(expit(log_odds))
