"""Who is one person and who is not, and who is known by name."""

import pytest

from longway.english.people.demographic_mentions import find_persons
from longway.english.pipeline import load_pipeline


def people(text):
    """The words that tell a gender, person by person."""
    found = find_persons(load_pipeline().analyse(text))
    told = [[w for w in person.words if w.attribute.axis == "gender"] for person in found]
    return [[text[w.start : w.stop] for w in words] for words in told if words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She saw Titanic. Jack dies and Rose lives.", [["She"], ["Jack"], ["Rose"]]),
        ("She was sad. Ann left her hat.", [["She"], ["Ann", "her"]]),
        ("Juliet is her favourite singer.", [["Juliet"], ["her"]]),
        ("Mary is her mother.", [["Mary", "mother"], ["her"]]),
        ("Juliet is a play about her.", [["her"]]),
    ],
)
def test_what_cannot_be_one_person_is_parted(text, expected):
    assert people(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When she was ill, Mary sang.", [["she", "Mary"]]),
        ("Ann left. She was sad.", [["Ann", "She"]]),
        ("Mary is her own boss.", [["Mary", "her"]]),
        ("Ann is in her late 40s.", [["Ann", "her"]]),
        ("Ann loves her singer.", [["Ann", "her"]]),
    ],
)
def test_what_is_one_person_stays_so(text, expected):
    assert people(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mary Smith lost her hat.", True),
        ("Madonna loves her fans.", True),
        ("Einstein published his theory.", True),
        ("Queen Victoria lost her hat.", True),
        ("Ann left. Ann Roe took her hat.", True),
        ("Mr. Smith lost his hat.", False),
        ("Aunt Mary lost her hat.", False),
        ("Tom lost his hat.", False),
        ("The nurse lost her hat.", False),
    ],
)
def test_who_is_known_by_name(text, expected):
    (person,) = find_persons(load_pipeline().analyse(text))
    assert person.is_known_by_name is expected
