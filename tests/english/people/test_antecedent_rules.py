"""Each rule about a pronoun and a person, on sentences written by hand: where it speaks and where it is silent."""

from math import log, log1p

import pytest

from longway.english.people.chains import (
    PAIR_RULES,
    RULES,
    no_antecedent_values,
    rule_values,
)
from longway.english.people.discourse import SITUATIONS, PronounContext
from tests.english.people.discourses import mention, pair, scene_of

MET = ("Ann|NNP|nsubj|1 met|VBD Eve|NNP|obj|1 ~.|.|punct|1", "She|PRP|nsubj|1 smiled|VBD ~.|.|punct|1")
MET_LATER = (MET[0], "It|PRP|nsubj|1 rained|VBD ~.|.|punct|1", MET[1])
MET_LONG_AGO = (MET[0], *["It|PRP|nsubj|1 rained|VBD ~.|.|punct|1"] * 3, MET[1])
TOLD = ("Ann|NNP|nsubj|1 told|VBD Eve|NNP|obj|1 that|IN|mark|5 she|PRP|nsubj|5 won|VBD|ccomp|1 ~.|.|punct|1",)
LOST = ("Ann|NNP|nsubj|1 lost|VBD her|PRP$|nmod:poss|3 keys|NNS|obj|1 ~.|.|punct|1",)
SAW = ("Ann|NNP|nsubj|2 often|RB|advmod|2 saw|VBD her|PRP|obj|2 ~.|.|punct|2",)
FRONTED = (
    "In|IN|case|2 her|PRP$|nmod:poss|2 youth|NN|obl|5 ~,|,|punct|5 Ann|NNP|nsubj|5 sang|VBD ~.|.|punct|5",
)
SHE_SAID = ("She|PRP|nsubj|1 said|VBD Ann|NNP|nsubj|3 won|VBD|ccomp|1 ~.|.|punct|1",)
RELATIVE = (
    "Her|PRP$|nmod:poss|1 friend|NN|nsubj|6 ~,|,|punct|1 the|DT|det|4 singer|NN|appos|1 Ann|NNP|appos|4 sang|VBD ~.|.|punct|6",
)
FRIEND = ("Her|PRP$|nmod:poss|1 friend|NN|nsubj|3 Ann|NNP|appos|1 sang|VBD ~.|.|punct|3",)
POSSESSOR = (
    "Ann|NNP|nmod:poss|2 's|POS|case|0 dog|NN|nsubj|3 barked|VBD ~.|.|punct|3",
    "She|PRP|nsubj|1 smiled|VBD ~.|.|punct|1",
)
LIST = (
    "Bob|NNP|nsubj|3 and|CC|cc|2 Ann|NNP|conj|0 sang|VBD for|IN|case|5 Eve|NNP|obl|3 ~.|.|punct|3",
    "She|PRP|nsubj|1 smiled|VBD ~.|.|punct|1",
)
OF = (
    "The|DT|det|1 mother|NN|nsubj|4 of|IN|case|3 Ann|NNP|nmod|1 sang|VBD ~.|.|punct|4",
    "She|PRP|nsubj|1 smiled|VBD ~.|.|punct|1",
)
DESCRIBED = (
    "Then|RB|advmod|7 ~,|,|punct|7 Ann|NNP|nsubj|7 ~,|,|punct|5 who|WP|nsubj|5 slept|VBD|acl:relcl|2 ~,|,|punct|5 sang|VBD ~.|.|punct|7",
    "She|PRP|nsubj|1 smiled|VBD ~.|.|punct|1",
)
AND_HER = ("Ann|NNP|nsubj|4 and|CC|cc|3 her|PRP$|nmod:poss|3 brother|NN|conj|0 sang|VBD ~.|.|punct|4",)
QUOTE = (
    "Ann|NNP|nsubj|1 said|VBD ~:|:|punct|1 “|``|punct|5 Eve|NNP|nsubj|5 met|VBD|ccomp|1 her|PRP|obj|5 ~”|''|punct|5 ~.|.|punct|1",
)
# the lemma of a word written by hand is the word
SAYS = ("Ann|NNP|nsubj|1 say|VBP so|RB|advmod|1 ~.|.|punct|1", "She|PRP|nsubj|1 left|VBD ~.|.|punct|1")
SAYS_MORE = (SAYS[0], "She|PRP|nsubj|1 add|VBP nothing|NN|obj|1 ~.|.|punct|1")
BOTH_SIDES = (
    "Ann|NNP|nsubj|1 sang|VBD ~.|.|punct|1",
    "She|PRP|nsubj|1 left|VBD before|IN|mark|4 Ann|NNP|nsubj|4 slept|VBD|advcl|1 ~.|.|punct|1",
    "Ann|NNP|nmod:poss|2 's|POS|case|0 dog|NN|nsubj|3 barked|VBD ~.|.|punct|3",
)
MARKED = ("Mrs.|NNP|nmod|1 Hale|NNP|nsubj|2 sang|VBD ~.|.|punct|2", "She|PRP|nsubj|1 left|VBD ~.|.|punct|1")
FULL = ("Ann|NNP|nsubj|2 Hale|NNP|flat|0 sang|VBD ~.|.|punct|2", "She|PRP|nsubj|1 left|VBD ~.|.|punct|1")
MAYBE = ("Brkovits|NNP|nsubj|1 shone|VBD ~.|.|punct|1", "She|PRP|nsubj|1 left|VBD ~.|.|punct|1")

