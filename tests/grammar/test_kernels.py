"""The kernels for a GPU against the plain recursion on the same numbers.

They run where PyTorch sees a GPU, and with TRITON_INTERPRET=1 on any machine that has Triton, slowly.
"""

import os
from copy import deepcopy
from itertools import product

import pytest

torch = pytest.importorskip("torch", reason="the grammar's charts need torch (longway[neural])")
pytest.importorskip("triton", reason="the kernels are written in Triton, which comes with PyTorch for GPUs")
IS_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
if not (torch.cuda.is_available() or IS_INTERPRETED):
    pytest.skip("no GPU, and TRITON_INTERPRET is not 1", allow_module_level=True)

from longway.grammars import backtrace as plain_descend  # noqa: E402
from longway.grammars import chart as plain  # noqa: E402
from longway.grammars.chart import Rules, Shape, prepare  # noqa: E402
from longway.grammars.gpu import products, recursion  # noqa: E402
from longway.grammars.model import PairGrammar  # noqa: E402
from longway.grammars.partition import log_partition, root_cells  # noqa: E402
from longway.grammars.semiring import LogSemiring, MaxSemiring, SampleSemiring  # noqa: E402
from tests.grammar.enumeration import grammar_of, leaves_of, log_of_tree, logs_of_parts, trees_of  # noqa: E402

DEVICE = "cpu" if IS_INTERPRETED else "cuda"
N, P = 16, 16
SHAPES = [(2, 1), (3, 2), (5, 0), (0, 3)]
IMPOSSIBLE = -1e4  # log values of symbols that no tree reaches differ, and do not matter


def on_device(lengths, *, dtype=torch.float32):
    """Rules, leaves of two items, their lengths (the second is shorter) and shape."""
    shape = Shape(*lengths)
    rules = grammar_of(N, P, seed=1, spread=3.0, dtype=dtype)
    leaves = leaves_of(2, shape, P, seed=2, spread=3.0, dtype=dtype)
    shorter = (max(1, shape.n - 1), shape.m) if shape.n else (0, shape.m - 1)
    rules = Rules(rules.root.to(DEVICE), rules.binary.to(DEVICE))
    return rules, leaves.to(DEVICE), torch.tensor([lengths, shorter]).to(DEVICE), shape


def log_values(semiring, chart, lengths):
    """Of the cells that somebody reads, one item after the other."""
    logs = (semiring.logs(chart.values) + chart.scales.unsqueeze(-1)).clamp(min=IMPOSSIBLE).cpu()
    found = []
    for item, (n, m) in enumerate(lengths.tolist()):
        for i, k in product(range(n + 1), range(m + 1)):
            found += logs[item, i, : n + 1 - i, k, : m + 1 - k].flatten().tolist()
    return found


@pytest.mark.parametrize("semiring", [LogSemiring(), MaxSemiring()], ids=["Log", "Max"])
@pytest.mark.parametrize("lengths", SHAPES)
def test_every_cell_is_as_in_the_plain_recursion(lengths, semiring):
    rules, leaves, own_lengths, shape = on_device(lengths)
    parts = prepare(semiring, rules, leaves, own_lengths)
    found, expected = (
        log_values(semiring, module.inside(semiring, parts, shape), own_lengths)
        for module in (recursion, plain)
    )
    assert found == pytest.approx(expected, abs=2e-4)
    assert max(expected) > IMPOSSIBLE


@pytest.mark.parametrize("lengths", SHAPES)
def test_every_count_is_as_in_the_plain_recursion(lengths):
    rules, leaves, own_lengths, shape = on_device(lengths)
    parts = prepare(LogSemiring(), rules, leaves, own_lengths)
    chart = plain.inside(LogSemiring(), parts, shape)
    given = torch.zeros_like(chart.values)
    given[root_cells(own_lengths)] = torch.rand(2, N, generator=torch.Generator().manual_seed(3)).to(DEVICE)
    found, expected = (module.outside(parts, shape, chart, given.clone()) for module in (recursion, plain))
    for name in ("rules", "left", "right", "left_of_leaf", "leaf"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one - other).abs().max() <= 1e-4 * other.abs().max(), name


@pytest.mark.parametrize("lengths", [*SHAPES, (1, 1)])
def test_best_trees_are_as_likely_as_the_plain_ones(lengths):
    rules, leaves, own_lengths, shape = on_device(lengths)
    chart = plain.inside(MaxSemiring(), prepare(MaxSemiring(), rules, leaves, own_lengths), shape)
    given = MaxSemiring(), rules, leaves, own_lengths, shape, chart
    expected = plain_descend.backtrace(*given)
    roots = expected[expected[:, 6] < 0, 5]
    for item, trees in enumerate(
        zip(trees_of(recursion.backtrace(*given, roots)), trees_of(expected), strict=True)
    ):
        found, other = (log_of_tree(tree, logs_of_parts(rules, leaves[item], shape)) for tree in trees)
        assert trees[0].place == trees[1].place
        assert found == pytest.approx(other, abs=1e-3)


