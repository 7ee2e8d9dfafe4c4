"""Requests to a server: their contents, and sending them with retries.

    ChatCall                                            one chat call, before it is known which parameters the server supports
    transport = Transport(base_url, key, limits)
    await transport.post(body, read, tally)             what `read` made of the response body

A request that fails for a temporary reason (no connection, timeout, 408, 409, 429, 5xx, a broken body) is sent again a limited number of
times, after a random pause of growing length, or the pause that the server asks for. A permanent failure raises at once:
`EngineError` if no call can succeed, `Rejected` if this request is wrong.

Rows are sent to the address that the user named and to no other: a redirect is an error. The size of a response is
limited, and its time up to the last byte. Compressed responses are not unpacked: they may have any size.

A request carries an `Idempotency-Key` made of the call's key in the journal and its own contents. A server that honours it
does not charge twice for a request that was running when a connection broke or this process died.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from longway.engines.answers import BadBody, Completion, Declined, TooLong
from longway.engines.costs import Call, Price, is_local
from longway.engines.engine import Sampling, Usage
from longway.engines.limit import Limit
from longway.engines.prompt import Prompt
from longway.engines.secret import Secret
from longway.errors import BudgetSpent, CallFailed, EngineError, MissingExtra, SettingError

T = TypeVar("T")
Messages = list[dict[str, str]]
RequestBody = dict[str, Any]  # JSON values; which keys it has depends on the server
LARGEST = 64 * 2**20  # bytes of a response
LONGEST_PAUSE = 600.0  # seconds; if a server asks for more, the run ends
LONGEST_BACKOFF = 60.0
PATH, MODELS = "/chat/completions", "/models"
TEMPORARY = frozenset({408, 409, 425, 429})
SHOWN = 200  # characters of what a server sent, in an error
# What the user can do if a call failed for good, by kind of failure.
ADVICE = {
    "busy": "Its rate limit is reached, or it is busy: wait a few minutes",
    "broken": "It has an error of its own: look at the log of the server",
    "foreign": "It does not answer like an OpenAI-compatible server: check the end of --base-url (often /v1)",
    "silent": "It is overloaded or hangs: restart it, or try a smaller model",
    "cut off": "Its connections break: check that the server is running",
}
NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"})
_TOO_LONG = (
    "context_length", "context length", "maximum context", "context window", "context size",
    "too many tokens", "prompt is too long",
)  # fmt: skip
_TOO_LARGE = ("too large", "at most", "exceeds", "less than or equal")
_FILTERED = ("content_filter", "content management policy", "content policy", "moderation")
_MIN_ROOM = Sampling().max_tokens
_LONGEST_TOKEN = 8  # characters; the average over an answer is lower
_AROUND = 256  # tokens of thinking, numbers and JSON
USUAL_ANSWER, LONGEST_ANSWER = 4096, 16_384  # tokens that most servers and only some allow


class Rejected(Exception):  # noqa: N818 - says what happened
    """The server does not accept this request. reason: its message, without keys; code, param: as it sent them."""

    def __init__(self, status: int, reason: str, *, code: str = "", param: str = "") -> None:
        self.status, self.reason, self.code, self.param = status, reason, code, param
        super().__init__(f"status {status}: {reason}")


class _Temporary(Exception):  # noqa: N818 - says what happened
    """The request failed, and may succeed if sent again.

    kind: a key of `ADVICE`. sent: it may have been processed, and may cost something. full: the server is overloaded.
    settled: the server has answered, and would answer the same to a request with the same idempotency key.
    """

    def __init__(
        self,
        reason: str,
        kind: str,
        *,
        wait: float | None = None,
        sent: bool = True,
        full: bool = False,
        settled: bool = False,
    ) -> None:
        self.reason, self.wait, self.sent, self.full, self.settled = reason, wait, sent, full, settled
        self.kind = kind
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class ServerFeatures:
    """What a server supports, as far as known. length: its parameter for the longest answer. without: unsupported parameters."""

    schema: bool = True
    logprobs: bool = True
    length: str = "max_tokens"
    without: frozenset[str] = frozenset()

    @property
    def form(self) -> str:
        """The form in which an answer is requested."""
        return "json" if self.schema else "lines"


@dataclass(frozen=True, slots=True)
class ChatCall:
    """One chat call. messages: the conversation, given the form of the answer. settings: parameters that a server may not support.

    reads: see `Prompt`.
    """

    kind: str
    messages: Callable[[str], Messages]
    schema: Mapping[str, object]
    settings: Mapping[str, object]
    max_tokens: int
    reads: str = "texts"

    def body(self, model: str, features: ServerFeatures) -> RequestBody:
        """The request body for a server with these features."""
        without = features.without if features.logprobs else features.without | {"logprobs", "top_logprobs"}
        body: RequestBody = {name: value for name, value in self.settings.items() if name not in without}
        body |= {"model": model, "messages": self.messages(features.form), features.length: self.max_tokens}
        if features.schema:
            schema = {"name": self.kind, "strict": True, "schema": self.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def repair(self, answer: Completion, wrong: str) -> ChatCall:
        """The same call again, with what was wrong with the first answer. If that was cut off, the limit is doubled."""
        first, more = self.messages, repair_messages(answer, wrong, self.max_tokens)
        longer = self.max_tokens * (2 if answer.is_cut else 1)
        return replace(self, messages=lambda form: [*first(form), *more], max_tokens=longer)


def repair_messages(answer: Completion, wrong: str, max_tokens: int) -> Messages:
    """The messages that follow an unusable answer.

    An answer longer than so many tokens can be is shortened: it is paid for again when it is sent back.
    """
    content, most = answer.content or "(nothing)", _LONGEST_TOKEN * max_tokens
    request = (
        f"Your answer cannot be used: {wrong}. "
        "Answer again, in exactly the form that was asked for, and with nothing else."
    )
    return [
        {"role": "assistant", "content": content if len(content) <= most else content[:most] + "…"},
        {"role": "user", "content": request},
    ]


def lower(features: ServerFeatures, rejected: Rejected, settings: Collection[str]) -> ServerFeatures | None:
    """The features to try after a server rejected a request; None if there is nothing left to try.

    settings: names of the call's parameters. Raises Declined if the row is the reason, since no other request would help.
    """
    said = f"{rejected.reason} {rejected.code} {rejected.param}".lower()
    if any(words in said for words in _FILTERED):
        raise Declined("the server's content filter stopped the request")
    is_limit = "max_tokens" in said or "max_completion_tokens" in said
    if any(words in said for words in _TOO_LONG) or rejected.status == 413:
        raise TooLong("the row is too long for the model")
    if is_limit and any(words in said for words in _TOO_LARGE):
        raise TooLong("the row is too long for the answers that the server allows")
    has_logprobs = features.logprobs and "logprobs" in settings
    if "logprobs" in said and has_logprobs:
        return replace(features, logprobs=False)
    if "max_tokens" in said and features.length == "max_tokens":
        return replace(features, length="max_completion_tokens")
    for name in ("temperature", "top_p", "seed"):
        if name in said and name in settings and name not in features.without:
            return replace(features, without=features.without | {name})
    if features.schema:
        return replace(features, schema=False)  # the most likely reason, whatever the message
    return replace(features, logprobs=False) if has_logprobs else None


def object_of(name: str, value: Mapping[str, object]) -> dict[str, object]:
    """The JSON schema of an object with one member."""
    return {
        "type": "object",
        "properties": {name: value},
        "required": [name],
        "additionalProperties": False,
    }


_REWRITES = object_of("rewrites", {"type": "array", "items": {"type": "string"}})
_LINES = object_of("lines", {"type": "array", "items": {"type": "string"}})


def schema_of(prompt: Prompt) -> Mapping[str, object]:
    """The JSON schema of an answer to the prompt."""
    return _LINES if prompt.reads == "lines" else _REWRITES


def tokens_for(*texts: str | None, n: int = 1) -> int:
    """A limit for n answers about as long as these texts together; enough for their triples as well.

    >>> tokens_for("short"), tokens_for("word " * 2000, n=2), tokens_for("字" * 2000)
    (512, 10256, 6256)
    """
    size = sum(map(_most_tokens, filter(None, texts)))
    return max(_MIN_ROOM, 2 * n * size + _AROUND)


@dataclass(frozen=True, slots=True)
class AnswerRoom:
    """Tokens of an answer. usual: for several texts; most servers allow it. longest: for a single long text."""

    usual: int = USUAL_ANSWER
    longest: int = LONGEST_ANSWER

    def tokens(self, *texts: str | None, n: int, least: int) -> int:
        """The limit of n answers about as long as these texts together. least: room that is given in any case."""
        return max(min(least, self.usual), min(tokens_for(*texts, n=n), self.longest))

    def texts(self, text: str, n: int) -> int:
        """How many of n texts like this one to request in one call; 0 if not even one fits.

        >>> [AnswerRoom().texts(text, 12) for text in ("short", "word " * 400, "word " * 20_000)]
        [12, 3, 0]
        """
        size, around = 2 * _most_tokens(text), min(_AROUND, self.usual // 4)
        if size + around > self.longest:
            return 0
        return max(1, min(n, (self.usual - around) // max(1, size)))


def _most_tokens(text: str) -> int:
    """Tokens of a text, rather too many: a character outside of ASCII may be one or two."""
    n_other = sum(not character.isascii() for character in text)
    return tokens_in(len(text) - n_other) + (3 * n_other + 1) // 2


def tokens_in(n_bytes: int) -> int:
    """About how many tokens so many bytes of text are."""
    return -(-n_bytes // 4)


def size_of(messages: Messages) -> int:
    """Bytes of the messages, and some for what a server adds around each."""
    return sum(len(message["content"].encode("utf-8", "replace")) + 16 for message in messages)


@dataclass(slots=True)
class CallTally:
    """What one call has used so far, over all its requests.

    call: its reservation; None without a budget. max_cost: the most that the next request can cost. A request that was sent and not answered may be charged, and counts as that.
    """

    kind: str
    price: Price | None
    retries: int
    call: Call | None = None
    max_cost: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    def add(self, prompt_tokens: int, completion_tokens: int, *, sent: int, received: int) -> None:
        """Add an answered request. sent, received: bytes, for servers that do not count tokens."""
        if self.price is not None:
            # A token has at least one byte, so bytes are an upper bound.
            self._pay(self.price.of(prompt_tokens or sent, completion_tokens or received))
        self.prompt_tokens += prompt_tokens or tokens_in(sent)
        self.completion_tokens += completion_tokens or tokens_in(received)

    def add_lost(self) -> None:
        """Add a request that was sent and not answered."""
        self._pay(self.max_cost)

    def _pay(self, cost: float) -> None:
        self.cost += cost
        if self.call is not None:
            self.call.used += cost

    async def check_budget(self) -> None:
        """Raise BudgetSpent if the budget does not cover the next request."""
        if self.call is not None and not await self.call.covers(self.max_cost):
            raise BudgetSpent("The budget does not allow another request of a call.", usage=self.usage())

    def usage(self) -> Usage:
        """The total."""
        cost = None if self.price is None else self.cost
        return Usage(self.prompt_tokens, self.completion_tokens, cost, self.seconds)


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """How patiently and how densely a server is used.

    timeout: seconds for one request, up to the last byte. retries: per call, for all its requests together. backoff: the first pause is
    random, up to so many seconds; the limit doubles with each retry. max_in_flight: the most calls at once. misread: if the
    first so many answers cannot be read, the model is given up.
    """

    timeout: float = 120.0
    retries: int = 6
    backoff: float = 0.5
    max_in_flight: int = 128
    misread: float = 5

    def __post_init__(self) -> None:
        if self.max_in_flight < 1:
            raise SettingError(f"'max_in_flight' must be at least 1. Got {self.max_in_flight}. Try 32.")


@dataclass(slots=True)
class _Connections:
    """What belongs to one event loop: connections cannot be shared between loops. first: the first call of each kind, if running."""

    client: Any
    limit: Limit
    first: dict[str, asyncio.Future[None]] = field(default_factory=dict)


class Transport:
    """Sends requests to one server."""

    def __init__(self, base_url: str, key: Secret, limits: ServerLimits) -> None:
        self.base_url, self.key, self.limits = base_url, key, limits
        self.has_answered = False
        self._connections: WeakKeyDictionary[asyncio.AbstractEventLoop, _Connections] = WeakKeyDictionary()

    def connections(self) -> _Connections:
        """The connections of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._connections:
            self._connections[loop] = _Connections(self._client(), Limit(self.limits.max_in_flight))
        return self._connections[loop]

    async def close(self) -> None:
        """Close the connections of the running loop, and drop those of loops that have ended."""
        connections = self._connections.pop(asyncio.get_running_loop(), None)
        self._connections.clear()
        if connections is not None:
            await connections.client.close()

    def _client(self) -> Any:
        try:
            import openai
        except ImportError:
            raise MissingExtra("openai", extra="served", purpose="A served model") from None

        class BoundedClient(openai.DefaultAsyncHttpxClient):  # type: ignore[misc]
            """The library reads a response to its end, however long it is, and unpacks it."""

            async def send(self, request: Any, **options: Any) -> Any:
                """The response with its whole body, as it was received."""
                response = await super().send(request, **options | {"stream": True})
                response.headers.pop("content-encoding", None)
                body = bytearray()
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) > LARGEST:
                        await response.aclose()
                        raise EngineError(
                            f"{request.url} sent more than {LARGEST // 2**20} MB in one response, which is no answer "
                            "to a row. Check the address, and what is running there."
                        )
                return type(response)(
                    response.status_code, headers=response.headers, content=bytes(body), request=request
                )

        return openai.AsyncOpenAI(
            api_key=self.key.reveal() or "none",
            base_url=self.base_url,
            timeout=self.limits.timeout,
            max_retries=0,  # our own retries respect pace, budget and Retry-After
            http_client=BoundedClient(
                trust_env=not is_local(self.base_url),  # no proxy for a server on this machine
                follow_redirects=False,
                headers={"Accept-Encoding": "identity"},
            ),
        )

    async def models(self) -> list[str]:
        """The models that the server lists, in its order. Sent once; the connections are closed after it."""
        try:
            body = await self._body(self.connections().client.get(MODELS, cast_to=str))
            return [str(model["id"]) for model in json.loads(body)["data"]]
        except (_Temporary, Rejected, ValueError, KeyError, TypeError, RecursionError) as error:
            raise EngineError(
                f"{self.base_url} does not list its models ({self.key.hide(str(error))[:SHOWN]}). "
                "Check that the server is running, or name a model: --engine served:MODEL."
            ) from None
        finally:
            await self.close()

    async def post(self, body: RequestBody, read: Callable[[str], T], tally: CallTally) -> T:
        """What `read` made of the response; it raises BadBody if it cannot read it."""
        tries = settled = 0
        while True:
            await tally.check_budget()
            try:
                return await self._once(body, read, tally, _headers(tally.call, body, settled))
            except EngineError as error:
                error.usage = error.usage or tally.usage()  # earlier tries may have been charged
                raise
            except _Temporary as failure:
                tries += 1
                settled += failure.settled
                if failure.sent:
                    tally.add_lost()
                self._raise_if_final(failure, tries, tally)
                tally.retries -= 1
                await asyncio.sleep(self._pause(failure, tries))

    def _raise_if_final(self, failure: _Temporary, tries: int, tally: CallTally) -> None:
        if failure.wait is not None and failure.wait > LONGEST_PAUSE:
            raise EngineError(
                f"{self.base_url} asks for a pause of {failure.wait / 60:.0f} minutes ({failure.reason}). "
                f"Longway waits {LONGEST_PAUSE / 60:.0f} at most. Run the same command again after that time.",
                usage=tally.usage(),
            )
        if not (self.has_answered or failure.sent or failure.kind in ("busy", "broken")) and tries > 2:
            raise EngineError(
                f"{self.base_url} cannot be reached: {failure.reason}. Expected an OpenAI-compatible server there. "
                "Start it, or correct --base-url."
            )
        if tally.retries <= 0:
            # If it has never answered, other calls would wait in vain, too.
            failed = CallFailed if self.has_answered else EngineError
            raise failed(
                f"{self.base_url} did not answer a call: {failure.reason}. It was sent {tries} times. "
                f"{ADVICE[failure.kind]}, then run the same command again (all answers received are kept).",
                usage=tally.usage(),
            )

    def _pause(self, failure: _Temporary, tries: int) -> float:
        """With full jitter: callers that failed together do not retry together."""
        if failure.wait is not None:
            return failure.wait + random.uniform(0, 0.1 * failure.wait + 0.01)
        return random.uniform(0, min(LONGEST_BACKOFF, self.limits.backoff * 2 ** (tries - 1)))

    async def _once(
        self, body: RequestBody, read: Callable[[str], T], tally: CallTally, headers: Mapping[str, str]
    ) -> T:
        connections = self.connections()
        async with connections.limit.slot():
            began = time.monotonic()
            try:
                # The raw body: the library's own parsing takes a third of the time and trusts the server.
                request = connections.client.post(PATH, cast_to=str, body=body, options={"headers": headers})
                answer = read(await self._body(request))
            except BadBody as bad:
                raise self._error_of_body(bad) from None
            except _Temporary as failure:
                if failure.full:
                    wait = min(failure.wait or 0, LONGEST_PAUSE)
                    connections.limit.refused(began=began, now=time.monotonic(), wait=wait)
                raise
            finally:
                tally.seconds += time.monotonic() - began
            connections.limit.answered(time.monotonic() - began, tally.kind)
            self.has_answered = True
            return answer

    async def _body(self, request: Awaitable[object]) -> str:
        """The body of the response to a request of the library."""
        import openai

        try:
            # The library's timeout is per read; a server that sends a byte at a time would block a call forever.
            async with asyncio.timeout(self.limits.timeout):
                return str(await request)
        except openai.APIStatusError as error:
            failure = self._error_of_status(error.status_code, error.body, error.response.headers)
        except (TimeoutError, openai.APIConnectionError) as error:
            cause, is_late = error.__cause__, isinstance(error, TimeoutError | openai.APITimeoutError)
            name = type(cause).__name__
            reason = (
                f"no answer within {self.limits.timeout:g} s"
                if is_late
                else f"the connection failed ({name})"
            )
            failure = _Temporary(
                reason, "silent" if is_late else "cut off", sent=name not in NEVER_SENT, full=is_late
            )
            if isinstance(cause, EngineError):
                failure = cause  # of our client; version 2 of the library wraps it
        # Raised outside the handlers: the library's error contains the request with its key, and must not be chained.
        raise failure

    def _error_of_status(self, status: int, body: object, headers: Mapping[str, str]) -> Exception:
        reason, code, param = self._words(body)
        shown = f"status {status}" + (f": {reason}" if reason else "")
        if code == "insufficient_quota":
            return EngineError(
                f"{self.base_url} reports that the account has no credit left ({shown}). "
                "Add credit, and run the same command again: all answers received are kept."
            )
        if 300 <= status < 400:
            return _redirected(self.base_url, status, headers, self.key)
        if status in TEMPORARY or status >= 500:
            wait = retry_after(headers, now=time.time())
            full, settled = status == 429 or status >= 500, status >= 500
            kind = "broken" if settled and status != 503 else "busy"
            return _Temporary(shown, kind, wait=wait, sent=False, full=full, settled=settled)
        if status in (401, 403):
            hint = "No key was sent: set LONGWAY_API_KEY."
            if self.key:
                hint = "Check the key in LONGWAY_API_KEY or OPENAI_API_KEY."
            return EngineError(
                f"{self.base_url} did not accept the key ({shown}). {hint} Then run the same command again."
            )
        if status == 404:
            return EngineError(
                f"{self.base_url} does not know this model or address ({shown}). "
                "Check the model's name, and the end of --base-url (often /v1)."
            )
        return Rejected(status, reason, code=code, param=param)

    def _error_of_body(self, bad: BadBody) -> Exception:
        """The error for a body with status 200 that is not an answer."""
        if bad.error is None:
            return _Temporary(str(bad), "foreign", settled=True)
        code = bad.error.get("code") if isinstance(bad.error, dict) else None
        if isinstance(code, int) and 400 <= code < 600:
            return self._error_of_status(code, bad.error, {})
        reason, _, _ = self._words(bad.error)
        return _Temporary(f"the server answered with an error: {reason}", "broken", settled=True)

    def _words(self, body: object) -> tuple[str, str, str]:
        """Message, code and parameter of an error body, without keys and shortened to one line."""
        if not isinstance(body, dict):
            body = {"message": body}
        said = [str(body.get(name) or "") for name in ("message", "code", "param")]
        message, code, param = (" ".join(self.key.hide(text).split()) for text in said)
        return (message if len(message) <= 300 else message[:299] + "…"), code, param


def _redirected(address: str, status: int, headers: Mapping[str, str], key: Secret) -> EngineError:
    """The error for a redirect."""
    location = key.hide(headers.get("location", "nowhere"))[:SHOWN]
    return EngineError(
        f"{address} redirects to {location} (status {status}). "
        f"Rows are sent only to the address that you named. "
        f"If you trust the new one, name it with --base-url, and run the same command again."
    )


def _headers(call: Call | None, body: RequestBody, settled: int) -> dict[str, str]:
    """The header by which a server recognises a repeated request. settled: how often it was answered with something unusable.

    A call may need several requests (without an unsupported parameter, or a repair): each has its own key.
    """
    if call is None:
        return {}
    contents = json.dumps(body, sort_keys=True).encode()
    return {"Idempotency-Key": f"{call.key}-{hashlib.sha256(contents).hexdigest()[:16]}-{settled}"}


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """The seconds that a server asks to wait; None if it does not say. now: seconds since 1970.

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
        return None  # invalid: our own pauses are used


def _at_least_0(seconds: float) -> float | None:
    return None if seconds != seconds else max(0.0, seconds)
