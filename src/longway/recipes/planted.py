"""What became of the shortcuts that were planted in the built-in sample: the truth is known there.

measure(shortcut, texts, labels)     how many rows show the pattern, by label
fates("reviews", before, after)      each planted shortcut before and after, with what it tells about its label
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longway.data import Dataset
from longway.sample import planted
from longway.stats import mutual_information
from longway.text.negations import is_negation
from longway.text.tokens import tokenize


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


def _fate(shortcut: dict[str, Any], before: Dataset, after: Dataset) -> PlantedFate:
    (n_old, share_old, told_old), (n_new, share_new, told_new) = (
        _told(shortcut, dataset) for dataset in (before, after)
    )
    return PlantedFate(
        name=shortcut["name"],
        pattern=shortcut["pattern"],
        label=shortcut["label"],
        count_before=n_old,
        share_before=share_old,
        count_after=n_new,
        share_after=share_new,
        repaired=1 - told_new / told_old if told_old > 0 else 0.0,
    )


def _told(shortcut: dict[str, Any], dataset: Dataset) -> tuple[int, float, float]:
    """Rows with the pattern, its label's share among them, and what it tells about the label."""
    texts, labels = [], []
    for batch in dataset.batches():
        texts += batch.texts.to_list()
        labels += [dataset.labels[label] for label in batch.labels]
    shows = measure(shortcut, texts)
    own = np.array([label == shortcut["label"] for label in labels])
    counts = np.array([[int((shows & own).sum()), int((shows & ~own).sum())]])
    totals = np.array([int(own.sum()), int((~own).sum())])
    n = int(counts.sum())
    return n, counts[0, 0] / n if n else 0.0, float(mutual_information(counts, totals)[0])


def measure(shortcut: dict[str, Any], texts: Sequence[str]) -> np.ndarray:
    """Which texts show a planted pattern."""
    level, phrase = shortcut["level"], tokenize(shortcut["pattern"].rpartition(": ")[2])
    longest = [int(word) for word in shortcut["pattern"].split() if word.isdigit()]

    def has_phrase(tokens: list[str]) -> bool:
        return any(tokens[i : i + len(phrase)] == phrase for i in range(len(tokens) - len(phrase) + 1))

    tests: dict[str, Callable[[list[str]], bool]] = {
        "token": has_phrase,
        "ngram": has_phrase,
        "position": lambda tokens: tokens[: len(phrase)] == phrase,
        "length": lambda tokens: sum(token[0].isalnum() for token in tokens) > longest[0],
        "negation": lambda tokens: any(map(is_negation, tokens)),
    }
    return np.array([tests[level](tokenize(text)) for text in texts], dtype=bool)
