"""How new the additions are: close to the texts they were made from (CoBA's Table 6), and how spread out (Table 16).

diversity(sources, added, before)  ->  mean cosine of each addition and its source, variance in the top components
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from longway.classify.minilm import MiniLM
from longway.errors import LongwayError
from longway.metrics.vectors import K, top_variance
from longway.store import Journal
from longway.verify.model_cache import CachedEncoder, ModelCache

MOST = 1000  # texts that vectors are computed for, drawn at random

Embed = Callable[[Sequence[str]], np.ndarray]


def diversity(
    sources: Sequence[str], added: Sequence[str], before: Sequence[str], *, embed: Embed | None, seed: int = 0
) -> dict[str, Any] | None:
    """The figures as plain JSON values; None where nothing was added or there is no encoder.

    sources: for each addition the text it was made from. before: all texts as they came. embed: gives vectors of length 1.
    The two sets of Table 16 have the same number of texts, since the share falls with it.
    """
    if embed is None or not added:
        return None
    random = np.random.default_rng(seed)
    chosen = random.permutation(len(added))[:MOST]
    new, old = (embed([texts[i] for i in chosen]) for texts in (added, sources))
    cosines = np.einsum("ij,ij->i", new, old)
    n = min(len(chosen), len(before))
    others = embed([before[i] for i in random.permutation(len(before))[:n]])
    return {
        "cosine": float(cosines.mean()),
        "cosine_low": float(np.quantile(cosines, 0.05)),
        "cosine_high": float(np.quantile(cosines, 0.95)),
        "rows": len(chosen),
        "variance": _variance(others, new[:n]),
    }


def _variance(before: np.ndarray, added: np.ndarray) -> dict[str, Any] | None:
    """Shares of the variance in the top components; None where there are too few texts for it to say anything."""
    k = min(K, len(before) // 4)
    if k < 1:
        return None
    was, now = top_variance(before, k=k), top_variance(added, k=k)
    if was.rank <= k or now.rank <= k:
        return None
    return {"components": k, "rows": len(before), "before": was.share, "added": now.share}


def encoder(journal: Journal | None) -> Embed | None:
    """The sentence encoder, its vectors kept in the journal; None where it is not installed."""
    try:
        return CachedEncoder(MiniLM.load(), ModelCache(journal))
    except LongwayError:
        return None
