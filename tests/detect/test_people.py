"""Whom texts speak of, against a loop over the tokens that asks the same question."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from longway.detect.findings import search
from longway.detect.people import ATTRIBUTES, PeopleDetector, trait_of
from longway.detect.reading import CONTEXT, TEXT
from longway.english.people.unambiguous_words import unambiguous_words
from longway.english.people.words import AXES
from longway.text.tokenizer import tokenize
from tests.conftest import reading_of

WORDS = "she her man men women and old young black african - american mother tongue he or girl's kids guys Ruth film .".split()
text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=10).map(" ".join)
rows = st.lists(st.tuples(text, st.sampled_from("xyz")), min_size=12, max_size=30).filter(
    lambda rows: len({label for _, label in rows}) > 1
)


def mentions_of(text):
    """(attribute, word) of each mention: every stretch of tokens is looked up; one inside a longer one of its axis is none."""
    tokens, found = tokenize(text), []
    for axis in AXES:
        stretches = {
            (i, j): word
            for i in range(len(tokens))
            for j in range(i + 1, len(tokens) + 1)
            if (word := unambiguous_words().get(tuple(tokens[i:j]))) and axis in word.attributes
        }
        for (i, j), word in stretches.items():
            inside = any(a <= i and j <= b and (a, b) != (i, j) for a, b in stretches)
            if word.attributes[axis] is not None and not inside:
                found.append((word.attributes[axis], word.word))
    return found


def told_in(text):
    return {str(attribute) for attribute, _ in mentions_of(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She told her husband.", {"gender:woman", "gender:man"}),
        ("An old man sat there.", {"gender:man", "age:senior"}),
        ("An old car, a black shirt, Asian markets.", set()),
        ("A young African-American woman", {"gender:woman", "race:black", "age:adult"}),
        ("Her mother tongue", {"gender:woman"}),  # by "her" alone
        ("Everybody told his or her story.", {"gender:non-binary"}),
        ("men and women", {"age:adult"}),  # everybody is meant
    ],
)
def test_the_twin_reads_sentences_as_people_would(text, expected):
    assert told_in(text) == expected


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(rows=rows)
def test_counts_words_and_matrix_equal_asking_every_text(rows):
    texts, labels = zip(*rows, strict=True)
    reading = reading_of(list(texts), list(labels))
    detector = PeopleDetector(reading, TEXT)
    features = detector.count(reading)
    (piece,) = reading.pieces()
    matrix = detector.matrix(piece, np.arange(len(ATTRIBUTES))).toarray()
    for key, attribute in enumerate(ATTRIBUTES):
        words = [[word for one, word in mentions_of(text) if one == attribute] for text in texts]
        assert matrix[:, key].astype(bool).tolist() == [bool(one) for one in words]
        for label, name in enumerate(reading.label_names):
            mine = [one for one, its in zip(words, labels, strict=True) if its == name]
            assert detector.texts[key, label] == sum(map(bool, mine))
            assert detector.mentions[key, label] == sum(map(len, mine))
        said = {word for one in words for word in one}
        assert dict(detector.words(key)) == {word: sum(word in one for one in words) for word in said}
    enough = [5 <= n <= len(texts) - 5 for n in detector.texts.sum(axis=1)]
    assert features.keys.tolist() == np.flatnonzero(enough).tolist()
    assert features.counts.tolist() == detector.texts[features.keys].tolist()


def women_complain(n=60):
    """Rows in which no single word is tied to the label, and all words for women together are."""
    women = ["My wife", "The sister", "A woman", "Our aunt", "Karen"]
    men = ["My husband", "The brother", "A man", "Our uncle", "Gary"]
    texts = [f"{(women, men)[i % 2][i // 2 % 5]} waited {i // 10} times" for i in range(n)]
    return texts, ["complaint" if i % 2 == 0 else "praise" for i in range(n)]


def test_words_that_tell_little_each_are_one_finding_together():
    found = search(reading_of(*women_complain())).chosen
    first = {(c.finding.level, c.finding.pattern.name, c.finding.label) for c in found[:2]}
    assert first == {
        ("people", "speaks of a woman", "complaint"),
        ("people", "speaks of a man", "praise"),
    }
    assert not any(c.finding.level == "token" for c in found)


def test_a_word_that_tells_it_all_leads_and_the_attribute_is_its_variant():
    texts = [f"{'she' if i % 2 else 'it'} went to place {i}" for i in range(80)]
    found = search(reading_of(texts, ["ab"[i % 2] for i in range(80)])).chosen
    woman = next(c for c in found if c.finding.pattern.name == "speaks of a woman")
    leader = found[woman.leader].finding
    assert (leader.label, leader.count) == ("b", 40)
    assert leader.level != "people"


def test_permuted_labels_give_no_finding_in_95_of_100_runs():
    texts, labels = women_complain(120)
    reading = reading_of(texts, labels)
    codes, random = reading.labels.copy(), np.random.default_rng(7)
    clean = 0
    for _ in range(100):
        reading.labels = random.permutation(codes)
        clean += not search(reading, detectors=[PeopleDetector(reading, TEXT)]).chosen
    assert clean >= 95


def test_q_of_an_attribute_is_that_of_all_patterns_tested_together():
    found = search(reading_of(*women_complain()))
    tests = next(one for one in found.tests if isinstance(one.detector, PeopleDetector))
    q = {ATTRIBUTES[key].name: float(q) for key, q in zip(tests.keys.tolist(), tests.q, strict=True)}
    woman = next(c.finding for c in found.chosen if c.finding.pattern.name == "speaks of a woman")
    assert q["woman"] == woman.q
    assert sum(len(one.keys) for one in found.tests) == sum(found.tested.values())
    assert all((one.q >= one.p).all() for one in found.tests)


def test_the_context_is_looked_at_too():
    texts, labels = women_complain()
    reading = reading_of(["a note"] * len(texts), labels, texts)
    found = {(c.finding.field, c.finding.pattern.name) for c in search(reading).chosen}
    assert ("context", "speaks of a woman") in found
    assert PeopleDetector(reading, CONTEXT).field == "context"


def test_every_attribute_has_a_name_of_its_own():
    assert len({trait_of(attribute) for attribute in ATTRIBUTES}) == len(ATTRIBUTES) == 14


def test_a_word_and_its_possessive_are_one_word():
    reading = reading_of(["the widow smiled", "the widow's cat", "a cat"] * 3, ["a", "b", "b"] * 3)
    detector = PeopleDetector(reading, TEXT)
    detector.count(reading)
    (woman,) = (i for i, one in enumerate(ATTRIBUTES) if trait_of(one) == "speaks of a woman")
    assert detector.words(woman) == [("widow", 6)]
