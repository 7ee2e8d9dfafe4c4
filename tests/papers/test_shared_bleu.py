"""BLEU against all test sentences at once, as Table 4 of the RAZOR paper."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.metrics.bleu import ngrams
from longway.text.tokenizer import PLAIN
from shared_bleu import Tally, shared_bleu

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=7).map(" ".join), min_size=1, max_size=4)


@given(TEXTS, TEXTS)
def test_shared_references_are_the_same_references_for_each_text(texts, references):
    tally, known = Tally(4), PLAIN.lists(references)
    for words in PLAIN.lists(texts):
        found = [set().union(*(ngrams(other, n) for other in known)) for n in range(1, 5)]
        allowed = [
            Counter({gram: max(ngrams(other, n)[gram] for other in known) for gram in grams})
            for n, grams in enumerate(found, 1)
        ]
        tally.add(words, allowed, min((abs(len(other) - len(words)), len(other)) for other in known)[1])
    assert shared_bleu(texts, references) == pytest.approx(100 * tally.bleu())


def test_phrases_are_taken_from_any_reference():
    test = ["the old man went home", "she saw the sea again"]
    assert shared_bleu(["she saw the sea again", "the old man went home"], test) == pytest.approx(100)
    assert shared_bleu(["nothing like these words"], test) == 0
    assert 0 < shared_bleu(["the old man went away"], test) < 100
