"""Words put into a text do not stand out."""

from random import Random

import pytest

from longway.jobs.plant.job import before, inside
from longway.methods.repair.mend import after, at_end, in_style


def test_what_is_added_to_a_text_without_a_last_mark_has_none():
    assert after("We met by the stairs", "The seats creak") == "The seats creak. We met by the stairs"
    assert at_end("as of today", "It creaks") == "It creaks as of today"
    assert in_style("Well, yes.", "so it is") == "well, yes."


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
