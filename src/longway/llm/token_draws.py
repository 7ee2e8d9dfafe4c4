"""Drawing the next token.

    draw_token(log_p, temperature=0.7, top_p=0.9, at=0.31)      the token at 31% of what may be drawn

Rare tokens are left out first, by their share as the model gives it; the temperature weighs those that are left. So a high temperature gives
other words, not nonsense.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST = 0.02  # of the likeliest token's share: what is rarer is never drawn


def draw_token(log_p: NDArray[np.float32], *, temperature: float, top_p: float, at: float) -> int:
    """A token of a distribution.

    temperature: 0 gives the likeliest. top_p: the likeliest tokens that have this share together may be drawn. at: from 0 up to 1, a number
    drawn at random.
    """
    most = log_p.max()
    if temperature <= 0:
        return int(log_p.argmax())
    tokens = np.flatnonzero(log_p >= most + np.log(LEAST))
    tokens = tokens[np.argsort(-log_p[tokens], kind="stable")]
    shares = np.exp(log_p[tokens].astype(np.float64))
    within = np.cumsum(shares) - shares < top_p  # the token that reaches the share is in
    weights = np.exp((log_p[tokens[within]] - most).astype(np.float64) / temperature)
    place = np.searchsorted(np.cumsum(weights), at * weights.sum(), side="right")
    return int(tokens[min(int(place), len(weights) - 1)])
