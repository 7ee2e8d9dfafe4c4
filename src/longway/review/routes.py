"""Every address of the review in one table, and the fields of its requests.

    PAGES     GET  /edits          a page, and its JSON at /edits.json
    ACTIONS   POST /decide         takes a JSON object or a form, returns JSON

    a body (JSON object or form)  ->  read_body()  ->  read_fields(body, FIELDS)  ->  a dict of valid values, or BadRequest

Every value is checked for type and size before anything else uses it, and none is ever used as a file path. `app.py` builds the
application from these tables.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from longway.errors import LongwayError

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
Values = dict[str, Any]


class BadRequest(LongwayError):  # noqa: N818 - named after what it is
    """A request with invalid values. status: 400, or 415 for an unsupported type of body."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(ABC):
    """A value of a request."""

    required: bool = True

    @abstractmethod
    def read(self, name: str, value: object) -> object:
        """The value, checked; raises BadRequest."""


@dataclass(frozen=True, slots=True)
class TextField(Field):
    """A text of at most `longest` characters, optionally matching a pattern (`form`: in words) or out of a list."""

    longest: int = 200
    pattern: str = ""
    choices: tuple[str, ...] = ()
    form: str = ""

    def read(self, name: str, value: object) -> str:
        """The text."""
        if not isinstance(value, str):
            raise BadRequest(f"{name} must be a text. Got {_kind(value)}.")
        if len(value) > self.longest:
            raise BadRequest(f"{name} must have at most {self.longest} characters. Got {len(value)}.")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise BadRequest(f"{name} must be a text. Got half of a character (a lone surrogate).")
        if self.choices and value not in self.choices:
            raise BadRequest(f"{name} must be one of: {', '.join(map(repr, self.choices))}.")
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise BadRequest(f"{name} must {self.form or f'match this pattern: {self.pattern}'}.")
        return value


@dataclass(frozen=True, slots=True)
class WholeField(Field):
    """A whole number within bounds; in a form, its digits."""

    low: int = 0
    high: int = 2**31 - 1

    def read(self, name: str, value: object) -> int:
        """The number."""
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,10}", value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadRequest(f"{name} must be a whole number. Got {_kind(value)}.")
        if not self.low <= value <= self.high:
            raise BadRequest(f"{name} must be between {self.low} and {self.high}.")
        return value


@dataclass(frozen=True, slots=True)
class ListField(Field):
    """A list of distinct texts; in a form, the same name several times."""

    of: TextField
    most: int = 20

    def read(self, name: str, value: object) -> list[str]:
        """The texts in order."""
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list):
            raise BadRequest(f"{name} must be a list of texts. Got {_kind(value)}.")
        if len(values) > self.most:
            raise BadRequest(f"{name} must have at most {self.most} texts. Got {len(values)}.")
        return list(dict.fromkeys(self.of.read(name, item) for item in values))


@dataclass(frozen=True, slots=True)
class ObjectField(Field):
    """An object of known fields; in a form, names like filter.label."""

    of: Mapping[str, Field]

    def read(self, name: str, value: object) -> Values:
        """The values by name."""
        if not isinstance(value, dict):
            raise BadRequest(f"{name} must be an object. Got {_kind(value)}.")
        return read_fields(value, self.of, within=f"{name}.")


def read_fields(given: Mapping[str, object], fields: Mapping[str, Field], *, within: str = "") -> Values:
    """The values of the fields, each checked; an optional field that was not sent is left out."""
    expected = ", ".join(within + name for name in fields)
    if unknown := [name for name in given if name not in fields]:
        raise BadRequest(f"Unknown field {_printable(within + str(unknown[0]))}. Expected only: {expected}.")
    missing = [within + name for name, field in fields.items() if field.required and given.get(name) is None]
    if missing:
        raise BadRequest(f"{missing[0]} is missing. Expected: {expected}.")
    return {
        name: field.read(within + name, given[name])
        for name, field in fields.items()
        if given.get(name) is not None
    }