CASES = [
    ("stands_before", MET, "She", "Ann", True),
    ("stands_before", FRONTED, "her", "Ann", False),
    ("same_sentence", TOLD, "she", "Ann", True),
    ("same_sentence", FRONTED, "her", "Ann", False),
    ("two_sentences_back", MET_LATER, "She", "Ann", True),
    ("two_sentences_back", MET, "She", "Ann", False),
    ("further_back", MET_LONG_AGO, "She", "Ann", 2),
    ("further_back", MET_LATER, "She", "Ann", 0),
    ("words_between", MET, "She", "Eve", log(3)),
    ("words_between", FRONTED, "her", "Ann", 0),
    ("words_ahead", FRONTED, "her", "Ann", log(4)),
    ("words_ahead", MET, "She", "Eve", 0),
    ("people_between", MET, "She", "Ann", log1p(1)),
    ("people_between", MET, "She", "Eve", 0),
    ("verbs_between", TOLD, "she", "Ann", 0.5),
    ("verbs_between", TOLD, "she", "Eve", 0),
    ("steps_in_the_tree", LOST, "her", "Ann", 3 / 4),
    ("steps_in_the_tree", MET, "She", "Ann", 0),
    ("deep_in_the_tree", MET, "She", "Ann", 1 / 3),
    ("deep_in_the_tree", OF, "She", "Ann", 2 / 3),
    ("is_object", MET, "She", "Eve", True),
    ("is_object", MET, "She", "Ann", False),
    ("is_possessor", POSSESSOR, "She", "Ann", True),
    ("is_possessor", MET, "She", "Ann", False),
    ("in_a_list", LIST, "She", "Ann", True),
    ("in_a_list", LIST, "She", "Eve", False),
    ("behind_of", OF, "She", "Ann", True),
    ("behind_of", LIST, "She", "Eve", False),
    ("behind_a_preposition", LIST, "She", "Eve", True),
    ("behind_a_preposition", LIST, "She", "Ann", False),
    ("verb_follows", MET, "She", "Ann", True),
    ("verb_follows", SAW, "her", "Ann", True),  # an adverb may stand between
    ("verb_follows", MET, "She", "Eve", False),
    ("verb_follows_in_last_sentence", MET, "She", "Ann", True),
    ("verb_follows_in_last_sentence", MET_LATER, "She", "Ann", False),
    ("behind_a_verb_in_last_sentence", MET, "She", "Eve", True),
    ("behind_a_verb_in_last_sentence", MET, "She", "Ann", False),
    ("behind_a_comma_in_last_sentence", DESCRIBED, "She", "Ann", True),
    ("behind_a_comma_in_last_sentence", MET, "She", "Ann", False),
    ("opens_last_sentence", MET, "She", "Ann", True),
    ("opens_last_sentence", MET, "She", "Eve", False),
    (
        "subject_in_last_sentence",
        DESCRIBED,
        "She",
        "Ann",
        True,
    ),  # what stands between commas does not hide the verb
    ("subject_in_last_sentence", MET, "She", "Eve", False),
    ("subject_in_last_sentence", MET_LATER, "She", "Ann", False),
    ("first_in_its_sentence", MET, "She", "Ann", True),
    ("first_in_its_sentence", MET, "She", "Eve", False),
    ("is_described", DESCRIBED, "She", "Ann", True),
    ("is_described", MET, "She", "Ann", False),
    ("often_subject", MET, "She", "Ann", log1p(1)),
    ("often_subject", MET, "She", "Eve", 0),
    ("last_subject", MET, "She", "Ann", True),
    ("last_subject", MET, "She", "Eve", False),
    ("subject_of_own_clause", LOST, "her", "Ann", True),
    ("subject_of_own_clause", TOLD, "she", "Ann", False),
    ("own_clause_has_another_subject", QUOTE, "her", "Ann", True),
    ("own_clause_has_another_subject", LOST, "her", "Ann", False),
    ("subject_of_upper_clause", TOLD, "she", "Ann", 1),
    ("subject_of_upper_clause", TOLD, "she", "Eve", 0),
    ("upper_clause_has_another_subject", TOLD, "she", "Eve", True),
    ("upper_clause_has_another_subject", TOLD, "she", "Ann", False),
    ("right_before_and", AND_HER, "her", "Ann", True),
    ("right_before_and", LOST, "her", "Ann", False),
    ("behind_the_subject", TOLD, "she", "Eve", True),
    ("behind_the_subject", TOLD, "she", "Ann", False),
    ("named_below_the_pronoun", SHE_SAID, "She", "Ann", True),
    ("named_below_the_pronoun", MET, "She", "Ann", False),
    ("name_of_a_relative", RELATIVE, "Her", "Ann", True),
    ("name_of_a_relative", FRONTED, "her", "Ann", False),
    ("speaks_outside", QUOTE, "her", "Ann", True),
    ("speaks_outside", QUOTE, "her", "Eve", False),
    ("both_quoted", QUOTE, "her", "Eve", True),
    ("both_quoted", QUOTE, "her", "Ann", False),
    ("speaker_of_another_sentence", SAYS, "She", "Ann", True),
    ("speaker_of_another_sentence", SAYS_MORE, "She", "Ann", False),
    ("behind_an_opening_phrase", FRONTED, "her", "Ann", True),
    ("behind_an_opening_phrase", SHE_SAID, "She", "Ann", False),
    ("ahead_behind_a_comma", FRONTED, "her", "Ann", True),
    ("ahead_behind_a_comma", SHE_SAID, "She", "Ann", False),
    ("later_in_the_sentence", BOTH_SIDES, "She", "Ann", True),
    ("later_in_the_sentence", MET, "She", "Ann", False),
    ("later_subject_in_the_sentence", BOTH_SIDES, "She", "Ann", True),
    ("later_subject_in_the_sentence", MET, "She", "Ann", False),
    ("later_subject", BOTH_SIDES, "She", "Ann", True),
    ("later_subject", MET, "She", "Ann", False),
    ("later_possessor", BOTH_SIDES, "She", "Ann", True),
    ("later_possessor", MET, "She", "Ann", False),
    ("named_on_both_sides", BOTH_SIDES, "She", "Ann", True),
    ("named_on_both_sides", FRONTED, "her", "Ann", False),
    ("most_mentioned", BOTH_SIDES, "She", "Ann", True),
    ("most_mentioned", MET, "She", "Ann", False),
    ("clearly_most_mentioned", BOTH_SIDES, "She", "Ann", True),
    ("clearly_most_mentioned", MET, "She", "Ann", False),
    ("mentioned_once_so_far", MET, "She", "Ann", True),
    ("mentioned_once_so_far", FRONTED, "her", "Ann", False),
    ("mentioned_more_than_once", (MET[0], *MET), "She", "Ann", True),
    ("mentioned_more_than_once", MET, "She", "Ann", False),
    ("one_name_only", MET, "She", "Ann", True),
    ("one_name_only", FULL, "She", "Ann Hale", False),
    ("certainly_a_person", MET, "She", "Ann", True),
    ("certainly_a_person", MAYBE, "She", "Brkovits", False),
    ("gender_is_marked", MARKED, "She", "Mrs. Hale", True),
    ("gender_is_marked", MET, "She", "Ann", False),
    ("full_name_agrees", FULL, "She", "Ann Hale", log(0.98 / 0.02)),
    ("full_name_agrees", MET, "She", "Ann", 0),
    ("lone_name_agrees", MET, "She", "Ann", log(0.98 / 0.02)),
    ("lone_name_agrees", FULL, "She", "Ann Hale", 0),
]


