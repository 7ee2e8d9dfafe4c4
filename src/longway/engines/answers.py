"""Reading the answers of language models. Nothing here sends anything.

    completion_of(body)                 a chat completion, from the server's JSON
    texts_in(completion, ...)           the texts in it, or its lines, and notes on those that were dropped
    label_of(completion, options)       the label in it; `likelihoods` has the probabilities, from those of the answer's tokens
    read_identified, read_picked ...    what an answer in lines says; triples are read by `english/triples/triple.py`

Every prompt asks for one JSON object with one name: texts under "rewrites", lines under "lines", a label under "label". Thinking tags, code fences and words
around the object are removed; it may have trailing commas or be cut off. What has another form is no answer, and neither is a remark, a refusal or a piece of
the prompt. Anything else raises `Unreadable`, with a reason that is given both to the model, for one repair, and to
the user; so keep its wording. An answer that was cut off is reported as such, never as bad JSON, and the complete texts before the cut are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

from longway.english.triples.triple import BadTriples
from longway.english.words import listed_words

_THINKING = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_THINKING_OPEN = re.compile(r"<(think|thinking|thought|reasoning)>.*\Z", re.DOTALL | re.IGNORECASE)
_THINKING_END = re.compile(r"\A.*</(think|thinking|thought|reasoning)\s*>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n(.*?)(?:\n?```\s*)?\Z", re.DOTALL)
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


class Unreadable(BadTriples):
    """An answer cannot be used; the message says why.

    is_final: the model or its server declined, so that asking again would not help. is_too_long: the answer was cut off before its first text
    was complete, or the row is too long; fewer texts in one answer may fit.
    """

    def __init__(self, reason: str, *, is_final: bool = False, is_too_long: bool = False) -> None:
        self.is_final, self.is_too_long = is_final, is_too_long
        super().__init__(reason)

    @property
    def refusal(self) -> str:
        """The refusal for an answer that could not be read after its repair."""
        if self.is_final:
            return str(self)
        return f"the answer could not be read, not even after a repair: {self}"


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


def texts_in(
    completion: Completion, n: int, *, original: str = ""
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Up to n different texts, and a note for each that was dropped. original: the source text; copies of it are dropped."""
    content = _content_of(completion)
    items, is_cut = _items_in(content, is_cut=completion.is_cut)
    if is_cut and not items:
        raise Unreadable("the answer was cut off before its first text was complete", is_too_long=True)
    numbered = list(zip(items, (f"{number}. " for number in range(1, len(items) + 1)), strict=True))
    if not original.startswith("1. ") and all(item.startswith(number) for item, number in numbered):
        items = [item.removeprefix(number) for item, number in numbered]
    texts, notes = _clean(items, original)
    if is_cut:
        notes.append(CUT_NOTE)
    if not texts and not notes:
        notes.append("the model gave no rewriting")
    return tuple(texts[:n]), tuple(notes)


def lines_in(completion: Completion) -> str:
    """The lines of an answer as one text. An answer that was cut off cannot be used."""
    value = json_in(_content_of(completion))
    if value is None and completion.is_cut:
        raise Unreadable("the answer was cut off, and lines may be missing")
    items = _texts_of(value, "lines")
    kept = [line.strip() for item in items for line in item.splitlines() if line.strip()]
    if not kept:
        raise Unreadable("the answer has no lines")
    if any(_CONTROL.search(line.replace("\t", " ")) for line in kept):
        raise Unreadable("a line has control characters")
    return "\n".join(kept)


def label_of(completion: Completion, options: Sequence[str]) -> str:
    """The chosen option."""
    content = _content_of(completion)
    found = json_in(content)
    if found is not None:
        texts = _texts_of(found, "label")
        value = texts[0] if len(texts) == 1 else ""
    else:
        value = content if content in options else content.strip(_DECORATION)
    if value in options:
        return value
    known = {option.strip().casefold(): option for option in options}
    # If labels differ only in case ("Pos", "pos"), only the exact one counts.
    if len(known) == len(options) and value.strip().casefold() in known:
        return known[value.strip().casefold()]
    if completion.is_cut:
        raise Unreadable("the answer was cut off before the label")
    raise Unreadable(f"the answer is not one of the labels {', '.join(map(repr, options))}")


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
        raise Unreadable("the server's content filter stopped the answer", is_final=True)
    if completion.refusal:
        declined = _short(_CONTROL.sub("", _one_line(completion.refusal)), 200)
        raise Unreadable(f"the model declined: {declined}", is_final=True)
    content = without_thinking(completion.content)
    if content:
        return content
    if completion.is_cut:
        why = "the answer was cut off before it began (the length limit went into thinking)"
        raise Unreadable(why, is_too_long=True)
    raise Unreadable("the answer is empty")


