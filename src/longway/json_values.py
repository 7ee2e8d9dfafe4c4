"""Records as JSON values, and back by the types of their fields.

`to_json` turns a record into JSON values; `from_json` is the way back. What a field is in JSON, its type says; two kinds of fields are marked:

    pattern: Pattern = field(metadata=FLAT)             its keys stand among those of the record
    context: str | None = field(None, metadata=IF_ANY)  left out where it has its default value

Fields that are not compared, such as the folder of a result, are not written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, Literal, Self, Union, cast, get_args, get_origin, get_type_hints

FLAT, IF_ANY = {"json": "flat"}, {"json": "if any"}


class JsonRecord:
    """Base class of records, which are dataclasses, that are read and written one by one."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return fields_as_json(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The record that `to_dict` gave these values for; keys that a later version may add are ignored."""
        return cast(Self, from_json(cls, values))


def from_json(kind: Any, value: Any, name: str = "") -> Any:
    """The value of this type that the JSON value describes.

    Unknown keys of a record are ignored, missing ones take their defaults. Raises TypeError if the value does not fit.

    >>> from longway.records import Verdict
    >>> from_json(tuple[Verdict, ...], [{"check": "judge", "passed": True}])
    (Verdict(check='judge', passed=True, score=None, reason=''),)
    """
    if type(value) is kind:  # plain values: nothing to convert
        return value
    origin, arguments, is_record = _shape(kind)
    if kind is Any or kind is object or origin is Literal:
        return value
    if is_record:
        if name and "from_dict" in vars(kind):  # reads its own JSON form
            return cast(Any, kind).from_dict(_expect(value, Mapping, "an object", name))
        return _record(kind, value, name)
    if origin in (Union, UnionType):
        return _alternative(kind, value, name)
    if origin is tuple:
        return _tuple(arguments, _expect(value, Sequence, "a list", name), name)
    if isinstance(kind, type) and issubclass(
        kind, tuple
    ):  # a class of its own: class Findings(tuple[Finding, ...])
        return kind(from_json(vars(kind)["__orig_bases__"][0], value, name))
    if origin is list:
        item = arguments[0]
        return [from_json(item, one, name) for one in _expect(value, Sequence, "a list", name)]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        item = arguments[1]
        given = _expect(value, Mapping, "an object", name)
        return {key: from_json(item, one, str(key)) for key, one in given.items()}
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return _expect(value, kind, f"of type {kind.__name__}", name)


def to_json(value: Any) -> Any:
    """The value as JSON values: records as objects (by their own `to_dict`, if they have one), tuples as lists.

    >>> from longway.records import Verdict
    >>> to_json({"verdicts": (Verdict("judge", True),)})
    {'verdicts': [{'check': 'judge', 'passed': True, 'score': None, 'reason': ''}]}
    """
    if dataclasses.is_dataclass(value):
        if "to_dict" in vars(type(value)):
            return to_json(cast(Any, value).to_dict())
        return fields_as_json(value)
    if isinstance(value, Mapping):
        return {key: to_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(one) for one in value]
    return value


def fields_as_json(record: Any) -> dict[str, Any]:
    """The compared fields of a record as JSON values."""
    values = {}
    for field in dataclasses.fields(record):
        part, form = getattr(record, field.name), field.metadata.get("json")
        if form == "flat":
            values.update(to_json(part))
        elif field.compare and (form is None or part not in (field.default, {})):
            values[field.name] = to_json(part)
    return values


def _record(kind: Any, value: Any, name: str) -> Any:
    given = _expect(value, Mapping, "an object", name or kind.__name__)
    values = {}
    for field, hint in _fields(kind):
        if field.metadata.get("json") == "flat":
            values[field.name] = from_json(hint, given, field.name)
        elif field.name in given:
            values[field.name] = from_json(hint, given[field.name], field.name)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise TypeError(f"{kind.__name__} has no {field.name!r}")
    return kind(**values)


@cache
def _shape(kind: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """Return the origin and the arguments of a type, and whether it is a record."""
    return get_origin(kind), get_args(kind), dataclasses.is_dataclass(kind)


@cache
def _fields(kind: Any) -> tuple[tuple[Any, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in dataclasses.fields(kind) if field.init)


def _alternative(kind: Any, value: Any, name: str) -> Any:
    kinds = get_args(kind)
    if value is None and type(None) in kinds:
        return None
    error: TypeError | None = None
    for one in kinds:
        if one is type(None):
            continue
        try:
            return from_json(one, value, name)
        except TypeError as wrong:
            error = error or wrong
    raise error or TypeError(f"{name} must not be null")


def _tuple(kinds: tuple[Any, ...], value: Sequence[Any], name: str) -> tuple[Any, ...]:
    if len(kinds) == 2 and kinds[1] is ...:
        return tuple([from_json(kinds[0], one, name) for one in value])
    if len(value) != len(kinds):
        raise TypeError(f"{name} must have {len(kinds)} values, not {len(value)}")
    return tuple([from_json(kind, one, name) for kind, one in zip(kinds, value, strict=True)])


def _expect(value: Any, kind: Any, words: str, name: str) -> Any:
    if type(value) is list and kind is Sequence:  # by far the most frequent
        return value
    if not isinstance(value, kind) or (kind is Sequence and isinstance(value, str)):
        raise TypeError(f"{name} must be {words}, not {type(value).__name__}")
    return value
