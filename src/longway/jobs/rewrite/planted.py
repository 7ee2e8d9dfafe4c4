"""What became of the shortcuts that were planted in the built-in sample: the truth is known there.

fates("reviews", before, after)      each planted shortcut before and after, with what it tells about its label
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longway.data import Dataset
from longway.jobs.plant.kinds import shows_sample
from longway.jobs.plant.measure import PatternInformation, information, share_gone
from longway.sample import planted


@dataclass(frozen=True, slots=True)
class PlantedFate:
    """One planted shortcut: rows that show it and its label's share among them, before and after.

    repaired: the share of what it told about its label that is gone; 1 is all of it, below 0 it tells more.
    """

    name: str
    pattern: str
    label: str
    count_before: int
    share_before: float
    count_after: int
    share_after: float
    repaired: float


def fates(name: str, before: Dataset, after: Dataset) -> list[PlantedFate]:
    """What became of each shortcut planted in a sample."""
    return [_fate(shortcut, before, after) for shortcut in planted(name)]


def _fate(shortcut: Mapping[str, Any], before: Dataset, after: Dataset) -> PlantedFate:
    was, now = _told(shortcut, before), _told(shortcut, after)
    return PlantedFate(
        name=shortcut["name"],
        pattern=shortcut["pattern"],
        label=shortcut["label"],
        count_before=was.count,
        share_before=was.share,
        count_after=now.count,
        share_after=now.share,
        repaired=share_gone(was, now),
    )


def _told(shortcut: Mapping[str, Any], dataset: Dataset) -> PatternInformation:
    texts, labels = [], []
    for batch in dataset.batches():
        texts += batch.texts.to_list()
        labels += [dataset.labels[label] for label in batch.labels]
    return information(shows_sample(shortcut, texts), labels, shortcut["label"])
