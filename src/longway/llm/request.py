"""What is sent to a server: the request for one question, and what it is without the parts that a server does not know."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from longway.llm.answers import Completion, Declined
from longway.llm.engine import Sampling
from longway.llm.prompt import Prompt
from longway.llm.transport import Rejected, tokens_in

Messages = list[dict[str, str]]
_TOO_LONG = (
    "context_length", "context length", "maximum context", "context window", "context size",
    "too many tokens", "prompt is too long",
)  # fmt: skip
_LEAST_ROOM = Sampling().max_tokens
_LONGEST_TOKEN = 8  # characters; a whole answer has fewer a token on average
_AROUND = 256  # tokens of thinking aloud, numbers and JSON
_FILTERED = ("content_filter", "content management policy", "content policy", "moderation")


@dataclass(frozen=True, slots=True)
class Features:
    """What a server takes, as far as we know.

    length: its name for the longest answer. without: parameters it does not know.
    """

    schema: bool = True
    logprobs: bool = True
    length: str = "max_tokens"
    without: frozenset[str] = frozenset()

    @property
    def form(self) -> str:
        """The form in which an answer is asked for."""
        return "json" if self.schema else "lines"


@dataclass(frozen=True, slots=True)
class Call:
    """One question, before it is known what the server takes.

    messages: the conversation, given the form of the answer. settings: parameters that a server may not know.
    reads: as in `Prompt`.
    """

    kind: str
    messages: Callable[[str], Messages]
    schema: Mapping[str, Any]
    settings: Mapping[str, Any]
    max_tokens: int
    reads: str = "texts"

    def body(self, model: str, features: Features) -> dict[str, Any]:
        """The request for a server with these features."""
        without = features.without if features.logprobs else features.without | {"logprobs", "top_logprobs"}
        body = {name: value for name, value in self.settings.items() if name not in without}
        body |= {"model": model, "messages": self.messages(features.form), features.length: self.max_tokens}
        if features.schema:
            schema = {"name": self.kind, "strict": True, "schema": self.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def repair(self, answer: Completion, wrong: str) -> Call:
        """The same question again, telling what was wrong with the first answer; one that was cut off gets twice the room."""
        first, more = self.messages, repair_messages(answer, wrong, self.max_tokens)
        longer = self.max_tokens * (2 if answer.is_cut else 1)
        return replace(self, messages=lambda form: [*first(form), *more], max_tokens=longer)


def repair_messages(answer: Completion, wrong: str, max_tokens: int) -> Messages:
    """What is said after an answer that cannot be used, for the model to give another.

    An answer that is longer than so many tokens can be came from a server that keeps to no limit: it is cut, since it is paid
    for again when it is read back.
    """
    content, most = answer.content or "(nothing)", _LONGEST_TOKEN * max_tokens
    told = (
        f"Your answer cannot be used: {wrong}. "
        "Answer again, in exactly the form that was asked for, and with nothing else."
    )
    return [
        {"role": "assistant", "content": content if len(content) <= most else content[:most] + "…"},
        {"role": "user", "content": told},
    ]


def lower(features: Features, rejected: Rejected, settings: Collection[str]) -> Features | None:
    """What to ask for instead, after the server rejected a request; None where nothing is left to try.

    settings: the names of the call's. Raises Declined where the row is the reason: no other request would help.
    """
    said = f"{rejected.reason} {rejected.code} {rejected.param}".lower()
    if any(words in said for words in _FILTERED):
        raise Declined("the server's content filter stopped the request")
    if any(words in said for words in _TOO_LONG) or rejected.status == 413:
        raise Declined("the row is too long for the model")
    has_logprobs = features.logprobs and "logprobs" in settings
    if "logprobs" in said and has_logprobs:
        return replace(features, logprobs=False)
    if "max_tokens" in said and features.length == "max_tokens":
        return replace(features, length="max_completion_tokens")
    for name in ("temperature", "top_p", "seed"):
        if name in said and name in settings and name not in features.without:
            return replace(features, without=features.without | {name})
    if features.schema:
        return replace(features, schema=False)  # the likeliest reason, whatever the words
    return replace(features, logprobs=False) if has_logprobs else None


def object_of(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with one member."""
    return {
        "type": "object",
        "properties": {name: value},
        "required": [name],
        "additionalProperties": False,
    }


REWRITES = object_of("rewrites", {"type": "array", "items": {"type": "string"}})
LINES = object_of("lines", {"type": "array", "items": {"type": "string"}})


def schema_of(prompt: Prompt) -> Mapping[str, Any]:
    """The JSON schema of an answer to the prompt."""
    return LINES if prompt.reads == "lines" else REWRITES


def tokens_for(*texts: str | None, n: int = 1) -> int:
    """Room for n answers about as long as these texts together; enough for their triples as well.

    >>> tokens_for("short"), tokens_for("word " * 2000, n=2)
    (512, 10256)
    """
    size = sum(len(text.encode("utf-8", "replace")) for text in texts if text)
    return max(_LEAST_ROOM, 2 * n * tokens_in(size) + _AROUND)


def size_of(messages: Messages) -> int:
    """Bytes of the messages, and some for what a server puts around each."""
    return sum(len(message["content"].encode("utf-8", "replace")) + 16 for message in messages)
