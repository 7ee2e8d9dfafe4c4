"""Reading the answers of a served model. Nothing here sends anything.

    completion_of(body)             a chat completion, from the server's JSON
    texts_in(completion, ...)       the texts or lines in it, as `Written`
    label_in(completion, ...)       the label in it, as `Judgement`
    likelihoods(tokens, ...)        label probabilities, from the token probabilities of one greedy answer

Reading is strict: an answer that is not exactly in the requested form raises `Misread`, with a reason that is given both to the model
(for one repair; so keep its wording) and to the user. `Declined` is raised if a repair would not help. Thinking tags and code fences are removed
first. An answer that was cut off is reported as such, never as bad JSON, and the complete texts before the cut are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

from longway.engines.engine import Judgement, Written

_THINKING = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_THINKING_OPEN = re.compile(r"<(think|thinking|thought|reasoning)>.*\Z", re.DOTALL | re.IGNORECASE)
_THINKING_END = re.compile(r"\A.*</(think|thinking|thought|reasoning)\s*>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n(.*?)(?:\n?```\s*)?\Z", re.DOTALL)
_ITEM = re.compile(r"(\d{1,3})[.)][ \t]+(\S.*)")
_REWRITES = re.compile(r'\{\s*"rewrites"\s*:\s*\[')
_DECORATION = " \t\n\"'`*."
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_MAX_TOKENS = 2**53  # larger numbers are not counts, and too large for a price or the journal
_MIN_LOG_P = -100.0  # a chosen token is not less likely; a label of several such would have probability 0
_ROUNDING = 1e-3  # a log probability is at most 0, except for rounding
# (token, its log probability, ((alternative, log probability), ...)), in the order of the answer
Tokens = Sequence[tuple[str, float, Sequence[tuple[str, float]]]]


@dataclass(frozen=True, slots=True)
class Completion:
    """A server's answer to one request.

    finish: "stop", "length" (cut off), "content_filter" ... refusal: the model's message if it declined.
    tokens: token probabilities, if the server sends them.
    """

    content: str
    finish: str = "stop"
    refusal: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tokens: Tokens = ()

    @property
    def is_cut(self) -> bool:
        """Whether the answer reached the length limit."""
        return self.finish == "length"


class BadBody(ValueError):  # noqa: N818 - names what was received
    """The body is not a chat completion. error: the error object it contains, if any."""

    def __init__(self, message: str, *, error: Any = None) -> None:
        self.error = error
        super().__init__(message)


class Misread(ValueError):  # noqa: N818 - says what happened
    """An answer is not in the requested form; the message says why."""


class Declined(ValueError):  # noqa: N818 - says what happened
    """The model or its server declined to answer; asking again would not help."""


class Cut(Misread):
    """An answer was cut off before its first text was complete."""


class TooLong(Declined):
    """The request or its answer is longer than the server allows; one for fewer texts may not be."""


def completion_of(body: str) -> Completion:
    """The chat completion in a response body; raises BadBody if there is none."""
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
        tokens=_tokens_of(choice.get("logprobs")),
    )


def usage_of(body: object) -> tuple[int, int]:
    """Prompt and completion tokens in a response body; 0 if missing or not a count."""
    usage = body.get("usage") if isinstance(body, Mapping) else None
    usage = usage if isinstance(usage, Mapping) else {}
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def texts_in(completion: Completion, *, form: str, reads: str, n: int, original: str) -> Written:
    """Up to n different texts, or one answer in lines. form: "json" or "lines", as requested; reads: see `Prompt`."""
    if reads == "lines":
        return lines_of(completion, form=form)
    return rewrites_of(completion, n, original=original, form=form)


def label_in(completion: Completion, *, form: str, options: Sequence[str]) -> Judgement:
    """Label probabilities, from the token probabilities if the server sends them; otherwise 1 for its answer."""
    names = tuple(options)
    return Judgement(likelihoods(completion.tokens, label_of(completion, names, form=form), names))


def refusal_of(misread: Misread) -> str:
    """The refusal for an answer that could not be read after its repair."""
    return f"the answer could not be read, not even after a repair: {misread}"


def rewrites_of(completion: Completion, n: int, *, original: str = "", form: str = "json") -> Written:
    """Up to n different texts, with a note for each that was dropped. original: the source text; copies of it are dropped."""
    content = _content_of(completion)
    is_json = _is_json(content, form)
    items = _json_items(content, cut=completion.is_cut) if is_json else _numbered_items(content)
    if completion.is_cut and form == "lines" and not is_json:
        items = items[:-1]  # the last line may be incomplete
    if completion.is_cut and not items:
        raise Cut("the answer was cut off before its first text was complete")
    texts, notes = _clean(items, original)
    if completion.is_cut:
        notes.append("the answer was cut off; the texts before the cut are kept")
    if not texts and not notes:
        notes.append("the model gave no rewriting")
    return Written(tuple(texts[:n]), tuple(notes))


def lines_of(completion: Completion, *, form: str = "json") -> Written:
    """The lines of an answer as one text. An answer that was cut off cannot be used."""
    content = _content_of(completion)
    is_json = _is_json(content, form)
    if completion.is_cut and not is_json:
        raise Misread("the answer was cut off, and lines may be missing")
    lines = content.splitlines()
    if is_json:
        items = _list_in(content, "lines", cut=completion.is_cut)
        lines = [line for item in items for line in item.splitlines()]
    kept = [line.strip() for line in lines if line.strip()]
    if not kept:
        raise Misread("the answer has no lines")
    if any(_CONTROL.search(line.replace("\t", " ")) for line in kept):
        raise Misread("a line has control characters")
    return Written(("\n".join(kept),))


def label_of(completion: Completion, options: Sequence[str], *, form: str = "json") -> str:
    """The chosen option."""
    content = _content_of(completion)
    known = {option.strip().casefold(): option for option in options}
    if _is_json(content, form):
        value = _object_in(content, cut=completion.is_cut).get("label")
        if not isinstance(value, str):
            raise Misread('the JSON object has no text under "label"')
    else:
        value = content if content in options else content.strip(_DECORATION)
    if value in options:
        return value
    # If labels differ only in case ("Pos", "pos"), only the exact one counts.
    if len(known) == len(options) and value.strip().casefold() in known:
        return known[value.strip().casefold()]
    if completion.is_cut:
        raise Misread("the answer was cut off before the label")
    raise Misread(f"the answer is not one of the labels {', '.join(map(repr, options))}")


def without_thinking(content: str) -> str:
    """The answer without thinking tags and without a code fence around it.

    >>> without_thinking('<think>hm</think>```json\\n{"label": "a"}\\n```')
    '{"label": "a"}'
    """
    content = _THINKING.sub("", content)
    content = _THINKING_OPEN.sub("", content)  # cut off while thinking: no answer follows
    content = _THINKING_END.sub("", content)  # some servers omit the opening tag
    content = content.strip()
    fence = _FENCE.match(content)
    return fence[1].strip() if fence else content


def likelihoods(tokens: Tokens, chosen: str, options: Sequence[str]) -> dict[str, float]:
    """The probability of each option, summing to 1; 1.0 for the chosen one if the tokens do not determine them.

    For each token of the answer the server lists alternatives. The probability of an alternative that begins another label ("REF"
    instead of "SUP") goes to that label. The walk ends at the first token that only one label can follow; the remaining
    probability goes to the chosen label.

    >>> tokens = [("yes", -0.2231, [("yes", -0.2231), ("no", -1.6094)])]
    >>> {label: round(p, 2) for label, p in likelihoods(tokens, "yes", ["yes", "no"]).items()}
    {'yes': 0.8, 'no': 0.2}
    """
    mass = dict.fromkeys(options, 0.0)
    start = _start_of(chosen, "".join(token for token, _, _ in tokens))
    reach, place = 1.0, 0  # probability of the answer so far, and its length
    for token, log_p, alternatives in tokens if start is not None else ():
        assert start is not None
        if place + len(token) > start:
            for other, other_log_p in alternatives:
                if other and other != token and (fits := _fitting(place - start, other, chosen, options)):
                    for option in fits:
                        mass[option] += reach * exp(other_log_p) / len(fits)
            reach *= exp(log_p)
            if len(_fitting(place - start, token, chosen, options)) <= 1:
                break
        place += len(token)
    mass[chosen] += reach
    total = sum(mass.values())
    if not total > 0:  # underflow
        return {option: float(option == chosen) for option in options}
    return {option: p / total for option, p in mass.items()}


def _start_of(chosen: str, answer: str) -> int | None:
    """The position of the label in the answer: the last one, since a model may discuss labels first."""
    for written in (json.dumps(chosen, ensure_ascii=False)[1:-1], chosen):
        if (start := answer.rfind(written)) >= 0:
            return start
    start = answer.casefold().rfind(chosen.casefold())
    return start if start >= 0 else None


def _fitting(place: int, token: str, chosen: str, options: Sequence[str]) -> list[str]:
    """The options that are still possible if `token` follows `place` characters of the chosen one.

    A negative place means that the token begins before the label, with its quote.
    """
    if place >= 0:
        so_far = (chosen[:place] + token).casefold()
    elif len(token) > -place:
        so_far = token[-place:].casefold()
    else:
        return []
    return [option for option in options if _agree(so_far, option.casefold())]


def _agree(so_far: str, option: str) -> bool:
    """Whether the answer so far is a prefix of the option, or the option and what may follow it."""
    if len(so_far) <= len(option):
        return option.startswith(so_far)
    return so_far.startswith(option) and not so_far[len(option)].isalnum()


def _content_of(completion: Completion) -> str:
    """The content without thinking and fences; raises if the model declined or the answer is empty."""
    if completion.finish == "content_filter":
        raise Declined("the server's content filter stopped the answer")
    if completion.refusal:
        raise Declined(f"the model declined: {_short(completion.refusal)}")
    content = without_thinking(completion.content)
    if not content:
        if completion.is_cut:
            raise Cut("the answer was cut off before it began (the length limit went into thinking)")
        raise Misread("the answer is empty")
    return content


def _is_json(content: str, form: str) -> bool:
    """Whether to read an answer as JSON: because it was requested, or because the model sent it anyway."""
    return form == "json" or content.startswith("{")


def _object_in(content: str, *, cut: bool) -> Mapping[str, object]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        if cut:
            raise Misread("the answer was cut off in the middle of its JSON") from None
        raise Misread("the answer is not one JSON object") from None
    if not isinstance(value, dict):
        raise Misread("the answer is JSON but not an object")
    return value


def _list_in(content: str, name: str, *, cut: bool) -> list[str]:
    items = _object_in(content, cut=cut).get(name)
    if not isinstance(items, list):
        raise Misread(f'the JSON object has no list under "{name}"')
    if not all(isinstance(item, str) for item in items):
        raise Misread(f'the list under "{name}" holds something that is not a text')
    return items


def _json_items(content: str, *, cut: bool) -> list[str]:
    if cut:
        try:
            json.loads(content)
        except (ValueError, RecursionError):
            return _complete_items(content)
    return _list_in(content, "rewrites", cut=cut)


def _complete_items(content: str) -> list[str]:
    """The complete texts of a JSON answer that was cut off.

    >>> _complete_items('{"rewrites": ["one", "two", "thr')
    ['one', 'two']
    """
    opening = _REWRITES.match(content)
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


def _numbered_items(content: str) -> list[str]:
    """The texts of an answer in numbered lines; anything else between them is an error."""
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
    """The usable texts, and a note for each of the others."""
    texts: list[str] = []
    notes: list[str] = []
    source = _one_line(original)
    seen = {source}
    for item in items:
        text = item.strip()
        if not text:
            notes.append("an empty text was dropped")
        elif _CONTROL.search(text):
            notes.append("a text with control characters was dropped")
        elif (line := _one_line(text)) == source:
            notes.append("a copy of the original was dropped")
        elif line in seen:
            notes.append("a repeated text was dropped")
        else:
            seen.add(line)
            texts.append(text)
    return texts, notes


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    text = _CONTROL.sub("", _one_line(text))
    return text if len(text) <= 200 else text[:199] + "…"


def _count(value: object) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MAX_TOKENS
    return int(value) if is_count else 0  # type: ignore[call-overload]


def _tokens_of(logprobs: Any) -> Tokens:
    """The tokens with their alternatives; empty if the server sends none, or in an unknown form."""
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
    are_likely = all(_MIN_LOG_P < log_p <= _ROUNDING for _, log_p, _ in tokens)
    are_probabilities = all(log_p <= _ROUNDING for _, _, others in tokens for _, log_p in others)
    return tokens if are_likely and are_probabilities else ()
