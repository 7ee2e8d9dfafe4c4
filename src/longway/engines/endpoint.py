"""A classifier at an address of the user's own: texts in, a label for each out.

    Endpoint("http://localhost:8000/predict").labels(texts)

    request     POST {"inputs": ["a text", ...]}             as Hugging Face Inference Endpoints and MLflow (/invocations) take it
                http://...#instances sends "instances"       as TensorFlow Serving and KServe take it
    response    a list, or an object with the list as "predictions", "labels" or "outputs"; for each text one of
                "spam", 1                                    the label
                {"label": "spam", "score": 0.9}              Hugging Face's; or a list of these, of which the best counts
                [0.1, 0.9]                                   scores: the number of the highest

A request that fails for a temporary reason is sent again, a limited number of times. Any other answer raises EngineError with what was wrong:
a wrong number of labels is never filled up. LONGWAY_ENDPOINT_KEY, if it is set, is sent as a bearer token to an encrypted or local address.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future
from http.client import HTTPException
from threading import Thread
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from longway.engines.costs import is_local
from longway.engines.secret import Secret
from longway.engines.transport import LARGEST, OVERSIZED, SHOWN, TEMPORARY, redirected, retry_after
from longway.errors import EngineError, SettingError

KEY = "LONGWAY_ENDPOINT_KEY"
FIELD = "inputs"  # of the request
LISTS = ("predictions", "labels", "outputs")  # fields of a response that hold the answers
LONGEST_PAUSE = 60.0  # seconds
EXPECTED = (
    'Expected a list with a label for each text, or an object with this list as "predictions" or "labels". See "A model behind an address" in '
    "docs/fairness.md."
)


class _Temporary(Exception):  # noqa: N818 - says what happened
    """The request failed, and may succeed if sent again. wait: seconds that the server asks for."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        self.reason, self.wait = reason, wait
        super().__init__(reason)


class _NoRedirects(HTTPRedirectHandler):
    """A redirected POST would become a GET without the texts."""

    def redirect_request(self, *_: Any) -> None:
        """Never: the status is an error."""
        return None


