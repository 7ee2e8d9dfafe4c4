"""Drawing round after round, by a model whose draws are written by hand; and the tokens that are pushed down, in the real one."""

from types import SimpleNamespace

import pytest

from longway.llm.avoided import PUSH, pushed_down, tokenizer_in
from longway.llm.drawing import AT_ONCE, DRAWS, LADDER, WARM, Decoding, Lines, banned_forms, draw_lines
from longway.llm.engine import Sampling
from longway.llm.gguf import SLOTS, Draw, loaded
from longway.llm.local_steps import Implausible, Step
from tests.llm.served_local import model_or_skip


def read(draw):
    if draw.text.startswith("bad"):
        raise Implausible("bad")
    return draw.text


STEP = Step("head", "", "key", 20, read)
WRITER = Decoding(climbs=True)


class Scripted:
    """Gives one text after the other, and notes what it was asked."""

    def __init__(self, texts):
        self.texts, self.asked = iter(texts), []

    def draw(self, head, tail, n, *, sampling, seed, **more):
        self.asked.append(
            SimpleNamespace(
                n=n, temperature=sampling.temperature, seed=seed, room=sampling.max_tokens, **more
            )
        )
        return [Draw(next(self.texts), True, 5, -0.1 * (i + 1)) for i in range(min(n, SLOTS))]


def test_lines_are_drawn_until_there_are_enough_different_ones_each_time_what_is_missing():
    model = Scripted(["same", "same", "same", "same", "other", "third", "fourth"])
    found = draw_lines(model, STEP, 4, Sampling(temperature=0.5), WRITER)
    assert list(found.found) == ["same", "other", "third", "fourth"]
    assert [asked.n for asked in model.asked] == [4, 3]
    assert [asked.temperature for asked in model.asked] == [0.5 * LADDER[0], 0.5 * LADDER[1]]
    assert len({asked.seed for asked in model.asked}) == 2
    assert model.asked[0].room == STEP.room


def test_it_stops_at_the_limit_and_says_why_draws_were_refused():
    model = Scripted(["bad"] * 1000)
    found = draw_lines(model, STEP, 8, Sampling(temperature=0.5), WRITER)
    assert not found.found
    assert found.refused == ["bad"] * DRAWS * 8
    assert model.asked[-1].temperature == 0.5 * LADDER[-1]
    assert found.n_tokens == 5 * len(found.refused)


def test_a_model_that_is_not_trained_draws_many_at_the_same_temperature():
    model = Scripted(["bad"] * 1000)
    draw_lines(model, STEP, 1, Sampling(temperature=0.5), Decoding())
    assert [(asked.n, asked.temperature) for asked in model.asked] == [(AT_ONCE, 0.5)]


def test_the_likeliest_line_is_drawn_once_and_others_only_if_it_cannot_be_used():
    model = Scripted(["good"])
    draw_lines(model, STEP, 1, Sampling(temperature=0.0), WRITER)
    assert [(asked.n, asked.temperature) for asked in model.asked] == [(1, 0.0)]
    model = Scripted(["bad", "good", "good"])
    assert draw_lines(model, STEP, 1, Sampling(temperature=0.0), WRITER).best(1) == ["good"]
    assert [asked.temperature for asked in model.asked] == [0.0, WARM]
    model = Scripted(["bad"])  # without the ladder it would be the same line again
    assert not draw_lines(model, STEP, 1, Sampling(temperature=0.0), Decoding()).found


def test_lines_with_the_same_words_count_once_with_their_best_likelihood():
    model = Scripted(["One, two", "three", "one two!", *["bad"] * 1000])
    found = draw_lines(model, STEP, 2, Sampling(), WRITER).found
    assert found == {"One, two": pytest.approx(-0.1), "three": pytest.approx(-0.2)}


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
