"""The words of a text as explanations see them: each with its place, so that the text can be cut and highlighted.

    Words.of("A fine, long film.")     a | fine | , | long | film | .
    words.without([1, 2])              "A long film."
    WordScores                         a score for each word: how much it speaks for one label

Words are those of `text.tokens`; each place counts on its own, so that the second "not" may matter where the first does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longway.text.tokens import is_word, token_spans

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_CLOSING = frozenset(",.;:!?)]}…")


@dataclass(frozen=True, slots=True)
class WordScores:
    """How much each word of one text speaks for a label.

    words: in lower case, as `text.tokens` cuts them. spans: where each starts and ends in the text.
    scores: one for each word, in probability of `target`: above 0 speaks for it, below 0 against it.
    target: the label that is explained. field: "text" or "context", the side that the words stand on.
    value: the label's probability with all words. baseline: without any; for LIME its line's value there.
    """

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    scores: Floats
    target: str
    field: str = "text"
    value: float = float("nan")
    baseline: float = float("nan")

    def top_places(self, k: int) -> list[int]:
        """Where the k different words stand that speak most for the label, best first; marks of punctuation do not count.

        Of a word that stands twice, the better place. Words that speak against the label are never among them.
        """
        best: dict[str, int] = {}
        for i in np.argsort(-self.scores, kind="stable").tolist():
            if len(best) == k or not self.scores[i] > 0:
                break
            if is_word(self.words[i]):
                best.setdefault(self.words[i], i)
        return list(best.values())

    def top(self, k: int) -> list[str]:
        """The k different words that speak most for the label, best first."""
        return [self.words[i] for i in self.top_places(k)]


class Words:
    """The words of one text, and the text without some of them."""

    def __init__(self, text: str, found: list[tuple[str, int, int]]) -> None:
        self.text = text
        self.words = tuple(word for word, _, _ in found)
        self.spans = tuple((start, end) for _, start, end in found)
        ends = [0, *(end for _, end in self.spans)]
        self._joined = [text[ends[i] : end] for i, (_, end) in enumerate(self.spans)]
        self._apart = [self._behind_a_gap(i) for i in range(len(found))]
        self._tail = text[ends[-1] :]

    @classmethod
    def of(cls, text: str) -> Words:
        """Cut a text into words."""
        return cls(text, token_spans(text))

    def __len__(self) -> int:
        return len(self.words)

    def kept(self, mask: Bools) -> str:
        """The text with the words that are True in `mask`, joined as they stood; all of them give the text itself.

        A word brings the white space before it along. Words that had none between them, and now stand side by side for the
        first time, get a space, so that no new word comes into being.
        """
        if not mask.any():
            return ""
        follows = np.concatenate([[True], mask[:-1]])
        parts = [self._joined[i] if follows[i] else self._apart[i] for i in np.flatnonzero(mask).tolist()]
        text = "".join(parts)
        return (text if mask[0] else text.lstrip()) + (self._tail if mask[-1] else "")

    def without(self, places: Iterable[int]) -> str:
        """The text without the words at these places."""
        mask = np.ones(len(self), dtype=bool)
        mask[list(places)] = False
        return self.kept(mask)

    def _behind_a_gap(self, i: int) -> str:
        """The word with what goes before it where the word before it was left out."""
        if self._joined[i][:1].isspace() or self._closes(i):
            return self._joined[i]
        return " " + self._joined[i]

    def _closes(self, i: int) -> bool:
        """Whether this is a mark that may stand right behind any word, with white space behind it."""
        _, end = self.spans[i]
        return self.words[i] in _CLOSING and (end == len(self.text) or self.text[end].isspace())
