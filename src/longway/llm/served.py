"""The engine behind which a server stands: any endpoint that speaks the OpenAI protocol.

    engine = ServedEngine("gpt-4o-mini")                                         the service; key from the environment
    engine = ServedEngine("llama3.2", base_url="http://localhost:11434/v1")      Ollama, vLLM, llama.cpp, LM Studio

Answers are asked for by JSON schema. A server that does not know it (or another parameter) says so once; from then
on it is asked without, and its plain text is read just as strictly. An answer that cannot be read gets one repair: the model is
told what was wrong. After that it is a refusal with a reason. The way to the server is in `transport.py`, reading in `answers.py`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from longway.errors import CallFailed, EngineError, SettingError
from longway.llm.answers import Completion, Declined, Misread, completion_of, vectors_of
from longway.llm.engine import Judged, Sampling, Usage, Written
from longway.llm.pace import Pace
from longway.llm.prices import FREE, Price, price_of
from longway.llm.prompt import Prompt
from longway.llm.reading import label_in, not_read, texts_in
from longway.llm.request import Call, Features, Messages, lower, object_of, schema_of, size_of
from longway.llm.secret import Secret, find_key
from longway.llm.transport import Rejected, Tally, Transport

SERVICE = "https://api.openai.com/v1"
READING = 1  # goes up when answers are asked for or read in another way, so that old ones are not mixed with new ones
EMBED_AT_ONCE = 128
_REPAIR_BYTES = 400  # what a repair adds besides the answer itself
_PROBE: Messages = [
    {"role": "system", "content": "You answer with one word."},
    {"role": "user", "content": "Say yes."},
]
_PROBE_TOKENS = 16


class Vectors(list[list[float]]):
    """Vectors, one for each text, that know what they cost."""

    def __init__(self, vectors: Sequence[list[float]], usage: Usage) -> None:
        super().__init__(vectors)
        self.usage = usage


class ServedEngine:
    """A model on a server.

    base_url: LONGWAY_BASE_URL or OPENAI_BASE_URL where not given, else the service. api_key: from the environment or a keyring.
    embedding_model: the one for vectors, None where the server has none. price: dollars per million tokens; from
    the table where not given. max_in_flight: calls under way at once, at most. judge_tokens: the longest judgement.
    """

    renders = True  # reads the messages of a prompt and nothing else of it

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        embedding_model: str | None = None,
        price: Price | None = None,
        timeout: float = 120.0,
        retries: int = 6,
        backoff: float = 0.5,
        max_in_flight: int = 128,
        judge_tokens: int = 512,
    ) -> None:
        address = (
            base_url or os.environ.get("LONGWAY_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or SERVICE
        )
        _check(model, address, max_in_flight)
        self.model, self.embedding_model, self.judge_tokens = model, embedding_model, judge_tokens
        self.base_url, inside = _without_credentials(address)
        self.name = f"served:{model}"
        self.can = frozenset({"write", "judge"} | ({"embed"} if embedding_model else set()))
        self.max_in_flight, self.retries = max_in_flight, retries
        self.price = price if price is not None else price_of(model, base_url=self.base_url)
        self.embedding_price = price_of(embedding_model, base_url=self.base_url) if embedding_model else None
        self._key = Secret(api_key or inside) if api_key or inside else find_key(self.base_url)
        self._transport = Transport(
            self.base_url,
            self._key,
            timeout=timeout,
            retries=retries,
            backoff=backoff,
            pace=Pace(most=max_in_flight),
        )
        self._features: dict[str, Features] = {}  # by kind of call, once the server has answered one

    def __repr__(self) -> str:
        return f"ServedEngine({self.model!r}, base_url={self.base_url!r})"

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that shapes the answers."""
        return {
            "engine": "served",
            "model": self.model,
            "embedding_model": self.embedding_model,
            "base_url": self.base_url,
            "judge_tokens": self.judge_tokens,
            "reading": READING,
        }

    def most_to_write(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """The most that a call can cost in dollars, with its repair and every retry."""
        return self._most(lambda: _messages(prompt, "json", n=n), sampling.max_tokens)

    def most_to_judge(self, prompt: Prompt, options: Sequence[str]) -> float:
        """The most that a call can cost in dollars, with its repair and every retry."""
        return self._most(lambda: _messages(prompt, "json", options=tuple(options)), self.judge_tokens)

    def most_to_embed(self, texts: Sequence[str]) -> float:
        """The most that a call can cost in dollars, with every retry."""
        price = self.embedding_price
        size = sum(len(text.encode("utf-8", "replace")) + 1 for text in texts)
        return 0.0 if price is None else (1 + self.retries) * price.of(size, 0)

    def _most(self, messages: Callable[[], Messages], max_tokens: int) -> float:
        if self.price in (None, FREE):
            return 0.0
        return (2 + self.retries) * self._most_of_one(messages(), max_tokens)

    def _most_of_one(self, messages: Messages, max_tokens: int) -> float:
        if self.price is None:
            return 0.0
        # A token is at least one byte. A repair reads the first answer again, and one after a cut may be twice as long.
        sent = size_of(messages) + 2 * max_tokens + _REPAIR_BYTES
        return self.price.of(sent, 2 * max_tokens)

    def write_call(self, prompt: Prompt, n: int, sampling: Sampling) -> Call:
        """What is sent to have texts written."""
        settings = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": (sampling.seed * 1_000_003 + sampling.sample) % 2**31,
        }
        messages = partial(_messages, prompt, n=n)
        return Call("write", messages, schema_of(prompt), settings, sampling.max_tokens, prompt.reads)

    def judge_call(self, prompt: Prompt, options: Sequence[str]) -> Call:
        """What is sent to have a text judged."""
        names = tuple(options)
        settings: dict[str, Any] = {"temperature": 0.0, "seed": 0, "logprobs": True, "top_logprobs": 5}
        schema = object_of("label", {"type": "string", "enum": list(names)})
        return Call("judge", partial(_messages, prompt, options=names), schema, settings, self.judge_tokens)

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts; one answer where the prompt reads lines."""
        call = self.write_call(prompt, n, sampling)
        tally = self._tally(call)
        read = partial(texts_in, reads=prompt.reads, n=n, original=prompt.text)
        found, refusal = await self._ask(call, tally, read)
        return replace(found or Written((), (refusal,)), usage=tally.usage())

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """How likely each option is: from the tokens' probabilities where the server gives them, else 1 for its answer."""
        call = self.judge_call(prompt, options)
        tally = self._tally(call)
        found, refusal = await self._ask(call, tally, partial(label_in, options=tuple(options)))
        return replace(found or Judged({}, refusal), usage=tally.usage())

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text; its `usage` says what they cost."""
        if self.embedding_model is None:
            raise SettingError(
                f"{self.name} has no embedding model. Expected its name. Give embedding_model, or use another engine."
            )
        price = self.embedding_price
        tally = Tally("embed", price, self.retries)
        vectors: list[list[float]] = []
        for start in range(0, len(texts), EMBED_AT_ONCE):
            part = [
                text.encode("utf-8", "replace").decode() or " "
                for text in texts[start : start + EMBED_AT_ONCE]
            ]
            body = {"model": self.embedding_model, "input": part, "encoding_format": "float"}
            size = sum(len(text.encode()) for text in part)
            tally.most = 0.0 if price is None else price.of(size, 0)
            try:
                found, tokens = await self._transport.post(
                    "embeddings", body, partial(vectors_of, n=len(part)), tally
                )
            except Rejected as rejected:
                raise CallFailed(
                    f"{self.base_url} cannot embed with {self.embedding_model} ({rejected}). Try another model.",
                    usage=tally.usage(),
                ) from None
            tally.add(tokens or size, 0, sent=size, received=0)
            vectors += found
        return Vectors(vectors, tally.usage())

    async def is_there(self) -> tuple[bool, Usage]:
        """Whether the server answers at all, and what finding out has used: one small request, sent once."""
        features = next(iter(self._features.values()), Features())
        body = {"model": self.model, "messages": _PROBE, features.length: _PROBE_TOKENS}
        tally = Tally("probe", self.price, 0)
        try:
            found = await self._transport.post("chat", body, completion_of, tally)
        except Rejected:
            return True, tally.usage()  # it answers, if only to say what it does not like
        except EngineError:
            return False, tally.usage()
        tally.add(
            found.prompt_tokens,
            found.completion_tokens,
            sent=size_of(_PROBE),
            received=len(found.content.encode("utf-8", "replace")),
        )
        return True, tally.usage()

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _tally(self, call: Call) -> Tally:
        # Rendering a prompt takes as long as much else of a call: not where nothing is paid.
        is_free = self.price in (None, FREE)
        most = 0.0 if is_free else self._most_of_one(call.messages("json"), call.max_tokens)
        return Tally(call.kind, self.price, self.retries, most)

    async def _ask(self, call: Call, tally: Tally, read: Callable[..., Any]) -> tuple[Any, str]:
        """What `read` made of the answer, after one repair where needed; or None and why there is none."""
        try:
            completion, form = await self._first(call, tally)
            try:
                return read(self._checked(completion), form=form), ""
            except Misread as misread:
                again = call.repair(completion, str(misread))
            completion, form = await self._chat(again, tally)
            return read(self._checked(completion), form=form), ""
        except Misread as misread:
            return None, not_read(misread)
        except Declined as declined:
            return None, str(declined)

    def _checked(self, completion: Completion) -> Completion:
        if self._key.is_in(completion.content) or self._key.is_in(completion.refusal):
            raise Declined("the answer repeated the key of the server and was thrown away")
        return completion

    async def _first(self, call: Call, tally: Tally) -> tuple[Completion, str]:
        """The first call of a kind goes alone: it finds out what the server takes, and whether it answers at all."""
        line = self._transport.line()
        while call.kind not in self._features:
            if (probe := line.first.get(call.kind)) is not None:
                await asyncio.shield(probe)  # raises what went wrong for the first one
                continue
            probe = line.first[call.kind] = asyncio.get_running_loop().create_future()
            try:
                return await self._chat(call, tally)
            except CallFailed:
                raise  # about this call only: the next one tries
            except EngineError as error:
                probe.set_exception(EngineError(str(error)))
                probe.exception()  # there may be no one to hear it
                raise
            finally:
                del line.first[call.kind]
                if not probe.done():
                    probe.set_result(None)
        return await self._chat(call, tally)

    async def _chat(self, call: Call, tally: Tally) -> tuple[Completion, str]:
        """The completion and the form that was asked for."""
        features = self._features.get(call.kind, Features())
        while True:
            body = call.body(self.model, features)
            try:
                completion = await self._transport.post("chat", body, completion_of, tally)
            except Rejected as rejected:
                less = lower(features, rejected, call.settings)
                if less is None:
                    raise self._rejected(rejected, tally) from None
                features = less
                continue
            # What the first call found out holds; a later one that needed less is about its row, not about the server.
            self._features.setdefault(call.kind, features)
            tally.add(
                completion.prompt_tokens,
                completion.completion_tokens,
                sent=size_of(body["messages"]),
                received=len(completion.content.encode("utf-8", "replace")),
            )
            return completion, features.form

    def _rejected(self, rejected: Rejected, tally: Tally) -> CallFailed:
        return CallFailed(
            f"{self.base_url} rejected a request ({rejected}). Expected a server that speaks the OpenAI protocol. "
            "Check the model's name and what the server's log says.",
            usage=tally.usage(),
        )


def _messages(prompt: Prompt, form: str, **more: Any) -> Messages:
    return prompt.messages(form=form, **more)


def _without_credentials(address: str) -> tuple[str, str | None]:
    """The address without user, password and query, and the password: it is a key like any other."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", "")), parts.password


def _check(model: str, address: str, max_in_flight: int) -> None:
    if not model.strip():
        raise SettingError(
            "The model's name is empty. Expected one such as gpt-4o-mini. Give it after served: ."
        )
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        shown = Secret(parts.password).hide(address)
    except ValueError:  # brackets that do not close, a port that is no number
        is_address, shown = False, address.rpartition("@")[2]  # before it a password may stand
    if not is_address:
        raise SettingError(
            f"The address of the server must begin with http:// or https:// and name a host. "
            f"Got {shown!r}. Try http://localhost:8000/v1."
        )
    if max_in_flight < 1:
        raise SettingError(f"'max_in_flight' must be at least 1. Got {max_in_flight}. Try 32.")
