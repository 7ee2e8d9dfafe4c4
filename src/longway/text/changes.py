"""Changes to a text at exact places, applied all at once.

Whoever rewrites says which stretch of the original becomes what; everything outside stays as it was, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """The stretch from `start` to `end` of a text becomes `text`; an empty stretch is an insertion."""

    start: int
    end: int
    text: str


def apply_changes(text: str, changes: Iterable[Change]) -> str:
    """The text with all changes made; the places are those of the original text.

    >>> apply_changes("He runs.", [Change(3, 7, "walks"), Change(0, 2, "She")])
    'She walks.'

    Two changes must not touch the same characters: that is a bug of the caller and raises ValueError.
    """
    parts, place = [], 0
    for change in sorted(changes):
        if not place <= change.start <= change.end <= len(text):
            raise ValueError(
                f"A change must lie inside the text ({len(text)} characters) and after the one before it, "
                f"which ends at {place}. Got {change!r}. Drop one of two changes that overlap."
            )
        parts += [text[place : change.start], change.text]
        place = change.end
    return "".join([*parts, text[place:]])
