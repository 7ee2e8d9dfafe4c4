"""Mutual information of words with the label, before and after, against counting by hand."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.metrics.versions import compare_word_information

ROWS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["nancy", "film", "dull"]), min_size=1, max_size=4), st.sampled_from("ab")
    ),
    min_size=1,
    max_size=20,
)


def by_hand(word, rows, names):
    """I(word; label) with one more in each cell of the table."""
    cell = {(there, name): 1.0 for there in (True, False) for name in names}
    for words, label in rows:
        cell[word in words, label] += 1
    n = sum(cell.values())
    return sum(
        value
        / n
        * log(
            value / n / (sum(cell[there, m] for m in names) / n * (cell[True, name] + cell[False, name]) / n)
        )
        for (there, name), value in cell.items()
    )


def points_by_hand(found, rows):
    """The mean of both labels' accuracies, less a half, if the rows with the word are given its label and all others another."""
    rates = []
    for is_own in (True, False):
        of = [found.word in words for words, label in rows if (label == found.label) == is_own]
        rates.append(sum(of) / max(len(of), 1))
    return (rates[0] + (1 - rates[1])) / 2 - 0.5


@given(ROWS, ROWS)
def test_both_sides_are_what_counting_gives(before, more):
    after = before + more
    names = sorted({label for _, label in after})
    columns = [
        ([" ".join(words) for words, _ in rows], [label for _, label in rows]) for rows in (before, after)
    ]
    for found in compare_word_information(["nancy", "dull", "absent"], *columns):
        assert found.rows_before == sum(found.word in words for words, _ in before)
        assert found.rows_after == sum(found.word in words for words, _ in after)
        assert found.mi_before == pytest.approx(by_hand(found.word, before, names))
        assert found.mi_after == pytest.approx(by_hand(found.word, after, names))
        assert found.points_before == pytest.approx(points_by_hand(found, before))
        assert found.points_after == pytest.approx(points_by_hand(found, after))


def test_no_words_give_no_rows():
    assert compare_word_information([], (["a"], ["x"]), (["a"], ["x"])) == []
