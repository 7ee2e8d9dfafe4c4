"""BLEU against all test sentences at once, as Table 4 of the RAZOR paper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.metrics.bleu import corpus_bleu
from shared_bleu import shared_bleu

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=7).map(" ".join), min_size=1, max_size=4)


@given(TEXTS, TEXTS)
def test_shared_references_are_the_same_references_for_each_text(texts, references):
    slow = corpus_bleu(texts, [references] * len(texts)).score
    assert shared_bleu(texts, references).score == pytest.approx(slow)


def test_phrases_are_taken_from_any_reference():
    test = ["the old man went home", "she saw the sea again"]
    assert shared_bleu(["she saw the sea again", "the old man went home"], test).score == pytest.approx(100)
    assert shared_bleu(["nothing like these words"], test).score == 0
    assert 0 < shared_bleu(["the old man went away"], test).score < 100
