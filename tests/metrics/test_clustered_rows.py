"""Test rows that belong together: how often intervals hold the truth, how often verdicts are false, against drawing new clusters."""

import numpy as np
import pytest

from longway.data import as_dataset
from longway.detect.reading import Reading
from longway.jobs.prove.training import related_rows
from longway.metrics.group_accuracy import group_accuracies, pattern_accuracy
from longway.metrics.intervals import (
    accuracy_estimate,
    bootstrap,
    design_effect,
    estimate,
    mean_interval,
    observations,
    widest,
)
from longway.metrics.paired import paired

ACCURACY, CLUSTERS, SIZE, RUNS = 0.8, 40, 8, 200


def drawn(seed):
    """New clusters: a model is mostly right on all rows of a cluster or on none. Returns correct and cluster of each row."""
    generator = np.random.default_rng(seed)
    of = np.repeat(np.arange(CLUSTERS), SIZE)
    shared = generator.random(CLUSTERS) < ACCURACY
    alone = generator.random(len(of)) < ACCURACY
    return np.where(generator.random(len(of)) < 0.9, shared[of], alone), of


def covers(interval):
    return interval.low <= ACCURACY <= interval.high


def test_intervals_hold_the_truth_if_clusters_are_drawn_and_not_if_rows_are():
    by_rows, by_clusters, group_by_rows, group_by_clusters = 0, 0, 0, 0
    for seed in range(RUNS):
        correct, of = drawn(seed)
        by_rows += covers(accuracy_estimate(correct, draws=200))
        by_clusters += covers(accuracy_estimate(correct, clusters=[of], draws=200))
        everybody = ["all"] * len(correct)
        group_by_rows += covers(group_accuracies(correct, everybody)[0])
        group_by_clusters += covers(group_accuracies(correct, everybody, clusters=[of])[0])
    assert max(by_rows, group_by_rows) < 0.7 * RUNS
    assert min(by_clusters, group_by_clusters) > 0.9 * RUNS


def test_equal_models_are_rarely_called_different_if_clusters_flip_together():
    by_rows, by_clusters = 0, 0
    for seed in range(RUNS):
        before, of = drawn(seed)
        generator = np.random.default_rng(10_000 + seed)
        anew = generator.random(CLUSTERS) < 0.3  # where the second model differs, whole clusters do
        after = np.where(anew[of], (generator.random(CLUSTERS) < ACCURACY)[of], before)
        by_rows += paired(before, after, draws=200).verdict != "no clear difference"
        by_clusters += paired(before, after, clusters=[of], draws=200).verdict != "no clear difference"
    assert by_rows > 0.3 * RUNS
    assert by_clusters <= 0.05 * RUNS


def test_a_real_difference_is_found_with_clusters():
    before, of = drawn(1)
    after = np.where(of % 4 == 0, True, before)
    before = np.where(of % 4 == 0, False, before)
    assert paired(before, after, clusters=[of]).verdict == "better"


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "f1:a", "auroc", "brier"])
def test_every_metric_has_a_wider_interval_if_rows_repeat(metric):
    correct, of = drawn(3)
    truth = np.where(np.arange(CLUSTERS) % 2, "a", "b")[of]
    right = np.where(correct, 0.9, 0.1)
    of_a = np.where(truth == "a", right, 1 - right)
    given = np.stack([of_a, 1 - of_a], axis=1)
    rows, clusters = (
        estimate(metric, truth.tolist(), given, ["a", "b"], clusters=ways, draws=200) for ways in ((), [of])
    )
    assert clusters.mean == rows.mean
    assert clusters.high - clusters.low > 1.5 * (rows.high - rows.low)


def test_f1_of_clusters_is_what_drawing_their_rows_gives():
    correct, of = drawn(4)
    truth = np.where(np.arange(len(of)) % 3, "a", "b")
    predicted_a = (truth == "a") == correct
    given = np.stack([predicted_a, ~predicted_a], axis=1).astype(float)

    def f1(rows):
        both = (predicted_a[rows] & (truth[rows] == "a")).sum()
        return 2 * both / (predicted_a[rows].sum() + (truth[rows] == "a").sum())

    slow = np.quantile(bootstrap(f1, len(of), together=of, draws=2000, seed=1), [0.025, 0.975])
    fast = estimate("f1:a", truth.tolist(), given, ["a", "b"], clusters=[of], draws=2000)
    assert [fast.low, fast.high] == pytest.approx(slow, abs=0.015)


def test_the_design_effect_is_the_size_of_clusters_that_agree_and_one_of_single_rows():
    correct = np.random.default_rng(0).random(500) < 0.7
    assert design_effect(np.repeat(correct, 4).astype(float), np.repeat(np.arange(500), 4)) == pytest.approx(
        4, rel=0.01
    )
    assert design_effect(correct.astype(float), np.arange(500)) == pytest.approx(1)
    assert observations(np.ones(12), [np.repeat(np.arange(3), 4)]) == 3


def test_the_way_with_the_largest_variance_counts_and_rows_if_none_is_larger():
    correct, of = drawn(5)
    other = np.arange(len(of)) % 100
    assert widest(correct.astype(float), [other, of]) is of
    mixed = np.tile([1.0, 0.0], 50)
    pairs = np.repeat(np.arange(50), 2)  # one right and one wrong in each: rows vary more than pairs
    assert widest(mixed, [pairs]) is None
    assert mean_interval(mixed, lowest=0, clusters=[pairs]) == mean_interval(mixed, lowest=0)


def test_without_repeats_nothing_changes():
    """A test set whose rows share nothing has no ways in which they belong together."""
    rows = [{"text": f"row {i} says {i * 7} and {i * 11}", "label": "ab"[i % 2]} for i in range(60)]
    assert related_rows(Reading.of(as_dataset(rows)), np.arange(60)) == []


def test_test_rows_belong_together_by_text_by_context_and_by_either():
    rows = [
        {"claim": f"the claim number {i // 2} is here", "evidence": f"evidence {i // 2 + (i % 2) * 100} {i % 2}", "label": "ab"[i % 2]}
        for i in range(60)
    ]  # fmt: skip
    for row in rows[40:]:
        row["evidence"] = "one evidence for all of these"
    reading = Reading.of(as_dataset(rows))
    by_text, by_context, by_either = related_rows(reading, np.arange(60))
    assert np.bincount(by_text).tolist() == [2] * 30
    assert sorted(np.bincount(by_context).tolist())[-1] == 20
    assert sorted(np.bincount(by_either).tolist())[-1] == 20
    kept = np.arange(0, 60, 2)  # one of each pair: only the shared evidence is left
    assert [np.bincount(way).max() for way in related_rows(reading, kept)] == [10, 10]
    shared = related_rows(reading, np.arange(30, 60))
    assert len(shared) == 2, "either connects most rows and is left out"


def test_both_sides_of_a_pattern_count_clusters():
    correct, of = drawn(6)
    has_label = of % 2 == 0
    rows, clusters = (
        pattern_accuracy(correct, np.ones(len(of), bool), has_label, clusters=ways) for ways in ((), [of])
    )
    assert clusters.gap == rows.gap
    assert clusters.gap_low < rows.gap_low < rows.gap_high < clusters.gap_high
