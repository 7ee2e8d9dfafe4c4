"""Ships, countries and animals that are called "she" or "he"."""

import pytest

from longway.english.people.demographic_mentions import find_demographics
from longway.english.people.pronouns import HE, SHE, pronoun_form
from longway.english.people.referents import SAID_OF_A_THING
from longway.english.pipeline import load_pipeline


def of_things(text):
    """The pronouns that are left since they stand for a thing; all others must be found."""
    document = load_pipeline().analyse(text)
    found = find_demographics(document)
    left = [text[one.start : one.stop] for one in found.skipped if one.reason == SAID_OF_A_THING]
    n_told = sum(word.kind == "pronoun" for word in found.words)
    forms = [form for word in document if (form := pronoun_form(document, word)) is not None]
    assert n_told + len(left) == sum(form.pronoun in (HE, SHE) for form in forms)
    return left


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The ship lost her mast.", ["her"]),
        ("The motherland and her sons", ["her"]),
        ("The country defended her borders.", ["her"]),
        ("The dog lost his bone.", ["his"]),
        ("My cat is ill. She sleeps.", ["She"]),
        ("The yacht was towed away. Her mast had gone.", ["Her"]),
    ],
)
def test_pronouns_of_things(text, expected):
    assert of_things(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The captain left his ship.",
        "The girl rode her horse.",
        "Ann sailed the ship and her crew slept.",
        "On the ship she slept.",
        "The ship was new, but she loved it.",
        "The ship lost his trust.",
        "Her ship sank.",
        "Her cat is ill. She sleeps.",
    ],
)
def test_pronouns_of_people(text):
    assert of_things(text) == []


@pytest.mark.parametrize(
    ("text", "word", "reason"),
    [
        ("She has a female cat.", "female", "said of an animal"),
        ("The wolves are male.", "male", "said of an animal"),
        ("It was the mother of all battles.", "mother", "no person is meant"),
        ("He was famous in the seventies.", "seventies", "nobody's age"),
        ("The Founding Fathers wrote it.", "Founding Fathers", "no person is meant"),
    ],
)
def test_words_that_are_not_said_of_people(text, word, reason):
    found = find_demographics(load_pipeline().analyse(text))
    assert {text[one.start : one.stop]: one.reason for one in found.skipped} == {word: reason}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("She has a female doctor.", "female"),
        ("The dancers are male.", "male"),
        ("She is the mother of all these children.", "mother"),
        ("He was the father of modern physics.", "father"),
        ("She is in her seventies.", "seventies"),
        ("He was a founding father of the club.", "founding father"),
    ],
)
def test_the_same_words_said_of_people(text, word):
    assert word in [
        text[one.start : one.stop] for one in find_demographics(load_pipeline().analyse(text)).words
    ]


def test_a_fixed_phrase_tells_nothing_on_any_axis():
    assert find_demographics(load_pipeline().analyse("Ladies and gentlemen, the bread is here.")).words == ()
