"""ReW: weigh the rows until no n-gram of the text tells the label (Schuster et al. 2019).

"Towards Debiasing Fact Verification Models", section 4. Each row i gets a balancing weight alpha_i >= 0. With w_j in x_i
where the text of row i has n-gram j, the bias of that n-gram towards class c is

    b_j^c = sum_i I[w_j in x_i] (1 + alpha_i) I[y_i = c]  /  sum_i I[w_j in x_i] (1 + alpha_i)

and the weights are those that minimise

    sum_j max_c b_j^c  +  lambda ||alpha||_2

The classifier is then trained with weights 1 + alpha_i. The maximum and the norm have corners, and the best weights lie
just there (an n-gram is balanced where two classes draw level), so both are rounded: max_c b becomes
t log sum_c exp(b / t), at most t log(classes) too high. Written with the smooth maximum's shares s_j^c = softmax_c(b_j / t)
and A_j, the denominator above, the gradient is

    d / d alpha_i  =  sum_j I[w_j in x_i] (s_j^{y_i} - sum_c s_j^c b_j^c) / A_j  +  lambda alpha_i / ||alpha||_2

N-grams that stand with one class only stay as they are, whatever the weights: nothing balances a shortcut without
counter-examples. In single texts the n-grams are also what the label is read from; there the shortcuts that were found are
balanced instead, and nothing where none were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from longway.classify.classifier import Classifier, Floats, Ints, Watch, softmax
from longway.classify.methods.biased import telling_features
from longway.classify.methods.training import Fresh, Tell, Training
from longway.classify.objectives import CrossEntropy

_ROUND = 0.01  # t: how far the corners of the maximum are rounded
_NORM = 1e-6  # added to the squared norm
EVEN = 1.01  # rows weigh the same where the heaviest weighs less than this times the lightest


@dataclass(frozen=True, slots=True)
class Reweight:
    """Rows weighted so that n-grams stand evenly with all classes.

    penalty: lambda. Small: the sum over thousands of n-grams is large, and the norm is only to keep weights from growing
    for nothing. steps: of the optimiser, at most.
    """

    name: ClassVar[str] = "rew"
    needs: ClassVar[frozenset[str]] = frozenset()

    penalty: float = 0.001
    steps: int = 100

    def fit(
        self,
        fresh: Fresh,
        data: Training,
        *,
        seed: int,
        watch: Watch | None = None,
        tell: Tell = lambda text: None,
    ) -> Classifier:
        """A classifier trained on the weighted rows."""
        targets = data.targets()
        weights = self.weights(telling_features(data), targets)
        if weights.max() < EVEN * weights.min():
            tell("no pattern could be balanced, so that all rows weigh the same: plain training")
        objective = CrossEntropy(targets, weights=weights)
        return fresh(seed).fit(data.labelled, objective=objective, validation=data.validation, watch=watch)

    def weights(self, features: csr_matrix, targets: Ints) -> Floats:
        """1 + alpha_i for each row. features: rows x n-grams, 0 and 1."""
        start = np.zeros(features.shape[0])
        if features.shape[1] == 0:
            return start + 1
        turned = features.T.tocsr()
        found = minimize(
            lambda alpha: total_bias(alpha, features, turned, targets, penalty=self.penalty),
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * len(start),
            options={"maxiter": self.steps},
        )
        return np.asarray(1 + found.x, np.float64)


def total_bias(
    alpha: Floats, features: csr_matrix, turned: csr_matrix, targets: Ints, *, penalty: float
) -> tuple[float, Floats]:
    """What the weights are chosen to lower, and its gradient. turned: the features transposed."""
    own = np.eye(int(targets.max()) + 1)[targets]
    weight = turned @ (1 + alpha)
    bias = (turned @ (own * (1 + alpha)[:, None])) / weight[:, None]
    shares = softmax(bias / _ROUND)
    largest = bias.max(axis=1)
    rounded = largest + _ROUND * np.log(np.exp((bias - largest[:, None]) / _ROUND).sum(axis=1))
    norm = np.sqrt(alpha @ alpha + _NORM)
    pull = features @ ((shares - (shares * bias).sum(axis=1, keepdims=True)) / weight[:, None])
    gradient = (pull * own).sum(axis=1) + penalty * alpha / norm
    return float(rounded.sum() + penalty * norm), gradient
