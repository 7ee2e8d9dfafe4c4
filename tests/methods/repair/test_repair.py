"""The choice of edits: until a target is balanced, in no more rows than allowed, and rests dropped."""

import numpy as np

from longway.methods.method import Rows
from longway.methods.repair.drop import drop_leftovers
from longway.methods.repair.remedy import Proposer, Target
from longway.methods.repair.repair import ENOUGH, FIRST, Repair
from longway.task import Task
from tests.methods.repair.conftest import PLAIN, token


def without(row, target, *asides):
    """Takes a target's word out, except from texts with "kept"."""
    (word,) = target.pattern.words
    if "kept" not in row.text:
        yield row.draft(row.text.replace(f" {word}", ""), "take_out", asides=asides)


def take_out(propose=without):
    return Proposer("take out", propose)


def rows_with(*words_by_row):
    """Rows of two labels in turn, each with its words."""
    texts = [f"{PLAIN[i // 2 % len(PLAIN)][:-1]} {words}".strip() for i, words in enumerate(words_by_row)]
    labels = np.arange(len(texts)) % 2
    return Rows([str(i) for i in range(len(texts))], texts, labels, ["a", "b"], Task("other", ("a", "b")))


def shown_by_label(repair, word):
    rows = repair.rows_now()
    labels = [rows.label(row) for row, text in enumerate(rows.texts) if word in text.split()]
    return labels.count("a"), labels.count("b")


def test_a_target_is_weakened_until_it_is_balanced():
    words = ["zorp" if i % 2 == 0 or i < 12 else "" for i in range(80)]  # 40 rows of a, 6 rows of b
    repair = Repair(rows_with(*words))
    list(repair.change(take_out(), [Target(token("zorp"), "a")]))
    assert shown_by_label(repair, "zorp") == (6, 6)


def test_rows_that_were_changed_may_be_changed_again_where_others_may_not():
    words = ["zorp quib" if i % 2 == 0 else "" for i in range(80)]
    repair = Repair(rows_with(*words), max_changed=10)
    done = list(repair.change(take_out(), [Target(token("zorp"), "a"), Target(token("quib"), "a")]))
    assert len(repair.changed) == 10
    assert shown_by_label(repair, "zorp") == shown_by_label(repair, "quib") == (30, 0)
    assert done[0].figures.rejected[ENOUGH] == FIRST - 10


def test_rows_that_still_show_what_most_rows_lost_are_dropped():
    words = [("zorp kept" if i < 10 else "zorp") if i % 2 == 0 else "" for i in range(80)]
    repair = Repair(rows_with(*words))
    target = Target(token("zorp"), "a")
    list(repair.change(take_out(), [target]))
    assert shown_by_label(repair, "zorp") == (5, 0)
    (done,) = drop_leftovers(repair, [target])
    assert shown_by_label(repair, "zorp")[0] <= 2
    assert {edit.how for edit in done.edits} == {"drop"}
    assert repair.n_dropped == len(done.edits)


def test_no_row_is_dropped_for_a_pattern_that_most_rows_keep():
    repair = Repair(rows_with(*["zorp kept" if i % 2 == 0 else "" for i in range(80)]))
    assert list(drop_leftovers(repair, [Target(token("zorp"), "a")])) == []


def test_at_most_half_of_the_changes_are_drops():
    words = [("zorp kept" if i < 10 else "zorp") if i % 2 == 0 else "" for i in range(80)]
    repair = Repair(rows_with(*words), max_changed=2)
    repair.texts = [text if "kept" in text else text.replace(" zorp", "") for text in repair.texts]
    repair.changed = {row for row, text in enumerate(repair.texts) if text != repair.rows.texts[row]}
    list(drop_leftovers(repair, [Target(token("zorp"), "a")]))
    assert repair.n_dropped == 1


def as_aside(row, target):
    """Takes it out as an aside."""
    return without(row, target, *target.pattern.words)


def test_the_last_rows_with_an_aside_are_dropped_although_they_are_balanced():
    words = ["zorp kept" if i < 2 else "zorp" if i % 2 == 0 else "" for i in range(80)]
    repair = Repair(rows_with(*words))
    list(repair.change(take_out(as_aside), [Target(token("zorp"), "a")]))
    assert shown_by_label(repair, "zorp") == (1, 1)
    list(drop_leftovers(repair, []))
    assert repair.dropped == {0, 1}


def test_an_aside_that_most_rows_lost_is_taken_out_of_the_others_too():
    repair = Repair(rows_with(*["zorp" if i % 2 == 0 or i < 2 else "" for i in range(80)]))
    list(repair.change(take_out(as_aside), [Target(token("zorp"), "a")]))
    assert shown_by_label(repair, "zorp") == (0, 0)


def as_varied_aside(row, target):
    """Takes it out as part of an aside that no other row has word for word."""
    return without(row, target, f"{target.pattern.words[0]} number {row.number}")


def test_asides_that_differ_by_a_word_are_known_by_the_words_they_share():
    repair = Repair(rows_with(*["zorp" if i % 2 == 0 or i < 2 else "" for i in range(80)]))
    list(repair.change(take_out(as_varied_aside), [Target(token("zorp"), "a")]))
    assert shown_by_label(repair, "zorp") == (0, 0)


def test_what_is_added_starts_from_the_changed_texts():
    repair = Repair(rows_with(*["zorp" if i % 2 == 0 else "" for i in range(40)]))
    list(repair.change(take_out(), [Target(token("zorp"), "a")]))
    assert repair.changed_rows.texts == repair.texts != repair.rows.texts
