"""Reading what a served model answered; asking is elsewhere (`served.py`).

    completion_of(body)           the parts of a chat completion that matter, from the server's raw JSON
    rewrites_of(completion, n)    the texts in it
    label_of(completion, options) the label in it
    vectors_of(body, n)           the vectors of an embeddings answer
    content_of, object_in         the answer itself, and the JSON object in it; for `line_answers.py`, too

Reading is strict: what is not exactly the form that was asked for is a `Misread` with a reason that the model can be told
(one repair) and the user can read. Thinking tags and code fences are taken off first. An answer that was cut off is called
cut off, never bad JSON, and the whole texts before the cut are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_THINKING = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_THINKING_OPEN = re.compile(r"<(think|thinking|thought|reasoning)>.*\Z", re.DOTALL | re.IGNORECASE)
_THINKING_END = re.compile(r"\A.*</(think|thinking|thought|reasoning)\s*>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n(.*?)(?:\n?```\s*)?\Z", re.DOTALL)
_ITEM = re.compile(r"(\d{1,3})[.)][ \t]+(\S.*)")
_DECORATION = " \t\n\"'`*."
_MOST_TOKENS = 2**53  # beyond it a number is no count but nonsense, and too large for a price or the journal
_LEAST_LOG_P = (
    -100.0
)  # a token that is less likely was not chosen; a label of several such would have probability 0
_ROUNDED = 1e-3  # a log probability is at most 0, but for rounding
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Completion:
    """What a server answered to one request.

    finish: "stop", "length" (cut off), "content_filter" ... refusal: the model's own words where it declined.
    tokens: (token, its log probability, [(alternative, log probability)...]) where the server gives them.
    """

    content: str
    finish: str = "stop"
    refusal: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens: tuple[tuple[str, float, tuple[tuple[str, float], ...]], ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether the answer ended because it reached the length limit."""
        return self.finish == "length"


class BadBody(ValueError):  # noqa: N818 - says what came
    """The server's body is no chat completion. error: the error object it sent instead, if any."""

    def __init__(self, message: str, *, error: Any = None) -> None:
        self.error = error
        super().__init__(message)


class Misread(ValueError):  # noqa: N818 - says what happened
    """An answer is not in the form that was asked for; the message says why."""


class Declined(ValueError):  # noqa: N818 - says what happened
    """The model or its server declined to answer; asking again would not help."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of an answer, each different, and what was left out."""

    texts: tuple[str, ...]
    notes: tuple[str, ...] = ()


def completion_of(body: str) -> Completion:
    """The parts of a chat completion that matter; BadBody where the body is none."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise BadBody("the body is not JSON") from None
    if not isinstance(data, dict):
        raise BadBody("the body is not a JSON object")
    if data.get("error"):
        raise BadBody("the body is an error object", error=data["error"])
    try:
        choice = data["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise BadBody("the body has no choices[0].message") from None
    if not isinstance(content, str | None):
        raise BadBody("choices[0].message.content is not a text")
    prompt_tokens, completion_tokens = usage_of(data)
    return Completion(
        content=content or "",
        finish=str(choice.get("finish_reason") or "stop"),
        refusal=refusal if isinstance(refusal, str) else "",
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        tokens=_tokens(choice.get("logprobs")),
    )


def usage_of(body: Any) -> tuple[int, int]:
    """Tokens read and written, as the body says; 0 where it does not, or says something that is no count."""
    usage = body.get("usage") if isinstance(body, Mapping) else None
    usage = usage if isinstance(usage, Mapping) else {}
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def rewrites_of(completion: Completion, n: int, *, original: str = "", form: str = "json") -> Texts:
    """Up to n different texts; Misread or Declined where there are none to read.

    original: the text that was to be rewritten; a copy of it is dropped. form: "json" or "lines", as was asked for.
    """
    content = content_of(completion)
    items = _json_items(content, cut=completion.is_cut) if is_json(content, form) else _lines(content)
    if completion.is_cut and form == "lines" and not is_json(content, form):
        items = items[:-1]  # nothing says that the last line is whole
    if completion.is_cut and not items:
        raise Misread("the answer was cut off before its first text was complete")
    texts, notes = _clean(items, original)
    if completion.is_cut:
        notes.append("the answer was cut off; the texts before the cut are kept")
    if not texts and not notes:
        notes.append("the model gave no rewriting")
    return Texts(tuple(texts[:n]), tuple(notes))


def label_of(completion: Completion, options: Sequence[str], *, form: str = "json") -> str:
    """The option that was chosen; Misread or Declined where none can be read."""
    content = content_of(completion)
    known = {option.strip().casefold(): option for option in options}
    if is_json(content, form):
        value = object_in(content, cut=completion.is_cut).get("label")
        if not isinstance(value, str):
            raise Misread('the JSON object has no text under "label"')
    else:
        value = content if content in options else content.strip(_DECORATION)
    if value in options:
        return value
    # With labels that differ in case only ("Pos", "pos") just the exact one counts.
    if len(known) == len(options) and value.strip().casefold() in known:
        return known[value.strip().casefold()]
    if completion.is_cut:
        raise Misread("the answer was cut off before the label")
    raise Misread(f"the answer is not one of the labels {', '.join(map(repr, options))}")


def vectors_of(body: str, *, n: int) -> tuple[list[list[float]], int]:
    """The vectors in the order of the texts, and the tokens read."""
    try:
        data = json.loads(body)
        if data.get("error"):
            raise BadBody("the body is an error object", error=data["error"])
        rows = sorted(data["data"], key=lambda row: row["index"])
        vectors = [[float(value) for value in row["embedding"]] for row in rows]
    except (KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise BadBody("the body holds no embeddings") from None
    except ValueError as error:
        raise error if isinstance(error, BadBody) else BadBody("the body is not JSON") from None
    if len(vectors) != n or len({len(vector) for vector in vectors}) > 1 or not all(vectors):
        raise BadBody(f"expected {n} vectors of one length, got {len(vectors)}")
    return vectors, usage_of(data)[0]


def content_of(completion: Completion) -> str:
    """The content without thinking and fences; raises where the model declined or said nothing."""
    if completion.finish == "content_filter":
        raise Declined("the server's content filter stopped the answer")
    if completion.refusal:
        raise Declined(f"the model declined: {_short(completion.refusal)}")
    content = without_thinking(completion.content)
    if not content:
        if completion.is_cut:
            raise Misread("the answer was cut off before it began (the length limit went into thinking)")
        raise Misread("the answer is empty")
    return content


def without_thinking(content: str) -> str:
    """The answer itself, without what a model thought aloud and without a code fence around it.

    >>> without_thinking('<think>hm</think>```json\\n{"label": "a"}\\n```')
    '{"label": "a"}'
    """
    content = _THINKING.sub("", content)
    content = _THINKING_OPEN.sub("", content)  # cut off while thinking: nothing after it is an answer
    content = _THINKING_END.sub("", content)  # some servers swallow the opening tag
    content = content.strip()
    fence = _FENCE.match(content)
    return fence[1].strip() if fence else content


def is_json(content: str, form: str) -> bool:
    """Whether an answer is to be read as JSON: asked for, or given all the same."""
    return form == "json" or content.startswith("{")


def object_in(content: str, *, cut: bool) -> Mapping[str, Any]:
    """The JSON object that an answer is; Misread where it is none. cut: whether it was cut off."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        if cut:
            raise Misread("the answer was cut off in the middle of its JSON") from None
        raise Misread("the answer is not one JSON object") from None
    if not isinstance(value, dict):
        raise Misread("the answer is JSON but not an object")
    return value


