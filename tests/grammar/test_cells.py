"""The recursion for CPUs against the plain one, and best trees with and without bounds."""

import pytest

torch = pytest.importorskip("torch", reason="the grammar's charts need torch (longway[neural])")

from longway.grammars import cells  # noqa: E402
from longway.grammars import chart as plain  # noqa: E402
from longway.grammars.backtrace import backtrace  # noqa: E402
from longway.grammars.best import best_chart  # noqa: E402
from longway.grammars.chart import Shape, prepare  # noqa: E402
from longway.grammars.partition import root_cells, tree_chart  # noqa: E402
from longway.grammars.semiring import EMPTY, LogSemiring, MaxSemiring  # noqa: E402
from tests.grammar.enumeration import grammar_of, leaves_of, log_of_tree, logs_of_parts, trees_of  # noqa: E402

LENGTHS = torch.tensor([[6, 4], [5, 4], [6, 1], [2, 3], [4, 0], [1, 1], [0, 2], [1, 0]])
SHAPE = Shape(6, 4)


def ragged(N, P, *, spread=2.0, dtype=torch.float64):
    rules = grammar_of(N, P, seed=1, spread=spread, dtype=dtype)
    return rules, leaves_of(len(LENGTHS), SHAPE, P, seed=2, spread=spread, dtype=dtype)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("N", "P"), [(3, 2), (32, 5)])  # with 32, products are padded
def test_every_count_is_as_in_the_plain_recursion(N, P, threads, monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    rules, leaves = ragged(N, P)
    parts = prepare(LogSemiring(), rules, leaves, LENGTHS)
    chart, recursions = cells.inside(parts, SHAPE)
    expected_chart = plain.inside(LogSemiring(), parts, SHAPE)
    given = torch.zeros_like(chart.values)
    given[root_cells(LENGTHS)] = torch.rand(len(LENGTHS), N, dtype=torch.float64)
    found = cells.outside(parts, SHAPE, chart, recursions, given.clone())
    expected = plain.outside(parts, SHAPE, expected_chart, given.clone())
    assert len(recursions) == threads
    for name in ("rules", "left", "right", "left_of_leaf", "leaf"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one - other).abs().max() <= 1e-9 * other.abs().max(), name


def best_logs(rules, leaves, chart):
    """The log probability of each item's tree in the chart of the largest values."""
    trees = trees_of(backtrace(MaxSemiring(), rules, leaves, LENGTHS, SHAPE, chart))
    return [log_of_tree(tree, logs_of_parts(rules, leaves[item], SHAPE)) for item, tree in enumerate(trees)]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("spread", [0.1, 1.0, 5.0])
def test_best_trees_are_as_likely_as_without_bounds(spread, dtype):
    rules, leaves = ragged(8, 6, spread=spread, dtype=dtype)
    bounded = best_chart(rules, leaves, LENGTHS, SHAPE)
    every = plain.inside(MaxSemiring(), prepare(MaxSemiring(), rules, leaves, LENGTHS), SHAPE)
    close = {"rel": 1e-9 if dtype == torch.float64 else 1e-5}
    assert best_logs(rules, leaves, bounded) == pytest.approx(best_logs(rules, leaves, every), **close)
    kept = (bounded.scales[0] > EMPTY / 2).sum()
    assert (
        5 <= kept < (every.scales[0] > EMPTY / 2).sum() / 2
    )  # a tree of six words and four has five cells at least


def test_best_trees_are_found_if_bounds_are_out_of_range():
    rules, leaves = ragged(16, 3, spread=60.0, dtype=torch.float32)
    assert best_chart(rules, leaves, LENGTHS, SHAPE) is None
    every = plain.inside(MaxSemiring(), prepare(MaxSemiring(), rules, leaves, LENGTHS), SHAPE)
    chart = tree_chart(MaxSemiring(), rules, leaves, LENGTHS, SHAPE)
    assert best_logs(rules, leaves, chart) == best_logs(rules, leaves, every)
