"""papers/razor/lemma_1.py: both sides of Eq. 4."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lemma_1 import lemma_1


@given(st.lists(st.lists(st.floats(-5, 5), min_size=2, max_size=2), min_size=2, max_size=6), st.data())
def test_lemma_1_compares_the_mean_lengths_of_sums(vectors, data):
    n = len(vectors)
    places = data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 1))
    found = lemma_1(sorted(places), np.array(vectors))

    def mean(rows):
        x, y = sum(row[0] for row in rows), sum(row[1] for row in rows)
        return (x * x + y * y) ** 0.5 / len(rows)

    inside = mean([vectors[i] for i in places])
    outside = mean([row for i, row in enumerate(vectors) if i not in places])
    assert (found.inside, found.outside) == (pytest.approx(inside), pytest.approx(outside))
    assert found.holds == (found.inside >= found.outside)
