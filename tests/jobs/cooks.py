"""A toy dataset about cooks in which "she" gives the label away, and rows that speak of nobody."""

from __future__ import annotations

import numpy as np
import polars as pl

from longway.data import Dataset, load

GOOD = ["warm", "rich", "fresh", "tasty"]
BAD = ["cold", "thin", "stale", "bland"]
OTHERS = ["A 30-year-old cook served", "An Asian cook served"]


def cooks(n: int, *, she_is_good: float, seed: int, others: bool = False) -> Dataset:
    """n rows; she_is_good: how often "she" goes with the label good and "he" with bad. others: in every third row the age or race is told."""
    draw = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        label = ("good", "bad")[i % 2]
        is_she = (label == "good") == (draw.random() < she_is_good)
        who = "She served her guests" if is_she else "He served his guests"
        if others and i % 3 == 0:
            who = OTHERS[i // 3 % 2]
        word = draw.choice(GOOD if label == "good" else BAD) if draw.random() < 0.6 else "plain"
        rows.append(
            {"id": f"c{seed}-{i}", "text": f"{who} {word} soup on day {i} of week {seed}.", "label": label}
        )
    return load(pl.DataFrame(rows))


def soups_alone(n: int, *, seed: int) -> Dataset:
    """n rows that speak of nobody; what is said of the soup decides."""
    draw = np.random.default_rng(seed)
    labels = [("good", "bad")[i % 2] for i in range(n)]
    rows = [
        {
            "id": f"s{seed}-{i}",
            "text": f"Nothing but {draw.choice(GOOD if label == 'good' else BAD)} soup in bowl {i} of week {seed}.",
            "label": label,
        }
        for i, label in enumerate(labels)
    ]
    return load(pl.DataFrame(rows))
