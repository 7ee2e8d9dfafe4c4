"""Drawing round after round, by a model whose draws are written by hand; and the tokens that are pushed down, in the real one."""

import pytest

from longway.llm.avoided import PUSH, pushed_down, tokenizer_in
from longway.llm.drawing import (
    AT_ONCE,
    DRAWS,
    LADDER,
    WARM,
    Lines,
    banned_forms,
    climbing,
    draw_lines,
    steady,
)
from longway.llm.engine import Sampling
from longway.llm.gguf import Draw, loaded
from longway.llm.local_steps import Implausible, Step
from tests.llm.served_local import model_or_skip


def read(draw):
    if draw.text.startswith("bad"):
        raise Implausible("bad")
    return draw.text


STEP = Step("head", "", "key", 20, read)


class Scripted:
    """Gives one text after the other, and notes what it was asked."""

    def __init__(self, texts):
        self.texts, self.asked = iter(texts), []

    def __call__(self, step, temperatures, *, sampling, seed):
        assert step is STEP
        self.asked.append((list(temperatures), seed))
        return [Draw(next(self.texts), True, 5, -0.1 * (i + 1)) for i in range(len(temperatures))]


def climbed(texts, n, temperature=0.5):
    draw = Scripted(texts)
    found = draw_lines(draw, STEP, n, Sampling(temperature=temperature), climbing(temperature, n))
    return draw, found


def test_lines_are_drawn_until_there_are_enough_different_ones_and_each_round_is_hotter():
    draw, found = climbed(["same"] * 7 + ["other"] + ["third", "fourth", "same", "same"], 4)
    assert list(found.found) == ["same", "other", "third", "fourth"]
    (first, seed), (second, other_seed) = draw.asked
    assert first == [0.5 * factor for factor in LADDER[0] for _ in range(4)]
    assert second == [0.5 * factor for factor in LADDER[1] for _ in range(4)]
    assert seed != other_seed
    draw, _ = climbed(["one", "two", *["bad"] * 6], 2)
    assert len(draw.asked) == 1  # enough


def test_it_stops_at_the_end_of_the_ladder_and_says_why_draws_were_refused():
    draw, found = climbed(["bad"] * 1000, 8)
    assert not found.found
    assert found.refused == ["bad"] * 8 * sum(map(len, LADDER))
    assert len(draw.asked) == len(LADDER)
    assert found.n_tokens == 5 * len(found.refused)


def test_a_model_that_is_not_trained_draws_many_at_the_same_temperature():
    draw = Scripted(["bad"] * 1000)
    draw_lines(draw, STEP, 1, Sampling(), steady(0.5, 1))
    assert [temperatures for temperatures, _ in draw.asked] == [[0.5] * AT_ONCE]
    draw = Scripted(["bad"] * 1000)
    draw_lines(draw, STEP, 8, Sampling(), steady(0.5, 8))
    assert [temperatures for temperatures, _ in draw.asked] == [[0.5] * 8] * DRAWS


def test_the_likeliest_line_is_drawn_once_and_others_only_if_it_cannot_be_used():
    draw, _ = climbed(["good"], 1, temperature=0.0)
    assert [temperatures for temperatures, _ in draw.asked] == [[0.0]]
    draw, found = climbed(["bad", "good", "good"], 1, temperature=0.0)
    assert found.best(1) == ["good"]
    assert [temperatures for temperatures, _ in draw.asked] == [[0.0], [WARM * f for f in LADDER[0]]]
    draw = Scripted(["bad"])  # without the ladder it would be the same line again
    assert not draw_lines(draw, STEP, 1, Sampling(temperature=0.0), steady(0.0, 1)).found


def test_lines_with_the_same_words_count_once_with_their_best_likelihood():
    _, found = climbed(["One, two", "three", "one two!", "bad"], 2)
    assert found.found == {"One, two": pytest.approx(-0.1), "three": pytest.approx(-0.2)}


def test_lines_without_the_words_to_avoid_go_first():
    lines = Lines({"a cold day": -0.1, "a warm day": -0.9, "a mild day": -0.5})
    assert lines.best(2, ["Cold"]) == ["a mild day", "a warm day"]
    assert lines.best(3) == ["a cold day", "a mild day", "a warm day"]


def test_single_words_are_banned_in_both_forms():
    assert banned_forms(["cold", "is cold", "of", "x2"]) == (" cold", " Cold")


@pytest.fixture(scope="module")
def tokenizer():
    pytest.importorskip("tokenizers")
    return tokenizer_in(model_or_skip())


@pytest.mark.parametrize(
    ("word", "tokens"),
    [
        ("not", ["Ġnot", "ĠNot"]),  # without a space it is part of other words
        ("Never", ["Ġnever", "ĠNever", "never"]),
        ("n't", ["'t"]),
        ("overlong", []),  # " over" alone says nothing
        ("is not", []),
    ],
)
def test_words_are_pushed_down_by_the_tokens_that_are_theirs(tokenizer, word, tokens):
    pushed = pushed_down([word], tokenizer)
    assert [tokenizer.id_to_token(token) for token in pushed] == tokens
    assert set(pushed.values()) <= {PUSH}


def test_the_first_of_several_tokens_is_pushed_if_it_is_most_of_the_word(tokenizer):
    first, second = tokenizer.encode(" backpackers").tokens
    assert (first, second) == ("Ġbackpack", "ers")
    assert tokenizer.token_to_id(first) in pushed_down(["backpackers"], tokenizer)


def test_a_pushed_word_is_written_less(tokenizer):
    model = loaded(model_or_skip())
    head, tail = "Fruit: apple, pear\nFruit:", " apple, pear\nFruit: apple,"
    pushed = dict.fromkeys(pushed_down(["pear"], tokenizer), 5 * PUSH)
    plain, without = (
        model.draw(head, tail, 2, sampling=Sampling(0.01, max_tokens=3), seed=1, pushed=p)
        for p in ({}, pushed)
    )
    assert any("pear" in draw.text for draw in plain)
    assert not any(" pear" in f" {draw.text}" for draw in without)
