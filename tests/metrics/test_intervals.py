"""Intervals: what they are made of, and how often they hold the truth."""

import numpy as np
import pytest

from longway.metrics.classification import METRICS, macro_f1
from longway.metrics.intervals import (
    _drawn_weights,
    accuracy_estimate,
    bootstrap,
    correctness,
    estimate,
    mean_and_std,
    mean_interval,
)
from longway.stats import wilson_interval

LABELS = ["a", "b", "c"]


def made_up(seeds=2, rows=40, labels=LABELS, seed=0):
    generator = np.random.default_rng(seed)
    odds = generator.random((seeds, rows, len(labels)))
    return generator.choice(labels, size=rows).tolist(), odds / odds.sum(axis=2, keepdims=True)


def test_mean_and_std_over_seeds():
    assert mean_and_std([1.0, 2.0, 3.0]) == (2.0, 1.0)
    mean, std = mean_and_std([0.7])
    assert mean == 0.7
    assert np.isnan(std)


def test_bootstrap_draws_rows_with_replacement_and_repeats_itself():
    drawn = []
    bootstrap(lambda rows: drawn.append(rows) or 0.0, 5, draws=20, seed=3)
    assert all(len(rows) == 5 and set(rows.tolist()) <= set(range(5)) for rows in drawn)
    assert any(len(set(rows.tolist())) < 5 for rows in drawn)
    again = bootstrap(lambda rows: float(rows.sum()), 5, draws=20, seed=3)
    assert again.tolist() == [float(rows.sum()) for rows in drawn]


def test_drawing_kinds_of_rows_is_the_same_as_drawing_rows():
    values = np.repeat([0.0, 0.5, 1.0], [30, 10, 60])
    slow = np.quantile(bootstrap(lambda rows: float(values[rows].mean()), 100, draws=4000), [0.025, 0.975])
    assert mean_interval(values, lowest=0.0, draws=4000) == pytest.approx(tuple(slow), abs=0.015)


def test_where_all_rows_are_alike_the_interval_is_wilsons():
    assert mean_interval(np.ones(20), lowest=0.0) == pytest.approx(wilson_interval(1.0, 20))
    assert mean_interval(np.zeros(20), lowest=0.0) == pytest.approx(wilson_interval(0.0, 20))
    low, high = mean_interval(np.zeros(3), lowest=-1.0)
    assert low == -high
    assert high > 0.5  # three rows without a difference say little


def test_the_interval_of_accuracy_holds_the_truth_19_times_in_20():
    generator = np.random.default_rng(5)
    truth, inside = 0.8, 0
    for trial in range(400):
        one = accuracy_estimate(generator.random(60) < truth, draws=400, seed=trial)
        inside += one.low <= truth <= one.high
    assert 0.90 <= inside / 400 <= 0.985


def test_the_interval_of_f1_holds_the_truth_19_times_in_20():
    """Truth: the F1 of a hundred thousand rows made the same way."""
    large, odds = made_up(seeds=1, rows=100_000, labels=["a", "b"], seed=1)
    target = macro_f1(large, odds[0], ["a", "b"])
    inside = 0
    for trial in range(200):
        truth, probabilities = made_up(seeds=1, rows=80, labels=["a", "b"], seed=trial + 2)
        one = estimate("macro_f1", truth, probabilities, ["a", "b"], draws=300, seed=trial)
        inside += one.low <= target <= one.high
    assert 0.89 <= inside / 200 <= 0.99


@pytest.mark.parametrize("name", [*METRICS, "f1:b"])
def test_every_metric_has_a_mean_over_seeds_inside_its_interval(name):
    truth, probabilities = made_up(rows=120)
    one = estimate(name, truth, probabilities, LABELS, draws=60)
    assert (one.n, one.seeds) == (120, 2)
    assert one.std > 0
    assert one.low < one.high
    if (
        name != "calibration_error"
    ):  # a resample is less calibrated than the sample: its interval lies a little above
        assert one.low < one.mean < one.high
    assert estimate(name, truth, probabilities, LABELS, draws=60) == one


@pytest.mark.parametrize("name", ["macro_f1", "f1:b"])
def test_f1_from_kinds_of_rows_equals_f1_of_drawn_rows(name):
    from longway.metrics.classification import metric_named

    truth, probabilities = made_up(rows=60)

    def of_rows(rows):
        drawn = [truth[i] for i in rows]
        return np.mean([metric_named(name)(drawn, one[rows], LABELS) for one in probabilities])

    slow = np.quantile(bootstrap(of_rows, 60, draws=1500), [0.025, 0.975])
    fast = estimate(name, truth, probabilities, LABELS, draws=4000)
    assert (fast.low, fast.high) == pytest.approx(tuple(slow), abs=0.025)
    assert fast.mean == pytest.approx(of_rows(np.arange(60)))


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.of_numbers])
def test_a_metric_of_weights_equals_that_of_rows_drawn_so_often(name):
    truth, probabilities = made_up(rows=40)
    probabilities = probabilities[0].round(1)  # ties
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    drawn = np.random.default_rng(7).integers(40, size=(20, 40))
    slow = [METRICS[name].measure([truth[i] for i in rows], probabilities[rows], LABELS) for rows in drawn]
    weights = np.array([np.bincount(rows, minlength=40) for rows in drawn], float)
    numbers = np.array([LABELS.index(label) for label in truth])
    assert METRICS[name].of_numbers(numbers, probabilities, weights) == pytest.approx(slow)


def test_rows_of_a_cluster_are_drawn_together():
    together = np.array([5, 5, 2, 9, 2])
    weights = np.concatenate([*_drawn_weights(5, together, 50, 0)])
    assert weights.shape == (50, 5)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 2] == weights[:, 4]).all()
    assert (weights[:, [0, 2, 3]].sum(axis=1) == 3).all()
    assert np.ptp(weights[:, 0]) > 1


def test_correctness_is_of_each_seed_and_row():
    probabilities = np.array([[[0.9, 0.1], [0.9, 0.1]], [[0.1, 0.9], [0.1, 0.9]]])
    assert correctness(["a", "b"], probabilities, ["a", "b"]).tolist() == [[True, False], [False, True]]


def test_one_test_row_has_an_interval_of_accuracy_alone():
    probabilities = np.array([[0.9, 0.1]])
    assert estimate("accuracy", ["a"], probabilities, ["a", "b"]).low == pytest.approx(
        wilson_interval(1, 1)[0]
    )
    for name in ("macro_f1", "brier", "auroc"):
        one = estimate(name, ["a"], probabilities, ["a", "b"], draws=10)
        assert np.isnan(one.low)
        assert one.to_dict()["low"] is None
        assert one.to_dict()["std"] is None


def test_resamples_without_a_label_are_left_out_of_auroc():
    truth, probabilities = ["a"] * 9 + ["b"], np.linspace([0.9, 0.1], [0.2, 0.8], 10)
    one = estimate("auroc", truth, probabilities, ["a", "b"], draws=200)
    assert one.mean == 1
    assert one.low == one.high == 1
    assert np.isnan(estimate("auroc", ["a"] * 10, probabilities, ["a", "b"], draws=20).mean)
