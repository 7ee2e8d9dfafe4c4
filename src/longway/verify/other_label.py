"""For pairs whose text now says something else: does what is new rather make another label true?

    refuted     "born in 1971" becomes "born in 1968": fails where the context speaks of 1968 and nothing else is new
    supported   everything new must stand in the context

The entailment check has the last word; this one sees single words and numbers that it may miss.
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.records import Verdict
from longway.task import Task
from longway.verify.check import Candidate
from longway.verify.numbers import numbers
from longway.verify.polarity import DENIALS, negations
from longway.verify.words import added, forms_of, words

# Words that say nothing about the matter: "in the year 1968", "it so happens that".
_IDLE = frozenset(
    "year years happen happens happened case true truth fact matter indeed actually known".split()
)


class OtherLabel:
    """The check of new words against the context, for candidates that keep only their label."""

    name = "other label"

    def __init__(self, task: Task) -> None:
        self.stances = task.stances

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; texts that keep their meaning pass."""
        return [self._verdict(candidate) for candidate in candidates]

    def _verdict(self, candidate: Candidate) -> Verdict:
        stance = self.stances.get(candidate.label)
        if candidate.keeps != "label" or candidate.context is None or stance is None:
            return Verdict(self.name, True)
        context = frozenset().union(*map(forms_of, words(candidate.context)))
        new = [w for w in added(candidate.before, candidate.after) if w not in DENIALS and w not in _IDLE]
        counted = numbers(candidate.after) - numbers(candidate.before)
        said = numbers(candidate.context)
        inside = [w for w in new if forms_of(w) & context] + [n for n in counted if n in said]
        outside = [w for w in new if not forms_of(w) & context] + [n for n in counted if n not in said]
        if stance == "contradicts" and inside and not outside:
            return Verdict(self.name, False, float(len(inside)), f"the context speaks of {inside[0]!r}")
        # A supported "was not born in 1979" speaks of what the context does not.
        if stance == "entails" and outside and not negations(candidate.after):
            return Verdict(
                self.name, False, float(len(outside)), f"the context does not speak of {outside[0]!r}"
            )
        return Verdict(self.name, True)
