"""Words and vocabulary of a grammar."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import DataError
from longway.grammars.vocabulary import UNKNOWN, GrammarVocabulary, words_of, words_of_all
from longway.text.tokenizer import tokenize

text_words = st.lists(st.sampled_from("a b c d e f [UNK]".split()), max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A man, DON’T!", ["a", "man", ",", "don't", "!"]),
        ("7.5/10", ["7", ".", "5", "/", "10"]),
        ("well-made", ["well", "-", "made"]),
        ("* * ½", ["*", "*", "½"]),
        ("映画", ["映", "画"]),
        ("[UNK]", ["[", "unk", "]"]),  # a text cannot write the mark itself
        (" \n", []),
    ],
)
def test_words_are_lower_case_and_marks_stand_alone(text, expected):
    assert words_of(text) == expected


@given(st.text())
def test_words_are_those_of_every_other_detector_but_for_numbers(text):
    cut = [word for token in tokenize(text) for word in words_of(token)]
    assert words_of(text) == cut


@given(st.lists(st.text(max_size=20), max_size=5))
def test_many_texts_are_cut_as_one_is(texts):
    assert words_of_all(texts) == [words_of(text) for text in texts]


@given(st.lists(text_words, max_size=8), st.integers(1, 5), st.integers(1, 3))
def test_the_vocabulary_has_the_most_frequent_words(texts, limit, at_least):
    vocabulary = GrammarVocabulary.count(texts, limit=limit, at_least=at_least)
    counts = Counter(word for words in texts for word in words if word != UNKNOWN)
    assert vocabulary.words[0] == UNKNOWN
    assert len(vocabulary) <= limit
    assert all(counts[word] >= at_least for word in vocabulary.words[1:])
    left_out = [n for word, n in counts.items() if word not in vocabulary.words and n >= at_least]
    assert all(n <= counts[word] for n in left_out for word in vocabulary.words[1:])
    assert not left_out or len(vocabulary) == limit


@given(st.lists(text_words, min_size=1, max_size=8))
def test_numbers_lead_back_to_the_known_words(texts):
    vocabulary = GrammarVocabulary.count(texts, limit=4, at_least=1)
    for words in texts:
        known = [word if word in vocabulary.words else UNKNOWN for word in words]
        assert vocabulary.known(words) == known
        assert [vocabulary.words[number] for number in vocabulary.ids(words)] == known


def test_equally_frequent_words_come_in_order_of_the_alphabet():
    assert GrammarVocabulary.count([["b", "a", "c", "c"]], at_least=1).words == (UNKNOWN, "c", "a", "b")


@pytest.mark.parametrize("words", [(), ("film",), (UNKNOWN, "film", "film")])
def test_a_damaged_vocabulary_is_told(words):
    with pytest.raises(DataError, match="must begin with"):
        GrammarVocabulary(words)
