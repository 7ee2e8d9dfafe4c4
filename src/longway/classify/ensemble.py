"""Several classifiers of different kinds over the same rows, each row seen by models that were not trained on it.

    ensemble = Ensemble(data, ("bow", "nb", "dan", "cnn", "gru"), folds=2)
    ensemble.word_scores("ig")              for each model, the word scores of every row
    ensemble.probabilities(rows, inputs)    for each model, what it gives new texts made from these rows

CoBA (section 3.3.2) asks such models which words matter, and here they also look at the texts that come of it. A model that
had learned the row by heart would never give its text another label. Models learn on first use and one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Classifier, Inputs, Labelled, label_names
from longway.classify.importance import WordScores, word_importance
from longway.classify.models import model_named
from longway.errors import SettingError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
DEFAULT = ("bow", "nb", "dan", "cnn", "gru")
STEPS = 8  # of integrated gradients: enough to rank words
# Networks that are to name words and to vote, not to be as good as they can; the recurrent one is by far the slowest.
QUICK: dict[str, dict[str, Any]] = {
    "dan": {"epochs": 5, "max_words": 128, "hidden": 32},
    "cnn": {"epochs": 5, "max_words": 128, "hidden": 32},
    "gru": {"epochs": 4, "max_words": 64, "hidden": 32},
}


class Ensemble:
    """Classifiers by name, each trained once for every fold on the other folds.

    groups: rows with the same number stay in one fold (texts that stand in the data twice); by default those with equal texts.
    cache: keeps encoders' vectors. progress: called with fits done and fits in all.
    """

    def __init__(
        self,
        data: Labelled,
        names: Sequence[str] = DEFAULT,
        *,
        folds: int = 2,
        seed: int = 0,
        device: str = "auto",
        cache: Path | None = None,
        groups: Ints | None = None,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> None:
        if len(set(names)) != len(names) or not names:
            raise SettingError(
                f"An ensemble needs models of different names. Got {', '.join(names) or 'none'}. Name each once."
            )
        self.data, self.names, self.seed, self.progress = data, tuple(names), seed, progress
        self.labels = label_names(data.labels)
        self.fold = _folds(data, groups, folds, seed)
        self._options: dict[str, Any] = {"seed": seed, "device": device, "cache": cache}
        for name in self.names:
            self._fresh(name)  # an unknown name or a missing package is told before anything is trained
        self._fitted: dict[tuple[str, int], Classifier] = {}

    def _fresh(self, name: str) -> Classifier:
        return model_named(name, **self._options, **QUICK.get(name, {}))

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.fold.max(initial=0)) + 1

    def model(self, name: str, fold: int) -> Classifier:
        """The model that has not seen the rows of a fold."""
        if (name, fold) not in self._fitted:
            others = np.flatnonzero(self.fold != fold)
            self._fitted[name, fold] = self._fresh(name).fit(self.data.take(others))
            self.progress(len(self._fitted), len(self.names) * self.n_folds)
        return self._fitted[name, fold]

    def word_scores(
        self,
        name: str,
        *,
        method: str = "ig",
        samples: int | None = None,
        rows: Sequence[int] | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> list[WordScores]:
        """One model's word scores for the label of each row, by the fit that has not seen it. rows: all where not given."""
        wanted = np.arange(len(self.data)) if rows is None else np.asarray(rows, np.int64)
        found: dict[int, WordScores] = {}
        for fold in range(self.n_folds):
            here = wanted[self.fold[wanted] == fold]
            if not len(here):
                continue
            model = self.model(name, fold)
            known = [row for row in here.tolist() if self.data.labels[row] in model.labels_]
            scores = word_importance(
                model,
                self.data.inputs.take(known),
                method=method,
                target=[self.data.labels[row] for row in known],
                samples=STEPS if method == "ig" and samples is None else samples,
                seed=self.seed,
                progress=progress,
            )
            found.update(zip(known, scores, strict=True))
        return [found.get(row) or _silent(self.data.inputs.texts[row]) for row in wanted.tolist()]

    def probabilities(self, rows: Sequence[int], inputs: Inputs) -> Floats:
        """(models, texts, labels): what each model gives texts made from these rows. 0 for a label it never saw."""
        found = np.zeros((len(self.names), len(inputs), len(self.labels)))
        folds = self.fold[np.asarray(rows, np.int64)] if len(rows) else np.zeros(0, np.int64)
        place = {label: i for i, label in enumerate(self.labels)}
        for fold in np.unique(folds).tolist():
            here = np.flatnonzero(folds == fold)
            for i, name in enumerate(self.names):
                model = self.model(name, fold)
                columns = [place[label] for label in model.labels_]
                found[i, here[:, None], columns] = model.predict_proba(inputs.take(here))
        return found


def _folds(data: Labelled, groups: Ints | None, folds: int, seed: int) -> Ints:
    if groups is None:
        numbers: dict[str, int] = {}
        groups = np.array([numbers.setdefault(text, len(numbers)) for text in data.inputs.texts], np.int64)
    n_groups = int(groups.max(initial=-1)) + 1
    if folds < 2 or n_groups < folds:
        raise SettingError(
            f"An ensemble needs 2 folds or more, and as many different texts. Got {folds} folds and {n_groups} texts. "
            "Give it more rows."
        )
    order = np.random.default_rng(seed).permutation(n_groups)
    return np.asarray(order[groups] % folds, np.int64)


def _silent(text: str) -> WordScores:
    """Scores of a text whose label the model has never seen: no word speaks for it."""
    from longway.classify.importance.words import Words

    words = Words.of(text)
    return WordScores(words.words, words.spans, np.zeros(len(words)), "")
