"""For pairs: is the context the one that the dataset has for this row? Rewriting changes the text alone."""

from __future__ import annotations

from collections.abc import Sequence

from longway.records import Verdict
from longway.verify.check import Candidate


class SameContext:
    """The check that contexts are untouched. contexts: the dataset's, by row."""

    name = "context"

    def __init__(self, contexts: Sequence[str]) -> None:
        self.contexts = contexts

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each."""
        return [self._verdict(c.row, c.context) for c in candidates]

    def _verdict(self, row: int, context: str | None) -> Verdict:
        is_same = 0 <= row < len(self.contexts) and self.contexts[row] == context
        return Verdict(self.name, is_same, reason="" if is_same else "the context is not the row's own")
