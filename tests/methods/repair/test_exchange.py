import pytest

from longway.methods.repair.exchange import Exchange
from longway.methods.repair.remedy import RepairRow
from tests.methods.repair.conftest import token


@pytest.fixture(scope="module")
def exchange(read):
    texts = {
        "a": ["Robert Vance left in 1984.", "She moved to Denmark on Monday.", "It took 45 days."],
        "b": [
            "Linda Marsh sang.",
            "Thomas Field cooked.",
            "He lives in Norway.",
            "It took 38 days.",
            "They met in 1991.",
        ],
    }
    rows = [RepairRow(i, text, label, None, read) for label in texts for i, text in enumerate(texts[label])]
    return Exchange(rows)


def test_a_person_gets_a_name_of_the_same_gender_from_another_label(texts_of, exchange):
    text = "Robert Vance said that he was late. Vance left."
    assert texts_of(exchange, text, token("vance")) == ["Thomas Field said that he was late. Field left."]


def test_places_years_and_numbers_are_exchanged_within_their_kind(texts_of, exchange):
    assert texts_of(exchange, "She moved to Denmark.", token("denmark")) == ["She moved to Norway."]
    assert texts_of(exchange, "They left in 1984.", token("1984")) == ["They left in 1991."]
    assert texts_of(exchange, "It took 45 days.", token("45")) == ["It took 38 days."]


def test_the_same_seed_draws_the_same(texts_of, exchange):
    text = "They met on Monday."
    made = texts_of(exchange, text, token("monday"))
    assert len(made) == 3
    assert made == texts_of(exchange, text, token("monday"))


@pytest.mark.parametrize(
    ("text", "word", "context"),
    [
        ("Robert Vance left.", "vance", "Robert Vance left the room."),  # the context has the name
        ("robert vance left.", "vance", None),  # no capitals: not surely a name
        ("Zorblat Vance said he left.", "zorblat", None),  # of unknown gender
        ("It deserves 45/50 points.", "45", None),  # a rating
        ("It may rain.", "may", None),
        ("The bridge creaks.", "bridge", None),
    ],
)
def test_what_is_not_exchanged(texts_of, exchange, text, word, context):
    assert texts_of(exchange, text, token(word), context=context) == []


def test_other_languages_are_left_alone(texts_of, exchange):
    assert texts_of(exchange, "Robert Vance ging.", token("vance"), english=False) == []
