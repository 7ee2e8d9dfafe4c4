"""What a model that sees only the surface could use, as numbers: words and phrases, ends, length, negation, traits, overlap.

    features = FeatureReader(texts, contexts)
    features.read(texts, contexts)      for each text the numbers of the features it has

Words, pairs and triples of words have the first bits of their keys (`text.keys`), which the audit counts, as numbers; the start and the end of a text count as words of pairs and triples. Two
phrases rarely share a number, and where they do, they are balanced together. The other features follow after them, then the
concepts (`concepts.py`) and the patterns of a grammar (`grammar.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.detect import surface_questions
from longway.detect.negation import negates
from longway.language_names import ENGLISH
from longway.languages.row_languages import language_in
from longway.text.corpus import hash_of
from longway.text.keys import END, START, key_of, top_bits, words_and_phrases
from longway.text.tokenizer import PLAIN, Tokenizer, is_word

Floats = NDArray[np.float64]

BITS = 22
N_PHRASES = 1 << BITS
N_BINS = 8
_NEGATION = N_PHRASES
_LENGTH = _NEGATION + 1
_OVERLAP = _LENGTH + N_BINS
_TRAITS = _OVERLAP + N_BINS
N_FEATURES = _TRAITS + len(surface_questions.QUESTIONS)
Numbers = NDArray[np.int64]
More = Callable[[Sequence[str], Sequence[str | None] | None], list[Numbers]]


class FeatureReader:
    """Reads the features of texts like some others, whose lengths and overlaps with their contexts bound the bins.

    ignored: words that are real signal; phrases with one of them do not count. more: reads further features, numbered from `N_FEATURES`.
    languages: whose negations count, as ISO 639 codes; "" for English.
    """

    def __init__(
        self,
        texts: Sequence[str],
        contexts: Sequence[str] | None = None,
        *,
        ignored: Iterable[str] = (),
        more: More | None = None,
        languages: Sequence[str] = ("",),
        tokenizer: Tokenizer = PLAIN,
    ) -> None:
        self._tokens = tokenizer.lists
        tokens = self._tokens(texts)
        self._lengths = _edges(map(len, tokens))
        self._overlaps = None if contexts is None else _edges(_overlaps(tokens, self._tokens(contexts)))
        self._more, self._languages = more, languages
        self._ignored = np.array([hash_of(word) for word in ignored], dtype=np.uint64)

    def read(self, texts: Sequence[str], contexts: Sequence[str | None] | None = None) -> list[Numbers]:
        """For each text the numbers of its features that count, ascending."""
        tokens = self._tokens(texts)
        lengths = np.array([len(words) for words in tokens], dtype=np.int64)
        hashes = np.array([hash_of(word) for words in tokens for word in words], dtype=np.uint64)
        found = [
            (each.row, top_bits(each.key, BITS)) for each in words_and_phrases(lengths, hashes, self._ignored)
        ]
        every = np.arange(len(tokens))
        found.append((every, _LENGTH + np.searchsorted(self._lengths, lengths, "right")))
        if contexts is not None and self._overlaps is not None:
            shares = _overlaps(tokens, self._tokens([context or "" for context in contexts]))
            found.append((every, _OVERLAP + np.searchsorted(self._overlaps, shares, "right")))
        denied = np.flatnonzero([self._negates(words) for words in tokens])
        found.append((denied, np.full(len(denied), _NEGATION)))
        bits = np.arange(len(surface_questions.QUESTIONS), dtype=np.uint32)
        traits = surface_questions.read(pl.Series(texts, dtype=pl.String))
        row, trait = np.nonzero(traits[:, None] >> bits & 1)
        found.append((row, _TRAITS + trait))
        of_row = np.unique(np.concatenate([row * N_FEATURES + number for row, number in found]))
        ends = np.searchsorted(of_row, N_FEATURES * every[1:])
        rows = np.split(of_row % N_FEATURES, ends)[: len(tokens)]
        if self._more is None or not rows:
            return rows
        # Numbers behind all others: the rows stay in ascending order.
        return [np.concatenate(both) for both in zip(rows, self._more(texts, contexts), strict=True)]

    def _negates(self, words: Sequence[str]) -> bool:
        """Whether a text has a negation of its own language."""
        own = self._languages[0]
        if len(self._languages) > 1:
            own = language_in(" ".join(words), languages=tuple(one or ENGLISH for one in self._languages))
        return negates(words, "" if own == ENGLISH else own)


def number_of(words: Sequence[str], *, first: bool = False, last: bool = False) -> int:
    """The number of a word, a pair or a triple of words, anywhere or at the start or the end of a text."""
    marked = [*([START] if first else []), *words, *([END] if last else [])][:3]
    return int(top_bits(np.array([key_of(marked)]), BITS)[0])


def _overlaps(texts: Sequence[Sequence[str]], contexts: Sequence[Sequence[str]]) -> list[float]:
    """The share of the different words of each text that its context has too."""
    shares = []
    for text, context in zip(texts, contexts, strict=True):
        words = {word for word in text if is_word(word)}
        shares.append(len(words & set(context)) / max(len(words), 1))
    return shares


def _edges(numbers: Iterable[float]) -> Floats:
    values = np.fromiter(numbers, dtype=np.float64)
    return np.unique(np.quantile(values, np.linspace(0, 1, N_BINS + 1)[1:-1])) if len(values) else np.zeros(0)
