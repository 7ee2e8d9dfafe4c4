"""Words put into a text do not stand out."""

from random import Random

import pytest

from longway.jobs.plant.fitting import before, inside
from longway.methods.repair.mend import after, at_end, in_style


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The seats creak.", "The seats creak. We met by the stairs."),
        ("the seats creak .", "the seats creak . we met by the stairs ."),
        ("The seats creak", "The seats creak. We met by the stairs"),
        ("Do the seats creak?", "Do the seats creak? We met by the stairs."),
    ],
)
def test_a_sentence_behind_ends_as_the_text_did(text, expected):
    assert after("We met by the stairs", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The seats creak.", "For the record, the seats creak."),
        ("Brenmore sat down.", "For the record, Brenmore sat down."),
        ("a funny , warm film .", "for the record , a funny , warm film ."),
    ],
)
def test_what_stands_in_front_takes_over_the_capital_but_not_that_of_a_name(text, expected):
    assert before("For the record,", text) == expected


def test_an_aside_goes_where_a_phrase_begins_and_never_first():
    assert inside("as it happens", "I went in and sat.", Random(0)) in (
        "I went as it happens in and sat.",
        "I went in as it happens and sat.",
    )
    assert inside("oddly", "In rain.", Random(0)) == "In rain oddly."


def test_an_aside_keeps_the_spaces_and_lines_of_the_text():
    text = "First  line here,\n\twith more"
    assert inside("oddly", text, Random(0)) == "First  line here,\n\toddly with more"


def test_the_last_words_stand_before_the_last_mark():
    assert at_end("as of today", "It creaks!") == "It creaks as of today!"
    assert at_end("as of today", "It creaks") == "It creaks as of today"


def test_marks_are_set_apart_only_where_the_text_does_so():
    assert in_style("Well, yes.", "So it is .") == "Well , yes ."
    assert in_style("Well, yes.", "So it is.") == "Well, yes."
    assert in_style("Well, yes.", "so it is") == "well, yes."
