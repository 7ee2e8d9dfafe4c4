"""Label probabilities from tokens, against a made-up model whose probabilities are known."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.answers import likelihoods


def greedy(labels, probabilities, cut, *, before='{"label": "', after='"}'):
    """Tokens of a greedy answer by a model that chooses a label by these probabilities and writes `cut` letters a token."""
    written = {label: label + after[0] for label in labels}
    tokens, so_far = [(before, 0.0, [(before, 0.0)])], ""
    while len(so_far) < max(map(len, written.values())):
        alive = {label: p for label, p in probabilities.items() if written[label].startswith(so_far)}
        total, options = sum(alive.values()), {}
        for label, p in alive.items():
            piece = written[label][len(so_far) : len(so_far) + cut]
            options[piece] = options.get(piece, 0.0) + p / total
        best = max(options, key=options.get)
        if not best:
            break
        tokens.append((best, log(options[best]), [(piece, log(p)) for piece, p in options.items()]))
        so_far += best
    chosen = next(label for label in labels if written[label] == so_far)
    return tokens, chosen


@pytest.mark.parametrize(
    "labels", [("SUPPORTS", "REFUTES"), ("neutral", "negative", "positive"), ("1", "10", "2")]
)
@given(weights=st.lists(st.floats(0.05, 1.0), min_size=3, max_size=3), cut=st.integers(1, 4))
def test_the_chosen_label_has_the_models_own_probability(labels, weights, cut):
    total = sum(weights[: len(labels)])
    truth = {label: weight / total for label, weight in zip(labels, weights, strict=False)}
    tokens, chosen = greedy(labels, truth, cut)
    read = likelihoods(tokens, chosen, labels)
    assert sum(read.values()) == pytest.approx(1.0)
    assert read[chosen] == pytest.approx(truth[chosen])
    if len(labels) == 2:
        assert read == pytest.approx(truth)


def test_a_token_that_begins_with_the_quote_is_understood():
    tokens = [
        ('{"label":', 0.0, []),
        (' "pos', log(0.7), [(' "pos', log(0.7)), (' "neg', log(0.3))]),
        ('"}', 0.0, []),
    ]
    assert likelihoods(tokens, "pos", ["neg", "pos"]) == pytest.approx({"neg": 0.3, "pos": 0.7})


def test_a_label_named_while_thinking_is_not_taken_for_the_answer():
    tokens = [
        ("pos", log(0.1), [("pos", log(0.1)), ("neg", log(0.9))]),
        ("</think>", 0.0, []),
        ("pos", log(0.8), [("pos", log(0.8)), ("neg", log(0.2))]),
    ]
    assert likelihoods(tokens, "pos", ["neg", "pos"])["pos"] == pytest.approx(0.8)


def test_without_tokens_the_answer_has_it_all():
    assert likelihoods([], "pos", ["neg", "pos"]) == {"neg": 0.0, "pos": 1.0}
    assert likelihoods([("elsewhere", -1.0, [])], "pos", ["neg", "pos"]) == {"neg": 0.0, "pos": 1.0}
