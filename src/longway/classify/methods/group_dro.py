"""Group DRO over found shortcuts: the group with the highest loss counts most (Sagawa et al. 2020).

"Distributionally Robust Neural Networks for Group Shifts", Algorithm 1, with groups g made of rows and weights q_g:

    min over classifiers  max over q  of  sum_g q_g L_g,        q_g >= 0, sum_g q_g = 1
    q_g <- q_g exp( eta (L_g + C / sqrt(n_g)) ),  q scaled to a sum of 1;  the classifier steps down sum_g q_g L_g

The step is in `objectives.py`. A group is a label and what the row's strongest shortcut does there:

    supports    the shortcut stands with this label more than with others: the easy rows
    counters    it stands with another label: the rows a classifier that leans on the shortcut gets wrong
    none        the row has no shortcut

so that there are at most three groups for each label, however many shortcuts were found. A shortcut's strength and label are
read from the rows (the highest z-score of its label's share). Groups of fewer than `fewest` rows join the label's
"none": the worst of three rows is chance. C is the paper's group adjustment: a classifier that can learn a small group by heart
makes its loss small without having learned anything, so that small groups get some more. The paper tries 0 to 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from longway.classify.classifier import Classifier, Floats, Ints, Watch
from longway.classify.methods.training import SHORTCUTS, Fresh, Tell, Training, require
from longway.classify.objectives import GroupDRO

NONE, SUPPORTS, COUNTERS = range(3)


@dataclass(frozen=True, slots=True)
class GroupDro:
    """The worst group counts most. step: eta. adjustment: C. fewest: rows a group must have to stand alone."""

    name: ClassVar[str] = "dro"
    needs: ClassVar[frozenset[str]] = frozenset({SHORTCUTS})

    step: float = 0.01
    adjustment: float = 2.0
    fewest: int = 10

    def fit(
        self,
        fresh: Fresh,
        data: Training,
        *,
        seed: int,
        watch: Watch | None = None,
        tell: Tell = lambda text: None,
    ) -> Classifier:
        """A classifier trained for its worst group."""
        require(self, data)
        targets = data.targets()
        groups = shortcut_groups(data.shortcuts, targets, fewest=self.fewest)
        if len(np.unique(groups)) <= len(np.unique(targets)):
            tell("no shortcut parts the rows of a label into groups large enough: only labels are weighed")
        objective = GroupDRO(targets, groups, step=self.step, adjustment=self.adjustment)
        return fresh(seed).fit(data.labelled, objective=objective, validation=data.validation, watch=watch)


def shortcut_groups(shortcuts: csr_matrix, targets: Ints, *, fewest: int = 1) -> Ints:
    """The group of each row, numbered without gaps, in the order of labels and of none, supports, counters.

    >>> shortcuts = csr_matrix([[1], [1], [1], [0], [0], [0]])
    >>> shortcut_groups(shortcuts, np.array([1, 1, 0, 1, 0, 0])).tolist()
    [3, 3, 1, 2, 0, 0]
    """
    z = label_scores(shortcuts, targets)
    by_strength = np.argsort(-z.max(axis=1), kind="stable")
    strongest = _first_present(shortcuts[:, by_strength])
    label = z.argmax(axis=1)[by_strength][strongest]  # of rows without any: whatever stands last
    role = np.where(label == targets, SUPPORTS, COUNTERS)
    role[strongest < 0] = NONE
    group = 3 * targets + role
    small = np.bincount(group, minlength=int(group.max()) + 1)[group] < fewest
    group[small] = 3 * targets[small] + NONE
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _first_present(features: csr_matrix) -> Ints:
    """For each row the first column that it has, -1 where it has none; never as a dense table, which may not fit into memory."""
    present = csr_matrix(features > 0)
    has_any = np.diff(present.indptr) > 0
    first = np.full(present.shape[0], -1, np.int64)
    if has_any.any():
        first[has_any] = np.minimum.reduceat(present.indices, present.indptr[:-1][has_any])
    return first


def label_scores(shortcuts: csr_matrix, targets: Ints) -> Floats:
    """Shortcuts x labels: how many standard errors the label's share among rows with the shortcut is above its share of all."""
    own = np.eye(int(targets.max()) + 1)[targets]
    counts = np.asarray(shortcuts.T @ own, np.float64)
    n, share = counts.sum(axis=1, keepdims=True), own.mean(axis=0)
    return (counts - n * share) / np.sqrt(np.maximum(n, 1) * share * (1 - share))
