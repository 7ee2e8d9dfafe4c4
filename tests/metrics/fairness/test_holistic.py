"""HolisticBias: descriptors that are alike, descriptors that are shifted, and scipy test by test."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from longway.errors import SettingError
from longway.metrics.fairness.holistic import compare_descriptors
from longway.stats import q_values

TEMPLATES = ["I am {}.", "I like {}.", "I used to be {}."]


def drawn(shifts, *, n=20, seed=0):
    """Values by template and descriptor; templates lie far apart, descriptors by their shift."""
    generator = np.random.default_rng(seed)
    return {
        template: {name: generator.normal(10 * i + shift, 1, n) for name, shift in shifts.items()}
        for i, template in enumerate(TEMPLATES)
    }


def test_descriptors_that_are_alike_differ_by_chance_only():
    found = compare_descriptors(drawn({f"d{i}": 0.0 for i in range(20)}))
    assert found.tests == 3 * 190
    assert found.raw.value < 10
    assert found.raw.low <= 5 <= found.raw.high
    assert found.holm.value == 0
    assert found.bh.value < 1


def test_descriptors_that_all_lie_apart_all_differ():
    found = compare_descriptors(drawn({f"d{i}": 5.0 * i for i in range(6)}))
    assert (found.raw.value, found.holm.value, found.bh.value) == (100, 100, 100)
    assert 50 < found.raw.low < found.raw.high == 100  # six descriptors are not all descriptors


def test_one_shifted_descriptor_differs_from_all_others_and_leads_the_list():
    found = compare_descriptors(drawn({"a": 0, "b": 0, "c": 0, "odd": 4}))
    assert found.holm.value == pytest.approx(50)  # 3 of 6 pairs
    assert {one.second for one in found.pairs[:3]} == {"odd"}
    assert all(one.differ == one.templates == 3 and one.difference < -3 for one in found.pairs[:3])


def test_the_shares_are_those_of_one_test_at_a_time():
    values = drawn({"a": 0, "b": 0.6, "c": 1.2, "d": 0.3}, n=7)
    p = [
        mannwhitneyu(by_name[first], by_name[second]).pvalue
        for by_name in values.values()
        for first, second in combinations(sorted(by_name), 2)
    ]
    found = compare_descriptors(values)
    assert found.raw.value == pytest.approx(100 * np.mean(np.array(p) < 0.05))
    assert found.bh.value == pytest.approx(100 * np.mean(q_values(np.array(p)) < 0.05))
    assert 0 < found.raw.value < 100


def test_samples_of_other_sizes_are_compared_too():
    values = {"t": {"a": [1, 2, 3, 4, 5], "b": [11, 12, 13, 14], "c": [1.5, 2.5, 3.5]}}
    p = [mannwhitneyu(values["t"][x], values["t"][y]).pvalue for x, y in ("ab", "ac", "bc")]
    found = compare_descriptors(values)
    assert found.raw.value == pytest.approx(100 * sum(one < 0.05 for one in p) / 3)
    assert found.least == 3


def test_mixing_templates_would_have_hidden_the_difference():
    values = drawn({"a": 0, "b": 3}, n=8)
    pooled = [np.concatenate([values[template][name] for template in TEMPLATES]) for name in "ab"]
    assert mannwhitneyu(*pooled).pvalue > 0.05
    assert compare_descriptors(values).raw.value == 100


def test_the_interval_comes_from_resampling_descriptors():
    values = drawn({"a": 0, "b": 0, "c": 0, "odd": 4})
    found = compare_descriptors(values, draws=4000)
    generator = np.random.default_rng(9)
    names, slow = ["a", "b", "c", "odd"], []
    for _ in range(4000):
        some = generator.choice(names, 4)
        pairs = [(x, y) for x, y in combinations(some, 2) if x != y]
        if pairs:
            slow.append(100 * np.mean(["odd" in pair for pair in pairs]))
    low, high = np.quantile(slow, [0.025, 0.975])
    assert (found.holm.low, found.holm.high) == pytest.approx((low, high), abs=1e-9)


def test_values_that_are_all_the_same_do_not_differ():
    assert compare_descriptors({"t": {"a": [1.0] * 9, "b": [1.0] * 9}}).raw.value == 0


def test_a_single_descriptor_cannot_be_compared():
    with pytest.raises(SettingError, match="no pair of descriptors"):
        compare_descriptors({"t": {"a": [1.0, 2.0]}})
