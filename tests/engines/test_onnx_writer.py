"""Drawing one token, against the obvious way: sort everything, drop what is rare, weigh, walk along; and that words to avoid are not written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines import onnx_writer
from longway.engines.model_files import installed_adapter
from longway.engines.onnx_writer import MIN_RELATIVE, drawable, loaded_with, pieces_of, tokenizer_in
from longway.engines.plausible import words_of
from tests.engines.llama_cpp import model_or_skip

logits = st.lists(st.floats(-8, 8), min_size=1, max_size=12)


def log_p_of(values):
    values = np.array(values, np.float64)
    return (values - values.max() - np.log(np.exp(values - values.max()).sum())).astype(np.float32)


def slowly(log_p, temperature, top_p):
    """The tokens and their shares, one after the other."""
    ranked = sorted(range(len(log_p)), key=lambda token: (-log_p[token], token))
    if temperature == 0:
        return {ranked[0]: 1.0}
    so_far, kept = 0.0, []
    for token in ranked:
        share = float(np.exp(np.float64(log_p[token])))
        if so_far < top_p and log_p[token] >= log_p[ranked[0]] + np.log(MIN_RELATIVE):
            kept.append(token)
        so_far += share
    weights = {token: np.exp((float(log_p[token]) - float(log_p[ranked[0]])) / temperature) for token in kept}
    return {token: weight / sum(weights.values()) for token, weight in weights.items()}


@given(logits, st.sampled_from([0.0, 0.3, 0.7, 1.5]), st.floats(0.05, 1))
def test_what_may_be_drawn_is_what_the_obvious_way_finds(values, temperature, top_p):
    log_p = log_p_of(np.round(values, 2))
    tokens, likely = drawable(log_p, temperature=temperature, top_p=top_p)
    # Where a border is hit to the last digit, both sides of it are right.
    near = [slowly(log_p, temperature, p) for p in (top_p - 1e-5, top_p, top_p + 1e-5)]
    wanted = next(shares for shares in near if list(shares) == tokens.tolist())
    np.testing.assert_allclose(np.exp(likely), list(wanted.values()), atol=1e-6)


def test_shares_are_those_of_the_temperature():
    log_p = np.log(np.array([0.5, 0.3, 0.2], np.float32))
    for temperature in (0.5, 1.0, 2.0):
        wanted = np.array([0.5, 0.3, 0.2]) ** (1 / temperature)
        _, likely = drawable(log_p, temperature=temperature, top_p=1.0)
        np.testing.assert_allclose(np.exp(likely), wanted / wanted.sum(), atol=1e-6)


def test_the_likeliest_token_is_left_whatever_share_is_asked_for():
    assert drawable(np.log(np.array([0.2, 0.8], np.float32)), temperature=1.0, top_p=0.0)[0].tolist() == [1]


def test_what_is_rare_is_never_drawn_however_hot_it_is():
    log_p = np.log(np.array([0.9, 0.09, 0.9 * MIN_RELATIVE / 2], np.float32))
    assert drawable(log_p, temperature=100.0, top_p=1.0)[0].tolist() == [0, 1]


@pytest.mark.parametrize("avoid", [["near the"], ["backpackers", "stands"]])
def test_words_to_avoid_are_never_written(avoid):
    model = loaded_with(model_or_skip(), installed_adapter().path)
    lines = "rewrite\ntext: The old mill stands near the river.\nanswer:"
    draws = model.draw(lines, 4, temperature=1.5, top_p=0.95, max_tokens=20, seed=1, avoid=avoid)
    for draw in draws:
        assert draw.text
        assert not any(f" {word} " in f" {' '.join(words_of(draw.text))} " for word in avoid)


def test_lines_begin_as_they_are_told_in_turn_and_are_long_enough():
    model = loaded_with(model_or_skip(), installed_adapter().path)
    lines = "rewrite\ntext: The old mill stands near the river.\nanswer:"
    starts = ["The old mill in fact", "In fact"]
    draws = model.draw(lines, 3, temperature=1.2, top_p=0.95, max_tokens=40, seed=1, starts=starts, least=12)
    for place, draw in zip((0, 0, 1), draws, strict=True):
        assert draw.text.startswith(starts[place])
        assert not draw.ended or len(draw.text.split()) >= 12
    free = model.draw(lines, 1, temperature=0.0, top_p=0.95, max_tokens=40, seed=1)[0]
    assert free.ended
    assert len(free.text.split()) < 12  # so that it was the bound that made them longer


@pytest.mark.parametrize("at_once", [pytest.param(onnx_writer.TOKENS_AT_ONCE, marks=pytest.mark.soak), 130])
def test_draws_differ_and_come_again_from_the_same_seed(monkeypatch, at_once):
    monkeypatch.setattr(onnx_writer, "TOKENS_AT_ONCE", at_once)  # the second is room for three lines together
    model = loaded_with(model_or_skip(), installed_adapter().path)
    lines = "rewrite\ntext: The old mill stands near the river.\nanswer:"
    first, again = (
        model.draw(lines, 8, temperature=1.0, top_p=0.95, max_tokens=20, seed=1) for _ in range(2)
    )
    assert first == again
    assert len(first) >= 4
    if at_once > 1000:
        assert len({draw.text for draw in first}) == len(first)


def test_a_piece_is_the_text_of_its_token():
    tokenizer = tokenizer_in(model_or_skip())
    pieces = pieces_of(tokenizer)
    text = "The old mill, near Bergen, isn't open."
    assert "".join(pieces[token] for token in tokenizer.encode(text).ids) == text
