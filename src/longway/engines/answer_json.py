"""JSON in the answer of a language model: found behind other words, with trailing commas, under another name, or cut off.

json_in(content)            the JSON value of an answer; None if there is none
texts_under(value, name)    the texts in a value; None if it is not clear which they are
complete_texts(content)     the complete texts of a list that was cut off; None if it is broken in another way
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_DECODER = json.JSONDecoder(strict=False)  # a text may have a line break
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.DOTALL)
_STARTS = 16  # places tried as the start of a value
_LIST = re.compile(r'(?:"[\w -]{1,30}"\s*:\s*)?\[\s*(?=")')
_BETWEEN = re.compile(r"[\s,]*")
# Names of one text or of several, as models choose them.
_NAMES = re.compile(
    r"(?:new_?|re)?(?:written|writes?|writings?|phrased|phrases?|phrasings?|worded|wordings?)(?:_?(?:texts?|sentences?|reviews?|versions?))?"
    r"|(?:para)?phrases?|texts?|outputs?|answers?|results?|responses?|sentences?|versions?|candidates?|lines|triples|new_?text",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\D*\d{1,3}")


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
    if len(values) < 2:
        return values[0] if values else _empty(content)
    return values


def texts_under(value: object, name: str) -> list[str] | None:
    """The texts of a value: of a list, or under a name in an object; None if it is not clear which they are.

    >>> texts_under({"paraphrases": [{"text": "one", "note": "short"}, "two"]}, "rewrites")
    ['one', 'two']
    >>> texts_under({"rewrite_1": "one", "rewrite_2": "two"}, "rewrites")
    ['one', 'two']
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        parts = [texts_under(item, name) for item in value]
        return None if None in parts else [text for part in parts if part is not None for text in part]
    if not isinstance(value, dict):
        return None
    if name in value:
        return texts_under(value[name], name)
    if value and all(map(_NUMBERED.fullmatch, value)):
        return texts_under(list(value.values()), name)
    named = [key for key in value if _NAMES.fullmatch(key.strip())]
    # "text" beside "rewrite" is the row.
    named = [key for key in named if key.lower() not in ("text", "sentence")] or named
    return texts_under(value[named[0]], name) if len(named) == 1 else None


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


def named_lines(value: object, names: Sequence[str]) -> list[str] | None:
    """An object with some of these names as lines "name: value"; None if it is none.

    >>> named_lines({"principal": ["dull", "weak"], "spurious": []}, ["principal", "spurious"])
    ['principal: dull, weak', 'spurious: ']
    """
    if not isinstance(value, dict) or not value or not set(value) <= set(names):
        return None
    texts = {name: _joined(part) for name, part in value.items()}
    return None if None in texts.values() else [f"{name}: {text}" for name, text in texts.items()]


def _joined(part: object) -> str | None:
    items = part if isinstance(part, list) else [part]
    if not all(isinstance(item, str | int) for item in items):
        return None
    return ", ".join(map(str, items))


def _empty(content: str) -> object | None:
    """An empty object or list, which is an answer, too."""
    found = re.fullmatch(r"\s*([{\[])\s*[}\]]\s*", content)
    return None if found is None else {} if found[1] == "{" else []
