"""Bag of words: softmax regression on TF-IDF of words and pairs of words. Quick, strong on surface cues, no torch.

texts or pairs  ->  counts (`word_features.py`)  ->  TF-IDF, rows of length 1  ->  softmax regression  ->  probabilities
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix

from longway.classify.classifier import (
    Floats,
    FromLogits,
    Inputs,
    Labelled,
    Watch,
    label_names,
    read_about,
    targets_of,
    write_about,
)
from longway.classify.objectives import CrossEntropy, Objective
from longway.classify.saved import load_arrays, load_words, save_arrays, save_words
from longway.classify.softmax_regression import Scored, SoftmaxRegression, fit_softmax
from longway.classify.word_features import TfIdf, WordFeatures


class Linear(FromLogits):
    """Softmax regression on words and pairs of words.

    strength: how far weights may grow (`softmax_regression.py`). min_rows: training rows that must have a word to count it.
    seed: nothing here is random; taken so that all classifiers are made alike.

    It learns from all rows: without validation rows its regulariser alone keeps it from learning too much.

    >>> rows = Labelled(Inputs(["good film", "good day", "bad film", "bad day"]), ["pos", "pos", "neg", "neg"])
    >>> Linear().fit(rows).predict(Inputs(["a good book", "a bad book"]))
    ['pos', 'neg']
    """

    name: ClassVar[str] = "bow"

    def __init__(self, *, strength: float = 1.0, min_rows: int = 2, seed: int = 0) -> None:
        self.strength = strength
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
        """Learn words, their rarity and their weights."""
        self.labels_ = label_names(data.labels)
        objective = objective or CrossEntropy(targets_of(data.labels, self.labels_))
        self.words_, counts = WordFeatures.learned(data.inputs, min_rows=self.min_rows)
        self.tf_idf_ = TfIdf.learned(counts)
        stop = None
        if validation is not None:
            stop = Scored(self.features(validation.inputs), targets_of(validation.labels, self.labels_))
        self.regression_ = fit_softmax(
            self.tf_idf_(counts),
            objective,
            len(self.labels_),
            strength=self.strength,
            validation=stop,
            watch=watch,
        )
        return self

    def features(self, inputs: Inputs) -> csr_matrix:
        """Rows x columns of TF-IDF, columns as `words_.names()`."""
        return self.tf_idf_(self.words_.counts(inputs))

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): what softmax makes probabilities of."""
        return self.regression_.logits(self.features(inputs))

    def save(self, folder: Path) -> None:
        """Write words, weights and settings."""
        save_words(folder, self.words_.words)
        save_arrays(
            folder,
            {
                "kept": self.words_.kept,
                "idf": self.tf_idf_.idf,
                "weights": self.regression_.weights,
                "bias": self.regression_.bias,
            },
        )
        settings = {"strength": self.strength, "min_rows": self.min_rows, "seed": self.seed}
        about = {"model": self.name, "labels": self.labels_, "pairs": self.words_.pairs, "settings": settings}
        write_about(folder, about)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The classifier that was saved there."""
        about, arrays = read_about(folder), load_arrays(folder)
        found = cls(**about["settings"])
        found.labels_ = tuple(about["labels"])
        found.words_ = WordFeatures(load_words(folder), arrays["kept"], pairs=about["pairs"])
        found.tf_idf_ = TfIdf(np.asarray(arrays["idf"]))
        found.regression_ = SoftmaxRegression(arrays["weights"], arrays["bias"])
        return found
