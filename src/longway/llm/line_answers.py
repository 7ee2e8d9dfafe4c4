"""Reading answers in lines: the lines themselves, and what stands in them. Triples are read by `triples/triple.py`.

    lines_of(completion)                   the lines, from what a served model answered
    read_identified(answer)                the principal and the spurious words
    read_picked(answer, n_source, n_target)    the places of the triples that were picked
    read_pair(answer)                      a context and a text
    read_numbered(answer, n)               n lines, each behind its number

Strict like all reading: thinking tags and a code fence are taken off, and anything else that was not asked for makes the
answer `Unreadable`, with a reason that the engine can be told (`triple_prompts.mended`).
"""

from __future__ import annotations

import json
import re

from longway.llm.answers import (
    CONTROL,
    Completion,
    Misread,
    Texts,
    content_of,
    is_json,
    object_in,
    without_thinking,
)
from longway.triples.triple import BadTriples

_NONE = frozenset({"", "none", "-", "n/a"})
_AROUND_A_WORD = "\"'“”‘’`*. "
_PLACEHOLDERS = frozenset({"word", "words"})


class Unreadable(BadTriples):
    """An answer in lines is not what was asked for; the message says why. Caught with `BadTriples` as well."""


def lines_of(completion: Completion, *, form: str = "json") -> Texts:
    """The lines of an answer as one text; Misread or Declined where there are none. An answer that was cut off is of no use.

    form: "json" for an object {"lines": [...]}, "lines" for the plain lines; as was asked for.
    """
    content = content_of(completion)
    is_object = is_json(content, form)
    if completion.is_cut and not is_object:
        raise Misread("the answer was cut off, and lines may be missing")
    lines = _json_lines(content, cut=completion.is_cut) if is_object else content.splitlines()
    kept = [line.strip() for line in lines if line.strip()]
    if not kept:
        raise Misread("the answer has no lines")
    if any(CONTROL.search(line.replace("\t", " ")) for line in kept):
        raise Misread("a line has control characters")
    return Texts(("\n".join(kept),))


def _json_lines(content: str, *, cut: bool) -> list[str]:
    items = object_in(content, cut=cut).get("lines")
    if not isinstance(items, list):
        raise Misread('the JSON object has no list under "lines"')
    if not all(isinstance(item, str) for item in items):
        raise Misread('the list under "lines" holds something that is not a text')
    return [line for item in items for line in item.splitlines()]


