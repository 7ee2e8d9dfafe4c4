"""The served engine against a real server on this machine that behaves in every way servers do."""

import asyncio
import gzip
import json
import logging
import time
from email.utils import formatdate
from math import log

import pytest

from longway.engines import asker, served
from longway.engines.asker import Asker
from longway.engines.costs import Price
from longway.engines.engine import Sampling
from longway.engines.requests import retry_after
from longway.engines.served import ServedEngine
from longway.errors import CallFailed, EngineError, SettingError
from longway.store import Journal
from tests.engines.conftest import engine_of, judging, writing
from tests.engines.loopback import Endless, Loopback, Reply, completion, echo, error, script

PROMPT = writing("The film was dull.")[0]
QUESTION = judging("The film was dull.")[0]
GOOD = completion(json.dumps({"rewrites": ["A dull film.", "It bored me."]}))
LABELS = ("neg", "pos")
KEY = "sk-canary-0123456789abcdef"


def write(engine, *, n=2, sampling=None, times=1, prompt=None):
    async def ask():
        try:
            return [await engine.write(prompt or PROMPT, n, sampling or Sampling()) for _ in range(times)]
        finally:
            await engine.close()

    return asyncio.run(ask())[-1]


def judge(engine):
    async def ask():
        try:
            return await engine.judge(QUESTION, LABELS)
        finally:
            await engine.close()

    return asyncio.run(ask())


def test_texts_are_asked_for_by_schema_and_come_back_with_their_usage():
    with Loopback(script(GOOD)) as server:
        written = write(
            engine_of(server), sampling=Sampling(temperature=0.4, max_tokens=900, seed=3, sample=2)
        )
        body = server.calls[0].body
    assert written.texts == ("A dull film.", "It bored me.")
    assert (written.usage.prompt_tokens, written.usage.completion_tokens, written.usage.cost) == (11, 7, 0.0)
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["rewrites"]
    assert (body["model"], body["temperature"], body["top_p"], body["max_tokens"]) == ("toy", 0.4, 0.9, 900)
    assert server.calls[0].text == "The film was dull."


def test_another_sample_has_another_seed():
    with Loopback() as server:
        for sample in (0, 1):
            write(engine_of(server), sampling=Sampling(sample=sample))
        seeds = {call.body["seed"] for call in server.calls}
    assert len(seeds) == 2


def test_a_server_without_schemas_is_found_out_once_and_asked_for_json_by_the_prompt():
    def answer(call):
        return error(400, "Unknown field: response_format") if call.has_schema else echo(call)

    with Loopback(answer) as server:
        written = write(engine_of(server), times=3)
        assert written.texts == ("Indeed, The film was dull.", "Well, The film was dull.")
        assert [call.has_schema for call in server.calls] == [True, False, False, False]
        assert judge(engine_of(server)).best == "neg"


@pytest.mark.parametrize(
    ("message", "gone", "instead"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
            "max_tokens",
            "max_completion_tokens",
        ),
        ("temperature does not support 0.7 with this model", "temperature", "top_p"),
        ("seed is not supported", "seed", "temperature"),
    ],
)
def test_a_parameter_that_a_server_does_not_know_is_left_out(message, gone, instead):
    with Loopback(lambda call: error(400, message) if gone in call.body else GOOD) as server:
        assert write(engine_of(server), times=2).texts
        assert len(server.calls) == 3
    assert gone not in server.calls[-1].body
    assert instead in server.calls[-1].body
    assert server.calls[-1].has_schema


def test_a_row_that_is_too_long_is_refused_and_changes_nothing_for_others():
    message = "This model's maximum context length is 10 tokens; max_tokens is too large"
    with Loopback(script(GOOD, error(400, message, code="context_length_exceeded"))) as server:
        written = write(engine_of(server), n=1, times=2)
        assert written.refusals == ("the row is too long for the model",)
        assert len(server.calls) == 2


def test_a_request_that_is_rejected_however_it_is_put_fails_for_itself():
    with Loopback(lambda _: error(422, "no")) as server, pytest.raises(CallFailed, match="status 422: no"):
        write(engine_of(server))


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ("Here you are!", "not one JSON object"),
        ('{"answer": 1}', 'no list of texts under "rewrites"'),
        ("", "empty"),
    ],
)
def test_an_answer_that_cannot_be_read_is_repaired_once(first, why):
    with Loopback(script(completion(first), GOOD)) as server:
        written = write(engine_of(server))
        told = server.calls[1].body["messages"]
    assert written.texts == ("A dull film.", "It bored me.")
    assert written.usage.completion_tokens == 14
    assert [message["role"] for message in told[-3:]] == ["user", "assistant", "user"]
    assert told[:-2] == server.calls[0].body["messages"]
    assert why in told[-1]["content"]