@pytest.mark.parametrize(("rule", "sentences", "pronoun", "person", "expected"), CASES)
def test_a_rule_says(rule, sentences, pronoun, person, expected):
    said = PAIR_RULES[rule](pair(scene_of(*sentences), pronoun, person))
    assert float(said) == pytest.approx(float(expected), abs=1e-9)


def test_claims_of_the_other_gender_are_passed_on():
    assert PAIR_RULES["claimed_by_the_other_gender"](pair(scene_of(*MET), "She", "Ann", claimed=0.7)) == 0.7


def test_every_rule_has_a_case_where_it_speaks_and_one_where_it_is_silent():
    tried = PAIR_RULES.keys() - {"claimed_by_the_other_gender"}
    assert tried == {rule for rule, *_, expected in CASES if expected}
    assert tried - {"deep_in_the_tree"} == {rule for rule, *_, expected in CASES if not expected}


def test_nobody_is_weighed_by_the_number_of_people():
    scene = scene_of(*MET)
    values = dict(zip(RULES, no_antecedent_values(PronounContext(scene, mention(scene, "She"))), strict=True))
    assert values["nobody"] == 1
    assert values["nobody_among_many"] == pytest.approx(log(3))
    assert values["stands_before"] == 0


def test_values_come_in_the_order_of_the_rules():
    values = dict(zip(RULES, rule_values(pair(scene_of(*MET), "She", "Eve")), strict=True))
    assert values["is_object"] == 1
    assert values["opens_last_sentence"] == values["nobody"] == 0


