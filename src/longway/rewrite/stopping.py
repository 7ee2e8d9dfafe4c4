"""When RAZOR has done enough."""

from __future__ import annotations

from math import sqrt
from typing import Literal

from longway.rewrite.method import Figures

Stop = Literal["cosine", "kl", "leak", "never"]
NOTHING_LEFT = "there is nothing left to rewrite"
BUDGET_SPENT = "the budget is spent"
NO_GAIN = {
    "cosine": "sum of cosines no longer rises",
    "kl": "divergence no longer falls",
    "leak": "leak no longer falls",
}
NOISE = 1e-6  # of one document in single precision; a mean over n documents has it by the root of n less


class Stopping:
    """Watches the figures of the rounds and says why to stop.

    stop: "cosine" watches Eq. 14, the sum of cosines between documents of unlike labels, which should rise; "kl" watches
    Algorithm 1's sum of KL divergences, which should fall; "leak" watches what a bag of words gets right, which should
    fall; "never" leaves it to the other rules.
    patience: so many rounds in a row without a gain end it. rounds: the most there may be. n_rows: of the dataset.
    """

    def __init__(self, stop: Stop, *, patience: int, rounds: int, n_rows: int, start: Figures) -> None:
        self.stop = stop
        self.patience = patience
        self.rounds = rounds
        self._least_gain = NOISE / sqrt(max(n_rows, 1))
        self._best = self._objective(start)
        self._without_gain = 0

    def reason(self, number: int, figures: Figures, *, is_spent: bool = False) -> str:
        """Why to stop after this round, "" for going on."""
        if is_spent:
            return BUDGET_SPENT
        if figures.leak is not None and figures.leak.low <= figures.leak.majority:
            return "the leak has reached chance"
        if self.stop != "never" and figures.accepted and self._is_patience_over(figures):
            return f"the {NO_GAIN[self.stop]}"
        return f"{number} rounds are done" if number >= self.rounds else ""

    def _is_patience_over(self, figures: Figures) -> bool:
        """A round that replaced nothing says nothing about the objective: it is not counted."""
        value = self._objective(figures)
        is_gain = value > self._best + self._least_gain
        self._best = max(self._best, value)
        self._without_gain = 0 if is_gain else self._without_gain + 1
        return self._without_gain >= self.patience

    def _objective(self, figures: Figures) -> float:
        """What should rise."""
        if self.stop == "leak":
            return 0.0 if figures.leak is None else -figures.leak.accuracy
        if self.stop == "kl":
            return 0.0 if figures.divergence is None else -figures.divergence
        return figures.cosine or 0.0
