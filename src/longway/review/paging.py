"""Pages of a long list: which one, how many there are, what stands on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from longway.errors import SettingError

T = TypeVar("T")
MOST_A_PAGE = 500


@dataclass(frozen=True)
class Page:
    """Some of many. total: how many there are; number: of this page, from 1; pages: how many there are, at least 1."""

    rows: list[dict[str, Any]]
    total: int
    number: int
    pages: int


def cut(found: Sequence[T], page: int, size: int) -> tuple[Sequence[T], int, int]:
    """What stands on a page, its number and how many there are.

    >>> cut("abcde", 9, 2)
    ('e', 3, 3)
    """
    number, pages, start = numbered(len(found), page, size)
    return found[start : start + size], number, pages


def numbered(total: int, page: int, size: int) -> tuple[int, int, int]:
    """The number of a page that there is, how many there are, and where it begins."""
    if not 1 <= size <= MOST_A_PAGE:
        raise SettingError(f"'size' must be from 1 to {MOST_A_PAGE}. Got {size}. Try 25.")
    pages = max(1, -(-total // size))
    number = min(max(1, page), pages)
    return number, pages, (number - 1) * size


def one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    """SettingError where a value is none of the known ones."""
    if value not in known:
        names = ", ".join(one or "nothing" for one in known)
        raise SettingError(f"'{name}' must be one of {names}. Got {str(value)[:80]!r}. Choose one of them.")


def unknown(what: str, key: str) -> str:
    """What to say where there is nothing with this key."""
    return (
        f"There is no {what} {key[:80]!r} in this run. A key from one of its lists was expected. "
        "Go back to the list."
    )
