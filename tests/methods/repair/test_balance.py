"""The live counts of a repair, compared with counting everything anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.methods.repair.balance import Balance, best_drops, gain

N_FEATURES = 6


def slow_gain(has: np.ndarray, labels: np.ndarray) -> float:
    """n times the mutual information of a feature and the labels, from the joint distribution."""
    n, total = len(labels), 0.0
    for value in (True, False):
        for label in set(labels.tolist()):
            joint = ((has == value) & (labels == label)).mean()
            if joint > 0:
                total += joint * np.log(joint / ((has == value).mean() * (labels == label).mean()))
    return n * total


def slow_excess(features: list[set[int]], labels: list[int], bound: float) -> float:
    of = np.array(labels)
    return sum(
        max(0.0, slow_gain(np.array([f in each for each in features]), of) - bound) for f in range(N_FEATURES)
    )


def as_numbers(features: list[set[int]]) -> list[np.ndarray]:
    return [np.array(sorted(each), dtype=np.int64) for each in features]


ROWS = st.lists(
    st.tuples(st.sets(st.integers(0, N_FEATURES - 1)), st.integers(0, 2)), min_size=4, max_size=25
).filter(lambda rows: {label for _, label in rows} == {0, 1, 2})


@given(ROWS)
def test_the_excess_is_that_of_a_slow_count(rows):
    features, labels = [f for f, _ in rows], [y for _, y in rows]
    balance = Balance(as_numbers(features), labels, N_FEATURES, bound=0.5)
    assert balance.excess() == pytest.approx(slow_excess(features, labels, 0.5), abs=1e-9)


@given(ROWS, st.data())
def test_the_effect_of_a_change_is_the_difference_of_two_counts(rows, data):
    features, labels = [f for f, _ in rows], [y for _, y in rows]
    row = data.draw(st.integers(0, len(rows) - 1))
    new = data.draw(st.sets(st.integers(0, N_FEATURES - 1)))
    balance = Balance(as_numbers(features), labels, N_FEATURES, bound=0.5)
    before = balance.excess()
    effect = balance.effect_of_change(row, as_numbers([new])[0])
    balance.change(row, as_numbers([new])[0])
    assert balance.excess() - before == pytest.approx(effect, abs=1e-9)
    changed = [new if i == row else each for i, each in enumerate(features)]
    assert balance.excess() == pytest.approx(slow_excess(changed, labels, 0.5), abs=1e-9)


@given(ROWS, st.integers(0, 2))
def test_counts_follow_rows_that_are_added_and_dropped(rows, label):
    features, labels = [f for f, _ in rows], [y for _, y in rows]
    balance = Balance(as_numbers(features), labels, N_FEATURES, bound=0.5)
    number = balance.add(label, np.array([0, 3]))
    assert balance.excess() == pytest.approx(
        slow_excess([*features, {0, 3}], [*labels, label], 0.5), abs=1e-9
    )
    balance.drop(number)
    assert balance.excess() == pytest.approx(slow_excess(features, labels, 0.5), abs=1e-9)


def test_rows_that_show_a_shortcut_are_dropped_first_and_labels_stay_even():
    random = np.random.default_rng(0)
    labels = [0] * 100 + [1] * 100
    features = [np.array([0] if i < 40 else [1 + int(random.integers(5))]) for i in range(200)]
    balance = Balance(features, labels, N_FEATURES)
    dropped = []
    for row in best_drops(balance, range(200), np.array([0.5, 0.5])):
        dropped.append(row)
        if gain(balance.counts[:, :1], balance.totals)[0] < 1:
            break
    shortcut = [row for row in dropped if row < 40]
    assert len(shortcut) >= 30
    assert abs(balance.totals[0] - balance.totals[1]) <= 1
    assert len(dropped) <= 2 * 40


def test_nothing_is_dropped_where_nothing_is_uneven():
    features = [np.array([i % 2]) for i in range(40)]
    labels = [i // 2 % 2 for i in range(40)]
    assert list(best_drops(Balance(features, labels, N_FEATURES), range(40), np.array([0.5, 0.5]))) == []


@given(ROWS, st.integers(1, 20))
def test_drops_to_a_size_end_there(rows, size):
    features, labels = [f for f, _ in rows], [y for _, y in rows]
    balance = Balance(as_numbers(features), labels, N_FEATURES, bound=0.5)
    shares = np.bincount(labels, minlength=3) / len(labels)
    dropped = list(best_drops(balance, range(len(rows)), shares, size=size))
    assert len(set(dropped)) == len(dropped) == max(0, len(rows) - size)
    assert balance.totals.sum() == min(size, len(rows))


@given(ROWS, st.data())
def test_a_row_that_is_restored_counts_again(rows, data):
    features, labels = [f for f, _ in rows], [y for _, y in rows]
    row = data.draw(st.integers(0, len(rows) - 1))
    balance = Balance(as_numbers(features), labels, N_FEATURES, bound=0.5)
    before = balance.excess()
    balance.drop(row)
    balance.drop(row, times=-1)
    assert balance.excess() == pytest.approx(before)


@given(ROWS)
def test_rows_that_were_not_parsed_count_neither_with_a_pattern_nor_without(rows):
    """3 says that a row was parsed; 4 and 5 are patterns, which only parsed rows can have."""
    features = [f if 3 in f else f - {4, 5} for f, _ in rows]
    labels = np.array([y for _, y in rows])
    balance = Balance(as_numbers(features), labels, N_FEATURES, bound=0.5, parsed=3)
    parsed = np.array([3 in each for each in features])
    wanted = 0.0
    for feature in (0, 1, 2, 4, 5):
        has = np.array([feature in each for each in features])
        some = parsed if feature > 3 else np.ones(len(rows), dtype=bool)
        if has.any():
            wanted += max(0.0, slow_gain(has[some], labels[some]) - 0.5)
    assert balance.excess() == pytest.approx(wanted, abs=1e-9)


def test_rows_are_not_dropped_because_others_are_too_long_to_parse():
    """A pattern in every parsed row says nothing about labels, even if all rows of one label are too long."""
    pattern, nothing = np.array([0, 1]), np.zeros(0, dtype=np.int64)
    features, labels = [pattern] * 20 + [nothing] * 20, [0] * 20 + [1] * 20
    assert list(best_drops(Balance(features, labels, 2, parsed=0), range(40), np.array([0.5, 0.5]))) == []
    counted = list(best_drops(Balance(features, labels, 2), range(40), np.array([0.5, 0.5])))
    assert len(counted) > 0  # as rows without the pattern they would count against it
