"""Windows of long texts: nothing is lost, sentences stay whole, and no window is too long."""

import random

import pytest

from longway.errors import SettingError
from longway.methods.perturb.windows import windows_of
from longway.tokens.sentences import sentences_of
from longway.tokens.tokenizer import tokenize


def text_of(rng, n_sentences):
    """Sentences of 2 to 31 words with line breaks between some of them."""
    sentences = ("She " + " ".join(rng.choices(["She", "met", "Dr. Okoye's", "3.5", "dogs,"], k=rng.randint(1, 30))) for _ in range(n_sentences))  # fmt: skip
    return "".join(sentence + rng.choice([". ", "!\n\n", ".  "]) for sentence in sentences)


@pytest.mark.parametrize("seed", range(20))
def test_windows_joined_are_the_text_and_none_is_too_long(seed):
    rng = random.Random(seed)
    text, most = text_of(rng, rng.randint(0, 40)), rng.choice([3, 16, 64])
    windows = windows_of(text, most=most)
    assert "".join(windows) == text
    assert all(0 < len(tokenize(window)) <= most for window in windows)


@pytest.mark.parametrize("seed", range(10))
def test_a_window_ends_where_a_sentence_ends(seed):
    text = text_of(random.Random(seed), 30)
    windows = windows_of(text, most=150)
    assert len(windows) > 1
    assert [sentence for window in windows for sentence in sentences_of(window)] == sentences_of(text)


def test_windows_are_as_full_as_whole_sentences_allow():
    sentence = "One two three four. "
    assert windows_of(sentence * 5, most=12) == [sentence * 2, sentence * 2, sentence]


def test_a_blank_text_has_no_window_and_white_space_at_the_start_is_kept():
    assert windows_of(" \n ") == []
    assert windows_of("\n  She left.") == ["\n  She left."]


def test_a_window_without_tokens_is_refused():
    with pytest.raises(SettingError, match="at least 1 token"):
        windows_of("She left.", most=0)
