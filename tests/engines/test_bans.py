"""Bans: no way to write a banned phrase is left open, and nothing else is banned."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.bans import Bans

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
PHRASES = st.sampled_from(["a", "ab", "b a", "n't", "ba", "A", "aab"])


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
        if piece is not None
        and any(ends_with(text + piece, phrase) and adds_to(piece, phrase) for phrase in phrases)
    }
    assert set(Bans(phrases, PIECES).after(text)) == expected


def adds_to(piece, phrase):
    """Whether the token is no longer than the phrase and a space; one that goes beyond it began another word before."""
    return len(piece.lstrip()) <= len(phrase)


@pytest.mark.parametrize(
    ("text", "phrase", "banned"),
    [
        ("It was", "only", {" only", " Only"}),
        ("", "only", {" only", " Only", "only"}),
        ("It was at le", "at least", {"ast"}),
        ("It was cat le", "at least", set()),
        ("They do", "n't", {"n’t"}),
        ("They don", "n't", {"'t", "n’t"}),
    ],
)
def test_capitals_apostrophes_and_parts_of_words(text, phrase, banned):
    pieces = [" only", " Only", "only", "ast", "'t", "n’t", " at"]
    found = Bans([phrase], pieces).after(text)
    assert {pieces[token] for token in found} == banned


def test_nothing_is_banned_without_phrases():
    assert Bans(["", " "], PIECES).after("a") == []