def read_body(body: bytes, content_type: str) -> tuple[Values, bool]:
    """The object that was sent, and whether it was a form."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == JSON:
        return _read_json(body), False
    if kind == FORM:
        return _read_form(body), True
    raise BadRequest(f"The body must be {JSON} or {FORM}; files are not accepted.", status=415)


def _read_json(body: bytes) -> Values:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("The body must be JSON. It cannot be parsed.") from None
    if not isinstance(value, dict):
        raise BadRequest(f"The body must be a JSON object. Got {_kind(value)}.")
    return value


def _read_form(body: bytes) -> Values:
    """The form as an object: a repeated name becomes a list, group.name becomes a nested object."""
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise BadRequest("The form must have at most 100 fields, in UTF-8. It cannot be parsed.") from None
    read: Values = {}
    for name, value in pairs:
        group, dot, inner = name.partition(".")
        place = read.setdefault(group, {}) if dot else read
        key = inner if dot else name
        if not isinstance(place, dict) or isinstance(place.get(key), dict):
            clash = group if not isinstance(place, dict) else key
            raise BadRequest(f"{_printable(clash)} was sent both as a field and as a group of fields.")
        earlier = place.get(key, [])
        several = [*(earlier if isinstance(earlier, list) else [earlier]), value]
        place[key] = several if key in place else value
    return read


def _printable(name: str) -> str:
    """A name that the client sent, short and in ASCII."""
    return repr(name[:40]).encode("ascii", "backslashreplace").decode()


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "nothing")


KEY = TextField(longest=24, pattern=r"[0-9a-f]{16}(-[0-9]{1,6})?")
# Of a sample, part of addresses and keys: without a colon or slash, and no other page's address.
NAME = TextField(
    longest=60,
    pattern=r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,59}(?<!\.json)",
    form="have only letters, digits, spaces, dots, dashes and underscores, start with a letter or digit, and not end in .json",
)
ANY = TextField(longest=500, required=False)
NUMBER = WholeField(1, 10**9, required=False)  # of a page, of a part, or of rows on a page
SEEN = WholeField(required=False)
BACK = TextField(
    longest=2000, pattern=r"/([^/\\\x00-\x20\x7f].*)?", required=False
)  # the page that a form goes back to

MAX_SAMPLE = 2000  # edits in a sample: nobody rates more, and a page lists them

FILTER: dict[str, Field] = {
    "status": TextField(choices=("all", "kept", "refused"), required=False),
    "choice": TextField(choices=("", "none", "accept", "reject", "hand"), required=False),
    "label": ANY,
    "method": ANY,
    "engine": ANY,
    "check": ANY,
    "rule": ANY,
    "pattern": ANY,
    "search": ANY,
    "order": TextField(choices=("file", "random", "score"), required=False),
}
ROW_ORDER = TextField(choices=("", "solved", "unlikely"), required=False)
PAGED: dict[str, Field] = {"page": NUMBER, "size": NUMBER}

# Query parameters of each page; {…} is a value in the path.
PAGES: dict[str, dict[str, Field]] = {
    "": {},
    "findings": {
        **dict.fromkeys(("level", "label", "field", "search"), ANY),
        "choice": TextField(choices=("", "none", "signal", "shortcut"), required=False),
        "max_q": TextField(
            pattern=r"[01]|0?\.[0-9]{1,12}|[0-9](\.[0-9]{1,12})?e-[0-9]{1,3}",
            form="be a number from 0 to 1",
            required=False,
        ),
        **PAGED,
    },
    "findings/{key}": {},
    "edits": {**FILTER, **PAGED},
    "edits/{key}": {**FILTER, "part": NUMBER},
    "groups": {},
    "summary": {},
    "data": {"search": ANY, "label": ANY, "order": ROW_ORDER, **PAGED},
    "data/{id}": {"part": NUMBER},
    "trees": {"page": NUMBER},
    "proof": {"page": NUMBER},
    "run": {},
    "sample": {},
    "sample/{name}": {"page": NUMBER},
}

ACTIONS: dict[str, dict[str, Field]] = {
    "decide": {
        "kind": TextField(choices=("edit", "finding")),
        "key": KEY,
        "choice": TextField(choices=("accept", "reject", "signal", "shortcut", "none")),
        "seen": SEEN,
        "back": BACK,
    },
    "decide-many": {
        "kind": TextField(choices=("edit",)),
        "filter": ObjectField(FILTER),
        "choice": TextField(choices=("accept", "reject", "none")),
        "back": BACK,
    },
    "undo": {"batch": WholeField(required=False), "back": BACK},
    "prepare": {"key": KEY},
    "hand": {"key": KEY, "text": TextField(longest=100_000), "seen": SEEN, "back": BACK},
    "sample": {"name": NAME, "size": WholeField(1, MAX_SAMPLE), "seed": WholeField(), "back": BACK},
    "tag": {
        "sample": NAME,
        "key": KEY,
        "tags": ListField(TextField(longest=40), most=30),
        "seen": SEEN,
        "back": BACK,
    },
}

UNDECIDED = TextField(choices=("as_run", "reject"), required=False)
