"""Just Train Twice: which rows count more, and how much."""

import numpy as np
import pytest

from longway.classify.bag_of_words import Linear
from longway.classify.training import JustTrainTwice, TrainingData
from longway.errors import SettingError
from tests.classify.training.toy import SINGLE, found


def test_errors_are_mostly_the_rows_the_shortcut_gets_wrong():
    data = TrainingData(SINGLE.rows(1000, right=0.95, seed=0))
    errors = JustTrainTwice().errors(lambda seed: Linear(seed=seed), data, seed=0)
    counters = found(data.labelled).toarray().argmax(axis=1) != data.targets()
    assert errors[counters].mean() > 0.7
    assert errors[~counters].mean() < 0.1


def test_errors_count_so_many_times_but_no_more_than_their_share():
    few = np.arange(100) < 4
    assert set(JustTrainTwice(times=5).weights(few)) == {1, 5}
    many = np.arange(100) < 20
    weights = JustTrainTwice(times=5, most=0.3).weights(many)
    assert weights[many].sum() / weights.sum() == pytest.approx(0.3)
    assert set(JustTrainTwice(times=5, most=0.3).weights(np.arange(100) < 40)) == {1}
    assert set(JustTrainTwice().weights(np.zeros(5, bool))) == {1}


def test_errors_cannot_count_less_than_once():
    with pytest.raises(SettingError, match="'times' must be 1 or more"):
        JustTrainTwice(times=0.5)
    with pytest.raises(SettingError, match="'most' must be"):
        JustTrainTwice(most=1.0)
