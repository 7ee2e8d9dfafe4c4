"""Who is changed by rules and who is not: titles, things, known people, quotations, ages, possessives, counterparts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.people.change import (
    BESIDE,
    IN_QUOTES,
    KNOWN,
    NAMES_STAY,
    NO_WORD,
    QUOTED,
    WELL_KNOWN,
    Rules,
    change_person,
)
from tests.methods.perturb.test_rules import perturbed, request


def done(text, word, target, **settings):
    return change_person(request(text, word, target), Rules(**settings))


@pytest.mark.parametrize(
    ("text", "word", "target", "expected"),
    [
        ("Romeo and Juliet is her favourite play.", "her", "man", "Romeo and Juliet is his favourite play."),
        (
            "She saw Titanic. Jack dies and Rose lives.",
            "She",
            "man",
            "He saw Titanic. Jack dies and Rose lives.",
        ),
        ("My aunt saw her ship and her crew.", "aunt", "man", "My uncle saw his ship and his crew."),
    ],
)
def test_works_and_other_people_stay(text, word, target, expected):
    assert perturbed(text, word, target) == expected


def test_the_title_is_told_to_be_left():
    assert done("I read Jane Eyre to her.", "her", "man").left == (
        "'Jane': title of a work",
        "'Eyre': title of a work",
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Madonna loves her fans.", "her"),
        ("Einstein published his theory.", "his"),
        ("Marie Curie lost her hat.", "her"),
    ],
)
def test_known_people_stay_on_request(text, word):
    kept = done(text, word, "non-binary", keep_entities=True)
    assert kept.segments == (text,)
    assert KNOWN in kept.reason
    assert WELL_KNOWN in done(text, word, "non-binary").reason
    assert done(text, word, "non-binary", change_famous=True).segments != (text,)


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("Mr. Smith lost his hat.", "his", "Mrs. Smith lost her hat."),
        ("My uncle lost his hat.", "uncle", "My aunt lost her hat."),
    ],
)
def test_others_change_where_known_people_stay(text, word, expected):
    assert perturbed(text, word, "woman", keep_entities=True) == expected


@pytest.mark.parametrize(
    ("text", "word", "target", "expected"),
    [
        ("The ladies' room is here.", "ladies", "man", "The gentlemen's room is here."),
        ("Ladies’ night is on Friday.", "Ladies", "man", "Gentlemen’s night is on Friday."),
        ("The gentlemen's room is here.", "gentlemen", "woman", "The ladies' room is here."),
        ("The children's room was full.", "children", "senior", "The senior citizens' room was full."),
        ("The boy's hat fell.", "boy", "woman", "The girl's hat fell."),
        ("The host's hat fell, and he left.", "host", "woman", "The hostess's hat fell, and she left."),
    ],
)
def test_the_apostrophe_goes_with_the_word(text, word, target, expected):
    assert perturbed(text, word, target) == expected


def test_the_apostrophe_behind_a_name():
    name, _, rest = perturbed("James' wife left.", "James", "woman").partition("'")
    assert not name.endswith("s")
    assert rest == "s wife left."


@pytest.mark.parametrize(
    ("text", "word", "target", "expected"),
    [
        ("The girl, 12, was found safe.", "12", "young", "The woman, 18, was found safe."),
        ("She is eight.", "eight", "middle-aged", "She is forty-five."),
        ("A man in his late 40s left.", "late 40s", "senior", "A man in his late 60s left."),
        ("A man in his late 40s left.", "man", "senior", "An elderly man in his late 60s left."),
        ("A 45-year-old man left.", "45", "child", "A 17-year-old boy left."),
    ],
)
def test_an_age_in_numbers_goes_with_its_person(text, word, target, expected):
    assert perturbed(text, word, target) == expected


@pytest.mark.parametrize(
    "text",
    [
        'Ann said: "I am a proud woman."',
        "Ann said: “I am a proud woman.”",
        "Ann said: ‘I’m a proud woman.’",
        "Ann said: 'I'm a proud woman.'",
    ],
)
def test_quoted_words_stay_and_are_told(text):
    asked = done(text, "Ann", "man")
    assert asked.segments[0].endswith(text.removeprefix("Ann"))
    assert asked.left == (f"'woman': {IN_QUOTES}",)
    assert done(text, "woman", "man").reason == QUOTED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann loved the '90s. The boys' aunt left.", "Ann loved the '90s. The boys' uncle left."),
        ("In the ‘90s the boys’ aunt left.", "In the ‘90s the boys’ uncle left."),
        ("The boys’ aunt didn’t see the girls’ room.", "The boys’ uncle didn’t see the girls’ room."),
    ],
)
def test_apostrophes_are_no_quotation_marks(text, expected):
    assert perturbed(text, "aunt", "man") == expected


def test_names_that_are_kept_are_told():
    kept = done("Mary said she agreed.", "she", "man", names=False)
    assert kept.left == (f"'Mary': {NAMES_STAY}",)


@pytest.mark.parametrize(
    ("text", "word", "target"),
    [
        ("My aunt is not my uncle.", "aunt", "man"),
        ("My aunt is not my uncle.", "uncle", "woman"),
        ("Dear Sir or Madam, I write to you.", "Sir", "woman"),
        ("The king and queen arrived with his crown.", "king", "woman"),
        ("The king, not the queen, spoke.", "queen", "man"),
        ("White people and Black people marched.", "White people", "black"),
        ("Black and white women marched.", "white", "black"),
    ],
)
def test_nothing_becomes_what_it_is_told_apart_from(text, word, target):
    kept = done(text, word, target)
    assert kept.segments == (text,)
    assert kept.reason == f"{word!r}: {BESIDE}"


@pytest.mark.parametrize(
    ("text", "word", "target", "expected"),
    [
        ("The king and queen arrived.", "king", "non-binary", "The monarch and queen arrived."),
        ("My aunt and my father left.", "aunt", "man", "My uncle and my father left."),
        ("White people and Black people met.", "Black people", "asian", "White people and Asian people met."),
        ("My aunt met an uncle of mine.", "aunt", "man", "My uncle met an uncle of mine."),
        ("My brother is a nurse.", "brother", "woman", "My sister is a nurse."),
    ],
)
def test_other_words_in_a_list_change(text, word, target, expected):
    assert perturbed(text, word, target) == expected


@given(
    pair=st.sampled_from([("king", "queen"), ("father", "mother"), ("uncle", "aunt"), ("son", "daughter")]),
    back=st.booleans(),
    joint=st.sampled_from(["and", "or"]),
)
def test_a_listed_pair_never_becomes_twice_the_same(pair, back, joint):
    first, second = pair[::-1] if back else pair
    text = f"Yesterday the {first} {joint} the {second} of Roe came."
    assert perturbed(text, first, "woman" if first == pair[0] else "man") == text
    assert perturbed(text, second, "woman" if second == pair[0] else "man") == text


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("The Vice Chairman spoke.", "Vice Chairman", "The Vice Chairwoman spoke."),
        ("He is a fireman.", "He", "She is a firefighter."),
        ("The firemen came.", "firemen", "The firefighters came."),
        ("Vice chairman is a role.", "Vice chairman", "Vice chairwoman is a role."),
    ],
)
def test_words_that_people_write(text, word, expected):
    assert perturbed(text, word, "woman") == expected


@pytest.mark.parametrize("word", ["prince", "his"])
def test_a_person_with_a_word_that_has_no_counterpart_stays_as_a_whole(word):
    text = "The prince lost his hat."
    kept = done(text, word, "non-binary")
    assert kept.segments == (text,)
    assert NO_WORD in kept.reason
