"""The chart against the list of all trees: sums, derivatives, best and drawn trees, of sentences and pairs."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="the grammar's charts need torch (longway[neural])")

from scipy.stats import chisquare  # noqa: E402

from longway.grammars.backtrace import backtrace  # noqa: E402
from longway.grammars.chart import Rules, Shape  # noqa: E402
from longway.grammars.partition import log_partition, tree_chart  # noqa: E402
from longway.grammars.semiring import LogSemiring, MaxSemiring, SampleSemiring  # noqa: E402
from tests.grammar.enumeration import (  # noqa: E402
    Listed,
    alone,
    grammar_of,
    leaves_of,
    log_of_tree,
    logs_of_parts,
    n_trees,
    trees_of,
)

MANY = 3000  # trees that a test lists at most
LENGTHS = [(n, m) for n, m in product(range(6), range(6)) if n + m]
SMALL = [
    (lengths, N, P)
    for lengths, N, P in product(LENGTHS, (1, 2, 3), (1, 2, 3))
    if n_trees(*lengths, N, P) <= MANY
]
PLAIN = [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (2, 2), (4, 0), (0, 4), (3, 1)]


def small_case(lengths, N, P, seed, *, items=1):
    shape = Shape(*lengths)
    return grammar_of(N, P, seed=seed), leaves_of(items, shape, P, seed=seed + 1), shape


def lengths_of(shape, items=1):
    return torch.tensor([[shape.n, shape.m]] * items)


def picked(semiring, rules, leaves, shape, lengths):
    """One tree for each item, as the algebra picks it."""
    chart = tree_chart(semiring, rules, leaves, lengths, shape)
    return trees_of(backtrace(semiring, rules, leaves, lengths, shape, chart))


def counts_of(gradients, shape):
    """The derivatives of one pair's log probability in the words of `Listed.expected_counts`."""
    root, binary, leaves = gradients
    found = Counter({("root", a): value for a, value in enumerate(root.tolist())})
    N, symbols = binary.shape[:2]
    for a, b, c in product(range(N), range(symbols), range(symbols)):
        found["rule", a, b, c] = binary[a, b, c].item()
    for kind in ((1, 0), (0, 1), (1, 1)):
        block = shape.block(leaves, kind)[0]
        for i, k, s in product(*map(range, block.shape)):
            found["leaf", (i, kind[0], k, kind[1]), N + s] = block[i, k, s].item()
    return found


# sums over all trees


@given(st.sampled_from(SMALL), st.integers(0, 999))
def test_the_log_probability_is_the_sum_over_all_trees(case, seed):
    rules, leaves, shape = small_case(*case, seed)
    expected = Listed(rules, leaves[0], shape).log_total
    assert log_partition(rules, leaves, lengths_of(shape), shape).item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("lengths", PLAIN)
def test_its_derivatives_are_the_expected_counts(lengths):
    rules, leaves, shape = small_case(lengths, 2, 2, seed=3)
    for tensor in (rules.root, rules.binary, leaves):
        tensor.requires_grad_()
    total = log_partition(rules, leaves, lengths_of(shape), shape).sum()
    found = counts_of(torch.autograd.grad(total, (rules.root, rules.binary, leaves)), shape)
    expected = Listed(rules, leaves[0], shape).expected_counts()
    assert set(expected) <= set(found)
    for part, count in found.items():
        assert count == pytest.approx(expected[part], abs=1e-10), part


def test_every_word_is_written_once():
    rules, leaves, shape = small_case((7, 5), 3, 4, seed=5)
    leaves.requires_grad_()
    (counts,) = torch.autograd.grad(log_partition(rules, leaves, lengths_of(shape), shape).sum(), leaves)
    gone, new, both = (shape.block(counts, kind)[0].sum(-1) for kind in ((1, 0), (0, 1), (1, 1)))
    assert gone.sum(1) + both.sum(1) == pytest.approx(torch.ones(7), abs=1e-9)
    assert new.sum(0) + both.sum(0) == pytest.approx(torch.ones(5), abs=1e-9)


