"""What a request may carry: every value checked for its type and size before anything else sees it.

    a body (JSON object or form)  ->  read_fields(body, FIELDS)  ->  a dict of clean values, or BadRequest

The same fields describe themselves in /openapi.json (`schema`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from longway.errors import LongwayError

JSON, FORM = "application/json", "application/x-www-form-urlencoded"


class BadRequest(LongwayError):  # noqa: N818 - named after what it is
    """A request whose values cannot be; status: 400, or 415 for a body in another form."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Text:
    """A text of at most `longest` characters, of a pattern or out of a list where these are given."""

    longest: int = 200
    pattern: str = ""
    choices: tuple[str, ...] = ()
    required: bool = True

    def read(self, name: str, value: object) -> str:
        """The text, or BadRequest."""
        if not isinstance(value, str):
            raise BadRequest(f"{name} must be a text. Got {_kind(value)}.")
        if len(value) > self.longest:
            raise BadRequest(f"{name} must have at most {self.longest} characters. Got {len(value)}.")
        if not _is_unicode(value):
            raise BadRequest(f"{name} must be a text. Got half of a character (a lone surrogate).")
        if self.choices and value not in self.choices:
            raise BadRequest(f"{name} must be one of: {', '.join(map(repr, self.choices))}.")
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise BadRequest(f"{name} must look like this: {self.pattern}.")
        return value

    def schema(self) -> dict[str, Any]:
        """JSON Schema of it."""
        if self.choices:
            return {"type": "string", "enum": list(self.choices)}
        pattern = {"pattern": f"^{self.pattern}$"} if self.pattern else {}
        return {"type": "string", "maxLength": self.longest, **pattern}


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds; in a form, its digits."""

    low: int = 0
    high: int = 2**31 - 1
    required: bool = True

    def read(self, name: str, value: object) -> int:
        """The number, or BadRequest."""
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,10}", value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadRequest(f"{name} must be a whole number. Got {_kind(value)}.")
        if not self.low <= value <= self.high:
            raise BadRequest(f"{name} must be between {self.low} and {self.high}.")
        return value

    def schema(self) -> dict[str, Any]:
        """JSON Schema of it."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Texts:
    """A list of different texts; in a form, the same name several times."""

    of: Text
    most: int = 20
    required: bool = True

    def read(self, name: str, value: object) -> list[str]:
        """The texts in their order, or BadRequest."""
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list):
            raise BadRequest(f"{name} must be a list of texts. Got {_kind(value)}.")
        if len(values) > self.most:
            raise BadRequest(f"{name} must have at most {self.most} texts. Got {len(values)}.")
        return list(dict.fromkeys(self.of.read(name, one) for one in values))

    def schema(self) -> dict[str, Any]:
        """JSON Schema of it."""
        return {"type": "array", "items": self.of.schema(), "maxItems": self.most}


@dataclass(frozen=True, slots=True)
class Group:
    """An object of known fields; in a form, names like filter.label."""

    of: Mapping[str, Text | Whole | Texts]
    required: bool = True

    def read(self, name: str, value: object) -> dict[str, Any]:
        """The values by their names, or BadRequest."""
        if not isinstance(value, dict):
            raise BadRequest(f"{name} must be an object. Got {_kind(value)}.")
        return read_fields(value, self.of, within=f"{name}.")

    def schema(self) -> dict[str, Any]:
        """JSON Schema of it."""
        return object_schema(self.of)


Field = Text | Whole | Texts | Group


def read_fields(given: Mapping[str, Any], fields: Mapping[str, Any], *, within: str = "") -> dict[str, Any]:
    """The values of the fields, each checked; a field that was not sent and need not be is left out."""
    if unknown := [name for name in given if name not in fields]:
        known = ", ".join(within + name for name in fields)
        raise BadRequest(f"Unknown field {_shown(within + str(unknown[0]))}. Expected only: {known}.")
    missing = [within + name for name, field in fields.items() if field.required and given.get(name) is None]
    if missing:
        raise BadRequest(f"{missing[0]} is missing. Expected: {', '.join(within + name for name in fields)}.")
    return {
        name: field.read(within + name, given[name])
        for name, field in fields.items()
        if given.get(name) is not None
    }


def object_schema(fields: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object with these fields and no other."""
    return {
        "type": "object",
        "properties": {name: field.schema() for name, field in fields.items()},
        "required": [name for name, field in fields.items() if field.required],
        "additionalProperties": False,
    }


def read_body(body: bytes, content_type: str) -> tuple[dict[str, Any], bool]:
    """The object that was sent, and whether as a form."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == JSON:
        return _read_json(body), False
    if kind == FORM:
        return _read_form(body), True
    raise BadRequest(f"The body must be {JSON} or {FORM}; files are not accepted.", status=415)


def _read_json(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("The body must be JSON. It cannot be read.") from None
    if not isinstance(value, dict):
        raise BadRequest(f"The body must be a JSON object. Got {_kind(value)}.")
    return value


def _read_form(body: bytes) -> dict[str, Any]:
    """The form as an object: a name sent twice gives a list, group.name an object in the object."""
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise BadRequest("The form must have at most 100 fields, in UTF-8. It cannot be read.") from None
    read: dict[str, Any] = {}
    for name, value in pairs:
        group, dot, inner = name.partition(".")
        place = read.setdefault(group, {}) if dot else read
        key = inner if dot else name
        if not isinstance(place, dict):
            raise BadRequest(f"{_shown(group)} was sent both as a field and as a group of fields.")
        if isinstance(place.get(key), dict):
            raise BadRequest(f"{_shown(key)} was sent both as a field and as a group of fields.")
        place[key] = value if key not in place else [*_as_list(place[key]), value]
    return read


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(name: str) -> str:
    """A name that the client sent, short and harmless."""
    return repr(name[:40]).encode("ascii", "backslashreplace").decode()


def _kind(value: object) -> str:
    names: Sequence[tuple[Any, str]] = (
        (bool, "true or false"),
        (str, "a text"),
        ((int, float), "a number"),
        (list, "a list"),
        (dict, "an object"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "nothing")
