"""Details left out: exact sentences, those that must stay, and that a result is the text without one stretch."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.rules.claims import details
from tests.english.rules.said import said, scene_of

SOL = "Mira Sol is a Peruvian painter and poet who lives in Lima . In 1999 she won the Ash Prize ."


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("Mira Sol is a Peruvian painter.", "adjective", ["Mira Sol is a painter."]),
        ("Odo is a hard rock band.", "adjective", ["Odo is a rock band."]),
        ("Mira Sol is an Irish film director.", "adjective", ["Mira Sol is a film director."]),
        ("Mira Sol is an Irish film director.", "compound", ["Mira Sol is an Irish director."]),
        ("Mira Sol is a painter and poet.", "joined", ["Mira Sol is a painter."]),
        ("Odo is a city in Peru.", "phrase", ["Odo is a city."]),
        ("Mira Sol won the Ash Prize in 1999.", "phrase", ["Mira Sol won the Ash Prize."]),
        ("Odo opened in Las Vegas in 1952.", "phrase", ["Odo opened in 1952.", "Odo opened in Las Vegas."]),
        # without "on DVD" it would be about the cinemas
        ("Low Tide was released on DVD in 2009.", "phrase", ["Low Tide was released on DVD."]),
        ("Mira Sol appeared in a film in 2008.", "phrase", ["Mira Sol appeared in a film."]),
        ("Odo is a bridge that opened in May.", "clause", ["Odo is a bridge."]),
        ("Odo is a tower built by monks.", "clause", ["Odo is a tower."]),
    ],
)
def test_a_true_claim_is_true_without_a_detail(text, rule, expected):
    assert said(details, text, "entails", "Something .").get(f"details.{rule}", []) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Odo ran a long time.",
        "Odo has a savory taste.",  # everything has a taste
        "Odo is a large part of a firm.",
        "Odo is a military service.",
        "Mira Sol is a former painter.",
        "Mira Sol is a fictional painter.",
        "Mira Sol was a prime minister.",
        "Mira Sol is a martial artist.",
        "Odo was a failure to act.",
        "Odo is a fake city.",
        "Mira Sol was mayor from 1990 to 1995.",
        "Mira Sol won two prizes in 1999.",  # there may have been more
        "Mira Sol was born in Lima.",
        "Odo peaked in 1999.",
        "Mira Sol appeared in 2008.",
        "Odo concerns itself with Peru.",
        "The race takes place in Lima.",
        "Mira Sol is not a Peruvian painter.",
        "Mira Sol is only a Peruvian painter.",
        "Mira Sol never won the Ash Prize in 1999.",
        "Mira Sol was the first Peruvian painter.",
        "Every city in Peru is an old city.",
        "Odo is older than a Peruvian city.",
        "Boys on the Corner is here.",
        "Mira Sol is a Peruvian painter. She lives in Lima.",
        "Is Mira Sol a Peruvian painter?",
        "Mira Sol appeared in Odo by Homer.",
        "Odo was founded in 1885, during the war.",
    ],
)
@pytest.mark.parametrize("stance", ["entails", "contradicts"])
def test_what_the_sentence_needs_stays(text, stance):
    assert said(details, text, stance, SOL) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mira Sol is a Peruvian boxer.", {"details.adjective": ["Mira Sol is a boxer."]}),
        ("Mira Sol is a boxer who lives in Lima.", {"details.clause": ["Mira Sol is a boxer."]}),
        ("Mira Sol is a boxer and poet.", {"details.joined": ["Mira Sol is a boxer."]}),
    ],
)
def test_a_false_claim_stays_false_where_what_goes_is_confirmed(text, expected):
    assert said(details, text, "contradicts", SOL) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Mira Sol is a Greek painter.",  # "a painter" is true
        "Mira Sol is a Greek boxer.",  # which of the two is wrong?
        "Mira Sol is a painter and boxer.",
        "Mira Sol won the Oak Prize in 1999.",  # perhaps in another year
        "Mira Sol is a boxer in Lima.",
        "Mira Sol owns a Peruvian company.",
    ],
)
def test_a_false_claim_that_might_become_true_stays(text):
    assert said(details, text, "contradicts", SOL) == {}


@pytest.mark.parametrize(("stance", "context"), [("neutral", SOL), (None, SOL), ("entails", None)])
def test_nothing_without_a_stance_and_a_context(stance, context):
    assert said(details, "Mira Sol is a Peruvian painter.", stance, context) == {}


NAMES = st.sampled_from(["Mira Sol", "Tom Hill", "Low Tide", "Odo"])
ADJECTIVES = st.sampled_from(["", "old ", "Irish ", "famous ", "small Danish ", "fictional ", "American "])
NOUNS = st.sampled_from(
    ["painter", "film director", "city", "rock band", "engineer", "old house", "part", "orange tree"]
)
ENDS = st.sampled_from(
    ["", " in Peru", " and poet", " who lives in Lima", " from 1999", " built by monks", " with a roof"]
)
SENTENCES = st.builds(
    lambda name, verb, adjective, noun, end: (
        f"{name} {verb} {article(adjective + noun)} {adjective}{noun}{end}."
    ),
    NAMES,
    st.sampled_from(["is", "was", "painted", "owns"]),
    ADJECTIVES,
    NOUNS,
    ENDS,
)


def article(words):
    return "an" if words[0] in "aeiouAEIOU" else "a"


def cuts(text):
    """The slow twin: every text that is this one without some words in a row, its articles left open."""
    words = text.rstrip(".").split()
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            yield bare(" ".join(words[:first] + words[last:]))


def bare(text):
    return re.sub(r"\b(?:a|an)\b", "a", text.rstrip("."))


@given(SENTENCES, st.sampled_from(["entails", "contradicts"]))
def test_the_result_is_the_text_without_one_stretch(text, stance):
    scene = scene_of(text, stance, SOL)
    for one in details(scene):
        new = one.apply(scene.document)
        assert one.keeps == "label"
        assert new != text
        assert new.endswith(".")
        assert bare(new) in set(cuts(text))
        for found in re.finditer(r"\b(an?) (\w+)", new):
            assert found[1] == article(found[2])
