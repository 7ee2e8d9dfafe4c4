"""Contractions, both ways."""

import pytest

from longway.english.rules.word_choice import contractions
from tests.english.rules.put import put


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The soup is not hot.", "The soup isn't hot."),
        ("The soup isn't hot.", "The soup is not hot."),
        ("She can't swim.", "She cannot swim."),
        ("She won't swim.", "She will not swim."),
        ("It is hot.", "It's hot."),
        ("It's hot.", "It is hot."),
        ("It's been hot.", "It has been hot."),
        ("They are tall.", "They're tall."),
        ("the film does n't work .", "the film does not work ."),
        (
            "it 's a film that is not good but does n't bore .",
            "it 's a film that is n't good but does n't bore .",
        ),
    ],
)
def test_a_pair_of_words_is_contracted_or_written_out(text, expected):
    assert expected in [new for _, new in put(contractions, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Ann's soup was hot.",  # owns it
        "Ann is as tall as he is.",
        "Ann is worse than he is in front of it.",
        "I know what it is.",
        "Isn't it hot?",
        "She'd left.",  # had or would
        "The dog wagged it's tail.",  # meant "its"
    ],
)
def test_possessives_questions_and_ends_of_clauses_stay(text):
    assert put(contractions, text) == []
