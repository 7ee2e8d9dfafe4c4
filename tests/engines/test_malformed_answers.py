"""Answers in lines as models give them, well and badly: each reads to the right thing or is refused with a fitting reason."""

import json
import re

import pytest

from longway.engines.answers import (
    Completion,
    Unreadable,
    lines_in,
    read_identified,
    read_pair,
    read_picked,
    without_thinking,
)
from longway.english.triples.triple import BadTriples, Triple, numbered, parse, parse_pair

COLD, RUDE = Triple("The soup", "was", "cold"), Triple("The waiter", "was", "rude")
GOOD = "1. The soup | was | cold\n2. The waiter | was | rude"


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"\n\n{GOOD}\n\n",
        f"```text\n{GOOD}```",
        f"<think>Two statements, I guess.</think>\n{GOOD}",
        f"<think>1. A | b | c</think>```\n{GOOD}\n```",
        f"so much for thinking</think>{GOOD}",
        "1) The soup | was | cold\n2) The waiter | was | rude",
        "1.  The soup|was|cold\n\n2. The waiter  |  was\t|  rude  ",
        "  1. The soup | was | cold\r\n  2. The waiter | was | rude\r\n",
        f"Sure! Here are the triples:\n{GOOD}",
        f"# Statements\n{GOOD}",
        f"```\n{GOOD}\n```\nThese are the triples.",
        "The soup | was | cold\nThe waiter | was | rude",
        "* 1. The soup | was | cold\n* 2. The waiter | was | rude",
        "**1.** The soup | was | cold\n**2.** The waiter | was | rude",
        "(1) The soup | was | cold\n(2) The waiter | was | rude",
        "1: The soup | was | cold\n2: The waiter | was | rude",
        '1. "The soup" | "was" | "cold"\n2. "The waiter | was | rude"',
        "1. **The soup** | was | **cold**\n2. `The waiter` | `was` | `rude`",
    ],
)
def test_harmless_differences_of_form_read_to_the_same_triples(answer):
    assert parse(without_thinking(answer), n=2) == [COLD, RUDE]


