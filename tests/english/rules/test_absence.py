"""No, zero, nothing, any: the exact new sentence where a rule must fire, nothing where it must not."""

from __future__ import annotations

import pytest

from longway.english.rules.negatives import absences
from tests.english.rules.said import said


def absences_in(scene):
    return absences(scene.document)


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("Anna Bell has no children.", "not_any", "Anna Bell does not have any children."),
        ("Anna Bell has no children.", "not_a_single", "Anna Bell does not have a single child."),
        ("Anna Bell has no money.", "lack", "Anna Bell lacks money."),
        ("Anna Bell had no plan.", "lack", "Anna Bell lacked any plan."),
        ("The villages have no water.", "without", "The villages are without any water."),
        ("Anna Bell won zero awards.", "no", "Anna Bell won no awards."),
        ("Anna Bell won no awards.", "zero", "Anna Bell won zero awards."),
        ("Anna Bell received zero support.", "go_without", "Anna Bell went without support."),
        ("Anna Bell did not win any awards.", "any_to_no", "Anna Bell won no awards."),
        ("Anna Bell was not helped by anyone.", "any_to_no", "Anna Bell was helped by no one."),
        ("Anna Bell failed to win any awards.", "any_dropped", "Anna Bell failed to win awards."),
        ("Anna Bell failed to win any awards.", "a_single", "Anna Bell failed to win a single award."),
        ("The machine produces nothing.", "not_anything", "The machine does not produce anything."),
        ("Anna Bell had nothing to do with the fire.", "unrelated", "Anna Bell was unrelated to the fire."),
        ("There are no bridges in Dover.", "there_is_not_a_single", "There is not a single bridge in Dover."),
        ("There are no bridges in Dover.", "none_exist", "No bridges exist in Dover."),
        ("Nobody came to the party.", "not_one_person", "Not one person came to the party."),
        ("No one came to the party.", "nobody", "Nobody came to the party."),
        ("The club lacks support.", "has_no", "The club has no support."),
        ("The club lacks a stadium.", "has_no", "The club has no stadium."),
    ],
)
def test_absence_is_said_in_other_words(text, rule, expected):
    assert expected in said(absences_in, text).get(f"negation.{rule}", [])


@pytest.mark.parametrize(
    "text",
    [
        "No Way Home is a film.",  # a title
        "The river is no longer clean.",
        "Anna Bell ate nothing but bread.",
        "Any child can win.",
        "A lack of rain hurt the farmers.",
        "The number is zero.",
        "Nobody but Anna came.",
    ],
)
def test_what_only_looks_like_absence_stays(text):
    assert said(absences_in, text) == {}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Anna Bell has no money.", "not_a_single"),  # money is not counted
        ("Anna Bell has no mother.", "zero"),
        ("Anna Bell should have no fear.", "lack"),
        ("Anna Bell has no children.", "lack"),
        ("Anna Bell had no mother.", "lack"),
        ("Anna Bell had no mother.", "not_any"),
        ("The band has zero albums.", "without"),
    ],
)
def test_a_rule_says_nothing_where_it_would_be_wrong(text, rule):
    assert f"negation.{rule}" not in said(absences_in, text)
