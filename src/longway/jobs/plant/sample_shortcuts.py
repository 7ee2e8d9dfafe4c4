"""The shortcuts planted in the built-in samples, before and after a repair: `planted_changes("reviews", before, after)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longway.data import Dataset
from longway.jobs.plant.planting import Bools, shows_sample
from longway.sample import planted
from longway.stats import mutual_information


@dataclass(frozen=True, slots=True)
class PatternInformation:
    """A pattern in some rows: how many show it, the label's share among them, and its information about the label in nats."""

    count: int
    share: float
    nats: float


def information(shows: Bools, labels: Sequence[str], label: str) -> PatternInformation:
    """How much a pattern says about one label, against all others."""
    own = np.array([each == label for each in labels], dtype=bool)
    counts = np.array([[int((shows & own).sum()), int((shows & ~own).sum())]])
    totals = np.array([int(own.sum()), int((~own).sum())])
    n = int(counts.sum())
    return PatternInformation(n, counts[0, 0] / n if n else 0.0, float(mutual_information(counts, totals)[0]))


def share_gone(before: PatternInformation, after: PatternInformation) -> float:
    """The share of a pattern's information that was removed: 1 is all of it, below 0 it became more."""
    return 1 - after.nats / before.nats if before.nats > 0 else 0.0


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
