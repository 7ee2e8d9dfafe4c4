"""What a model that sees only the surface could use, as numbers: words and phrases, ends, length, negation, traits, overlap.

    features = FeatureReader.for_texts(texts, contexts)
    features.read(texts, contexts)      for each text the numbers of the features it has

Words, pairs and triples of words are hashed into `2**BITS` numbers; the start and the end of a text count as words of pairs and triples. Two
phrases rarely share a number, and where they do, they are balanced together. The other features follow after them, then the
concepts (`concepts.py`) and the patterns of a grammar (`grammar.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.detect import surface_questions
from longway.detect.negation import negates
from longway.language_names import ENGLISH
from longway.languages.row_languages import language_in
from longway.text.tokenizer import is_word, tokenize_column

Floats = NDArray[np.float64]

BITS = 22
N_PHRASES = 1 << BITS
N_BINS = 8
START, END = "\x02", "\x03"  # no token is a control character
_NEGATION = N_PHRASES
_LENGTH = _NEGATION + 1
_OVERLAP = _LENGTH + N_BINS
_TRAITS = _OVERLAP + N_BINS
N_FEATURES = _TRAITS + len(surface_questions.QUESTIONS)
Numbers = NDArray[np.int64]
More = Callable[[Sequence[str], Sequence[str | None] | None], list[Numbers]]
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


class FeatureReader:
    """Reads the features of texts.

    lengths, overlaps: the bounds of the bins; None to ignore lengths or overlaps.
    ignored: words that are real signal; phrases with one of them do not count. more: reads further features, numbered from `N_FEATURES`.
    languages: whose negations count, as ISO 639 codes; "" for English.
    """

    def __init__(
        self,
        *,
        lengths: Floats | None,
        overlaps: Floats | None,
        ignored: Iterable[str] = (),
        more: More | None = None,
        languages: Sequence[str] = ("",),
    ) -> None:
        self._lengths, self._overlaps, self._more, self._languages = lengths, overlaps, more, languages
        self._ignored = np.array(sorted({_code(word) for word in ignored}), dtype=np.uint64)

    @classmethod
    def for_texts(
        cls,
        texts: Sequence[str],
        contexts: Sequence[str] | None = None,
        *,
        ignored: Iterable[str] = (),
        more: More | None = None,
        languages: Sequence[str] = ("",),
    ) -> FeatureReader:
        """A reader whose bins divide these texts into groups of about the same size."""
        tokens = _tokens(texts)
        overlaps = None if contexts is None else _edges(_overlaps(tokens, _tokens(contexts)))
        lengths = _edges(map(len, tokens))
        return cls(lengths=lengths, overlaps=overlaps, ignored=ignored, more=more, languages=languages)

    def read(self, texts: Sequence[str], contexts: Sequence[str | None] | None = None) -> list[Numbers]:
        """For each text the numbers of its features that count, ascending."""
        tokens = _tokens(texts)
        traits = surface_questions.read(pl.Series(texts, dtype=pl.String))
        bits = np.arange(len(surface_questions.QUESTIONS), dtype=np.uint32)
        others = None
        if contexts is not None and self._overlaps is not None:
            others = np.searchsorted(
                self._overlaps, _overlaps(tokens, _tokens([c or "" for c in contexts])), "right"
            )
        rows = []
        for place, words in enumerate(tokens):
            more: list[Sequence[int] | Numbers] = [_TRAITS + np.flatnonzero(traits[place] >> bits & 1)]
            if self._lengths is not None:
                more.append([_LENGTH + int(np.searchsorted(self._lengths, len(words), "right"))])
            if others is not None:
                more.append([_OVERLAP + int(others[place])])
            if self._negates(words):
                more.append([_NEGATION])
            rows.append(np.unique(np.concatenate([_phrases(words, self._ignored), *more]).astype(np.int64)))
        if self._more is None or not rows:
            return rows
        # Numbers behind all others: the rows stay in ascending order.
        return [np.concatenate(both) for both in zip(rows, self._more(texts, contexts), strict=True)]

    def _negates(self, words: Sequence[str]) -> bool:
        """Whether a text has a negation of its own language."""
        if len(self._languages) == 1:
            return negates(words, self._languages[0])
        own = language_in(" ".join(words), languages=tuple(one or ENGLISH for one in self._languages))
        return negates(words, "" if own == ENGLISH else own)


def number_of(words: Sequence[str], *, first: bool = False, last: bool = False) -> int:
    """The number of a word, a pair or a triple of words, anywhere or at the start or the end of a text."""
    marked = [*([START] if first else []), *words, *([END] if last else [])][:3]
    return int(_hashed(np.array([[_code(word) for word in marked]], dtype=np.uint64))[0])


def _phrases(words: Sequence[str], ignored: NDArray[np.uint64]) -> Numbers:
    codes = np.array([_code(word) for word in (START, *words, END)], dtype=np.uint64)
    counts = ~np.isin(codes, ignored)
    parts = [_hashed(codes[1:-1][counts[1:-1], None])]
    for size in (2, 3):
        if len(codes) >= size:
            windows = np.lib.stride_tricks.sliding_window_view(codes, size)
            parts.append(_hashed(windows[np.lib.stride_tricks.sliding_window_view(counts, size).all(axis=1)]))
    return np.concatenate(parts)


def _hashed(codes: NDArray[np.uint64]) -> Numbers:
    """One number for each row of codes, which depends on their order."""
    with np.errstate(over="ignore"):
        mixed = (codes * _MIX[: codes.shape[1]]).sum(axis=1, dtype=np.uint64) * _MIX[0]
    return (mixed >> np.uint64(64 - BITS)).astype(np.int64)


@lru_cache(maxsize=1 << 18)
def _code(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _tokens(texts: Sequence[str]) -> list[list[str]]:
    return tokenize_column(pl.Series(texts, dtype=pl.String)).to_list()


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