@pytest.mark.parametrize(
    ("sentences", "pronoun", "situation"),
    [
        (MET, "She", "opening subject"),
        (TOLD, "she", "later subject"),
        (FRONTED, "her", "opening possessive"),
        (LOST, "her", "later possessive"),
        (SAW, "her", "object"),
    ],
)
def test_the_situation_of_a_pronoun(sentences, pronoun, situation):
    scene = scene_of(*sentences)
    assert PronounContext(scene, mention(scene, pronoun)).situation == situation
    assert situation in SITUATIONS


def test_people_of_another_gender_or_number_are_no_candidates():
    scene = scene_of(
        "Mr.|NNP|nmod|1 Hale|NNP|nsubj|2 met|VBD the|DT|det|4 teachers|NNS|obj|2 and|CC|cc|6 Ann|NNP|conj|4 ~.|.|punct|2",
        "She|PRP|nsubj|1 smiled|VBD ~.|.|punct|1",
    )
    assert PronounContext(scene, mention(scene, "She")).people == [scene.owner(mention(scene, "Ann"))]


def test_people_named_too_far_away_are_no_candidates():
    scene = scene_of(MET[0], *["It|PRP|nsubj|1 rained|VBD ~.|.|punct|1"] * 5, MET[1])
    assert PronounContext(scene, mention(scene, "She")).people == []


def test_nobody_is_their_own_friend():
    scene = scene_of(*FRIEND)
    assert PronounContext(scene, mention(scene, "Her")).people == []
