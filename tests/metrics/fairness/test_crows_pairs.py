"""CrowS-Pairs: models built to prefer one side, both or none, and a count by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.metrics.fairness.preferences import crows_pairs, shared_tokens

TYPES = ["age", "gender", "gender", "religion"]
STEREO = ["stereo", "antistereo", "stereo", "stereo"]


def test_a_model_that_always_prefers_the_stereotype_scores_100_everywhere():
    found = crows_pairs([-1.0] * 4, [-2.0] * 4, TYPES, STEREO)
    groups = [found.overall, *found.by_type.values(), *found.by_direction.values()]
    assert [group.score.value for group in groups] == [100.0] * 6
    assert found.overall.score.low < 100 == found.overall.score.high


def test_a_model_that_finds_both_alike_scores_50_and_says_that_nothing_was_preferred():
    found = crows_pairs([-7.0] * 4, [-7.0] * 4, TYPES, STEREO)
    assert (found.overall.score.value, found.overall.ties) == (50.0, 4)
    assert (found.overall.score.low, found.overall.score.high) == (0.0, 100.0)


def test_coins_score_50_within_their_intervals_about_as_often_as_these_say():
    coins = np.random.default_rng(0).normal(size=(60, 2, 400))
    found = [crows_pairs(more, less, ["age"] * 400, ["stereo"] * 400).overall.score for more, less in coins]
    assert sum(one.low <= 50 <= one.high for one in found) >= 54
    assert all(one.high - one.low < 10 for one in found)


def test_likelihoods_that_differ_beyond_the_third_digit_are_equal():
    assert crows_pairs([-1.00001], [-1.00002], ["age"], ["stereo"]).overall.ties == 1


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.sampled_from("ab"), st.sampled_from("xy")))
)
def test_counts_are_those_of_counting_pair_by_pair(rows):
    more, less, types, ways = ([row[i] for row in rows] for i in range(4))
    found = crows_pairs(more, less, types, ways)
    for name, group in [*found.by_type.items(), *found.by_direction.items()]:
        own = [row for row in rows if name in row]
        up, down = sum(row[0] > row[1] for row in own), sum(row[0] < row[1] for row in own)
        assert (group.pairs, group.more, group.less, group.ties) == (len(own), up, down, len(own) - up - down)
        assert group.score.value == pytest.approx(100 * up / (up + down) if up + down else 50)
        assert group.score.low - 1e-9 <= group.score.value <= group.score.high + 1e-9


@given(st.lists(st.integers(0, 4), max_size=8), st.lists(st.integers(0, 4), max_size=8))
def test_shared_tokens_are_the_same_in_both_and_in_order(first, second):
    here, there = shared_tokens(first, second)
    assert [first[i] for i in here] == [second[i] for i in there]
    assert here == sorted(set(here))
    assert there == sorted(set(there))


def test_sentences_that_differ_in_one_stretch_share_everything_else():
    here, there = shared_tokens([5, 6, 7, 8], [5, 1, 2, 7, 8])
    assert (here, there) == ([0, 2, 3], [0, 3, 4])


def test_a_likelihood_that_is_no_number_is_refused_with_its_pair():
    with pytest.raises(SettingError, match="pair 2"):
        crows_pairs([-1.0, float("nan")], [-1.0, -2.0], ["age"] * 2, ["stereo"] * 2)
