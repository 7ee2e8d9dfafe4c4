"""Order of clauses."""

import pytest

from longway.english.rules.word_order import clause_order
from tests.english.rules.put import put


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Although the rain fell, the children played.", "The children played, although the rain fell."),
        ("The children played, although the rain fell.", "Although the rain fell, the children played."),
        ("When the rain stops, the dogs bark.", "The dogs bark when the rain stops."),
        ("The dogs bark when the rain stops.", "When the rain stops, the dogs bark."),
        ("Jane Moor left because the house was cold.", "Because the house was cold, Jane Moor left."),
    ],
)
def test_a_clause_moves_to_the_other_end(text, expected):
    assert expected in [new for _, new in put(clause_order, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Jane Moor left because she was cold.",  # "Because she was cold, Jane ..." may be another she
        "The children played and the rain fell.",
        "He came only because the house was warm.",
        "The film was made before 1999.",
        "This was the year when the war ended.",
        "Running home, the boy fell.",
    ],
)
def test_other_clauses_stay(text):
    assert put(clause_order, text) == []
