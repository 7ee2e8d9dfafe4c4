"""How good a language model is on the texts that a measure uses: mean log-likelihood per token, and perplexity.

A model that finds every sentence equally unlikely prefers no stereotype. So no measure is told without this beside it. Between models
with other tokens the figures do not compare: shorter tokens are easier to guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.errors import SettingError
from longway.metrics.fairness.figure import Figure, resampled
from longway.metrics.intervals import bootstrap


@dataclass(frozen=True, slots=True)
class Quality:
    """log_likelihood: nats per token, higher is better. perplexity: its exponential turned round, lower is better."""

    texts: int
    tokens: int
    log_likelihood: Figure
    perplexity: float

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return {
            "texts": self.texts,
            "tokens": self.tokens,
            "log_likelihood": self.log_likelihood.to_dict(),
            "perplexity": self.perplexity,
        }


def quality_of(totals: Sequence[float], tokens: Sequence[int], *, seed: int = 0) -> Quality:
    """The quality from each text's total log-likelihood and number of tokens; the interval resamples texts.

    >>> quality_of([-6.0, -2.0], [3, 1]).log_likelihood.value
    -2.0
    """
    sums, counts = np.asarray(totals, np.float64), np.asarray(tokens, np.float64)
    if not counts.sum():
        raise SettingError(
            "There is no token to take the likelihood of. Texts with words were expected. Check the file."
        )

    def of_rows(rows: NDArray[np.int64]) -> float:
        n = counts[rows].sum()
        return float(sums[rows].sum() / n) if n else float("nan")

    mean = of_rows(np.arange(len(sums)))
    figure = resampled(mean, bootstrap(of_rows, len(sums), seed=seed))
    return Quality(len(sums), int(counts.sum()), figure, exp(min(-mean, 700.0)))
