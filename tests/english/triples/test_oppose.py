"""Statements changed towards the other sentiment: words, forms, negations, and what must stay."""

import pytest

from longway.english.document import apply_changes
from longway.english.triples.oppose import opposing_changes
from longway.english.triples.triple import Triple, sentence_of, with_changes
from tests.english.triples.said import read


def opposed_text(document, towards, **more):
    changes = opposing_changes(document, towards, **more)
    return apply_changes(document.text, changes), changes


def oppose(triple, towards):
    return with_changes(triple, opposing_changes(read(sentence_of(triple)), towards))


def opposed(text, towards, key="1", **more):
    """All texts that some keys give."""
    return {opposed_text(read(text), towards, key=f"{key}{n}", **more)[0] for n in range(12)}


@pytest.mark.parametrize(
    ("text", "towards", "expected"),
    [
        ("I loved it.", "negative", {"I hated it.", "I loathed it.", "I despised it."}),
        ("It was the best film.", "negative", {"It was the worst film."}),
        ("It was worse than that.", "positive", {"It was better than that."}),
        ("A poorly made chair.", "positive", {"A well made chair.", "A beautifully made chair.", "A superbly made chair."}),
        ("It was a complete waste of time.", "positive", {"It was a complete good use of time."}),
        ("It falls flat.", "positive", {"It hits home.", "It works beautifully."}),
        ("It fails to impress.", "positive", {"It manages to impress."}),
        ("It is worth seeing.", "negative", {"It is not worth seeing."}),
        ("I highly recommend it.", "negative", {"I do not recommend it."}),
        ("I would recommend it.", "negative", {"I would not recommend it."}),
        ("It lacks charm.", "positive", {"It has charm.", "It offers charm."}),
        ("THIS IS TERRIBLE!", "positive", {"THIS IS WONDERFUL!", "THIS IS EXCELLENT!", "THIS IS TERRIFIC!"}),
    ],
)  # fmt: skip
def test_words_are_replaced_in_the_same_form(text, towards, expected):
    assert opposed(text, towards) == expected


def test_articles_follow_the_new_word():
    assert opposed("It is a great film.", "negative") == {
        "It is a terrible film.",
        "It is an awful film.",
        "It is a lousy film.",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was not good at all.", "It was good."),
        ("It isn't a good film.", "It is a good film."),
        ("I didn't like the actors.", "I liked the actors."),
        ("I can't recommend it.", "I can recommend it."),
        ("It is not good or funny.", "It is good and funny."),
        ("It has no good jokes.", "It has good jokes."),
        ("There is nothing good about it.", "There is something good about it."),
        ("Not a good film.", "A good film."),
        ("A film without charm.", "A film with charm."),
        ("It is less funny.", "It is more funny."),
    ],
)
def test_negations_go(text, expected):
    assert opposed(text, "positive") == {expected}
    assert opposed(text, "negative") == {text}


def test_not_bad_becomes_bad_or_not_good():
    assert opposed("The food was not boring.", "negative") >= {
        "The food was boring.",
        "The food was not exciting.",
    }
    assert opposed("The food was not boring.", "positive") == {"The food was not boring."}


@pytest.mark.parametrize(
    "text",
    [
        "It would have been great.",
        "It tries to be funny.",
        "If it were good, people would come.",
        "The bad guys sing as well.",
        'He calls it "Good Morning".',
        "She lives in Great Falls.",
        "It is too good to be true.",
        "I would like some tea.",
        "It was like a dream.",
        "It lacks charm.",
    ],
)
def test_what_says_nothing_of_that_kind_stays(text):
    assert opposed(text, "negative") == {text}


def test_words_that_strengthen_stay_with_a_word_of_the_other_side():
    assert opposed("It is terribly funny.", "negative") <= {
        "It is terribly unfunny.",
        "It is terribly humorless.",
        "It is terribly dull.",
    }


def test_words_to_keep_stay():
    assert opposed("A great, funny film.", "negative", keep=["funny"]) <= {
        "A terrible, funny film.",
        "An awful, funny film.",
        "A lousy, funny film.",
    }


def test_the_same_key_gives_the_same_text_and_others_vary():
    text = "A great film with excellent music and a wonderful cast."
    assert opposed_text(read(text), "negative", key="a") == opposed_text(read(text), "negative", key="a")
    assert len(opposed(text, "negative")) > 4


def test_a_triple_is_changed_in_its_parts():
    assert oppose(Triple("I", "did not like", "the soup"), "positive") == Triple("I", "liked", "the soup")
    assert oppose(Triple("It", "is not", "a good film"), "positive") == Triple("It", "is", "a good film")
    assert oppose(Triple("It", "is", "a film"), "negative") == Triple("It", "is", "a film")


def test_changes_that_reach_over_parts_go_to_the_first():
    triple = Triple("It", "falls", "flat")
    (_, changes) = opposed_text(read("It falls flat."), "positive", key="x")
    assert with_changes(triple, changes).text in ("It hits home", "It works beautifully")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Highly recommended!", "Not recommended!"),
        ("It is an amazingly moving film.", "It is an amazingly uninvolving film."),
        ("If not, well let us say that it is long.", "If not, well let us say that it is long."),
    ],
)
def test_forms_capitals_and_asides_of_a_turned_text(text, expected):
    assert opposed_text(read(text), "negative", key="a")[0] == expected
