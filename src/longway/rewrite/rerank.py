"""Which of several verified candidates is best: the one that gives least away, or one that gives little away and says the same.

    weighed(scores, verdicts)      a number for each candidate, the lowest is best

RAZOR takes the lowest gamma alone, and so, of what just passed the checks, the strangest. Here three things are ranked: how much a candidate
gives away (gamma, or what a surface model could use), how close its meaning is to the text before, and how sure the judge is of its
label. The first counts as much as the other two together. Ranks, not numbers, are added: the three have no common scale.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from longway.records import Verdict

MEANING = "meaning"
LABEL = (
    "judge",
    "entailment",
    "classifiers",
)  # the checks that say how likely the label is; the first that did counts


def weighed(
    scores: Sequence[float], verdicts: Sequence[Sequence[Verdict]], *, decimals: int = 6
) -> list[float]:
    """For each candidate its place by score plus half its places by meaning and by label; the lowest is best.

    A check that gave no number counts for nothing: all candidates share its place.
    """
    by_score = np.where(np.isnan(scores), np.inf, np.round(np.asarray(scores, np.float64), decimals))
    meaning = [-_number(theirs, (MEANING,)) for theirs in verdicts]
    label = [-_number(theirs, LABEL) for theirs in verdicts]
    return (_places(by_score) + (_places(np.array(meaning)) + _places(np.array(label))) / 2).tolist()


def _number(verdicts: Sequence[Verdict], checks: Sequence[str]) -> float:
    found = {verdict.check: verdict.score for verdict in verdicts if verdict.score is not None}
    return next((found[check] for check in checks if check in found), 0.0)


def _places(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many are lower, and half of the others that are equal."""
    lower = (values[None, :] < values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1) - 1
    return np.asarray(lower + equal / 2, np.float64)
