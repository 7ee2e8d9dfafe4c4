"""Getting one request to a server and its body back, however often that takes.

    transport = Transport(base_url, key, ...)
    await transport.post("chat", body, read, tally)     what `read` made of the body

A request that fails for a passing reason (no connection, no answer in time, 408, 409, 429, 5xx, a broken body) is sent
again a bounded number of times, after a random part of a growing pause, or after the pause the server asked for. What
will not pass ends in an error at once: `EngineError` where no call can succeed, `Rejected` where this request is wrong.

A request carries an `Idempotency-Key` made of the call's key in the journal and its own contents. A server that honours it
does not charge twice for what was under way when a connection broke or this process died, and gives the same answer again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from longway.errors import CallFailed, EngineError, MissingExtra
from longway.llm.answers import BadBody
from longway.llm.engine import Usage
from longway.llm.pace import Gate, Pace
from longway.llm.prices import Price, is_local
from longway.llm.recorded import current_key
from longway.llm.secret import Secret

T = TypeVar("T")
LONGEST_PAUSE = 600.0  # a server that asks for more is left alone
LONGEST_BACKOFF = 60.0
PATHS = {"chat": "/chat/completions", "embeddings": "/embeddings"}
PASSING = frozenset({408, 409, 425, 429})
NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"})


class Rejected(Exception):  # noqa: N818 - says what happened
    """The server will not take this very request. reason: its words, without keys; code, param: as it gave them."""

    def __init__(self, status: int, reason: str, *, code: str = "", param: str = "") -> None:
        self.status, self.reason, self.code, self.param = status, reason, code, param
        super().__init__(f"status {status}: {reason}")


class _Passing(Exception):  # noqa: N818 - says what happened
    """The request failed, and may succeed if sent again."""

    def __init__(
        self,
        reason: str,
        *,
        wait: float | None = None,
        sent: bool = True,
        full: bool = False,
        settled: bool = False,
    ) -> None:
        """Settled: the server did answer, and would say the same again to a request that it takes for the same."""
        self.reason, self.wait, self.sent, self.full, self.settled = reason, wait, sent, full, settled
        super().__init__(reason)


@dataclass(slots=True)
class Tally:
    """What one call has used so far, over all its requests.

    most: the most that one request can cost. A request that was sent and never answered may be on the bill: it counts as that.
    """

    kind: str
    price: Price | None
    retries: int
    most: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    def add(self, prompt_tokens: int, completion_tokens: int, *, sent: int, received: int) -> None:
        """Count one answered request; sent, received: its size in bytes, for servers that do not count tokens."""
        if self.price is not None:
            # A token is at least one byte, so that bytes are the most it can have been.
            self.cost += self.price.of(prompt_tokens or sent, completion_tokens or received)
        self.prompt_tokens += prompt_tokens or tokens_in(sent)
        self.completion_tokens += completion_tokens or tokens_in(received)

    def lose(self) -> None:
        """Count one request that was sent and not answered."""
        self.cost += self.most

    def usage(self) -> Usage:
        """All of it."""
        cost = None if self.price is None else self.cost
        return Usage(self.prompt_tokens, self.completion_tokens, cost, self.seconds)


def tokens_in(n_bytes: int) -> int:
    """About how many tokens so many bytes of text are."""
    return -(-n_bytes // 4)


@dataclass(slots=True)
class _Line:
    """What belongs to one event loop: connections cannot be shared between loops."""

    client: Any
    gate: Gate
    first: dict[str, asyncio.Future[None]] = field(
        default_factory=dict
    )  # first calls of a kind that are under way


class Transport:
    """The way to one server.

    timeout: seconds for one request, from sending to the last byte. retries: for one call, all its requests together.
    backoff: the first pause is a random part of so many seconds; each next one may be twice as long.
    """

    def __init__(
        self, base_url: str, key: Secret, *, timeout: float, retries: int, backoff: float, pace: Pace
    ) -> None:
        self.base_url, self.key, self.pace = base_url, key, pace
        self.timeout, self.retries, self.backoff = timeout, retries, backoff
        self.has_answered = False
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line] = WeakKeyDictionary()

    def line(self) -> _Line:
        """The connections of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._lines:
            self._lines[loop] = _Line(self._client(), Gate(self.pace))
        return self._lines[loop]

    async def close(self) -> None:
        """Close the connections of the running loop, and forget those of loops that are gone."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        self._lines.clear()
        if line is not None:
            await line.client.close()

    def _client(self) -> Any:
        try:
            import openai
        except ImportError:
            raise MissingExtra("openai", extra="served", purpose="A served model") from None
        return openai.AsyncOpenAI(
            api_key=self.key.reveal() or "none",
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=0,  # ours know about pace, budget and Retry-After
            # A proxy is no way to this machine.
            http_client=openai.DefaultAsyncHttpxClient(trust_env=not is_local(self.base_url)),
        )

    async def post(self, what: str, body: Mapping[str, Any], read: Callable[[str], T], tally: Tally) -> T:
        """What `read` made of the server's answer. what: "chat" or "embeddings"; read: raises BadBody where it cannot."""
        tries = settled = 0
        while True:
            try:
                return await self._once(what, body, read, tally, _headers(body, settled))
            except EngineError as error:
                error.usage = error.usage or tally.usage()  # what earlier tries may have cost
                raise
            except _Passing as failure:
                tries += 1
                settled += failure.settled
                if failure.sent:
                    tally.lose()
                self._give_up_if_done(failure, tries, tally)
                tally.retries -= 1
                await asyncio.sleep(self._pause(failure, tries))

    def _give_up_if_done(self, failure: _Passing, tries: int, tally: Tally) -> None:
        if failure.wait is not None and failure.wait > LONGEST_PAUSE:
            raise EngineError(
                f"{self.base_url} asks for a pause of {failure.wait / 60:.0f} minutes ({failure.reason}). "
                f"We wait {LONGEST_PAUSE / 60:.0f} at most. Run the same command again after that time.",
                usage=tally.usage(),
            )
        if not self.has_answered and not failure.sent and tries > 2:
            raise EngineError(
                f"{self.base_url} cannot be reached: {failure.reason}. Expected an OpenAI-compatible server there. "
                "Start it, or mend --base-url."
            )
        if tally.retries <= 0:
            # Where it never answered at all, other calls would wait in vain, too.
            failed = CallFailed if self.has_answered else EngineError
            raise failed(
                f"{self.base_url} did not answer a call: {failure.reason}. It was sent {tries} times. "
                "Run the same command again later: what was answered is kept.",
                usage=tally.usage(),
            )

    def _pause(self, failure: _Passing, tries: int) -> float:
        """Full jitter: callers that failed together do not come back together."""
        if failure.wait is not None:
            return failure.wait + random.uniform(0, 0.1 * failure.wait + 0.01)
        return random.uniform(0, min(LONGEST_BACKOFF, self.backoff * 2 ** (tries - 1)))

    async def _once(
        self,
        what: str,
        body: Mapping[str, Any],
        read: Callable[[str], T],
        tally: Tally,
        headers: Mapping[str, str],
    ) -> T:
        line = self.line()
        async with line.gate.slot():
            began = time.monotonic()
            try:
                answer = read(await self._body(line.client, what, body, headers))
            except BadBody as bad:
                raise self._of_body(bad) from None
            except _Passing as failure:
                if failure.full:
                    self.pace.refused(
                        began=began, now=time.monotonic(), wait=min(failure.wait or 0, LONGEST_PAUSE)
                    )
                raise
            finally:
                tally.seconds += time.monotonic() - began
            self.pace.answered(
                began=began, now=time.monotonic(), in_flight=line.gate.in_flight, kind=tally.kind
            )
            self.has_answered = True
            return answer

    async def _body(self, client: Any, what: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> str:
        import openai

        try:
            # The library's timeout is for each read; a server that drips would hold a call for ever.
            async with asyncio.timeout(self.timeout):
                # The plain body, without the library's own reading: that costs a third of the time and trusts the server.
                options = {"headers": headers}
                return str(await client.post(PATHS[what], cast_to=str, body=body, options=options))
        except openai.APIStatusError as error:
            failure = self._of_status(error.status_code, error.body, error.response.headers)
        except (TimeoutError, openai.APITimeoutError) as error:
            cause = type(error.__cause__).__name__
            failure = _Passing(
                f"no answer within {self.timeout:g} s", sent=cause not in NEVER_SENT, full=True
            )
        except openai.APIConnectionError as error:
            cause = type(error.__cause__).__name__
            failure = _Passing(f"the connection failed ({cause})", sent=cause not in NEVER_SENT)
        # Outside of the handlers: the library's error holds the request with its header, and must not be chained.
        raise failure

    def _of_status(self, status: int, body: object, headers: Mapping[str, str]) -> Exception:
        """The error that a status and its body mean."""
        reason, code, param = self._words(body)
        told = f"status {status}" + (f": {reason}" if reason else "")
        if code == "insufficient_quota":
            return EngineError(
                f"{self.base_url} says that the account has no credit left ({told}). "
                "Add credit, and run the same command again: what was answered is kept."
            )
        if status in PASSING or status >= 500:
            wait = retry_after(headers, now=time.time())
            full = status == 429 or status >= 500
            return _Passing(told, wait=wait, sent=False, full=full, settled=status >= 500)
        if status in (401, 403):
            return EngineError(
                f"{self.base_url} did not accept the key ({told}). {self._key_hint()} Then run the same command again."
            )
        if status == 404:
            return EngineError(
                f"{self.base_url} does not know this model or address ({told}). "
                "Check the model's name, and that --base-url ends as the server wants it (often in /v1)."
            )
        return Rejected(status, reason, code=code, param=param)

    def _of_body(self, bad: BadBody) -> Exception:
        """The error that a body means that came with status 200 and is no answer."""
        if bad.error is None:
            return _Passing(str(bad), settled=True)
        code = bad.error.get("code") if isinstance(bad.error, dict) else None
        if isinstance(code, int) and 400 <= code < 600:
            return self._of_status(code, bad.error, {})
        reason, _, _ = self._words(bad.error)
        return _Passing(f"the server answered with an error: {reason}", settled=True)

    def _words(self, body: object) -> tuple[str, str, str]:
        """What an error body says, its code and the parameter it is about; without keys and cut to a line."""
        if not isinstance(body, dict):
            body = {"message": body}
        said = [str(body.get(name) or "") for name in ("message", "code", "param")]
        message, code, param = (" ".join(self.key.hide(text).split()) for text in said)
        return (message if len(message) <= 300 else message[:299] + "…"), code, param

    def _key_hint(self) -> str:
        if self.key:
            return "Check the key in LONGWAY_API_KEY or OPENAI_API_KEY."
        return "No key was sent: put it into LONGWAY_API_KEY."


def _headers(body: Mapping[str, Any], settled: int) -> dict[str, str]:
    """The header by which a server knows a request again; settled: how often it answered with something of no use.

    One call may need several requests (without what the server does not take, or a repair): each has a key of its own.
    """
    if not (key := current_key.get()):
        return {}
    contents = json.dumps(body, sort_keys=True).encode()
    return {"Idempotency-Key": f"{key}-{hashlib.sha256(contents).hexdigest()[:16]}-{settled}"}


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """The seconds that a server asks to wait, None where it does not say; now: seconds since 1970.

    >>> retry_after({"retry-after": "3"}, now=0), retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=20)
    (3.0, 40.0)
    """
    named = {name.lower(): value for name, value in headers.items()}
    try:
        if "retry-after-ms" in named:
            return _at_least_0(float(named["retry-after-ms"]) / 1000)
        if "retry-after" not in named:
            return None
        said = named["retry-after"].strip()
        try:
            return _at_least_0(float(said))
        except ValueError:
            return _at_least_0(parsedate_to_datetime(said).timestamp() - now)
    except (ValueError, OverflowError):
        return None  # nonsense: our own pauses do


def _at_least_0(seconds: float) -> float | None:
    return None if seconds != seconds else max(0.0, seconds)
