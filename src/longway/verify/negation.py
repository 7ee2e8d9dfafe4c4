"""Is the same denied and restricted as before? Sentence similarity does not see a "not"; this check does.

    "The battery died."     "The battery was not dead."       fails: one more negation, no opposite
    "He was not alive."     "He was dead."                    passes: one negation less, one opposite
    "She failed to win."    "She did not win."                passes

A text that keeps only its label may deny something else, but not the same with the negation just gone or come. Where the
label is meant to be another one than the row's (CrossAug's negative claims), negation is what should change.
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.polarity import DENIALS, flips, is_restricted, negations, plain
from longway.verify.words import added


class Negation:
    """The check of what is denied and restricted. labels: the dataset's, by row."""

    name = "negation"

    def __init__(self, labels: Sequence[str] = ()) -> None:
        self.labels = labels

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; score: negations come minus negations gone."""
        return [self._verdict(candidate) for candidate in candidates]

    def _verdict(self, candidate: Candidate) -> Verdict:
        before, after = negations(candidate.before), negations(candidate.after)
        is_meant = candidate.row < len(self.labels) and self.labels[candidate.row] != candidate.label
        reason = "" if is_meant else fault(candidate.before, candidate.after, keeps=candidate.keeps)
        return Verdict(self.name, not reason, float(after - before), reason)


def fault(before: str, after: str, *, keeps: str = "meaning") -> str:
    """What is wrong with the new text's negations, "" where nothing is.

    >>> fault("The battery died.", "The battery was not dead.")
    'negation changed'
    >>> fault("It did not rain.", "It failed to rain.")
    ''
    """
    exchanged = flips(before, after)
    is_odd = (negations(before) + negations(after) + len(exchanged)) % 2 == 1
    if keeps == "label":
        return "only the negation changed" if is_odd and not _says_something_else(before, after) else ""
    if is_odd:
        return "an opposite came in" if exchanged else "negation changed"
    if abs(negations(before) - negations(after)) > 1 + len(exchanged):
        return "negation changed"
    if is_restricted(before) and not is_restricted(after, weakly=True):
        return "restriction lost"
    if is_restricted(after) and not is_restricted(before, weakly=True):
        return "restriction added"
    return ""


def _says_something_else(before: str, after: str) -> bool:
    """Whether words other than those that deny were exchanged."""
    old, new = (plain(text) for text in (before, after))
    return any(w not in DENIALS for w in added(old, new)) and any(w not in DENIALS for w in added(new, old))
