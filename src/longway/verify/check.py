"""What a check is: it looks at rewritten texts and says of each whether it may pass.

    Candidate   a rewritten text beside the text before, its context and its label
    Origin      for a text that was rewritten before: the text as it came
    Check       candidates -> one verdict for each

Checks look at many candidates at once, so that a model can take them in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from longway.records import Verdict


@dataclass(frozen=True, slots=True)
class Origin:
    """What a text that was rewritten before comes from.

    text: as it came. keeps: "label" where one of the edits since then kept only that, else "meaning".
    telling: words and phrases that were meant to go in these edits.
    """

    text: str
    keeps: str = "meaning"
    telling: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rewritten text and what it must still agree with.

    row: its place in the dataset. keeps: "meaning", or "label" where the text may say something else that has the same label.
    telling: words and phrases that were meant to go: their loss is no fault.
    origin: None where `before` is the text as it came. may_copy: whether being `before` again is no fault.
    keep: words that must still be there: a counterbias text holds the spurious words of the text it was made from.
    """

    row: int
    before: str
    after: str
    label: str
    context: str | None = None
    keeps: str = "meaning"
    telling: frozenset[str] = frozenset()
    origin: Origin | None = None
    may_copy: bool = False
    keep: frozenset[str] = frozenset()

    @property
    def origin_now(self) -> Origin:
        """What the row's text comes from once this one has taken its place."""
        first = self.origin or Origin(self.before)
        keeps = "label" if "label" in (first.keeps, self.keeps) else "meaning"
        return Origin(first.text, keeps, first.telling | self.telling)

    def from_the_start(self) -> Candidate:
        """The candidate beside the text as it came, with all edits between them as one."""
        whole = self.origin_now
        return replace(
            self, before=whole.text, keeps=whole.keeps, telling=whole.telling, origin=None, may_copy=True
        )


class Check(Protocol):
    """One way in which a rewritten text can be wrong.

    A check that looks at some candidates only also has `concerns(candidate)`; the others get no verdict of it.
    """

    name: str

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """A verdict for each candidate, in order."""
        ...
