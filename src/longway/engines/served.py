"""The served engine: any server with an OpenAI-compatible API.

    engine = ServedEngine("gpt-4o-mini")                                         the OpenAI service; key from the environment
    engine = ServedEngine("llama3.2", base_url="http://localhost:11434/v1")      Ollama, vLLM, llama.cpp, LM Studio

Answers are requested by JSON schema. If a server rejects the schema or another parameter, later calls omit it, and plain-text
answers are read just as strictly. An answer that cannot be read gets one repair: the model is told what was wrong. After that
it is refused, with the reason. `transport.py` sends requests, `answers.py` reads answers.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from longway.engines.answers import (
    Completion,
    Declined,
    Misread,
    completion_of,
    label_in,
    refusal_of,
    texts_in,
)
from longway.engines.costs import FREE, Price, price_of
from longway.engines.engine import Engine, Judgement, Sampling, Usage, Written
from longway.engines.prompt import Prompt
from longway.engines.secret import Secret, find_key
from longway.engines.transport import (
    CallTally,
    ChatCall,
    Messages,
    Rejected,
    ServerFeatures,
    ServerLimits,
    Transport,
    lower,
    object_of,
    schema_of,
    size_of,
)
from longway.errors import CallFailed, EngineError, SettingError

SERVICE = "https://api.openai.com/v1"
READING = 1  # increases when answers are requested or read differently, so that old ones are not mixed with new ones
_REPAIR_BYTES = 400  # that a repair adds to the answer it repeats
_PROBE: Messages = [
    {"role": "system", "content": "You answer with one word."},
    {"role": "user", "content": "Say yes."},
]
_PROBE_TOKENS = 16


class ServedEngine(Engine):
    """A model on a server.

    base_url: by default LONGWAY_BASE_URL or OPENAI_BASE_URL, or else the OpenAI service. api_key: by default from the environment or a
    keyring. price: dollars per million tokens; by default from the table. judge_tokens: the longest judgement.
    limits: fields of `transport.ServerLimits`.
    """

    can = frozenset({"write", "judge"})
    reads_messages = True

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
        self.limits = ServerLimits(**limits)
        self.model, self.judge_tokens = model, judge_tokens
        self.base_url: str
        self.base_url, password = _without_credentials(address)
        self.name = f"served:{model}"
        self.max_in_flight = self.limits.max_in_flight
        self.price = price if price is not None else price_of(model, base_url=self.base_url)
        self._key = Secret(api_key or password) if api_key or password else find_key(self.base_url)
        self._transport = Transport(self.base_url, self._key, self.limits)
        self._features: dict[str, ServerFeatures] = {}  # by kind of call, once one was answered

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

    def max_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """With a repair and every retry."""
        return self._max_cost(lambda: prompt.messages(form="json", n=n), sampling.max_tokens)

    def max_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """With a repair and every retry."""
        return self._max_cost(lambda: prompt.messages(form="json", options=tuple(options)), self.judge_tokens)

    def _max_cost(self, messages: Callable[[], Messages], max_tokens: int) -> float:
        if self.price in (None, FREE):  # rendering a prompt takes time
            return 0.0
        return (2 + self.limits.retries) * self._max_request_cost(messages(), max_tokens)

    def _max_request_cost(self, messages: Messages, max_tokens: int) -> float:
        if self.price is None:
            return 0.0
        # A token has at least one byte. A repair repeats the first answer, and after a cut it may be twice as long.
        sent = size_of(messages) + 2 * max_tokens + _REPAIR_BYTES
        return self.price.of(sent, 2 * max_tokens)

    def write_call(self, prompt: Prompt, n: int, sampling: Sampling) -> ChatCall:
        """The request for texts."""
        settings = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": (sampling.seed * 1_000_003 + sampling.sample) % 2**31,
        }
        messages = partial(_messages, prompt, n=n)
        return ChatCall("write", messages, schema_of(prompt), settings, sampling.max_tokens, prompt.reads)

    def judge_call(self, prompt: Prompt, options: Sequence[str]) -> ChatCall:
        """The request for a label."""
        names = tuple(options)
        settings = {"temperature": 0.0, "seed": 0, "logprobs": True, "top_logprobs": 5}
        schema = object_of("label", {"type": "string", "enum": list(names)})
        messages = partial(_messages, prompt, options=names)
        return ChatCall("judge", messages, schema, settings, self.judge_tokens)

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts; one answer if the prompt reads lines."""
        call = self.write_call(prompt, n, sampling)
        tally = self._tally(call)
        read = partial(texts_in, reads=prompt.reads, n=n, original=prompt.text)
        written, refusal = await self._ask(call, tally, read)
        return replace(written or Written((), (refusal,)), usage=tally.usage())

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judgement:
        """Probabilities from the tokens' probabilities if the server sends them; otherwise 1 for its answer."""
        call = self.judge_call(prompt, options)
        tally = self._tally(call)
        judged, refusal = await self._ask(call, tally, partial(label_in, options=tuple(options)))
        return replace(judged or Judgement({}, refusal), usage=tally.usage())

    async def responds(self) -> tuple[bool, Usage | None]:
        """Whether the server answers one small request, sent once."""
        features = next(iter(self._features.values()), ServerFeatures())
        body = {"model": self.model, "messages": _PROBE, features.length: _PROBE_TOKENS}
        tally = CallTally("probe", self.price, 0)
        try:
            completion = await self._transport.post(body, completion_of, tally)
        except Rejected:
            return True, tally.usage()  # an objection is an answer
        except EngineError:
            return False, tally.usage()
        _count(tally, completion, sent=size_of(_PROBE))
        return True, tally.usage()

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _tally(self, call: ChatCall) -> CallTally:
        cost = 0.0
        if self.price not in (None, FREE):  # rendering a prompt takes time
            cost = self._max_request_cost(call.messages("json"), call.max_tokens)
        return CallTally(call.kind, self.price, self.limits.retries, cost)

    async def _ask(self, call: ChatCall, tally: CallTally, read: Callable[..., Any]) -> tuple[Any, str]:
        """What `read` made of the answer, after one repair if necessary; or None and the reason."""
        try:
            completion, form = await self._first(call, tally)
            try:
                return read(self._checked(completion), form=form), ""
            except Misread as misread:
                again = call.repair(completion, str(misread))
            completion, form = await self._chat(again, tally)
            return read(self._checked(completion), form=form), ""
        except Misread as misread:
            return None, refusal_of(misread)
        except Declined as declined:
            return None, str(declined)

    def _checked(self, completion: Completion) -> Completion:
        if self._key.is_in(completion.content) or self._key.is_in(completion.refusal):
            raise Declined("the answer contained the server's key and was discarded")
        return completion

    async def _first(self, call: ChatCall, tally: CallTally) -> tuple[Completion, str]:
        """The first call of a kind runs alone: it finds out what the server supports, and whether it answers at all."""
        running = self._transport.connections().first
        while call.kind not in self._features:
            if (first := running.get(call.kind)) is not None:
                await asyncio.shield(first)  # raises what failed for the first one
                continue
            first = running[call.kind] = asyncio.get_running_loop().create_future()
            try:
                return await self._chat(call, tally)
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
        return await self._chat(call, tally)

    async def _chat(self, call: ChatCall, tally: CallTally) -> tuple[Completion, str]:
        """The completion and the form that was requested."""
        features = self._features.get(call.kind, ServerFeatures())
        while True:
            body = call.body(self.model, features)
            try:
                completion = await self._transport.post(body, completion_of, tally)
            except Rejected as rejected:
                less = lower(features, rejected, call.settings)
                if less is None:
                    raise CallFailed(
                        f"{self.base_url} rejected a request ({rejected}). Expected an OpenAI-compatible server. "
                        "Check the model's name and the server's log.",
                        usage=tally.usage(),
                    ) from None
                features = less
                continue
            # The features of the first call are kept; if a later one needed less, its row is the reason, not the server.
            self._features.setdefault(call.kind, features)
            _count(tally, completion, sent=size_of(body["messages"]))
            return completion, features.form


def _count(tally: CallTally, completion: Completion, *, sent: int) -> None:
    received = len(completion.content.encode("utf-8", "replace"))
    tally.add(completion.prompt_tokens, completion.completion_tokens, sent=sent, received=received)


def _messages(prompt: Prompt, form: str, **more: object) -> Messages:
    return prompt.messages(form=form, **more)


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
