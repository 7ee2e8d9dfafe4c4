"""Numbers and dates written another way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.inflection import number_in_words
from longway.english.rules.word_choice import number_words, ordinal_of, ordinal_word_of
from tests.english.rules.put import put


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She wrote three songs.", "She wrote 3 songs."),
        ("She wrote 12 songs.", "She wrote twelve songs."),
        ("She wrote 12 songs.", "She wrote a dozen songs."),
        ("Two dogs bark.", "2 dogs bark."),
        ("39 towns were hit.", "Thirty-nine towns were hit."),
        ("He lived in the 11th century.", "He lived in the eleventh century."),
        ("He lived in the second century.", "He lived in the 2nd century."),
        ("She sang in the 1990s.", "She sang in the nineties."),
        ("She was born on May 5, 2001.", "She was born on 5 May 2001."),
        ("She was born on May 5, 2001.", "She was born on May 5th, 2001."),
        ("She was born on 5 May 2001.", "She was born on May 5, 2001."),
        ("She was born on May 5.", "She was born on the 5th of May."),
        ("She was born in May of 2001.", "She was born in May 2001."),
    ],
)
def test_a_number_is_written_another_way(text, expected):
    assert expected in [new for _, new in put(number_words, text)]


@pytest.mark.parametrize(
    "text",
    [
        "She was born in 2001.",
        "She watched Ocean 12.",
        "They live at 12 Main Street.",
        "It cost 3 million dollars.",
        "It runs version 2.0.",
        "She met two boys and one girl.",
        "One Direction is a band.",
        "He came second.",
    ],
)
def test_years_names_and_parts_of_numbers_stay(text):
    assert put(number_words, text) == []


@given(st.integers(0, 100))
def test_words_for_numbers_are_put_together_from_tens_and_ones(number):
    tens = {
        2: "twenty",
        3: "thirty",
        4: "forty",
        5: "fifty",
        6: "sixty",
        7: "seventy",
        8: "eighty",
        9: "ninety",
    }
    small = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    small += " seventeen eighteen nineteen"
    expected = small.split()[number] if number < 20 else None
    if expected is None:
        rest = number % 10
        expected = (
            "one hundred"
            if number == 100
            else tens[number // 10] + (f"-{small.split()[rest]}" if rest else "")
        )
    assert number_in_words(number) == expected


@pytest.mark.parametrize(
    ("number", "digits", "word"),
    [
        (1, "1st", "first"),
        (11, "11th", "eleventh"),
        (23, "23rd", "twenty-third"),
        (40, "40th", "fortieth"),
    ],
)
def test_ordinals(number, digits, word):
    assert (ordinal_of(number), ordinal_word_of(number)) == (digits, word)
