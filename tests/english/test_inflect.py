"""Inflection: irregular forms, traps of spelling, compounds, and what has no such form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.document import Word
from longway.english.inflection import inflect, inflect_like, lemmas

pytest.importorskip("lemminflect")


def word(text, tag, morph=""):
    return Word(0, 0, len(text), text, text.lower(), "X", tag, morph, 0, "root")


@pytest.mark.parametrize(
    ("lemma", "forms"),
    [
        # VBZ, VBD, VBN, VBG
        ("be", "is was been being"),
        ("have", "has had had having"),
        ("go", "goes went gone going"),
        ("try", "tries tried tried trying"),
        ("visit", "visits visited visited visiting"),
        ("refer", "refers referred referred referring"),
        ("die", "dies died died dying"),
        ("dye", "dyes dyed dyed dyeing"),
        ("agree", "agrees agreed agreed agreeing"),
        ("panic", "panics panicked panicked panicking"),
        ("travel", "travels traveled traveled traveling"),
        ("program", "programs programmed programmed programming"),
        ("kidnap", "kidnaps kidnapped kidnapped kidnapping"),
        ("focus", "focuses focused focused focusing"),
        ("put", "puts put put putting"),
        ("babysit", "babysits babysat babysat babysitting"),
        ("can", "cans canned canned canning"),
        ("yeet", "yeets yeeted yeeted yeeting"),  # in no dictionary
    ],
)
def test_verbs(lemma, forms):
    assert [inflect(lemma, tag) for tag in ("VBZ", "VBD", "VBN", "VBG")] == forms.split()


@pytest.mark.parametrize(
    ("lemma", "plural"),
    [
        ("child", "children"), ("person", "people"), ("woman", "women"), ("policeman", "policemen"), ("human", "humans"),
        ("German", "Germans"), ("city", "cities"), ("day", "days"), ("box", "boxes"), ("quiz", "quizzes"), ("bus", "buses"),
        ("knife", "knives"), ("chief", "chiefs"), ("tomato", "tomatoes"), ("piano", "pianos"), ("ox", "oxen"), ("foot", "feet"),
        ("mouse", "mice"), ("crisis", "crises"), ("criterion", "criteria"), ("index", "indexes"), ("sheep", "sheep"),
        ("fish", "fish"), ("aircraft", "aircraft"), ("series", "series"), ("Japanese", "Japanese"), ("scissors", "scissors"),
        ("thanks", "thanks"), ("CEO", "CEOs"), ("iPhone", "iPhones"),
    ],
)  # fmt: skip
def test_plurals(lemma, plural):
    assert inflect(lemma, "NNS") == plural


@pytest.mark.parametrize("lemma", ["information", "furniture", "advice", "luggage", "music", "happiness"])
def test_mass_nouns_have_no_plural(lemma):
    assert inflect(lemma, "NN") == lemma
    assert inflect(lemma, "NNS") is None


@pytest.mark.parametrize(
    ("lemma", "tag", "expected"),
    [
        ("good", "JJR", "better"), ("bad", "JJS", "worst"), ("far", "JJR", "further"), ("big", "JJR", "bigger"),
        ("happy", "JJS", "happiest"), ("free", "JJR", "freer"), ("beautiful", "JJR", "more beautiful"), ("fun", "JJS", "most fun"),
        ("well", "RBR", "better"), ("fast", "RBR", "faster"), ("quickly", "RBS", "most quickly"), ("more", "RBR", "more"),
    ],
)  # fmt: skip
def test_comparison(lemma, tag, expected):
    assert inflect(lemma, tag) == expected


@pytest.mark.parametrize(
    ("lemma", "tag", "expected"),
    [
        ("give up", "VBD", "gave up"),
        ("give_up", "VBG", "giving up"),
        ("take into account", "VBZ", "takes into account"),
        ("double-check", "VBD", "double-checked"),
        ("ice_cream", "NNS", "ice creams"),
        ("mother-in-law", "NNS", "mothers-in-law"),
        ("man_of_letters", "NNS", "men of letters"),
        ("attorney general", "NNS", "attorneys general"),
        ("passer-by", "NNS", "passers-by"),
        ("close-up", "NNS", "close-ups"),
        ("office furniture", "NNS", None),
    ],
)
def test_compounds_inflect_the_word_that_carries_the_ending(lemma, tag, expected):
    assert inflect(lemma, tag) == expected


@pytest.mark.parametrize(
    ("lemma", "tag", "expected"),
    [
        ("must", "MD", "must"),
        ("must", "VBD", None),
        ("must", "VB", None),
        ("run", "MD", None),
        ("the", "DT", None),
        ("under", "IN", "under"),
        ("Kennedy", "NNPS", "Kennedys"),
        ("Jones", "NNPS", "Joneses"),
        ("", "NNS", None),
        ("dog", "", None),
    ],
)
def test_modals_names_and_words_of_one_form(lemma, tag, expected):
    assert inflect(lemma, tag) == expected


@pytest.mark.parametrize(
    ("lemma", "replaced", "expected"),
    [
        ("child", word("Boys", "NNS"), "Children"),
        ("walk", word("RAN", "VBD"), "WALKED"),
        ("be", word("seem", "VBP", "Number=Sing|Person=1"), "am"),
        ("be", word("seem", "VBP", "Number=Plur|Person=3"), "are"),
        ("be", word("seemed", "VBD", "Number=Plur|Person=3"), "were"),
        ("be", word("seemed", "VBD", "Number=Sing|Person=3"), "was"),
        ("Paris", word("towns", "NN"), "Paris"),
        ("advice", word("Hints", "NNS"), None),
    ],
)
def test_a_lemma_takes_form_and_capitals_of_the_word_it_replaces(lemma, replaced, expected):
    assert inflect_like(lemma, replaced) == expected


def test_lemmas_know_word_classes():
    assert lemmas("leaves", "VERB") == ("leave",)
    assert "leaf" in lemmas("leaves", "NOUN")
    assert lemmas("her", "PRON") == ()
    assert lemmas("qwxzs", "VERB") == ()


@given(
    st.text(max_size=15),
    st.sampled_from("NN NNS NNP NNPS VB VBZ VBD VBN VBG VBP MD JJ JJR JJS RB RBR IN . X".split()),
)
def test_any_word_has_a_form_or_none(lemma, tag):
    form = inflect(lemma, tag)
    assert form is None or form
    assert form == inflect(lemma, tag)