@pytest.mark.skipif(IS_INTERPRETED, reason="many draws take too long without a GPU")
@pytest.mark.parametrize("lengths", [(2, 2), (4, 0)])
def test_drawn_trees_use_each_leaf_as_often_as_its_expected_count_says(lengths):
    rules, leaves, _, shape = on_device(lengths)
    leaves, n = leaves[:1].requires_grad_(), 20_000
    own_lengths = torch.tensor([lengths], device=DEVICE)
    (shares,) = torch.autograd.grad(log_partition(rules, leaves, own_lengths, shape).sum(), leaves)
    same = leaves.detach().expand(n, -1, -1).contiguous()
    sample, all_lengths = SampleSemiring(torch.Generator(DEVICE).manual_seed(6)), own_lengths.repeat(n, 1)
    with torch.no_grad():
        chart = recursion.inside(sample, prepare(sample, rules, same, all_lengths), shape)
        nodes = plain_descend.backtrace(sample, rules, same, all_lengths, shape, chart).cpu()
    used = torch.zeros_like(shares).cpu()
    for wa, wb in plain.KINDS:
        here = nodes[(nodes[:, 5] >= N) & (nodes[:, 2] == wa) & (nodes[:, 4] == wb)]
        at = torch.zeros(len(here), dtype=torch.long), here[:, 1], here[:, 3], here[:, 5] - N
        shape.block(used, (wa, wb)).index_put_(at, torch.ones(len(here)), accumulate=True)
    shares = shares.cpu().clamp(0, 1)
    error = (n * shares * (1 - shares)).sqrt() + 1
    assert ((used - n * shares).abs() / error).max() < 5


def test_the_largest_sums_of_a_product_are_as_in_the_plain_one():
    generator = torch.Generator().manual_seed(4)
    left = torch.randn(3, 7, P, generator=generator).to(DEVICE)
    right = torch.randn(P, 150, generator=generator).to(DEVICE)
    expected = (left.unsqueeze(-1) + right).amax(-2)
    assert products.max_product(left, right).cpu() == pytest.approx(expected.cpu())


def test_sums_over_all_words_are_as_in_the_plain_lines():
    generator = torch.Generator().manual_seed(5)
    logits = 5 * torch.randn(4, 5000, generator=generator)
    without, given = torch.tensor([0, 4999, 5000, 7]), torch.randn(4, generator=generator)
    kept = torch.where(torch.arange(5000) == without.unsqueeze(1), -torch.inf, logits)
    totals = kept.logsumexp(-1)
    found = products.log_totals(logits.to(DEVICE), without.to(DEVICE))
    assert found.cpu() == pytest.approx(totals, abs=1e-4)
    shares = products.shares_(logits.to(DEVICE), without.to(DEVICE), totals.to(DEVICE), given.to(DEVICE))
    assert shares.cpu() == pytest.approx((kept - totals.unsqueeze(1)).exp() * given.unsqueeze(1), abs=1e-5)


@pytest.mark.skipif(IS_INTERPRETED, reason="PyTorch itself picks the kernels on a GPU alone")
@pytest.mark.parametrize("lengths", [(14, 8), (60, 0)])
def test_single_precision_on_a_gpu_is_close_to_double_on_a_cpu(lengths):
    rules, leaves, own_lengths, shape = on_device(lengths, dtype=torch.float64)
    exact = [tensor.cpu().requires_grad_() for tensor in (rules.root, rules.binary, leaves)]
    single = [tensor.detach().float().to(DEVICE).requires_grad_() for tensor in exact]
    logs = [
        log_partition(Rules(root, binary), leaf, at, shape)
        for (root, binary, leaf), at in ((exact, own_lengths.cpu()), (single, own_lengths))
    ]
    assert logs[1].double().cpu().tolist() == pytest.approx(logs[0].tolist(), rel=1e-4)
    counts = [
        torch.autograd.grad(log.sum(), inputs) for log, inputs in zip(logs, (exact, single), strict=True)
    ]
    for expected, found in zip(*counts, strict=True):
        assert (found.double().cpu() - expected).abs().max() <= 1e-3 * expected.abs().max()


def trained_size(model, *, reach=20.0):
    """The grammar with what stands for its outcomes stretched until the largest logit of each network is as after a training."""
    after_words = model.second_net(model.second_of.unsqueeze(1) + model.given_word).flatten(0, 1)
    with torch.no_grad():
        for hidden, outcomes in [
            (model.start_net(model.start), model.start_to),
            (model.whole_net(model.whole), model.parts),
            (model.kind_net(model.kind_of), model.kinds),
            (model.first_net(model.first_of), model.first_word),
            (after_words, model.second_word),
        ]:
            outcomes *= reach / (hidden @ outcomes.T).abs().max()
    return model


@pytest.mark.skipif(IS_INTERPRETED, reason="TF32 is a mode of a GPU's matrix units")
@pytest.mark.parametrize("lengths", [(8, 5), (12, 1)])
def test_from_words_to_log_likelihood_single_precision_on_a_gpu_is_close_to_double_on_a_cpu(lengths):
    """With the networks, whose sums over all words are TF32."""
    torch.manual_seed(7)
    words, (n, m) = 2000, lengths
    single = trained_size(PairGrammar(nonterminals=N, preterminals=P, dimension=256, words=words))
    double, single = deepcopy(single).double(), single.to(DEVICE)
    texts = (
        torch.randint(words, (3, n)),
        torch.randint(words, (3, m)),
        torch.tensor([[n, m], [n - 2, m], [n, 1]]),
    )
    found, expected = (
        log_partition(model.rules(), model.leaves(first, second), own_lengths, Shape(n, m))
        for model, (first, second, own_lengths) in (
            (single, [tensor.to(DEVICE) for tensor in texts]),
            (double, texts),
        )
    )
    assert found.dtype == torch.float32
    assert found.double().cpu().tolist() == pytest.approx(expected.tolist(), rel=1e-4)
    of_found, of_expected = (
        torch.autograd.grad(logs.sum(), model.second_word)[0].double().cpu()
        for logs, model in ((found, single), (expected, double))
    )
    assert (of_found - of_expected).abs().max() <= 5e-3 * of_expected.abs().max()
