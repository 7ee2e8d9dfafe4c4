"""The neural grammars: proper probabilities, factored as in appendix A of the paper."""

from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the neural grammars need torch (longway[neural])")

from longway.grammars import model as model_module  # noqa: E402
from longway.grammars.chart import Shape  # noqa: E402
from longway.grammars.model import GRAMMARS, log_totals  # noqa: E402

N, P, WORDS = 3, 4, 6
COPY, CHANGE, GONE, NEW = range(4)


def grammar(kind, *, words=WORDS):
    """A small grammar whose probabilities are far from alike."""
    torch.manual_seed(2)
    made = GRAMMARS[kind](nonterminals=N, preterminals=P, dimension=8, words=words).double()
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return made


def leaves_of_all_words(made, *, words=WORDS):
    """Probabilities [first word, second word, preterminal]; the last word stands for ε."""
    every = torch.arange(words).unsqueeze(0)
    shape = Shape(words, words)
    with torch.no_grad():
        leaves = made.leaves(every, every).exp()
    found = np.zeros((words + 1, words + 1, P))
    gone, new, both = (shape.block(leaves, kind)[0] for kind in ((1, 0), (0, 1), (1, 1)))
    found[:words, words], found[words, :words], found[:words, :words] = gone[:, 0], new[0], both
    return found


# twins, line by line from the paper


def network(net, vector):
    """f of the appendix: a linear layer, then two residual ones with a rectifier after each of their halves."""
    weights = {name: weight.detach().numpy() for name, weight in net.named_parameters()}
    vector = weights["first.weight"] @ vector + weights["first.bias"]
    for layer in ("layers.0", "layers.1"):
        inner = np.maximum(0, weights[f"{layer}.0.weight"] @ vector + weights[f"{layer}.0.bias"])
        vector = vector + np.maximum(0, weights[f"{layer}.2.weight"] @ inner + weights[f"{layer}.2.bias"])
    return vector


def softmax(scores):
    """exp(score) / sum, of a dict."""
    total = sum(np.exp(score) for score in scores.values())
    return {key: np.exp(score) / total for key, score in scores.items()}


def pair_leaf(made, a, first, second):
    """p(a -> first/second) of appendix A; None is ε."""
    weights = {name: weight.detach().numpy() for name, weight in made.named_parameters()}
    hidden = network(made.kind_net, weights["kind_of"][a])
    of_kind = softmax({kind: hidden @ weights["kinds"][kind] for kind in range(4)})
    kind = NEW if first is None else GONE if second is None else COPY if first == second else CHANGE
    of_first = of_second = 1.0
    if first is not None:
        hidden = network(made.first_net, weights["first_of"][a])
        of_first = softmax({w: hidden @ weights["first_word"][w] for w in range(WORDS)})[first]
    if kind in (CHANGE, NEW):
        given = WORDS if first is None else first
        hidden = network(made.second_net, weights["second_of"][a] + weights["given_word"][given])
        possible = [w for w in range(WORDS) if w != first]  # a copy is of the other kind
        of_second = softmax({w: hidden @ weights["second_word"][w] for w in possible})[second]
    return of_kind[kind] * of_first * of_second


# tests


@pytest.mark.parametrize("kind", GRAMMARS)
def test_rules_are_softmaxes_of_the_networks_scores(kind):
    made = grammar(kind)
    rules = made.rules()
    weights = {name: weight.detach().numpy() for name, weight in made.named_parameters()}
    root = softmax(dict(enumerate(weights["start_to"] @ network(made.start_net, weights["start"][0]))))
    assert rules.root.exp().tolist() == pytest.approx(list(root.values()))
    for a in range(N):
        expected = softmax(dict(enumerate(weights["parts"] @ network(made.whole_net, weights["whole"][a]))))
        assert rules.binary[a].exp().flatten().tolist() == pytest.approx(list(expected.values()))


def test_a_leaf_of_a_pair_is_factored_as_in_the_appendix():
    made = grammar("pair")
    found = leaves_of_all_words(made)
    sides = [*range(WORDS), None]
    for first, second, a in product(sides, sides, range(P)):
        if (first, second) != (None, None):
            expected = pair_leaf(made, a, first, second)
            at = tuple(WORDS if word is None else word for word in (first, second))
            assert found[at][a] == pytest.approx(expected), (first, second, a)


