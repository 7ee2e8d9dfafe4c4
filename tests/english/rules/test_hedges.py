"""Hedges dropped or exchanged."""

import pytest

from longway.english.rules.word_choice import hedges
from tests.english.rules.put import put


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Honestly, the film is fine.", "The film is fine."),
        ("Honestly, the film is fine.", "To be honest, the film is fine."),
        ("In my opinion, the film is fine.", "I think the film is fine."),
        ("I think that the film is fine.", "The film is fine."),
        ("I think the film is fine.", "In my opinion, the film is fine."),
        ("Unfortunately, the soup was cold.", "Sadly, the soup was cold."),
        ("The film is basically a joke.", "The film is a joke."),
        ("honestly , the film is fine .", "the film is fine ."),
    ],
)
def test_a_hedge_goes_or_becomes_another(text, expected):
    assert expected in [new for _, new in put(hedges, text)]


@pytest.mark.parametrize(
    "text",
    [
        "He answered honestly.",
        "Honestly reported news is rare.",
        "I do not think that the film is fine.",
        "I think so.",
        "He is not actually a doctor.",
        "She thinks that the film is fine.",
        "The soup was simply made.",
    ],
)
def test_words_that_say_something_stay(text):
    assert put(hedges, text) == []
