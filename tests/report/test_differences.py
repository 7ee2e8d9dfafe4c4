"""Word differences: exact to the last space, whole runs of words, quick whatever the texts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.report import differences as module
from longway.report.differences import differences

WORDS = st.lists(st.sampled_from(["a", "b", "not", "It", ",", "."]), max_size=7)
# Any text, and texts of few words, in which much is alike.
TEXTS = st.one_of(st.text(max_size=60), st.text(alphabet="ab .,\n\t\u200d宽🚀'’-", max_size=40))


def marked(before, after):
    """Removed words in square brackets, added ones in curly ones."""
    forms = {"same": "{}", "removed": "[{}]", "added": "{{{}}}"}
    return "".join(forms[change.kind].format(change.text) for change in differences(before, after))


def joined(changes, *kinds):
    return "".join(change.text for change in changes if change.kind in kinds)


def matched(old, new):
    """The slow twin: the longest run of words that both have, the first of them, and the same on both sides of it."""
    for length in range(min(len(old), len(new)), 0, -1):
        for i in range(len(old) - length + 1):
            for j in range(len(new) - length + 1):
                if old[i : i + length] == new[j : j + length]:
                    return length + matched(old[:i], new[:j]) + matched(old[i + length :], new[j + length :])
    return 0


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("It is not open.", "It is closed.", "It is [not open]{closed}."),
        ("He did not win", "He failed to win", "He [did not]{failed to} win"),
        ("It is not so", "It is so", "It is[ not] so"),
        ("It is so", "It is not so", "It is{ not} so"),
        ("so it is", "it is so", "[so ]it is{ so}"),
        ("Don't go", "Do not go", "[Don't]{Do not} go"),
        ("one  two", "one two", "one [ ]two"),
        ("same", "same", "same"),
        ("", "new", "{new}"),
        ("old", "", "[old]"),
        ("", "", ""),
        ("我不去", "我去", "我[不]去"),
    ],
)
def test_what_changed_is_marked_word_by_word(before, after, expected):
    assert marked(before, after) == expected


@given(TEXTS, TEXTS)
def test_the_parts_joined_are_both_texts(before, after):
    changes = differences(before, after)
    assert joined(changes, "same", "removed") == before
    assert joined(changes, "same", "added") == after


@given(TEXTS, TEXTS)
def test_no_part_is_empty_and_neighbours_differ(before, after):
    changes = differences(before, after)
    assert all(change.text for change in changes)
    kinds = [change.kind for change in changes]
    assert all(first != second for first, second in pairwise(kinds))


@given(WORDS, WORDS)
def test_the_longest_runs_of_words_stay(old, new):
    front = next(
        (n for n, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1),
        min(len(old), len(new)),
    )
    rest, other = old[front:][::-1], new[front:][::-1]
    back = next(
        (n for n, pair in enumerate(zip(rest, other, strict=False)) if len(set(pair)) > 1),
        min(len(rest), len(other)),
    )
    changes = differences(" ".join(old), " ".join(new))
    assert len(joined(changes, "same").split()) == front + back + matched(
        rest[back:][::-1], other[back:][::-1]
    )


def test_an_emoji_made_of_several_stays_whole():
    assert marked("a 👩\u200d🚀 b", "a 👩\u200d🔬 b") == "a [👩\u200d🚀]{👩\u200d🔬} b"


def test_a_change_too_large_to_compare_is_one_whole():
    size = int(module.MAX_CELLS**0.5) + 1
    before = "start " + "x y " * size + "end"
    after = "start " + "y z " * size + "end"
    changes = differences(before, after)
    assert [change.kind for change in changes] == ["same", "removed", "added", "same"]
    assert joined(changes, "same", "added") == after
