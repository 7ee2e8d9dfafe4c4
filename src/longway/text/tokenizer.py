"""The tokenizer of all surface statistics.

    text  ->  lower case, typographic apostrophes replaced by plain ones  ->  numbers | words | single punctuation marks

"It's 10/10, isn’t it?" gives it's, 10/10, a comma, isn't, it, a question mark. A number keeps its inner separators ("10/10", "1.5"), and a
word its inner apostrophe; every other character except white space is a token. Scripts without spaces between words (Chinese, Japanese,
Thai ...) are split into single characters, so that their words appear as n-grams.

These are the rules for English, and for texts of which nothing else is known: `PLAIN`, and the functions `tokenize`, `token_spans` and
`tokenize_column`. `languages/words.py` makes the tokenizer of other languages; it is passed on with the texts.

One regular expression in compiled code (polars) processes a whole column at a time, so a million texts take seconds, and one text is
split exactly as a million are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from unicodedata import category, combining

import numpy as np
import polars as pl

from longway.arrays import Ints, Ints32
from longway.language_names import ENGLISH

UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_LETTERS = rf"[\w--{UNSPACED}]+"
PATTERN = rf"\d+(?:[.,/:]\d+)+|{_LETTERS}(?:'{_LETTERS})*|{UNSPACED}|[^\w\s]"
_HAS_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_ASCII = re.compile(r"\d+(?:[.,/:]\d+)+|\w+(?:'\w+)*|[^\w\s]", re.ASCII)  # `PATTERN` for texts in ASCII
_JOINED = "\u0640\u200c\u200d"  # the Arabic stroke, and marks that join or separate letters
_PIECE = re.compile(r"\w+|[^\w\s]")  # a rough token, cheap to count


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Splits texts by the rules for English, and for texts of which nothing else is known. languages: of the texts, the most frequent one first."""

    languages: tuple[str, ...]

    def column(self, texts: pl.Series) -> pl.Series:
        """One list of tokens per text of a column; empty for a missing text."""
        lowered = pl.col("text").fill_null("").str.to_lowercase().str.replace_all("’", "'", literal=True)
        frame = texts.alias("text").cast(pl.String).to_frame().lazy()
        return frame.select(lowered.str.extract_all(PATTERN)).collect(engine="streaming").to_series()

    def lists(self, texts: Iterable[str]) -> list[list[str]]:
        """The tokens of each text."""
        return self.column(pl.Series(list(texts), dtype=pl.String)).to_list()

    def encode(self, texts: pl.Series) -> tuple[Ints32, list[str], Ints]:
        """Integer codes of all tokens of a column, the token of each code, and the number of tokens per text.

        >>> codes, words, lengths = PLAIN.encode(pl.Series(["a b a", "", "b"]))
        >>> codes.tolist(), words, lengths.tolist()
        ([0, 1, 0, 1], ['a', 'b'], [3, 0, 1])
        """
        tokens = self.column(texts)
        lengths = tokens.list.len().to_numpy().astype(np.int64)
        flat = tokens.explode(empty_as_null=False).to_arrow().dictionary_encode()
        words: list[str] = pl.Series(flat.dictionary).to_list()
        return flat.indices.to_numpy().astype(np.int32, copy=False), words, lengths

    def tokens(self, text: str) -> list[str]:
        """The tokens of one text, in order.

        >>> PLAIN.tokens("It's 10/10, isn’t it?")
        ["it's", '10/10', ',', "isn't", 'it', '?']
        """
        return _tokens(_lowered(text))

    def spans(self, text: str) -> list[tuple[str, int, int]]:
        """The tokens of one text with their start and end in the original.

        >>> PLAIN.spans("No, NO")
        [('no', 0, 2), (',', 2, 3), ('no', 4, 6)]
        """
        return list(_spans(text, self))

    def _placed(self, text: str) -> _Placed:
        folded, origin = _lower_with_origin(text)
        return _Placed(_tokens(folded), folded, origin, [i + 1 for i in origin])


