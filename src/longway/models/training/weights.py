"""Training methods that give rows other weights: `train_reweighted` (rew), `train_twice` (jtt) and `train_group_dro` (dro).

rew    weights under which no n-gram of the text predicts the label, found before the training
jtt    rows that a first classifier gets wrong count more
dro    the group of rows with the highest loss counts more, step by step
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.models.classifier import Bools, Classifier, Floats, Ints, label_names, softmax, targets_of
from longway.models.objectives import CrossEntropy, GroupDRO
from longway.models.training.experts import folds, held_out_probabilities, shortcut_features
from longway.models.training.trainer import Fresh, Trainer, TrainingData

_SMOOTH = 0.01  # t: of the smooth maximum
_NORM = 1e-6  # added to the squared norm
# lambda is small: the sum over thousands of n-grams is large, and the norm only prevents useless growth of the weights.
PENALTY = 0.001
STEPS = 100  # of the optimizer at most
EVEN = 1.01  # weights count as equal if the largest is below this times the smallest
TIMES, MOST = 5.0, 0.3
FOLDS = 5  # to find errors
NO_ERROR = "its first model got no row wrong: plain training"
NONE, SUPPORTS, COUNTERS = range(3)
SURE = 4.0  # the least z-score of a rule


def train_reweighted(data: TrainingData, trainer: Trainer) -> Classifier:
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

    A classifier trained on the weighted rows.
    """
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


def train_twice(data: TrainingData, trainer: Trainer) -> Classifier:
    """Just Train Twice: rows that a first classifier gets wrong count more in the second training (Liu et al. 2021).

    "Just Train Twice: Improving Group Robustness without Training Group Information", Algorithm 1:

        E = rows that the identification model gets wrong
        L = 1/n ( times x sum_{i in E} loss(x_i, y_i)  +  sum_{i not in E} loss(x_i, y_i) )

    The identification model must have learned the shortcut but not memorized its exceptions. The paper stops it after a few epochs.
    How many depends on the classifier, and some have no epochs; so here every row is predicted by a classifier of the same kind
    that was trained on other rows (5 folds, rows with the same text or context together). It has learned the shortcut as well as the
    final one would, and memorized no exception. This costs five additional trainings.

    `TIMES` is lambda_up. The paper chooses it on validation rows with known groups: 4 to 6 on texts, 20 to 100 on images. Rows whose
    label cannot be predicted at all are wrong too, and count as much. If the first classifier is often wrong, the second would learn
    the opposite, so errors have at most the share `MOST` of all weight (not in the paper).

    It is one step of boosting: the second classifier turns to whatever the first did not use. That is the real signal only if the
    first relied on the shortcut; if not, training twice can turn it *to* the shortcut.

    The second classifier; errors are found by models of other rows.
    """
    errors = held_out_errors(trainer.fresh, data, seed=trainer.seed)
    weights = error_weights(errors)
    if note := limited(errors, float(weights.max())):
        trainer.notify(note)
    return trainer.train(data, CrossEntropy(data.targets(), weights=weights))


def error_weights(errors: Bools, *, times: float = TIMES, most: float = MOST) -> Floats:
    """The weight of each row. times: of errors. most: their maximum share of all weight.

    >>> error_weights(np.array([True, False, False]), most=0.5).tolist()
    [2.0, 1.0, 1.0]
    """
    wrong, right = int(errors.sum()), int((~errors).sum())
    bound = most / (1 - most) * right / max(wrong, 1)
    return np.where(errors, max(1.0, min(times, bound)), 1.0)


def limited(errors: Bools, weight: float) -> str:
    """Why errors have this weight and not `TIMES`; "" if they have it.

    >>> limited(np.array([False, False]), 1.0)
    'its first model got no row wrong: plain training'
    """
    if weight >= TIMES:
        return ""
    if not errors.any():
        return NO_ERROR
    if weight == 1:
        return f"its first model got over {MOST:.0%} of the rows wrong, so they count no more than the others: plain training"
    return f"its first model got many rows wrong, so they count less than {TIMES:g} times and have {MOST:.0%} of all weight"


def held_out_errors(fresh: Fresh, data: TrainingData, *, seed: int) -> Bools:
    """Which rows a classifier trained on other rows gets wrong."""
    names = label_names(data.labelled.labels)

    def predict(learn: Ints, rows: Ints) -> tuple[Ints, Floats]:
        first = fresh(seed).fit(data.labelled.take(learn), validation=data.validation)
        predicted = first.predict_proba(data.labelled.inputs.take(rows))
        return targets_of(first.labels_, names), predicted

    predicted = held_out_probabilities(predict, folds(data.labelled, FOLDS, seed=seed), len(names))
    return np.asarray(predicted.argmax(axis=1) != data.targets())


