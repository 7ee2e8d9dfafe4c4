"""Words and phrases that a user called real signal (`--keep`): what is about them is no shortcut.

A pattern is about a phrase where one of the two stands inside the other, word for word: "great" speaks for "a great film"
too, and "not bad" for "not" and for "bad".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def stands_inside(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the shorter of two phrases stands inside the longer; an empty one stands nowhere.

    >>> stands_inside(["a", "great", "film"], ["great"]), stands_inside(["great"], ["a", "film"])
    (True, False)
    """
    short, long = sorted((tuple(one), tuple(other)), key=len)
    return bool(short) and any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))


def is_real_signal(words: Sequence[str], phrases: Iterable[Sequence[str]]) -> bool:
    """Whether a pattern of these words is about one of the phrases."""
    return any(stands_inside(words, phrase) for phrase in phrases)
