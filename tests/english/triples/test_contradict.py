"""What cannot be true beside a statement, and what surely is."""

import pytest

from longway.english.contradict import affirmations, contradictions, shortened
from longway.english.document import apply_changes
from longway.english.replacements import Replacement
from tests.english.triples.said import read


def texts(make, text, **more):
    return [apply_changes(text, changes) for changes in make(read(text), **more)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A man is sleeping.", "A man is not sleeping."),
        ("A man sleeps on a bench.", "A man does not sleep on a bench."),
        ("There is a dog in the park.", "There is no dog in the park."),
        ("Some people are eating.", "No people are eating."),
        ("The dog is not outside.", "The dog is outside."),
        ("Nobody has a suit.", "Somebody has a suit."),
    ],
)
def test_statements_are_denied(text, expected):
    assert texts(contradictions, text, with_antonyms=False) == [expected]


@pytest.mark.parametrize(
    "text",
    ["Many people sing.", "Is she here?", "She sings and he dances.", "She sings because she is happy."],
)
def test_what_has_no_sure_denial_has_none(text):
    assert contradictions(read(text), with_antonyms=False) == []


def test_words_are_replaced_by_their_opposites(monkeypatch):
    def asleep_to_awake(word, document):
        new = Replacement(word.start, word.end, "awake", "awake", "antonym", "awake.a.01", 1.0, 1.0)
        return [new] if word.lower == "asleep" else []

    monkeypatch.setattr("longway.english.opposites.antonyms", asleep_to_awake)
    assert texts(contradictions, "A man is asleep.") == ["A man is not asleep.", "A man is awake."]


def test_a_negation_is_taken_away():
    assert texts(affirmations, "The man is not sleeping.") == ["The man is sleeping."]
    assert affirmations(read("The man is sleeping.")) == []


def test_what_stands_at_the_end_can_be_left_out():
    assert texts(shortened, "A woman is writing on a tablet.") == ["A woman is writing."]
    assert shortened(read("A woman is not writing on a tablet.")) == []
    assert shortened(read("She put it on the table.")) == []
