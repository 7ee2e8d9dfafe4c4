"""Names: none lost, none new."""

import unicodedata

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


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("tr", "Dün İzmir'e gittik.", "İzmir'e dün gittik."),
        ("tr", "Filmi İrem ve IŞIK çekti.", "Filmi çeken İrem ve IŞIK idi."),
        ("it", "Il libro d'Anna è bello.", "È bello il libro che ha scritto Anna."),
        ("it", "La capitale d'Italia è Roma.", "Roma è capitale in Italia."),
        ("fr", "Le livre d’Anna est long.", "Anna a écrit un long livre."),
        ("vi", unicodedata.normalize("NFD", "Ông ấy sống ở Đà Nẵng."), "Ở Đà Nẵng, ông ấy sống."),
        ("pt", "Ela mora em São Luís.", unicodedata.normalize("NFD", "É em São Luís que ela mora.")),
    ],
)
def test_names_are_compared_by_the_rules_of_their_language(language, before, after):
    assert reason(CHECK, before, after, language=language) == ""
    assert reason(CHECK, after, before, language=language) == ""


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("tr", "Dün İzmir'e gittik.", "Dün Bursa'ya gittik."),
        ("it", "Il libro d'Anna è bello.", "Il libro d'Elena è bello."),
    ],
)
def test_other_names_of_other_languages_are_rejected(language, before, after):
    assert "lost" in reason(CHECK, before, after, language=language)
