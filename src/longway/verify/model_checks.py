"""Checks by models: closeness of meaning, entailment, classifiers, a judge.

    meaning       cosine of the MiniLM vectors of the old and the new text
    entailment    for pairs: what the context says about the new text
    classifiers   for single texts: what classifiers that never saw the row predict
    judge         an engine that sees neither label nor original

All but the judge are deterministic, and their outputs are cached (`model_cache.py`). Thresholds come from `calibration.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from longway.engines.prompt import judge_prompt
from longway.errors import BudgetSpent
from longway.models.classifier import softmax
from longway.models.nbsvm import NbSvm
from longway.records import Verdict
from longway.task import Stance, Task
from longway.verify.check import Candidate, Check
from longway.verify.model_cache import ModelCache
from longway.verify.wordforms import FUNCTION_WORDS, forms_of, words

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

    from longway.engines.asker import Asker
    from longway.engines.engine import Judgement
    from longway.models.entailment import Entailment

Floats32 = NDArray[np.float32]

_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
)
Floats = NDArray[np.float64]
Vectors = Callable[[Sequence[str]], Floats32]  # one vector of length 1 per text

# ---------------------------------------------------------------- meaning


class MeaningCheck(Check):
    """The check of closeness: the cosine of the two texts' vectors must lie between two bounds.

    Another statement about a context may be far from the first one, but must share a word with it or with the context.
    low: least cosine for texts that keep their meaning. low_label: for single texts that keep only their label.
    high: from here on a text counts as a copy.
    """

    name = "meaning"
    english_only = True

    def __init__(self, vectors: Vectors, *, low: float, low_label: float, high: float) -> None:
        self.vectors = vectors
        self.low, self.low_label, self.high = low, low_label, high

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate. score: the cosine."""
        before = self.vectors([c.without(c.before) for c in candidates])
        after = self.vectors([c.without(c.after) for c in candidates])
        cosines = np.einsum("ij,ij->i", before, after)
        return [self._verdict(c, float(cosine)) for c, cosine in zip(candidates, cosines, strict=True)]

    def _verdict(self, candidate: Candidate, cosine: float) -> Verdict:
        is_free = candidate.keeps == "label" and candidate.context is not None
        low = self.low_label if candidate.keeps == "label" else self.low
        reason = ""
        if is_free and not _shares_a_word(candidate.after, f"{candidate.before} {candidate.context}"):
            reason = "neither about the context nor about what the original says"
        elif not is_free and cosine < low:
            reason = f"far from the original: {cosine:.2f}, at least {low:.2f} expected"
        elif cosine >= self.high and not (candidate.may_copy or candidate.asides):
            reason = "nearly a copy"
        return Verdict(self.name, not reason, cosine, reason)


def _shares_a_word(text: str, other: str) -> bool:
    """Whether two texts have a word in common, in whatever form, that is no function word."""
    there = frozenset().union(*map(forms_of, words(other)))
    return any(forms_of(word) & there for word in words(text) if word not in FUNCTION_WORDS)


# ---------------------------------------------------------------- entailment

STANCES: tuple[Stance, ...] = ("entails", "contradicts", "neutral")  # in the model's order
# For each stance of a label, the model's stances that it covers, and how a reason words it.
_COVERS: dict[Stance, tuple[Stance, ...]] = {
    **{stance: (stance,) for stance in STANCES},
    "does not entail": ("contradicts", "neutral"),
}
_WORDED: dict[Stance, str] = {"neutral": "leaves it open", "does not entail": "does not entail it"}