@dataclass(frozen=True, slots=True)
class LanguageTokenizer(Tokenizer):
    """Splits the texts of one other language.

    fold: a column of texts as tokens are written: lower case, optional marks removed. It changes each character separately.
    cut: folded texts with spaces between words that have none between them; None if spaces separate all words.
    pattern: what a token is, in the syntax of Rust.
    """

    fold: Callable[[pl.Series], pl.Series]
    cut: Callable[[pl.Series], pl.Series] | None
    pattern: str

    def column(self, texts: pl.Series) -> pl.Series:
        """One list of tokens per text."""
        return self._split(self.fold(texts.cast(pl.String).fill_null("")))

    def tokens(self, text: str) -> list[str]:
        """The tokens of one text, in order."""
        return [token for token, _, _ in _spans(text, self)]

    def _split(self, folded: pl.Series) -> pl.Series:
        return (folded if self.cut is None else self.cut(folded)).str.extract_all(self.pattern)

    def _placed(self, text: str) -> _Placed:
        folded, starts, ends = _fold_with_origin(text, self.fold)
        return _Placed(self._split(pl.Series([folded])).item().to_list(), folded, starts, ends)


PLAIN = Tokenizer((ENGLISH,))
tokenize, token_spans, tokenize_column = PLAIN.tokens, PLAIN.spans, PLAIN.column  # for English


class _Placed(NamedTuple):
    """The tokens of a text, the text as they are written, and where the original of each of its characters begins and ends."""

    tokens: list[str]
    folded: str
    starts: list[int]
    ends: list[int]


@lru_cache(maxsize=4096)  # a repair asks for the same texts again and again
def _spans(text: str, tokenizer: Tokenizer) -> tuple[tuple[str, int, int], ...]:
    placed, spans, place = tokenizer._placed(text), [], 0
    for token in placed.tokens:
        start = placed.folded.index(token, place)
        place = start + len(token)
        spans.append((token, placed.starts[start], placed.ends[place - 1]))
    return tuple(spans)


def is_longer_than(text: str, longest: int) -> bool:
    """Whether a text has more words and punctuation marks than that, without splitting all of it; long texts without spaces count, too.

    >>> is_longer_than("A film. " * 400, 1500), is_longer_than("A film. " * 600, 1500)
    (False, True)
    """
    return len(text) > 20 * longest or next(islice(_PIECE.finditer(text), longest, None), None) is not None


def is_word(token: str) -> bool:
    """Whether a token has a letter, a digit or a pictograph; False for punctuation and other symbols."""
    return _HAS_LETTER_OR_DIGIT.search(token) is not None or any(category(c) == "So" for c in token)


def _lowered(text: str) -> str:
    if text.isascii():
        return text.lower()
    lowered: str = pl.Series([text]).str.to_lowercase().item()
    return lowered.replace("’", "'")


def _tokens(lowered: str) -> list[str]:
    if lowered.isascii():
        return _ASCII.findall(lowered)
    # The same expression as for a column, which takes a millisecond to start.
    tokens: list[str] = pl.Series([lowered]).str.extract_all(PATTERN).item().to_list()
    return tokens


def _lower_with_origin(text: str) -> tuple[str, list[int]]:
    """The text in lower case as for `tokenize`, and for each of its characters the index of its original."""
    lowered = _lowered(text)
    if len(lowered) == len(text):
        return lowered, list(range(len(text)))
    # A few capitals become two characters ("İ"): then each character is lowered separately.
    return lowered, [i for i, c in enumerate(text) for _ in c.lower()]


def _fold_with_origin(text: str, fold: Callable[[pl.Series], pl.Series]) -> tuple[str, list[int], list[int]]:
    """The folded text, and for each of its characters where its original begins and ends; removed marks belong to the character before."""
    folded: str = fold(pl.Series([text])).item()
    if len(folded) == len(text):
        return folded, list(range(len(text))), list(range(1, len(text) + 1))
    starts = [i for i, c in enumerate(text) if i == 0 or not _continues(c)]
    ends = [*starts[1:], len(text)]
    pieces: list[str] = fold(pl.Series([text[i:j] for i, j in zip(starts, ends, strict=True)])).to_list()
    origin = [(i, j) for i, j, piece in zip(starts, ends, pieces, strict=True) for _ in piece]
    return folded, [i for i, _ in origin], [j for _, j in origin]


def _continues(character: str) -> bool:
    """Whether a character is part of the one before: an accent or a vowel sign, a part of a Korean syllable, a mark that is drawn out."""
    return (
        combining(character) > 0
        or category(character) in ("Mn", "Mc")
        or character in _JOINED
        or "\u1100" <= character <= "\u11ff"
    )