def test_all_leaves_of_a_pair_grammar_sum_to_one():
    assert leaves_of_all_words(grammar("pair")).sum((0, 1)) == pytest.approx(np.ones(P))


def test_all_leaves_of_a_sentence_grammar_sum_to_one():
    every = torch.arange(WORDS).unsqueeze(0)
    leaves = grammar("sentence").leaves(every, every[:, :0])
    assert leaves.shape == (1, Shape(WORDS, 0).leaves, P)
    assert leaves.exp().sum(1).tolist() == [pytest.approx([1.0] * P)]


@pytest.mark.parametrize("lengths", [(1, 0), (0, 1), (1, 1), (3, 0), (0, 3), (2, 3)])
def test_leaves_stand_where_the_chart_looks_for_them(lengths):
    made, shape = grammar("pair"), Shape(*lengths)
    first, second = torch.tensor([[4, 0, 5][: shape.n]]).long(), torch.tensor([[0, 2, 4][: shape.m]]).long()
    found, table = made.leaves(first, second).exp(), leaves_of_all_words(made)
    assert found.shape == (1, shape.leaves, P)
    for wa, wb in ((1, 0), (0, 1), (1, 1)):
        block = shape.block(found, (wa, wb))[0]
        for i, k in product(*map(range, block.shape[:2])):
            words = (first[0, i].item() if wa else WORDS, second[0, k].item() if wb else WORDS)
            assert block[i, k].tolist() == pytest.approx(table[words].tolist())


@pytest.mark.parametrize("chunk", [1 << 27, 20])  # all at once, and three rows at a time
def test_log_totals_leave_one_word_out(chunk, monkeypatch):
    monkeypatch.setattr(model_module, "_CHUNK", chunk)
    monkeypatch.setattr(model_module, "_FEW", 0)
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(8, 5, generator=generator, dtype=torch.float64).requires_grad_()
    words = (3 * torch.randn(WORDS, 5, generator=generator, dtype=torch.float64)).requires_grad_()
    without = torch.tensor([0, 1, 2, 3, 4, 5, WORDS, WORDS])
    weight = torch.randn(8, generator=generator, dtype=torch.float64)
    expected = torch.stack(
        [
            torch.stack([row @ word for w, word in enumerate(words) if w != out]).logsumexp(0)
            for row, out in zip(hidden, without.tolist(), strict=True)
        ]
    )
    found = log_totals(hidden, words, without)
    assert found.tolist() == pytest.approx(expected.tolist())
    gradients = [torch.autograd.grad((one * weight).sum(), (hidden, words)) for one in (found, expected)]
    for one, other in zip(*gradients, strict=True):
        assert one == pytest.approx(other)


def test_log_totals_do_not_overflow():
    found = log_totals(torch.tensor([[200.0]]), torch.tensor([[1.0], [2.0], [-3.0]]), torch.tensor([1]))
    assert found.tolist() == pytest.approx([200.0])


def test_logits_that_are_kept_have_the_gradients_of_recomputed_ones(monkeypatch):
    torch.manual_seed(0)
    hidden, words = torch.randn(7, 5, dtype=torch.float64), torch.randn(9, 5, dtype=torch.float64)
    without = torch.tensor([0, 3, 9, 8, 9, 1, 2])  # 9: none
    found = []
    for few in (0, 1 << 24):
        monkeypatch.setattr(model_module, "_FEW", few)
        given = hidden.clone().requires_grad_(), words.clone().requires_grad_()
        totals = model_module.log_totals(*given, without)
        (totals * torch.arange(7)).sum().backward()
        found.append([totals, *(one.grad for one in given)])
    for recomputed, kept in zip(*found, strict=True):
        torch.testing.assert_close(kept, recomputed)


def test_a_network_of_sums_is_that_of_each_sum():
    torch.manual_seed(0)
    network = model_module._Residual(6).double()
    vectors, others = torch.randn(3, 6, dtype=torch.float64), torch.randn(4, 6, dtype=torch.float64)
    torch.testing.assert_close(network.of_sums(vectors, others), network(vectors + others.unsqueeze(1)))
