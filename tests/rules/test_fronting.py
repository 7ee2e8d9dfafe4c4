"""Sentences turned round."""

import pytest

from longway.rules.fronting import rewritings
from tests.rules.put import put

CASES = [
    ("time_to_front", "Jane Moor was born in Rome in 1984.", "In 1984, Jane Moor was born in Rome."),
    ("time_to_front", "The bridge opened on May 5, 2001.", "On May 5, 2001, the bridge opened."),
    ("time_to_end", "In 1984, Jane Moor moved to Peru.", "Jane Moor moved to Peru in 1984."),
    ("where", "Jane Moor died in Rome.", "Rome is where Jane Moor died."),
    ("plain_for_where", "Rome is where Jane Moor died.", "Jane Moor died in Rome."),
    ("there_is", "A man is sleeping outside.", "There is a man sleeping outside."),
    ("there_is", "Two dogs are near a lake.", "There are two dogs near a lake."),
    ("plain_for_there", "There is a boy near a fountain.", "A boy is near a fountain."),
    ("plain_for_there", "There are two men riding a horse.", "Two men are riding a horse."),
    ("finite", "Two men riding a horse.", "Two men are riding a horse."),
    (
        "inverted",
        "Jane Moor is the mayor of Fairview.",
        "The mayor of Fairview is Jane Moor.",
    ),
    ("inverted", "The mayor of Fairview is Jane Moor.", "Jane Moor is the mayor of Fairview."),
    ("cleft", "Jane Moor wrote the song.", "It was Jane Moor who wrote the song."),
    ("plain_for_cleft", "It was Jane Moor who wrote the song.", "Jane Moor wrote the song."),
]


@pytest.mark.parametrize(("rule", "text", "expected"), CASES)
def test_a_sentence_is_turned_round(rule, text, expected):
    assert (f"fronting.{rule}", expected) in put(rewritings, text)


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
    assert put(rewritings, text) == []
