"""The vote on principal and spurious words, against counting by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.methods.coba.votes import Important, vote, votes_needed

WORDS = st.lists(st.sampled_from("abcdefg"), max_size=5, unique=True)
TOPS = st.sampled_from([1, 3, 5, 7]).flatmap(lambda n: st.lists(WORDS, min_size=n, max_size=n))


@given(TOPS, st.lists(st.sampled_from("abxyz"), unique=True))
def test_every_word_is_counted_once_and_lands_on_its_side(tops, given):
    found = vote(tops, given=given, words="abcdefgx")
    mentioned = {word for top in tops for word in top}
    there = mentioned | (set(given) & set("abcdefgx"))
    assert set(found.principal) | set(found.spurious) == there
    assert not set(found.principal) & set(found.spurious)
    for word in mentioned - set(given):
        majority = sum(word in top for top in tops) >= (len(tops) + 1) / 2
        assert (word in found.principal) == majority


def test_the_papers_five_models():
    tops = [["great", "nancy", "plot"], ["great", "nancy"], ["great", "plot"], ["film"], []]
    assert vote(tops) == Important(("great",), ("nancy", "plot", "film"))
    assert vote(tops, votes=2).principal == ("great", "nancy", "plot")


def test_a_word_that_the_user_names_is_spurious_whatever_the_models_say():
    found = vote(
        [["he", "great"], ["he", "great"], ["he"]], given=["he", "absent"], words=["he", "is", "great"]
    )
    assert found == Important(("great",), ("he",))


@pytest.mark.parametrize("n", [0, 2, 4])
def test_a_vote_that_could_end_in_a_tie_is_refused(n):
    with pytest.raises(SettingError, match="odd number of models"):
        votes_needed(n)
