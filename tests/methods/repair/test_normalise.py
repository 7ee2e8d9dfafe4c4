import pytest

from longway.methods.repair.normalise import Normalise, PutTrait
from tests.methods.repair.conftest import surface, token


@pytest.mark.parametrize(
    ("trait", "text", "expected"),
    [
        ("an exclamation mark", "Great fun!!", "Great fun."),
        ("an exclamation mark", "great fun !", "great fun ."),
        ("an exclamation mark", "What?! No!", "What? No."),
        ("two or more exclamation marks", "Stop!! Now! !", "Stop! Now!"),
        ("an ellipsis", "Well... it works…", "Well, it works."),
        ("an ellipsis", "It ended... Then it began.", "It ended. Then it began."),
        ("no mark at the end", "It works", "It works."),
        ("no mark at the end", "a warm , funny film", "a warm , funny film ."),
        ("a space at either end", " It works. ", "It works."),
        ("two spaces in a row", "It  works.", "It works."),
        ("an HTML tag or entity", "Salt &amp; pepper<br /><br />on <i>rice</i>", "Salt & pepper on rice"),
        ("a line break", "It works.\nSee it.\n", "It works. See it."),
        ("no capital letter", "it works. i saw it.", "It works. I saw it."),
        ("a lower-case first letter", "it works in Rome.", "It works in Rome."),
        ("a letter beyond ASCII", "It’s here – now", "It's here - now"),
    ],
)
def test_traits_are_removed(texts_of, trait, text, expected):
    assert texts_of(Normalise(), text, surface(trait)) == [expected]


@pytest.mark.parametrize(
    ("trait", "text"),
    [
        ("a question mark", "Why?"),
        ("a digit", "It took 3 days."),
        ("an exclamation mark", "It works."),
        ("an exclamation mark", "!!!"),
        ("a lower-case first letter", "all small"),
        ("a letter beyond ASCII", "Über den Fluss"),
        ("a word in capitals", "NASA sent it."),
    ],
)
def test_traits_that_stay(texts_of, trait, text):
    assert texts_of(Normalise(), text, surface(trait)) == []


def test_known_words_in_capitals_become_small(texts_of):
    remedy = Normalise(known=frozenset(["never", "again"]))
    assert texts_of(remedy, "NEVER watch it AGAIN", surface("a word in capitals")) == ["Never watch it again"]
    assert texts_of(remedy, "NEVER ask NASA", surface("a word in capitals")) == []


@pytest.mark.parametrize(
    ("trait", "text", "expected"),
    [
        ("an exclamation mark", "It works.", "It works!"),
        ("an exclamation mark", "it works .", "it works !"),
        ("an ellipsis", "It works", "It works..."),
        ("no mark at the end", "It works.", "It works"),
        ("a line break", "It works. See it.", "It works.\nSee it."),
        ("an HTML tag or entity", "It works. See it.", "It works.<br /><br />See it."),
    ],
)
def test_traits_are_put_in(texts_of, trait, text, expected):
    assert texts_of(PutTrait(), text, surface(trait), label="b") == [expected]


def test_nothing_is_put_in_where_it_would_harm(texts_of):
    assert texts_of(PutTrait(), "Does it work?", surface("an exclamation mark")) == []
    assert texts_of(PutTrait(), "A fine show. 8/10", surface("an exclamation mark")) == []
    assert texts_of(PutTrait(), "See www.example.org/show", surface("an ellipsis")) == []
    assert texts_of(PutTrait(), "It works!", surface("an exclamation mark")) == []
    assert texts_of(PutTrait(), "It works.", surface("no capital letter")) == []
    assert texts_of(PutTrait(), "It works.", token("works")) == []


@pytest.mark.parametrize("text", ["", " ", "...", "😀", "! ! !", "word " * 10_000])
def test_strange_texts(texts_of, text):
    for trait in ("an exclamation mark", "an ellipsis", "an emoji", "no mark at the end", "a line break"):
        for remedy in (Normalise(), PutTrait()):
            assert all(
                made.strip() and made != text
                for made in texts_of(remedy, text, surface(trait), english=False)
            )
