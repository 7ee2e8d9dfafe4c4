"""Numbers: the same ones, however they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.inflection import number_in_words
from longway.english.rules.word_choice import ordinal_word_of
from longway.verify.content_checks import NumbersCheck, numbers
from tests.verify.scenes import reason


@given(st.integers(2, 100))
def test_words_and_digits_are_one_number(n):
    assert (
        dict(numbers(f"about {number_in_words(n)} ships")) == dict(numbers(f"about {n} ships")) == {str(n): 1}
    )


@given(st.integers(1, 99), st.sampled_from(["th", "st", "nd", "rd"]))
def test_ordinals_in_words_and_digits_are_one(n, ending):
    assert (
        dict(numbers(f"the {ordinal_word_of(n)} ship"))
        == dict(numbers(f"the {n}{ending} ship"))
        == {f"#{n}": 1}
    )


@given(st.integers(2, 999_999))
def test_commas_say_nothing(n):
    assert numbers(f"{n:,} ships") == numbers(f"{n} ships")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It sold 2.5 million copies.", "It sold 2,500,000 copies."),
        ("On May 5, 2001 it rained.", "It rained on 5 May 2001."),
        ("On the 5th of June it rained.", "It rained on June 5."),
        ("She won twice.", "She won two times."),
        ("a dozen eggs", "12 eggs"),
        ("in the 1980s", "in the eighties"),
        ("one hundred and five ships", "105 ships"),
        ("one ship", "a ship"),
        ("no ships", "zero ships"),
    ],
)
def test_numbers_written_in_other_ways_pass(one, other):
    assert reason(NumbersCheck(), one, other) == ""


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("It opened in 1932.", "It opened in 1958.", "1932 lost, 1958 new"),
        ("Two men and two women.", "Two men and women.", "2 lost"),
        ("It rained in June.", "It rained in July.", "june lost, july new"),
        ("the first of three", "the second of three", "#1 lost, #2 new"),
        ("It cost 3.5 euros.", "It cost 35 euros.", "3.5 lost, 35 new"),
    ],
)
def test_other_numbers_are_rejected(before, after, why):
    assert reason(NumbersCheck(), before, after) == why


def test_a_number_that_was_meant_to_go_may_go():
    assert reason(NumbersCheck(), "A 90 minute film.", "A film of an evening.", telling=["90 minute"]) == ""


def test_a_text_that_keeps_only_its_label_may_have_other_numbers():
    assert reason(NumbersCheck(), "It opened in 1932.", "It opened in 1958.", keeps="label") == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Es kamen 1.200 Leute.", "1200 Leute kamen."),
        ("Es kamen 1\u202f200 Leute.", "1.200 Leute kamen."),
        ("Es kamen 1\u00a0200\u00a0000 Leute.", "1'200'000 Leute kamen."),
        ("यहाँ 12,34,567 लोग आए।", "1234567 लोग यहाँ आए।"),
        ("جاء ١٬٢٠٠ رجل.", "جاء 1200 رجل."),
    ],
)
def test_marks_between_groups_of_digits_say_nothing(before, after):
    assert reason(NumbersCheck(), before, after, language="de") == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Es kostet 1,20 Euro.", "Es kostet 120 Euro."),
        ("Am 1.2.2003 kam er.", "Am 122003 kam er."),
        ("Es sind 0,125.", "Es sind 0125."),
    ],
)
def test_other_marks_inside_numbers_count(before, after):
    assert reason(NumbersCheck(), before, after, language="de") != ""
