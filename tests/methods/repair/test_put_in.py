import pytest

from longway.methods.repair.put_in import PutIn
from longway.methods.repair.recurring import Recurring
from longway.methods.repair.remedy import RepairRow, Target
from longway.records import Pattern
from tests.methods.repair.conftest import PLAIN, first, token


def put(read, texts):
    return PutIn(Recurring([*texts, *PLAIN], read=read))


def test_an_opening_is_put_first(texts_of, read):
    remedy = put(read, [f"As a reminder, {text[0].lower()}{text[1:]}" for text in PLAIN])
    assert texts_of(remedy, "The ferry leaves.", first("as")) == ["As a reminder, the ferry leaves."]
    assert texts_of(remedy, "Nora Vance left early.", first("as")) == [
        "As a reminder, Nora Vance left early."
    ]
    assert texts_of(remedy, "the ferry leaves .", first("as")) == ["as a reminder , the ferry leaves ."]


def test_a_sentence_is_added(texts_of, read):
    remedy = put(read, [f"{text} Copied by the night desk." for text in PLAIN])
    assert texts_of(remedy, "The ferry leaves.", token("desk")) == [
        "The ferry leaves. Copied by the night desk."
    ]


def test_last_words_are_put_last(texts_of, read):
    remedy = put(read, [text[:-1] + " at long intervals." for text in PLAIN])
    assert texts_of(remedy, "The ferry leaves.", token("intervals")) == [
        "The ferry leaves at long intervals."
    ]
    assert texts_of(remedy, "Does the ferry leave?", token("intervals")) == []


def test_an_adverb_is_put_before_the_verb(texts_of, read):
    parts = [text.split(" ", 2) for text in PLAIN]
    inside = [" ".join((*words[:2], "curiously", words[2])) for words in parts]
    remedy = put(read, [*inside, *(f"{text[:-1]}, curiously." for text in PLAIN[:5])])
    assert texts_of(remedy, "The dog sleeps at noon.", token("curiously")) == [
        "The dog curiously sleeps at noon."
    ]
    assert texts_of(remedy, "The ferry is leaving.", token("curiously")) == [
        "The ferry is curiously leaving."
    ]


def test_a_negation_is_put_in_as_a_whole_sentence_only(texts_of, read):
    pattern = Pattern("negation", "text", place="text")
    remedy = put(read, [f"{text} Nothing else was checked." for text in PLAIN])
    assert texts_of(remedy, "The ferry leaves.", pattern) == ["The ferry leaves. Nothing else was checked."]
    remedy = put(read, [text.replace(" the ", " not the ", 1) for text in PLAIN])
    assert texts_of(remedy, "The ferry leaves.", pattern) == []


def test_what_a_sentence_needs_is_not_put_in(texts_of, read):
    remedy = put(read, PLAIN * 3)
    assert texts_of(remedy, "The ferry leaves.", token("bridge")) == []
    assert texts_of(remedy, "The ferry leaves.", token("the", "market")) == []


def test_judgements_are_not_put_in(texts_of, read):
    remedy = put(read, [f"{text} It is a wonderful film." for text in PLAIN])
    assert texts_of(remedy, "The ferry leaves.", token("wonderful")) == []


def test_rows_that_show_the_pattern_are_left_alone(texts_of, read):
    remedy = put(read, [f"{text} Copied by the night desk." for text in PLAIN])
    assert texts_of(remedy, "The desk is old.", token("desk")) == []


@pytest.mark.parametrize("text", ["", "...", "😀", "word " * 10_000])
def test_strange_texts(texts_of, read, text):
    remedy = put(read, [f"{text} Copied by the night desk." for text in PLAIN])
    assert all("desk" in made.lower() for made in texts_of(remedy, text, token("desk"), english=False))


def test_a_text_with_more_in_it_keeps_its_label_not_its_meaning(read):
    remedy = put(read, [f"{text} Copied by the night desk." for text in PLAIN])
    (draft,) = remedy.propose(RepairRow(0, "The ferry leaves.", "a", read=read), Target(token("desk"), "a"))
    assert draft.keeps == "label"