def _items_in(content: str, *, is_cut: bool) -> tuple[list[str], bool]:
    """The texts of an answer before they are cleaned, and whether it was cut off."""
    value = json_in(content)
    # An answer in JSON that breaks off is cut, whatever the server says.
    if (value is None or is_cut) and not _is_whole(content):
        items = complete_texts(content)
        if items is not None and (items or is_cut):
            return items, True
        if value is None and is_cut:
            return [], True
    return _texts_of(value, "rewrites"), is_cut


def _texts_of(value: object, name: str) -> list[str]:
    """The texts under a name in the JSON value of an answer."""
    if value is None:
        raise Unreadable("the answer is not one JSON object")
    texts = texts_under(value, name)
    if texts is None:
        raise Unreadable(f'the JSON object has no list of texts under "{name}"')
    return texts


def _is_whole(content: str) -> bool:
    """Whether an answer is complete JSON."""
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


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


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


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


# ---------------------------------------------------------------- JSON

_DECODER = json.JSONDecoder(strict=False)  # a text may have a line break
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.DOTALL)
_STARTS = 16  # places tried as the start of a value
_LIST = re.compile(r'(?:"[\w -]{1,30}"\s*:\s*)?\[\s*(?=")')
_BETWEEN = re.compile(r"[\s,]*")


def json_in(content: str) -> object | None:
    """The JSON object or list in an answer, whatever is around it.

    Values one after the other, such as JSON lines, are one list; if there are words between them, the last one counts.

    >>> json_in('Here you are: {"rewrites": ["one", "two",]} Enjoy!')
    {'rewrites': ['one', 'two']}
    """
    content = _TRAILING_COMMA.sub(lambda match: match[1] or "", content)
    values: list[object] = []
    place = tried = 0
    while tried < _STARTS and (start := re.compile(r"[{\[]").search(content, place)):
        tried += 1
        try:
            value, end = _DECODER.raw_decode(content, start.start())
        except (ValueError, RecursionError):
            place = start.end()
            continue
        if content[place : start.start()].strip(" \n\r\t,"):
            values.clear()
        if value:
            values.append(value)
            tried = 0
        place = end
    return values[0] if len(values) == 1 else values or None


def texts_under(value: object, name: str) -> list[str] | None:
    """The texts of a text, of a list, or under a name in an object; None if there are others or none.

    >>> texts_under([{"rewrites": ["one", "two"]}, {"rewrites": "three"}], "rewrites"), texts_under({"comment": "one"}, "rewrites")
    (['one', 'two', 'three'], None)
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        parts = [texts_under(item, name) for item in value]
        return None if None in parts else [text for part in parts if part is not None for text in part]
    return texts_under(value[name], name) if isinstance(value, dict) and name in value else None


def complete_texts(content: str) -> list[str] | None:
    """The complete texts of a list that was cut off; None if it is broken before its end.

    >>> complete_texts('{"rewrites": ["one", "two", "thr'), complete_texts('{"rewrites": ["he said "no"", "two"]}')
    (['one', 'two'], None)
    """
    opening = _LIST.search(content)
    if opening is None:
        return None
    items: list[str] = []
    place = opening.end()
    while content.startswith('"', place):
        try:
            item, end = _DECODER.raw_decode(content, place)
        except ValueError:
            return None if re.search(r'[^\\]"', content[place + 1 :]) else items
        after = _BETWEEN.match(content, end)
        assert after is not None  # it matches nothing, too
        if after.end() < len(content) and content[after.end()] not in '"]':
            return None
        if after.end() < len(content) and content[after.end()] == '"' and "," not in after.group():
            return None
        items.append(item)
        place = after.end()
    return items


# ---------------------------------------------------------------- answers in lines

_NONE = frozenset({"", "none", "-", "n/a"})
_AROUND_A_WORD = "\"'“”‘’`*. "
_PLACEHOLDERS = frozenset({"word", "words"})
_FUNCTION_WORDS = listed_words(__name__).function_words
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)")  # "dull (0.9)"


def read_identified(answer: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The principal and the spurious words, in the order given.

    >>> read_identified("principal: dull, weak\\nspurious: Spielberg")
    (('dull', 'weak'), ('Spielberg',))
    """
    parts = _two(answer, "principal", "spurious", may_repeat=True)
    principal, spurious = (_words(part) for part in parts)
    decisive = {word.lower() for word in principal}  # a word of both kinds counts as principal
    spurious = tuple(word for word in spurious if word.lower() not in decisive)
    if not principal and not spurious:
        raise Unreadable("no word is named")
    return principal, spurious


