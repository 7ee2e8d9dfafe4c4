"""Which column plays which part."""

import polars as pl
import pytest

from longway.data import load
from longway.data.columns import choose, likely_columns
from longway.errors import ColumnError

NOTHING = dict.fromkeys(("text", "context", "label", "id", "split"))


def chosen(*names, **given):
    columns, faults = choose(pl.DataFrame({name: ["x"] for name in names}), NOTHING | given)
    return (columns.text, columns.context, columns.label) if columns else faults


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["text", "label"], ("text", None, "label")),
        ([" Review", "sentiment "], (" Review", None, "sentiment ")),
        (["claim ", " evidence", " label"], ("claim ", " evidence", " label")),
        (["claim", "evidence", "label"], ("claim", "evidence", "label")),
        (["premise", "hypothesis", "gold_label"], ("hypothesis", "premise", "gold_label")),
        (["sentence1", "sentence2", "label"], ("sentence2", "sentence1", "label")),
        (["question1", "question2", "is_duplicate"], ("question2", "question1", "is_duplicate")),
        (["context", "text", "label"], ("text", "context", "label")),
        (["title", "content", "label"], ("content", None, "label")),
        (["title", "text", "label", "label_text"], ("text", None, "label")),
        (["text", "label", "target"], ("text", None, "label")),
    ],
)
def test_usual_names_are_guessed(names, expected):
    assert chosen(*names) == expected


def test_id_and_split_are_guessed_too():
    columns, _ = choose(pl.DataFrame({n: ["x"] for n in ("pairID", "text", "label", "fold")}), NOTHING)
    assert (columns.id, columns.split) == ("pairID", "fold")
    assert columns.guessed == ("text", "label", "id", "split")


def test_longway_id_goes_before_id():
    columns, _ = choose(pl.DataFrame({n: ["x"] for n in ("id", "longway_id", "text", "label")}), NOTHING)
    assert columns.id == "longway_id"


def test_a_given_column_is_never_overridden():
    assert chosen("text", "review", "label", text="review") == ("review", None, "label")
    assert chosen("premise", "hypothesis", "label", text="premise") == ("premise", None, "label")
    assert chosen("premise", "hypothesis", "label", context="hypothesis", text="premise")[1] == "hypothesis"


def test_a_given_text_brings_its_partner_along():
    assert chosen("text", "evidence", "claim", "label", text="claim") == ("claim", "evidence", "label")


def test_an_empty_name_says_that_there_is_none():
    assert chosen("premise", "hypothesis", "label", context="") == ("hypothesis", None, "label")


@pytest.mark.parametrize("names", [("text", "review"), ("text", "premise", "hypothesis")])
def test_two_candidates_are_a_question_that_names_the_flag(names):
    faults = chosen(*names, "label")
    assert len(faults) == 1
    assert "--text" in faults[0]
    assert "'text'" in faults[0]
    assert repr(names[-1]) in faults[0]


def test_a_lone_column_of_long_varied_words_is_the_text():
    frame = pl.DataFrame(
        {"opinion": ["a long and varied text", "quite another long text"], "n": ["1", "2"], "y": ["p", "q"]}
    )
    columns, _ = choose(frame, NOTHING)
    assert columns.text == "opinion"
    assert "text" in columns.guessed


@pytest.mark.parametrize("values", [["short", "words"], ["the very same long text"] * 9])
def test_a_lone_column_that_is_short_or_repeats_is_not_the_text(values):
    columns, faults = choose(pl.DataFrame({"opinion": values, "y": ["p"] * len(values)}), NOTHING)
    assert columns is None
    assert "No column could be recognised as the text" in faults[0]


def test_a_missing_column_is_told_with_the_nearest_one():
    with pytest.raises(
        ColumnError,
        match=r"no column 'txt' for the text\. Did you mean 'text'\? The columns are 'text', 'label'",
    ):
        load([{"text": "a", "label": "b"}], text="txt")


def test_all_column_errors_come_in_one_message():
    with pytest.raises(ColumnError) as caught:
        load([{"text": "a", "label": "b"}], text="txt", label="lable", id="key")
    assert all(name in str(caught.value) for name in ("'txt'", "'lable'", "'key'"))


def test_columns_that_hold_lists_are_refused():
    with pytest.raises(ColumnError, match=r"column 'text' cannot be used.* got lists"):
        load([{"text": ["a"], "label": "b"}])
    with pytest.raises(ColumnError, match=r"column 'label' cannot be used"):
        load(pl.DataFrame({"text": ["a"], "label": [[[1]]]}))


def test_a_span_of_time_is_no_label():
    frame = pl.DataFrame({"text": ["a", "b"], "label": pl.Series([1, 2]).cast(pl.Duration("ms"))})
    with pytest.raises(ColumnError, match=r"column 'label' cannot be used.* got Duration"):
        load(frame)


def test_one_column_cannot_be_text_and_label():
    with pytest.raises(ColumnError, match="both text and label"):
        load([{"a": "x", "b": "y"}], text="a", label="a")


def test_suggested_columns_keep_what_was_named_or_has_a_usual_name():
    rows = pl.DataFrame(
        {
            "question": [f"What is {i}?" for i in range(40)],
            "choices": [f"['a long answer {i}', 'another long answer {i}']" for i in range(40)],
            "answer": ["A", "B"] * 20,
        }
    )
    assert likely_columns(rows, {}) == {"text": "question", "label": "answer"}
    assert likely_columns(rows, {"text": "choices"}) == {"text": "choices", "label": "answer"}
    assert likely_columns(rows.drop("answer"), {}) == {}
    assert likely_columns(pl.DataFrame({"a": [1, 2]}), {}) == {}
