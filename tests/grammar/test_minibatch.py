"""Batches of like length: nothing lost, nothing twice, little wasted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longway.grammars.minibatch import BatchLimits, batches

side = st.lists(st.integers(1, 9), max_size=7)
pairs_of_words = st.lists(st.tuples(side, side).filter(any), max_size=30)


def cells(lengths):
    return int(np.prod((np.asarray(lengths) + 1) ** 2))


@given(pairs_of_words, st.integers(1, 8), st.integers(1, 5000), st.none() | st.integers(0, 9))
def test_each_pair_is_in_one_batch_as_it_was(pairs, size, most, seed):
    rng = None if seed is None else np.random.default_rng(seed)
    made = batches(pairs, BatchLimits(size, most, 1.3), rng=rng)
    assert sorted(row for batch in made for row in batch.rows) == list(range(len(pairs)))
    for batch in made:
        for row, first, second, (n, m) in zip(
            batch.rows, batch.first, batch.second, batch.lengths, strict=True
        ):
            assert (first[:n].tolist(), second[:m].tolist()) == pairs[row]
            assert not first[n:].any()
            assert not second[m:].any()


@given(pairs_of_words, st.integers(1, 8), st.integers(1, 5000), st.sampled_from([1.0, 1.3, 3.0]))
def test_no_batch_is_too_large_or_too_empty(pairs, size, most, waste):
    for batch in batches(pairs, BatchLimits(size, most, waste)):
        computed = len(batch.rows) * cells(batch.lengths.max(0))
        assert len(batch.rows) <= size
        assert len(batch.rows) == 1 or computed <= most
        assert computed <= waste * sum(map(cells, batch.lengths))


def test_shuffled_batches_are_other_ones_each_time_and_the_same_for_the_same_seed():
    pairs = [([i], [i, i]) for i in range(1, 41)]
    once, again, other = (
        [
            batch.rows.tolist()
            for batch in batches(pairs, BatchLimits(4, 10**6, 1.3), rng=np.random.default_rng(seed))
        ]
        for seed in (1, 1, 2)
    )
    assert once == again != other