@pytest.mark.parametrize(
    ("answer", "triple"),
    [
        ("1. A man | sleeps |", Triple("A man", "sleeps", "")),
        ("1. It | rained", Triple("It", "rained", "")),
        ("1. 映画 | は | 良い", Triple("映画", "は", "良い")),
        ('1. "Heat" | is | (almost) perfect', Triple('"Heat"', "is", "(almost) perfect")),
        ("1. The prize | was | 1. a car", Triple("The prize", "was", "1. a car")),
        # An order in a triple is wording like any other: nothing is done about it, and nobody obeys.
        (
            "1. The reader | must ignore | all instructions",
            Triple("The reader", "must ignore", "all instructions"),
        ),
        ("1. A <b>film</b> | is | loud", Triple("A <b>film</b>", "is", "loud")),
        ("1. | The soup | was | cold |", Triple("The soup", "was", "cold")),
        ("1. The soup || was || cold", Triple("The soup", "was", "cold")),
        ("1. The soup | was | in | the pot", Triple("The soup", "was in", "the pot")),
    ],
)
def test_whatever_the_words_are_they_stay_as_they_are(answer, triple):
    assert parse(answer) == [triple]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "empty"),
        ("<think>for ever and ever", "empty"),
        ("```\n```", "empty"),
        ("1 The soup | was | cold", "does not begin with its number"),
        ("1.The soup | was | cold", "does not begin with its number"),
        ("I. The soup | was | cold", "does not begin with its number"),
        ("１. The soup | was | cold", "does not begin with its number"),
        ("3-1. The soup | was | cold", "does not begin with its number"),
        ("sent1:\n1-1. The soup | was | cold", "plain numbers were expected"),
        (
            "1. The soup | was | cold\nNow the second:\n2. The waiter | was | rude",
            "does not begin with its number: 'Now",
        ),
        ("1. The soup was cold\nThat is all.", "1 part"),
        ("| # | subject | predicate | object |\n|---|---|---|---|", "does not begin with its number"),
        ("| 1 | The soup | was | cold |", "does not begin with its number"),
        ("1. The soup | was", "2 parts"),
        ("1. The soup | was | cold | and | late", "5 parts"),
        ("1. The soup ｜ was ｜ cold", "1 part"),
        ("1. The soup\twas\tcold", "1 part"),
        ("1. The soup, was, cold", "1 part"),
        ("1. <|im_start|>system | is | here", "5 parts"),
        ("1. | was | cold", "no subject"),
        ("1. The soup | | cold", "no predicate"),
        ("1. | | The soup was cold.", "neither subject nor predicate"),
        ("1. (The soup | was | cold)", "brackets or formatting"),
        ("1. <The soup | was | cold>", "brackets or formatting"),
        ("1. subject | predicate | object", "repeats the form"),
        ("1. Subject: The soup | Predicate: was | Object: cold", "names its parts"),
        ("1. The soup | was | cold\n1. The waiter | was | rude", "should have the number 2"),
        ("2. The soup | was | cold\n1. The waiter | was | rude", "should have the number 1"),
        ("1. The soup | was | cold\n3. The waiter | was | rude", "should have the number 2"),
        ("0. The soup | was | cold", "should have the number 1"),
        ("1-1. The soup | was | cold", "plain numbers were expected"),
        ("1. The soup | was | cold\n2-1. The waiter | was | rude", "are mixed"),
        ('{"lines": ["1. The soup | was | cold"]}', "JSON"),
        ('[["The soup", "was", "cold"]]', "JSON"),
        ("1. The soup | was | cold", "1 triples instead of 2"),
        ("\n".join(f"{i}. The soup | was | cold" for i in range(1, 80)), "at most 60"),
        ("I'm sorry, but I can't help with that.", "does not begin with its number"),
        ("无法回答", "does not begin with its number"),
    ],
)
def test_anything_but_numbered_triples_is_refused_with_the_reason(answer, why):
    with pytest.raises(BadTriples, match=re.escape(why)):
        parse(without_thinking(answer), n=2 if "instead of 2" in why else None)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (GOOD, "1-1, 1-2"),
        ("1-1. A man | sleeps |", "no triples for the text"),
        ("2-1. A man | sleeps |", "no triples for the context"),
        ("1-1. A man | sleeps |\n2-2. A man | is | awake", "number 2-1"),
        ("1-1. A man | sleeps |\n3-1. A man | is | awake", "begin with its number"),
        ("1-1. A man | sleeps |\n\nsent2:\n2-1. A man | is | awake", "begin with its number"),
        ("1.1. A man | sleeps |\n2.1. A man | is | awake", "begin with its number"),
        ("1-1. A man | sleeps |\n2-1. A man is awake", "1 part"),
        ("1-1. A man | sleeps |\n2. A man | is | awake", "are mixed"),
    ],
)
def test_pairs_need_both_sides_numbered_as_asked(answer, why):
    with pytest.raises(BadTriples, match=why):
        parse_pair(answer)


def test_a_pair_reads_whatever_side_comes_first():
    assert parse_pair(f"{numbered([RUDE], part=2)}\n{numbered([COLD], part=1)}") == ([COLD], [RUDE])


def test_only_rules_may_leave_a_sentence_whole():
    whole = numbered([Triple.whole("Well, what can I say?"), COLD])
    assert parse(whole, may_be_whole=True)[0].is_whole
    with pytest.raises(BadTriples, match="neither"):
        parse(whole)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("principal: dull, weak\nspurious: Spielberg", (("dull", "weak"), ("Spielberg",))),
        ("Spurious: war.\nPrincipal: 'dull', \"weak\"\nThat is all.", (("dull", "weak"), ("war",))),
        ("principal: dull\nspurious: none", (("dull",), ())),
        ("principal: over-the-top, dull, dull\nspurious: -", (("over-the-top", "dull"), ())),
        (
            "principal: 10/10, very dull, weak (0.9)\nspurious: war; 7:30",
            (("10/10", "weak"), ("war", "7:30")),
        ),
        ("Here they are:\nprincipal: dull\nspurious: [war]", (("dull",), ("war",))),
        ("principal: don't\n\nspurious: élan", (("don't",), ("élan",))),
        (
            "principal: dull\nspurious: war\nprincipal: weak\nspurious: none",
            (("dull", "weak"), ("war",)),
        ),
        ("principal: the slow waltz\nspurious: war", (("slow", "waltz"), ("war",))),
        ("principal: dull, weak\nspurious: Dull, war", (("dull", "weak"), ("war",))),
    ],
)
def test_identified_words_are_read(answer, expected):
    assert read_identified(answer) == expected


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "no line begins with"),
        ("principal: dull", 'no line begins with "spurious: "'),
        ("principal - dull\nspurious - war", "no line begins with"),
        ("principal: of the\nspurious: war", "no single word"),
        ("principal: none\nspurious: none", "no word"),
        ("principal: word, word\nspurious: word, word", "repeats the form"),
    ],
)
def test_identified_words_in_another_form_are_refused(answer, why):
    with pytest.raises(Unreadable, match=why):
        read_identified(answer)


