"""Only, always and the like: the exact new sentence where a rule must fire, nothing where it must not."""

from __future__ import annotations

import pytest

from longway.english.rules.restrictors import restrictors
from tests.english.rules.said import said


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("Anna Bell is only an actress.", "nothing_but", "Anna Bell is nothing but an actress."),
        (
            "Anna Bell is exclusively an actress.",
            "and_nothing_else",
            "Anna Bell is an actress and nothing else.",
        ),
        (
            "The Long Road has only ever been a book.",
            "no_more_than",
            "The Long Road has been no more than a book.",
        ),
        ("The Long Road is a novel only.", "merely", "The Long Road is merely a novel."),
        ("Anna Bell is only German.", "purely", "Anna Bell is purely German."),
        ("The Hill is an exclusively Dutch film.", "purely", "The Hill is a purely Dutch film."),
        ("The Hill only stars Tom Baker.", "no_one_but", "The Hill stars no one but Tom Baker."),
        ("The Hill stars Tom Baker only.", "and_no_one_else", "The Hill stars Tom Baker and no one else."),
        ("The Hill was only directed by Tom Baker.", "alone", "The Hill was directed by Tom Baker alone."),
        (
            "The show aired only in 2005.",
            "and_at_no_other_time",
            "The show aired in 2005 and at no other time.",
        ),
        ("Dover is located solely in France.", "entirely", "Dover is located entirely in France."),
        ("Anna Bell only acts in films.", "nowhere_but", "Anna Bell acts nowhere but in films."),
        ("Anna Bell only acts in films.", "do_nothing_but", "Anna Bell does nothing but act in films."),
        ("Anna Bell is exclusively from Romania.", "alone", "Anna Bell is from Romania alone."),
        ("The firm only produces water.", "and_nothing_else", "The firm produces water and nothing else."),
        (
            "The tower contains only four rooms.",
            "no_more_than",
            "The tower contains no more than four rooms.",
        ),
        ("The tower has only one room.", "a_single", "The tower has a single room."),
        ("Dover Castle is the only castle in Kent.", "sole", "Dover Castle is the sole castle in Kent."),
        ("Anna Bell has always been poor.", "at_all_times", "Anna Bell has at all times been poor."),
        ("The lake is outside of Italy.", "not_in", "The lake is not in Italy."),
        ("The tower has at least four rooms.", "no_fewer_than", "The tower has no fewer than four rooms."),
        ("The show is set entirely in Ohio.", "completely", "The show is set completely in Ohio."),
    ],
)
def test_a_restrictor_is_said_in_other_words(text, rule, expected):
    assert expected in said(restrictors, text).get(f"restrictors.{rule}", [])


@pytest.mark.parametrize(
    "text",
    [
        "You Only Live Once is a film.",  # a title
        "Anna Bell is not only an actress.",
        "Anna Bell is an only child.",
        "They were the only people in the room.",  # no "sole people"
        "Anna Bell only died in 1970.",
        "At least Anna Bell came.",
        "It's Always Sunny is a show.",
        "It is a name with only Spanish etymology.",  # no "sole Spanish etymology"
    ],
)
def test_what_is_no_plain_restrictor_stays(text):
    assert said(restrictors, text) == {}


def test_words_go_behind_a_phrase_only_where_it_ends_the_clause():
    made = said(restrictors, "Anna Bell only has a career as a singer.")
    assert not {"restrictors.and_nothing_else", "restrictors.alone"} & set(made)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Anna Bell only acts on stage.", "alone"),  # would mean without others
        ("Anna Bell only met Tom Baker once.", "alone"),
        ("The drug is used only in the army.", "entirely"),
        ("Anna Bell only won medals while she was young.", "nothing_but"),  # says when, not what
        ("Anna Bell has only daughters.", "and_no_one_else"),
        ("The drug is sold only outside of Italy.", "beyond"),
        ("Anna Bell has always been poor.", "invariably"),
    ],
)
def test_a_restrictor_does_not_move_to_where_it_means_something_else(text, rule):
    assert f"restrictors.{rule}" not in said(restrictors, text)
