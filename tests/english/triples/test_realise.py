"""The way back from triples to a text: their order, joined where the subject is the same, written as the original is."""

import pytest

from longway.english.triples.triple import Triple, text_of

RUDE, SOUP = Triple("The waiter", "was", "rude"), Triple("the waiter", "brought", "cold soup")
DULL, FLAT = Triple("the film", "is", "dull"), Triple("the film", "is", "flat")


@pytest.mark.parametrize(
    ("triples", "text"),
    [
        ([RUDE, SOUP], "The waiter was rude and brought cold soup."),
        ([SOUP, RUDE], "The waiter brought cold soup and was rude."),
        ([DULL, FLAT], "The film is dull and flat."),
        ([RUDE, DULL], "The waiter was rude. The film is dull."),
        ([Triple.whole("What now?"), DULL], "What now? The film is dull."),
        ([Triple("it", "'s", "good")], "It's good."),
        ([Triple("the man", "slept", "")], "The man slept."),
    ],
)
def test_triples_become_sentences(triples, text):
    assert text_of(triples) == text


def test_sentences_can_stay_apart():
    assert text_of([RUDE, SOUP], join=False) == "The waiter was rude. The waiter brought cold soup."


def test_nothing_is_joined_behind_a_clause_that_could_swallow_it():
    said = Triple("the man", "said", "that she left")
    assert text_of([said, Triple("the man", "slept", "")]) == "The man said that she left. The man slept."


@pytest.mark.parametrize(
    ("like", "text"),
    [
        ("it 's a mess .", "the film is dull ."),
        ("A man sleeps", "The film is dull"),
        ("It is good.", "The film is dull."),
    ],
)
def test_the_way_of_writing_is_that_of_the_original(like, text):
    assert text_of([DULL], like=like) == text
