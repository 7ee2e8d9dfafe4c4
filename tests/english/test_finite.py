"""The two numbers of a finite verb."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.inflection import is_auxiliary, is_base_form, is_third_person_form, verb_in_number

pytest.importorskip("lemminflect")

PAIRS = [
    ("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"), ("isn't", "aren't"), ("isn’t", "aren’t"),
    ("wasnt", "werent"), ("doesn", "don"), ("hasn't", "haven't"), ("IS", "ARE"), ("Is", "Are"), ("goes", "go"),
    ("cries", "cry"), ("says", "say"), ("buys", "buy"), ("washes", "wash"), ("sees", "see"), ("lies", "lie"),
    ("dies", "die"), ("uses", "use"), ("focuses", "focus"), ("Knows", "Know"), ("LIKES", "LIKE"), ("misses", "miss"),
    ("fixes", "fix"), ("leaves", "leave"), ("refuses", "refuse"), ("echoes", "echo"), ("needs", "need"),
]  # fmt: skip


@pytest.mark.parametrize(("singular", "plural"), PAIRS)
def test_singular_and_plural_are_each_other_s_twin(singular, plural):
    assert verb_in_number(singular, plural=True) == plural
    assert verb_in_number(plural, plural=False) == singular


@pytest.mark.parametrize(
    "form", "can could had did must will wo ca ai would 'll 'd went been was1 gone".split()
)
def test_forms_without_number_stay(form):
    assert verb_in_number(form, plural=True) is None


@pytest.mark.parametrize(("form", "base"), [("yeets", "yeet"), ("rizzes", "rizz"), ("vlogies", "vlogy")])
def test_unknown_verbs_follow_the_rules_of_spelling(form, base):
    assert verb_in_number(form, plural=True) == base


def test_the_lemma_settles_a_form_of_two_verbs():
    assert verb_in_number("axes", plural=True, lemma="axe") == "axe"


def test_forms_are_recognised():
    assert is_auxiliary("isn’t")
    assert not is_auxiliary("being")
    assert is_third_person_form("hands")
    assert not is_third_person_form("always")
    assert not is_third_person_form("miss")
    assert is_base_form("hand")
    assert not is_base_form("handed")


@given(st.text(max_size=10), st.booleans())
def test_any_string_has_a_number_or_none(form, plural):
    new = verb_in_number(form, plural=plural)
    assert new is None or new
