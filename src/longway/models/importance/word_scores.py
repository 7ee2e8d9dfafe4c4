"""Texts split into words with positions, and a score per word.

    MaskableText.of("A fine, long film.")     a | fine | , | long | film | .
    words.without([1, 2])                      "A long film."
    WordScores                                 a score per word: its contribution to the probability of a label

Words are those of `text/tokenizer.py`; each occurrence counts separately, so the second "not" can matter if the first does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from longway.models.classifier import Bools, Floats, Inputs, Ints
from longway.text.tokenizer import PLAIN, Tokenizer, is_word

_CLOSING = frozenset(",.;:!?)]}…")


@dataclass(frozen=True, slots=True)
class WordScores:
    """How much each word of one text contributes to the probability of a label.

    words: in lower case, as `text/tokenizer.py` splits them. spans: start and end of each in the text.
    scores: one per word, in probability of `target`: positive for it, negative against it.
    target: the explained label. field: "text", "context" or "both", where the words are.
    value: the label's probability with all words. baseline: without any; for LIME the value of its linear model there.
    norms: integrated gradients only: the strength of each word whatever its direction, the L2 norm of the vector whose sum is its score.
    """

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    scores: Floats
    target: str
    field: str = "text"
    value: float = float("nan")
    baseline: float = float("nan")
    norms: Floats | None = None

    def top_places(self, k: int, *, by_norm: bool = False) -> list[int]:
        """Indices of the k distinct words with the highest positive scores, best first, without punctuation.

        A repeated word counts once, at its best occurrence. by_norm: those with the highest norms; empty if the method has no norms.
        """
        norms = np.zeros(0) if self.norms is None else self.norms
        values = norms if by_norm else self.scores
        best: dict[str, int] = {}
        for i in np.argsort(-values, kind="stable").tolist():
            if len(best) == k or not values[i] > 0:
                break
            if is_word(self.words[i]):
                best.setdefault(self.words[i], i)
        return list(best.values())

    def top(self, k: int, *, by_norm: bool = False) -> list[str]:
        """The words of `top_places`."""
        return [self.words[i] for i in self.top_places(k, by_norm=by_norm)]


class MaskableText:
    """The words of one text, and the text without some of them."""

    def __init__(self, text: str, tokens: list[tuple[str, int, int]]) -> None:
        self.text = text
        self.words = tuple(word for word, _, _ in tokens)
        self.spans = tuple((start, end) for _, start, end in tokens)
        ends = [0, *(end for _, end in self.spans)]
        self._joined = [text[ends[i] : end] for i, (_, end) in enumerate(self.spans)]
        self._separated = [self._after_gap(i) for i in range(len(tokens))]
        self._tail = text[ends[-1] :]

    @classmethod
    def of(cls, text: str, tokenizer: Tokenizer = PLAIN) -> MaskableText:
        """Split a text into words."""
        return cls(text, tokenizer.spans(text))

    def __len__(self) -> int:
        return len(self.words)

    def kept(self, mask: Bools) -> str:
        """The text with the words that are True in `mask`; with all of them, the text itself.

        A word keeps the white space before it. Words that had none between them and become neighbours get a space, so that
        no new word is formed.
        """
        if not mask.any():
            return ""
        follows = np.concatenate([[True], mask[:-1]])
        parts = [self._joined[i] if follows[i] else self._separated[i] for i in np.flatnonzero(mask).tolist()]
        text = "".join(parts)
        return (text if mask[0] else text.lstrip()) + (self._tail if mask[-1] else "")

    def without(self, indices: Iterable[int]) -> str:
        """The text without the words at these indices."""
        mask = np.ones(len(self), dtype=bool)
        mask[list(indices)] = False
        return self.kept(mask)

    def _after_gap(self, i: int) -> str:
        """The word with the space before it, for when the previous word is left out."""
        _, end = self.spans[i]
        closes = self.words[i] in _CLOSING and (end == len(self.text) or self.text[end].isspace())
        return self._joined[i] if self._joined[i][:1].isspace() or closes else " " + self._joined[i]


@dataclass(frozen=True, slots=True)
class PieceScores:
    """The scores of the pieces of one text, or of both texts (`text_starts`).

    spans: of each piece in the text. norms: the L2 norm of the vector that a score is the sum of.
    value, baseline: the label's probability with the text and without.
    """

    spans: Sequence[tuple[int, int]]
    scores: Floats
    norms: Floats
    value: float
    baseline: float


# rows, the index of each one's label, the field, steps -> for each row the pieces of the field and their scores
Scorer = Callable[[Inputs, Ints, str, int], list[PieceScores]]


def text_starts(context: str) -> int:
    """Where the text of a pair starts if both are joined by a line break, context first, as the spans of the field "both" count them.

    >>> "a man\\nhe"[text_starts("a man") :]
    'he'
    """
    return len(context) + 1
