"""Groups by label and shortcut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from longway.errors import SettingError
from longway.models.bag_of_words import Linear
from longway.models.training import Trainer, TrainingData, method_named
from longway.models.training.weights import shortcut_groups
from tests.models.training.toy import SINGLE


def slow_groups(table, targets):
    """(label, role) of each row: 0 no shortcut, 1 its strongest shortcut supports the label, 2 counters it."""
    labels = sorted(set(targets))

    def z(j, y):
        rows = [t for row, t in zip(table, targets, strict=True) if row[j]]
        share = targets.count(y) / len(targets)
        if not rows:
            return 0.0
        return (rows.count(y) / len(rows) - share) / (share * (1 - share) / len(rows)) ** 0.5

    scores = [[z(j, y) for y in labels] for j in range(len(table[0]))]
    groups = []
    for row, t in zip(table, targets, strict=True):
        present = [j for j in range(len(row)) if row[j]]
        if not present:
            groups.append((t, 0))
            continue
        strongest = max(present, key=lambda j: (round(max(scores[j]), 9), -j))
        best = max(labels, key=lambda y: (round(scores[strongest][labels.index(y)], 9), -y))
        groups.append((t, 1 if best == t else 2))
    return groups


@given(st.integers(0, 10_000))
def test_groups_are_those_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    table = (rng.random((25, 4)) < 0.3).astype(float)
    targets = np.concatenate([[0, 1, 2], rng.integers(3, size=22)])
    expected = slow_groups(table.tolist(), targets.tolist())
    numbers = {pair: i for i, pair in enumerate(sorted(set(expected)))}
    assert shortcut_groups(csr_matrix(table), targets).tolist() == [numbers[pair] for pair in expected]


def test_small_groups_join_the_rows_without_a_shortcut():
    shortcuts = csr_matrix([[1.0]] * 11 + [[0.0]] * 10)
    targets = np.array([1] * 10 + [0] + [0] * 10)
    assert shortcut_groups(shortcuts, targets, fewest=1).tolist() == [2] * 10 + [1] + [0] * 10
    assert shortcut_groups(shortcuts, targets, fewest=2).tolist() == [1] * 10 + [0] * 11


def test_without_found_shortcuts_there_are_no_groups():
    data = SINGLE.rows(20, right=0.5, seed=0)
    for shortcuts in (None, csr_matrix((20, 0))):
        with pytest.raises(SettingError, match="'dro' needs shortcuts"):
            method_named("dro").fit(
                TrainingData(data, shortcuts=shortcuts), Trainer(lambda seed: Linear(seed=seed), 0)
            )
