"""The served engine: any server with an OpenAI-compatible API.

    engine = ServedEngine("gpt-4o-mini")                                         the OpenAI service; key from the environment
    engine = ServedEngine("llama3.2", base_url="http://localhost:11434/v1")      Ollama, vLLM, llama.cpp, LM Studio

Answers are requested by JSON schema. If a server rejects the schema or another parameter, later calls omit it; the prompt asks for JSON in
any case. An answer that cannot be read gets one repair: the model is told what was wrong. After that
it is refused, with the reason; if this happens to the first five answers, the model is given up.
`requests.py` has what is sent, `answers.py` reads answers.

The limit of an answer follows from the length of the row and the number of texts. Texts that do not fit into one answer, and those missing
from an answer that was cut off, are requested in further calls of fewer texts. A row too long for an answer of one text is refused.
`Asker` divides a long text that is to be rewritten into passages before (`passages.py`).

A request that fails for a temporary reason (no connection, timeout, 408, 409, 429, 5xx, a broken body) is sent again a limited number of
times, after a random pause of growing length, or the pause that the server asks for. A permanent failure raises at once:
`EngineError` if no call can succeed, `Rejected` if this request is wrong.

Rows are sent to the address that the user named and to no other: a redirect is an error. The size of a response is
limited, and its time up to the last byte. Compressed responses are not unpacked: they may have any size.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from longway.engines.answers import (
    CUT_NOTE,
    BadBody,
    Completion,
    Unreadable,
    completion_of,
    label_of,
    likelihoods,
    lines_in,
    texts_in,
)
from longway.engines.costs import FREE, Call, Price, is_local, price_of
from longway.engines.engine import Engine, Judgement, Sampling, Usage, Written
from longway.engines.limit import Limit
from longway.engines.prompt import Prompt
from longway.engines.requests import (
    AnswerRoom,
    CallTally,
    ChatCall,
    Messages,
    Rejected,
    RequestBody,
    ServerFeatures,
    ServerLimits,
    headers_of,
    lower,
    object_of,
    retry_after,
    schema_of,
    size_of,
)
from longway.engines.secret import Secret, find_key
from longway.errors import BudgetSpent, CallFailed, EngineError, MissingExtra, SettingError

SERVICE = "https://api.openai.com/v1"
READING = 2  # increases when answers are requested or read differently, so that old ones are not mixed with new ones
TOO_LONG_ROW = "the row is too long: a text like it needs an answer of more than {:,} tokens"
LARGEST = 64 * 2**20  # bytes of a response
LONGEST_PAUSE = 600.0  # seconds; if a server asks for more, the run ends
LONGEST_BACKOFF = 60.0
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
_PROBE: Messages = [
    {"role": "system", "content": "You answer with one word."},
    {"role": "user", "content": "Say yes."},
]
_PROBE_TOKENS = 16


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


class ServedEngine(Engine):
    """A model on a server.

    base_url: by default LONGWAY_BASE_URL or OPENAI_BASE_URL, or else the OpenAI service. api_key: by default from the environment or a
    keyring. price: dollars per million tokens; by default from the table. judge_tokens: the longest judgement.
    limits: fields of `requests.ServerLimits`.
    """

    can = frozenset({"write", "judge", "edit"})

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        price: Price | None = None,
        judge_tokens: int = 512,
        **limits: Any,
    ) -> None:
        address = (
            base_url or os.environ.get("LONGWAY_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or SERVICE
        )
        _check(model, address)
        self.limits, self.room = ServerLimits(**limits), AnswerRoom()
        self.model, self.judge_tokens = model, judge_tokens
        self.base_url: str
        self.base_url, password = _without_credentials(address)
        self.address = self.base_url  # where requests go
        self.name = f"served:{model}"
        self.max_in_flight = self.limits.max_in_flight
        self.price = price if price is not None else price_of(model, base_url=self.base_url)
        self._key = Secret(api_key or password) if api_key or password else find_key(self.base_url)
        self._loop: asyncio.AbstractEventLoop | None = None  # that the client and the limit belong to
        self._has_answered = False
        self._features: dict[str, ServerFeatures] = {}  # by kind of call, once one was answered
        self._readable: set[str] = set()  # kinds of calls of which an answer was read
        # By kind, why answers could not be read.
        self._misread: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def __repr__(self) -> str:
        return f"ServedEngine({self.model!r}, base_url={self.base_url!r})"

    @property
    def identity(self) -> Mapping[str, object]:
        """The models, the server, and how answers are read."""
        return {
            "engine": "served",
            "model": self.model,
            "embedding_model": None,  # part of the keys of older journals
            "base_url": self.base_url,
            "judge_tokens": self.judge_tokens,
            "reading": READING,
        }

    def fits(self, prompt: Prompt, n: int, sampling: Sampling) -> bool:
        """Whether one answer has room for n texts as long as the row's."""
        return prompt.has_lines or self.room.texts(prompt.text, n) >= n

    def first_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """The first request; the others are reserved one by one."""
        if self.price in (None, FREE):
            return 0.0
        share = n if prompt.has_lines else max(1, self.room.texts(prompt.text, n))
        return self._cost_of(self.write_call(prompt, share, sampling))

    def first_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """The first request; the others are reserved one by one."""
        return 0.0 if self.price in (None, FREE) else self._cost_of(self.judge_call(prompt, options))

    def _cost_of(self, call: ChatCall) -> float:
        """The most that one request can cost: a token has at least one byte."""
        return 0.0 if self.price is None else self.price.of(size_of(call.messages), call.max_tokens)

    def write_call(self, prompt: Prompt, n: int, sampling: Sampling, part: int = 0) -> ChatCall:
        """The request for texts, or for lines about the row and its context. part: its number, if the texts are requested in several."""
        settings = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": (sampling.seed * 1_000_003 + sampling.sample + 7919 * part) % 2**31,
        }
        row = (prompt.text, prompt.context) if prompt.has_lines else (prompt.text,)
        room = self.room.tokens(*row, n=1 if prompt.has_lines else n, least=sampling.max_tokens)
        return ChatCall("write", prompt.messages(n=n), schema_of(prompt), settings, room)

    def judge_call(self, prompt: Prompt, options: Sequence[str]) -> ChatCall:
        """The request for a label."""
        names = tuple(options)
        settings = {"temperature": 0.0, "seed": 0, "logprobs": True, "top_logprobs": 5}
        schema = object_of("label", {"type": "string", "enum": list(names)})
        return ChatCall("judge", prompt.messages(options=names), schema, settings, self.judge_tokens)

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """Up to n different texts; one answer if it has lines."""
        tally = CallTally("write", self.price, self.limits.retries, call)
        if not prompt.has_lines:
            return replace(await self._write_texts(prompt, n, sampling, tally), usage=tally.usage())
        try:
            lines = await self._answer(self.write_call(prompt, n, sampling), tally, lines_in)
        except Unreadable as error:
            return Written((), (error.refusal,), usage=tally.usage())
        return Written((lines,), usage=tally.usage())

    async def _write_texts(self, prompt: Prompt, n: int, sampling: Sampling, tally: CallTally) -> Written:
        """Texts by as many requests as it takes. Each gives a new text, or the next asks for fewer, or it is the last."""
        texts: dict[str, None] = {}
        notes: list[str] = []
        share, part = self.room.texts(prompt.text, n), 0
        if not share:
            return Written((), (TOO_LONG_ROW.format(self.room.longest),))
        while len(texts) < n:
            wanted, known = min(share, n - len(texts)), len(texts)
            call = self.write_call(prompt, wanted, sampling, part)
            part += 1
            read = partial(texts_in, n=wanted, original=prompt.text)
            try:
                new, dropped = await self._answer(call, tally, read, may_shrink=wanted > 1)
            except Unreadable as error:
                if error.is_too_long and wanted > 1:
                    share = wanted // 2
                    continue
                notes.append(error.refusal)
                break
            except (CallFailed, BudgetSpent):
                if not texts:
                    raise
                break  # what was paid for is used
            texts.update(dict.fromkeys(new))
            notes += dropped
            is_cut = CUT_NOTE in dropped
            if len(texts) == known or (len(new) < wanted and not is_cut):
                break
            share = len(new) if is_cut else share
        return Written(tuple(texts), tuple(dict.fromkeys(notes) if texts else notes))

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """Probabilities from the tokens' probabilities if the server sends them; otherwise 1 for its answer."""
        tally = CallTally("judge", self.price, self.limits.retries, call)
        read = partial(_probabilities, options=tuple(options))
        try:
            probabilities = await self._answer(self.judge_call(prompt, options), tally, read)
        except Unreadable as error:
            return Judgement({}, error.refusal, tally.usage())
        return Judgement(probabilities, usage=tally.usage())

    async def responds(self, call: Call | None = None) -> tuple[bool, Usage | None]:
        """Whether the server answers one small request, sent once."""
        features = next(iter(self._features.values()), ServerFeatures())
        body = {"model": self.model, "messages": _PROBE, features.length: _PROBE_TOKENS}
        tally = CallTally("probe", self.price, 0, call)
        try:
            await self._post(body, tally)
        except Rejected:
            return True, tally.usage()  # an objection is an answer
        except EngineError:
            return False, tally.usage()
        return True, tally.usage()

    async def models(self) -> list[str]:
        """The models that the server lists, in its order. Sent once; the connections are closed after it."""
        self._connect()
        try:
            body = await self._body(self._client.get("/models", cast_to=str))
            return [str(model["id"]) for model in json.loads(body)["data"]]
        except (_Temporary, Rejected, ValueError, KeyError, TypeError, RecursionError) as error:
            raise EngineError(
                f"{self.address} does not list its models ({self._key.hide(str(error))[:SHOWN]}). "
                "Check that the server is running, or name a model: --engine served:MODEL."
            ) from None
        finally:
            await self.close()

    async def close(self) -> None:
        """Close the connections."""
        if self._loop is asyncio.get_running_loop():
            await self._client.close()
        self._loop = None

    async def _answer(
        self, call: ChatCall, tally: CallTally, read: Callable[[Completion], Any], *, may_shrink: bool = False
    ) -> Any:
        """What `read` made of the answer. may_shrink: an answer that was cut off is not repaired.

        The first call of a kind runs alone: it finds out what the server supports, and whether it answers at all.
        So do the next ones as long as no answer had the requested form. A model whose first answers all have another
        form is given up.
        """
        self._connect()
        running, misread = self._first, self._misread[call.kind]
        while call.kind not in self._features or (misread and call.kind not in self._readable):
            if misread.total() >= self.limits.misread:
                raise EngineError(
                    f"{self.name} cannot be used to {call.kind}: none of its first {misread.total()} answers "
                    f"had the requested form, not even after a repair ({', '.join(misread)}). "
                    f"Try a larger model; `longway doctor --try` asks one five questions."
                )
            if (first := running.get(call.kind)) is not None:
                await asyncio.shield(first)  # raises what failed for the first one
                continue
            first = running[call.kind] = asyncio.get_running_loop().create_future()
            try:
                return await self._read(call, tally, read, may_shrink)
            except CallFailed:
                raise  # concerns this call only: the next one tries
            except EngineError as error:
                first.set_exception(EngineError(str(error)))
                first.exception()  # marks it as retrieved; there may be no other caller
                raise
            finally:
                del running[call.kind]
                if not first.done():
                    first.set_result(None)
        return await self._read(call, tally, read, may_shrink)

    async def _read(
        self, call: ChatCall, tally: CallTally, read: Callable[[Completion], Any], may_shrink: bool
    ) -> Any:
        """What `read` made of the answer, after one repair if necessary."""
        completion = await self._chat(call, tally)
        try:
            answer = read(completion)
        except Unreadable as error:
            if error.is_final:
                raise
            self._misread[call.kind][str(error)] += 1
            if may_shrink and error.is_too_long:
                raise
            answer = read(await self._chat(call.repair(completion, str(error)), tally))
        self._readable.add(call.kind)
        return answer

    async def _chat(self, call: ChatCall, tally: CallTally) -> Completion:
        """The completion, without parameters that the server rejects."""
        features = self._features.get(call.kind, ServerFeatures())
        tally.max_cost = self._cost_of(call)
        while True:
            try:
                completion = await self._post(call.body(self.model, features), tally)
            except Rejected as rejected:
                less = lower(features, rejected, call.settings)
                if less is None:
                    raise CallFailed(
                        f"{self.address} rejected a request ({rejected}). Expected an OpenAI-compatible server. "
                        "Check the model's name and the server's log.",
                        usage=tally.usage(),
                    ) from None
                features = less
                continue
            # The features of the first call are kept; if a later one needed less, its row is the reason, not the server.
            self._features.setdefault(call.kind, features)
            if self._key.is_in(completion.content) or self._key.is_in(completion.refusal):
                raise Unreadable("the answer contained the server's key and was discarded", is_final=True)
            return completion

    async def _post(self, body: RequestBody, tally: CallTally) -> Completion:
        """The completion for a request, which is sent again after a failure that may pass."""
        tries = settled = 0
        while True:
            await tally.check_budget()
            try:
                completion = await self._once(body, tally, headers_of(tally.call, body, settled))
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
                # With full jitter: callers that failed together do not retry together.
                pause = random.uniform(0, min(LONGEST_BACKOFF, self.limits.backoff * 2 ** (tries - 1)))
                if failure.wait is not None:
                    pause = failure.wait + random.uniform(0, 0.1 * failure.wait + 0.01)
                await asyncio.sleep(pause)
                continue
            received = len(completion.content.encode("utf-8", "replace"))
            tally.add(completion, sent=size_of(body["messages"]), received=received)
            return completion

    def _raise_if_final(self, failure: _Temporary, tries: int, tally: CallTally) -> None:
        if failure.wait is not None and failure.wait > LONGEST_PAUSE:
            raise EngineError(
                f"{self.address} asks for a pause of {failure.wait / 60:.0f} minutes ({failure.reason}). "
                f"Longway waits {LONGEST_PAUSE / 60:.0f} at most. Run the same command again after that time.",
                usage=tally.usage(),
            )
        if not (self._has_answered or failure.sent or failure.kind in ("busy", "broken")) and tries > 2:
            raise EngineError(
                f"{self.address} cannot be reached: {failure.reason}. Expected an OpenAI-compatible server there. "
                "Start it, or correct --base-url."
            )
        if tally.retries <= 0:
            # If it has never answered, other calls would wait in vain, too.
            failed = CallFailed if self._has_answered else EngineError
            raise failed(
                f"{self.address} did not answer a call: {failure.reason}. It was sent {tries} times. "
                f"{ADVICE[failure.kind]}, then run the same command again (all answers received are kept).",
                usage=tally.usage(),
            )

    async def _once(self, body: RequestBody, tally: CallTally, headers: Mapping[str, str]) -> Completion:
        self._connect()
        limit = self._limit
        async with limit.slot():
            began = time.monotonic()
            try:
                # The raw body: the library's own parsing takes a third of the time and trusts the server.
                options = {"headers": headers}
                request = self._client.post("/chat/completions", cast_to=str, body=body, options=options)
                completion = completion_of(await self._body(request))
            except BadBody as bad:
                raise self._error_of_body(bad) from None
            except _Temporary as failure:
                if failure.full:
                    wait = min(failure.wait or 0, LONGEST_PAUSE)
                    limit.refused(began=began, now=time.monotonic(), wait=wait)
                raise
            finally:
                tally.seconds += time.monotonic() - began
            limit.answered(time.monotonic() - began, tally.kind)
            self._has_answered = True
            return completion

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
                f"{self.address} reports that the account has no credit left ({shown}). "
                "Add credit, and run the same command again: all answers received are kept."
            )
        if 300 <= status < 400:
            location = self._key.hide(headers.get("location", "nowhere"))[:SHOWN]
            return EngineError(
                f"{self.address} redirects to {location} (status {status}). "
                f"Rows are sent only to the address that you named. "
                f"If you trust the new one, name it with --base-url, and run the same command again."
            )
        if status in TEMPORARY or status >= 500:
            wait = retry_after(headers, now=time.time())
            full, settled = status == 429 or status >= 500, status >= 500
            kind = "broken" if settled and status != 503 else "busy"
            return _Temporary(shown, kind, wait=wait, sent=False, full=full, settled=settled)
        if status in (401, 403):
            hint = "No key was sent: set LONGWAY_API_KEY."
            if self._key:
                hint = "Check the key in LONGWAY_API_KEY or OPENAI_API_KEY."
            return EngineError(
                f"{self.address} did not accept the key ({shown}). {hint} Then run the same command again."
            )
        if status == 404:
            return EngineError(
                f"{self.address} does not know this model or address ({shown}). "
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
        message, code, param = (" ".join(self._key.hide(text).split()) for text in said)
        return (message if len(message) <= 300 else message[:299] + "…"), code, param

    def _connect(self) -> None:
        """Make a client and a limit for the running loop, unless there are some: connections cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._client, self._limit = loop, self._new_client(), Limit(self.limits.max_in_flight)
            self._first: dict[str, asyncio.Future[None]] = {}  # the first call of each kind, if it runs

    def _new_client(self) -> Any:
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
            api_key=self._key.reveal() or "none",
            base_url=self.address,
            timeout=self.limits.timeout,
            max_retries=0,  # our own retries respect pace, budget and Retry-After
            http_client=BoundedClient(
                trust_env=not is_local(self.address),  # no proxy for a server on this machine
                follow_redirects=False,
                headers={"Accept-Encoding": "identity"},
            ),
        )


def _probabilities(completion: Completion, options: Sequence[str]) -> dict[str, float]:
    return likelihoods(completion.tokens, label_of(completion, options), options)


def _without_credentials(address: str) -> tuple[str, str | None]:
    """The address without user, password and query, and the password, which is a key like any other."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", "")), parts.password


def _check(model: str, address: str) -> None:
    if not model.strip():
        raise SettingError("The model's name is empty. Expected a name after served:, such as gpt-4o-mini.")
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        shown = Secret(parts.password).hide(address)
    except ValueError:  # unbalanced brackets, a port that is not a number
        is_address, shown = False, address.rpartition("@")[2]  # the part before may be a password
    if not is_address:
        raise SettingError(
            "The address of the server must begin with http:// or https:// and name a host. "
            f"Got {shown!r}. Try http://localhost:8000/v1."
        )