def asked_for(server):
    return [call.n for call in server.calls]


def test_a_cut_answer_keeps_its_whole_texts_and_the_others_are_asked_for_again():
    cut = completion('{"rewrites": ["A dull film.", "It bored me.", "It dr', finish="length")
    with Loopback(script(cut)) as server:
        written = write(engine_of(server), n=3)
        assert asked_for(server) == [3, 1]
        assert len({call.body["seed"] for call in server.calls}) == 2
    assert written.texts == ("A dull film.", "It bored me.", "Indeed, The film was dull.")


def test_a_cut_without_a_whole_text_is_asked_for_with_fewer_texts_and_in_the_end_with_more_room():
    cut = completion("<think>hm", finish="length")
    with Loopback(script(cut, cut, GOOD)) as server:
        assert len(write(engine_of(server), n=2).texts) == 2
        assert asked_for(server) == [2, 1, 1, 1]
        assert [call.body["max_tokens"] for call in server.calls] == [512, 512, 1024, 512]
        assert "cut off" in server.calls[2].body["messages"][-1]["content"]


def test_the_room_of_an_answer_follows_the_text_and_the_number_of_texts():
    """420 words, 4 candidates: 512 tokens gave one text of four."""
    text = "word " * 420

    def answer(call):
        texts = [f"{text.strip()} {len(server.calls)}-{i}" for i in range(asked_for(server)[-1])]
        whole = json.dumps({"rewrites": texts})
        room = 5 * call.body["max_tokens"]  # "word " is a token
        return completion(whole[:room], finish="length" if len(whole) > room else "stop")

    with Loopback(answer) as server:
        for n in (4, 12):
            assert len(write(engine_of(server), n=n, prompt=writing(text)[0]).texts) == n
        assert max(call.body["max_tokens"] for call in server.calls) <= 4096


@pytest.mark.parametrize(
    "message", ["max_tokens is too large: this model supports at most 900", "maximum context length is 900"]
)
def test_a_server_with_little_room_is_asked_for_fewer_texts(message):
    with Loopback(
        lambda call: echo(call) if call.body["max_tokens"] <= 900 else error(400, message)
    ) as server:
        texts = write(engine_of(server), n=4, prompt=writing("word " * 200)[0]).texts
        assert texts
        assert asked_for(server)[:3] == [4, 2, 1]


def test_a_row_longer_than_any_answer_is_refused_before_it_is_sent():
    with Loopback() as server:
        written = write(engine_of(server), prompt=writing("word " * 20_000)[0])
        assert not server.calls
    assert "the row is too long" in written.refusals[0]


def test_texts_that_came_are_used_even_if_the_server_fails_on_the_rest():
    cut = completion('{"rewrites": ["A dull film.", "It bo', finish="length")
    with Loopback(script(cut, then=lambda _: error(500, "gone"))) as server:
        assert write(engine_of(server, retries=0)).texts == ("A dull film.",)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (completion("", finish="content_filter"), "content filter"),
        (completion(None, refusal="I cannot do that."), "I cannot do that"),
        (error(400, "flagged", code="content_filter"), "content filter"),
    ],
)
def test_a_refusal_of_the_model_is_an_answer(reply, why):
    with Loopback(lambda _: reply) as server:
        written = write(engine_of(server))
        assert len(server.calls) == 1
    assert why in written.refusals[0]


PASSING = {
    "429": error(429, "slow down"),
    "408": error(408, "late"),
    "409": error(409, "busy"),
    "500": error(500, "oops"),
    "503": Reply(raw=b"<html>down</html>", status=503),
    "no json": Reply(raw=b"<html>hello</html>"),
    "no choices": Reply({"choices": []}),
    "error in 200": Reply({"error": {"message": "overloaded", "code": 502}}),
    "error in 200 without a code": Reply({"error": "overloaded"}),
    "cut in mid body": Reply(GOOD.body, cut_at=40),
}


@pytest.mark.parametrize("reply", PASSING.values(), ids=PASSING)
def test_what_may_pass_is_tried_again(reply):
    with Loopback(script(reply, reply)) as server:
        assert write(engine_of(server)).texts
        assert len(server.calls) == 3


@pytest.mark.parametrize("reply", PASSING.values(), ids=PASSING)
def test_tries_are_bounded(reply):
    with Loopback(script(GOOD, then=lambda _: reply)) as server:
        with pytest.raises(CallFailed, match="sent 4 times"):
            write(engine_of(server, retries=3), times=2)
        assert len(server.calls) == 5


