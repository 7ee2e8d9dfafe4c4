"""The checks of a text written for a given label: another label than its source's (CoBA), or the same label (its peers).

    surface       a text, not part of a prompt; as for a rewrite
    orders        does not do what the row asks for; as for a rewrite
    kept words    the spurious words of its source are still in it
    context       for pairs whose context was changed, too: the context is a text, not part of a prompt
    new label     most of several classifiers that never saw its source predict the intended label, and predicted another one
                  for the source; not for pairs, where small classifiers rely on the text alone. In a repair they need only find
                  the label possible
    entailment    for pairs: the context says about it what the label says
    fluency       in a repair of English texts: what was changed reads as well as its source
    sentiment     in a repair of short English texts that judge: the embedded language model sees the label, unless a judge is asked
    judge         an engine that does not know the label assigns it

Classifiers rely on spurious words: given a text with all of them, they would reject exactly what should be added. So they read
text and source without these words. Unlike for a rewrite, negation, numbers and names are not checked: they may have to change
with the label.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import isnan

from longway.classify.classifier import Floats, Inputs
from longway.classify.ensemble import Ensemble
from longway.engines.asker import Asker
from longway.records import Verdict
from longway.store.journal import Journal
from longway.task import Task
from longway.tokens.tokenizer import token_spans, tokenize
from longway.verify.check import Candidate, Check
from longway.verify.form_checks import OrdersCheck, SurfaceCheck
from longway.verify.model_checks import ClassifiersCheck, without_telling
from longway.verify.verifier import CheckSetup, Verifier

SHORTEST, LONGEST = 0.25, 2.5  # triples may be dropped, or worded at greater length


class KeptWordsCheck(Check):
    """The check that spurious words are still present. least: the share of them that must be; score: the share that is."""

    name = "kept words"

    def __init__(self, least: float = 1.0) -> None:
        self.least = least

    def concerns(self, candidate: Candidate) -> bool:
        """Only candidates with words to keep."""
        return bool(candidate.keep)

    def verdict(self, candidate: Candidate) -> Verdict:
        """Compares words as the tokenizer splits them."""
        lost = sorted(candidate.keep - set(tokenize(candidate.after)))
        share = 1 - len(lost) / len(candidate.keep)
        passed = share >= self.least
        return Verdict(self.name, passed, share, "" if passed else f"{', '.join(map(repr, lost))} went away")


class NewContextCheck(Check):
    """The check of the form of a changed context. contexts: as loaded, by row."""

    name = "context"
    about_label = False

    def __init__(self, labels: Sequence[str], contexts: Sequence[str]) -> None:
        self.contexts = contexts
        self._surface = SurfaceCheck(labels, shortest=SHORTEST, longest=LONGEST)

    def concerns(self, candidate: Candidate) -> bool:
        """Only changed contexts."""
        return candidate.context not in (None, self.contexts[candidate.row])

    def verdict(self, candidate: Candidate) -> Verdict:
        """A change of punctuation or case alone is fine: the text itself is checked for being a copy."""
        before, after = self.contexts[candidate.row], candidate.context or ""
        reason = self._surface.fault(before, after, may_copy=True)
        return Verdict(self.name, not reason, reason=reason)


class NewLabelCheck(Check):
    """The check by several classifiers: a majority must predict the label, and must not have predicted it for the source.

    The second applies to texts whose label differs from their source's. score: the label's mean probability.
    ensemble: classifiers, each row judged by those that have not seen it. least: what the mean probability must also reach.
    """

    name = "new label"

    def __init__(self, ensemble: Ensemble, *, least: float = 0.0) -> None:
        self.ensemble, self.least = ensemble, least

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate."""
        if not candidates or candidates[0].context is None:
            now = then = None
        else:  # the source is read with its own context
            now = [c.context or "" for c in candidates]
            then = self.ensemble.data.inputs.take([c.row for c in candidates]).contexts
        after = self._probabilities(candidates, [c.after for c in candidates], now)
        before = self._probabilities(candidates, [c.before for c in candidates], then)
        return [self._verdict(c, after[:, i], before[:, i]) for i, c in enumerate(candidates)]

    def _probabilities(
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


class LikelyLabelCheck(Check):
    """The check by classifiers that do not know the source: the intended label must be possible. score: its probability.

    Classifiers of a few thousand rows are too often wrong to be asked for more. telling: words and phrases that they do not see, because
    the text is meant to have them with another label. least: the least probability.
    """

    name = "new label"

    def __init__(self, classifiers: ClassifiersCheck, *, telling: Collection[str], least: float) -> None:
        self.classifiers, self.telling, self.least = classifiers, frozenset(telling), least

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate."""
        shown = [without_telling(c.after, replace(c, telling=self.telling)) for c in candidates]
        own = self.classifiers.own([c.row for c in candidates], shown, [c.label for c in candidates])
        return [self._verdict(candidate.label, p) for candidate, (p, _) in zip(candidates, own, strict=True)]

    def _verdict(self, label: str, p: float) -> Verdict:
        if isnan(p):
            return Verdict(
                self.name, False, reason=f"too few other rows have the label {label} to learn it from"
            )
        passed = p >= self.least
        return Verdict(self.name, passed, p, "" if passed else f"the label {label} is only {p:.2f} likely")


def without(text: str, removed: Collection[str]) -> str:
    """The text without some words; unchanged if nothing would be left.

    >>> without("Nancy Drew was great.", {"nancy", "drew"})
    'was great.'
    """
    if not removed:
        return text
    kept, end = [], 0
    for word, start, stop in token_spans(text):
        if word in removed:
            kept.append(text[end:start])
            end = stop
    return " ".join(" ".join([*kept, text[end:]]).split()) or text


def counterbias_verifier(
    task: Task,
    *,
    ensemble: Ensemble | None = None,
    likely: LikelyLabelCheck | None = None,
    judge: Asker | None = None,
    journal: Journal | None = None,
    least_kept: float = 1.0,
    least: float = 0.0,
    contexts: Sequence[str] | None = None,
    is_english: bool = False,
) -> Verifier:
    """The verifier of added texts. ensemble: None leaves its check out. likely: a check of single texts instead.

    least_kept: the share of the spurious words that must remain. least: the least probability of the label by the classifiers.
    contexts: as loaded, to see what changed. is_english: whether to check how English texts read.
    """
    setup = CheckSetup(task, (), (), contexts, judge, journal=journal, is_english=is_english)
    has_entailment = setup.build("entailment")
    # SurfaceCheck halves `shortest` for texts that keep only a label.
    first: list[Check] = [
        SurfaceCheck(task.labels, shortest=2 * SHORTEST, longest=LONGEST),
        OrdersCheck(),
        KeptWordsCheck(least_kept),
    ]
    if ensemble is not None and ensemble.data.inputs.contexts is not None:
        first.append(NewContextCheck(task.labels, ensemble.data.inputs.contexts))
    if likely is not None and not task.is_pair:
        first.append(likely)
    elif ensemble is None:
        setup.missing.append("new label: no classifiers were given")
    elif has_entailment:
        setup.missing.append(
            "new label: for pairs the entailment check decides; small classifiers go by the text alone"
        )
    else:
        first.append(NewLabelCheck(ensemble, least=least))
    setup.checks[:0] = first
    setup.build("fluency")
    setup.build("sentiment")
    setup.build("judge")
    return setup.verifier()
