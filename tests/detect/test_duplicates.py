"""Duplicates, contradictions and rows shared with a test set."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longway.detect.clusters import HALF, NEAR, Clusters, near_pairs
from longway.detect.duplicates import duplicate_problems, near_duplicates
from longway.detect.reading import TEXT, Reading
from tests.conftest import dataset_of, reading_of


def problems_of(*args, **kwargs):
    return {problem.kind: problem for problem in duplicate_problems(reading_of(*args), **kwargs)}


def test_same_text_with_different_labels_is_told_with_rows():
    problem = problems_of(["a b", "c d", "A  b", "e f"], ["x", "y", "y", "x"])["contradicting_labels"]
    assert (problem.count, problem.rows) == (2, (1, 3))


def test_repeats_count_all_but_the_first():
    problem = problems_of(["a b", "a b", "a b", "c"], ["x", "x", "x", "y"])["duplicate"]
    assert (problem.count, problem.rows) == (2, (2, 3))


def test_a_pair_is_a_duplicate_only_with_its_context():
    kinds = problems_of(["a b", "a b", "c"], ["x", "y", "x"], ["one", "two", "three"])
    assert not kinds


def test_near_duplicates_are_found():
    sentence = "the quick brown fox jumps over the lazy dog near a river bank today"
    texts = [
        sentence,
        sentence.replace("today", "tonight"),
        "something else entirely is written in this one line",
    ]
    assert problems_of(texts, ["x", "x", "y"])["near_duplicate"].rows == (2,)


@given(st.lists(st.lists(st.integers(0, 14), min_size=6, max_size=9), min_size=2, max_size=12))
def test_no_rows_are_called_near_copies_that_are_not(sets):
    texts = [" ".join(f"w{k}" for k in words) for words in sets]
    words = [set(text.split()) for text in texts]
    reading = reading_of(texts, (["x", "y"] * len(texts))[: len(texts)])
    having = Counter(word for each in words for word in each)
    for later, earlier in near_pairs(reading, TEXT, np.arange(len(texts))).T.tolist():
        assert later > earlier
        common = words[later] & words[earlier]
        rarity = sum(np.log(len(texts) / having[word]) for word in common)
        least = HALF if rarity > 2 * np.log(len(texts)) else NEAR
        assert len(common) >= least * len(words[later] | words[earlier])


def near(reading, copies=()):
    """Rows that nearly repeat an earlier row."""
    return near_duplicates(Clusters.of(reading), np.array(copies, dtype=np.int64)).tolist()


def test_most_near_duplicates_are_found():
    random = np.random.default_rng(0)
    originals = [[f"w{k}" for k in random.choice(2000, 20, replace=False)] for _ in range(100)]
    copies = [[*words[:-1], "changed"] for words in originals]
    texts = [" ".join(words) for words in originals + copies]
    found = near(reading_of(texts, ["x", "y"] * 100))
    assert len(found) >= 95
    assert min(found) >= 100


def test_sentences_built_alike_are_no_near_duplicates():
    people, things = [f"person{i}" for i in range(40)], [f"thing{i}" for i in range(40)]
    texts = [f"a {one} is holding a {other} in the street" for one in people for other in things]
    assert near(reading_of(texts, ["x", "y"] * 800)) == []


def test_rows_shared_with_a_test_set_are_told():
    reading = reading_of(["a b", "c d", "e f"], ["x", "y", "x"])
    test = Reading.of(dataset_of(["c d", "new one"], ["y", "x"]), like=reading)
    problem = next(p for p in duplicate_problems(reading, {"dev": test}) if p.kind == "shared_with_test")
    assert (problem.count, problem.rows) == (1, (2,))
    assert "dev" in problem.message


def test_near_duplicates_of_pairs_need_the_same_context():
    sentence = "the quick brown fox jumps over the lazy dog near a river bank today"
    texts = [sentence, sentence.replace("today", "tonight")]
    assert near(reading_of(texts, ["x", "y"], ["one", "one"])) == [1]
    assert near(reading_of(texts, ["x", "y"], ["one", "two"])) == []