class Endpoint:
    """An address that classifies texts.

    timeout: seconds for one request, up to the last byte. retries: of one request. backoff: seconds before the first retry; doubles.
    """

    def __init__(
        self, address: str, *, timeout: float = 120.0, retries: int = 3, backoff: float = 0.5
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingError(
                f"{address!r} is not an address. Expected http://HOST/PATH or https://HOST/PATH. Check --model."
            )
        if parts.username or parts.password or parts.query:
            raise SettingError(
                "An address must not contain a password or a query (?...), which may hold a key: run folders record the address. "
                f"Set {KEY} instead, which is sent as a bearer token."
            )
        self.address = urlunsplit(parts._replace(fragment=""))
        self.field = parts.fragment or FIELD
        self.timeout, self.retries, self.backoff = timeout, retries, backoff
        may_send = parts.scheme == "https" or is_local(self.address)
        self._key = Secret(os.environ.get(KEY) if may_send else None)

    def labels(self, texts: Sequence[str]) -> list[str]:
        """The label of each text; EngineError if there is no usable answer."""
        body = json.dumps({self.field: list(texts)}).encode()
        for tries in range(self.retries + 1):
            try:
                return self._read(self._sent(body), len(texts))
            except _Temporary as failure:
                if tries == self.retries:
                    raise EngineError(
                        f"{self.address} did not answer: {failure.reason}. The request was sent {tries + 1} times. "
                        "Check the server, and run the same command again: all answers received are kept."
                    ) from None
                pause = self.backoff * 2**tries if failure.wait is None else failure.wait
                time.sleep(min(pause, LONGEST_PAUSE))
        raise AssertionError("unreachable")

    def _sent(self, body: bytes) -> bytes:
        """The body of the response, received in time.

        The timeout of a socket is per read, and a server may send a byte at a time, of a header too. The thread of a
        request that is given up is left behind.
        """
        received: Future[bytes] = Future()

        def receive() -> None:
            try:
                received.set_result(self._send(body))
            except Exception as error:  # raised in the thread that waits
                received.set_exception(error)

        Thread(target=receive, daemon=True).start()
        try:
            return received.result(self.timeout)
        except TimeoutError:
            raise _Temporary(f"no answer within {self.timeout:g} s") from None

    def _send(self, body: bytes) -> bytes:
        """The body of the response."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key := self._key.reveal():
            headers["Authorization"] = f"Bearer {key}"
        request = Request(self.address, data=body, headers=headers, method="POST")
        try:
            with self._opener().open(request, timeout=self.timeout + 1) as response:
                return self._whole(response)
        except HTTPError as error:
            failure = self._of_status(error)
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            failure = _Temporary(
                f"the connection failed ({self._key.hide(str(reason)) or type(error).__name__})"
            )
        raise failure

    def _opener(self) -> OpenerDirector:
        proxies = (
            [ProxyHandler({})] if is_local(self.address) else []
        )  # no proxy for a server on this machine
        return build_opener(_NoRedirects, *proxies)

    def _whole(self, response: Any) -> bytes:
        """All of the body."""
        body: bytes = response.read(LARGEST + 1)
        if len(body) > LARGEST:
            raise EngineError(OVERSIZED.format(self.address))
        if response.length:  # bytes that were announced and did not come
            raise _Temporary("the answer was cut off")
        return body

    def _of_status(self, error: HTTPError) -> Exception:
        if 300 <= error.code < 400:
            return redirected(self.address, error.code, dict(error.headers), self._key, "--model")
        shown = f"status {error.code}: {self._shown(error.read(LARGEST))}"
        if error.code in TEMPORARY or error.code >= 500:
            return _Temporary(shown, retry_after(dict(error.headers), now=time.time()))
        if error.code in (401, 403):
            return EngineError(
                f"{self.address} did not accept the key ({shown}). Set {KEY}, and run the same command again."
            )
        return EngineError(
            f"{self.address} does not accept the request ({shown}). It was sent as {{{json.dumps(self.field)}: [...]}}. {EXPECTED}"
        )

    def _shown(self, body: bytes) -> str:
        text = " ".join(self._key.hide(body.decode("utf-8", "replace")).split())
        return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"

    def _read(self, body: bytes, n: int) -> list[str]:
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            raise EngineError(
                f"{self.address} did not answer with JSON: {self._shown(body)!r}. {EXPECTED}"
            ) from None
        if isinstance(given, dict):
            given = next((given[name] for name in LISTS if name in given), None)
        if not isinstance(given, list):
            raise EngineError(f"{self.address} answered {self._shown(body)!r}. {EXPECTED}")
        if len(given) == 1 and n > 1 and isinstance(given[0], list) and len(given[0]) == n:
            given = given[0]  # some servers put the whole batch into a list
        if len(given) != n:
            raise EngineError(f"{self.address} gave {len(given)} answers for {n} texts. {EXPECTED}")
        try:
            return [label_of(answer) for answer in given]
        except ValueError as error:
            raise EngineError(
                f"{self.address} gave an answer that is no label: {error}. {EXPECTED}"
            ) from None


def label_of(answer: Any) -> str:
    """The label in one answer; ValueError if there is none.

    >>> [label_of(answer) for answer in ("spam", 1, 1.0, {"label": "spam", "score": 0.9}, [0.1, 0.9])]
    ['spam', '1', '1', 'spam', '1']
    """
    if isinstance(answer, dict) and isinstance(answer.get("label"), str | int):
        return str(answer["label"])
    if isinstance(answer, list) and answer and all(isinstance(one, dict) for one in answer):
        return label_of(max(answer, key=lambda one: _score(one.get("score"))))
    if isinstance(answer, list) and len(answer) > 1 and all(_is_number(one) for one in answer):
        return str(max(range(len(answer)), key=lambda place: answer[place]))
    if isinstance(answer, str) and answer.strip():
        return answer
    if isinstance(answer, bool) or (_is_number(answer) and answer == int(answer)):
        return str(answer if isinstance(answer, bool) else int(answer))
    raise ValueError(f"{str(answer)[:SHOWN]!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _score(value: object) -> float:
    if isinstance(value, int | float) and value == value:
        return float(value)
    raise ValueError(f"the score {str(value)[:SHOWN]!r}")