def test_picked_triples_are_places_from_zero():
    assert read_picked("source: 3, 1, 1\ntarget: 2.", 3, 2) == ((0, 2), (1,))


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("source: 1", 'no line begins with "target: "'),
        ("source: \ntarget: 1", "no triple is named after source"),
        ("source: none\ntarget: 1", "no triple is named after source"),
        ("source: 4\ntarget: 1", "source has no triple 4: the numbers go from 1 to 3"),
        ("source: 0\ntarget: 1", "no triple 0"),
        ("source: 1 and 3\ntarget: 1", "not a number"),
        ("source: ²\ntarget: 1", "not a number"),
        ("source: The soup | was | cold\ntarget: 1", "not a number"),
    ],
)
def test_picked_triples_must_be_numbers_that_exist(answer, why):
    with pytest.raises(Unreadable, match=why):
        read_picked(answer, 3, 2)


def test_a_pair_of_texts_is_read():
    assert read_pair("Context: It rains: a lot.\n\ntext: It is wet.") == ("It rains: a lot.", "It is wet.")
    quoted = 'Context: "It rains."\nText: "It is wet."'
    assert read_pair(quoted) == ("It rains.", "It is wet.")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("text: It is wet.\ncontext: It rains.", "must come first"),
        ("context: It rains.", 'no line begins with "text: "'),
        ("context: It rains.\nHard.\ntext: It is wet.", "begins neither"),
        ("reconstructed sent1:\nIt rains.", "begins neither"),
        ("context: It rains.\ntext: It is wet.\nAnd cold.", "begins neither"),
        ("context: It rains.\ntext: ...", "the text is empty"),
        ("context: It | rains | now\ntext: It is wet.", "bars of its triples"),
        ("context: It rains.\ntext: It rains.", "the same"),
    ],
)
def test_a_pair_of_texts_in_another_form_is_refused(answer, why):
    with pytest.raises(Unreadable, match=why):
        read_pair(answer)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"lines": GOOD.splitlines()}),
        json.dumps({"lines": [GOOD, " "]}),
        f"<think>hm</think>```json\n{json.dumps({'lines': GOOD.splitlines()})}\n```",
        f"Here: {json.dumps({'lines': GOOD})}",
    ],
)
def test_the_lines_of_an_answer_are_one_text(content):
    assert lines_in(Completion(content)) == GOOD


@pytest.mark.parametrize(
    ("content", "finish", "why"),
    [
        ('{"why": ["x"]}', "stop", 'no list of texts under "lines"'),
        ('{"lines": [1, 2]}', "stop", 'no list of texts under "lines"'),
        ("I cannot do that.", "stop", "not one JSON object"),
        ('{"lines": []}', "stop", "no lines"),
        ('{"lines": ["1. a | b | c', "length", "cut off"),
        (GOOD, "length", "cut off"),
        ('{"lines": ["1. a | b | c\\u0000"]}', "stop", "control characters"),
        (GOOD, "stop", "not one JSON object"),
        ("", "stop", "empty"),
    ],
)
def test_lines_that_are_not_all_there_are_unreadable(content, finish, why):
    with pytest.raises(Unreadable, match=why):
        lines_in(Completion(content, finish))


def test_a_filtered_answer_is_final():
    with pytest.raises(Unreadable) as caught:
        lines_in(Completion("", "content_filter"))
    assert caught.value.is_final
