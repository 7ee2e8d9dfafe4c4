"""From counts to findings: honest tests, groups, examples."""

import numpy as np
import pytest

from longway.data import load
from longway.detect.example import in_context
from longway.detect.features import Pattern
from longway.detect.findings import search
from longway.detect.groups import Together, group_patterns
from longway.detect.reading import Reading
from longway.sample import NAMES, planted, sample_path
from longway.stats import mutual_information
from tests.conftest import reading_of


def train_reading(name):
    return Reading.of(load(sample_path(name)).select_split("train"))


@pytest.mark.parametrize("name", NAMES)
def test_permuted_labels_give_no_finding_in_95_of_100_runs(name):
    reading = train_reading(name)
    labels, random = reading.labels.copy(), np.random.default_rng(20)
    clean = 0
    for _ in range(100):
        reading.labels = random.permutation(labels)
        clean += not search(reading).chosen
    assert clean >= 95


@pytest.mark.parametrize("shortcut", [s for n in NAMES for s in planted(n)], ids=lambda s: s["name"])
def test_every_planted_shortcut_is_at_the_top_of_its_level(shortcut):
    found = search(train_reading(shortcut["dataset"]))
    leaders = {c.leader for c in found.chosen[:40]}
    top = [found.chosen[i] for i in sorted(leaders) if found.chosen[i].finding.level == shortcut["level"]][:3]
    groups = [[found.chosen[i], *(c for c in found.chosen if c.leader == i)] for i in sorted(leaders)[:8]]
    names = {c.finding.pattern for group in groups for c in group if c.finding.label == shortcut["label"]}
    if shortcut["level"] == "length":
        assert any(name.endswith("or more words") for name in names)
    elif shortcut["level"] == "negation":
        assert "negation in claim" in names
    else:
        assert shortcut["pattern"] in names
    assert top, f"no group is led by the level {shortcut['level']}"


def test_patterns_that_say_the_same_come_as_one_group_and_others_do_not():
    noise = ["red car", "blue car", "old house", "new house", "tall tree"]
    texts = [f"in new york a {noise[i % 5]}" for i in range(60)] + [
        f"on the farm a {noise[i % 5]}" for i in range(60)
    ]
    texts += [f"the worst {noise[i % 5]}" for i in range(40)] + [f"such a {noise[i % 5]}" for i in range(40)]
    labels = ["pos"] * 60 + ["neg"] * 60 + ["pos"] * 40 + ["neg"] * 40
    found = search(reading_of(texts, labels)).chosen
    leader = {c.finding.pattern: found[c.leader].finding.pattern for c in found}
    assert leader["york"] == leader["new york"] == leader["in new york"]
    assert leader["the worst"] != leader["new york"]


def test_a_frequent_word_does_not_swallow_a_phrase_that_says_more():
    patterns = [Pattern("the", frozenset(["the"])), Pattern("in the end", frozenset(["in", "the", "end"]))]
    in_all, in_own = np.array([[900, 85], [85, 85]]), np.array([[500, 80], [80, 80]])
    together = Together(in_all, in_own, n_label=np.array([1000, 1000]), n=2000)
    assert group_patterns(patterns, [0, 0], together) == [0, 1]


def test_findings_are_ranked_by_what_a_model_gains():
    found = search(train_reading("reviews")).chosen
    gains = [c.finding.gain for c in found]
    assert gains == sorted(gains, reverse=True)


def test_supporting_and_counter_examples_have_the_pattern():
    texts = ["good film"] * 30 + ["good show", "bad film"] * 5 + ["bad show"] * 30
    labels = ["pos"] * 35 + ["neg"] * 35
    reading = reading_of(texts, labels)
    good = next(c for c in search(reading).chosen if c.finding.pattern == "good")
    assert all("good" in texts[i] and labels[i] == "pos" for i in good.supporting)
    assert good.counter
    assert all("good" in texts[i] and labels[i] == "neg" for i in good.counter)
    with_good = [label for text, label in zip(texts, labels, strict=True) if "good" in text]
    counts = np.array([[with_good.count("neg"), with_good.count("pos")]])
    expected = mutual_information(counts, np.array([35, 35]))[0]
    assert good.finding.mutual_information == pytest.approx(expected)


def test_three_labels_work():
    texts = [f"{word} thing {i % 7}" for word in ("alpha", "beta", "gamma") for i in range(40)]
    labels = [label for label in "abc" for _ in range(40)]
    best = {c.finding.pattern: c.finding.label for c in search(reading_of(texts, labels)).chosen}
    assert (best["alpha"], best["beta"], best["gamma"]) == ("a", "b", "c")


def test_the_example_is_cut_around_the_pattern_and_never_through_a_word():
    text = "word " * 60 + "Needle " + "word " * 60
    snippet, ((start, end),) = in_context(text, ("needle",))
    assert snippet[start:end] == "Needle"
    assert len(snippet) < 130
    assert set(snippet.replace("…", "").split()) == {"word", "Needle"}


@pytest.mark.parametrize("text", ["", "no such thing", "x" * 5000])
def test_a_text_without_the_pattern_has_no_marks(text):
    snippet, marks = in_context(text, ("needle",))
    assert marks == ()
    assert len(snippet) <= 111
