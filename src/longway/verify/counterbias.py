"""The checks of a text written for a given label: another label than its source's (CoBA), or the same label (its peers).

    surface       a text, not part of a prompt; as for a rewrite
    orders        does not do what the row asks for; as for a rewrite
    kept words    the spurious words of its source are still in it
    context       for pairs whose context was changed, too: the context is a text, not part of a prompt
    new label     single texts: a bag of words that never saw the source finds the intended label likely, and likelier than for the
                  source. In a repair classifiers need only find the label possible
    new entailment   for pairs: the context says about it what the label says, and more so than about the source (`entailment` in a repair)
    sentiment     short English texts that judge: a small model finds the label likelier than for the source, and no
                  sentence speaks clearly against it; unless a judge is asked
    judge         an engine that does not know the label assigns it

What decides is the difference to the source, whose label is known: a small model that is wrong about three texts in ten is wrong about
one change in ten (`runs/counterbias_checks.py`). Classifiers rely on spurious words: given a text with all of them, they would reject
exactly what should be added. So they read text and source without these words. A bag of words that cannot predict the labels of the
dataset decides nothing. Unlike for a rewrite, negation, numbers and names are not checked: they may have to change
with the label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import isnan, log
from typing import TYPE_CHECKING

import numpy as np

from longway.models.sentiment import SentimentHead, readable
from longway.records import Verdict
from longway.task import Side
from longway.text.sentences import sentences_of
from longway.text.tokenizer import token_spans
from longway.verify.check import Candidate, Check
from longway.verify.model_checks import (
    ClassifiersCheck,
    EntailmentCheck,
    Vectors,
    without_telling,
)

if TYPE_CHECKING:
    from longway.models.classifier import Floats

Likely = Callable[[Sequence[Candidate]], "tuple[Floats, Floats]"]
MOST_WORDS = 60  # of longer texts small models are wrong too often
TESTED = 1000  # rows that the accuracy of the bag of words is measured on


class LabelShiftCheck(Check):
    """The check of a label by how its log-odds change from the source to the new text.

        logit p(after) + (logit p(after) - logit p(before)) >= least

    p: a model's probability of the intended label. Small models are often wrong about one text, but much less often about the direction
    of a change, and the label of the source is known. A text that keeps the label of its source may also pass by losing little.

    likely: p of each candidate's label for the new text and for its source. labels: of the rows. score: p(after). least: the sum that is enough.
    fall: the log-odds that a label that stays may lose. shortest: words from which on it applies.
    """

    def __init__(
        self,
        name: str,
        likely: Likely,
        labels: Sequence[str],
        *,
        least: float,
        fall: float,
        shortest: float = 0,
    ) -> None:
        self.name, self.likely, self.labels, self.shortest = name, likely, labels, shortest
        self.least, self.fall = least, fall

    def concerns(self, candidate: Candidate) -> bool:
        """Only texts that are long enough."""
        return len(candidate.after.split()) >= self.shortest

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate."""
        after, before = self.likely(candidates)
        return [
            self._verdict(*each) for each in zip(candidates, after.tolist(), before.tolist(), strict=True)
        ]

    def _verdict(self, candidate: Candidate, after: float, before: float) -> Verdict:
        label = candidate.label
        if isnan(after) or isnan(before):
            why = f"too few other rows have the label {label} to learn it from"
            return Verdict(self.name, False, reason=why)
        rise = logit(after) - logit(before)
        stays = self.labels[candidate.row] == label
        passed = logit(after) + rise >= self.least or (stays and rise >= -self.fall)
        reason = "" if passed else f"the label {label} is {after:.2f} likely, and {before:.2f} for its source"
        return Verdict(self.name, passed, after, reason)


