"""Rows that show a pattern, against counting all of them again."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longway.methods.repair.shown import ShownRows

rows = st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=12)


def slow_gain(shown, labels):
    """The mutual information of showing it and the label, times the number of rows."""
    n, pairs = len(labels), Counter(zip(shown.tolist(), labels.tolist(), strict=True))
    by_shown, by_label = Counter(shown.tolist()), Counter(labels.tolist())
    return sum(k * log(k * n / (by_shown[one] * by_label[label])) for (one, label), k in pairs.items())


@given(rows, st.lists(st.tuples(st.integers(0, 11), st.booleans()), max_size=6))
def test_changes_are_counted_as_if_all_rows_were_counted_again(given_rows, changes):
    shown = np.array([one for one, _ in given_rows])
    labels = np.array([label for _, label in given_rows])
    totals = np.bincount(labels, minlength=3).astype(float)
    fast = ShownRows(shown.copy(), labels, 3)
    for row, shows in changes:
        row %= len(given_rows)
        after = shown.copy()
        after[row] = shows
        np.testing.assert_allclose(
            fast.gain(totals, row=row, shows=shows), slow_gain(after, labels), atol=1e-9
        )
        fast.set(row, shows)
        shown = after
        assert (len(fast), fast.numbers()) == (shown.sum(), np.flatnonzero(shown).tolist())
        np.testing.assert_allclose(fast.gain(totals), slow_gain(shown, labels), atol=1e-9)
