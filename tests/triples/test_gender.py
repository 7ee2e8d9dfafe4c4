"""Gendered words swapped: by a list that leads back to itself, pronouns by grammar, names left alone."""

from collections import Counter

import pytest

from longway.triples.gender import pairs, partner, swap_gender
from longway.triples.triple import Triple
from tests.triples.said import read


def swapped(*parts):
    return swap_gender([Triple(*parts)], read=read)[0]


def test_the_list_is_large_and_clean():
    rows = pairs()
    assert sum(number == "sing" for *_, number in rows) >= 150
    assert {number for *_, number in rows} == {"sing", "plur"}
    assert {m.lower() for m, _, _ in rows}.isdisjoint(f.lower() for _, f, _ in rows)
    assert max(Counter(f for _, f, _ in rows).values()) <= 2


def test_swapping_twice_leads_back():
    first = {}
    for masculine, feminine, _ in pairs():
        if masculine not in first and feminine not in first.values():
            first[masculine] = feminine
    assert len(first) > 300
    for masculine, feminine in first.items():
        assert partner(masculine) == feminine
        assert partner(feminine) == masculine


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        (("He", "loves", "his wife"), ("She", "loves", "her husband")),
        (("Her husband", "loves", "her"), ("His wife", "loves", "him")),
        (("The book", "is", "hers"), ("The book", "is", "his")),
        (("The policeman", "is holding", "his hat"), ("The policewoman", "is holding", "her hat")),
        (("A waitress", "met", "an actor"), ("A waiter", "met", "an actress")),
        (("She", "hurt", "herself"), ("He", "hurt", "himself")),
        (("Mrs. Jones", "called", "her father-in-law"), ("Mr. Jones", "called", "his mother-in-law")),
        (("HE", "hurt", "himself"), ("SHE", "hurt", "herself")),
    ],
)
def test_gendered_words_are_swapped(triple, expected):
    assert swapped(*triple) == Triple(*expected)
    assert swapped(*expected).text.replace("Ms.", "Mrs.") == Triple(*triple).text


@pytest.mark.parametrize(
    "triple", [("Stephen King", "wrote", "it"), ("That", "counts as", "a win"), ("A doctor", "sleeps", "")]
)
def test_names_verbs_and_other_people_stay(triple):
    assert swapped(*triple) == Triple(*triple)


def test_triples_without_such_words_are_not_even_read():
    def never(text):
        raise AssertionError(text)

    assert swap_gender([Triple("A doctor", "sleeps", "")], read=never) == [Triple("A doctor", "sleeps", "")]