# the best tree, and drawn ones


@given(st.sampled_from(SMALL), st.integers(0, 999))
def test_the_best_tree_is_the_best_of_all(case, seed):
    rules, leaves, shape = small_case(*case, seed)
    listed = Listed(rules, leaves[0], shape)
    (tree,) = picked(MaxSemiring(), rules, leaves, shape, lengths_of(shape))
    assert listed.logs[listed.trees.index(tree)] == pytest.approx(max(listed.logs), abs=1e-9)


@given(st.sampled_from([case for case in SMALL if sum(case[0]) > 1]), st.integers(0, 999))
def test_the_best_score_is_that_of_the_best_tree(case, seed):
    rules, leaves, shape = small_case(*case, seed)
    listed = Listed(rules, leaves[0], shape)
    chart = tree_chart(MaxSemiring(), rules, leaves, lengths_of(shape), shape)
    whole = chart.values[0, 0, shape.n, 0, shape.m] + chart.scales[0, 0, shape.n, 0, shape.m]
    found = max((whole + rules.root[: len(whole)]).max().item(), *_leaf_scores(rules, leaves, shape))
    assert found == pytest.approx(max(listed.logs), abs=1e-9)


def _leaf_scores(rules, leaves, shape):
    """Scores of a pair as a single leaf; no tree is as unlikely as the first, which stands for none."""
    if (shape.n, shape.m) != (1, 1):
        return [float("-inf")]
    return (shape.block(leaves, (1, 1))[0, 0, 0] + rules.root[rules.nonterminals :]).tolist()


@pytest.mark.parametrize("lengths", [(1, 0), (1, 1), (3, 0), (2, 1), (0, 3)])
def test_drawn_trees_come_as_often_as_their_probability_says(lengths):
    rules, leaves, shape = small_case(lengths, 1, 2, seed=8)
    n = 4000
    drawn = picked(
        SampleSemiring(torch.Generator().manual_seed(1)),
        rules,
        leaves.expand(n, -1, -1),
        shape,
        lengths_of(shape, n),
    )
    shares = Listed(rules, leaves[0], shape).shares()
    counts = Counter(drawn)
    assert set(counts) <= set(shares)
    often = [tree for tree in shares if n * shares[tree] >= 5]
    observed = [counts[tree] for tree in often] + [n - sum(counts[tree] for tree in often)]
    expected = [n * shares[tree] for tree in often]
    expected.append(n - sum(expected))
    if expected[-1] < 5:  # the rare ones together are too few to be tested
        observed[-2:], expected[-2:] = [sum(observed[-2:])], [sum(expected[-2:])]
    assert len(expected) > 1
    assert chisquare(observed, expected).pvalue > 0.001


def test_a_sum_over_all_trees_picks_none():
    rules, leaves, shape = small_case((2, 0), 1, 1, seed=0)
    with pytest.raises(TypeError, match="Use MaxSemiring for the best tree"):
        picked(LogSemiring(), rules, leaves, shape, lengths_of(shape))


# batches

RAGGED = [(3, 2), (1, 0), (0, 1), (1, 1), (3, 0), (0, 2), (2, 2), (1, 2)]


def ragged_batch(dtype=torch.float64, padding=1.0):
    """Items of different lengths; the leaves of words that are not there are `padding` times as far from zero."""
    shape = Shape(3, 2)
    rules, leaves = (
        grammar_of(3, 2, seed=1, dtype=dtype),
        leaves_of(len(RAGGED), shape, 2, seed=2, dtype=dtype),
    )
    for item, (n, m) in enumerate(RAGGED):
        for wa, wb in ((1, 0), (0, 1), (1, 1)):
            block = shape.block(leaves, (wa, wb))[item]
            block[max(0, n + 1 - wa) :] *= padding
            block[:, max(0, m + 1 - wb) :] *= padding
    return rules, leaves, torch.tensor(RAGGED), shape


