"""Softmax regression: against scikit-learn, against slopes by small differences, and what it tells on the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from longway.errors import TrainingError
from longway.models.objectives import CrossEntropy, GroupDRO
from longway.models.softmax_regression import _RegularizedLoss, fit_softmax


def made_up(n=80, columns=6, labels=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, columns))
    targets = (features @ rng.normal(size=(columns, labels)) + rng.normal(size=(n, labels))).argmax(axis=1)
    return features, targets


@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0])
def test_the_minimum_is_that_of_scikit_learn(strength):
    from sklearn.linear_model import LogisticRegression

    features, targets = made_up()
    found = fit_softmax(features, CrossEntropy(targets), 3, strength=strength)
    theirs = LogisticRegression(C=strength, tol=1e-8, max_iter=1000).fit(features, targets)
    np.testing.assert_allclose(found.weights, theirs.coef_.T, atol=2e-3)
    sparse = fit_softmax(csr_matrix(features), CrossEntropy(targets), 3, strength=strength)
    np.testing.assert_allclose(sparse.weights, found.weights, atol=2e-3)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_slopes_equal_small_differences(seed):
    features, targets = made_up(12, 3, 3, seed)
    rng = np.random.default_rng(seed)
    objective = CrossEntropy(targets, weights=rng.random(12) + 0.1, offsets=rng.normal(size=(12, 3)))
    lowered = _RegularizedLoss(features, objective, 3, 0.3)
    x = rng.normal(size=12)
    _, slope = lowered(x)
    for i in range(12):
        step = np.eye(12)[i] * 1e-6
        assert slope[i] == pytest.approx((lowered(x + step)[0] - lowered(x - step)[0]) / 2e-6, abs=1e-5)


def test_the_best_checkpoint_on_the_validation_rows_is_kept(offered):
    features, targets = made_up()
    other, wrong = made_up(seed=5)
    stop = (other, wrong)  # rows of another rule: learning more does not help there
    found = fit_softmax(features, CrossEntropy(targets), 3, strength=100, validation=stop)
    assert (found.logits(other).argmax(axis=1) == wrong).mean() == max(offered)
    assert offered[-1] < max(offered)


def test_a_moving_objective_gets_steps_and_helps_the_small_group():
    rng = np.random.default_rng(0)
    cue = np.r_[np.repeat([0, 1], 45), np.repeat([0, 1], 5)]
    targets = np.r_[np.repeat([0, 1], 45), np.repeat([1, 0], 5)]  # the cue misleads in the small group
    signal = targets * 2 - 1 + rng.normal(0, 1.5, 100)
    features = np.c_[3 * (cue * 2 - 1), signal]
    groups = (cue != targets).astype(int)
    plain = fit_softmax(features, CrossEntropy(targets), 2)
    careful = fit_softmax(features, GroupDRO(targets, groups, step=0.1), 2)
    small = groups == 1

    def right(model):
        return (model.logits(features).argmax(axis=1) == targets)[small].mean()

    assert right(careful) >= right(plain) + 0.3


def test_too_few_steps_are_said():
    features, targets = made_up()
    with pytest.warns(UserWarning, match="stopped after 2 steps without converging"):
        fit_softmax(features, CrossEntropy(targets), 3, max_steps=2)


def test_a_loss_that_is_not_a_number_stops_training():
    features, targets = made_up()
    with pytest.raises(TrainingError, match="not-a-number"):
        fit_softmax(features, CrossEntropy(targets, weights=np.full(80, np.nan)), 3)