def test_a_stalled_answer_is_given_up_and_tried_again():
    with Loopback(script(Reply(wait=60), GOOD)) as server:
        assert write(engine_of(server, timeout=0.3)).texts
        assert len(server.calls) == 2


@pytest.mark.parametrize(
    ("status", "why"),
    [(401, "did not accept the key"), (403, "did not accept"), (404, "does not know this model")],
)
def test_what_will_not_pass_is_an_error_at_once(status, why):
    with Loopback(lambda _: error(status, "no")) as server:
        with pytest.raises(EngineError, match=why):
            write(engine_of(server))
        assert len(server.calls) == 1


ENDINGS = {
    "rate limit": (error(429, "slow"), "status 429: slow", "wait a few minutes"),
    "own error": (error(500, "CUDA out of memory"), "CUDA out of memory", "look at the log of the server"),
    "no json": (PASSING["no json"], "the body is not JSON", "check the end of --base-url"),
    "hanging": (Reply(wait=9), "no answer within", "try a smaller model"),
    "key": (error(401, "who?"), "status 401: who?", "LONGWAY_API_KEY"),
    "model": (error(404, "toy?"), "status 404: toy?", "Check the model's name"),
}


@pytest.mark.parametrize("case", ENDINGS.values(), ids=ENDINGS)
def test_each_error_of_a_server_has_its_cause_and_its_next_step_and_no_other(case):
    reply, cause, step = case
    with Loopback(lambda _: reply) as server, pytest.raises(EngineError) as caught:
        write(engine_of(server, timeout=0.2, retries=3))
    assert cause in str(caught.value)
    assert [other for _, _, other in ENDINGS.values() if other in str(caught.value)] == [step]
    assert "cannot be reached" not in str(caught.value)
    assert "same command again" in str(caught.value) or "Check" in str(caught.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_rows_do_not_follow_a_redirect(status):
    with Loopback() as other:
        away = error(status, "moved", headers={"Location": f"{other.url}/chat/completions?key={KEY}"})
        with Loopback(lambda _: away) as server, pytest.raises(EngineError) as caught:
            write(engine_of(server, api_key=KEY))
        assert not other.calls
        assert len(server.calls) == 1
    assert f"redirects to {other.url}/chat/completions" in str(caught.value)
    assert "--base-url" in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "reply", [Reply(raw=b" " * 300_000), Endless(), Endless(status=500)], ids=["long", "endless", "error"]
)
def test_a_response_that_is_too_large_ends_the_run_and_is_not_read_on(reply, monkeypatch):
    monkeypatch.setattr(served, "LARGEST", 200_000)
    with Loopback(lambda _: reply) as server:
        with pytest.raises(EngineError, match="in one response"):
            write(engine_of(server, timeout=5))
        assert len(server.calls) == 1


def test_a_response_that_comes_too_slowly_is_given_up():
    with (
        Loopback(lambda _: Endless(piece=b" ", pause=0.05)) as server,
        pytest.raises(EngineError, match=r"no answer within 0\.3 s"),
    ):
        write(engine_of(server, timeout=0.3, retries=1))


def test_a_compressed_response_is_not_unpacked():
    packed = gzip.compress(json.dumps(GOOD.body).encode() + b" " * 2_000_000)
    reply = Reply(raw=packed, headers={"content-encoding": "gzip"})
    with Loopback(lambda _: reply) as server, pytest.raises(EngineError, match="not JSON"):
        write(engine_of(server, retries=1))
    assert server.calls[0].headers["accept-encoding"] == "identity"


PROSE = completion("I like this text very much.")


def ask_many(server, *, judges=False, n=40, **options):
    """Many questions at once, as a run asks them."""
    texts = [f"Film {i} was dull." for i in range(n)]
    with Asker(engine_of(server, **options), Journal(None)) as asking:
        if judges:
            return asking.judge_all(judging(*texts), LABELS)
        return asking.write_all(writing(*texts), 2)


@pytest.mark.parametrize("judges", [False, True])
@pytest.mark.parametrize("reply", [PROSE, completion("<think>hm", finish="length")], ids=["prose", "cut"])
def test_a_model_that_never_answers_in_the_form_is_given_up_soon_with_the_cause(reply, judges):
    with Loopback(lambda _: reply) as server:
        with pytest.raises(EngineError) as caught:
            ask_many(server, judges=judges)
        assert len(server.calls) <= 20
    assert f"cannot be used to {'judge' if judges else 'write'}" in str(caught.value)
    assert "first 5 answers" in str(caught.value)
    assert any(cause in str(caught.value) for cause in ("not one JSON object", "label", "cut off"))


