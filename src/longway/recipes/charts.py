"""Numbers behind the report's charts: histograms by label, ready to be drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.detect.reading import TEXT, Reading


def gamma_chart(reading: Reading, gamma: NDArray[np.float64]) -> dict[str, Any]:
    """Histogram and mean of gamma for each label; the last bar also holds the highest thousandth."""
    known = np.isfinite(gamma)
    low, high = (float(x) for x in np.quantile(gamma[known], [0, 0.999])) if known.any() else (0.0, 1.0)
    edges = np.linspace(low, max(high, low + 1e-9), 41)
    inside = np.clip(gamma, edges[0], edges[-1])
    counts, means = {}, {}
    for i, name in enumerate(reading.label_names):
        mine = known & (reading.labels == i)
        counts[name] = np.histogram(inside[mine], bins=edges)[0].tolist()
        means[name] = float(gamma[mine].mean()) if mine.any() else None
    return {"mean_gamma": means, "histogram": {"edges": edges.tolist(), "counts": counts}}


def length_chart(reading: Reading) -> dict[str, Any]:
    """Histogram of tokens per text for each label; the last bar also holds the longest hundredth."""
    lengths = reading.corpora[TEXT].lengths()
    top = int(np.quantile(lengths, 0.99)) + 1 if len(lengths) else 1
    width = max(1, -(-top // 30))
    edges = np.arange(0, top + width, width)
    inside = np.minimum(lengths, edges[-1])
    counts = {
        name: np.histogram(inside[reading.labels == i], bins=edges)[0].tolist()
        for i, name in enumerate(reading.label_names)
    }
    return {"edges": edges.tolist(), "counts": counts}
