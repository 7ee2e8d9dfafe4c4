"""A document's words, and how they hang together, on sentences small enough to see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.document import Change, apply_changes
from tests.english.handmade import document_of

# "The old man 's dog barked": barked <- dog <- man <- The, old, 's
BARKED = document_of("The|DT|det|2 old|JJ|amod|2 man|NN|nmod:poss|4 ~'s|POS|case|2 dog|NN|nsubj|5 barked|VBD")


def words(found):
    return [word.text for word in found]


def test_children_are_the_direct_dependents_in_order():
    man, dog = BARKED.words[2], BARKED.words[4]
    assert words(BARKED.children(man)) == ["The", "old", "'s"]
    assert words(BARKED.children(man, "det", "case")) == ["The", "'s"]
    assert words(BARKED.children(dog, "nmod")) == ["man"]  # a relation stands for its subtypes
    assert words(BARKED.children(dog, "nsubj")) == []


def test_subtree_is_everything_below_in_order_of_the_text():
    assert words(BARKED.subtree(BARKED.words[4])) == ["The", "old", "man", "'s", "dog"]


def test_ancestors_go_up_to_the_root():
    assert words(BARKED.ancestors(BARKED.words[0])) == ["man", "dog", "barked"]
    assert BARKED.head(BARKED.words[5]) is None


def test_words_between_are_those_that_overlap_the_stretch():
    assert words(BARKED.words_between(5, 9)) == ["old", "man"]
    assert words(BARKED.words_between(3, 4)) == []
    assert words(BARKED.words_between(5, 5)) == ["old"]
    assert words(BARKED.words_between(-5, 99)) == words(BARKED.words)


def test_one_sentence_holds_all_words():
    assert words(BARKED.sentence(0)) == words(BARKED.words)
    assert {BARKED.sentence_number(word) for word in BARKED} == {0}


@st.composite
def texts_with_changes(draw):
    text = draw(st.text(max_size=40))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return text, [Change(start, end, draw(st.text(max_size=5))) for start, end in pairs]


@given(texts_with_changes(), st.randoms())
def test_changes_equal_replacing_from_the_back_one_by_one(case, chance):
    text, changes = case
    expected = text
    for change in sorted(
        changes, reverse=True
    ):  # the slow twin: later places first, so earlier ones stay valid
        expected = expected[: change.start] + change.text + expected[change.end :]
    chance.shuffle(changes)
    assert apply_changes(text, changes) == expected


@pytest.mark.parametrize("changes", [[(0, 3), (2, 4)], [(3, 2)], [(0, 99)], [(-1, 1)]])
def test_changes_that_overlap_or_lie_outside_are_refused(changes):
    with pytest.raises(ValueError, match="must lie inside the text"):
        apply_changes("some text", [Change(start, end, "x") for start, end in changes])
