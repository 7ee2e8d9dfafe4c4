"""Metrics against scikit-learn and against definitions written out row by row."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from longway.errors import SettingError
from longway.metrics.classification import (
    METRICS,
    accuracy,
    binary_f1,
    macro_f1,
    metric_named,
)

auroc, brier, calibration_error = (
    METRICS["auroc"].measure,
    METRICS["brier"].measure,
    METRICS["calibration_error"].measure,
)
LABELS = ["a", "b", "c"]
SURE = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])


@st.composite
def predictions(draw, labels=None):
    labels = labels or LABELS[: draw(st.integers(2, 3))]
    n = draw(st.integers(1, 12))
    truth = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    whole = draw(
        st.lists(
            st.lists(st.integers(1, 5), min_size=len(labels), max_size=len(labels)), min_size=n, max_size=n
        )
    )
    odds = np.array(whole, float)
    return truth, odds / odds.sum(axis=1, keepdims=True), labels


def predicted(probabilities, labels):
    return [labels[i] for i in probabilities.argmax(axis=1)]


@given(case=predictions())
def test_accuracy_and_f1_equal_sklearn(case):
    truth, probabilities, labels = case
    said = predicted(probabilities, labels)
    assert accuracy(*case) == pytest.approx(sk.accuracy_score(truth, said))
    assert macro_f1(*case) == pytest.approx(sk.f1_score(truth, said, average="macro", zero_division=0))
    expected = sk.f1_score([t == "b" for t in truth], [s == "b" for s in said], zero_division=0)
    assert binary_f1(*case, positive="b") == pytest.approx(expected)


@given(case=predictions())
def test_brier_equals_sklearn(case):
    truth, probabilities, labels = case
    expected = (
        sk.brier_score_loss(truth, probabilities, labels=labels, scale_by_half=True)
        if len(labels) > 2
        else None
    )
    if expected is None:
        expected = sk.brier_score_loss([t == "b" for t in truth], probabilities[:, 1])
    assert brier(*case) == pytest.approx(expected)


@given(case=predictions())
def test_auroc_equals_sklearn_or_is_nan_where_a_label_is_missing(case):
    truth, probabilities, labels = case
    if set(truth) != set(labels):
        assert np.isnan(auroc(*case))
    elif len(labels) == 2:
        assert auroc(*case) == pytest.approx(sk.roc_auc_score(truth, probabilities[:, 1]))
    else:
        expected = sk.roc_auc_score(truth, probabilities, multi_class="ovr", labels=labels)
        assert auroc(*case) == pytest.approx(expected)


@given(case=predictions())
def test_the_calibration_error_equals_the_definition(case):
    truth, probabilities, labels = case
    rows = [(max(p), labels[int(np.argmax(p))] == t) for p, t in zip(probabilities, truth, strict=True)]
    error, edges = 0.0, np.linspace(0, 1, 16)
    for low, high in pairwise(edges):
        inside = [r for r in rows if low < r[0] <= high]
        if inside:
            confidence, share = np.mean([r[0] for r in inside]), np.mean([r[1] for r in inside])
            error += len(inside) / len(rows) * abs(confidence - share)
    assert calibration_error(*case) == pytest.approx(error)


def test_every_metric_of_the_table_measures_one_row_and_equal_predictions():
    equal = np.full((4, 3), 1 / 3)
    for name, metric in METRICS.items():
        assert isinstance(metric.measure(["a", "b", "c", "a"], equal, LABELS), float), name
        one = metric.measure(["a"], equal[:1], LABELS)
        assert np.isnan(one) == (name == "auroc")
    assert auroc(["a", "b", "c", "a"], equal, LABELS) == 0.5


def test_a_label_missing_in_the_test_counts_in_f1_only_where_it_was_predicted():
    assert macro_f1(["a", "b"], SURE[:2], LABELS) == 1
    assert macro_f1(["a", "b", "b"], SURE, LABELS) == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_a_metric_is_found_by_its_name():
    assert metric_named("brier") is brier
    assert metric_named("f1:b")(["a", "b", "c"], SURE, LABELS) == 1


@pytest.mark.parametrize(
    ("truth", "probabilities", "message"),
    [
        ([], np.zeros((0, 3)), "has no rows"),
        (["a", "b", "d"], SURE, "the label 'd', but the model knows only"),
        (["a", "b", "c"], SURE * np.nan, "Row 0 is .*Training may have diverged"),
        (["a", "b", "c"], SURE * 2, "probabilities of 3 test rows"),
        (["a"], np.array([[1.5, -0.5, 0.0]]), "from 0 to 1"),
    ],
)
@pytest.mark.parametrize("name", METRICS)
def test_what_cannot_be_measured_is_told(name, truth, probabilities, message):
    with pytest.raises(SettingError, match=message):
        METRICS[name].measure(truth, probabilities, LABELS)