@pytest.mark.parametrize("padding", [1.0, 100.0])
def test_longer_neighbours_change_no_log_probability(padding):
    rules, leaves, lengths, shape = ragged_batch(padding=padding)
    found = log_partition(rules, leaves, lengths, shape).tolist()
    for item, own in enumerate(RAGGED):
        leaves_alone, shape_alone = alone(leaves, shape, item, own)
        expected = log_partition(
            rules, leaves_alone.unsqueeze(0), lengths[item : item + 1], shape_alone
        ).item()
        assert found[item] == pytest.approx(expected, abs=1e-10), own


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_longer_neighbours_change_no_derivative(dtype):
    rules, leaves, lengths, shape = ragged_batch(dtype, padding=30.0)
    leaves.requires_grad_()
    rules.binary.requires_grad_()
    found, found_rules = torch.autograd.grad(
        log_partition(rules, leaves, lengths, shape).sum(), (leaves, rules.binary)
    )
    expected_rules = torch.zeros_like(found_rules)
    close = {"abs": 1e-10 if dtype == torch.float64 else 1e-5}
    for item, own in enumerate(RAGGED):
        leaves_alone, shape_alone = alone(leaves.detach(), shape, item, own)
        leaves_alone = leaves_alone.unsqueeze(0).requires_grad_()
        total = log_partition(rules, leaves_alone, lengths[item : item + 1], shape_alone).sum()
        expected, of_rules = torch.autograd.grad(total, (leaves_alone, rules.binary))
        expected_rules += of_rules
        cut, _ = alone(found, shape, item, own)
        assert cut == pytest.approx(expected[0], **close)
        assert found[item].sum().item() == pytest.approx(
            cut.sum().item(), **close
        )  # none for words not there
    assert found_rules == pytest.approx(expected_rules, **close)


def test_longer_neighbours_change_no_best_tree():
    rules, leaves, lengths, shape = ragged_batch(padding=100.0)
    found = picked(MaxSemiring(), rules, leaves, shape, lengths)
    for item, own in enumerate(RAGGED):
        leaves_alone, shape_alone = alone(leaves, shape, item, own)
        (expected,) = picked(
            MaxSemiring(), rules, leaves_alone.unsqueeze(0), shape_alone, lengths[item : item + 1]
        )
        of_parts = logs_of_parts(rules, leaves_alone, shape_alone)
        assert found[item].place == expected.place
        assert log_of_tree(found[item], of_parts) == pytest.approx(log_of_tree(expected, of_parts), abs=1e-9)


# numbers far from one


@pytest.mark.parametrize("lengths", [(90, 0), (9, 8)])
def test_tiny_probabilities_do_not_vanish(lengths):
    """In single precision, far below its smallest number, and leaves of one text that are 10^40 times apart."""
    shape = Shape(*lengths)
    exact = grammar_of(4, 5, seed=1, spread=3.0), leaves_of(1, shape, 5, seed=2, spread=40.0) - 150
    expected = log_partition(*exact, lengths_of(shape), shape).item()
    rules, leaves = Rules(exact[0].root.float(), exact[0].binary.float()), exact[1].float().requires_grad_()
    found = log_partition(rules, leaves, lengths_of(shape), shape)
    assert expected < -300
    assert found.item() == pytest.approx(expected, rel=1e-4)
    (counts,) = torch.autograd.grad(found.sum(), leaves)
    assert counts.isfinite().all()
    gone, new, both = (shape.block(counts, kind)[0].sum(-1) for kind in ((1, 0), (0, 1), (1, 1)))
    assert gone.sum(1) + both.sum(1) == pytest.approx(torch.ones(shape.n), abs=1e-3)
    assert new.sum(0) + both.sum(0) == pytest.approx(torch.ones(shape.m), abs=1e-3)


# another library
