"""A text without some of its words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.models.importance.word_scores import MaskableText, WordScores
from longway.text.tokenizer import tokenize

TEXTS = st.text(st.sampled_from("ab3 .,'’/:-é短İ\n"), max_size=24)


@pytest.mark.parametrize(
    ("text", "left_out", "expected"),
    [
        ("He left, quickly.", [1], "He, quickly."),
        ("He left, quickly.", [2], "He left quickly."),
        ("He left, quickly.", [0], "left, quickly."),
        ("He left, quickly.", [0, 1, 2, 3, 4], ""),
        ("award-winning", [1], "award winning"),
        ("3 or/5", [1], "3 /5"),
        ("  He left \n", [1], "  He"),
    ],
)
def test_what_is_left_reads_as_it_stood(text, left_out, expected):
    assert MaskableText.of(text).without(left_out) == expected


@given(TEXTS)
def test_no_word_left_out_is_the_text_itself(text):
    words = MaskableText.of(text)
    assert words.without([]) == (text if len(words) else "")
    assert [text[start:end].lower().replace("’", "'") for start, end in words.spans] == list(words.words)


@given(TEXTS, st.data())
def test_the_words_that_are_left_are_those_that_were_kept(text, data):
    words = MaskableText.of(text)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words))), dtype=bool)
    expected = [word for word, keep in zip(words.words, kept, strict=True) if keep]
    assert tokenize(words.kept(kept)) == expected


def test_top_words_are_different_words_that_speak_for_the_label():
    words = MaskableText.of("Not, not good but fine!")
    scores = WordScores(words.words, words.spans, np.array([0.2, 0.9, 0.4, -0.5, 0.0, 0.3, 0.8]), "yes")
    assert scores.top(5) == ["not", "fine"]
    assert scores.top_places(1) == [2]
