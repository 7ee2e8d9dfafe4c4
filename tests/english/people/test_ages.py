import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.inflection import number_in_words
from longway.english.people.ages import find_ages, format_age, nearest_age, parse_age
from longway.english.people.words import AGE_RANGES, age_attribute


@given(st.integers(1, 120))
def test_words_and_digits_tell_the_same_age(years):
    assert parse_age(number_in_words(years)) == parse_age(str(years)) == years
    assert parse_age(number_in_words(years).replace("-", " ")) == years


@given(st.integers(1, 120), st.sampled_from(sorted(AGE_RANGES)))
def test_the_new_age_is_the_nearest_in_range(years, name):
    low, high = AGE_RANGES[name]
    nearest = min(range(low, high + 1), key=lambda age: abs(age - years))
    assert nearest_age(years, name) == nearest
    assert age_attribute(nearest_age(years, name)).name == name


@given(st.integers(1, 120), st.integers(1, 120))
def test_a_number_is_written_as_its_model_is(years, other):
    assert format_age(years, str(other)) == str(years)
    assert parse_age(format_age(years, number_in_words(other))) == years


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("An eleven-year-old ran.", ["eleven"]),
        ("She is 63 years old and he is forty two years old.", ["63", "forty two"]),
        ("Al, aged 7, died at the age of ninety-one.", ["7", "ninety-one"]),
        ("two 9-year-olds", ["9"]),
        ("the age of reason", []),
        ("aged 18 to 24", []),
        ("ages 5-7", []),
        ("a 300-year-old tree", []),
        ("it took 5 years", []),
        ("aged 3.5", []),
    ],
)
def test_ages_are_found_where_a_text_tells_one(text, found):
    assert [text[age.start : age.end] for age in find_ages(text)] == found


def test_an_adult_has_no_single_age():
    assert nearest_age(40, "adult") is None
