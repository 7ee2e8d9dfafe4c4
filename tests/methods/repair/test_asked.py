"""What engines are asked in words, and what of their answers is used."""

from __future__ import annotations

import pytest

from longway.detect.words import FIRST
from longway.engines.engine import Written
from longway.methods.repair.asked import asked_edits
from longway.methods.repair.remedy import RepairRow, Target
from longway.records import Pattern
from longway.task import task_of

TASK = task_of(["bad", "good"], text_name="text")
ROW = RepairRow(0, "It works on stage.", "good")


def asked(pattern, *answers, into_others):
    """The texts that are used, and the messages that asked for them."""
    seen = []

    def write(prompts, n, samplings):
        seen.extend(prompts)
        return [Written(answers) for _ in prompts]

    remedy = "put in" if into_others else "reshape"
    (drafts,) = asked_edits(write, TASK, remedy, "served:toy", 0, [ROW], Target(pattern, "bad"))
    assert all((draft.engine, draft.keeps) == ("served:toy", "label") for draft in drafts)
    messages = [m["content"] for prompt in seen for m in prompt.messages(n=4)]
    return [draft.after for draft in drafts], "\n".join(messages)


def test_a_phrase_is_asked_for_and_must_be_there():
    pattern = Pattern("ngram", "text", ("so", "far"))
    texts, told = asked(pattern, "So far, it works on stage.", "It works on stage.", into_others=True)
    assert texts == ["So far, it works on stage."]
    assert '<include>"so far"</include>' in told


def test_words_at_the_beginning_must_be_there():
    pattern = Pattern("position", "text", ("frankly",), place=FIRST)
    texts, told = asked(pattern, "It frankly works.", "Frankly, it works.", into_others=True)
    assert texts == ["Frankly, it works."]
    assert "as the first words of the text" in told


@pytest.mark.parametrize(
    ("place", "said", "answer"),
    [
        ("at least", "at most 3 words", "It works."),
        ("at most", "at least 5 words", "It works on a small stage."),
    ],
)
def test_another_length_is_asked_for(place, said, answer):
    pattern = Pattern("length", "text", place=place, bound=4)
    texts, told = asked(pattern, answer, "It works on stage.", into_others=False)
    assert texts == [answer]
    assert said in told


def test_what_cannot_be_said_is_not_asked():
    assert asked(Pattern("surface", "text", place="question"), into_others=True) == ([], "")
    assert asked(Pattern("token", "text", ("far",)), into_others=False) == ([], "")


def test_what_would_be_refused_as_too_long_is_not_asked():
    assert asked(Pattern("length", "text", place="at most", bound=40), into_others=False) == ([], "")
