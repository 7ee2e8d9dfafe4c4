"""Has a text that is rewritten once more moved away from the one that came in?

Every other check compares a candidate with the text before it. Over several rounds small steps add up: each is near
enough to the last, and the end is far from the start. So where a row was rewritten before, the checks of label, meaning,
negation, numbers and names are made once more, against the text as it came; where an edit on the way kept only the label,
they ask what they ask of such a text. A way back to the text as it came is always open.
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.records import Verdict
from longway.verify.check import Candidate, Check


class Drift:
    """The check against the text as it came. checks: those to make again, cheap ones first."""

    name = "drift"

    def __init__(self, checks: Sequence[Check]) -> None:
        self.checks = tuple(checks)

    def concerns(self, candidate: Candidate) -> bool:
        """Whether the row was rewritten before and this is another text than it had then."""
        return candidate.origin is not None and candidate.origin.text != candidate.after

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; reason: the check that failed, and why."""
        whole = [candidate.from_the_start() for candidate in candidates]
        verdicts = [Verdict(self.name, True) for _ in candidates]
        waiting = list(range(len(candidates)))
        for check in self.checks:
            found = check([whole[i] for i in waiting]) if waiting else []
            for i, verdict in zip(waiting, found, strict=True):
                if not verdict.passed:
                    verdicts[i] = Verdict(self.name, False, verdict.score, f"{check.name}: {verdict.reason}")
            waiting = [i for i in waiting if verdicts[i].passed]
        return verdicts
