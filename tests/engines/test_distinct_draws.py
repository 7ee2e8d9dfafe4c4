"""Different lines drawn together, beside drawing without replacement from a list of all lines."""

from collections import Counter
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.distinct_draws import Group, conditioned, draw_distinct

END = 0
# After which tokens which follow, and how likely: five lines in all. Token 9 has no end within reach.
GRAMMAR = {
    (): {1: 0.6, 2: 0.3, 3: 0.1},
    (1,): {END: 0.5, 4: 0.5},
    (1, 4): {END: 1.0},
    (2,): {END: 0.2, 4: 0.8},
    (2, 4): {END: 1.0},
    (3,): {END: 1.0},
}
LINES = {(1, END): 0.3, (1, 4, END): 0.3, (2, END): 0.06, (2, 4, END): 0.24, (3, END): 0.1}


class Texts:
    """Rows that note what they have read; their likelihoods are those of the grammar."""

    def __init__(self, n):
        self.read, self.n_rows = [() for _ in range(n)], n
        self._tell()

    def advance(self, tokens):
        assert len(tokens) <= self.n_rows
        self.read = [(*text, token) for text, token in zip(self.read, tokens, strict=False)]
        self.read += [()] * (self.n_rows - len(self.read))
        self._tell()

    def copy(self, source, to):
        self.read[to] = self.read[source]

    def _tell(self):
        self.log_p = np.full((self.n_rows, 10), -np.inf, np.float32)
        for row, text in enumerate(self.read):
            for token, share in GRAMMAR.get(text, {}).items():
                self.log_p[row, token] = np.log(share)


def choices(line, log_p):
    tokens = np.flatnonzero(log_p > -np.inf)
    assert set(tokens.tolist()) == set(GRAMMAR[line.tokens])  # the row has read what the line says
    return tokens, log_p[tokens].astype(float)


def draw(sizes, seed, starts=None, max_tokens=5):
    groups = [Group(size, (starts or {}).get(i, ())) for i, size in enumerate(sizes)]
    generator = np.random.default_rng(seed)
    return draw_distinct(
        Texts(sum(sizes)), groups, choices, ends={END}, max_tokens=max_tokens, generator=generator
    )


def test_lines_come_as_often_as_without_replacement_from_a_list_of_all():
    n = 6_000
    firsts, both = Counter(), Counter()
    for seed in range(n):
        one, other = (line.tokens for line in draw([2], seed))
        firsts[one] += 1
        both[one, other] += 1
    for line, share in LINES.items():
        assert firsts[line] / n == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / n))
    for one, share in LINES.items():
        for other, next_share in LINES.items():
            wanted = share * next_share / (1 - share) if one != other else 0.0
            assert both[one, other] / n == pytest.approx(wanted, abs=4 * np.sqrt(wanted * (1 - wanted) / n))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.integers(0, 1000))
def test_no_group_has_a_line_twice_and_a_large_one_has_them_all(sizes, seed):
    lines = draw(sizes, seed)
    for number, size in enumerate(sizes):
        mine = [line for line in lines if line.group == number]
        assert len({line.tokens for line in mine}) == len(mine) == min(size, len(LINES))
        assert all(one.key >= other.key for one, other in pairwise(mine))
        for line in mine:
            assert line.ended
            assert line.log_p == pytest.approx(np.log(LINES[line.tokens]), abs=1e-5)
            shares = [GRAMMAR[line.tokens[:i]][token] for i, token in enumerate(line.tokens)]
            assert line.lowest == pytest.approx(np.log(min(shares)), abs=1e-5)


def test_a_group_begins_as_it_is_told():
    lines = draw([2, 1], 3, starts={0: (2,)})
    assert [line.tokens[0] for line in lines if line.group == 0] == [2, 2]
    assert len(lines) == 3


def test_a_line_without_room_has_not_ended():
    lines = draw([5], 1, max_tokens=1)
    assert {line.tokens for line in lines} == {(1,), (2,), (3,)}
    assert not any(line.ended for line in lines)


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=8), st.floats(-20, 20))
def test_keys_are_those_of_the_equation(values, largest):
    with localcontext() as context:
        context.prec = 60  # the differences of the equation lose digits
        least = (-Decimal(max(values))).exp()
        sums = [(-Decimal(largest)).exp() - least + (-Decimal(value)).exp() for value in values]
        exact = [float(-total.ln()) for total in sums]
    np.testing.assert_allclose(conditioned(np.array(values), largest), exact, atol=1e-6)
