"""a or an, by sound; and articles mended before changed words only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.articles import article_before, fix_articles
from longway.english.document import Change, apply_changes
from tests.english.handmade import document_of

pytest.importorskip("lemminflect")

AN = (
    "apple hour honest heir heiress honor umbrella uncle unimportant unidentified uninvited unusual "
    "urgent usher utter X-ray MBA SMS FBI NGO HIV LED SUV FAQ NHL MP3 M16 MPs SUVs F-word L-shaped "
    "S-bend 8 8th 11 11th 18 80s 800 11,000 18,000,000 1800s $8 8-bit iPhone eBay e-mail élan Eskimo "
    "onion oncologist ear eagle owl Uber herb RSVP mph EU yttrium A4 H1N1"
).split()
A = (
    "dog university unicorn European euro unit union unique united uniform universe use used user "
    "usual utility utopia uranium urine ukulele Ukrainian UFO US UK UN USB U-turn one one-off "
    "once-over ewe T-shirt B-movie NASA NATO RAM SIM HUGE 1 7 10 110 1,100 1,800 180 0.8 house horse "
    "history hotel historic yellow young year Mr. ouija unanimous eulogy Utah f***ing 1/8 "
    "unidirectional"
).split()


@pytest.mark.parametrize("word", AN)
def test_words_that_begin_with_a_vowel_sound_take_an(word):
    assert article_before(word) == "an"


@pytest.mark.parametrize("word", A)
def test_words_that_begin_with_a_consonant_sound_take_a(word):
    assert article_before(word) == "a"


def test_in_shouted_text_capitals_make_no_abbreviation():
    assert article_before("MUG", shouted=True) == "a"
    assert article_before("HOUR", shouted=True) == "an"
    assert article_before("UNIVERSITY", shouted=True) == "a"


def test_quotes_and_brackets_before_a_word_are_not_heard():
    assert article_before('"apple"') == "an"
    assert article_before("(old) dog") == "an"


@given(st.text(max_size=12), st.booleans())
def test_any_string_has_an_article(text, shouted):
    assert article_before(text, shouted=shouted) in ("a", "an")


def mended(annotated, old, new):
    document = document_of(annotated)
    start = document.text.index(old)
    changes = [Change(start, start + len(old), new)]
    return apply_changes(document.text, [*changes, *fix_articles(document, changes)])


@pytest.mark.parametrize(
    ("annotated", "old", "new", "expected"),
    [
        ("I|PRP saw|VBD a|DT dog|NN ~.|.", "dog", "owl", "I saw an owl."),
        ("I|PRP saw|VBD an|DT owl|NN ~.|.", "owl", "dog", "I saw a dog."),
        ("I|PRP saw|VBD a|DT dog|NN ~.|.", "dog", "cat", "I saw a cat."),
        ("A|DT dog|NN barked|VBD ~.|.", "dog", "owl", "An owl barked."),
        ("A|DT DOG|NN BARKED|VBD ~.|.", "DOG", "OWL", "AN OWL BARKED."),
        ("AN|DT OWL|NN BARKED|VBD ~.|.", "OWL", "DOG", "A DOG BARKED."),
        ("a|DT big|JJ dog|NN", "dog", "owl", "a big owl"),  # not directly before the changed word
        ("a|DT big|JJ owl|NN", "big ", "", "an owl"),  # the word between went
        ("a|DT owl|NN", "owl", "old owl", "an old owl"),
        ("a|DT owl|NN and|CC a|DT dog|NN", "dog", "cat", "a owl and a cat"),  # was wrong before: stays
        ('a|DT "|`` ~dog|NN ~"|\'\'', "dog", "owl", 'an "owl"'),
        ("vitamin|NN a|NN dogs|NNS", "dogs", "owls", "vitamin a owls"),  # no article
        ("a|DT hero|NN of|IN a|DT time|NN", "hero", "heir", "an heir of a time"),
    ],
)  # fmt: skip
def test_articles_follow_the_changed_word(annotated, old, new, expected):
    assert mended(annotated, old, new) == expected


def test_an_article_that_is_itself_changed_is_left_to_its_change():
    document = document_of("a|DT dog|NN")
    changes = [Change(0, 1, "the"), Change(2, 5, "owl")]
    assert fix_articles(document, changes) == []


@given(st.text(alphabet="aeiou hx1", max_size=6))
def test_without_changes_nothing_is_mended(text):
    document = document_of("a|DT owl|NN saw|VBD an|DT dog|NN")
    assert fix_articles(document, []) == []
    assert len(fix_articles(document, [Change(2, 5, text)])) <= 1
