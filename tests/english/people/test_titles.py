"""Titles of works that look like people, and people near words for works."""

import pytest

from longway.english.people.demographic_mentions import TITLE_OF_A_WORK, find_demographics
from longway.english.people.referents import words_in_titles
from longway.english.pipeline import load_pipeline


def title(text):
    document = load_pipeline().analyse(text)
    return " ".join(document.words[index].text for index in sorted(words_in_titles(document)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Romeo and Juliet is her favourite play.", "Romeo and Juliet"),
        ("Juliet is a play about her.", "Juliet"),
        ("Jane Austen's Emma is a novel about a woman.", "Emma"),
        ("Emma by Jane Austen is a novel.", "Emma"),
        ("Our favourite film is Mary Poppins.", "Mary Poppins"),
        ("He praised Anna Karenina, a novel.", "Anna Karenina"),
        ("His first novel, Emma, made him rich.", "Emma"),
        ("The film Erin Brockovich made her famous.", "Erin Brockovich"),
        ("I read Jane Eyre to her.", "Jane Eyre"),
        ("Jane Eyre was written by a clergyman's daughter.", "Jane Eyre"),
    ],
)
def test_titles_of_works(text, expected):
    assert title(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Romeo and Juliet are in love.",
        "Juliet is her favourite singer.",
        "Mary is a film critic.",
        "The star of the show is Mary.",
        "The play is Emma's.",
        "In the film John plays a cop.",
        "The book Emma bought is old.",
        "He praised the author of the novel, Jane Austen.",
        "I read Mary a story.",
        "I wrote Mary last week.",
        "She is a play in herself.",
        "",
    ],
)
def test_people_are_no_works(text):
    assert title(text) == ""


def test_a_title_is_left_with_the_reason():
    text = "Mary Poppins was a film that she loved."
    found = find_demographics(load_pipeline().analyse(text))
    assert [text[one.start : one.stop] for one in found.words] == ["she"]
    assert [(text[one.start : one.stop], one.reason) for one in found.skipped] == [("Mary", TITLE_OF_A_WORK)]
    assert found.names == 0
