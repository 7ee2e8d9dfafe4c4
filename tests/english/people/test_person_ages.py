"""Ages in numbers: which are told of a person, and of whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.inflection import number_in_words
from longway.english.people.ages import find_age_numbers
from longway.english.people.demographic_mentions import find_demographics, find_persons
from longway.english.people.words import age_attribute
from longway.english.pipeline import load_pipeline


def ages(text):
    return [
        text[w.start : w.stop]
        for w in find_demographics(load_pipeline().analyse(text)).words
        if w.kind == "years"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John Smith, 45, was arrested.", ["45"]),
        ("He, 45, died.", ["45"]),
        ("The girl, 12, was found safe.", ["12"]),
        ("Anna Lee, 34, and her son, 7, were found.", ["34", "7"]),
        ("Police looked for Anna Lee, 34.", ["34"]),
        ("She turned 30.", ["30"]),
        ("The mayor turned sixty-one.", ["sixty-one"]),
        ("He was a man of 70.", ["70"]),
        ("A girl of ten sang.", ["ten"]),
        ("He died at 82.", ["82"]),
        ("He passed away at ninety-one.", ["ninety-one"]),
        ("She is eight.", ["eight"]),
        ("Ann was 30 when she died.", ["30"]),
        ("My son is 5 now.", ["5"]),
    ],
)
def test_ages_of_people(text, expected):
    assert ages(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The bus, 45, was late.",
        "Tom, 12, 15 and 20 are the numbers.",
        "Tom, 12 men and a dog came.",
        "She turned 30 pages.",
        "The company turned 50.",
        "She is a mother of two.",
        "A crew of 12 left.",
        "He died at 8.",
        "He is one of them.",
        "My number is five.",
        "They were two.",
        "He was two for three.",
    ],
)
def test_other_numbers(text):
    assert ages(text) == []


@given(
    years=st.integers(2, 99),
    is_in_words=st.booleans(),
    frame=st.sampled_from(["My uncle, {}, sleeps.", "My uncle turned {}.", "My uncle is {}."]),
)
def test_an_age_in_a_plain_sentence_is_told_of_its_person(years, is_in_words, frame):
    number = number_in_words(years) if is_in_words else str(years)
    text = frame.format(number)
    (person,) = find_persons(load_pipeline().analyse(text))
    told = [word for word in person.words if word.kind == "years"]
    assert [text[word.start : word.stop] for word in told] == [number]
    assert told[0].attribute == age_attribute(years)
    assert "uncle" in [text[word.start : word.stop] for word in person.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a man in his late 40s", [("late 40s", "age:middle-aged")]),
        ("She is in her 30s.", [("30s", "age:young")]),
        ("in her early twenties", [("early twenties", "age:young")]),
        ("She is in her 40s.", []),  # two attributes
        ("We lived there in the 70s.", []),
    ],
)
def test_decades_of_a_life(text, expected):
    found = find_demographics(load_pipeline().analyse(text)).words
    assert [(text[w.start : w.stop], str(w.attribute)) for w in found if w.kind == "decade"] == expected


@given(st.lists(st.integers(0, 400), max_size=6))
def test_numbers_that_may_be_ages(values):
    text = " and ".join(map(str, values))
    assert [one.years for one in find_age_numbers(text)] == [value for value in values if 0 < value <= 120]


@pytest.mark.parametrize(
    "text", ["$45", "4.5", "45%", "1,045", "2-1", "10:45", "45th", "A45", "#45", "12/45"]
)
def test_numbers_that_are_no_ages(text):
    assert find_age_numbers(f"It was {text} there.") == []
