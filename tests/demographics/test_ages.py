import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.demographics.ages import ages_in, in_range, in_words, written_as, years_in
from longway.demographics.axes import AGES, attribute_of_age


@given(st.integers(1, 120))
def test_words_and_digits_tell_the_same_age(years):
    assert years_in(in_words(years)) == years_in(str(years)) == years
    assert years_in(in_words(years).replace("-", " ")) == years


@given(st.integers(1, 120), st.sampled_from(sorted(AGES)))
def test_the_new_age_is_the_nearest_in_range(years, name):
    low, high = AGES[name]
    nearest = min(range(low, high + 1), key=lambda age: abs(age - years))
    assert in_range(years, name) == nearest
    assert attribute_of_age(in_range(years, name)).name == name


@given(st.integers(1, 120), st.integers(1, 120))
def test_a_number_is_written_as_its_model_is(years, other):
    assert written_as(years, str(other)) == str(years)
    assert years_in(written_as(years, in_words(other))) == years


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
    assert [text[age.start : age.end] for age in ages_in(text)] == found


def test_an_adult_has_no_single_age():
    assert in_range(40, "adult") is None