class EntailmentCheck(Check):
    """The check of a label's stance: does the context still say about the new text what its label says?

        REFUTES          the context contradicts the claim: how likely for the new claim, and how likely for the old one?
        not entailment   it contradicts the claim or leaves it open: how likely are the two together?

    The model is not always right about the old text. If it is, the new one must be as clear; if it is not, the new one must not be
    worse. A text that keeps its meaning may also pass by mutual entailment: if old and new entail each other, the label is the same.

    least: the probability that is always enough. share: the share of the original's probability that is enough if the model doubts
    the original, too. mutual: the least probability of mutual entailment. least_label: for texts that keep only their label.
    """

    name = "entailment"
    english_only = True

    def __init__(
        self,
        task: Task,
        model: Entailment,
        cache: ModelCache,
        *,
        least: float,
        share: float,
        mutual: float,
        least_label: float,
    ) -> None:
        self.stances = task.stances
        self.model, self.cache = model, cache
        self.least, self.share, self.mutual, self.least_label = least, share, mutual, least_label

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate. score: the probability of the label's stance."""
        names = [c.label for c in candidates]
        after = self.likely([(c.context or "", c.after) for c in candidates], names)
        before = self.likely([(c.context or "", c.without(c.before)) for c in candidates], names)
        verdicts = [self._verdict(*each) for each in zip(candidates, after, before, strict=True)]
        doubtful = [i for i, v in enumerate(verdicts) if not v.passed and candidates[i].keeps != "label"]
        for i, likely in zip(doubtful, self._mutual([candidates[i] for i in doubtful]), strict=True):
            if likely >= self.mutual:
                verdicts[i] = Verdict(self.name, True, verdicts[i].score)
        return verdicts

    def likely(self, pairs: list[tuple[str, str]], labels: Sequence[str]) -> Floats:
        """The probability of each label's stance for pairs of context and text."""
        covered = [[stance in _COVERS[self.stances[label]] for stance in STANCES] for label in labels]
        mask = np.array(covered, dtype=float).reshape(len(labels), len(STANCES))  # (n, 3)
        return np.asarray((self._probabilities(pairs) * mask).sum(axis=1))

    def _verdict(self, candidate: Candidate, after: float, before: float) -> Verdict:
        if candidate.keeps == "label":
            passed = after >= self.least_label
        else:
            passed = after >= self.least or (before < self.least and after >= self.share * before)
        stance = self.stances[candidate.label]
        worded = _WORDED.get(stance, f"{stance} it")
        reason = "" if passed else f"that the context {worded} is {after:.2f} likely, {before:.2f} before"
        return Verdict(self.name, bool(passed), float(after), reason)

    def _mutual(self, candidates: Sequence[Candidate]) -> Floats:
        """The probability that the old text entails the new one, or the reverse, whichever is lower."""
        there = self._probabilities([(c.before, c.after) for c in candidates])
        back = self._probabilities([(c.after, c.before) for c in candidates])
        entails = STANCES.index("entails")
        return np.minimum(there[:, entails], back[:, entails])

    def _probabilities(self, pairs: list[tuple[str, str]]) -> Floats:
        rows = self.cache.rows(f"entailment {self.model.version}", pairs, self.model.probabilities)
        return rows.astype(float) if pairs else np.zeros((0, len(STANCES)))


# ---------------------------------------------------------------- classifiers

FOLDS = 5
MOST_ROWS = 4000  # rows that the classifiers are trained on; more cost time and change little


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much probability the label may lose.

    least: a probability by the encoder that is always enough. share: the share of the original's probability that is enough otherwise.
    doubt: below this, the encoder supports a bag of words that predicts another label.
    """

    least: float
    share: float
    doubt: float


class ClassifiersCheck(Check):
    """The check by cross-validated classifiers, trained on first use: do they still predict the label for the new text?

    Two classifiers, each trained on the other folds: logistic regression on sentence vectors, and the bag of words of `models/nbsvm.py`.
    Edits remove predictive words on purpose, or put them into rows of other labels, and their contribution is no fault: both texts are
    classified without them.
    The bag of words alone never rejects: it counts only if it sees a change of label and the encoder has doubts.

    texts, labels: the dataset as loaded. vectors: None leaves the encoder out.
    """

    name = "classifiers"

    def __init__(
        self,
        texts: Sequence[str],
        labels: Sequence[str],
        bounds: Bounds,
        *,
        vectors: Vectors | None,
        seed: int = 0,
    ) -> None:
        self.texts, self.labels, self.bounds = texts, labels, bounds
        self.vectors, self.seed = vectors, seed
        self._folds: NDArray[np.int64] | None = None
        self._models: list[tuple[LogisticRegression | None, _Words] | None] = []

    def concerns(self, candidate: Candidate) -> bool:
        """Only texts with other words: a label does not depend on a mark or a capital, though a model may."""
        return words(candidate.before) != words(candidate.after)

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate. score: the label's probability by the encoder, or by the words if there is no encoder."""
        if not candidates:
            return []
        after = [without_telling(candidate.after, candidate) for candidate in candidates]
        before = [without_telling(candidate.before, candidate) for candidate in candidates]
        rows, names = [c.row for c in candidates], [c.label for c in candidates]
        new, old = self.own(rows, after, names), self.own(rows, before, names)
        return [self.compare(n, o) for n, o in zip(new, old, strict=True)]

    def own(
        self, rows: Sequence[int], texts: Sequence[str], names: Sequence[str]
    ) -> list[tuple[float, float]]:
        """Each text's probability of its label: by the encoder (by the words if there is none) and by the words.

        NaN if the classifiers that never saw the row never saw its label either.
        """
        self._train()
        assert self._folds is not None
        own = np.full((len(texts), 2), np.nan)
        vectors = None if self.vectors is None else self.vectors(texts)
        # A row that no model was trained on may be judged by any of them.
        fold_of = [max(0, int(self._folds[row])) for row in rows]
        for fold, models in enumerate(self._models):
            if models is None:
                continue
            encoder, bag = models
            columns = {str(name): column for column, name in enumerate(bag.labels)}
            at = [i for i, name in enumerate(names) if fold_of[i] == fold and name in columns]
            if not at:
                continue
            column = [columns[names[i]] for i in at]
            by_words = bag.probabilities([texts[i] for i in at])[np.arange(len(at)), column]
            own[at, 1] = own[at, 0] = by_words
            if encoder is not None and vectors is not None:
                own[at, 0] = encoder.predict_proba(vectors[at])[np.arange(len(at)), column]
        return [(float(a), float(b)) for a, b in own]

    def compare(self, new: tuple[float, float], old: tuple[float, float]) -> Verdict:
        """The verdict on a text, given `own` of the new and of the old text."""
        bounds = self.bounds
        reason = ""
        if np.isnan(new[0]):
            return Verdict(self.name, False, reason="too few other rows have this label to learn it from")
        if new[0] < bounds.least and new[0] < bounds.share * old[0]:
            reason = f"the label's probability fell from {old[0]:.2f} to {new[0]:.2f}"
        elif new[1] < 0.5 <= old[1] and new[0] < bounds.doubt and new[0] < old[0]:
            reason = f"the words predict another label, and its probability fell to {new[0]:.2f}"
        return Verdict(self.name, not reason, new[0], reason)

    def _train(self) -> None:
        """One pair of models per fold, None if the other folds have a single label. `_folds` is -1 for rows not trained on."""
        if self._folds is not None:
            return
        from sklearn.linear_model import LogisticRegression

        order = np.random.default_rng(self.seed).permutation(len(self.texts))[:MOST_ROWS]
        self._folds = np.full(len(self.texts), -1, np.int64)
        self._folds[order] = np.arange(len(order)) % FOLDS
        labels = np.asarray(self.labels)
        vectors = None if self.vectors is None else self.vectors([self.texts[i] for i in order])
        for fold in range(FOLDS):
            kept = np.arange(len(order)) % FOLDS != fold
            if len(np.unique(labels[order[kept]])) < 2:
                self._models.append(None)
                continue
            bag = _Words([self.texts[i] for i in order[kept]], labels[order[kept]], self.seed)
            encoder = None
            if vectors is not None:
                encoder = LogisticRegression(C=10.0, max_iter=300, tol=1e-3).fit(
                    vectors[kept], labels[order[kept]]
                )
            self._models.append((encoder, bag))


