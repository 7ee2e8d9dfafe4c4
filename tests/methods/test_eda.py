"""EDA's four operations, and EDA as a method."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.words import STOP_WORDS
from longway.methods.eda import (
    delete_words,
    eda,
    eda_texts,
    insert_synonyms,
    replace_synonyms,
    swap_words,
    synonyms_of,
)
from tests.methods.parts import rows_of, texts_after

TEXT = "The old film was shot in a small town near Lyon, in May."
TEXTS = [TEXT, "A good doctor helps.", "Xyzzy qwx plugh.", "Big dogs run fast."]
seeds = st.integers(0, 10_000).map(Random)


@given(random=seeds)
def test_synonyms_replace_as_many_words_as_asked_and_never_a_stop_word(random):
    words, new = TEXT.split(), replace_synonyms(TEXT, 0.2, random).split(" ")
    assert new != words
    for word in words:
        if word.strip(".,").lower() in STOP_WORDS:
            assert word in new
    gone = [w for w in words if w not in new]
    assert len(gone) <= 2  # a fifth of twelve words


def test_a_synonym_takes_capitals_and_marks_of_the_word_it_replaces():
    assert replace_synonyms("Doctor!", 1.0, Random(0)) in {
        f"{w[0].upper()}{w[1:]}!" for w in synonyms_of("doctor")
    }


@given(random=seeds)
def test_insertion_keeps_all_words_and_adds_synonyms_of_some(random):
    before, after = Counter(TEXT.split()), Counter(insert_synonyms(TEXT, 0.1, random).split())
    assert not before - after
    known = {
        part for word in TEXT.split() for s in synonyms_of(word.strip(".,").lower()) for part in s.split()
    }
    assert after - before
    assert set(after - before) <= known


@given(random=seeds, share=st.floats(0.05, 0.5))
def test_swapping_keeps_the_words_and_the_marks_in_their_places(random, share):
    new = swap_words(TEXT, share, random)
    assert Counter(new.replace(",", "").replace(".", "").split()) == Counter(
        TEXT.replace(",", "").replace(".", "").split()
    )
    assert [w.endswith(",") for w in new.split()] == [w.endswith(",") for w in TEXT.split()]


@given(random=seeds, share=st.floats(0, 1))
def test_deletion_leaves_words_in_order_and_at_least_one(random, share):
    left, words = delete_words(TEXT, share, random).split(), iter(TEXT.split())
    assert left
    assert all(word in words for word in left)  # `in` on an iterator: in this order


@pytest.mark.parametrize("operation", [replace_synonyms, insert_synonyms, swap_words, delete_words])
def test_a_single_unknown_word_and_an_empty_text_stay(operation):
    assert operation("xyzzy", 0.5, Random(1)) == "xyzzy"
    assert operation("", 0.5, Random(1)) == ""


def test_rows_are_replaced_in_place_with_their_labels():
    rows = rows_of(TEXTS, [0, 1, 0, 1])
    (round_,) = eda(rows, seed=3)
    changed = {edit.id: edit for edit in round_.edits}
    assert rows.texts == TEXTS
    assert all(edit.before != edit.after for edit in round_.edits)
    assert len(changed) == len(round_.edits) == round_.figures.accepted
    assert all(e.label_before == e.label_after and e.how.startswith("eda.") for e in round_.edits)
    assert rows.added_by(round_.edits) == []


def test_added_texts_leave_the_rows_as_they_are_and_have_ids_of_their_own():
    rows = rows_of(TEXTS, [0, 1, 0, 1])
    (round_,) = eda(rows, add=3)
    assert rows.texts == TEXTS
    ids = [example.id for example in rows.added_by(round_.edits)]
    assert len(set(ids) | set(rows.ids)) == len(ids) + len(TEXTS)
    assert ids[:3] == ["r0+eda1", "r0+eda2", "r0+eda3"]
    assert {e.label for e in rows.added_by(round_.edits) if e.id.startswith("r1")} == {"label 1"}


def test_a_row_draws_the_same_whatever_the_other_rows_are_and_another_with_another_seed():
    alone, among = rows_of(TEXTS[:1], [0]), rows_of(TEXTS, [0, 1, 0, 1])
    texts = [texts_after(rows, eda(rows, seed=1)) for rows in (alone, among)]
    assert texts[0][0] == texts[1][0] != TEXTS[0]
    draws = {eda_texts(TEXT, seed=seed)[0] for seed in range(8)}
    assert len(draws) > 3


def test_a_text_that_no_operation_changes_is_counted():
    (round_,) = eda(rows_of(["xyzzy", TEXT], [0, 1]))
    assert round_.figures.refusals == {"no operation changes this text": 1}


def test_up_to_n_texts_are_made_each_by_one_operation():
    made = eda_texts(TEXT, n=4)
    assert len(made) == len({text for _, text in made}) == 4
    assert {how for how, _ in made} <= {"synonym", "insertion", "swap", "deletion"}
    assert eda_texts(TEXT, share=0) == []
