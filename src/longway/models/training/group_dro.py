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
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.models.classifier import Classifier, Floats, Ints
from longway.models.objectives import GroupDRO
from longway.models.training.trainer import Trainer, TrainingData

NONE, SUPPORTS, COUNTERS = range(3)
SURE = 4.0  # the least z-score of a rule


def train_group_dro(
    data: TrainingData,
    trainer: Trainer,
    *,
    step: float = 0.01,
    adjustment: float = 2.0,
    fewest: int = 10,
) -> Classifier:
    """A classifier trained for its worst group. step: eta. adjustment: C. fewest: the minimum number of rows of a group."""
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
