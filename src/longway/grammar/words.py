"""What a grammar reads: lower-case words, the rare ones all alike.

    "I'd give it 10/10!"  ->  i'd give it 10 / 10 !  ->  i'd give it [UNK] / [UNK] !

The same words as everywhere in Longway (`text.tokens`), but for numbers, which are cut at their inner marks as in the paper:
a grammar can then learn that a rating is a number, a slash and a number. (The paper's tokeniser cuts at apostrophes too, and gives
"don ' t" where this one gives "don't".)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from longway.errors import DataError
from longway.text.tokens import UNSPACED

UNKNOWN = "[UNK]"
LIMIT = 20_000  # words of a vocabulary, as in the paper
# times a word must stand in the texts, as in the published code; else [UNK] would never be learned
AT_LEAST = 3

_LETTERS = rf"[\w--{UNSPACED}]+"
_PATTERN = rf"{_LETTERS}(?:'{_LETTERS})*|{UNSPACED}|[^\w\s]"


def words_of(text: str) -> list[str]:
    """The words of one text, in order.

    >>> words_of("It’s 10/10, isn't it?")
    ["it's", '10', '/', '10', ',', "isn't", 'it', '?']
    """
    return words_of_all([text])[0]


def words_of_all(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text; many texts at once are much quicker than one after the other."""
    lowered = pl.Series(texts, dtype=pl.String).str.to_lowercase().str.replace_all("’", "'", literal=True)
    return lowered.str.extract_all(_PATTERN).to_list()


@dataclass(frozen=True)
class Vocabulary:
    """The words that a grammar knows; number 0 stands for all others.

    >>> vocabulary = Vocabulary(("[UNK]", "film", "the"))
    >>> vocabulary.ids(["the", "old", "film"]), vocabulary.known(["the", "old", "film"])
    ([2, 0, 1], ['the', '[UNK]', 'film'])
    """

    words: tuple[str, ...]
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.words[:1] != (UNKNOWN,) or len(set(self.words)) != len(self.words):
            raise DataError(
                f"A vocabulary must begin with {UNKNOWN!r} and have each word once. Got {len(self.words)} words, the first "
                f"of them {self.words[:3]}. Make it with Vocabulary.count, or use the grammar's file as it was saved."
            )
        object.__setattr__(self, "_numbers", {word: i for i, word in enumerate(self.words)})

    @classmethod
    def count(
        cls, texts: Iterable[Iterable[str]], *, limit: int = LIMIT, at_least: int = AT_LEAST
    ) -> Vocabulary:
        """The most frequent words of the texts, given as words, most frequent first.

        limit: how many, [UNK] included. at_least: how often a word must stand in the texts.
        """
        counts = Counter(word for words in texts for word in words if word != UNKNOWN)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        frequent = [word for word, n in ordered if n >= at_least]
        return cls((UNKNOWN, *frequent[: limit - 1]))

    def __len__(self) -> int:
        return len(self.words)

    def ids(self, words: Iterable[str]) -> list[int]:
        """The number of each word."""
        numbers = self._numbers
        return [numbers.get(word, 0) for word in words]

    def known(self, words: Iterable[str]) -> list[str]:
        """The words as the grammar sees them: [UNK] for those it does not know."""
        numbers = self._numbers
        return [word if word in numbers else UNKNOWN for word in words]
