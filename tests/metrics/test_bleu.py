"""BLEU by hand and against NLTK's."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate import bleu_score

from longway.metrics.bleu import corpus_bleu

words = st.lists(st.sampled_from("a b c d e".split()), min_size=1, max_size=9)
pairs = st.lists(st.tuples(words, words), min_size=1, max_size=4)


def joined(lists):
    return [" ".join(one) for one in lists]


def test_bleu_by_hand():
    # "the cat is on the mat" against "there is a cat on the mat": words cat, is, on, the, mat: 5 of 6;
    # pairs "on the", "the mat": 2 of 5; triples "on the mat": 1 of 4; c = 6, r = 7
    text, reference = "the cat is on the mat", "there is a cat on the mat"
    expected = exp(1 - 7 / 6) * (5 / 6 * 2 / 5 * 1 / 4) ** (1 / 3)
    assert corpus_bleu([text], [reference], n=3) == pytest.approx(expected)
    assert corpus_bleu([text], [reference]) == 0  # no phrase of four words in common


def test_a_copy_scores_1_and_nothing_in_common_0():
    assert corpus_bleu(["One, two, three, four."], ["one, two, three, four."]) == 1
    assert corpus_bleu(["one two three four"], ["five six seven eight"]) == 0
    assert corpus_bleu([""], ["one"]) == 0
    assert corpus_bleu([], []) == 0


def test_a_word_counts_at_most_as_often_as_the_reference_has_it():
    assert corpus_bleu(["the the the the"], ["the cat"], n=1) == pytest.approx(1 / 4)


@pytest.mark.filterwarnings("ignore::UserWarning")  # NLTK warns where a score is 0
@given(pairs=pairs, n=st.integers(1, 4))
def test_corpus_bleu_equals_nltk(pairs, n):
    texts, references = zip(*pairs, strict=True)
    if any(len(text) < n for text in texts):
        texts = [text * n for text in texts]  # NLTK counts a missing phrase of a short text as one
    weights = (1 / n,) * n
    expected = bleu_score.corpus_bleu([[one] for one in references], texts, weights=weights)
    got = corpus_bleu(joined(texts), joined(references), n=n)
    assert got == pytest.approx(expected if expected > 1e-6 else 0, abs=1e-9)