def read_identified(answer: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The principal and the spurious words, each in the order given; Unreadable where that is not all there is.

    >>> read_identified("principal: dull, weak\\nspurious: Spielberg")
    (('dull', 'weak'), ('Spielberg',))
    """
    principal, spurious = (_words(part) for part in _two(answer, "principal", "spurious"))
    both = {word.lower() for word in principal} & {word.lower() for word in spurious}
    if both:
        raise Unreadable(f"{_short(min(both))} is both principal and spurious")
    if not principal and not spurious:
        raise Unreadable("no word is named")
    return principal, spurious


def read_picked(answer: str, n_source: int, n_target: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The places of the triples that were picked on each side, counted from 0 and in order; at least one on each.

    n_source, n_target: how many triples there were to pick from.

    >>> read_picked("source: 1, 3\\ntarget: 2", 3, 2)
    ((0, 2), (1,))
    """
    source, target = _two(answer, "source", "target")
    return _places(source, n_source, "source"), _places(target, n_target, "target")


def read_pair(answer: str) -> tuple[str, str]:
    """The context and the text of an answer in two lines.

    >>> read_pair("context: It rains.\\ntext: It is wet outside.")
    ('It rains.', 'It is wet outside.')
    """
    context, text = _two(answer, "context", "text", in_order=True)
    for name, part in (("context", context), ("text", text)):
        if not any(letter.isalnum() for letter in part):
            raise Unreadable(f"the {name} is empty")
        if " | " in part:
            raise Unreadable(f"the {name} still has the bars of its triples: {_short(part)}")
    if context == text:
        raise Unreadable("context and text are the same")
    return context, text


def read_numbered(answer: str, n: int) -> list[str]:
    """What stands behind the numbers 1 to n, which must be all there is; the quotes of a JSON string are taken off.

    >>> read_numbered('1. It rains.\\n2. "It is wet."', 2)
    ['It rains.', 'It is wet.']
    """
    lines = [line.strip() for line in without_thinking(answer).splitlines() if line.strip()]
    if not lines:
        raise Unreadable("the answer is empty")
    found = []
    for number, line in enumerate(lines, 1):
        item = re.fullmatch(r"([0-9]{1,4})\.(?:\s+(.*))?", line)
        if item is None or int(item[1]) != number:
            raise Unreadable(f'this line does not begin with "{number}. ": {_short(line)}')
        if not item[2]:
            raise Unreadable(f"nothing stands behind the number {number}")
        found.append(_unquoted(item[2]))
    if len(found) != n:
        raise Unreadable(f"the answer has {len(found)} lines instead of {n}")
    return found


def _unquoted(line: str) -> str:
    """The text of a JSON string, as the line was shown; any other line as it is."""
    try:
        value = json.loads(line) if line.startswith('"') else line
    except ValueError:
        return line
    return value if isinstance(value, str) and "\n" not in value else line


def _two(answer: str, first: str, second: str, *, in_order: bool = False) -> tuple[str, str]:
    """What follows the names of two lines, which must be all there is."""
    lines = [line.strip() for line in without_thinking(answer).splitlines() if line.strip()]
    if not lines:
        raise Unreadable("the answer is empty")
    if lines[0].startswith(("{", "[")):
        raise Unreadable(
            f'the answer is JSON, and two lines were asked for: "{first}: ..." and "{second}: ..."'
        )
    found: dict[str, str] = {}
    for line in lines:
        named = re.fullmatch(rf"({first}|{second}):(.*)", line, re.IGNORECASE)
        if named is None:
            raise Unreadable(
                f'this line begins neither with "{first}: " nor with "{second}: ": {_short(line)}'
            )
        if named[1].lower() in found:
            raise Unreadable(f'two lines begin with "{named[1].lower()}: "')
        found[named[1].lower()] = named[2].strip()
    for name in (first, second):
        if name not in found:
            raise Unreadable(f'no line begins with "{name}: "')
    if in_order and next(iter(found)) != first:
        raise Unreadable(f'the line "{first}: " must come first')
    return found[first], found[second]


def _words(part: str) -> tuple[str, ...]:
    if part.lower().rstrip(".") in _NONE:
        return ()
    words = [item.strip(_AROUND_A_WORD) for item in part.split(",")]
    for word in words:
        if not any(letter.isalnum() for letter in word):
            raise Unreadable(f"there is nothing between two commas: {_short(part)}")
        if len(word.split()) > 1 or re.search(r"[;|/:()\[\]]", word):
            raise Unreadable(f"{_short(word)} is not one single word")
    if {word.lower() for word in words} <= _PLACEHOLDERS:
        raise Unreadable("the answer repeats the form instead of filling it in")
    return tuple(dict.fromkeys(words))


def _places(part: str, n: int, name: str) -> tuple[int, ...]:
    items = [item.strip() for item in part.rstrip(". ").split(",")]
    if items == [""] or part.lower().rstrip(".") in _NONE:
        raise Unreadable(f"no triple is named after {name}")
    for item in items:
        if not re.fullmatch(r"[0-9]{1,4}", item):
            raise Unreadable(f"{_short(item)} after {name} is not a number")
        if not 1 <= int(item) <= n:
            raise Unreadable(f"{name} has no triple {int(item)}: the numbers go from 1 to {n}")
    return tuple(sorted({int(item) - 1 for item in items}))


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