def train_group_dro(
    data: TrainingData,
    trainer: Trainer,
    *,
    step: float = 0.01,
    adjustment: float = 2.0,
    fewest: int = 10,
) -> Classifier:
    """Group DRO over known shortcuts: the group with the highest loss counts most (Sagawa et al. 2020).

    "Distributionally Robust Neural Networks for Group Shifts", Algorithm 1, with groups g of rows and weights q_g:

        min over classifiers  max over q  of  sum_g q_g L_g,        q_g >= 0, sum_g q_g = 1
        q_g <- q_g exp( eta (L_g + C / sqrt(n_g)) ),  q scaled to a sum of 1;  the classifier steps down sum_g q_g L_g

    The step is in `objectives.py`. A group is a label and the role of the row's strongest shortcut:

        supports    the shortcut is associated with this label: the easy rows
        counters    it is associated with another label: the rows that a classifier relying on the shortcut gets wrong
        none        the row has no shortcut

    so there are at most three groups per label, however many shortcuts are known. A shortcut's strength and label are estimated from
    the rows (the highest z-score of a label's share). Every tree has rules, and most say nothing about the label: rules of a grammar
    count only if their z-score is at least `SURE`, which hardly any of thousands reaches by chance. Groups of fewer than `fewest` rows join the label's "none": the worst of
    three rows is chance. C is the paper's group adjustment: a classifier that can memorize a small group makes its loss small without
    generalizing, so small groups get extra weight. The paper tries 0 to 5.

    A classifier trained for its worst group. step: eta. adjustment: C. fewest: the minimum number of rows of a group.
    """
    targets = data.targets()
    shortcuts = data.rules_in(fewest)
    if data.are_rules:
        shortcuts = shortcuts[:, label_scores(shortcuts, targets).max(axis=1) >= SURE]
    groups = shortcut_groups(shortcuts, targets, fewest=fewest)
    if len(np.unique(groups)) <= len(np.unique(targets)):
        trainer.notify(
            "no shortcut splits the rows of a label into large enough groups: only labels are weighted"
        )
    return trainer.train(data, GroupDRO(targets, groups, step=step, adjustment=adjustment))


def shortcut_groups(shortcuts: csr_matrix, targets: Ints, *, fewest: int = 1) -> Ints:
    """The group of each row, numbered without gaps, ordered by label, then none, supports, counters.

    >>> shortcuts = csr_matrix([[1], [1], [1], [0], [0], [0]])
    >>> shortcut_groups(shortcuts, np.array([1, 1, 0, 1, 0, 0])).tolist()
    [3, 3, 1, 2, 0, 0]
    """
    if shortcuts.shape[1] == 0:
        return np.unique(targets, return_inverse=True)[1].astype(np.int64)
    z = label_scores(shortcuts, targets)
    by_strength = np.argsort(-z.max(axis=1), kind="stable")
    strongest = _first_present(shortcuts[:, by_strength])
    label = z.argmax(axis=1)[by_strength][strongest]  # arbitrary for rows without a shortcut
    role = np.where(label == targets, SUPPORTS, COUNTERS)
    role[strongest < 0] = NONE
    group = 3 * targets + role
    small = np.bincount(group, minlength=int(group.max()) + 1)[group] < fewest
    group[small] = 3 * targets[small] + NONE
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _first_present(features: csr_matrix) -> Ints:
    """The first nonzero column of each row, -1 if there is none; without a dense table, which may not fit into memory."""
    present = csr_matrix(features > 0)
    has_any = np.diff(present.indptr) > 0
    first = np.full(present.shape[0], -1, np.int64)
    if has_any.any():
        first[has_any] = np.minimum.reduceat(present.indices, present.indptr[:-1][has_any])
    return first


def label_scores(shortcuts: csr_matrix, targets: Ints) -> Floats:
    """(shortcuts, labels): by how many standard errors the label's share among rows with the shortcut exceeds its overall share."""
    own = np.eye(int(targets.max()) + 1)[targets]
    counts = np.asarray(shortcuts.T @ own, np.float64)
    n, share = counts.sum(axis=1, keepdims=True), own.mean(axis=0)
    return (counts - n * share) / np.sqrt(np.maximum(n, 1) * share * (1 - share))
