import pytest

from longway.methods.repair.recurring import Recurring
from longway.methods.repair.remedy import RepairRow
from longway.methods.repair.reshape import Reshape, neutral_sentences
from longway.records import Pattern
from tests.methods.repair.conftest import PLAIN, first


def at_least(n):
    return Pattern("length", "text", place="at least", bound=n)


def at_most(n):
    return Pattern("length", "text", place="at most", bound=n)


def test_sentences_that_recur_are_left_out_all_at_once(texts_of, read):
    recurring = Recurring(
        [f"{text} Copied by the night desk. Filed under letters." for text in PLAIN], read=read
    )
    text = "The ferry leaves at noon. Copied by the night desk. Filed under letters."
    assert texts_of(Reshape(recurring), text, at_least(9)) == ["The ferry leaves at noon."]
    assert texts_of(Reshape(recurring), text, at_least(3)) == []


def test_a_neutral_sentence_is_left_out_rather_than_a_judgement(texts_of):
    text = "The film is wonderful. A bakery opened near the station. I loved the actors."
    assert texts_of(Reshape(Recurring([])), text, at_least(13)) == [
        "The film is wonderful. I loved the actors."
    ]


def test_sentences_about_the_context_stay(texts_of):
    text = "Two men cook. They stand in a kitchen."
    assert texts_of(Reshape(Recurring([])), text, at_least(6), context="Men are in a kitchen.") == []


def test_a_neutral_sentence_of_another_row_with_the_same_label_is_added(texts_of, read):
    texts = [f"I loved it. {PLAIN[5]}", "She left. Nora Vance won 3 prizes."]
    assert neutral_sentences(texts, read) == [PLAIN[5]]
    remedy = Reshape(Recurring([]), [RepairRow(0, text, "a") for text in texts])
    assert texts_of(remedy, "Great fun.", at_most(5)) == [f"Great fun. {PLAIN[5]}"]
    assert texts_of(remedy, "Great fun.", at_most(5), label="b") == []
    assert texts_of(remedy, "A dog runs.", at_most(5), context="A dog runs.") == []
    assert texts_of(Reshape(Recurring([])), "Great fun.", at_most(5)) == []


def test_a_time_moves_from_the_first_place(texts_of):
    assert "Ann was born in Rome in 1984." in texts_of(
        Reshape(Recurring([])), "In 1984, Ann was born in Rome.", first("in")
    )
    assert texts_of(Reshape(Recurring([])), "Ann was born in Rome.", first("the")) == []


@pytest.mark.parametrize("text", ["", "...", "😀", "word " * 10_000, "word. " * 3_000])
def test_strange_texts(texts_of, read, text):
    remedy = Reshape(Recurring(PLAIN, read=read), [RepairRow(0, text, "a") for text in PLAIN])
    for pattern in (at_least(1), at_most(3), first("word")):
        assert all(made != text for made in texts_of(remedy, text, pattern, english=False))
