"""The checks of a text that was made to carry a label: another one than its source's (CoBA), or the same one (its peers).

    surface       a text of its own, no piece of a prompt; as in a rewriting
    kept words    the spurious words of its source still stand in it
    new label     most of the classifiers, none of which has seen its source, give it the label it should have
    entailment    for pairs: the context says of it what the label says
    judge         an engine that is told nothing gives it that label

Unlike in a rewriting nothing is said about negation, numbers and names: they may have to change with the label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Inputs
from longway.classify.ensemble import Ensemble
from longway.llm.asking import Asker
from longway.records import Verdict
from longway.store.journal import Journal
from longway.task import Task
from longway.verify.check import Candidate, Check
from longway.verify.memory import Memory
from longway.verify.surface import Surface
from longway.verify.verifier import Verifier, entailment_check, judge_check
from longway.verify.words import words

SHORTEST, LONGEST = 0.25, 2.5  # triples are left out, and put into words again at greater length


class KeptWords:
    """The check that spurious words are still there. least: which share of them; score: the share that is."""

    name = "kept words"

    def __init__(self, least: float = 1.0) -> None:
        self.least = least

    def concerns(self, candidate: Candidate) -> bool:
        """Whether there are words to keep."""
        return bool(candidate.keep)

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each."""
        return [self._verdict(candidate) for candidate in candidates]

    def _verdict(self, candidate: Candidate) -> Verdict:
        there = set(words(f"{candidate.after} {candidate.context or ''}"))
        lost = sorted(candidate.keep - there)
        share = 1 - len(lost) / len(candidate.keep)
        passed = share >= self.least
        return Verdict(self.name, passed, share, "" if passed else f"{', '.join(map(repr, lost))} went away")


class NewLabel:
    """The check by several classifiers: a majority must give the label. score: the label's mean probability.

    vote: for rows and texts made from them, (models, texts, labels). labels: of its last axis. least: what the mean
    probability must reach besides.
    """

    name = "new label"

    def __init__(
        self,
        vote: Callable[[Sequence[int], Inputs], NDArray[np.float64]],
        labels: Sequence[str],
        *,
        least: float = 0.0,
    ) -> None:
        self.vote, self.labels, self.least = vote, list(labels), least

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each."""
        if not candidates:
            return []
        is_pair = candidates[0].context is not None
        contexts = [c.context or "" for c in candidates] if is_pair else None
        found = self.vote([c.row for c in candidates], Inputs([c.after for c in candidates], contexts))
        return [self._verdict(c, found[:, i]) for i, c in enumerate(candidates)]

    def _verdict(self, candidate: Candidate, found: NDArray[np.float64]) -> Verdict:
        """found: (models, labels)."""
        if candidate.label not in self.labels:
            return Verdict(self.name, False, None, f"the classifiers know no label {candidate.label!r}")
        place = self.labels.index(candidate.label)
        for_it, mean = int((found.argmax(axis=1) == place).sum()), float(found[:, place].mean())
        if 2 * for_it <= len(found):
            return Verdict(
                self.name, False, mean, f"{for_it} of {len(found)} classifiers give it the new label"
            )
        if mean < self.least:
            return Verdict(self.name, False, mean, f"the new label is only {mean:.2f} likely")
        return Verdict(self.name, True, mean)


def counterbias_verifier(
    task: Task,
    *,
    ensemble: Ensemble | None = None,
    judge: Asker | None = None,
    journal: Journal | None = None,
    least_kept: float = 1.0,
    least: float = 0.0,
) -> Verifier:
    """The verifier of texts that are added. ensemble: of classifiers, None leaves that check out.

    least_kept: the share of the spurious words that must be there. least: the label's probability by the classifiers.
    """
    checks: list[Check] = [
        Surface(
            task.labels, shortest=2 * SHORTEST, longest=LONGEST
        ),  # halved for texts that keep a label only
        KeptWords(least_kept),
    ]
    missing: list[str] = []
    if ensemble is not None:
        checks.append(NewLabel(ensemble.probabilities, ensemble.labels, least=least))
    else:
        missing.append("new label: no classifiers were given")
    if task.is_pair:
        checks += entailment_check(task, Memory(journal), missing)
    checks += judge_check(task, judge, missing)
    return Verifier(checks, missing=missing, kind="pair" if task.is_pair else "single")
