"""Active and passive: exact sentences, and those that must stay."""

import pytest

from longway.english.rules.voice import passive
from tests.english.rules.put import put
from tests.english.rules.said import scene_of

CASES = [
    ("Jane Moor directed Blue Harbor.", "Blue Harbor was directed by Jane Moor."),
    ("Jane Moor directed Blue Harbor in 1999.", "Blue Harbor was directed by Jane Moor in 1999."),
    ("Jane Moor did not direct Blue Harbor.", "Blue Harbor was not directed by Jane Moor."),
    ("Jane Moor has written two novels.", "Two novels have been written by Jane Moor."),
    ("A boy is kicking a ball.", "A ball is being kicked by a boy."),
    ("Jane Moor will publish the novel.", "The novel will be published by Jane Moor."),
    ("Blue Harbor was directed by Jane Moor.", "Jane Moor directed Blue Harbor."),
    ("Blue Harbor was directed by Jane Moor in 1999.", "Jane Moor directed Blue Harbor in 1999."),
    ("Blue Harbor was not directed by Jane Moor.", "Jane Moor did not direct Blue Harbor."),
    ("Blue Harbor was written and directed by Jane Moor.", "Jane Moor wrote and directed Blue Harbor."),
    ("The house is owned by a bank.", "A bank owns the house."),
    ("It was directed by Jane Moor.", "Jane Moor directed it."),
    ("The novels have been translated by a nurse.", "A nurse has translated the novels."),
    ("The film was also produced by Jane Moor.", "Jane Moor also produced the film."),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_other_voice_keeps_tense_number_and_negation(text, expected):
    assert expected in [new for _, new in put(passive, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Blue Harbor was released in 1999.",  # no agent
        "The film was finished by 1999.",
        "Jane Moor has a sister.",  # no passive
        "The ticket cost ten dollars.",
        "Blue Harbor stars Jane Moor.",
        "Jane Moor wrote her own songs.",  # tied to the subject
        "Jane Moor painted herself.",
        "Only Jane Moor directed Blue Harbor.",
        "Every student wrote a poem.",
        "Jane Moor makes films.",  # a habit
        "She wrote a song.",
        "A man is watching a bird in the sky.",  # who is in the sky?
        "Jane Moor wrote a song and sang it.",
        "Did Jane Moor direct Blue Harbor?",
        "Jane Moor is also known by another name.",
        "Blue Harbor is based on the novel Red Sea by Ann Hill.",
    ],
)
def test_what_has_no_safe_other_voice_stays(text):
    assert put(passive, text) == []


def test_a_title_keeps_its_article():
    made = [new for _, new in put(passive, "The Gray Sea was directed by Jane Moor.")]
    assert made == ["Jane Moor directed The Gray Sea."]


def test_a_capital_that_only_the_start_asks_for_goes():
    assert put(passive, "The mayor opened the bridge.") == [
        ("passive.to_passive", "The bridge was opened by the mayor.")
    ]
    assert scene_of("The mayor opened the bridge.").context is None
