"""A classifier behind an address: what is sent, what is read, and what is refused."""

import pytest

from longway.engines import endpoint as endpoints
from longway.engines.endpoint import Endpoint, label_of
from longway.errors import EngineError, SettingError
from tests.engines.loopback import Endless, Loopback, Reply, SlowHead

TEXTS = ["one", "two", "three"]


def labels(answer, *, path="/predict", texts=TEXTS, **options):
    with Loopback(answer) as server:
        endpoint = Endpoint(server.url + path, **{"backoff": 0.0, "retries": 1, "timeout": 5.0, **options})
        return endpoint.labels(texts), server.calls


@pytest.mark.parametrize(
    "body",
    [
        ["a", "b", "a"],
        {"labels": ["a", "b", "a"]},
        {"predictions": ["a", "b", "a"], "model": "x"},
        [{"label": "a", "score": 0.9}, {"label": "b", "score": 0.6}, {"label": "a", "score": 1}],
        [[{"label": "a", "score": 0.9}, {"label": "b", "score": 0.6}, {"label": "a", "score": 1}]],
        [[{"label": "b", "score": 0.1}, {"label": "a", "score": 0.9}], [{"label": "b", "score": 1}], [{"label": "a", "score": 1}]],
    ],
)  # fmt: skip
def test_the_usual_forms_of_answers_are_read(body):
    found, (call,) = labels(lambda call: Reply(body))
    assert found == ["a", "b", "a"]
    assert call.body == {"inputs": TEXTS}


def test_scores_and_numbers_are_labels_with_numbers():
    assert labels(lambda call: Reply({"predictions": [[0.2, 0.8], [0.9, 0.1], [0.5, 0.4]]}))[0] == [
        "1",
        "0",
        "0",
    ]
    assert labels(lambda call: Reply([1, 0.0, True]))[0] == ["1", "0", "True"]


def test_the_texts_may_be_sent_under_another_name():
    _, (call,) = labels(lambda call: Reply(["a"] * 3), path="/v1/models/x:predict#instances")
    assert call.body == {"instances": TEXTS}
    assert call.path == "/v1/v1/models/x:predict"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(["a", "b"]), "gave 2 answers for 3 texts"),
        (Reply({"answer": "a"}), "Expected a list with a label for each text"),
        (Reply([0.1, 0.2, 0.3]), "no label: '0.1'"),
        (Reply([None, "a", "b"]), "no label: 'None'"),
        (Reply([{"score": 1.0}] * 3), "no label"),
        (Reply(raw=b"<html>Hello</html>"), "did not answer with JSON: '<html>Hello</html>'"),
        (Reply(raw=b"[" * 100_000), "did not answer with JSON"),
        (Reply({"detail": "no field texts"}, status=422), 'sent as {"inputs": [...]}'),
        (Reply({}, status=401), "LONGWAY_ENDPOINT_KEY"),
        (Reply({}, status=503), "sent 2 times"),
        (Reply(["a", "b", "a"], cut_at=3), "cut off"),
    ],
)
def test_an_answer_that_cannot_be_right_is_an_error_with_the_next_step(reply, words):
    with pytest.raises(EngineError) as raised:
        labels(lambda call: reply)
    assert words in str(raised.value)


def test_a_server_that_stalls_is_asked_again_and_then_given_up():
    with pytest.raises(EngineError, match=r"no answer within 0.2 s.*sent 2 times.*answers received are kept"):
        labels(lambda call: Reply(["a"] * 3, wait=2.0), timeout=0.2)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_texts_do_not_follow_a_redirect(status):
    with Loopback(lambda call: Reply(["a"] * 3)) as other:
        with pytest.raises(EngineError, match=f"redirects to {other.url}/new .status {status}.*--model"):
            labels(lambda call: Reply({}, status=status, headers={"location": f"{other.url}/new"}))
        assert not other.calls


def test_a_response_that_is_too_large_is_an_error(monkeypatch):
    monkeypatch.setattr(endpoints, "LARGEST", 200_000)
    with pytest.raises(EngineError, match="in one response"):
        labels(lambda call: Endless())


@pytest.mark.parametrize(
    "reply",
    [SlowHead(["a"] * 3), Endless(piece=b" ", pause=0.05), Endless(status=500, piece=b" ", pause=0.05)],
    ids=["headers", "body", "error"],
)
def test_a_server_that_sends_a_byte_at_a_time_is_given_up(reply):
    with pytest.raises(EngineError, match=r"no answer within 0\.3 s"):
        labels(lambda call: reply, timeout=0.3, retries=0)


def test_a_passing_failure_is_no_failure():
    replies = [Reply({}, status=429, headers={"retry-after": "0"}), Reply(["a"] * 3)]
    found, calls = labels(lambda call: replies.pop(0))
    assert (found, len(calls)) == (["a"] * 3, 2)


def test_nobody_there_is_an_error():
    with Loopback() as server:
        address = server.url
    with pytest.raises(EngineError, match="the connection failed"):
        Endpoint(address, retries=0).labels(TEXTS)


def test_the_key_is_sent_and_never_shown(monkeypatch):
    monkeypatch.setenv("LONGWAY_ENDPOINT_KEY", "secret-key-12345")
    _, (call,) = labels(lambda call: Reply(["a"] * 3))
    assert call.headers["authorization"] == "Bearer secret-key-12345"
    with pytest.raises(EngineError) as raised:
        labels(lambda call: Reply({"error": "bad key secret-key-12345"}, status=403))
    assert "secret-key-12345" not in str(raised.value)
    assert "[hidden]" in str(raised.value)


@pytest.mark.parametrize(
    "address", ["http://", "ftp://x/y", "http://me:word@host/x", "https://host/x?code=word"]
)
def test_an_address_that_is_none_or_has_a_password_is_refused(address):
    with pytest.raises(SettingError) as raised:
        Endpoint(address)
    assert "word" not in str(raised.value).replace("password", "")


@pytest.mark.parametrize("answer", ["", " ", {}, [], [0.3], float("nan"), float("inf"), {"label": None}])
def test_no_label_is_a_value_error(answer):
    with pytest.raises(ValueError, match=r".*"):
        label_of(answer)
