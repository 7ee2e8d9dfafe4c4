"""The served engine: any server with an OpenAI-compatible API.

    engine = ServedEngine("gpt-4o-mini")                                         the OpenAI service; key from the environment
    engine = ServedEngine("llama3.2", base_url="http://localhost:11434/v1")      Ollama, vLLM, llama.cpp, LM Studio

Answers are requested by JSON schema. If a server rejects the schema or another parameter, later calls omit it, and plain-text
answers are read the same way. An answer that cannot be read gets one repair: the model is told what was wrong. After that
it is refused, with the reason; if this happens to the first five answers, the model is given up.
`transport.py` sends requests, `answers.py` reads answers.

The limit of an answer follows from the length of the row and the number of texts. Texts that do not fit into one answer, and those missing
from an answer that was cut off, are requested in further calls of fewer texts. A row too long for an answer of one text is refused.
`Asker` divides a long text that is to be rewritten into passages before (`passages.py`).
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from longway.engines.answers import (
    CUT_NOTE,
    Completion,
    Cut,
    Declined,
    Misread,
    TooLong,
    completion_of,
    label_in,
    refusal_of,
    texts_in,
)
from longway.engines.costs import FREE, Call, Price, price_of
from longway.engines.engine import Engine, Judgement, Sampling, Usage, Written
from longway.engines.prompt import Prompt
from longway.engines.secret import Secret, find_key
from longway.engines.transport import (
    AnswerRoom,
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
from longway.errors import BudgetSpent, CallFailed, EngineError, SettingError

SERVICE = "https://api.openai.com/v1"
READING = 2  # increases when answers are requested or read differently, so that old ones are not mixed with new ones
TOO_LONG_ROW = "the row is too long: a text like it needs an answer of more than {:,} tokens"
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
        self.name = f"served:{model}"
        self.max_in_flight = self.limits.max_in_flight
        self.price = price if price is not None else price_of(model, base_url=self.base_url)
        self._key = Secret(api_key or password) if api_key or password else find_key(self.base_url)
        self._transport = Transport(self.base_url, self._key, self.limits)
        self._features: dict[str, ServerFeatures] = {}  # by kind of call, once one was answered
        self._readable: set[str] = set()  # kinds of calls of which an answer was read
        self._misread: defaultdict[str, Counter[str]] = defaultdict(
            Counter
        )  # by kind, why answers could not be read

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
        return prompt.reads == "lines" or self.room.texts(prompt.text, n) >= n

    def _room(self, prompt: Prompt, n: int, sampling: Sampling) -> int:
        """Tokens for an answer of n texts, or of lines about the row and its context."""
        is_lines = prompt.reads == "lines"
        row = (prompt.text, prompt.context) if is_lines else (prompt.text,)
        return self.room.tokens(*row, n=1 if is_lines else n, least=sampling.max_tokens)

    def first_write_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """The first request; the others are reserved one by one."""
        if self.price in (None, FREE):
            return 0.0
        share = n if prompt.reads == "lines" else max(1, self.room.texts(prompt.text, n))
        return self._request_cost(prompt.messages(form="json", n=share), self._room(prompt, share, sampling))

    def first_judge_cost(self, prompt: Prompt, options: Sequence[str]) -> float:
        """The first request; the others are reserved one by one."""
        if self.price in (None, FREE):
            return 0.0
        return self._request_cost(prompt.messages(form="json", options=tuple(options)), self.judge_tokens)

    def _request_cost(self, messages: Messages, max_tokens: int) -> float:
        """The most that one request can cost: a token has at least one byte."""
        return 0.0 if self.price is None else self.price.of(size_of(messages), max_tokens)

    def write_call(self, prompt: Prompt, n: int, sampling: Sampling, part: int = 0) -> ChatCall:
        """The request for texts. part: its number, if the texts are requested in several."""
        settings = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "seed": (sampling.seed * 1_000_003 + sampling.sample + 7919 * part) % 2**31,
        }
        messages, room = partial(_messages, prompt, n=n), self._room(prompt, n, sampling)
        return ChatCall("write", messages, schema_of(prompt), settings, room, prompt.reads)

    def judge_call(self, prompt: Prompt, options: Sequence[str]) -> ChatCall:
        """The request for a label."""
        names = tuple(options)
        settings = {"temperature": 0.0, "seed": 0, "logprobs": True, "top_logprobs": 5}
        schema = object_of("label", {"type": "string", "enum": list(names)})
        messages = partial(_messages, prompt, options=names)
        return ChatCall("judge", messages, schema, settings, self.judge_tokens)

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """Up to n different texts; one answer if the prompt reads lines."""
        tally = self._tally("write", call)
        if prompt.reads == "lines":
            read = partial(texts_in, reads="lines", n=n, original=prompt.text)
            written, refusal = await self._ask(self.write_call(prompt, n, sampling), tally, read)
            return replace(written or Written((), (refusal,)), usage=tally.usage())
        return replace(await self._write_texts(prompt, n, sampling, tally), usage=tally.usage())

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
            read = partial(texts_in, reads="texts", n=wanted, original=prompt.text)
            try:
                written = await self._answer(call, tally, read, may_shrink=wanted > 1)
            except (Cut, TooLong) as error:
                if wanted == 1:
                    notes.append(_reason(error))
                    break
                share = wanted // 2
                continue
            except (Misread, Declined) as error:
                notes.append(_reason(error))
                break
            except (CallFailed, BudgetSpent):
                if not texts:
                    raise
                break  # what was paid for is used
            texts.update(dict.fromkeys(written.texts))
            notes += written.refusals
            is_cut = CUT_NOTE in written.refusals
            if len(texts) == known or (len(written.texts) < wanted and not is_cut):
                break
            share = len(written.texts) if is_cut else share
        return Written(tuple(texts), tuple(dict.fromkeys(notes) if texts else notes))

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """Probabilities from the tokens' probabilities if the server sends them; otherwise 1 for its answer."""
        tally, read = self._tally("judge", call), partial(label_in, options=tuple(options))
        judged, refusal = await self._ask(self.judge_call(prompt, options), tally, read)
        return replace(judged or Judgement({}, refusal), usage=tally.usage())

    async def responds(self, call: Call | None = None) -> tuple[bool, Usage | None]:
        """Whether the server answers one small request, sent once."""
        features = next(iter(self._features.values()), ServerFeatures())
        body = {"model": self.model, "messages": _PROBE, features.length: _PROBE_TOKENS}
        tally = CallTally("probe", self.price, 0, call)
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

    def _tally(self, kind: str, call: Call | None) -> CallTally:
        return CallTally(kind, self.price, self.limits.retries, call)

    async def _ask(self, call: ChatCall, tally: CallTally, read: Callable[..., Any]) -> tuple[Any, str]:
        """What `read` made of the answer; or None and the reason."""
        try:
            return await self._answer(call, tally, read), ""
        except (Misread, Declined) as error:
            return None, _reason(error)

    async def _answer(
        self, call: ChatCall, tally: CallTally, read: Callable[..., Any], *, may_shrink: bool = False
    ) -> Any:
        """What `read` made of the answer. may_shrink: raise Cut instead of a repair.

        The first call of a kind runs alone: it finds out what the server supports, and whether it answers at all.
        So do the next ones as long as no answer had the requested form. A model whose first answers all have another
        form is given up.
        """
        running, misread = self._transport.connections().first, self._misread[call.kind]
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
        self, call: ChatCall, tally: CallTally, read: Callable[..., Any], may_shrink: bool
    ) -> Any:
        """What `read` made of the answer, after one repair if necessary."""
        completion, form = await self._chat(call, tally)
        try:
            answer = read(self._checked(completion), form=form)
        except Misread as misread:
            self._misread[call.kind][str(misread)] += 1
            if may_shrink and isinstance(misread, Cut):
                raise
            completion, form = await self._chat(call.repair(completion, str(misread)), tally)
            answer = read(self._checked(completion), form=form)
        self._readable.add(call.kind)
        return answer

    def _checked(self, completion: Completion) -> Completion:
        if self._key.is_in(completion.content) or self._key.is_in(completion.refusal):
            raise Declined("the answer contained the server's key and was discarded")
        return completion

    async def _chat(self, call: ChatCall, tally: CallTally) -> tuple[Completion, str]:
        """The completion and the form that was requested."""
        features = self._features.get(call.kind, ServerFeatures())
        while True:
            body = call.body(self.model, features)
            tally.max_cost = self._request_cost(body["messages"], call.max_tokens)
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


def _reason(error: Misread | Declined) -> str:
    return refusal_of(error) if isinstance(error, Misread) else str(error)


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
