"""ReW: weight the rows until no n-gram of the text predicts the label (Schuster et al. 2019).

"Towards Debiasing Fact Verification Models", section 4. Each row i gets a balancing weight alpha_i >= 0. With w_j in x_i
if the text of row i has n-gram j, the bias of that n-gram towards class c is

    b_j^c = sum_i I[w_j in x_i] (1 + alpha_i) I[y_i = c]  /  sum_i I[w_j in x_i] (1 + alpha_i)

and the weights minimize

    sum_j max_c b_j^c  +  lambda ||alpha||_2

The classifier is then trained with weights 1 + alpha_i. The maximum and the norm have corners, and the best weights are at
these corners (an n-gram is balanced if two classes are level), so both are smoothed: max_c b becomes
t log sum_c exp(b / t), at most t log(classes) too high. With the smooth maximum's shares s_j^c = softmax_c(b_j / t)
and A_j, the denominator above, the gradient is

    d / d alpha_i  =  sum_j I[w_j in x_i] (s_j^{y_i} - sum_c s_j^c b_j^c) / A_j  +  lambda alpha_i / ||alpha||_2

N-grams that occur with one class only stay as they are, whatever the weights: nothing balances a shortcut without
counter-examples. In single texts the n-grams are also the real signal; there the known shortcuts are balanced instead, and
nothing if there are none. Rules of a grammar are balanced in pairs, too, if they are the known shortcuts.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.models.classifier import Classifier, Floats, Ints, softmax
from longway.models.objectives import CrossEntropy
from longway.models.training.experts import shortcut_features
from longway.models.training.trainer import Trainer, TrainingData

_SMOOTH = 0.01  # t: of the smooth maximum
_NORM = 1e-6  # added to the squared norm
# lambda is small: the sum over thousands of n-grams is large, and the norm only prevents useless growth of the weights.
PENALTY = 0.001
STEPS = 100  # of the optimizer at most
EVEN = 1.01  # weights count as equal if the largest is below this times the smallest


def train_reweighted(data: TrainingData, trainer: Trainer) -> Classifier:
    """A classifier trained on the weighted rows."""
    targets = data.targets()
    weights = balancing_weights(shortcut_features(data), targets)
    if weights.max() < EVEN * weights.min():
        trainer.notify("no pattern could be balanced, so all rows have the same weight: plain training")
    return trainer.train(data, CrossEntropy(targets, weights=weights))


def balancing_weights(features: csr_matrix, targets: Ints, *, penalty: float = PENALTY) -> Floats:
    """1 + alpha_i for each row: n-grams are then equally frequent with all classes. features: (rows, n-grams), 0 and 1."""
    from scipy.optimize import minimize  # a third of a second to import

    start = np.zeros(features.shape[0])
    if features.shape[1] == 0:
        return start + 1
    transposed = features.T.tocsr()
    result = minimize(
        lambda alpha: total_bias(alpha, features, transposed, targets, penalty=penalty),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(start),
        options={"maxiter": STEPS},
    )
    return np.asarray(1 + result.x, np.float64)


def total_bias(
    alpha: Floats, features: csr_matrix, transposed: csr_matrix, targets: Ints, *, penalty: float
) -> tuple[float, Floats]:
    """The minimized function of the weights, and its gradient. transposed: the features transposed."""
    own = np.eye(int(targets.max()) + 1)[targets]
    weight = transposed @ (1 + alpha)
    bias = (transposed @ (own * (1 + alpha)[:, None])) / weight[:, None]
    shares = softmax(bias / _SMOOTH)
    largest = bias.max(axis=1)
    smoothed = largest + _SMOOTH * np.log(np.exp((bias - largest[:, None]) / _SMOOTH).sum(axis=1))
    norm = np.sqrt(alpha @ alpha + _NORM)
    pull = features @ ((shares - (shares * bias).sum(axis=1, keepdims=True)) / weight[:, None])
    gradient = (pull * own).sum(axis=1) + penalty * alpha / norm
    return float(smoothed.sum() + penalty * norm), gradient
