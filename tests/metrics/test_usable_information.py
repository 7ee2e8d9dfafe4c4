"""Pointwise V-information, on probabilities small enough to work out by hand."""

from math import log2

import numpy as np
import pytest

from longway.errors import SettingError
from longway.metrics.usable_information import pointwise, usable_information


@pytest.mark.parametrize(
    ("given_row", "given_nothing", "bits"),
    [
        (1.0, 0.5, 1.0),  # solved: all of the label's one bit
        (0.5, 0.5, 0.0),  # reading the row says nothing
        (0.25, 0.5, -1.0),  # misleading
        (0.8, 0.1, 3.0),  # a rare label
    ],
)
def test_pvi_equals_the_hand_computation(given_row, given_nothing, bits):
    assert pointwise([given_row], [given_nothing])[0] == pytest.approx(bits)


def test_pvi_of_a_label_with_probability_zero_is_finite():
    assert -21 < pointwise([0.0], [0.5])[0] < -18


def test_probabilities_must_be_probabilities():
    with pytest.raises(SettingError, match="'given_row' must be probabilities"):
        pointwise([1.2], [0.5])


def test_information_of_the_dataset_is_entropy_minus_cross_entropy():
    own, share = np.array([0.9, 0.7, 0.2, 0.6]), np.array([0.75, 0.75, 0.25, 0.75])
    entropy = -sum(map(log2, share)) / 4
    found = usable_information(pointwise(own, share), entropy)
    assert found.bits == pytest.approx(entropy - -sum(map(log2, own)) / 4)
    assert found.low < found.bits < found.high


def test_rows_that_belong_together_count_as_fewer_observations():
    pvi = np.repeat([1.0, 0.0, 1.0, 0.0], 25)
    apart, together = (
        usable_information(pvi, 1.0),
        usable_information(pvi, 1.0, groups=np.repeat(range(4), 25)),
    )
    assert together.high - together.low == pytest.approx(5 * (apart.high - apart.low))


def test_no_rows_have_no_information():
    assert usable_information([], 0.0).to_dict() == {
        "bits": 0.0,
        "low": 0.0,
        "high": 0.0,
        "entropy": 0.0,
        "rows": 0,
    }
