"""Negation: what is denied must stay denied, in whatever words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.verify.content_checks import NegationCheck, negation_fault
from longway.verify.wordforms import are_opposites, flips, is_restricted, negations
from tests.verify.scenes import candidate, reason

SAME = [
    ("She failed to win.", "She did not win."),
    ("She didn't win.", "She never won."),
    ("He was not alive.", "He was dead."),
    ("It is not possible.", "It is impossible."),
    ("He can't sing.", "He is unable to sing."),
    ("Ann neither sang nor danced.", "Ann did not sing or dance."),
    ("He has no children.", "He lacks children."),
    ("No one came.", "Nobody came."),
    ("He won zero awards.", "He did not win any awards."),
    ("He is not a poet.", "He is anything but a poet."),
    ("She did not star in it.", "It is false that she starred in it."),
    ("The film is only a drama.", "The film is nothing but a drama."),
    ("It aired only in 2005.", "It aired in 2005 and at no other time."),
    ("Only four came.", "No more than four came."),
    ("At least two came.", "No fewer than two came."),
    ("It is not only long.", "It is long."),
    ("It helps those who live alone.", "It helps those who live by themselves."),
    ("The storm closed the harbour.", "The harbour was closed by the storm."),
]
OTHER = [
    ("The battery died.", "The battery was not dead."),
    ("The battery was not dead.", "The battery died."),
    ("She won.", "She failed to win."),
    ("She won.", "She has yet to win."),
    ("He was happy.", "He was unhappy."),
    ("The price rose.", "The price fell."),
    ("A big dog barked.", "A small dog barked."),
    ("He came with his dog.", "He came without his dog."),
    ("They can swim.", "They cannot swim."),
    ("The film is only a drama.", "The film is a drama."),
    ("The film is a drama.", "The film is only a drama."),
    ("He did not win.", "He did not fail to not win."),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_the_same_denied_in_other_words_passes(before, after):
    assert negation_fault(before, after) == ""
    assert negation_fault(after, before) == ""


@pytest.mark.parametrize(("before", "after"), OTHER)
def test_something_else_denied_is_rejected(before, after):
    if are_opposites("rose", "fell") or before != "The price rose.":  # irregular verbs need lemminflect
        assert negation_fault(before, after) != ""


def test_a_text_that_keeps_its_label_may_deny_something_else():
    assert reason(NegationCheck(), "The film is not French.", "The film is Greek.", keeps="label") == ""


def test_a_text_that_keeps_its_label_must_not_just_lose_the_negation():
    why = reason(NegationCheck(), "The film is not French.", "The film is French.", keeps="label")
    assert why == "only the negation changed"


def test_where_the_label_is_meant_to_change_so_may_the_negation():
    check = NegationCheck(["SUPPORTS"])
    assert reason(check, "Ann won.", "Ann did not win.", label="REFUTES", keeps="label") == ""
    assert reason(check, "Ann won.", "Ann did not win.", label="SUPPORTS", keeps="label") != ""


def test_the_score_is_the_change_in_number():
    assert NegationCheck()([candidate("He did not win.", "He won.")])[0].score == -1


@pytest.mark.parametrize(
    ("text", "n"),
    [("I do not know nobody.", 2), ("No doubt it rained.", 0), ("Nothing but rain.", 0), ("By no means.", 1)],
)
def test_negations_are_counted(text, n):
    assert negations(text) == n


def test_opposites_are_seen_by_prefix_ending_and_list():
    assert flips("a legal and harmless act", "an illegal and harmful act") == [
        ("legal", "illegal"),
        ("harmless", "harmful"),
    ]
    assert not are_opposites("film", "movie")
    assert is_restricted("It is solely that.")


@given(st.text(max_size=60))
def test_any_text_has_its_own_negations(text):
    assert negation_fault(text, text) == ""
