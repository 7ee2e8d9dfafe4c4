"""Words and phrases that the user declared real signal (`--keep`): patterns about them are no shortcuts.

A pattern is about a phrase if one of the two contains the other, word for word: "great" covers "a great film", and "not bad" covers
"not" and "bad".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def is_inside(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the longer of two phrases contains the shorter; False if one is empty.

    >>> is_inside(["a", "great", "film"], ["great"]), is_inside(["great"], ["a", "film"])
    (True, False)
    """
    short, long = sorted((tuple(one), tuple(other)), key=len)
    return bool(short) and any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))


def is_real_signal(words: Sequence[str], phrases: Iterable[Sequence[str]]) -> bool:
    """Whether a pattern of these words is about one of the phrases."""
    return any(is_inside(words, phrase) for phrase in phrases)
