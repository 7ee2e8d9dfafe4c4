"""Capitals of a new word, on words small enough to judge by eye."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.inflection import capitalise, is_all_caps, match_case


@pytest.mark.parametrize(
    ("written", "model", "expected"),
    [
        ("house", "cottage", "house"),
        ("house", "Cottage", "House"),
        ("house", "COTTAGE", "HOUSE"),
        ("Paris", "town", "Paris"),  # a name keeps its own capital
        ("iPhone", "Phone", "iPhone"),
        ("iPhone", "PHONE", "IPHONE"),
        ("phone", "iPhone", "phone"),
        ("burger", "McRib", "Burger"),
        ("give up", "Quit", "Give up"),
        ("forty", "Twenty-One", "Forty"),
        ("forty", "TWENTY-ONE", "FORTY"),
        ("house", "3", "house"),
        ("house", "", "house"),
        ("", "House", ""),
        ("'tis", "It", "'Tis"),
        ("ße", "Ein", "ße"),  # no capital of one letter
    ],
)
def test_a_word_takes_over_the_capitals(written, model, expected):
    assert match_case(written, model) == expected


@pytest.mark.parametrize(
    ("written", "model", "around", "expected"),
    [
        ("an", "A", "", "An"),
        ("an", "A", "A dog barks.", "An"),
        ("an", "A", "A DOG BARKS.", "AN"),
        ("an", "a", "a dog BARKS.", "an"),
        ("they", "I", "", "they"),  # always a capital: says nothing
        ("they", "I", "Then I went.", "they"),
        ("they", "I", "I went.", "They"),
        ("they", "I", '"I went."', "They"),
        ("they", "I", "AND I WENT.", "THEY"),
    ],
)
def test_one_letter_is_read_from_its_sentence(written, model, around, expected):
    assert match_case(written, model, around=around) == expected


def test_shouting_has_no_small_letter_and_a_word_of_two_capitals():
    assert is_all_caps("STOP! 10 TIMES")
    assert not is_all_caps("I, A.")
    assert not is_all_caps("")
    assert not is_all_caps("The NASA")


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12))
def test_only_capitals_change(written, model, around):
    assert match_case(written, model, around=around).casefold() == written.upper().casefold() or match_case(
        written, model, around=around
    ) in (written, capitalise(written))


@given(st.text(alphabet="abcdefgh", min_size=2, max_size=8))
def test_a_word_like_itself_stays(word):
    for form in (word, word.upper(), word.capitalize()):
        assert match_case(word, form) == form
