"""Drawing one token, against the obvious way: sort everything, drop what is rare, weigh, walk along; and that words to avoid are not written."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.model_files import installed_adapter
from longway.engines.onnx_writer import MIN_RELATIVE, draw_token, loaded_with, pieces_of, tokenizer_in
from longway.engines.plausible import words_of
from tests.engines.llama_cpp import model_or_skip

logits = st.lists(st.floats(-8, 8), min_size=1, max_size=12)


def log_p_of(values):
    values = np.array(values, np.float64)
    return (values - values.max() - np.log(np.exp(values - values.max()).sum())).astype(np.float32)


def slowly(log_p, temperature, top_p, at):
    if temperature == 0:
        return max(range(len(log_p)), key=lambda i: (log_p[i], -i))
    ranked = sorted(range(len(log_p)), key=lambda i: (-log_p[i], i))
    most, kept, so_far = np.exp(float(log_p[ranked[0]])), [], 0.0
    for token in ranked:
        share = np.exp(float(log_p[token]))
        if so_far < top_p and share >= MIN_RELATIVE * most * (1 - 1e-6):
            kept.append(token)
        so_far += share
    weights = [np.exp((float(log_p[token]) - float(log_p[ranked[0]])) / temperature) for token in kept]
    rest = at * sum(weights)
    for token, weight in zip(kept, weights, strict=True):
        rest -= weight
        if rest < 0:
            return token
    return kept[-1]


@given(logits, st.sampled_from([0.0, 0.3, 0.7, 1.5]), st.floats(0.05, 1), st.floats(0, 0.999))
def test_a_token_is_drawn_as_the_obvious_way_draws_it(values, temperature, top_p, at):
    log_p = log_p_of(np.round(values, 2))
    fast = draw_token(log_p, temperature=temperature, top_p=top_p, at=at)
    # Where a border is hit to the last digit, both sides of it are right.
    near = {
        slowly(log_p, temperature, p, a)
        for p in (top_p - 1e-5, top_p, top_p + 1e-5)
        for a in (at - 1e-5, at, at + 1e-5)
    }
    assert fast in near


def test_shares_are_those_of_the_temperature():
    log_p = np.log(np.array([0.5, 0.3, 0.2], np.float32))
    for temperature in (0.5, 1.0, 2.0):
        drawn = [
            draw_token(log_p, temperature=temperature, top_p=1.0, at=at)
            for at in np.linspace(0, 1, 2000, endpoint=False)
        ]
        wanted = np.array([0.5, 0.3, 0.2]) ** (1 / temperature)
        np.testing.assert_allclose(np.bincount(drawn) / 2000, wanted / wanted.sum(), atol=2e-3)


def test_what_is_rare_is_never_drawn_however_hot_it_is():
    log_p = np.log(np.array([0.9, 0.09, 0.9 * MIN_RELATIVE / 2], np.float32))
    drawn = {draw_token(log_p, temperature=100.0, top_p=1.0, at=at) for at in np.linspace(0, 0.999, 500)}
    assert drawn == {0, 1}


@pytest.mark.parametrize("avoid", [["mill"], ["old", "river"], ["near the"], ["backpackers", "stands"]])
def test_words_to_avoid_are_never_written(avoid):
    model = loaded_with(model_or_skip(), installed_adapter().path)
    lines = "rewrite\ntext: The old mill stands near the river.\nanswer:"
    draws = model.draw(lines, [0.0, 0.9, 1.5, 1.5], top_p=0.95, max_tokens=20, seed=1, avoid=avoid)
    for draw in draws:
        assert draw.text
        assert not any(f" {word} " in f" {' '.join(words_of(draw.text))} " for word in avoid)


def test_lines_begin_as_they_are_told_in_turn_and_are_long_enough():
    model = loaded_with(model_or_skip(), installed_adapter().path)
    lines = "rewrite\ntext: The old mill stands near the river.\nanswer:"
    starts = ["The old mill in fact", "In fact"]
    draws = model.draw(lines, [0.0, 0.0, 1.2], top_p=0.95, max_tokens=40, seed=1, starts=starts, least=12)
    for place, draw in enumerate(draws):
        assert draw.text.startswith(starts[place % 2])
        assert not draw.ended or len(draw.text.split()) >= 12
    free = model.draw(lines, [0.0], top_p=0.95, max_tokens=40, seed=1)[0]
    assert free.ended
    assert len(free.text.split()) < 12  # so that it was the bound that made them longer


def test_a_piece_is_the_text_of_its_token():
    tokenizer = tokenizer_in(model_or_skip())
    pieces = pieces_of(tokenizer)
    text = "The old mill, near Bergen, isn't open."
    assert "".join(pieces[token] for token in tokenizer.encode(text).ids) == text
