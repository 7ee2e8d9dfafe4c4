"""The words of a grammar: lower case, rare ones replaced by [UNK].

    "I'd give it 10/10!"  ->  i'd give it 10 / 10 !  ->  i'd give it [UNK] / [UNK] !

The same words as everywhere in Longway (`text/tokenizer.py`), except that numbers are split at inner punctuation as in the paper,
so a grammar can learn that a rating is a number, a slash and a number. (The paper's tokenizer also splits at apostrophes, and
gives "don ' t" instead of "don't".)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from longway.errors import DataError
from longway.text.tokenizer import UNSPACED

UNKNOWN = "[UNK]"
LIMIT = 20_000  # words of a vocabulary, as in the paper
AT_LEAST = (
    3  # occurrences of a word, as in the published code; without rare words [UNK] would never be learned
)

_LETTERS = rf"[\w--{UNSPACED}]+"
_PATTERN = rf"{_LETTERS}(?:'{_LETTERS})*|{UNSPACED}|[^\w\s]"


def words_of(text: str) -> list[str]:
    """The words of one text, in order.

    >>> words_of("It’s 10/10, isn't it?")
    ["it's", '10', '/', '10', ',', "isn't", 'it', '?']
    """
    return words_of_all([text])[0]


def words_of_all(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text; much faster for many texts than one at a time."""
    lowered = pl.Series(texts, dtype=pl.String).str.to_lowercase().str.replace_all("’", "'", literal=True)
    return lowered.str.extract_all(_PATTERN).to_list()


@dataclass(frozen=True)
class GrammarVocabulary:
    """The words that a grammar knows; id 0 is for all others.

    >>> vocabulary = GrammarVocabulary(("[UNK]", "film", "the"))
    >>> vocabulary.ids(["the", "old", "film"]), vocabulary.known(["the", "old", "film"])
    ([2, 0, 1], ['the', '[UNK]', 'film'])
    """

    words: tuple[str, ...]
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.words[:1] != (UNKNOWN,) or len(set(self.words)) != len(self.words):
            raise DataError(
                f"A vocabulary must begin with {UNKNOWN!r} and have each word once. Got {len(self.words)} words, starting "
                f"with {self.words[:3]}. Create it with GrammarVocabulary.count, or use the grammar's file as it was saved."
            )
        object.__setattr__(self, "_ids", {word: i for i, word in enumerate(self.words)})

    @classmethod
    def count(
        cls, texts: Iterable[Iterable[str]], *, limit: int = LIMIT, at_least: int = AT_LEAST
    ) -> GrammarVocabulary:
        """The most frequent words of the texts, given as words, most frequent first.

        limit: how many, including [UNK]. at_least: minimum number of occurrences.
        """
        counts = Counter(word for words in texts for word in words if word != UNKNOWN)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        frequent = [word for word, n in ordered if n >= at_least]
        return cls((UNKNOWN, *frequent[: limit - 1]))

    def __len__(self) -> int:
        return len(self.words)

    def ids(self, words: Iterable[str]) -> list[int]:
        """The id of each word."""
        ids = self._ids
        return [ids.get(word, 0) for word in words]

    def known(self, words: Iterable[str]) -> list[str]:
        """The words as the grammar sees them: [UNK] for unknown ones."""
        ids = self._ids
        return [word if word in ids else UNKNOWN for word in words]
