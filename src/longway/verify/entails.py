"""For pairs: does the context still say of the new text what its label says? Asked of the entailment model.

    REFUTES          the context contradicts the claim: how likely is that of the new claim, and how likely was it of the old?
    not entailment   it contradicts it or leaves it open: how likely are these together?

The model is not always right about the old text. Where it is, the new one must be as clear; where it is not, the new one must not
be worse. A text whose meaning is kept may also pass by its meaning: where old and new entail each other, the label is the same.
A text that says something else and keeps only its label has neither excuse.
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

STANCES: tuple[Stance, ...] = ("entails", "contradicts", "neutral")  # the model's, in its order
# For each stance of a label those of the model that it stands for, and how it is said.
_MEANT: dict[Stance, tuple[Stance, ...]] = {
    **{stance: (stance,) for stance in STANCES},
    "does not entail": ("contradicts", "neutral"),
}
_SAID: dict[Stance, str] = {"neutral": "leaves it open", "does not entail": "does not entail it"}


class Model(Protocol):
    """Anything that gives the probabilities of `STANCES` for pairs of context and text."""

    version: str

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(n, 3)."""
        ...


class Entails:
    """The check of a label's stance.

    least: the probability that is enough by itself. share: of the original's probability, what is enough where the model
    doubts the original, too. mutual: how likely old and new must entail each other, where neither is enough.
    least_label: what texts need that keep only their label.
    """

    name = "entailment"

    def __init__(
        self,
        task: Task,
        model: Model,
        memory: Memory,
        *,
        least: float,
        share: float,
        mutual: float,
        least_label: float,
    ) -> None:
        self.stances = task.stances
        self.model, self.memory = model, memory
        self.least, self.share, self.mutual, self.least_label = least, share, mutual, least_label

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; score: the probability of the label's stance."""
        meant = [[stance in _MEANT[self.stances[c.label]] for stance in STANCES] for c in candidates]
        of_stance = np.array(meant, dtype=float).reshape(
            len(candidates), len(STANCES)
        )  # (n, 3): 1 where meant
        after, before = (
            (self._said([(c.context or "", getattr(c, side)) for c in candidates]) * of_stance).sum(axis=1)
            for side in ("after", "before")
        )
        verdicts = [self._verdict(*one) for one in zip(candidates, after, before, strict=True)]
        doubtful = [i for i, v in enumerate(verdicts) if not v.passed and candidates[i].keeps != "label"]
        for i, likely in zip(doubtful, self._mutual([candidates[i] for i in doubtful]), strict=True):
            if likely >= self.mutual:
                verdicts[i] = Verdict(self.name, True, verdicts[i].score)
        return verdicts

    def _verdict(self, candidate: Candidate, after: float, before: float) -> Verdict:
        if candidate.keeps == "label":
            passed = after >= self.least_label
        else:
            passed = after >= self.least or (before < self.least and after >= self.share * before)
        stance = self.stances[candidate.label]
        said = _SAID.get(stance, f"{stance} it")
        reason = "" if passed else f"that the context {said} is {after:.2f} likely, {before:.2f} before"
        return Verdict(self.name, bool(passed), float(after), reason)

    def _mutual(self, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
        """How likely the old text entails the new one and the other way round, whichever is less."""
        there = self._said([(c.before, c.after) for c in candidates])
        back = self._said([(c.after, c.before) for c in candidates])
        entails = STANCES.index("entails")
        return np.minimum(there[:, entails], back[:, entails])

    def _said(self, pairs: list[tuple[str, str]]) -> NDArray[np.float64]:
        found = self.memory.rows("entailment", self.model.version, pairs, self.model.probabilities)
        return found.astype(float) if pairs else np.zeros((0, len(STANCES)))
