"""Leak-aware choice against the formula written out, and on a planted shortcut it must balance."""

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.methods.leak_aware import GiveAway
from longway.text.tokenizer import tokenize

WORDS = st.lists(st.sampled_from("a b c d not".split()), min_size=1, max_size=5).map(" ".join)


def ngrams(text):
    marked = ["<", *tokenize(text), ">"]
    ones = {(w,) for w in marked[1:-1]} | {("denies",) for w in marked if w == "not"}
    return ones | set(pairwise(marked)) | set(zip(marked, marked[1:], marked[2:], strict=False))


def slow_score(texts, labels, row, text, smoothing=4.0):
    """The formula of the module, text by text; lengths are all alike here or left out."""
    label, n = labels[row], len(texts)
    share = labels.count(label) / n
    others = [(ngrams(t), y) for i, (t, y) in enumerate(zip(texts, labels, strict=True)) if i != row]
    known = set().union(*(ngrams(t) for t in texts))
    total = 0.0
    for feature in ngrams(text) & known:
        own = sum(feature in f for f, y in others if y == label)
        rest = sum(feature in f for f, y in others if y != label)
        total += log((own + smoothing * share) / (rest + smoothing * (1 - share))) - log(share / (1 - share))
    return total


@given(st.lists(WORDS, min_size=4, max_size=8), WORDS, st.data())
def test_scores_equal_the_formula(texts, candidate, data):
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(texts), max_size=len(texts)))
    labels[0], labels[1] = 0, 1
    fast = GiveAway(texts, labels, lengths=False)
    expected = [slow_score(texts, labels, i, texts[i]) for i in range(len(texts))]
    assert fast.scores() == pytest.approx(expected)
    assert fast.of_candidates(2, [candidate, texts[2]]) == pytest.approx(
        [slow_score(texts, labels, 2, candidate), expected[2]]
    )


@given(st.lists(WORDS, min_size=4, max_size=8), st.lists(WORDS, min_size=1, max_size=4))
def test_replacing_gives_what_starting_anew_would(texts, new):
    labels = [i % 2 for i in range(len(texts))]
    live = GiveAway(texts, labels, lengths=False)
    live.replace(dict(enumerate(new[: len(texts)])))
    texts = [*new[: len(texts)], *texts[len(new) :]]
    assert live.scores() == pytest.approx(GiveAway(texts, labels, lengths=False).scores())


def test_kept_words_say_nothing_and_only_given_ones_speak():
    texts = ["great film", "great play", "poor film", "poor play"]
    labels = [1, 1, 0, 0]
    assert GiveAway(texts, labels, only=[("great",), ("poor",)], lengths=False).scores().min() > 0
    assert GiveAway(texts, labels, keep=["great", "poor"], lengths=False).scores().max() < 0
    assert not GiveAway(texts, labels, keep=["great", "poor", "film", "play"], lengths=False).scores().any()
    assert not GiveAway(texts, labels, only=[("nothing", "here")], lengths=False).scores().any()


def test_one_replacement_after_the_other_balances_a_shortcut_instead_of_turning_it_around():
    rng = np.random.default_rng(0)
    texts = [
        ("not " if label else "") + " ".join(rng.choice(list("abcdefgh"), 4))
        for label in (0, 1)
        for _ in range(100)
    ]
    labels = [0] * 100 + [1] * 100
    live = GiveAway(texts, labels)
    for row in range(200):
        other = texts[row].removeprefix("not ") if labels[row] else "not " + texts[row]
        if live.of_candidates(row, [other])[0] < live.of_candidates(row, [texts[row]])[0]:
            live.replace({row: other})
            texts[row] = other
    share = np.mean(["not" in text for text in texts[:100]]) - np.mean(
        ["not" in text for text in texts[100:]]
    )
    assert abs(share) < 0.15


def test_length_is_a_feature_too():
    texts = ["a " * 30, "b " * 31, "a b", "b a"]
    assert GiveAway(texts, [0, 0, 1, 1], only=None).of_candidates(0, ["c", "c " * 30])[0] < 0


def test_a_telling_pattern_may_not_spread_beyond_its_share():
    texts = [f"not {w} x" for w in "abcdefgh"] + [f"{w} x" for w in "abcdefgh"]
    labels = [0] * 8 + [1] * 8
    free, bound = GiveAway(texts, labels), GiveAway(texts, labels, rarer=0.5)
    planted = ["not a x"]
    assert free.of_candidates(8, planted)[0] < 1000 < bound.of_candidates(8, planted)[0]
    bound.replace(
        {row: f"{texts[row][4:]}" for row in range(5)}
    )  # three of eight are left: there is room again
    assert bound.of_candidates(8, planted)[0] < 1000


def test_what_comes_in_later_counts_also_where_only_some_features_do():
    texts = [f"matinee {w}" for w in "abcdef"] + list("abcdef")
    live = GiveAway(texts, [0] * 6 + [1] * 6, only=[("matinee",)], lengths=False)
    fresh = live.of_candidates(5, ["daytime f"])[0]
    live.replace({row: f"daytime {w}" for row, w in enumerate("abcde")})
    assert live.of_candidates(5, ["daytime f"])[0] > fresh + 0.5
