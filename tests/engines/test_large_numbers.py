"""Numbers in a server's answer that no count, probability or vector can be: they are left out, and nothing breaks."""

import json

import pytest

from longway.engines.answers import completion_of, usage_of
from longway.engines.asker import Asker
from longway.store import Journal
from tests.engines.conftest import engine_of, judging, writing
from tests.engines.loopback import Loopback, echo

TOO_LARGE = [10**30, 10**400, 2**53 + 1, -1, 0, 1e300, True, "7", None, [3]]


@pytest.mark.parametrize("value", TOO_LARGE)
def test_what_is_no_count_of_tokens_counts_as_not_given(value):
    assert usage_of({"usage": {"prompt_tokens": value, "completion_tokens": 2**53}}) == (0, 2**53)


@pytest.mark.parametrize("body", [None, [], 3, {}, {"usage": None}, {"usage": 7}])
def test_a_body_without_usage_counts_nothing(body):
    assert usage_of(body) == (0, 0)


def with_tokens(*tokens):
    """A judgement with such token probabilities: token, its own, that of the alternative "pos"."""
    content = [
        {"token": token, "logprob": own, "top_logprobs": [{"token": "pos", "logprob": other}]}
        for token, own, other in tokens
    ]
    choice = {"message": {"content": '{"label": "neg"}'}, "logprobs": {"content": content}}
    return json.dumps({"choices": [choice]})


@pytest.mark.parametrize(
    "own", [-(10**400), 10**400, 1000.0, float("nan"), float("inf"), float("-inf"), -9999.0]
)
def test_a_token_that_cannot_have_been_chosen_makes_all_of_them_unknown(own):
    assert completion_of(with_tokens(("neg", own, -1.0))).tokens == ()


@pytest.mark.parametrize("other", [10**400, 1000.0, 0.1, float("nan"), float("inf")])
def test_an_alternative_that_is_more_than_certain_makes_all_of_them_unknown(other):
    assert completion_of(with_tokens(("neg", -0.1, other))).tokens == ()


@pytest.mark.parametrize("other", [0.0, 1e-6, -9999.0, float("-inf")])
def test_an_alternative_may_be_as_unlikely_as_it_likes(other):
    assert completion_of(with_tokens(("neg", -0.1, other))).tokens == (("neg", -0.1, (("pos", other),)),)


@pytest.mark.parametrize("usage", [10**30, 10**400])
@pytest.mark.parametrize("log_p", [-(10**400), 1000.0])
def test_a_run_goes_on_whatever_numbers_come(usage, log_p):
    def answer(call):
        reply = echo(call)
        reply.body["usage"] = {"prompt_tokens": usage, "completion_tokens": usage}
        tokens = [{"token": "neg", "logprob": log_p, "top_logprobs": []}]
        reply.body["choices"][0]["logprobs"] = {"content": tokens}
        return reply

    with Loopback(answer) as server, Asker(engine_of(server), Journal(None)) as asker:
        assert asker.write_all(writing("A dull film."), 1)[0].texts
        assert asker.judge_all(judging("A dull film."), ("neg", "pos"))[0].probabilities == {
            "neg": 1.0,
            "pos": 0.0,
        }