def _json_items(content: str, *, cut: bool) -> list[str]:
    if cut:
        try:
            json.loads(content)
        except (ValueError, RecursionError):
            return _whole_items(content)
    items = object_in(content, cut=cut).get("rewrites")
    if not isinstance(items, list):
        raise Misread('the JSON object has no list under "rewrites"')
    if not all(isinstance(item, str) for item in items):
        raise Misread('the list under "rewrites" holds something that is not a text')
    return items


def _whole_items(content: str) -> list[str]:
    """The texts of a JSON answer that were complete when it was cut off.

    >>> _whole_items('{"rewrites": ["one", "two", "thr')
    ['one', 'two']
    """
    opening = re.match(r'\{\s*"rewrites"\s*:\s*\[', content)
    items: list[str] = []
    if opening is None:
        return items
    decoder, place = json.JSONDecoder(), opening.end()
    while True:
        place = re.compile(r"[\s,]*").match(content, place).end()  # type: ignore[union-attr]
        if not content.startswith('"', place):
            return items
        try:
            item, place = decoder.raw_decode(content, place)
        except ValueError:
            return items
        items.append(item)


def _lines(content: str) -> list[str]:
    """The texts of an answer in numbered lines; anything between them is an error."""
    if content.strip().rstrip(".").upper() == "NONE":
        return []
    items: list[str] = []
    for line in content.splitlines():
        if not line.strip():
            continue
        item = _ITEM.fullmatch(line.strip())
        if item is None or int(item[1]) != len(items) + 1:
            raise Misread(f'line {len(items) + 1} does not begin with "{len(items) + 1}. "')
        items.append(item[2])
    return items


def _clean(items: Sequence[str], original: str) -> tuple[list[str], list[str]]:
    """The texts that can be used, and what was wrong with the others."""
    texts: list[str] = []
    notes: list[str] = []
    seen = {_same(original)}
    for item in items:
        text = item.strip()
        if not text:
            notes.append("an empty text was dropped")
        elif CONTROL.search(text):
            notes.append("a text with control characters was dropped")
        elif _same(text) == _same(original):
            notes.append("a copy of the original was dropped")
        elif _same(text) in seen:
            notes.append("a text given twice was dropped")
        else:
            seen.add(_same(text))
            texts.append(text)
    return texts, notes


def _same(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    text = CONTROL.sub("", _same(text))
    return text if len(text) <= 200 else text[:199] + "…"


def _count(value: Any) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 < value <= _MOST_TOKENS else 0


def _tokens(logprobs: Any) -> tuple[tuple[str, float, tuple[tuple[str, float], ...]], ...]:
    """The tokens with their alternatives; nothing where the server sends them in no form we know."""
    try:
        tokens = tuple(
            (
                str(token["token"]),
                float(token["logprob"]),
                tuple((str(other["token"]), float(other["logprob"])) for other in token["top_logprobs"]),
            )
            for token in logprobs["content"]
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return ()
    are_likely = all(_LEAST_LOG_P < log_p <= _ROUNDED for _, log_p, _ in tokens)
    are_probabilities = all(log_p <= _ROUNDED for _, _, others in tokens for _, log_p in others)
    return tokens if are_likely and are_probabilities else ()
