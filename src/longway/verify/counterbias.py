"""The checks of a text that was made to carry a label: another one than its source's (CoBA), or the same one (its peers).

    surface       a text of its own, no piece of a prompt; as in a rewriting
    orders        it does not do what the row asks for; as in a rewriting
    kept words    the spurious words of its source still stand in it
    context       for pairs whose context was changed, too: that is a text as well, and no piece of a prompt
    new label     most of several classifiers, none of which has seen its source, give it the label it should have, and gave
                  another one to its source; not for pairs, where small classifiers go by the text alone
    entailment    for pairs: the context says of it what the label says
    judge         an engine that is told nothing gives it that label

Classifiers fall for spurious words: shown a text with all of them, they would refuse just what is to be added. They see text
and source without these words. Unlike in a rewriting nothing is said about negation, numbers and names: they may have to
change with the label.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from longway.classify.classifier import Inputs
from longway.classify.ensemble import Ensemble, Floats
from longway.llm.asking import Asker
from longway.records import Verdict
from longway.store.journal import Journal
from longway.task import Task
from longway.text.tokens import token_spans, tokenize
from longway.verify.check import Candidate, Check
from longway.verify.memory import Memory
from longway.verify.orders import Orders
from longway.verify.surface import Surface
from longway.verify.verifier import Verifier, entailment_check, judge_check

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
        lost = sorted(candidate.keep - set(tokenize(candidate.after)))
        share = 1 - len(lost) / len(candidate.keep)
        passed = share >= self.least
        return Verdict(self.name, passed, share, "" if passed else f"{', '.join(map(repr, lost))} went away")


class NewContext:
    """The check that a context which was changed, too, is a text of its own. contexts: as they came, by row."""

    name = "context"

    def __init__(self, labels: Sequence[str], contexts: Sequence[str]) -> None:
        self.contexts = contexts
        self._surface = Surface(labels, shortest=SHORTEST, longest=LONGEST)

    def concerns(self, candidate: Candidate) -> bool:
        """Whether the context is another one."""
        return candidate.context not in (None, self.contexts[candidate.row])

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each."""
        return [self._verdict(candidate) for candidate in candidates]

    def _verdict(self, candidate: Candidate) -> Verdict:
        # Other marks and capitals alone are fine: the text beside it is checked for being a copy.
        before, after = self.contexts[candidate.row], candidate.context or ""
        reason = self._surface.fault(before, after, may_copy=True)
        return Verdict(self.name, not reason, reason=reason)


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
        if not candidates or candidates[0].context is None:
            now = then = None
        else:  # the source stood beside its own context
            now = [c.context or "" for c in candidates]
            then = self.ensemble.data.inputs.take([c.row for c in candidates]).contexts
        after = self._said(candidates, [c.after for c in candidates], now)
        before = self._said(candidates, [c.before for c in candidates], then)
        return [self._verdict(c, after[:, i], before[:, i]) for i, c in enumerate(candidates)]

    def _said(
        self, candidates: Sequence[Candidate], texts: Sequence[str], contexts: Sequence[str] | None
    ) -> Floats:
        """(models, texts, labels)."""
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
    kept, end = [], 0
    for word, start, stop in token_spans(text):
        if word in gone:
            kept.append(text[end:start])
            end = stop
    return " ".join(" ".join([*kept, text[end:]]).split()) or text


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
    # Halved by the check for texts that keep a label only.
    checks: list[Check] = [
        Surface(task.labels, shortest=2 * SHORTEST, longest=LONGEST),
        Orders(),
        KeptWords(least_kept),
    ]
    missing: list[str] = []
    entailment = entailment_check(task, Memory(journal), missing) if task.is_pair else []
    if ensemble is not None and ensemble.data.inputs.contexts is not None:
        checks.append(NewContext(task.labels, ensemble.data.inputs.contexts))
    if ensemble is None:
        missing.append("new label: no classifiers were given")
    elif entailment:
        missing.append(
            "new label: for pairs the entailment check decides; small classifiers go by the text alone"
        )
    else:
        checks.append(NewLabel(ensemble, least=least))
    checks += entailment + judge_check(task, judge, missing)
    return Verifier(checks, missing=missing, kind="pair" if task.is_pair else "single")
