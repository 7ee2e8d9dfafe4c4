"""Names: none lost, none new."""

import pytest

from longway.verify.content_checks import NamesCheck
from tests.verify.scenes import reason

CHECK = NamesCheck.of(["the song was sung in a small town by the river", "songs and towns"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Ann Lee sang the song.", "The song was sung by Ann Lee."),
        ("Ann Lee's song is old.", "The song of Ann Lee is old."),
        ("Songs by Ann Lee are old.", "The songs of Ann Lee are old."),
        ("The town is small.", "Small is the town."),
        ("In Rome, Ann Lee sang.", "Ann Lee sang in Rome."),
        ("I think Ann sang.", "Ann sang, I think."),
        ("Ann Lee is a singer from the United States.", "Ann Lee is an American singer."),
        ("It was sung on TV.", "It was sung on television."),
    ],
)
def test_the_same_names_pass(before, after):
    assert reason(CHECK, before, after) == ""


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("Ann Lee sang the song.", "Ann Kay sang the song.", "lee lost, kay new"),
        ("London is a town.", "Paris is a town.", "london lost, paris new"),
        ("Ann Lee sang the song.", "She sang the song.", "ann lost, lee lost"),
        ("The song was sung in Rome.", "The song was sung.", "rome lost"),
        ("The song was sung.", "The song was sung in Rome.", "rome new"),
        ("Ann Lee is an Italian singer.", "Ann Lee is a singer from France.", "italian lost, french new"),
    ],
)
def test_other_names_are_rejected(before, after, why):
    assert reason(CHECK, before, after) == why


def test_a_name_that_was_meant_to_go_may_go():
    assert reason(CHECK, "The song by Ann Lee is old.", "The song is old.", telling=["ann lee"]) == ""


def test_a_text_that_keeps_only_its_label_may_have_other_names():
    assert reason(CHECK, "It was sung in Rome.", "It was sung in Oslo.", keeps="label") == ""


def test_a_text_all_in_capitals_has_no_names():
    assert CHECK.names("THE SONG WAS SUNG") == set()
