"""Just Train Twice: which rows count more, and how much."""

import numpy as np
import pytest

from longway.models.bag_of_words import Linear
from longway.models.training import TrainingData
from longway.models.training.weights import error_weights, held_out_errors
from tests.models.training.toy import SINGLE, found


def test_errors_are_mostly_the_rows_the_shortcut_gets_wrong():
    data = TrainingData(SINGLE.rows(1000, right=0.95, seed=0))
    errors = held_out_errors(lambda seed: Linear(seed=seed), data, seed=0)
    counters = found(data.labelled).toarray().argmax(axis=1) != data.targets()
    assert errors[counters].mean() > 0.7
    assert errors[~counters].mean() < 0.1


def test_errors_count_so_many_times_but_no_more_than_their_share():
    few = np.arange(100) < 4
    assert set(error_weights(few, times=5)) == {1, 5}
    many = np.arange(100) < 20
    weights = error_weights(many, times=5, most=0.3)
    assert weights[many].sum() / weights.sum() == pytest.approx(0.3)
    assert set(error_weights(np.arange(100) < 40, times=5, most=0.3)) == {1}
    assert set(error_weights(np.zeros(5, bool))) == {1}
