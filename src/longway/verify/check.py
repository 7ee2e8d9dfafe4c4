"""What a check is: it looks at rewritten texts and says of each whether it may pass.

    Candidate   a rewritten text beside the original, its context and its label
    Check       candidates -> one verdict for each

Checks look at many candidates at once, so that a model can take them in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from longway.records import Verdict


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rewritten text and what it must still agree with.

    row: its place in the dataset. keeps: "meaning", or "label" where the text may say something else that has the same label.
    telling: words and phrases that were meant to go: their loss is no fault.
    """

    row: int
    before: str
    after: str
    label: str
    context: str | None = None
    keeps: str = "meaning"
    telling: frozenset[str] = frozenset()


class Check(Protocol):
    """One way in which a rewritten text can be wrong."""

    name: str

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """A verdict for each candidate, in order."""
        ...
