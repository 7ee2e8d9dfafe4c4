"""Reading: titles become one word, and every word keeps its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.pipeline import load_pipeline
from longway.english.rules.sentence import (
    WordSpan,
    clauses,
    is_plural_span,
    is_plural_subject,
    name_indices,
    read_all,
)


def words_of(text):
    return [word.text for word in next(read_all(load_pipeline(), [text]))]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Harbor (album) was recorded in Rome.", "Harbor (album)"),
        ("Exit the Queen is a comedy.", "Exit the Queen"),
        ("Run Home (2012 film) was praised.", "Home (2012 film)"),
    ],
)
def test_a_title_is_one_word(text, title):
    assert title in words_of(text)


@pytest.mark.parametrize(
    "text", ["The soup (with bread) is hot.", "Anna Bell sings.", "In a Marble Hall show, she sang."]
)
def test_other_texts_are_read_word_by_word(text):
    assert not any(" " in word for word in words_of(text))


PIECES = [
    "Anna Bell",
    "Harbor (album)",
    "Exit the Queen",
    " is ",
    " was ",
    "a film",
    ".",
    " (2012)",
    " and ",
    "(x)",
    "\n",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_every_word_is_at_its_place_in_any_text(text):
    document = next(read_all(load_pipeline(), [text]))
    assert document.text == text
    assert all(text[word.start : word.end] == word.text for word in document)
    assert all(one.end <= other.start for one, other in zip(document.words, document.words[1:], strict=False))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mutiny on the Barge is a film.", {"Mutiny", "on", "the", "Barge"}),
        ("The soup of Anna Bell is hot.", {"Anna", "Bell"}),
        ("She saw Blue Harbor 2.", {"Blue", "Harbor", "2"}),
        ("the film is fine .", set()),
    ],
)
def test_names_are_known_by_their_capitals(text, names):
    document = load_pipeline().analyse(text)
    assert {document.words[i].text for i in name_indices(document)} == names


@pytest.mark.parametrize(
    ("text", "is_plural"),
    [
        ("The dogs barked.", True),
        ("Anna Bell sang.", False),
        ("The cat and the dog slept.", True),
        ("The Kinks sang.", None),
        ("They sang.", True),
        ("The series ended.", None),
    ],
)
def test_the_number_of_a_subject_is_known_or_not(text, is_plural):
    document = load_pipeline().analyse(text)
    (clause,) = clauses(document)
    assert is_plural_span(document, clause.subject) == is_plural
    assert is_plural_subject(clause) == is_plural


def test_a_piece_loses_the_capital_of_its_sentence_only():
    document = load_pipeline().analyse("The soup is hot.")
    assert WordSpan(document, 0, 1).inside == "the soup"
    assert WordSpan(load_pipeline().analyse("Anna Bell is hot."), 0, 1).inside == "Anna Bell"
