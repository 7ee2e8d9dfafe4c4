"""Dataset cartography: which training rows are easy, hard or ambiguous for a model.

    gold (epochs, rows)  ->  confidence (mean), variability (std), correctness (share of epochs correct)  ->  regions

After Swayamdipta et al. 2020. gold is the probability of a row's own label in each epoch (`Epoch.gold`), NaN if the row was
not seen. As in the paper, each region is the third of the rows that ranks highest by one number, so a row may be in two:

    easy        highest confidence
    hard        lowest confidence: often a wrong label
    ambiguous   highest variability: the rows a model learns most from

The std divides by the number of epochs, as in the paper.
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
class TrainingMap:
    """One entry per training row, NaN for a row that no epoch saw. seen: the number of epochs that saw it."""

    confidence: Floats
    variability: Floats
    correctness: Floats
    seen: Ints


def cartography(gold: ArrayLike, correct: ArrayLike | None = None) -> TrainingMap:
    """Confidence, variability and correctness of each row.

    gold: (epochs, rows). correct: (epochs, rows), whether the row's label was the most likely one. If not given, gold above
    one half counts as correct: the same with two labels, a lower bound with more.

    >>> cartography([[0.2, 0.9], [0.6, 0.9]]).confidence.tolist()
    [0.4, 0.9]
    """
    p = np.asarray(gold, np.float64)
    if p.ndim != 2 or not p.size:
        raise SettingError(f"'gold' must be epochs x rows, at least one of each. Got {p.shape}.")
    if (p < 0).any() or (p > 1).any():
        raise SettingError("'gold' must be probabilities from 0 to 1, or NaN if a row was not seen.")
    is_correct = p > 0.5 if correct is None else np.asarray(correct, bool)
    if is_correct.shape != p.shape:
        raise SettingError(f"'correct' must have the shape of 'gold', {p.shape}. Got {is_correct.shape}.")
    is_seen = ~np.isnan(p)
    seen = is_seen.sum(axis=0)
    times = np.where(seen > 0, seen, np.nan)
    mean = np.where(is_seen, p, 0.0).sum(axis=0) / times
    off = np.where(is_seen, p - mean, 0.0)
    return TrainingMap(
        confidence=mean,
        variability=np.sqrt((off**2).sum(axis=0) / times),
        correctness=(is_correct & is_seen).sum(axis=0) / times,
        seen=seen.astype(np.int64),
    )


def regions(training_map: TrainingMap, *, share: float = THIRD) -> dict[str, Ints]:
    """The rows of each region, in order of its number; rows never seen are in none.

    share: of the rows per region; at least one row. Without any variability (one epoch) no row is ambiguous.
    """
    if not 0 < share <= 1:
        raise SettingError(f"'share' must be above 0 and at most 1. Got {share!r}.")
    known = np.flatnonzero(training_map.seen > 0)
    n = max(1, round(share * len(known)))

    def lowest(by: Floats) -> Ints:
        return known[np.argsort(by[known], kind="stable")[:n]]

    ambiguous = lowest(-training_map.variability)
    return {
        "easy": lowest(-training_map.confidence),
        "hard": lowest(training_map.confidence),
        "ambiguous": ambiguous if (training_map.variability[known] > 0).any() else ambiguous[:0],
    }
