"""Agreement of raters, against scikit-learn, the definition written out, and draws whose truth is known."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from longway.metrics.judgements import agreement, krippendorff_alpha

RATINGS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@given(RATINGS)
def test_kappa_is_that_of_scikit_learn_and_lies_in_its_interval(pairs):
    one, other = map(list, zip(*pairs, strict=True))
    found = agreement(one, other)
    assert found.percent == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    assert found.occurrence == pytest.approx(sum(a or b for a, b in pairs) / len(pairs))
    if len({*one, *other}) == 1:
        assert (found.kappa, found.low, found.high) == (None, None, None)
        return
    assert found.kappa == pytest.approx(cohen_kappa_score(one, other))
    assert -1 <= found.low <= found.kappa <= found.high <= 1


def test_agreement_on_everything_is_less_sure_the_fewer_there_were():
    few, many = (agreement([True] * n + [False] * n, [True] * n + [False] * n) for n in (5, 100))
    assert few.kappa == many.kappa == few.high == many.high == 1
    assert few.low < 0.6 < 0.95 < many.low


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize(("share", "kappa"), [(0.5, 0.0), (0.5, 0.8), (0.3, 0.6), (0.2, 0.4)])
def test_the_interval_of_kappa_holds_the_truth_in_93_of_100_samples_and_more(n, share, kappa):
    """Two raters who say yes equally often and agree this far: both yes, one of them, neither."""
    random = np.random.default_rng(5)
    product = share * (1 - share)
    chances = [share**2 + kappa * product, 2 * product * (1 - kappa), (1 - share) ** 2 + kappa * product]
    held = total = 0
    for both, apart, neither in random.multinomial(n, chances, size=600).tolist():
        half = apart // 2
        one = [True] * both + [True] * half + [False] * (apart - half) + [False] * neither
        other = [True] * both + [False] * half + [True] * (apart - half) + [False] * neither
        found = agreement(one, other)
        if found.kappa is not None:
            total += 1
            held += found.low <= kappa <= found.high
    assert held / total >= 0.93


def alpha_by_definition(items):
    """One less the disagreement seen over that expected, every pair of values counted."""
    rated = [kept for item in items if len(kept := [v for v in item if v is not None]) > 1]
    values = [value for item in rated for value in item]
    seen = sum(sum(a != b for a, b in permutations(item, 2)) / (len(item) - 1) for item in rated) / len(
        values
    )
    pairs = list(combinations(values, 2))
    return 1 - seen / (sum(a != b for a, b in pairs) / len(pairs))


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=4), min_size=2, max_size=9)
)
def test_alpha_is_its_definition_written_out(items):
    said = Counter(v for item in items if sum(v is not None for v in item) > 1 for v in item if v is not None)
    found = krippendorff_alpha(items)
    if len(said) < 2:
        assert found is None
    else:
        assert found == pytest.approx(alpha_by_definition(items))
