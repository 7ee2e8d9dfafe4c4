"""The steps that tie mentions together without weighing, on sentences written by hand."""

import pytest

from longway.english.people.chains import (
    apposed_name,
    goes_on,
    only_person,
    reflexive_subject,
    same_name,
    same_noun,
    subject_pronoun,
    they_refers_to,
)
from longway.english.people.discourse import PronounContext
from tests.english.people.discourses import mention, scene_of


def link(rule, pronoun, *sentences):
    """What a rule ties a pronoun to, as it is written; "" for nothing."""
    scene = scene_of(*sentences)
    found = rule(PronounContext(scene, mention(scene, pronoun)))
    return "" if found is None else " ".join(word.text for word in scene.words[found.start : found.end])


@pytest.mark.parametrize(
    ("earlier", "later", "is_same"),
    [
        ("nora vance", "nora vance", True),
        ("nora vance", "vance", True),
        ("nora vance", "nora", True),
        ("nora e. vance", "nora vance", True),
        ("n. vance", "nora vance", True),
        ("nora", "nora vance", True),
        ("vance", "nora vance", False),  # somebody else of the family
        ("nora vance", "tom vance", False),
        ("nora vance", "nora hale", False),
        ("nora", "vance", False),
        ("ben vance", "ben vance jr", False),
        ("ben vance jr", "vance", True),
        ("henry vii", "henry viii", False),
        ("henry viii", "henry", True),
        ("maria del carmen ruiz", "carmen ruiz", True),
        ("omar ibn abd al nasir", "abd al nasir", False),  # the father
    ],
)
def test_names_with_shared_parts(earlier, later, is_same):
    assert (same_name(tuple(earlier.split()), tuple(later.split())) > 0) is is_same


def test_people_with_clashing_titles_are_two():
    scene = scene_of("Mr.|NNP|nmod|1 Hale|NNP|nsubj|2 met|VBD Mrs.|NNP|nmod|4 Hale|NNP|obj|2 ~.|.|punct|2")
    assert scene.owner(mention(scene, "Mr. Hale")) is not scene.owner(mention(scene, "Mrs. Hale"))


@pytest.mark.parametrize(
    ("sentence", "noun", "name"),
    [
        ("The|DT|det|1 nurse|NN|nsubj|4 ~,|,|punct|1 Ann|NNP|appos|1 left|VBD ~.|.|punct|4", "The nurse", "Ann"),
        ("Nurse|NN|compound|1 Ann|NNP|nsubj|2 left|VBD ~.|.|punct|2", "Nurse", "Ann"),
        ("His|PRP$|nmod:poss|1 wife|NN|nsubj|3 Ann|NNP|dep|1 left|VBD ~.|.|punct|3", "wife", "Ann"),
        ("Ann|NNP|nsubj|3 is|VBZ|cop|3 a|DT|det|3 nurse|NN ~.|.|punct|3", "a nurse", "Ann"),
        ("Ann|NNP|nsubj|4 ~,|,|punct|0 a|DT|det|3 nurse|NN|appos|0 left|VBD ~.|.|punct|4", "a nurse", "Ann"),
        ("Ann|NNP|nsubj|1 met|VBD a|DT|det|3 nurse|NN|obj|1 ~.|.|punct|1", "a nurse", None),
        ("The|DT|det|1 people|NNS|nsubj|4 ~,|,|punct|1 Ann|NNP|appos|1 left|VBD ~.|.|punct|4", "The people", None),
        ("His|PRP$|nmod:poss|1 brother|NN|nsubj|3 Ann|NNP|dep|1 left|VBD ~.|.|punct|3", "brother", None),
    ],
)  # fmt: skip
def test_a_noun_finds_the_name_it_stands_beside(sentence, noun, name):
    scene = scene_of(sentence)
    found = apposed_name(scene, mention(scene, noun))
    assert (None if found is None else " ".join(found.parts).capitalize()) == name


