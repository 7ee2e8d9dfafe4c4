"""One form for the candidates of a question, and nothing but the form."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data.choices import Question
from longway.methods.choices.surface import CASING, FULL_STOP, SPACES, Normaliser


def normalised(*texts, prompt="Which one?", known=""):
    one = Question("1", 0, prompt, texts, 0)
    return Normaliser([one, Question("2", 1, known, ("x y", "z"), 0)]).normalise(one)


@pytest.mark.parametrize(
    ("before", "after", "forms"),
    [
        ((" red", "blue", "green"), ("red", "blue", "green"), (SPACES,)),
        (("red ", "blue"), ("red", "blue"), (SPACES,)),
        (("two  words", "one word"), ("two words", "one word"), (SPACES,)),
        (
            ("A red hat", "the blue hat", "The green hat"),
            ("A red hat", "The blue hat", "The green hat"),
            (CASING,),
        ),
        (("It rains.", "It snows"), ("It rains", "It snows"), (FULL_STOP,)),
        (("It rains.", "It snows.", "It is dry"), ("It rains.", "It snows.", "It is dry."), (FULL_STOP,)),
        (("Paris", "a large town"), ("Paris", "A large town"), (CASING,)),
    ],
)
def test_what_most_candidates_have_is_the_form_of_all(before, after, forms):
    assert normalised(*before) == (after, forms)


def test_a_capital_letter_falls_if_the_word_is_no_name():
    assert normalised("Water", "a stone", "a tree", known="the water is cold")[0] == (
        "water",
        "a stone",
        "a tree",
    )
    assert (
        normalised("Water", "a stone", "a tree", prompt="She saw", known="the water of Mr Water")[0][0]
        == "Water"
    )


@pytest.mark.parametrize(
    "texts",
    [
        (" a", " b"),  # all begin with a space: candidates that go on in a sentence
        ("NATO", "a club"),  # after a prompt that is not a sentence
        ("pH 7", "x = 3", "mRNA"),
        ("3.5", "12.", "7"),
        ("U.S.", "Rome"),
        ("First. Then it rained.", "it snowed"),
        ("return x;", "Return y = 2"),
        ("a line\nAnother line.", "one line"),
    ],
)
def test_other_candidates_stay_as_they_are(texts):
    assert normalised(*texts, prompt="They joined")[0] == texts


def test_literals_of_code_keep_their_letters():
    assert normalised("True", "False", "an error", "None", known="it is true that")[0][:2] == (
        "True",
        "False",
    )
    assert normalised("True", "Null", "null", "none")[0] == ("True", "Null", "null", "none")
    assert normalised("True stories", "false ones", known="a true")[1] == (CASING,)


def test_candidates_never_become_the_same():
    assert normalised("Polish", "polish", "a shine", "a glow")[0][:2] == ("Polish", "polish")


def essence(text):
    """Everything but spaces, casing of the first letter and a final full stop."""
    inner = " ".join(text.split())
    match = re.search(r"[^\W\d_]", inner)
    first = match.start() if match else 0
    return (inner[:first] + inner[first : first + 1].casefold() + inner[first + 1 :]).rstrip(".")


@given(st.lists(st.text("aAbB1. \n-_({\"é", max_size=12).filter(str.strip), min_size=2, max_size=5, unique=True), st.sampled_from(["", "Why?", "It is"]))  # fmt: skip
def test_only_the_form_changes(texts, prompt):
    new, forms = normalised(*texts, prompt=prompt)
    assert [essence(text) for text in new] == [essence(text) for text in texts]
    assert (tuple(texts) == new) == (not forms)
    assert len(set(new)) == len(set(texts))
