"""Style effects in pairs: how often the answer with more of something is preferred, as it is and between answers of equal length.

With d = +1/2 for the candidate that has more, -1/2 for the other, and l the difference of log lengths, in a conditional logit

    log odds(the candidate with more is preferred) = b d + c l        share = 1 / (1 + exp(-b)) at equal length (l = 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longway.detect.choices.cues import CUES, Cue
from longway.detect.choices.patterns import Candidates
from longway.detect.choices.ranker import Sets, fit, softmax
from longway.stats import wilson_interval

Floats = NDArray[np.float64]
FEWEST = 20  # pairs that must differ in a cue
LENGTH = "characters"


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """How often the candidate with more of a cue is preferred. equal_*: the same between answers of equal length; None for length itself."""

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


def style_effects(given: Candidates, cues: Sequence[Cue] = CUES) -> list[StyleEffect]:
    """The effect of each cue in which enough pairs differ, strongest first; empty if a question has more than two candidates."""
    if (given.sets.sizes != 2).any():
        return []
    length = np.log1p(given.cues[:, [cue.name for cue in cues].index(LENGTH)])
    found = [_effect(cue, given.cues[:, i], length, given.sets) for i, cue in enumerate(cues)]
    return sorted((one for one in found if one is not None), key=lambda one: -abs(one.share - 0.5))


def _effect(cue: Cue, values: Floats, length: Floats, sets: Sets) -> StyleEffect | None:
    first, second = values[sets.starts[:-1]], values[sets.starts[:-1] + 1]
    keep = np.flatnonzero(first != second)
    if len(keep) < FEWEST:
        return None
    part, places = sets.part(keep)
    more = np.where(values[places] == np.repeat(np.maximum(first, second)[keep], 2), 0.5, -0.5)
    share = float((more[part.right] > 0).mean())
    low, high = wilson_interval(share, len(keep))
    effect = StyleEffect(cue.name, cue.family, cue.high, len(keep), share, low, high)
    if cue.family == "length":
        return effect
    b, error = logit(np.stack([more, length[places]], axis=1), part)
    return StyleEffect(
        cue.name,
        cue.family,
        cue.high,
        len(keep),
        share,
        low,
        high,
        *(_share(b + k * error) for k in (0, -1.96, 1.96)),
    )


def logit(columns: Floats, sets: Sets) -> tuple[float, float]:
    """The first weight of a conditional logit and its standard error, from the inverse of the information matrix."""
    penalty = 1e-3
    weights = fit(columns, sets, penalty)
    p = softmax(columns @ weights, sets)
    mean = np.add.reduceat(p[:, None] * columns, sets.starts[:-1])
    within = columns - mean[sets.question]
    information = (p[:, None] * within).T @ within + penalty * np.eye(columns.shape[1])
    return float(weights[0]), float(np.sqrt(np.linalg.inv(information)[0, 0]))


def _share(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))