def without_telling(text: str, candidate: Candidate) -> str:
    """A text without the words and phrases that the edit was meant to remove or to put in, and without a mark that they leave at its ends."""
    phrases = sorted(candidate.telling, key=len, reverse=True)
    text = candidate.without(text)
    if not phrases:
        return text
    pattern = "|".join(map(_phrase, phrases))
    return " ".join(re.sub(pattern, " ", text, flags=re.IGNORECASE).split()).strip(" ,;:-–—") or text


def _phrase(phrase: str) -> str:
    """The expression of a phrase: between spaces or marks, or anywhere in scripts that have no spaces between words."""
    if _UNSPACED.search(phrase):
        return r"\s*".join(map(re.escape, phrase.split()))
    return rf"(?<!\w){re.escape(phrase)}(?!\w)"


class _Words:
    """The bag of words, on words and pairs of adjacent words, with scores turned into probabilities."""

    def __init__(self, texts: Sequence[str], labels: NDArray[Any], seed: int) -> None:
        from sklearn.feature_extraction.text import CountVectorizer

        self._reader = CountVectorizer(analyzer=_words_and_pairs, binary=True, dtype=np.float64)
        self.model = NbSvm(seed=seed).fit(self._reader.fit_transform(texts), labels)
        self.labels = self.model.labels_

    def probabilities(self, texts: Sequence[str]) -> Floats:
        scores = self.model.scores(self._reader.transform(texts))
        return softmax(np.clip(scores, -30, 30))  # for two labels, -s and s: the sigmoid of twice the margin


def _words_and_pairs(text: str) -> list[str]:
    tokens = words(text)
    return [*tokens, *(f"{first} {second}" for first, second in pairwise(tokens))]


# ---------------------------------------------------------------- judge


class JudgeCheck(Check):
    """RAZOR's Eq. 13: a judge that sees neither the label nor the original must assign the intended label to the new text."""

    name = "judge"
    at_once = 0

    def __init__(self, task: Task, asker: Asker) -> None:
        self.task, self.asker = task, asker

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate. score: the label's probability."""
        prompts = [
            judge_prompt(self.task, c.after, context=c.context, original=c.origin_now.text)
            for c in candidates
        ]
        try:
            answers = self.asker.judge_all(prompts, self.task.labels)
        except BudgetSpent as spent:
            spent.answers = [
                judged and self._verdict(c.label, judged)
                for c, judged in zip(candidates, spent.answers, strict=True)
            ]
            raise
        return [self._verdict(c.label, judged) for c, judged in zip(candidates, answers, strict=True)]

    def _verdict(self, label: str, judged: Judgement) -> Verdict:
        if judged.best is None:
            return Verdict(self.name, False, None, f"no answer from the judge: {judged.refusal}".rstrip(": "))
        own = float(judged.probabilities.get(label, 0.0))
        if judged.best != label:
            return Verdict(self.name, False, own, f"judged {judged.best}")
        return Verdict(self.name, True, own)