def read_picked(answer: str, n_source: int, n_target: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The positions of the picked triples on each side, sorted and counted from 0; at least one on each side.

    n_source, n_target: the number of triples to pick from.

    >>> read_picked("source: 1, 3\\ntarget: 2", 3, 2)
    ((0, 2), (1,))
    """
    source, target = _two(answer, "source", "target")
    return _positions(source, n_source, "source"), _positions(target, n_target, "target")


def read_pair(answer: str) -> tuple[str, str]:
    """The context and the text of an answer in two lines.

    >>> read_pair("context: It rains.\\ntext: It is wet outside.")
    ('It rains.', 'It is wet outside.')
    """
    return checked_pair(*map(_json_text, _two(answer, "context", "text", in_order=True)))


def checked_pair(context: str, text: str) -> tuple[str, str]:
    """A context and a text that were made of triples; raises Unreadable if they cannot be used."""
    for name, part in (("context", context), ("text", text)):
        if not any(letter.isalnum() for letter in part):
            raise Unreadable(f"the {name} is empty")
        if " | " in part:
            raise Unreadable(f"the {name} still has the bars of its triples: {_short(part)!r}")
    if context == text:
        raise Unreadable("context and text are the same")
    return context, text


def checked_text(text: str) -> str:
    """A text that was made of triples, on one line; raises Unreadable if it still has their bars."""
    if " | " in text:
        raise Unreadable("the text still has the bars of its triples")
    return " ".join(text.split())


def read_numbered(answer: str, n: int) -> list[str]:
    """The lines numbered 1 to n, without their numbers and without the quotes of a JSON string.

    >>> read_numbered('1. It rains.\\n2. "It is wet."', 2)
    ['It rains.', 'It is wet.']
    """
    texts = []
    for number, line in enumerate(_lines_in(answer), 1):
        item = re.fullmatch(r"([0-9]{1,4})[.):]\s+(.*)", line)
        if item is None or int(item[1]) != number:
            raise Unreadable(f'this line does not begin with "{number}. ": {_short(line)!r}')
        texts.append(_json_text(item[2]))
    if len(texts) != n:
        raise Unreadable(f"the answer has {len(texts)} lines instead of {n}")
    return texts


def _lines_in(answer: str) -> list[str]:
    return [line.strip() for line in answer.splitlines() if line.strip()]


def _json_text(line: str) -> str:
    """The text of a JSON string; any other line unchanged."""
    try:
        value = json.loads(line) if line.startswith('"') else line
    except ValueError:
        return line
    return value if isinstance(value, str) and "\n" not in value else line


def _two(
    answer: str, first: str, second: str, *, in_order: bool = False, may_repeat: bool = False
) -> tuple[str, str]:
    """The values of two named lines. Other lines are remarks, unless the order matters.

    may_repeat: a name may have several lines, whose values are joined by commas.
    """
    values: dict[str, str] = {}
    for line in _lines_in(answer):
        before, _, value = line.partition(":")
        name, value = before.strip().lower(), value.strip()
        if name not in (first, second):
            if in_order:
                raise Unreadable(
                    f'this line begins neither with "{first}: " nor with "{second}: ": {_short(line)!r}'
                )
            continue
        if name in values and not may_repeat:
            raise Unreadable(f'two lines begin with "{name}: "')
        values[name] = f"{values[name]}, {value}" if name in values else value
    for name in (first, second):
        if name not in values:
            raise Unreadable(f'no line begins with "{name}: "')
    if in_order and next(iter(values)) != first:
        raise Unreadable(f'the line "{first}: " must come first')
    return values[first], values[second]


def _words(part: str) -> tuple[str, ...]:
    if all(item.strip(_AROUND_A_WORD).lower() in _NONE for item in part.split(",")):
        return ()
    items = [_IN_BRACKETS.sub("", item).strip(_AROUND_A_WORD) for item in re.split("[,;]", part.strip("[]"))]
    items = [item for item in items if item.lower() not in _NONE]
    # Phrases and rests of other forms are left out; "10/10" is a word.
    words = [item for item in items if re.search(r"\w", item) and not re.search(r"[\s|()\[\]]", item)]
    if not words and not any(re.search(r"[|()\[\]]", item) for item in items):
        words = [word for item in items for word in item.split() if word.lower() not in _FUNCTION_WORDS]
    if not words:
        raise Unreadable(f"{_short(part)!r} has no single word")
    if {word.lower() for word in words} <= _PLACEHOLDERS:
        raise Unreadable("the answer repeats the form instead of filling it in")
    return tuple(dict.fromkeys(words))


def _positions(part: str, n: int, name: str) -> tuple[int, ...]:
    items = [item.strip() for item in part.strip(". []").split(",")]
    if items == [""] or part.lower().rstrip(".") in _NONE:
        raise Unreadable(f"no triple is named after {name}")
    for item in items:
        if not re.fullmatch(r"[0-9]{1,4}", item):
            raise Unreadable(f"{_short(item)!r} after {name} is not a number")
        if not 1 <= int(item) <= n:
            raise Unreadable(f"{name} has no triple {int(item)}: the numbers go from 1 to {n}")
    return tuple(sorted({int(item) - 1 for item in items}))
