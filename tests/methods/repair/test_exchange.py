import pytest

from longway.english.people.words import is_widely_known
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
    assert texts_of(exchange, text, token("vance")) == ["Thomas Marsh said that he was late. Marsh left."]


@pytest.fixture(scope="module")
def stars(read):
    """An exchange in data whose people are widely known, and whose words with capitals are not all people."""
    texts = {
        "a": ["Brad Pitt was dull.", "I met Peter.", "He went home."],
        "b": [
            "George Clooney was fine.",
            "Tom Hanks sang.",
            "Clint Eastwood smiled.",
            "Al Pacino slept.",
            "She is some Norman.",
            "He is a devout Christian.",
            "I saw Moses.",
            "We saw Eric.",
        ],
    }
    rows = [RepairRow(i, text, label, None, read) for label in texts for i, text in enumerate(texts[label])]
    return Exchange(rows)


@pytest.mark.parametrize("number", range(8))
def test_a_person_never_becomes_another_person_of_the_data_nor_a_widely_known_one(texts_of, stars, number):
    made = texts_of(stars, "Brad Pitt was dull.", token("pitt"), number=number)
    new = [tuple(text.removesuffix(" was dull.").lower().split()) for text in made]
    assert made
    assert {first for first, _ in new} <= {"george", "tom", "clint", "al"}
    assert {last for _, last in new} <= {"clooney", "hanks", "eastwood", "pacino"}
    assert not any(is_widely_known(name) for name in new)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("He is a fundamentalist Christian, who lies.", "christian"),
        ("I know you like being a fundamentalist Christian?", "christian"),
        ("She's some Christian.", "christian"),
        ("As a Bible believing Norman, I agree.", "norman"),
        ("No true Roman would do that.", "roman"),
        ("They speak German at home.", "german"),
        ("Every Sunny day was fine.", "sunny"),
        ("Another Eric asked me.", "eric"),
        ("The prophet Moses left.", "moses"),
    ],
)
def test_adjectives_religions_nations_and_prophets_are_no_persons_to_exchange(texts_of, stars, text, word):
    assert texts_of(stars, text, token(word)) == []


def test_only_names_of_people_replace_a_single_name(texts_of, stars):
    assert texts_of(stars, "I met Peter.", token("peter")) == ["I met Eric."]


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
    ],
)
def test_what_is_not_exchanged(texts_of, exchange, text, word, context):
    assert texts_of(exchange, text, token(word), context=context) == []


def test_other_languages_are_left_alone(texts_of, exchange):
    assert texts_of(exchange, "Robert Vance ging.", token("vance"), english=False) == []
