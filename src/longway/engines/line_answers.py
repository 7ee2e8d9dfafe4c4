"""Reading answers in lines. Triples are read by `english/triples/triple.py`.

    read_identified(answer)                      the principal and the spurious words
    read_picked(answer, n_source, n_target)      the positions of the picked triples
    read_pair(answer)                            a context and a text
    read_numbered(answer, n)                     n numbered lines

Thinking tags, a code fence, bullets and bold names are removed, and remarks around the lines are ignored. Anything else that was not requested
raises `Unreadable`, with a reason that the engine is given for one repair (`prompt.mended`). The reasons are model input: keep their wording.
"""

from __future__ import annotations

import json
import re

from longway.engines.answer_words import content_of
from longway.engines.answers import without_thinking
from longway.english.triples.triple import BadTriples

_NONE = frozenset({"", "none", "-", "n/a"})
_AROUND_A_WORD = "\"'“”‘’`*. "
_MARK = re.compile(r"(?:[-*•]\s+|[0-9]\.\s+(?=[*_]*[a-z]+\b[^.]*:))?(?:\*\*|__)?", re.IGNORECASE)
_BULLET = re.compile(r"(?:[-*•]\s+)?(?:\*\*|__)?(?=[0-9])")
_END_MARK = r"(?:\*\*|__)?"
_PLACEHOLDERS = frozenset({"word", "words"})


_REMARK = re.compile(r"\s*\([^()]*\)")  # "dull (0.9)"


class Unreadable(BadTriples):
    """An answer in lines is not in the requested form; the message says why. A kind of `BadTriples`."""


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
    return checked_pair(*map(_unquoted, _two(answer, "context", "text", in_order=True)))


def checked_pair(context: str, text: str) -> tuple[str, str]:
    """A context and a text that were made of triples; raises Unreadable if they cannot be used."""
    for name, part in (("context", context), ("text", text)):
        if not any(letter.isalnum() for letter in part):
            raise Unreadable(f"the {name} is empty")
        if " | " in part:
            raise Unreadable(f"the {name} still has the bars of its triples: {_short(part)}")
    if context == text:
        raise Unreadable("context and text are the same")
    return context, text


def read_numbered(answer: str, n: int) -> list[str]:
    """The lines numbered 1 to n, without their numbers and without the quotes of a JSON string.

    >>> read_numbered('1. It rains.\\n2. "It is wet."', 2)
    ['It rains.', 'It is wet.']
    """
    texts = []
    lines = [_BULLET.sub("", line, count=1) for line in _lines_in(answer)]
    if len(lines) > n and lines[0].endswith(":") and not lines[0][0].isdigit():
        lines = lines[1:]  # "Here are the lines:"
    for number, line in enumerate(lines, 1):
        item = re.fullmatch(r"([0-9]{1,4})[.):](?:\*\*|__)?(?:\s+(.*))?", line)
        if item is None or int(item[1]) != number:
            raise Unreadable(f'this line does not begin with "{number}. ": {_short(line)}')
        if not item[2]:
            raise Unreadable(f"nothing stands behind the number {number}")
        texts.append(_unquoted(item[2]))
    if len(texts) != n:
        raise Unreadable(f"the answer has {len(texts)} lines instead of {n}")
    return texts


def _lines_in(answer: str) -> list[str]:
    lines = [line.strip() for line in without_thinking(answer).splitlines() if line.strip()]
    if not lines:
        raise Unreadable("the answer is empty")
    return lines


def _unquoted(line: str) -> str:
    """The text of a JSON string; any other line unchanged."""
    try:
        value = json.loads(line) if line.startswith('"') else line
    except ValueError:
        return line
    return value if isinstance(value, str) and "\n" not in value else line


def _two(
    answer: str, first: str, second: str, *, in_order: bool = False, may_repeat: bool = False
) -> tuple[str, str]:
    """The values of two named lines. Lines before the first are remarks, and so are those after the last unless the order matters.

    may_repeat: a name may have several lines, whose values are joined by commas.
    """
    lines = _lines_in(answer)
    if lines[0].startswith(("{", "[")):
        raise Unreadable(
            f'the answer is JSON, and two lines were asked for: "{first}: ..." and "{second}: ..."'
        )
    values: dict[str, str] = {}
    start = re.compile(
        rf"{_MARK.pattern}(?:the )?({first}|{second})(?: words?| triples?)?{_END_MARK}:{_END_MARK}(.*)",
        re.IGNORECASE,
    )
    for line in lines:
        named = start.fullmatch(line)
        if named is None and (not values or (len(values) == 2 and not in_order)):
            continue
        if named is None:
            raise Unreadable(
                f'this line begins neither with "{first}: " nor with "{second}: ": {_short(line)}'
            )
        name, value = named[1].lower(), named[2].strip()
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
    items = [_REMARK.sub("", item).strip(_AROUND_A_WORD) for item in re.split("[,;]", part.strip("[]"))]
    items = [item for item in items if item.lower() not in _NONE]
    # Phrases and rests of other forms are left out; "10/10" is a word.
    words = [item for item in items if re.search(r"\w", item) and not re.search(r"[\s|()\[\]]", item)]
    if not words and not any(re.search(r"[|()\[\]]", item) for item in items):
        words = [word for item in items for word in item.split() if content_of([word.lower()])]
    if not words:
        raise Unreadable(f"{_short(part)} has no single word")
    if {word.lower() for word in words} <= _PLACEHOLDERS:
        raise Unreadable("the answer repeats the form instead of filling it in")
    return tuple(dict.fromkeys(words))


def _positions(part: str, n: int, name: str) -> tuple[int, ...]:
    items = [item.strip() for item in part.strip(". []").split(",")]
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
