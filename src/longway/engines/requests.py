"""What is sent to a server: chat calls, the form of their answers, their room and their cost.

    ChatCall                          one chat call, before it is known which parameters the server supports
    lower(features, rejected, ...)    what to leave out after a server rejected a request
    AnswerRoom().texts(text, n)       how many texts one answer has room for
    CallTally                         what one call has used, over all its requests

A request carries an `Idempotency-Key` made of the call's key in the journal and its own contents. A server that honours it
does not charge twice for a request that was running when a connection broke or this process died.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

from longway.engines.answers import Completion, Unreadable
from longway.engines.costs import Call, Price
from longway.engines.engine import Sampling, Usage
from longway.engines.prompt import Prompt
from longway.errors import BudgetSpent, SettingError

Messages = list[dict[str, str]]
RequestBody = dict[str, Any]  # JSON values; which keys it has depends on the server
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


@dataclass(frozen=True, slots=True)
class ServerFeatures:
    """What a server supports, as far as known. length: its parameter for the longest answer. without: unsupported parameters."""

    schema: bool = True
    logprobs: bool = True
    length: str = "max_tokens"
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ChatCall:
    """One chat call. messages: the conversation. settings: parameters that a server may not support."""

    kind: str
    messages: Messages
    schema: Mapping[str, object]
    settings: Mapping[str, object]
    max_tokens: int

    def body(self, model: str, features: ServerFeatures) -> RequestBody:
        """The request body for a server with these features."""
        without = features.without if features.logprobs else features.without | {"logprobs", "top_logprobs"}
        body: RequestBody = {name: value for name, value in self.settings.items() if name not in without}
        body |= {"model": model, "messages": self.messages, features.length: self.max_tokens}
        if features.schema:
            schema = {"name": self.kind, "strict": True, "schema": self.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def repair(self, answer: Completion, wrong: str) -> ChatCall:
        """The same call again, with what was wrong with the first answer. If that was cut off, the limit is doubled.

        An answer longer than its limit can be is shortened: it is paid for again when it is sent back.
        """
        content, most = answer.content or "(nothing)", _LONGEST_TOKEN * self.max_tokens
        request = (
            f"Your answer cannot be used: {wrong}. "
            "Answer again, in exactly the form that was asked for, and with nothing else."
        )
        more = [
            {"role": "assistant", "content": content if len(content) <= most else content[:most] + "…"},
            {"role": "user", "content": request},
        ]
        longer = self.max_tokens * (2 if answer.is_cut else 1)
        return replace(self, messages=[*self.messages, *more], max_tokens=longer)


def lower(features: ServerFeatures, rejected: Rejected, settings: Collection[str]) -> ServerFeatures | None:
    """The features to try after a server rejected a request; None if there is nothing left to try.

    settings: names of the call's parameters. Raises Unreadable if the row is the reason, since no other request would help.
    """
    said = f"{rejected.reason} {rejected.code} {rejected.param}".lower()
    if any(words in said for words in _FILTERED):
        raise Unreadable("the server's content filter stopped the request", is_final=True)
    is_limit = "max_tokens" in said or "max_completion_tokens" in said
    if any(words in said for words in _TOO_LONG) or rejected.status == 413:
        raise Unreadable("the row is too long for the model", is_final=True, is_too_long=True)
    if is_limit and any(words in said for words in _TOO_LARGE):
        why = "the row is too long for the answers that the server allows"
        raise Unreadable(why, is_final=True, is_too_long=True)
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


def schema_of(prompt: Prompt) -> Mapping[str, object]:
    """The JSON schema of an answer of texts or lines."""
    name = "lines" if prompt.has_lines else "rewrites"
    return object_of(name, {"type": "array", "items": {"type": "string"}})


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

    def add(self, completion: Completion, *, sent: int, received: int) -> None:
        """Add an answered request. sent, received: bytes, for servers that do not count tokens."""
        n_read, n_written = completion.prompt_tokens, completion.completion_tokens
        if self.price is not None:
            # A token has at least one byte, so bytes are an upper bound.
            self._pay(self.price.of(n_read or sent, n_written or received))
        self.prompt_tokens += n_read or tokens_in(sent)
        self.completion_tokens += n_written or tokens_in(received)

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


def headers_of(call: Call | None, body: RequestBody, settled: int) -> dict[str, str]:
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
    named = {name.lower(): value.strip() for name, value in headers.items()}
    said = named.get("retry-after", "")
    try:
        if "retry-after-ms" in named:
            seconds = float(named["retry-after-ms"]) / 1000
        elif ":" in said:
            seconds = parsedate_to_datetime(said).timestamp() - now
        else:
            seconds = float(said)
    except (ValueError, OverflowError):
        return None  # none, or an invalid one: our own pauses are used
    return None if seconds != seconds else max(0.0, seconds)
