"""Gendered words swapped: by a list that leads back to itself, pronouns by grammar, names left alone."""

import pytest

from longway.english.people.words import demographic_entries
from longway.english.triples.gender import partner, swap_gender
from longway.english.triples.triple import Triple
from tests.english.triples.said import read


def swapped(*parts):
    return swap_gender([Triple(*parts)], read=read)[0]


def words_of(attribute):
    return {
        e.word.lower()
        for e in demographic_entries("gender")
        if e.attribute.name == attribute and e.kind != "thing"
    }


def test_a_word_has_one_partner_on_the_other_side():
    men, women = words_of("man"), words_of("woman")
    assert men.isdisjoint(women)
    assert all(partner(word) is None or partner(word).lower() not in men for word in men)
    assert all(partner(word) is None or partner(word).lower() not in women for word in women)
    assert sum(partner(word) is not None for word in men) > 350


def test_swapping_twice_leads_back_to_the_word_or_to_the_plainer_one_for_it():
    back = [word for word in words_of("man") if (partner(partner(word) or "") or "").lower() == word]
    assert len(back) > 300
    assert partner(partner("dude")) == "boy"  # a girl, when swapped, is a boy
    for word in words_of("man") | words_of("woman"):
        once = partner(word)
        twice = once and partner(once)
        assert not twice or partner(twice) in (once, None) or partner(partner(twice)) == twice  # None: batter


@pytest.mark.parametrize("word", ["author", "poet", "actors'", "teacher", "relative", "mother tongue"])
def test_words_said_of_everybody_have_no_partner(word):
    assert partner(word) is None


def test_feminine_forms_that_nobody_writes_still_lead_to_the_common_word():
    assert partner("authoress") == "author"
    assert partner("queen") == "king"  # and no title, "King"


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        (("He", "loves", "his wife"), ("She", "loves", "her husband")),
        (("The book", "is", "hers"), ("The book", "is", "his")),
        (("The policeman", "is holding", "his hat"), ("The policewoman", "is holding", "her hat")),
        (("A waitress", "met", "an actor"), ("A waiter", "met", "an actress")),
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
