"""Edits and findings that are not what a run writes: what can be shown of them, and what cannot.

    {"id": "r7", "verdicts": 3, ...}  ->  mended()      ->  the same with no verdicts, ["verdicts"]
    {"level": "token", "q": "low"}    ->  is_finding()  ->  False

A disk, an editor or another program may have changed a line. One field that nobody can read must not hide the rest of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

NEEDED = ("id", "field", "label_before", "label_after", "method", "engine", "accepted")


def mended(edit: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The edit without what cannot be read, and the names of those fields.

    >>> mended({"round": "first", "reason": ""} | dict.fromkeys(NEEDED, "") | {"accepted": True})[1]
    ['round']
    """
    told = dict(edit)
    wrong = [name for name in NEEDED if name not in told]
    wrong += [name for name, is_right in _FIELDS.items() if name in told and not is_right(told[name])]
    for name in wrong:
        told[name] = str(told.get(name, "")) if name in _TEXTS else _EMPTY[name]
    trace = told.get("trace") or {}
    hidden = [name for name, is_right in _TRACE.items() if name in trace and not is_right(trace[name])]
    if hidden:
        told["trace"] = {name: value for name, value in trace.items() if name not in hidden}
    return told, [*wrong, *(f"trace.{name}" for name in hidden)]


def is_finding(value: Any) -> bool:
    """Whether this is a finding as an audit or a rewrite writes it: what it says as text, its figures as numbers."""
    if not (
        isinstance(value, dict) and all(_is_text(value.get(name)) for name in ("level", "pattern", "label"))
    ):
        return False
    changed = [f"{name}_{when}" for name in ("count", "share", "gain") for when in ("before", "after")]
    if "count_before" in value and not all(name in value for name in changed):
        return False
    figures = (*changed, "count", "label_share", "base_rate", "gain", "z", "q")
    return (
        all(_or_none(_is_number)(value.get(name)) for name in figures)
        and all(_all(_is_text)(value.get(name, [])) for name in ("supporting", "counter"))
        and _all(lambda one: isinstance(one, dict) and _is_text(one.get("pattern")))(
            value.get("variants", [])
        )
        and _is_text(value.get("field", ""))
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _or_none(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_right(value)


def _all(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_right, value))


def _is_verdict(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _is_text(value.get("check"))
        and isinstance(value.get("passed"), bool)
        and _or_none(_is_number)(value.get("score"))
        and _is_text(value.get("reason", ""))
    )


def _is_triple(value: Any) -> bool:
    """A triple that was only read is a text."""
    return _is_text(value) or (
        isinstance(value, dict)
        and all(_or_none(_is_text)(value.get(name)) for name in ("before", "after"))
        and _or_none(_is_whole)(value.get("place"))
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _is_place(value: Any) -> bool:
    """A column, and where something stands in it from and to."""
    return (
        isinstance(value, list) and len(value) == 3 and _is_text(value[0]) and all(map(_is_whole, value[1:]))
    )


_TEXTS = (
    "id",
    "before",
    "after",
    "field",
    "label_before",
    "label_after",
    "method",
    "engine",
    "reason",
    "how",
    "source",
)
_FIELDS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(_TEXTS, _is_text),
    "accepted": lambda value: isinstance(value, bool),
    "round": _is_whole,
    "score_before": _or_none(_is_number),
    "score_after": _or_none(_is_number),
    "verdicts": _all(_is_verdict),
    "trace": lambda value: isinstance(value, dict),
}
_EMPTY: dict[str, Any] = {
    "accepted": False,
    "round": 1,
    "score_before": None,
    "score_after": None,
    "verdicts": [],
    "trace": {},
}
_TRACE: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("triples", "context_triples", "target_triples"), _all(_is_triple)),
    **dict.fromkeys(("principal", "spurious", "left"), _all(_is_text)),
    "gender": _all(_is_pair),
    "chain": _all(_is_place),
}
