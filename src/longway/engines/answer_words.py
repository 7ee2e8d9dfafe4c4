"""The words of an answer, compared with those of the text that was given.

words_of(text)                the words, without case and marks
n_changed(before, after)      how many of them were inserted, deleted or replaced
is_subsequence(short, long)   whether words were only left out
content_of(words)             the stems of the content words
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from longway.english.listed_words import listed_words
from longway.text.tokenizer import is_word, tokenize

_FUNCTION_WORDS = listed_words(__name__)["function_words"]


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return [token for token in tokenize(text) if is_word(token)]


def n_changed(before: list[str], after: list[str]) -> int:
    """The smallest number of words inserted, deleted or replaced (the edit distance).

    >>> n_changed(words_of("She lost her hat."), words_of("He lost his old hat."))
    3
    """
    row = list(range(len(after) + 1))  # distance of the words so far to the first 0, 1, 2 ... of `after`
    for n, old in enumerate(before, 1):
        left, row[0] = row[0], n
        for place, new in enumerate(after, 1):
            left, row[place] = row[place], min(left + (old != new), row[place] + 1, row[place - 1] + 1)
    return row[-1]


def is_subsequence(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether all items of one list occur in the other, in the same order.

    >>> is_subsequence(["was", "slow"], ["it", "was", "very", "slow"]), is_subsequence(["b", "a"], ["a", "b"])
    (True, False)
    """
    rest = iter(long)
    return all(word in rest for word in short)


def content_of(words: list[str]) -> Counter[str]:
    """The stems of the content words."""
    return Counter(_stems(words))


def _stems(words: list[str]) -> list[str]:
    return [_stem(word) for word in words if word not in _FUNCTION_WORDS]


def _stem(word: str) -> str:
    for ending in ("'s", "ing", "ed", "es", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
