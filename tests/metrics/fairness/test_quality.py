"""How good a language model is: nats per token."""

from math import exp

import pytest

from longway.errors import SettingError
from longway.metrics.fairness.preferences import quality_of


def test_tokens_count_alike_however_they_are_spread_over_texts():
    found = quality_of([-10.0, -2.0], [4, 2])
    assert found.log_likelihood.value == -2
    assert found.perplexity == pytest.approx(exp(2))
    assert (found.texts, found.tokens) == (2, 6)
    assert found.log_likelihood.low == -2.5
    assert found.log_likelihood.high == -1


def test_a_model_that_gives_every_word_of_ten_the_same_chance_has_perplexity_10():
    assert quality_of([-2.302585093] * 3, [1] * 3).perplexity == pytest.approx(10)


def test_texts_without_tokens_are_refused():
    with pytest.raises(SettingError, match="no token"):
        quality_of([0.0], [0])


def test_one_text_has_no_interval():
    assert quality_of([-3.0], [2]).to_dict()["log_likelihood"] == {"value": -1.5, "low": None, "high": None}
