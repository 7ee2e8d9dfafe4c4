"""Sentences turned round."""

import pytest

from longway.english.rules.rule import Scene
from longway.english.rules.voice import there
from longway.english.rules.word_order import fronting
from tests.english.rules.put import put


def rephrasings(scene: Scene):
    yield from fronting(scene)
    yield from there(scene)


CASES = [
    ("fronting.time_to_front", "Jane Moor was born in Rome in 1984.", "In 1984, Jane Moor was born in Rome."),
    ("fronting.time_to_front", "The bridge opened on May 5, 2001.", "On May 5, 2001, the bridge opened."),
    ("fronting.time_to_front", "Up was released in 2009.", "In 2009, Up was released."),  # a title
    ("fronting.time_to_end", "In 1984, Jane Moor moved to Peru.", "Jane Moor moved to Peru in 1984."),
    ("fronting.where", "Jane Moor died in Rome.", "Rome is where Jane Moor died."),
    ("fronting.plain_for_where", "Rome is where Jane Moor died.", "Jane Moor died in Rome."),
    ("there.there_is", "A man is sleeping outside.", "There is a man sleeping outside."),
    ("there.there_is", "Two dogs are near a lake.", "There are two dogs near a lake."),
    ("there.plain", "There is a boy near a fountain.", "A boy is near a fountain."),
    ("there.plain", "There are two men riding a horse.", "Two men are riding a horse."),
    ("there.finite", "Two men riding a horse.", "Two men are riding a horse."),
    (
        "fronting.inverted",
        "Jane Moor is the mayor of Fairview.",
        "The mayor of Fairview is Jane Moor.",
    ),
    ("fronting.inverted", "The mayor of Fairview is Jane Moor.", "Jane Moor is the mayor of Fairview."),
    ("fronting.cleft", "Jane Moor wrote the song.", "It was Jane Moor who wrote the song."),
    ("fronting.plain_for_cleft", "It was Jane Moor who wrote the song.", "Jane Moor wrote the song."),
]


@pytest.mark.parametrize(("rule", "text", "expected"), CASES)
def test_a_sentence_is_turned_round(rule, text, expected):
    assert (rule, expected) in put(rephrasings, text)


@pytest.mark.parametrize(
    "text",
    [
        "Jane Moor was not born in 1984.",  # "In 1984, she was not born" says something else
        "Jane Moor was only born in 1984.",
        "The film stars an actor born in 1982.",  # the year belongs to the actor
        "There is no man near the lake.",
        "Jane Moor is a mayor of a town.",
        "Jane Moor is one of the owners of the house.",
        "It was not Jane Moor who wrote the song.",
        "It is clear that she wrote the song.",
        "A child and her aunt are sleeping.",
    ],
)
def test_what_hangs_on_the_order_stays(text):
    assert put(rephrasings, text) == []
