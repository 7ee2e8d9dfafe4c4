"""Nouns for what is done and what belongs."""

import pytest

from longway.english.rules.nominal import nominal, nominal_words, origins
from tests.english.rules.put import put


def rephrasings(scene):
    yield from nominal(scene)
    yield from origins(scene)


CASES = [
    ("nominal.was_the", "Jane Moor directed Blue Harbor.", "Jane Moor was the director of Blue Harbor."),
    ("nominal.the_was", "Jane Moor directed Blue Harbor.", "The director of Blue Harbor was Jane Moor."),
    ("nominal.was_the", "Blue Harbor was written by a nurse.", "A nurse was the writer of Blue Harbor."),
    (
        "nominal.the_was",
        "Blue Harbor was not directed by Jane Moor.",
        "The director of Blue Harbor was not Jane Moor.",
    ),
    ("nominal.verb", "Jane Moor is the owner of the house.", "Jane Moor owns the house."),
    (
        "nominal.verb",
        "Jane Moor was not the director of Blue Harbor.",
        "Jane Moor did not direct Blue Harbor.",
    ),
    ("nominal.of", "Jane Moor's middle name is Ruth.", "The middle name of Jane Moor is Ruth."),
    ("nominal.owned", "Lima is the capital of Peru.", "Lima is Peru's capital."),
    ("origins.year_behind", "Blue Harbor is a 1999 film.", "Blue Harbor is a film from 1999."),
    ("origins.year_before", "Blue Harbor is an odd film from 1999.", "Blue Harbor is a 1999 odd film."),
    ("origins.nation_behind", "Jane Moor is an Italian actress.", "Jane Moor is an actress from Italy."),
    (
        "origins.nation_before",
        "Jane Moor is an actress from the United States.",
        "Jane Moor is an American actress.",
    ),
]


@pytest.mark.parametrize(("rule", "text", "expected"), CASES)
def test_a_phrase_is_put_the_other_way(rule, text, expected):
    assert (rule, expected) in put(rephrasings, text)


@pytest.mark.parametrize(
    "text",
    [
        "Jane Moor directed two films in Rome.",
        "Jane Moor is an Italian actress and singer.",  # who is Italian?
        "Parkinson's disease is cruel.",
        "Yesterday's news is old.",
        "The 1999 film festival was held.",
        "Jane Moor is the president of the United States.",
        "Blue Harbor was directed by Jane Moor and Ann Hill.",
        "Jane Moor plays American Football.",
        "Jane Moor's mother's name was Ann.",
        "Ann was in the cast of Into the Sea.",
    ],
)
def test_what_belongs_together_stays(text):
    assert put(rephrasings, text) == []


def test_an_unknown_thing_does_not_come_first():
    made = dict(put(rephrasings, "Jane Moor wrote a novel."))
    assert "nominal.was_the" in made
    assert "nominal.the_was" not in made


def test_every_noun_leads_back_to_its_verb():
    assert all(nominal_words().verbs[noun] == verb for verb, noun in nominal_words().nouns.items())
    assert all(
        nominal_words().countries[country.lower()] == nation
        for nation, country in nominal_words().nations.items()
    )
