"""Aspect, names of things and synonyms: exact sentences, and those that must stay."""

import re
from pathlib import Path

import pytest

from longway.english.rules import RULES, voice, word_choice
from tests.english.rules.put import put


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A man is riding a horse.", "A man rides a horse."),
        ("A man rides a horse.", "A man is riding a horse."),
        ("Two girls are jumping.", "Two girls jump."),
    ],
)
def test_a_caption_has_two_forms_of_the_present(text, expected):
    assert [new for _, new in put(voice.aspect, text)] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Jane Moor directs films.",  # named: what she does for a living
        "A man knows the way.",
        "A man often rides a horse.",
        "A car is standing there.",
        "A man rode a horse.",
        "A man is wearing a hat and singing.",
    ],
)
def test_habits_states_and_the_past_keep_their_form(text):
    assert put(voice.aspect, text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lima is a city.", ["There is a city called Lima.", "One example of a city is Lima."]),
        ("Lima was a village.", ["There was a village called Lima."]),
        ("There is a film called Blue Harbor.", ["Blue Harbor is a film."]),
        ("There was an old village named Lima.", ["Lima was an old village."]),
    ],
)
def test_what_has_a_name_is_called_so(text, expected):
    assert [new for _, new in put(voice.there, text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Is Lima a city?",
        "The soup is a dish.",  # no name
        "Lima is not a city.",
        "Lima is the city.",
        "Lima is a problem.",  # nothing that has names
        "Lima is a city in Peru.",  # "a city in Peru called Lima" would do, "is a city in Peru" may not be all
        "Pearl (album) is an album.",
        "There is a city.",
        "There is a city called the capital.",
        "There is a city in Peru called Lima.",
        "There is no city called Lima.",
    ],
)
def test_other_things_are_not_called_so(text):
    assert put(voice.there, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The storm resulted in a flood.",  # no "ensued in"
        "The war resulted in many deaths.",
    ],
)
def test_a_verb_stays_whose_preposition_the_synonym_does_not_take(text):
    assert not [new for new in put_words(text) if "resulted" not in new]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The talks began in May.", "The talks started in May."),  # a time goes with any verb
        ("The car was purchased by a friend.", "The car was bought by a friend."),  # so does who does it
        ("The talks began.", "The talks started."),
    ],
)
def test_what_goes_with_any_verb_does_not_hold_it(text, expected):
    assert expected in put_words(text)


def put_words(text):
    """The texts with one word exchanged."""
    return [new for _, new in put(word_choice.words, text)]


def test_a_word_becomes_a_synonym_with_its_article():
    new = [text for _, text in put(word_choice.words, "She purchased a car.")]
    assert "She bought a car." in new
    assert "She purchased an automobile." in new
    assert put(word_choice.words, "Car Wash is a film.") == []


def test_the_table_holds_every_family_under_its_name():
    """A family is a public function of the folder that takes a scene and yields rephrasings."""
    folder = Path(voice.__file__).parent
    signature = re.compile(r"^def ([a-z]\w*)\(scene: Scene\) -> Rephrasings:", re.MULTILINE)
    families = {
        (name, f"longway.english.rules.{path.stem}")
        for path in folder.glob("[a-z]*.py")
        for name in signature.findall(path.read_text("utf-8"))
    }
    families.remove(("clause_order", "longway.english.rules.word_order"))  # a repair calls it
    assert {(rule.__name__, rule.__module__) for rule in RULES.values()} == families
    assert all(rule.__name__ == name for name, rule in RULES.items())