def test_a_model_that_answers_in_the_form_now_and_then_is_not_given_up():
    with Loopback(
        script(*[PROSE] * 9, then=lambda call: PROSE if "7" in call.text else echo(call))
    ) as server:
        written = ask_many(server)
    assert 20 < sum(bool(answer.texts) for answer in written) < 40


def test_a_model_without_the_form_is_answered_by_refusals_where_that_is_wanted():
    with Loopback(lambda _: PROSE) as server:
        written = ask_many(server, n=8, misread=float("inf"))
    assert all("not one JSON object" in answer.refusals[0] for answer in written)


def test_waiting_for_a_silent_server_is_reported(monkeypatch):
    monkeypatch.setattr(asker, "SILENCE", 0.1)
    said = []
    with (
        Loopback(lambda call: Reply(echo(call).body, wait=0.5)) as server,
        Asker(engine_of(server), Journal(None), say=said.append) as asking,
    ):
        assert asking.write_all([PROMPT], 2)[0].texts
    assert said[0].startswith("Waiting for served:toy: no answer for ")
    assert 2 <= len(said) <= 5


def test_nothing_is_reported_while_a_server_answers(monkeypatch):
    monkeypatch.setattr(asker, "SILENCE", 2.0)
    said = []
    with Loopback() as server, Asker(engine_of(server), Journal(None), say=said.append) as asking:
        assert asking.write_all([PROMPT], 2)[0].texts
    assert not said


def test_an_account_without_credit_is_no_reason_to_wait():
    with Loopback(lambda _: error(429, "pay", code="insufficient_quota")) as server:
        with pytest.raises(EngineError, match="no credit"):
            write(engine_of(server))
        assert len(server.calls) == 1


def test_a_server_that_is_not_there_is_told_soon():
    with Loopback() as server:
        url = server.url
    engine = ServedEngine("toy", base_url=url, backoff=0.001)
    with pytest.raises(EngineError, match="cannot be reached"):
        write(engine)


def test_retry_after_is_obeyed_by_every_call():
    came = []

    def answer(call):
        came.append(time.monotonic())
        return error(429, "wait", headers={"Retry-After": "0.4"}) if len(came) == 2 else GOOD

    async def ask(engine):
        await engine.write(PROMPT, 2, Sampling())  # goes alone
        await engine.write(PROMPT, 2, Sampling())
        await engine.close()

    with Loopback(answer) as server:
        asyncio.run(ask(engine_of(server)))
    assert came[2] - came[1] >= 0.4


def test_a_pause_that_is_too_long_is_an_error():
    with (
        Loopback(lambda _: error(429, "tomorrow", headers={"retry-after": "86400"})) as server,
        pytest.raises(EngineError, match="1440 minutes"),
    ):
        write(engine_of(server))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "2.5"}, 2.5),
        ({"retry-after-ms": "300", "retry-after": "9"}, 0.3),
        ({"Retry-After": formatdate(1_000_030, usegmt=True)}, 30.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "-3"}, 0.0),
        ({}, None),
    ],
)
def test_a_pause_is_read_from_seconds_and_dates(headers, expected):
    assert retry_after(headers, now=1_000_000) == expected


def test_the_judge_has_a_conversation_of_its_own_and_the_labels_as_choices():
    with Loopback() as server:
        assert judge(engine_of(server)).probabilities == {"neg": 1.0, "pos": 0.0}
        call = server.calls[0]
    assert call.body["messages"][-1] == call.question
    assert call.body["response_format"]["json_schema"]["schema"]["properties"]["label"]["enum"] == [
        "neg",
        "pos",
    ]
    assert call.body["temperature"] == 0


def test_probabilities_come_from_the_tokens_where_the_server_gives_them():
    pieces = [('{"label": "', []), ("pos", [("neg", 0.25)]), ('"}', [])]
    tokens = [
        {
            "token": piece,
            "logprob": log(0.75) if others else 0.0,
            "top_logprobs": [{"token": other, "logprob": log(p)} for other, p in others],
        }
        for piece, others in pieces
    ]
    reply = completion('{"label": "pos"}', logprobs={"content": tokens})
    with Loopback(lambda _: reply) as server:
        assert judge(engine_of(server)).probabilities == pytest.approx({"neg": 0.25, "pos": 0.75})


