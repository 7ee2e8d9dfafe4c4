"""Phrases that say the same: the file is sound, known sentences become known sentences, others stay."""

import re

import pytest

from longway.english.rules.phrase_groups import holds, phrase_groups, phrases
from tests.english.rules.put import put

CASES = [
    ("Jane Moor starred in Blue Harbor.", "Jane Moor had a starring role in Blue Harbor."),
    ("Jane Moor starred in Blue Harbor.", "Jane Moor was one of the stars of Blue Harbor."),
    ("Jane Moor did not star in Blue Harbor.", "Jane Moor was not one of the stars of Blue Harbor."),
    ("Jane Moor was one of the stars of Blue Harbor.", "Jane Moor starred in Blue Harbor."),
    ("Blue Harbor was released in 1999.", "Blue Harbor came out in 1999."),
    ("Blue Harbor was originally released in 1999.", "Blue Harbor originally came out in 1999."),
    ("Blue Harbor was not released in 1999.", "Blue Harbor did not come out in 1999."),
    ("Blue Harbor came out in 1999.", "Blue Harbor was released in 1999."),
    ("The films came out in May.", "The films were released in May."),
    ("Jane Moor died in 1999.", "Jane Moor passed away in 1999."),
    ("The museum is located in Peru.", "The museum lies in Peru."),
    ("Peru is in South America.", "Peru is located in South America."),
    ("The chapel isn't part of the castle.", "The chapel doesn't form part of the castle."),
    ("Jane Moor is an actress.", "Jane Moor works as an actress."),
    ("Jane Moor won an award.", "Jane Moor received an award."),
    ("The firm was founded in 1999.", "The firm was established in 1999."),
    ("Jane Moor is from Peru.", "Jane Moor comes from Peru."),
    ("The show began in 1999.", "The show started in 1999."),
    ("They have three kids.", "They have three children."),
    ("It is an old film.", "It is an old movie."),
    ("Over fifty people came because of the rain.", "Over fifty people came due to the rain."),
    ("A man is sleeping.", "A man is asleep."),
    ("A person is walking outside.", "Someone is walking outside."),
    ("The girl is able to swim.", "The girl can swim."),
    ("this movie is one of the best .", "this movie is among the best ."),
    ("It is a completely new idea.", "It is an entirely new idea."),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_phrase_becomes_another(text, expected):
    assert expected in [new for _, new in put(phrases, text)]


@pytest.mark.parametrize(
    "text",
    [
        "The prisoner was released from jail.",
        "Jane Moor lies in bed.",
        "She is in trouble.",
        "The idea died out.",
        "She found the key.",
        "Films Began is a poem.",
        "TV Land is a channel.",
        "The girl is not able to swim.",  # "can" has a negation of its own
        "Jane Moor is Ann's friend.",
    ],
)
def test_other_uses_of_the_words_stay(text):
    assert put(phrases, text) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("He works in film.", "movie"),
        ("He jumped over three boxes.", "more than"),
        ("The man is waiting for the train to arrive.", "awaiting"),
        ("The crowd left before the bus even came round the corner.", "prior to"),
        ("Jane Moor is a child actress.", "kid"),
        ("Jane Moor has several sons.", "various"),
        ("Jane Moor is one of three sisters.", "among"),
        ("Jane Moor was nominated for two awards.", "a nomination"),
        ("The award was given to Jane Moor.", "awarded"),
        ("The team won the race five times.", "winner"),
        ("The illness causes pain.", "induces"),
        ("Jane Moor appeared in films.", "an appearance"),
    ],
)
def test_a_word_stays_where_another_would_be_wrong(text, wrong):
    assert not any(wrong in new for _, new in put(phrases, text))


def test_there_are_many_phrases_and_none_twice_in_a_group():
    directed = [(g.name, a, b) for g in phrase_groups() for a in g.ways[: g.n_from] for b in g.ways if a != b]
    assert len(directed) >= 400
    assert all(len(set(group.ways)) == len(group.ways) for group in phrase_groups())


def test_the_conditions_of_all_groups_are_known():
    names = {name for group in phrase_groups() for name in group.conditions}
    assert names <= set(re.findall(r"\w+", holds.__doc__))
