"""Sentences by plain rules, on texts written for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.text.sentences import sentences_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another one.", ["One thing.", "Another one."]),
        ("It cost 3.50 euros. Cheap!", ["It cost 3.50 euros.", "Cheap!"]),
        ("He said \"Stop.\" Then he left.", ['He said "Stop."', "Then he left."]),
        ("Mr. Blum met J. Adeyemi. They ate.", ["Mr. Blum met J. Adeyemi.", "They ate."]),
        ("first line<br /><br />second line\nthird", ["first line", "second line", "third"]),
        ("a slow film . it works", ["a slow film .", "it works"]),
        ("approx. twenty of them", ["approx. twenty of them"]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("  \n ", []),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_sees_it(text, expected):
    assert sentences_of(text) == expected


@given(st.text(alphabet="aB .!?\n\"'", max_size=60))
def test_nothing_but_blanks_is_lost(text):
    assert "".join("".join(sentences_of(text)).split()) == "".join(text.split())