@pytest.mark.parametrize(
    ("second", "is_taken_up"),
    [
        ("The|DT|det|1 nurse|NN|nsubj|2 left|VBD ~.|.|punct|2", True),
        ("A|DT|det|1 nurse|NN|nsubj|2 left|VBD ~.|.|punct|2", False),
        ("The|DT|det|1 nurse|NN|nsubj|4 of|IN|case|3 Ann|NNP|nmod|1 left|VBD ~.|.|punct|4", False),
    ],
)
def test_the_same_noun_with_an_article_takes_up_the_first(second, is_taken_up):
    scene = scene_of("A|DT|det|1 nurse|NN|nsubj|2 came|VBD ~.|.|punct|2", second)
    first, *others = [m for m in scene.mentions if m.kind == "role"]
    assert (same_noun(scene, others[0], first) is first) is is_taken_up
    assert (scene.owner(others[0]) is scene.owner(first)) is is_taken_up


def test_a_reflexive_is_the_subject_of_its_clause():
    hurt = "Ann|NNP|nsubj|1 hurt|VBD {}|PRP|obj|1 ~.|.|punct|1"
    assert link(reflexive_subject, "herself", hurt.format("herself")) == "Ann"
    assert link(reflexive_subject, "himself", hurt.format("himself")) == ""
    assert link(reflexive_subject, "her", hurt.format("her")) == ""


def test_a_possessive_is_the_pronoun_that_is_subject_of_its_clause():
    lost = "She|PRP|nsubj|1 lost|VBD {}|PRP$|nmod:poss|3 keys|NNS|obj|1 ~.|.|punct|1"
    assert link(subject_pronoun, "her", lost.format("her")) == "She"
    assert link(subject_pronoun, "his", lost.format("his")) == ""


def test_a_possessive_is_left_open_where_somebody_stands_between():
    told = "She|PRP|nsubj|1 told|VBD Ann|NNP|obj|1 her|PRP$|nmod:poss|4 secret|NN|obj|1 ~.|.|punct|1"
    assert link(subject_pronoun, "her", told) == ""


def test_a_pronoun_goes_on_where_nobody_else_was_mentioned():
    came, saw = "She|PRP|nsubj|1 came|VBD ~.|.|punct|1", "She|PRP|nsubj|1 saw|VBD {} ~.|.|punct|1"
    scene = scene_of(came, saw.format("it|PRP|obj|1"))
    assert goes_on(PronounContext(scene, scene.mentions[-1])) is scene.mentions[0]
    scene = scene_of("She|PRP|nsubj|1 met|VBD Ann|NNP|obj|1 ~.|.|punct|1", saw.format("it|PRP|obj|1"))
    assert goes_on(PronounContext(scene, scene.mentions[-1])) is None


def test_two_places_of_one_verb_are_two_people():
    assert link(goes_on, "him", "He|PRP|nsubj|1 saw|VBD him|PRP|obj|1 ~.|.|punct|1") == ""


def test_they_are_the_only_people_in_the_plural():
    tired = "They|PRP|nsubj|2 were|VBD|cop|2 tired|JJ ~.|.|punct|2"
    assert link(they_refers_to, "They", "People|NNS|nsubj|1 left|VBD ~.|.|punct|1", tired) == "People"
    left_shoes = "People|NNS|nsubj|1 left|VBD shoes|NNS|obj|1 ~.|.|punct|1"
    assert link(they_refers_to, "They", left_shoes, tired) == ""  # they may be the shoes


def test_the_only_person_whose_gender_is_marked_is_meant():
    smiled = "She|PRP|nsubj|1 smiled|VBD ~.|.|punct|1"
    assert (
        link(only_person, "She", "The|DT|det|1 waitress|NN|nsubj|2 came|VBD ~.|.|punct|2", smiled)
        == "The waitress"
    )
    assert link(only_person, "She", "The|DT|det|1 teacher|NN|nsubj|2 came|VBD ~.|.|punct|2", smiled) == ""
