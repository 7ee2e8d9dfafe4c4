"""The shortcuts planted in the built-in samples, before and after a repair: `planted_changes("reviews", before, after)`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longway.data import Dataset
from longway.jobs.plant.kinds import shows_sample
from longway.jobs.plant.measure import PatternInformation, information, share_gone
from longway.sample import planted


@dataclass(frozen=True, slots=True)
class PlantedChange:
    """One planted shortcut: rows that show it and its label's share among them, before and after.

    repaired: the share of its information about the label that is gone; 1 is all of it, below 0 it has more.
    """

    name: str
    pattern: str
    label: str
    count_before: int
    share_before: float
    count_after: int
    share_after: float
    repaired: float


def planted_changes(name: str, before: Dataset, after: Dataset) -> list[PlantedChange]:
    """Each shortcut planted in a sample, before and after."""
    return [_change(shortcut, before, after) for shortcut in planted(name)]


def _change(shortcut: Mapping[str, Any], before: Dataset, after: Dataset) -> PlantedChange:
    was, now = _information(shortcut, before), _information(shortcut, after)
    return PlantedChange(
        name=shortcut["name"],
        pattern=shortcut["pattern"],
        label=shortcut["label"],
        count_before=was.count,
        share_before=was.share,
        count_after=now.count,
        share_after=now.share,
        repaired=share_gone(was, now),
    )


def _information(shortcut: Mapping[str, Any], dataset: Dataset) -> PatternInformation:
    texts, labels = [], []
    for batch in dataset.batches():
        texts += batch.texts.to_list()
        labels += [dataset.labels[label] for label in batch.labels]
    return information(shows_sample(shortcut, texts), labels, shortcut["label"])
