"""Words that can be counted without a parse: what they tell, and that nothing doubtful is among them."""

import pytest

from longway.english.people.unambiguous_words import unambiguous_words
from longway.english.people.words import AXES, demographic_entries, entries_for
from longway.text.tokenizer import tokenize


def told(text):
    """What a whole word or phrase tells, by axis; None where it is not counted."""
    found = unambiguous_words().get(tuple(tokenize(text)))
    return None if found is None else {axis: one and one.name for axis, one in found.attributes.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("she", {"gender": "woman"}),
        ("She's", {"gender": "woman"}),
        ("mother's", {"gender": "woman"}),
        ("girl", {"gender": "woman", "age": "child"}),
        ("old man", {"age": "senior"}),
        ("guys", {"age": "adult"}),  # said of everybody
        ("themself", {"gender": "non-binary"}),
        ("his or her", {"gender": "non-binary"}),
        ("he/she", {"gender": "non-binary"}),
        ("African-American", {"race": "black"}),
        ("Black man", {"race": "black"}),
        ("Latina", {"gender": "woman", "race": "hispanic"}),
        ("Greta", {"gender": "woman"}),
        ("Mrs", {"gender": "woman"}),
        ("mother tongue", {"gender": None}),
    ],
)
def test_a_word_tells_what_the_lists_say(text, expected):
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    "black white asian old young adult host minor king prince miss ms actor childhood seventies they them may grace austin".split(),
)
def test_what_needs_capitals_or_a_parse_is_left_out(text):
    assert told(text) is None


def test_every_attribute_has_words():
    seen = {
        one for plain in unambiguous_words().values() for one in plain.attributes.values() if one is not None
    }
    assert {(one.axis, one.name) for one in seen} == {(axis, name) for axis in AXES for name in AXES[axis]}


def test_no_word_with_another_meaning_is_counted():
    doubtful = {
        entry.word
        for entry in demographic_entries()
        if entry.notes & {"colour", "place", "thing", "senses", "side"}
    }
    assert len(doubtful) > 100
    assert [word for word in doubtful if told(word) is not None] == []


def test_a_listed_word_tells_nothing_but_one_of_its_readings():
    for tokens, plain in unambiguous_words().items():
        listed = {one.attribute for one in entries_for(plain.word)}
        if listed and tokens == tuple(tokenize(plain.word)):
            assert {one for one in plain.attributes.values() if one is not None} <= listed
