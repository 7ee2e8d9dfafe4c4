"""The checks of a text that was made to carry a label: another one than its source's (CoBA), or the same one (its peers).

    surface       a text of its own, no piece of a prompt; as in a rewriting
    kept words    the spurious words of its source still stand in it
    new label     most of several classifiers, none of which has seen its source, give it the label it should have, and gave
                  another one to its source
    entailment    for pairs: the context says of it what the label says
    judge         an engine that is told nothing gives it that label

Classifiers fall for spurious words: shown a text with all of them, they would refuse just what is to be added. They see text
and source without these words. Unlike in a rewriting nothing is said about negation, numbers and names: they may have to
change with the label.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from longway.classify.classifier import Inputs
from longway.classify.ensemble import Ensemble, Floats
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
    """The check by several classifiers: a majority must give the label, and must not have given it to the source before.

    The second holds for texts that are to have another label than their source. score: the label's mean probability.
    ensemble: of classifiers, each row judged by those that have not seen it. least: what the mean probability must reach besides.
    """

    name = "new label"

    def __init__(self, ensemble: Ensemble, *, least: float = 0.0) -> None:
        self.ensemble, self.least = ensemble, least

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each."""
        after = self._said(candidates, [c.after for c in candidates])
        before = self._said(candidates, [c.before for c in candidates])
        return [self._verdict(c, after[:, i], before[:, i]) for i, c in enumerate(candidates)]

    def _said(self, candidates: Sequence[Candidate], texts: Sequence[str]) -> Floats:
        """(models, texts, labels)."""
        is_pair = bool(candidates) and candidates[0].context is not None
        contexts = [c.context or "" for c in candidates] if is_pair else None
        shown = [without(text, c.keep) for text, c in zip(texts, candidates, strict=True)]
        return self.ensemble.probabilities([c.row for c in candidates], Inputs(shown, contexts))

    def _verdict(self, candidate: Candidate, after: Floats, before: Floats) -> Verdict:
        """after, before: (models, labels)."""
        labels, n = list(self.ensemble.labels), len(after)
        if candidate.label not in labels:
            return Verdict(self.name, False, None, f"the classifiers know no label {candidate.label!r}")
        place = labels.index(candidate.label)
        mean = float(after[:, place].mean())
        now, then = (int((said.argmax(axis=1) == place).sum()) for said in (after, before))
        reason = ""
        if 2 * now <= n:
            reason = f"{now} of {n} classifiers give it the label {candidate.label}"
        elif self.ensemble.data.labels[candidate.row] != candidate.label and 2 * then > n:
            reason = f"{then} of {n} classifiers gave its source that label, too"
        elif mean < self.least:
            reason = f"the label {candidate.label} is only {mean:.2f} likely"
        return Verdict(self.name, not reason, mean, reason)


def without(text: str, gone: Collection[str]) -> str:
    """The text without some words; all of it where nothing would be left.

    >>> without("Nancy Drew was great.", {"nancy", "drew"})
    'was great.'
    """
    if not gone:
        return text
    pattern = "|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(gone))
    return " ".join(re.sub(pattern, " ", text, flags=re.IGNORECASE).split()) or text


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
        checks.append(NewLabel(ensemble, least=least))
    else:
        missing.append("new label: no classifiers were given")
    if task.is_pair:
        checks += entailment_check(task, Memory(journal), missing)
    checks += judge_check(task, judge, missing)
    return Verifier(checks, missing=missing, kind="pair" if task.is_pair else "single")
