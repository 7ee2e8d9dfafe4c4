"""The losses against their definitions, finite differences and torch's own gradients."""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.models.objectives import CrossEntropy, GroupDRO, cross_entropy

SEEDS = st.integers(0, 10_000)


def some(seed, *, n=12, labels=3, groups=3):
    rng = np.random.default_rng(seed)
    offsets = np.log(rng.dirichlet(np.ones(labels), n))
    return (
        rng.integers(labels, size=n),
        rng.normal(scale=3, size=(n, labels)),
        rng.exponential(size=n) + 0.1,
        offsets,
        np.concatenate([np.arange(groups), rng.integers(groups, size=n - groups)]),
    )


def slow_loss(z, y):
    """Minus the log of the softmax, one row, as on paper."""
    return log(sum(exp(v) for v in z)) - z[y]


def slope_by_differences(loss, logits, *, h=1e-6):
    slope = np.zeros_like(logits)
    for place in np.ndindex(*logits.shape):
        up, down = logits.copy(), logits.copy()
        up[place] += h
        down[place] -= h
        slope[place] = (loss(up) - loss(down)) / (2 * h)
    return slope


@given(SEEDS)
def test_weighted_product_is_its_definition(seed):
    targets, logits, weights, offsets, _ = some(seed)
    rows = np.array([7, 2, 2, 11])
    loss, gradient = CrossEntropy(targets, weights=weights, offsets=offsets)(rows, logits[rows])
    mean_weight = sum(weights) / len(weights)
    expected = [
        weights[i] / mean_weight * slow_loss((logits[i] + offsets[i]).tolist(), targets[i]) for i in rows
    ]
    assert loss == pytest.approx(sum(expected) / len(rows))
    objective = CrossEntropy(targets, weights=weights, offsets=offsets)
    np.testing.assert_allclose(
        gradient, slope_by_differences(lambda z: objective(rows, z)[0], logits[rows]), atol=1e-7
    )


def test_the_main_models_probabilities_may_stand_for_its_logits():
    """Product of experts: softmax(log p_main + log p_bias) is softmax(logits + log p_bias)."""
    targets, logits, _, offsets, _ = some(1)
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    rows, objective = np.arange(len(targets)), CrossEntropy(targets, offsets=offsets)
    assert objective(rows, log_p)[0] == pytest.approx(objective(rows, logits)[0])


def test_gradients_are_those_of_torch():
    torch = pytest.importorskip("torch")
    targets, logits, weights, offsets, groups = some(3)
    rows, y = np.arange(len(targets)), torch.tensor(targets)
    z = torch.tensor(logits, requires_grad=True)
    each = torch.nn.functional.cross_entropy(z + torch.tensor(offsets), y, reduction="none")
    (each * torch.tensor(weights / weights.mean())).mean().backward()
    _, gradient = CrossEntropy(targets, weights=weights, offsets=offsets)(rows, logits)
    np.testing.assert_allclose(gradient, z.grad.numpy(), atol=1e-12)

    dro = GroupDRO(targets, groups, step=0.5)
    loss, gradient = dro(rows, logits)
    z = torch.tensor(logits, requires_grad=True)
    each = torch.nn.functional.cross_entropy(z, y, reduction="none")
    robust = sum(dro.q[g] * each[torch.tensor(groups == g)].mean() for g in range(3))
    robust.backward()
    assert loss == pytest.approx(robust.item())
    np.testing.assert_allclose(gradient, z.grad.numpy(), atol=1e-12)


def test_a_certain_answer_costs_nothing_and_overflows_nothing():
    losses, gradient = cross_entropy(np.array([[1e4, -1e4], [-1e4, 1e4]]), np.array([0, 0]))
    assert losses.tolist() == [0, 2e4]
    np.testing.assert_array_equal(gradient, [[0, 0], [-1, 1]])


@given(SEEDS, st.floats(0.01, 1), st.floats(0, 2))
def test_group_weights_move_as_in_algorithm_1(seed, step, adjustment):
    """All rows asked, three times over."""
    targets, logits, _, _, groups = some(seed)
    dro = GroupDRO(targets, groups, step=step, adjustment=adjustment)
    q = [1 / 3] * 3
    for turn in range(3):
        z = logits / (turn + 1)
        means = []
        for g in range(3):
            rows = [i for i in range(len(targets)) if groups[i] == g]
            means.append(sum(slow_loss(z[i].tolist(), targets[i]) for i in rows) / len(rows))
            q[g] *= exp(step * (means[g] + adjustment / sqrt(len(rows))))
        q = [value / sum(q) for value in q]
        loss, _ = dro(np.arange(len(targets)), z)
        assert dro.q.tolist() == pytest.approx(q)
        assert loss == pytest.approx(sum(a * b for a, b in zip(q, means, strict=True)))


def test_a_group_that_is_not_asked_gains_nothing():
    targets, logits, _, _, groups = some(5)
    dro = GroupDRO(targets, groups, step=0.5, adjustment=1.0)
    rows = np.flatnonzero(groups != 1)
    _, gradient = dro(rows, logits[rows])
    losses = cross_entropy(logits, targets)[0]
    asked = len(targets) / len(rows)  # fewer rows were asked, so that each stands for more
    grown = [
        exp(0.5 * (asked * losses[groups == g].mean() + 1 / sqrt((groups == g).sum()))) if g != 1 else 1.0
        for g in range(3)
    ]
    assert dro.q.tolist() == pytest.approx([value / sum(grown) for value in grown])
    assert gradient.shape == (len(rows), 3)


def test_group_losses_of_parts_are_right_on_average():
    """Every part of four rows, each as likely: their mean gradient is the gradient over all rows."""
    from itertools import combinations

    targets, logits, _, _, groups = some(6, n=7)
    whole = GroupDRO(targets, groups, step=0.0)(np.arange(7), logits)
    parts = list(combinations(range(7), 4))
    loss, gradient = 0.0, np.zeros_like(logits)
    for part in parts:
        rows = np.array(part)
        part_loss, slope = GroupDRO(targets, groups, step=0.0)(rows, logits[rows])
        loss += part_loss / len(parts)
        gradient[rows] += slope / len(parts)
    assert loss == pytest.approx(whole[0])
    np.testing.assert_allclose(gradient, whole[1], atol=1e-12)


def test_a_number_without_a_group_has_no_weight():
    assert GroupDRO(np.array([0, 1]), np.array([0, 2])).q.tolist() == [0.5, 0, 0.5]
