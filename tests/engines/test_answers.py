"""Reading answers: tolerant about form, strict about what is a text, honest about cuts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.answers import (
    CUT_NOTE,
    BadBody,
    Completion,
    Unreadable,
    completion_of,
    label_of,
    texts_in,
    without_thinking,
)

GOOD = '{"rewrites": ["one thing", "another thing"]}'


def texts(content, *, n=9, finish="stop", original=""):
    return texts_in(Completion(content, finish), n, original=original)[0]


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"<think>shall I write {{}}?</think>\n{GOOD}",
        f"<THINKING>one</THINKING><think>two</think>{GOOD}",
        f"I began before my tag was sent</think>{GOOD}",
        f"\n\n  {GOOD}  \n",
        f"Here you are:\n```json\n{GOOD}\n```\nEnjoy!",
        '["one thing", "another thing"]',
        '{"rewrites": ["one thing", "another thing",],}',
        '{"rewrites": ["1. one thing", "2. another thing"]}',
        '{"rewrites": ["\\"one thing\\"", "another thing"]}',
        '{"rewrites": ["one thing"]}\n{"rewrites": ["another thing"]}',
        'First I thought of {"rewrites": ["a draft"]}, but better is ' + GOOD,
        '{"rewrites": ["first text", "second text", "one thing", "another thing"]}',
        '{"rewrites": ["one thing", "another thing", "I\'m sorry, I cannot do more."]}',
    ],
)
def test_the_texts_are_found_whatever_is_around_them(content):
    assert texts(content) == ("one thing", "another thing")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("I'm sorry, but I can't help with that.", "not one JSON object"),
        ('{"rewrites": ["he said "no" to it", "two"]}', "not one JSON object"),
        ('{"rewrites": ["on', "not one JSON object"),
        ('{"explanation": "one", "comment": "two"}', 'no list of texts under "rewrites"'),
        ('{"original": "one", "reason": "two"}', 'no list of texts under "rewrites"'),
        ('{"rewrites": ["one", 2]}', 'no list of texts under "rewrites"'),
        ('{"rewrites": {"positive": "one"}}', 'no list of texts under "rewrites"'),
        ('{"texts": ["one", "two"]}', 'no list of texts under "rewrites"'),
        ("1. one\n2. two", "not one JSON object"),
        ("", "empty"),
        ("[" * 100_000, "not one JSON object"),
    ],
)
def test_anything_but_the_form_that_was_asked_for_is_misread_with_a_reason(content, why):
    with pytest.raises(Unreadable, match=why):
        texts(content)


def test_a_cut_answer_is_called_cut_and_its_whole_texts_are_kept():
    read, notes = texts_in(Completion('{"rewrites": ["one", "two", "thr', "length"), 9)
    assert read == ("one", "two")
    assert "cut off" in notes[0]


@pytest.mark.parametrize("content", ['{"rewrites": ["on', '{"rew', "<think>long thoughts", "{"])
def test_a_cut_answer_without_a_whole_text_is_misread_as_cut_not_as_bad_json(content):
    with pytest.raises(Unreadable, match="cut off"):
        texts(content, finish="length")


@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=4), st.data())
def test_wherever_an_answer_is_cut_only_whole_texts_come_back(items, data):
    whole = json.dumps({"rewrites": items}, ensure_ascii=data.draw(st.booleans()))
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    try:
        read, why = texts(cut, finish="length"), ""
    except Unreadable as misread:
        read, why = (), str(misread)
    assert set(read) <= {item.strip() for item in items}
    assert not why or "cut off" in why


def test_json_that_breaks_off_is_cut_even_if_the_server_does_not_say_so():
    assert texts_in(Completion('{"rewrites": ["one", "two", "thr'), 9) == (("one", "two"), (CUT_NOTE,))


def test_only_remarks_and_no_text_is_an_answer_without_texts():
    read = texts_in(Completion('{"rewrites": ["I cannot help with that."]}'), 3)
    assert read == ((), ("a remark of the model was dropped",))
    row = "I cannot help with that."
    assert texts('{"rewrites": ["I cannot do that for you."]}', original=row) == (
        "I cannot do that for you.",
    )


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("it bored me.", "It bored me."),
        ('"It bored me.', "It bored me."),
        ("It bored me.\n\nI fell asleep.", "It bored me. I fell asleep."),
        ("Here is the rewritten text:\nIt bored me.\nNote: I kept the label.", "It bored me."),
        ("iPads bored me.", "iPads bored me."),
        ('The "film" bored me.', 'The "film" bored me.'),
    ],
)
def test_a_text_gets_the_outer_form_of_the_row(item, text):
    assert texts(json.dumps({"rewrites": [item]}), original="The film was dull.") == (text,)
    assert texts('{"rewrites": ["one\\ntwo"]}', original="a\nb") == ("one\ntwo",)


def test_no_rewriting_is_an_answer():
    assert texts_in(Completion('{"rewrites": []}'), 3) == ((), ("the model gave no rewriting",))


def test_empties_doubles_copies_and_control_characters_are_dropped_and_told():
    items = ["", "  ", "a b", "a  b", "the original", "nul\x00", "\ud800", "c"]
    read, notes = texts_in(Completion(json.dumps({"rewrites": items})), 9, original="the  original ")
    assert read == ("a b", "c")
    assert len(notes) == 6


def test_no_more_texts_than_asked_for():
    assert texts(GOOD, n=1) == ("one thing",)


@pytest.mark.parametrize(
    ("completion", "why"),
    [
        (Completion("", "content_filter"), "content filter"),
        (Completion("", refusal="I would rather\nnot"), "I would rather not"),
    ],
)
def test_refusals_and_content_filters_are_final(completion, why):
    with pytest.raises(Unreadable, match=why) as caught:
        texts_in(completion, 1)
    assert caught.value.is_final


@pytest.mark.parametrize(
    "content",
    [
        '{"label": "pos"}',
        '<think>neg?</think>{"label": "POS"}',
        "pos",
        "**Pos**",
    ],
)
def test_a_label_is_read(content):
    assert label_of(Completion(content), ["neg", "pos"]) == "pos"


@pytest.mark.parametrize(
    "content",
    ['{"label": "good"}', '{"label": 1}', "it is pos", "pos or neg", '{"answer": "pos"}', "Label: pos"],
)
def test_what_is_not_exactly_a_label_is_unreadable(content):
    with pytest.raises(Unreadable):
        label_of(Completion(content), ["neg", "pos"])


def test_labels_that_differ_in_case_only_must_be_exact():
    assert label_of(Completion('{"label": "Up"}'), ["up", "Up"]) == "Up"
    with pytest.raises(Unreadable):
        label_of(Completion('{"label": "UP"}'), ["up", "Up"])


def test_a_cut_label_is_called_cut():
    with pytest.raises(Unreadable, match="cut off"):
        label_of(Completion('{"label": "po', "length"), ["neg", "pos"])


@pytest.mark.parametrize(
    "body",
    [
        "<html>bad gateway</html>",
        "[]",
        "{}",
        '{"choices": []}',
        '{"choices": [{}]}',
        '{"choices": [{"message": "hello"}]}',
        '{"choices": [{"message": {"content": 3}}]}',
        '{"choices": null}',
        "[" * 100_000,
        "",
    ],
)
def test_a_body_that_is_no_completion_says_so(body):
    with pytest.raises(BadBody):
        completion_of(body)


def test_an_error_object_in_the_body_is_handed_on():
    with pytest.raises(BadBody) as caught:
        completion_of('{"error": {"code": 429}}')
    assert caught.value.error == {"code": 429}


def test_odd_usage_and_odd_logprobs_are_left_out():
    body = {"choices": [{"message": {"content": None}, "logprobs": {"content": [{}]}}], "usage": [1]}
    read = completion_of(json.dumps(body))
    assert read == Completion("")


@given(st.text())
def test_thinking_is_taken_off_whatever_it_holds(thought):
    inside = thought.replace("<", "").replace(">", "")
    assert without_thinking(f"<think>{inside}</think>answer") == "answer"
    assert without_thinking(f"<think>{inside}") == ""
