"""Texts taken apart by rules: plain sentences into triples, the others whole, nothing lost and nothing made up."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.pipeline import load_pipeline
from longway.english.triples.extract import triples_of
from longway.english.triples.triple import MAX_TRIPLES, Triple, numbered, parse, text_of
from longway.sample import sample_path
from tests.english.triples.said import read, said

MAY_GO = {"and", "but", "who", "which", "that", "a", "an"}
MAY_COME = {"is", "are", "the", "and"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A few people are in a restaurant.", ["A few people | are in | a restaurant"]),
        ("The waiter was rude and brought cold soup.", ["The waiter | was | rude", "The waiter | brought | cold soup"]),
        ("The music was great but the acting wasn't good.", ["The music | was | great", "the acting | wasn't | good"]),
        ("The man slept.", ["The man | slept |"]),
        ("She has never given up hope.", ["She | has never given up | hope"]),
        ("It is a film that bored my friends.", ["It | is | a film", "The film | bored | my friends"]),
        ("The man who stole the car is in jail.", ["The man | is in | jail", "The man | stole | the car"]),
        ("In the end, the story works.", ["the story | works | in the end"]),
        ("It's just not funny.", ["It | 's just not | funny"]),
    ],
)  # fmt: skip
def test_plain_sentences_are_taken_apart(text, expected):
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A dull, predictable movie.", ["The movie | is | dull", "The movie | is | predictable"]),
        ("A poor film that fails to give the hero a story.",
         ["The film | is | poor", "The film | fails to give | the hero a story"]),
        ("A boy riding a horse.", ["A boy | is riding | a horse"]),
    ],
)  # fmt: skip
def test_sentences_without_a_verb_get_a_form_of_be(text, expected):
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Well, what can I say?",
        "Avoid this movie.",
        "Not since last year has an actor made such an impression.",
        "The third act!",
        "This | that.",
    ],
)
def test_other_sentences_stay_whole(text):
    (triple,) = triples_of(read(text))
    assert triple.is_whole
    assert triple.object == text.replace("|", "/")


@pytest.mark.parametrize(
    "text",
    ["I want a film that works.", "It is not a film that works.", "There is no film that works.", "People who sing are happy."],
)  # fmt: skip
def test_relative_clauses_that_state_nothing_stay_where_they_are(text):
    assert len(said(text)) == 1


def test_a_text_has_no_more_triples_than_asked_for():
    text = "The film was dull and made us yawn. " * 50
    assert len(triples_of(read(text))) == 100
    few = triples_of(read(text), most=MAX_TRIPLES)
    assert len(few) <= MAX_TRIPLES
    assert few[0] == Triple("The film", "was", "dull")
    assert few[-1].is_whole
    assert len(triples_of(read(text), most=7)) <= 7


def test_line_breaks_of_web_pages_are_lost():
    assert said("I liked it.<br /><br />It was good.") == ["I | liked | it", "It | was | good"]


def test_written_triples_are_read_again():
    triples = triples_of(read("The waiter was rude. What now? She left."))
    assert parse(numbered(triples), may_be_whole=True) == triples


SUBJECTS = st.sampled_from(["The waiter", "My old friend", "Two dogs", "She", "This film", "A man in a hat"])
VERBS = st.sampled_from(["saw", "did not like", "has painted", "will never visit", "looked at", "could hear"])
OBJECTS = st.sampled_from(["the red house", "a quiet street", "my sister", "some people on a bench", "it"])
CLAUSES = st.tuples(SUBJECTS, VERBS, OBJECTS).map(" ".join)


@given(CLAUSES, CLAUSES, st.sampled_from([". ", " and ", ", but "]))
def test_there_and_back_keeps_all_words(one, other, joint):
    text = f"{one}{joint}{other if joint == '. ' else other[0].lower() + other[1:]}."
    triples = triples_of(load_pipeline().analyse(text))
    check_words(text, text_of(triples))


def test_there_and_back_keeps_all_words_of_the_sample():
    texts = [
        json.loads(line)["review"] for line in sample_path().read_text(encoding="utf-8").splitlines()[:60]
    ]
    for document in load_pipeline().analyse_all(texts):
        check_words(document.text, text_of(triples_of(document)))


def check_words(before, after):
    old, new = ({w.lower() for w in bare(text)} for text in (before, after))
    assert old - new <= MAY_GO
    assert new - old <= MAY_COME


def bare(text):
    for mark in '.,;:!?"()—–':
        text = text.replace(mark, " ")
    return [word.strip("'-") for word in text.split() if word.strip("'-")]
