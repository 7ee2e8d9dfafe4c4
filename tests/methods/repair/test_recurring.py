from longway.methods.repair.recurring import Recurring
from tests.methods.repair.conftest import PLAIN


def test_words_are_extended_to_the_phrase_they_belong_to():
    recurring = Recurring([text[:-1] + " at long intervals." for text in PLAIN])
    assert recurring.extended(("long",)) == (("at", "long", "intervals"), 1)
    assert recurring.extended(("intervals",), "last word") == (("at", "long", "intervals"), 2)
    assert recurring.extended(("the",)) == (("the",), 0)
    assert recurring.extended(("unseen",)) == (("unseen",), 0)


def test_a_text_counts_once_however_often_it_repeats_a_sentence():
    assert not Recurring(["It rains here. " * 30, *PLAIN]).is_boilerplate("It rains here.")
    assert Recurring(["It rains here. Yes."] * 4).is_boilerplate("it rains here!")


def test_common_words_in_a_row_do_not_make_a_sentence_recur():
    texts = [f"This is one of the things that {text.lower()}" for text in PLAIN]
    assert not Recurring(texts).is_boilerplate("This is one of my neighbour's clocks and ladders.")


def test_empty_datasets_and_texts():
    for texts in ([], [""], ["..."], ["", "a"]):
        recurring = Recurring(texts)
        assert not recurring.is_boilerplate("a")
        assert not recurring.is_fixed(("a", "b"))
        assert not recurring.is_loose(("a",))


def test_ratings_and_single_words_are_no_boilerplate():
    recurring = Recurring([f"{text} 7/10 points. Wow!" for text in PLAIN])
    assert not recurring.is_boilerplate("7/10 points.")
    assert not recurring.is_boilerplate("Wow!")


def test_a_phrase_is_set_off_if_marks_surround_it():
    recurring = Recurring([f"{text[:-1]}, mind you." for text in PLAIN])
    assert recurring.is_set_off(("mind", "you"))
    assert not recurring.is_set_off(("the",))


def test_a_sentence_that_is_the_whole_text_of_many_rows_is_no_boilerplate():
    recurring = Recurring(["A man is swimming."] * 8 + ["A man is swimming. Copied by hand."] * 2)
    assert not recurring.is_boilerplate("A man is swimming.")


def test_an_opening_is_apart_if_sentences_follow_it(read):
    small = [f"{text[0].lower()}{text[1:]}" for text in PLAIN]
    recurring = Recurring(
        [f"Pen and paper ready, {text}" for text in small]
        + [
            f"The ferry, {what}, leaves at noon."
            for what in ("painted green", "which is old", "built in May", "sold twice")
        ],
        read=read,
    )
    assert recurring.is_apart(("pen", "and", "paper", "ready"))
    assert not recurring.is_apart(("the", "ferry"))
    assert not Recurring([f"Pen and paper ready, {text}" for text in small]).is_apart(
        ("pen", "and", "paper", "ready")
    )
