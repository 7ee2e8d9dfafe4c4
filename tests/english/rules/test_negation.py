"""Negations said in other words: the exact new sentence where a rule must fire, nothing where it must not."""

from __future__ import annotations

import pytest

from longway.english.rules.negatives import negation
from tests.english.rules.said import said, scene_of


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("Anna Bell did not win a medal.", "fail_to", "Anna Bell failed to win a medal."),
        ("Anna Bell failed to win a medal.", "did_not", "Anna Bell did not win a medal."),
        ("Anna Bell failed to win a medal.", "not_manage", "Anna Bell did not manage to win a medal."),
        ("Anna Bell never won a medal.", "at_no_time", "Anna Bell at no time won a medal."),
        ("Anna Bell has never been to Ohio.", "at_no_point", "Anna Bell has at no point been to Ohio."),
        ("Anna Bell never won a medal.", "not_once", "Anna Bell did not once win a medal."),
        ("Anna Bell was unable to reach the top.", "could_not", "Anna Bell could not reach the top."),
        ("Anna Bell was not able to reach the top.", "unable_to", "Anna Bell was unable to reach the top."),
        ("Anna Bell cannot sing.", "incapable_of", "Anna Bell is incapable of singing."),
        ("Anna Bell is incapable of singing.", "lack_ability", "Anna Bell lacks the ability to sing."),
        ("Anna Bell has yet to direct a film.", "not_yet", "Anna Bell has not yet directed a film."),
        ("Anna Bell has yet to direct a film.", "still_not", "Anna Bell has still not directed a film."),
        ("The film has not yet been released.", "yet_to", "The film has yet to be released."),
        ("Anna Bell refused to ever sing.", "decline_to", "Anna Bell declined to sing."),
        ("The girls refused to sing.", "unwilling_to", "The girls were unwilling to sing."),
        ("Anna Bell declined to sing.", "would_not", "Anna Bell would not sing."),
        (
            "Anna Bell avoided meeting the king.",
            "steer_clear",
            "Anna Bell steered clear of meeting the king.",
        ),
        ("Anna Bell isn't an actress.", "anything_but", "Anna Bell is anything but an actress."),
        ("Anna Bell is not the mayor.", "in_no_way", "Anna Bell is in no way the mayor."),
        ("A whale is not a fish.", "not_count_as", "A whale does not count as a fish."),
        ("It is not possible.", "complement", "It is impossible."),
        ("Anna Bell was not born in 1984.", "false_that", "It is false that Anna Bell was born in 1984."),
        ("The dogs do not bark.", "untrue_that", "It is untrue that the dogs bark."),
        ("Anna Bell never won a medal.", "claim_that", "The claim that Anna Bell ever won a medal is false."),
        ("Anna Bell rarely worked in France.", "hardly_ever", "Anna Bell hardly ever worked in France."),
        ("Anna Bell hardly ever worked in France.", "seldom", "Anna Bell seldom worked in France."),
    ],
)
def test_a_negation_is_said_in_other_words(text, rule, expected):
    assert expected in said(negation, text).get(f"negation.{rule}", [])


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("The Corvane Bridge was not built in 1931.", "the Corvane Bridge was built in 1931"),
        ("An American band did not win.", "an American band won"),
        ("It was not built.", "it was built"),
        ("A Clockwork Orange was not directed by Ann.", "A Clockwork Orange was directed by Ann"),  # a title
    ],
)
def test_a_sentence_that_comes_to_stand_inside_another_loses_its_capital(text, inside):
    found = said(negation, text)
    assert found["negation.claim_that"] == [f"The claim that {inside} is false."]
    assert found["negation.myth_that"] == [f"It is a myth that {inside}."]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Anna Bell did not like the soup.", "fail_to"),  # nobody tries to like
        ("Anna Bell does not win.", "fail_to"),  # a habit
        ("Yugoslavia failed to be a country.", "did_not"),
        ("The house is not big.", "complement"),  # it may be neither big nor small
        ("It is not possible that Anna won.", "complement"),
        ("Anna Bell did not win because she was ill.", "false_that"),
        ("Anna Bell did not win and went home.", "false_that"),
        ("Anna Bell is not in Rome.", "anything_but"),
        ("Anna Bell was rarely late.", "infrequently"),
        ("Anna Bell refused the prize.", "decline_to"),
    ],
)
def test_a_rule_says_nothing_where_it_would_be_wrong(text, rule):
    assert f"negation.{rule}" not in said(negation, text)


@pytest.mark.parametrize("text", ["Anna Bell won a medal.", "Did Anna not win?", "I'm Not There is a film."])
def test_what_denies_nothing_stays(text):
    assert said(negation, text) == {}


def test_nothing_is_put_before_a_sentence_that_is_a_piece_of_one():
    scene = scene_of("A. P. J. Bell was not seen.")
    for rephrasing in negation(scene):
        assert rephrasing.apply(scene.document).startswith(
            ("A. P. J. Bell", "It is", "The claim", "There is")
        )


def test_a_title_keeps_its_capital_inside_a_sentence():
    context = "The Quiet is a 2005 film ."
    new = said(negation, "The Quiet is not a film.", context=context)["negation.false_that"]
    assert new == ["It is false that The Quiet is a film."]


def test_a_plain_article_loses_its_capital_inside_a_sentence():
    context = "The Danish language is spoken in Denmark . Some say that the Danish language is old ."
    new = said(negation, "The Danish language is not a dialect.", context=context)["negation.false_that"]
    assert new == ["It is false that the Danish language is a dialect."]
