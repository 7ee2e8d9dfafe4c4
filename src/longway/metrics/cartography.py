"""Dataset cartography: which training rows a model learns easily, never, or keeps changing its mind about.

    gold (epochs x rows)  ->  confidence (mean), variability (std), correctness (share of epochs right)  ->  regions

After Swayamdipta et al. 2020. gold is the probability that a row's own label was given in each epoch (`Epoch.gold`), NaN
where the row was not seen. As in the paper, each region is the third of the rows that is first by one number, so a row may lie
in two of them:

    easy        highest confidence
    hard        lowest confidence: often a wrong label
    ambiguous   highest variability: what a model learns most from

The std divides by the number of epochs, as the paper's does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longway.errors import SettingError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
THIRD = 1 / 3


@dataclass(frozen=True, slots=True)
class Map:
    """One entry for each training row; NaN for a row that no epoch saw. seen: epochs that saw it."""

    confidence: Floats
    variability: Floats
    correctness: Floats
    seen: Ints


def cartography(gold: ArrayLike, correct: ArrayLike | None = None) -> Map:
    """Confidence, variability and correctness of each row.

    gold: (epochs x rows). correct: (epochs x rows), whether the row's label was the most likely one; where not given, gold
    above one half counts as right: the same with two labels, a lower bound with more.

    >>> cartography([[0.2, 0.9], [0.6, 0.9]]).confidence.tolist()
    [0.4, 0.9]
    """
    p = np.asarray(gold, np.float64)
    if p.ndim != 2 or not p.size:
        raise SettingError(f"'gold' must be epochs x rows, at least one of each. Got {p.shape}.")
    if (p < 0).any() or (p > 1).any():
        raise SettingError("'gold' must be probabilities from 0 to 1, or NaN where a row was not seen.")
    right = p > 0.5 if correct is None else np.asarray(correct, bool)
    if right.shape != p.shape:
        raise SettingError(f"'correct' must have the shape of 'gold', {p.shape}. Got {right.shape}.")
    there = ~np.isnan(p)
    seen = there.sum(axis=0)
    times = np.where(seen > 0, seen, np.nan)
    mean = np.where(there, p, 0.0).sum(axis=0) / times
    off = np.where(there, p - mean, 0.0)
    return Map(
        confidence=mean,
        variability=np.sqrt((off**2).sum(axis=0) / times),
        correctness=(right & there).sum(axis=0) / times,
        seen=seen.astype(np.int64),
    )


def regions(of: Map, *, share: float = THIRD) -> dict[str, Ints]:
    """The rows of each region, first by its number first; rows never seen are in none.

    share: of the rows in each region; at least one row. Without any variability (one epoch) no row is ambiguous.
    """
    if not 0 < share <= 1:
        raise SettingError(f"'share' must be above 0 and at most 1. Got {share!r}.")
    known = np.flatnonzero(of.seen > 0)
    n = max(1, round(share * len(known)))

    def first(by: Floats) -> Ints:
        return known[np.argsort(by[known], kind="stable")[:n]]

    ambiguous = first(-of.variability)
    return {
        "easy": first(-of.confidence),
        "hard": first(of.confidence),
        "ambiguous": ambiguous if (of.variability[known] > 0).any() else ambiguous[:0],
    }
