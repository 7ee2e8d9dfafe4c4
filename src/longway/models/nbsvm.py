"""NB-SVM: a linear support vector machine on naive-Bayes-weighted features; a strong bag of words without torch.

Wang and Manning 2012 ("Baselines and Bigrams"): multiply each binary feature by its log-count ratio

    r_y(f) = log p(f | y) - log p(f | not y)        counts smoothed by 2

and fit a linear model on the product. It combines naive Bayes' good estimates for rare words with a linear model's handling of
correlated words; on short texts it beats either. One model per label, one against the rest.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Bools = NDArray[np.bool_]

Floats = NDArray[np.float64]

REGULARIZATION, SMOOTHING = 0.05, 2.0
LIBLINEAR = Lock()  # one fit at a time: liblinear has one random generator per process


class NbSvm:
    """Predicts labels from a (texts, features) matrix of zeros and ones."""

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, features: csr_matrix, labels: NDArray[Any], weights: Floats | None = None) -> NbSvm:
        """Learn ratios and coefficients. weights: of the rows."""
        self.labels_ = np.unique(labels)
        targets = self.labels_[1:] if len(self.labels_) == 2 else self.labels_
        self._models = [
            self._fit_label(features, labels == target, weights)
            for target in targets
            if len(self.labels_) > 1
        ]
        return self

    def scores(self, features: csr_matrix) -> Floats:
        """(texts, labels): the decision values."""
        if not self._models:
            return np.zeros((features.shape[0], 1))
        columns = [features @ weights + intercept for weights, intercept in self._models]
        return np.stack([-columns[0], columns[0]] if len(self.labels_) == 2 else columns, axis=1)

    def predict(self, features: csr_matrix) -> NDArray[Any]:
        """The most likely label of each text."""
        return np.asarray(self.labels_[self.scores(features).argmax(axis=1)])

    def _fit_label(
        self, features: csr_matrix, positive: Bools, weights: Floats | None
    ) -> tuple[Floats, float]:
        from sklearn.svm import LinearSVC  # takes a second to import, and plans do without

        ratio = self._log_count_ratio(features, positive, weights)
        weighted = csr_matrix(
            (ratio[features.indices], features.indices, features.indptr), shape=features.shape
        )
        # The dual solver is the fast one for many sparse features; a looser tolerance costs no accuracy (notes/LOG.md).
        model = LinearSVC(C=REGULARIZATION, tol=0.1, random_state=self.seed)
        with LIBLINEAR:
            model.fit(weighted, positive, sample_weight=weights)
        return model.coef_[0] * ratio, float(model.intercept_[0])

    def _log_count_ratio(self, features: csr_matrix, positive: Bools, weights: Floats | None) -> Floats:
        n, sizes = features.shape[1], np.diff(features.indptr)
        is_yes = np.repeat(positive, sizes)
        yes, no = (
            np.bincount(
                features.indices[some],
                weights=None if weights is None else np.repeat(weights, sizes)[some],
                minlength=n,
            )
            + SMOOTHING
            for some in (is_yes, ~is_yes)
        )
        return np.log(yes / yes.sum()) - np.log(no / no.sum())
