"""Reading the answers of a served model. Nothing here sends anything.

    completion_of(body)             a chat completion, from the server's JSON
    texts_in(completion, ...)       the texts or lines in it, as `Written`
    label_in(completion, ...)       the label in it, as `Judgement`
    likelihoods(tokens, ...)        label probabilities, from the token probabilities of one greedy answer

Reading is tolerant about form: thinking tags, code fences and words around an answer are removed, JSON is read under other names (`answer_json.py`), numbered or
bulleted lines are read in place of JSON. It is strict about content: only what is marked as a text is one, never a remark, a refusal or a
piece of the prompt. Otherwise `Misread` is raised, with a reason that is given both to the model (for one repair; so keep its wording) and to the user. `Declined` is
raised if a repair would not help. An answer that was cut off is reported as such, never as bad JSON, and the complete texts before the cut are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

from longway.engines.answer_json import complete_texts, json_in, named_lines, texts_under
from longway.engines.engine import Judgement, Written

_THINKING = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_THINKING_OPEN = re.compile(r"<(think|thinking|thought|reasoning)>.*\Z", re.DOTALL | re.IGNORECASE)
_THINKING_END = re.compile(r"\A.*</(think|thinking|thought|reasoning)\s*>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n(.*?)(?:\n?```\s*)?\Z", re.DOTALL)
# "1. ", "2) ", "**3.** ", "- 4: ", "Rewriting 5: ", "(6) "
_ITEM = re.compile(
    r"(?:[-*•#>]+[ \t]+)?(?P<bold>\*\*|__)?(?:(?:rewrit\w+|versions?|options?|candidates?|paraphrases?|text)[ \t]+#?)?\(?"
    r"(?P<number>\d{1,3})[.):]+(?:\*\*|__)?:?[ \t]+(?P<text>\S.*)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[-*•][ \t]+(?P<text>\S.*)")
_LABEL_SAID = re.compile(
    r"(?:the\s+)?(?:label|answer|class|category|sentiment)\s*(?:is\s*:?|:|=)\s*", re.IGNORECASE
)
# Lines of an answer in lines: numbered, or named.
_MARKED_LINE = re.compile(
    r"[\W_]*(?:[12]-)?\d{1,3}[.):]|[\W_]*(?:principal|spurious|source|target|context|text)\b[^|]{0,12}:",
    re.IGNORECASE,
)
_LINE_NAMES = ("principal", "spurious", "source", "target", "context", "text")
# Remarks and refusals of a model, and the example texts of our prompts.
_REMARK = re.compile(
    r"(?:i'm|i’m|i am) (?:sorry|unable|afraid i)\b|sorry, (?:but )?i\b|i (?:cannot|can't|can’t|can not|won't) (?:help|assist|rewrite|do|fulfil|provide|comply|create|generate|answer)\b|"
    r"as an ai\b|(?:sure|certainly|of course|okay)[,!.:]+ here\b|here (?:is|are) (?:the|a|my|your|some|\d+|two|three|four)\b[^.]*:$|i hope this helps|let me know if\b",
    re.IGNORECASE,
)
_REMARK_LINE = re.compile(
    rf"{_REMARK.pattern}|(?:note|explanation|comment|changes?)\b[^.]{{0,30}}:", re.IGNORECASE
)
_FORM_TEXTS = frozenset({"first text", "second text", "the text", "...", "…"})
CUT_NOTE = "the answer was cut off; the texts before the cut are kept"
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
    items, is_cut = _items_in(content, form, original, is_cut=completion.is_cut)
    if is_cut and not items:
        raise Cut("the answer was cut off before its first text was complete")
    texts, notes = _clean(_without_numbers(items, original), original)
    if is_cut:
        notes.append(CUT_NOTE)
    if not texts and not notes:
        notes.append("the model gave no rewriting")
    return Written(tuple(texts[:n]), tuple(notes))


def lines_of(completion: Completion, *, form: str = "json") -> Written:
    """The lines of an answer as one text. An answer that was cut off cannot be used."""
    content = _content_of(completion)
    value = json_in(content) if _is_json(content, form) else None
    if value is None:
        if completion.is_cut:
            raise Misread("the answer was cut off, and lines may be missing")
        if form == "json" and not any(map(_MARKED_LINE.match, content.splitlines())):
            raise Misread("the answer is not one JSON object")
        lines = content.splitlines()
    else:
        items = named_lines(value, _LINE_NAMES) or texts_under(_with_bars(value), "lines")
        if items is None:
            raise Misread('the JSON object has no list of texts under "lines"')
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
    found = json_in(content) if _is_json(content, form) else None
    if found is not None:
        said = found.get("label") if isinstance(found, dict) else None
        texts = texts_under(found, "label") if said is None else [said]
        if texts is None or len(texts) != 1 or not isinstance(texts[0], str):
            raise Misread('the JSON object has no text under "label"')
        value = texts[0]
    else:
        value = content if content in options else content.strip(_DECORATION)
        value = value if value in options else _LABEL_SAID.sub("", value, count=1).strip(_DECORATION)
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
    """Whether to look for JSON in an answer: because it was requested, or because the model sent it anyway."""
    return form == "json" or content.startswith(("{", "["))


def _items_in(content: str, form: str, original: str, *, is_cut: bool) -> tuple[list[str], bool]:
    """The texts of an answer before they are cleaned, and whether it was cut off."""
    value = json_in(content) if _is_json(content, form) else None
    # An answer in JSON that breaks off is cut, whatever the server says.
    if _is_json(content, form) and (value is None or is_cut) and not _is_whole(content):
        items = complete_texts(content)
        if items is not None and (items or is_cut):
            return items, True
    if value is not None:
        texts = texts_under(value, "rewrites")
        if texts is None:
            raise Misread('the JSON object has no list of texts under "rewrites"')
        return texts, is_cut
    if is_cut and content.startswith(("{", "[")):
        return [], True
    items = _marked_items(content, original)
    if items is None:
        if form == "json":
            if is_cut:
                raise Cut("the answer was cut off before its first text was complete")
            raise Misread("the answer is not one JSON object")
        if is_cut:
            return [], True
        raise Misread('line 1 does not begin with "1. "')
    return (items[:-1] if is_cut else items), is_cut  # the last line may be incomplete


def _is_whole(content: str) -> bool:
    """Whether an answer is complete JSON."""
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


def _with_bars(value: object) -> object:
    """Triples in lists or objects as numbered lines; any other value unchanged.

    >>> _with_bars({"triples": [["It", "rains", ""], ["It", "is", "wet"]]})
    ['1. It | rains | ', '2. It | is | wet']
    """
    items = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value
    rows = (
        [list(item.values()) if isinstance(item, dict) else item for item in items]
        if isinstance(items, list)
        else []
    )
    if not rows or not all(
        isinstance(row, list) and len(row) == 3 and all(isinstance(part, str) for part in row) for row in rows
    ):
        return value
    return [f"{number}. {' | '.join(row)}" for number, row in enumerate(rows, 1)]


def _marked_items(content: str, original: str) -> list[str] | None:
    """The texts of an answer in numbered lines, or in bulleted ones; None if it has neither.

    Other lines before the first and after the last are remarks, unless the original has several lines itself. Between them they are an error.
    """
    if content.strip().rstrip(".").upper() == "NONE":
        return []
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    for mark in (_ITEM, _BULLET):
        found = [mark.fullmatch(line) for line in lines]
        places = [place for place, match in enumerate(found) if match]
        if not places:
            continue
        # A rule or a heading between two texts would be part of one of them.
        first, last = (0, len(lines) - 1) if "\n" in original.strip() else (places[0], places[-1])
        items: list[str] = []
        for match in found[first : last + 1]:
            number = len(items) + 1
            if match is None or (mark is _ITEM and int(match["number"]) != number):
                raise Misread(f'line {number} does not begin with "{number}. "')
            text = match["text"]
            items.append(text.removesuffix(match["bold"]) if mark is _ITEM and match["bold"] else text)
        return items
    return None


def _without_numbers(items: Sequence[str], original: str) -> list[str]:
    """Texts without the numbers 1, 2, 3 before them, if all have them and the original begins with none."""
    found = [_ITEM.fullmatch(item.strip()) for item in items]
    if _ITEM.match(original) or not items:
        return list(items)
    texts = [match["text"] for n, match in enumerate(found, 1) if match and int(match["number"]) == n]
    return texts if len(texts) == len(items) else list(items)


def _clean(items: Sequence[str], original: str) -> tuple[list[str], list[str]]:
    """The usable texts, and a note for each of the others."""
    texts: list[str] = []
    notes: list[str] = []
    source = _one_line(original)
    seen = {source}
    for item in items:
        text = in_form(item, original)
        if not text:
            notes.append("an empty text was dropped")
        elif _CONTROL.search(text):
            notes.append("a text with control characters was dropped")
        elif text.lower() in _FORM_TEXTS and text.lower() != source.lower():
            notes.append("an example text of the prompt was dropped")
        elif _REMARK.match(text) and not _REMARK.match(source):
            notes.append("a remark of the model was dropped")
        elif (line := _one_line(text)) == source:
            notes.append("a copy of the original was dropped")
        elif line in seen:
            notes.append("a repeated text was dropped")
        else:
            seen.add(line)
            texts.append(text)
    return texts, notes


def in_form(text: str, original: str) -> str:
    """A text with the outer form of the original: its lines, quotes and first letter are no part of what a model was asked for.

    Line breaks become spaces if the original has none, and paragraphs that are remarks go. Quotes around the text go if the original has
    none. The first letter becomes a capital if the original begins with one.

    >>> in_form('"it bored me.\\n\\nNote: I kept the label."', "The film was dull.")
    'It bored me.'
    """
    text = text.strip()
    if not original.strip():
        return _unquoted(text, original)
    if "\n" not in original.strip() and "\n" in text:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        text = " ".join(line for line in lines if not _REMARK_LINE.match(line)) or text
    text = _unquoted(text, original)
    if text.count('"') % 2 and not original.startswith('"') and original.count('"') % 2 == 0:
        text = text.removeprefix('"') if text.startswith('"') else text.removesuffix('"')
    if original[:1].isupper() and text[:1].islower() and not text[1:2].isupper():
        text = text[0].upper() + text[1:]
    return text.strip()


def _unquoted(text: str, original: str) -> str:
    """A text without the quotes around all of it, unless the original has them."""
    for opening, closing in ('""', "“”", "''", "‘’", "``"):
        inner = text[1:-1]
        is_quoted = len(text) > 2 and text[0] == opening and text[-1] == closing
        if is_quoted and opening not in inner and closing not in inner and original[:1] != opening:
            return inner.strip()
    return text


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
