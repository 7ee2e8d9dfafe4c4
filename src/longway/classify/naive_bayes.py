"""Naive Bayes: each word speaks for a label as often as it stands in that label's rows. The plainest model there is.

    log p(y)  +  sum over the words of a row of  log p(word | y)          counts smoothed by 1

A word counts once a row, however often it stands there: on reviews that gave 1.7 points more, on sentences half a point less.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix

from longway.classify.classifier import (
    Epoch,
    Floats,
    FromLogits,
    Inputs,
    Labelled,
    Watch,
    label_names,
    read_about,
    softmax,
    targets_of,
    write_about,
)
from longway.classify.objectives import CrossEntropy, Objective, cross_entropy
from longway.classify.saved import load_arrays, load_words, save_arrays, save_words
from longway.classify.softmax_regression import SoftmaxRegression, loss_and_accuracy
from longway.classify.word_features import WordFeatures
from longway.errors import SettingError


class NaiveBayes(FromLogits):
    """Multinomial naive Bayes on words and pairs of words.

    smoothing: added to each count. min_rows: training rows that must have a word to count it.
    seed: nothing here is random; taken so that all classifiers are made alike.
    """

    name: ClassVar[str] = "nb"

    def __init__(self, *, smoothing: float = 1.0, min_rows: int = 2, seed: int = 0) -> None:
        self.smoothing = smoothing
        self.min_rows = min_rows
        self.seed = seed

    def fit(
        self,
        data: Labelled,
        *,
        objective: Objective | None = None,
        validation: Labelled | None = None,
        watch: Watch | None = None,
    ) -> Self:
        """Count, each row as often as the objective weighs it. Validation rows are only looked at for `watch`."""
        self.labels_ = label_names(data.labels)
        targets = targets_of(data.labels, self.labels_)
        weights = _weights(objective, len(targets))
        self.words_, counts = WordFeatures.learned(data.inputs, min_rows=self.min_rows)
        present = _present(counts)
        member = np.eye(len(self.labels_))[targets] * weights[:, None]  # (n, labels)
        table = present.T @ member + self.smoothing
        prior = member.sum(axis=0) + self.smoothing
        self.regression_ = SoftmaxRegression(np.log(table / table.sum(axis=0)), np.log(prior / prior.sum()))
        if watch is not None:
            watch(self._epoch(data, validation))
        return self

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): log-probabilities, up to a constant for each row."""
        return self.regression_.logits(_present(self.words_.counts(inputs)))

    def save(self, folder: Path) -> None:
        """Write words, weights and settings."""
        save_words(folder, self.words_.words)
        regression = self.regression_
        save_arrays(
            folder, {"kept": self.words_.kept, "weights": regression.weights, "bias": regression.bias}
        )
        settings = {"smoothing": self.smoothing, "min_rows": self.min_rows, "seed": self.seed}
        about = {"model": self.name, "labels": self.labels_, "pairs": self.words_.pairs, "settings": settings}
        write_about(folder, about)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The classifier that was saved there."""
        about, arrays = read_about(folder), load_arrays(folder)
        found = cls(**about["settings"])
        found.labels_ = tuple(about["labels"])
        found.words_ = WordFeatures(load_words(folder), arrays["kept"], pairs=about["pairs"])
        found.regression_ = SoftmaxRegression(arrays["weights"], arrays["bias"])
        return found

    def _epoch(self, data: Labelled, validation: Labelled | None) -> Epoch:
        targets, logits = targets_of(data.labels, self.labels_), self.logits(data.inputs)
        gold = softmax(logits)[np.arange(len(targets)), targets]
        loss, accuracy = float("nan"), float("nan")
        if validation is not None:
            stop = targets_of(validation.labels, self.labels_)
            loss, accuracy = loss_and_accuracy(self.logits(validation.inputs), stop)
        return Epoch(1, 1, float(cross_entropy(logits, targets)[0].mean()), loss, accuracy, gold)


def _present(counts: csr_matrix) -> csr_matrix:
    """Ones instead of counts."""
    return csr_matrix((np.ones(len(counts.data)), counts.indices, counts.indptr), counts.shape)


def _weights(objective: Objective | None, n: int) -> Floats:
    if objective is None:
        return np.ones(n)
    if not isinstance(objective, CrossEntropy) or objective.offsets is not None:
        raise SettingError(
            f"naive Bayes counts words and lowers no loss, so it can weigh rows and nothing else; got {type(objective).__name__}. "
            "For this training method choose bow."
        )
    return np.ones(n) if objective.weights is None else objective.weights
