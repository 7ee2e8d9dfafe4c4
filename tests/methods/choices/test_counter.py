"""Counter-pairs: the cue goes from the better answer to the other one, the words stay, and length does not become a cue."""

import pytest

from longway.data.choices import Question
from longway.detect.choices.cues import words_of
from longway.methods.choices.surface import RULES, counter_pair, counter_pairs

PLAIN = "It is cheap. It is near. It is open all day."
STYLED = {
    "bullets": "Take one:\n\n- the train\n- the bus",
    "bold": "Take the **train** or the **bus**.",
    "headings": "# Travel\n\nTake the train.",
    "emoji": "Take the train. 🚆 Or the bus! 🙂",
    "exclamation": "Take the train! It is fast!",
    "flattery": "Great question! Take the train.",
}


@pytest.mark.parametrize("cue", RULES)
def test_the_better_answer_loses_the_cue_and_keeps_its_words(cue):
    chosen, _ = counter_pair(Question("1", 0, "How?", (STYLED[cue], PLAIN), 0), {cue: 1})
    assert RULES[cue].take(chosen) == chosen
    words = words_of(STYLED[cue])
    kept = words[2:] if cue == "flattery" else words
    assert words_of(chosen) == kept


@pytest.mark.parametrize("cue", ["bullets", "emoji", "exclamation", "flattery"])
def test_the_other_answer_gets_the_cue(cue):
    _, rejected = counter_pair(Question("1", 0, "How?", (STYLED[cue], PLAIN), 0), {cue: 1})
    assert rejected != PLAIN
    assert set(words_of(PLAIN)) <= set(words_of(rejected))


def test_a_cue_that_better_answers_lack_goes_the_other_way():
    chosen, rejected = counter_pair(Question("1", 0, "How?", (PLAIN, STYLED["bullets"]), 0), {"bullets": -1})
    assert chosen.count("\n- ") == 2
    assert "- " not in rejected


@pytest.mark.parametrize("text", ["```\n- a\n- b\n```", "| a | b |\n- c\n- d"])
def test_code_and_tables_are_left_alone(text):
    assert counter_pair(Question("1", 0, "", (text, PLAIN), 0), {"bullets": 1}) is None


def test_lines_stay_lines_if_the_other_answer_has_lines():
    """Otherwise the better answer would have fewer lines in all counter-pairs."""
    chosen, rejected = counter_pair(
        Question("1", 0, "", ("- a cat\n- a dog", "a cow\na hen"), 0), {"bullets": 1}
    )
    assert (chosen, rejected) == ("a cat\na dog", "- a cow\n- a hen")


def test_abbreviations_do_not_end_a_list_item():
    _, rejected = counter_pair(
        Question("1", 0, "", (STYLED["bullets"], "Ask Dr. Lee. She is in. She is kind."), 0), {"bullets": 1}
    )
    assert rejected.split("\n") == ["Ask Dr. Lee.", "- She is in.", "- She is kind."]


def test_as_many_counter_pairs_are_made_as_make_the_cue_even():
    pairs = [Question(str(i), i, "How?", (STYLED["bullets"], PLAIN), 0) for i in range(8)]
    pairs += [Question(str(i), i, "How?", (PLAIN, STYLED["bullets"]), 0) for i in range(8, 12)]
    assert len(counter_pairs(pairs, {"bullets": 1})) == 4


def test_counter_pairs_do_not_make_length_a_cue():
    """The better answer is much longer in all of them, so none is added."""
    long = STYLED["bullets"] + "\n- " + "and on foot " * 20
    pairs = [Question(str(i), i, "How?", (long, PLAIN), 0) for i in range(8)]
    assert counter_pairs(pairs, {"bullets": 1}) == []


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("flattery", "Absolutely. But wear gloves."),
        ("flattery", "Good idea! But wear gloves."),
        ("exclamation", "It is 5! = 120 in all."),
        ("exclamation", "It is n! = 120 in all."),
        ("exclamation", '"Stop!" he said.'),
        ("bullets", "It was built in\n1984. It is old."),
        ("bullets", "- 5 degrees outside\n- 7 degrees inside"),
        ("bullets", "1. Boil water.\n2. Add tea.\n\nSee step 2."),
        ("bullets", "hosts:\n  - name: x\n  - name: y"),
        ("bold", "Call __init__ first."),
        ("bold", "It is 2**3**4 here."),
        ("headings", "# comment\nx = 1"),
        ("emoji", "The answer is ✅"),
        ("emoji", "I ❤ you."),
    ],
)
def test_marks_that_say_something_stay(cue, text):
    made = counter_pair(Question("1", 0, "How?", (text, PLAIN), 0), {cue: 1})
    assert made is None or made[0] == text


def test_numbered_steps_become_sentences():
    chosen, _ = counter_pair(Question("1", 0, "", ("1. Boil water.\n2. Add tea.", PLAIN), 0), {"bullets": 1})
    assert chosen == "Boil water. Add tea."
