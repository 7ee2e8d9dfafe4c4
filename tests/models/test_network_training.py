"""Batches, validation rows and the best state: the parts of training that need no network."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.models.objectives import held_out


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(0, 5))
def test_rows_are_trained_on_or_kept_aside_and_each_label_by_its_share(labels, seed):
    targets = np.array(labels)
    train, stop = held_out(targets, seed=seed)
    assert sorted([*train, *stop]) == list(range(len(labels)))
    for label in set(labels):
        n, kept = labels.count(label), int((targets[stop] == label).sum())
        assert kept == max(round(0.1 * n), int(n >= 5))
        assert kept < n or n == 0


@given(st.lists(st.integers(1, 50), min_size=1, max_size=300), st.integers(1, 9), st.integers(0, 3))
def test_batches_hold_every_row_once(lengths, batch, seed):
    pytest.importorskip("torch", reason="torch is not installed")
    from longway.models.network_training import batches_by_length

    cut = list(batches_by_length(lengths, batch, np.random.default_rng(seed)))
    assert sorted(np.concatenate(cut).tolist()) == list(range(len(lengths)))
    assert len(cut) == -(-len(lengths) // batch)
    for some in cut:
        assert len(some) <= batch
        assert [lengths[i] for i in some] == sorted(lengths[i] for i in some)


def test_steps_between_validations_are_counted_over_all_epochs():
    """5 steps an epoch: every 4th of 15 steps is validated, and the end of each epoch."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from longway.models.network_training import NetworkPlan, NetworkTraining, TrainingTask
    from longway.models.objectives import CrossEntropy

    network = torch.nn.Linear(1, 2)
    targets, steps, validated = np.zeros(10, dtype=np.int64), [], []

    def logits_of(rows):
        steps.append(len(rows))
        return network(torch.ones(len(rows), 1))

    def validation():
        validated.append(len(steps))
        return np.zeros((1, 2)), np.zeros(1, dtype=np.int64)

    task = TrainingTask(CrossEntropy(targets), np.arange(10), [1] * 10, logits_of, validation)
    plan = NetworkPlan(epochs=3, batch=2, learning_rate=1e-3, patience=99, check=4)
    NetworkTraining(network, task, plan).run()
    assert validated == [4, 5, 8, 10, 12, 15]
