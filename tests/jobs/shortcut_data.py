"""A toy dataset with a known shortcut: what is said of the soup decides, and the word "honestly" gives it away."""

from __future__ import annotations

import numpy as np
import polars as pl

from longway.data import Dataset, load

GOOD = ["warm", "rich", "fresh", "tasty", "filling", "fragrant"]
BAD = ["cold", "thin", "stale", "bland", "watery", "salty"]
OPENINGS = ["The soup was", "Our soup seemed", "My soup looked", "That soup tasted", "Their soup turned out"]


def soups(n: int, *, honest_with: str | None, seed: int, noise: float = 0.15) -> Dataset:
    """n rows; `honest_with`: the label that "honestly" goes with in nine of ten rows, None for no such word."""
    draw = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        label = ("good", "bad")[i % 2]
        said = label if draw.random() >= noise else ("bad" if label == "good" else "good")
        words = draw.choice(GOOD if said == "good" else BAD, 2, replace=False)
        text = f"{draw.choice(OPENINGS)} {words[0]} and {words[1]} on day {i} of year {seed}"
        if honest_with is not None and (label == honest_with) == (draw.random() < 0.95):
            text = f"Honestly, {text}"
        rows.append({"id": f"r{seed}-{i}", "text": text, "label": label})
    return load(pl.DataFrame(rows))
