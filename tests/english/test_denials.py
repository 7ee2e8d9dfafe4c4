"""Denied verbs are found with their time and number, and can be written in any of the ways that English has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.denials import Denial, conjugated, denials
from longway.english.pipeline import load_pipeline

SUBJECTS = {"Anna Bell": False, "The dogs": True, "He": False, "They": True}
VERBS = ("win", "build", "leave", "join", "write", "visit", "be")
OBJECT = {"be": "in the house"}


def found(text):
    return list(denials(load_pipeline().analyse(text)))


@pytest.mark.parametrize(
    ("text", "kind", "verb", "time", "plural"),
    [
        ("Anna Bell did not win a medal.", "not", "win", "past", False),
        ("Anna Bell didn't win a medal.", "not", "win", "past", False),
        ("The dogs do not bark.", "not", "bark", "present", True),
        ("Anna Bell is not a painter.", "not", "be", "present", False),
        ("Anna Bell isn't a painter.", "not", "be", "present", False),
        ("The bridge has not been built.", "not", "be", "perfect", False),
        ("Anna Bell never won a medal.", "never", "win", "past", False),
        ("Anna Bell has never been to Ohio.", "never", "be", "perfect", False),
        ("Anna Bell did not ever win a medal.", "never", "win", "past", False),
        ("Anna Bell failed to win a medal.", "fail", "win", "past", False),
        ("The girls refused to sing.", "refuse", "sing", "past", True),
        ("Anna Bell has declined to sing.", "refuse", "sing", "perfect", False),
        ("Anna Bell was unable to reach the summit.", "unable", "reach", "past", False),
        ("Anna Bell was not able to reach the summit.", "unable", "reach", "past", False),
        ("Anna Bell is incapable of boxing.", "unable", "box", "present", False),
        ("Anna Bell cannot sing.", "unable", "sing", "present", False),
        ("Anna Bell has yet to direct a film.", "yet", "direct", "perfect", False),
        ("Anna Bell avoided meeting the king.", "avoid", "meet", "past", False),
    ],
)
def test_a_denied_verb_is_found_with_its_time_and_number(text, kind, verb, time, plural):
    (denial,) = found(text)
    assert (denial.kind, denial.verb, denial.tense, denial.plural) == (kind, verb, time, plural)


@pytest.mark.parametrize(
    "text",
    [
        "Anna Bell is not only a painter.",  # what is denied is that she is no more than that
        "Anna Bell is not also a painter.",
        "Did Anna Bell not win?",
        "I'm Not There is a film.",  # a title
        "Anna Bell won a medal.",
        "Anna Bell does not have to sing.",
        "Anna Bell failed the exam.",
        "Anna Bell may not win.",
    ],
)
def test_what_is_no_plain_denial_is_not_found(text):
    assert found(text) == []


def slow_finite(lemma, time, plural):
    """The finite form out of a table written by hand."""
    past = {
        "win": "won",
        "build": "built",
        "leave": "left",
        "join": "joined",
        "write": "wrote",
        "visit": "visited",
    }
    participle = past | {"write": "written", "be": "been"}
    if time == "perfect":
        return f"{'have' if plural else 'has'} {participle[lemma]}"
    if time == "pluperfect":
        return f"had {participle[lemma]}"
    if lemma == "be":
        return {"past": ("was", "were"), "present": ("is", "are")}[time][plural]
    return past[lemma] if time == "past" else lemma if plural else f"{lemma}s"


@given(st.sampled_from(VERBS), st.sampled_from(["past", "present", "perfect", "pluperfect"]), st.booleans())
def test_finite_forms_equal_those_of_a_table(lemma, time, plural):
    assert conjugated(lemma, time, plural) == slow_finite(lemma, time, plural)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("time", ["past", "present", "perfect"])
def test_what_is_written_out_is_found_again(subject, verb, time):
    wanted = Denial("not", "not", 0, 0, 0, 0, verb, time, SUBJECTS[subject])
    text = f"{subject} {wanted.with_auxiliary('not')} {OBJECT.get(verb, 'the house')}."
    (denial,) = found(text)
    assert (denial.verb, denial.tense, denial.plural) == (verb, time, SUBJECTS[subject])
    assert text[denial.start : denial.end] == wanted.with_auxiliary("not")


def test_an_unknown_number_gives_no_form_that_needs_it():
    unknown = Denial("not", "not", 0, 0, 0, 0, "win", "past", None)
    assert unknown.conjugated("be") is None
    assert unknown.conjugated("fail") == "failed"