def test_a_server_without_logprobs_judges_all_the_same():
    def answer(call):
        return error(400, "logprobs are not supported") if "logprobs" in call.body else echo(call)

    with Loopback(answer) as server:
        assert judge(engine_of(server)).best == "neg"
        assert [call.has_schema for call in server.calls] == [True, True]


def test_a_judgement_that_is_no_label_is_refused():
    with Loopback(lambda _: completion('{"label": "meh"}')) as server:
        judged = judge(engine_of(server))
    assert judged.best is None
    assert "not one of the labels" in judged.refusal


def test_calls_without_an_answer_count_as_what_they_can_cost():
    price = Price(1000.0, 1000.0)
    with Loopback(script(GOOD, then=lambda _: Reply(GOOD.body, cut_at=40))) as server:
        with pytest.raises(CallFailed) as caught:
            write(engine_of(server, price=price, retries=1), times=2)
        engine = engine_of(server, price=price, retries=1)
    assert 0 < caught.value.usage.cost <= 2 * engine.first_write_cost(PROMPT, 2, Sampling())


def test_a_server_that_does_not_count_is_counted_by_size():
    reply = completion(json.dumps({"rewrites": ["A dull film."]}), usage=None)
    with Loopback(lambda _: reply) as server:
        written = write(engine_of(server, price=Price(1.0, 1.0)))
    assert written.usage.prompt_tokens > 100
    assert written.usage.cost > (written.usage.prompt_tokens + written.usage.completion_tokens) / 1_000_000


@pytest.mark.parametrize(
    "address",
    [
        "ftp://user:hunter22@host",
        "http://user:hunter22@[x/v1",
        "http://user:hunter22@host:abc/v1",
        "http://host:99999/v1",
    ],
)
def test_an_address_that_is_none_is_told_without_its_password(address):
    with pytest.raises(SettingError, match="must begin with http") as caught:
        ServedEngine("toy", base_url=address)
    assert "hunter22" not in str(caught.value)


def test_settings_that_cannot_be_are_told():
    with pytest.raises(SettingError, match="empty"):
        ServedEngine(" ")


def test_the_identity_tells_servers_and_models_apart_but_not_their_keys():
    identities = [
        ServedEngine(model, base_url=url, api_key=key).identity
        for model, url, key in [
            ("a", "http://x/v1", None),
            ("a", "http://user:pass@x/v1/?k=1", "other"),
            ("a", "http://y/v1", None),
            ("b", "http://x/v1", None),
        ]
    ]
    assert identities[0] == identities[1]
    assert identities[0] not in identities[2:]


# Keys


@pytest.mark.parametrize(
    ("settings", "url", "sent"),
    [
        ({"LONGWAY_API_KEY": "one", "OPENAI_API_KEY": "two"}, "https://api.example.org/v1", "one"),
        ({"OPENAI_API_KEY": "two"}, "https://api.example.org/v1", "two"),
        ({"OPENAI_API_KEY": "two"}, "http://api.example.org/v1", None),
        ({"OPENAI_API_KEY": "two"}, "http://localhost:8000/v1", None),
        ({}, "https://name:three@api.example.org/v1", "three"),
    ],
)
def test_a_key_goes_only_where_it_is_meant_to_go(settings, url, sent, monkeypatch):
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert ServedEngine("toy", base_url=url)._key.reveal() == sent


def test_the_key_is_sent_as_a_header():
    with Loopback() as server:
        write(engine_of(server, api_key=KEY))
        assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in json.dumps(server.calls[0].body)


def echoing(status):
    """A server that repeats the key wherever it can."""

    def answer(call):
        told = f"bad header Authorization: {call.headers['authorization']} for {KEY}"
        if status == 200:
            return completion(json.dumps({"rewrites": [told], "label": told}))
        return error(status, told, code=KEY, param=told, headers={"x-key": KEY})

    return answer


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
def test_a_key_that_a_server_repeats_reaches_no_answer_no_error_and_no_log(status, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    with Loopback(echoing(status)) as server:
        engine = engine_of(server, api_key=KEY, retries=1)
        try:
            told = [str(write(engine))]
        except EngineError as caught:
            chain, told = caught, []
            while chain is not None:
                told += [str(chain), repr(chain), repr(vars(chain))]
                chain = chain.__cause__ or chain.__context__
    told += [repr(engine), str(engine.identity), repr(vars(engine))]
    # httpcore itself prints whatever headers come in when someone asks it for DEBUG; that one we leave to them.
    told += [record.getMessage() for record in caplog.records if not record.name.startswith("httpcore")]
    told += capfd.readouterr()
    assert "canary" not in "\n".join(told)
    assert len(told) > 5
