"""From counts to findings: honest tests, groups, examples."""

import numpy as np
import pytest

from longway.data import load
from longway.detect.detector import Description
from longway.detect.findings import search
from longway.detect.groups import Together, group_patterns
from longway.detect.levels import detectors_for
from longway.detect.reading import Reading
from longway.jobs.audit.rows import in_context
from longway.records import Pattern
from longway.sample import NAMES, planted, sample_path
from longway.stats import mutual_information
from tests.conftest import reading_of


def described(*words):
    """A pattern of words, tagged with them."""
    return Description(Pattern("ngram", "text", words), frozenset(words))


def train_reading(name):
    return Reading.of(load(sample_path(name)).select_split("train"))


@pytest.mark.parametrize("name", ["claims", pytest.param("reviews", marks=pytest.mark.soak)])
@pytest.mark.soak
def test_permuted_labels_give_no_finding_in_95_of_100_runs(name):
    reading = train_reading(name)
    labels, random = reading.labels.copy(), np.random.default_rng(20)
    clean = 0
    for _ in range(100):
        reading.labels = random.permutation(labels)
        clean += not search(reading).chosen
    assert clean >= 95


def names_of(shortcut):
    """The patterns that a planted shortcut shows up as."""
    if shortcut["level"] == "length":
        bound = shortcut["match"]["bound"]
        return {f"{n} or more words" for n in range(bound - 5, bound + 4)}
    if shortcut["level"] == "negation":
        return {"negation in claim"}
    return {shortcut["pattern"]}


@pytest.mark.parametrize("shortcut", [s for n in NAMES for s in planted(n)], ids=lambda s: s["name"])
def test_every_planted_shortcut_is_in_one_of_the_first_groups(shortcut):
    found = search(train_reading(shortcut["dataset"])).chosen
    first = [i for i, c in enumerate(found) if c.leader == i][:6]
    names = {
        c.finding.pattern.name for c in found if c.leader in first and c.finding.label == shortcut["label"]
    }
    assert names_of(shortcut) & names


def test_patterns_that_say_the_same_come_as_one_group_and_others_do_not():
    noise = ["red car", "blue car", "old house", "new house", "tall tree"]
    texts = [f"in new york a {noise[i % 5]} {i}" for i in range(60)] + [
        f"on the farm a {noise[i % 5]} {i}" for i in range(60)
    ]
    texts += [f"the worst {noise[i % 5]} {i}" for i in range(40)] + [
        f"such a {noise[i % 5]} {i}" for i in range(40)
    ]
    labels = ["pos"] * 60 + ["neg"] * 60 + ["pos"] * 40 + ["neg"] * 40
    found = search(reading_of(texts, labels)).chosen
    leader = {c.finding.pattern.name: found[c.leader].finding.pattern.name for c in found}
    assert leader["york"] == leader["new york"] == leader["in new york"]
    assert leader["the worst"] != leader["new york"]


def test_a_frequent_word_does_not_swallow_a_phrase_that_says_more():
    patterns = [described("the"), described("in", "the", "end")]
    in_all, in_own = np.array([[900, 85], [85, 85]]), np.array([[500, 80], [80, 80]])
    together = Together(in_all, in_own, n_label=np.array([1000, 1000]), n=2000)
    assert group_patterns(patterns, [0, 0], together) == [0, 1]


def test_findings_are_ranked_by_what_a_model_gains():
    found = search(train_reading("reviews")).chosen
    gains = [c.finding.gain for c in found]
    assert gains == sorted(gains, reverse=True)


def test_supporting_and_counter_examples_have_the_pattern():
    texts = ["good film"] * 30 + ["good show", "bad film"] * 5 + ["bad show"] * 30
    texts = [f"{text} {i}" for i, text in enumerate(texts)]
    labels = ["pos"] * 35 + ["neg"] * 35
    reading = reading_of(texts, labels)
    good = next(c for c in search(reading).chosen if c.finding.pattern.name == "good")
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
    best = {c.finding.pattern.name: c.finding.label for c in search(reading_of(texts, labels)).chosen}
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


def test_patterns_of_different_labels_are_never_one_group():
    patterns = [described("a", "b"), described("b", "c")]
    same = np.full((2, 2), 50)
    together = Together(same, same, n_label=np.array([100, 100]), n=200)
    assert group_patterns(patterns, [0, 0], together) == [0, 0]
    assert group_patterns(patterns, [0, 1], together) == [0, 1]


def test_rare_patterns_that_are_nearly_certain_are_kept_beside_the_strongest():
    random = np.random.default_rng(6)
    texts, labels = [], []
    for i in range(1500):
        label = i % 2
        common = [f"lean{k}" for k in range(6) if random.random() < (0.6 if label else 0.3)]
        sure = [f"sure{i % 3}"] if label and i % 30 == 1 else []
        texts.append(" ".join([f"text{i}", f"number{i}", *common, *sure]))
        labels.append("ab"[label])
    kept = {
        c.finding.pattern.name
        for c in search(reading_of(texts, labels), per_level=4).chosen
        if c.finding.level == "token"
    }
    assert any(name.startswith("lean") for name in kept)
    assert any(name.startswith("sure") for name in kept)


def test_three_words_are_found_even_where_a_pair_inside_them_is_in_every_text():
    noise = ["red", "blue", "green", "old", "new", "tall", "small"]
    texts = [f"the answer is so {noise[i % 7]} it is not {noise[i % 5]}" for i in range(40)]
    texts += [f"the answer is not {noise[i % 7]} it is so {noise[i % 5]}" for i in range(40)]
    found = {c.finding.pattern.name for c in search(reading_of(texts, ["x"] * 40 + ["y"] * 40)).chosen}
    assert {"answer is so", "answer is not"} <= found


def test_pair_words_are_chosen_by_frequency_and_not_from_the_commonest():
    contexts = [f"the dog c{i % 9}" if i % 4 == 0 else f"the cat c{i % 9}" for i in range(80)]
    texts = [f"a b{i % 4} t{i % 7}" for i in range(80)]
    reading = reading_of(texts, ["xy"[i % 2] for i in range(80)], contexts)
    pairs = next(d for d in detectors_for(reading) if d.level == "pair")
    names = {pairs.describe(key).pattern.name for key in pairs.count(reading).keys.tolist()}
    assert "dog (context) + b0 (text)" in names
    assert not any(name.startswith("the ") or " a (text)" in name for name in names)


def test_a_pattern_at_the_end_is_shown_at_the_end():
    text = "ever so long ago, " + "and so on " * 30 + "the best ever"
    assert in_context(text, ("ever",), last=True)[0].endswith("best ever")
    assert in_context(text, ("ever",))[0].startswith("ever so")
