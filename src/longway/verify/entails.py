"""For pairs: does the context still say of the new text what its label says? Asked of the entailment model.

    REFUTES   the context contradicts the claim: how likely is that of the new claim, and how likely was it of the old?

The model is not always right about the old text. Where it is, the new one must be as clear; where it is not, the new one must not
be worse. A text that says something else and keeps only its label has no such excuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from longway.records import Verdict
from longway.task import Stance, Task
from longway.verify.check import Candidate
from longway.verify.memory import Memory

STANCES: tuple[Stance, ...] = ("entails", "contradicts", "neutral")


class Model(Protocol):
    """Anything that gives the probabilities of `STANCES` for pairs of context and text."""

    version: str

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(n, 3)."""
        ...


class Entails:
    """The check of a label's stance.

    least: the probability that is enough by itself. share: of the original's probability, what is enough where the model
    doubts the original, too; least_label: what texts need that keep only their label.
    """

    name = "entailment"

    def __init__(
        self, task: Task, model: Model, memory: Memory, *, least: float, share: float, least_label: float
    ) -> None:
        self.stances = task.stances
        self.model, self.memory = model, memory
        self.least, self.share, self.least_label = least, share, least_label

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; score: the probability of the label's stance."""
        texts = [(c.context or "", c.after) for c in candidates] + [
            (c.context or "", c.before) for c in candidates
        ]
        said = self.memory.rows("entailment", self.model.version, texts, self.model.probabilities)
        columns = [STANCES.index(self.stances[c.label]) for c in candidates]
        own = said[np.arange(len(texts)), columns * 2].astype(float) if candidates else np.zeros(0)
        after, before = own[: len(candidates)], own[len(candidates) :]
        return [
            self._verdict(c, float(a), float(b)) for c, a, b in zip(candidates, after, before, strict=True)
        ]

    def _verdict(self, candidate: Candidate, after: float, before: float) -> Verdict:
        if candidate.keeps == "label":
            passed = after >= self.least_label
        else:
            passed = after >= self.least or (before < self.least and after >= self.share * before)
        stance = self.stances[candidate.label]
        reason = "" if passed else f"that the context {stance} it is {after:.2f} likely, {before:.2f} before"
        return Verdict(self.name, passed, after, reason)
