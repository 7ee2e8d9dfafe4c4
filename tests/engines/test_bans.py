"""Bans: no way to write a banned phrase is left open, and nothing else is banned."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.bans import SHORT_WORDS, Bans

PIECES = [
    "a",
    "b",
    "'",
    " ",
    "ab",
    "ba",
    " a",
    " b",
    " ab",
    " A",
    "B",
    "n't",
    "n",
    "t",
    "'t",
    None,
    "aab",
    " b a",
    ".",
]
PHRASES = st.sampled_from(["a", "ab", "b a", "n't", "ba", "A", "aab", "a bab"])


def ends_with(text, phrase):
    """The slow twin: the phrase stands at the end of the text, not inside a longer word."""
    begins = "" if phrase.startswith(("'", "n't")) else r"(?<![^\W_])"
    return re.search(begins + re.escape(phrase.lower()) + r"$", text.lower()) is not None


@given(
    st.lists(PHRASES, min_size=1, max_size=3),
    st.lists(st.sampled_from([piece for piece in PIECES if piece]), max_size=6),
)
def test_a_token_is_banned_if_and_only_if_it_ends_a_phrase(phrases, written):
    text = "".join(written)
    expected = {
        token
        for token, piece in enumerate(PIECES)
        if piece is not None and any(is_banned(text, piece, phrase) for phrase in phrases)
    }
    assert set(Bans(phrases, PIECES).after(text)) == expected


def is_banned(text, piece, phrase):
    """Whether a token ends the phrase, or breaks off its last word after a letter or two."""
    if ends_with(text + piece, phrase):
        return len(piece.lstrip()) <= len(phrase)  # a longer one began another word before
    last = phrase.lower().split()[-1]
    part = piece.strip().lower()
    is_part = (
        piece.startswith(" ")
        and last.isalpha()
        and last.startswith(part)
        and 0 < len(part) < min(3, len(last))
    )
    return is_part and part not in SHORT_WORDS and ends_with(f"{text} {last}", phrase)


@pytest.mark.parametrize(
    ("text", "phrase", "banned"),
    [
        ("It was", "only", {" only", " Only", " o"}),
        ("", "only", {" only", " Only", "only", " o"}),
        ("It was at le", "at least", {"ast"}),
        ("It was cat le", "at least", set()),
        ("A waste", "waste of", {" of", " o"}),
        ("A lot", "waste of", set()),
        ("They do", "n't", {"n’t"}),
        ("They don", "n't", {"'t", "n’t"}),
    ],
)
def test_capitals_apostrophes_and_parts_of_words(text, phrase, banned):
    pieces = [" only", " Only", "only", "ast", "'t", "n’t", " at", " of", " o", " on"]
    found = Bans([phrase], pieces).after(text)
    assert {pieces[token] for token in found} == banned


def test_nothing_is_banned_without_phrases():
    assert Bans(["", " "], PIECES).after("a") == []
