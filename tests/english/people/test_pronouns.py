"""Which pronoun a word is, and in which form: by what follows it, then by tag and relation."""

import pytest

from longway.english.people.pronouns import (
    FORMS,
    PRONOUNS,
    SHE,
    THEY,
    find_pronouns,
    paired_pronoun,
    pronoun_form,
    singular_they,
)
from tests.english.handmade import document_of

pytest.importorskip("lemminflect")


def forms(annotated):
    return [mention.form for _, mention in find_pronouns(document_of(annotated))]


def test_every_form_of_every_pronoun_is_recognised():
    forms = [(pronoun, pronoun.form(form)) for pronoun in PRONOUNS.values() for form in FORMS]
    for pronoun, written in forms:
        document = document_of(f"{written}|PRP")
        if written == "em":  # "'em" is short for "them"
            assert pronoun_form(document, document.words[0]) is None
        else:
            assert pronoun_form(document, document.words[0]).pronoun == pronoun


def test_the_reflexive_of_they_can_be_chosen():
    assert THEY.reflexive == "themselves"
    assert singular_they("themself").reflexive == "themself"
    assert singular_they() == THEY


@pytest.mark.parametrize(
    ("annotated", "expected"),
    [
        ("I|PRP saw|VBD her|PRP|obj|1 ~.|.", ["object"]),
        ("I|PRP saw|VBD her|PRP$|nmod:poss|3 dog|NN|obj|1", ["determiner"]),
        ("I|PRP gave|VBD her|PRP$ the|DT book|NN", ["object"]),
        ("We|PRP met|VBD her|PRP$ first|RB ~.|.", ["object"]),
        ("her|PRP$|nmod:poss|3 newly|RB built|VBN house|NN", ["determiner"]),
        ("let|VB her|PRP$ go|VB", ["object"]),
        ("to|IN her|PRP|obl|2 sister|NN", ["determiner"]),
        ("from|IN her|PRP|obl|2 old|JJ house|NN", ["determiner"]),
        ("They|PRP take|VBP her|PRP$|nmod:poss|3 home|NN", ["subject", "object"]),
        ("They|PRP insult|VBP her|PRP|obj|1 friends|NNS|obj|1", ["subject", "determiner"]),
        ("her|PRP$|nmod:poss|4 so|RB ~-|: ~called|VBN friends|NNS", ["determiner"]),
        ("her|PRP$|nmod:poss|2 \"|`` ~friends|NNS ~\"|''", ["determiner"]),
        ("It|PRP|nsubj|1 made|VBD her|PRP$|obj|1 angry|JJ ~.|.", ["subject", "object"]),
        ("his|PRP$|nmod:poss|1 dog|NN", ["determiner"]),
        ("It|PRP|nsubj|2 is|VBZ|cop|2 his|PRP$ ~.|.", ["subject", "possessive"]),
        ("a|DT friend|NN of|IN his|PRP$ ~,|,", ["possessive"]),
        ("his|PRP$ and|CC hers|PRP", ["possessive", "possessive"]),
        ("his|PRP$|nmod:poss|3 and|CC my|PRP$ dog|NN", ["determiner"]),
        ("I|PRP like|VBP it|PRP|obj|1 ~.|.", ["object"]),
        ("its|PRP$|nmod:poss|1 tail|NN", ["determiner"]),
        ("he|PRP saw|VBD himself|PRP", ["subject", "reflexive"]),
    ],
)
def test_ambiguous_forms_are_told_apart(annotated, expected):
    assert forms(annotated) == expected


def test_capitals_do_not_matter():
    document = document_of("HER|PRP$|nmod:poss|1 dog|NN")
    assert pronoun_form(document, document.words[0]) == (SHE, "determiner")


@pytest.mark.parametrize(
    ("annotated", "halves"),
    [
        ("he|PRP or|CC she|PRP knows|VBZ", True),
        ("he|PRP ~/|, ~she|PRP knows|VBZ", True),
        ("his|PRP$ or|CC her|PRP$ dog|NN", True),
        ("he|PRP and|CC she|PRP know|VBP", False),  # two people
        ("he|PRP ~/|, ~him|PRP", False),  # the forms of one pronoun
        ("they|PRP or|CC she|PRP", False),
        ("his|PRP$ /|, hers|PRP /|, ours|PRP", False),  # a list of words
    ],
)
def test_two_pronouns_for_one_person_are_seen(annotated, halves):
    document = document_of(annotated)
    assert (paired_pronoun(document, document.words[0]) is not None) == halves
    if halves:
        assert paired_pronoun(document, document.words[2]) is document.words[0]


def test_other_words_are_no_pronouns():
    document = document_of("Her|NNP 'em|PRP you|PRP one|PRP")
    assert [pronoun_form(document, word) for word in document.words[1:]] == [None, None, None]