class SentimentCheck(Check):
    """The check by a small model that does not know the dataset: short English texts that judge something.

        logit p(weakest sentence) + (logit p(after) - logit p(before)) / 2 >= least

    p: the probability of the intended label. A text turned round only in part often has a sentence that still has the old label
    ("Do not waste your time"), so the sentence that says least for the new label counts, beside the change of the whole text.
    A text that keeps the label of its source may also pass by losing little.

    sides: which labels are positive and which negative. labels: of the rows; none if every text has another label than its source.
    score: p(after). least: the sum that is enough. fall: the log-odds that a label that stays may lose.
    """

    name = "sentiment"
    english_only = True

    def __init__(
        self,
        sides: Mapping[str, Side],
        labels: Sequence[str],
        head: SentimentHead,
        vectors: Vectors,
        *,
        least: float,
        fall: float,
    ) -> None:
        self.sides, self.labels, self.head, self.vectors = sides, labels, head, vectors
        self.least, self.fall = least, fall

    def concerns(self, candidate: Candidate) -> bool:
        """Only short texts."""
        return len(candidate.after.split()) <= MOST_WORDS

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate."""
        parts = []
        for candidate in candidates:
            after = candidate.without(candidate.after)
            parts.append([candidate.without(candidate.before), after, *sentences_of(after)])
        flat = readable([part for own in parts for part in own])
        praise = iter(self.head.positive(self.vectors(flat)).tolist())
        likely = [[next(praise) for _ in own] for own in parts]
        return [self._verdict(*each) for each in zip(candidates, likely, strict=True)]

    def _verdict(self, candidate: Candidate, praise: list[float]) -> Verdict:
        label = candidate.label
        is_positive = self.sides[label] == "positive"
        before, after, *sentences = praise if is_positive else [1 - p for p in praise]
        rise = logit(after) - logit(before)
        stays = bool(self.labels) and self.labels[candidate.row] == label
        weakest = min(sentences, default=after)
        passed = logit(weakest) + rise / 2 >= self.least or (stays and rise >= -self.fall)
        reason = f"{label} is {after:.2f} likely, {before:.2f} for its source, and {weakest:.2f} for a sentence of it"
        return Verdict(self.name, passed, after, "" if passed else reason)


def likely_by_words(classifiers: ClassifiersCheck, candidates: Sequence[Candidate]) -> tuple[Floats, Floats]:
    """By a bag of words that does not know the source. It sees neither text with the words to keep, which must not decide."""
    rows, names = [c.row for c in candidates], [c.label for c in candidates]
    after = classifiers.own(rows, [without(c.after, c.keep) for c in candidates], names)
    before = classifiers.own(rows, [without(c.before, c.keep) for c in candidates], names)
    return np.array([by_words for _, by_words in after]), np.array([by_words for _, by_words in before])


def likely_by_stance(
    entailment: EntailmentCheck, contexts: Sequence[str], candidates: Sequence[Candidate]
) -> tuple[Floats, Floats]:
    """By the entailment model, for pairs. contexts: as loaded, by row; the source is read with its own."""
    names = [c.label for c in candidates]
    after = entailment.likely([(c.context or "", c.after) for c in candidates], names)
    return after, entailment.likely([(contexts[c.row], c.before) for c in candidates], names)


def logit(p: float) -> float:
    """The log-odds, at most 7 from zero: models that are surer than that are not righter.

    >>> logit(0.5), round(logit(0.9), 2), round(logit(1.0), 2)
    (0.0, 2.2, 6.91)
    """
    p = min(max(p, 0.001), 0.999)
    return log(p / (1 - p))


class LikelyLabelCheck(Check):
    """The check by classifiers that do not know the source: the intended label must be possible. score: its probability.

    Classifiers of a few thousand rows are too often wrong to be asked for more. telling: words and phrases that they do not see, because
    the text is meant to have them with another label. least: the least probability.
    """

    name = "new label"

    def __init__(self, classifiers: ClassifiersCheck, *, telling: Collection[str], least: float) -> None:
        self.classifiers, self.telling, self.least = classifiers, frozenset(telling), least

    def concerns(self, candidate: Candidate) -> bool:
        """Only short texts: the encoder does not read long ones to the end."""
        return len(candidate.after.split()) <= MOST_WORDS

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


def words_accuracy(words: ClassifiersCheck, *, seed: int = 0) -> float:
    """The accuracy of a bag of words on rows that it was not trained on."""
    some = np.random.default_rng(seed).permutation(len(words.texts))[:TESTED].tolist()
    names = sorted(set(words.labels))
    texts = [words.texts[i] for i in some]
    said = np.array([[own for _, own in words.own(some, texts, [name] * len(some))] for name in names])
    best = np.nan_to_num(said).argmax(axis=0)
    return float(np.mean([names[place] == words.labels[i] for place, i in zip(best, some, strict=True)]))


def words_needed(labels: Sequence[str]) -> float:
    """The accuracy from which on a bag of words decides: half of the way from always naming the most frequent label to certainty.

    >>> words_needed(["good", "bad"] * 3)
    0.75
    """
    return (1 + max(Counter(labels).values()) / len(labels)) / 2
