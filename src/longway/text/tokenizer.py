"""The tokenizer of all surface statistics.

    text  ->  lower case, typographic apostrophes replaced by plain ones  ->  numbers | words | single punctuation marks

"It's 10/10, isn’t it?" gives it's, 10/10, a comma, isn't, it, a question mark. A number keeps its inner separators ("10/10", "1.5"), and a
word its inner apostrophe; every other character except white space is a token. Scripts without spaces between words (Chinese, Japanese,
Thai ...) are split into single characters, so that their words appear as n-grams.

These are the rules for English, and for texts of which nothing else is known. Inside `with splitting(rules)` all functions here follow the
rules of another language; `languages/words.py` makes them.

One regular expression in compiled code (polars) processes a whole column at a time, so a million texts take seconds, and one text is
split exactly as a million are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Protocol
from unicodedata import category, combining

import numpy as np
import polars as pl
from numpy.typing import NDArray

UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_LETTERS = rf"[\w--{UNSPACED}]+"
PATTERN = rf"\d+(?:[.,/:]\d+)+|{_LETTERS}(?:'{_LETTERS})*|{UNSPACED}|[^\w\s]"
_HAS_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_ASCII = re.compile(r"\d+(?:[.,/:]\d+)+|\w+(?:'\w+)*|[^\w\s]", re.ASCII)  # `PATTERN` for texts in ASCII
_JOINED = "\u0640\u200c\u200d"  # the Arabic stroke, and marks that join or separate letters
_PIECE = re.compile(r"\w+|[^\w\s]")  # a rough token, cheap to count


@dataclass(frozen=True, slots=True)
class SplitRules:
    """How the texts of a language are split into tokens.

    fold: a column of texts as tokens are written: lower case, optional marks removed. It changes each character separately.
    cut: folded texts with spaces between words that have none between them; None if spaces separate all words.
    pattern: what a token is, in the syntax of Rust.
    """

    language: str
    fold: Callable[[pl.Series], pl.Series]
    cut: Callable[[pl.Series], pl.Series] | None
    pattern: str

    def column(self, texts: pl.Series) -> pl.Series:
        """One list of tokens per text."""
        return self.tokens(self.fold(texts))

    def tokens(self, folded: pl.Series) -> pl.Series:
        """One list of tokens per folded text."""
        return (folded if self.cut is None else self.cut(folded)).str.extract_all(self.pattern)

    def of(self, text: str) -> SplitRules:
        """The rules for one text."""
        return self

    @property
    def languages(self) -> tuple[str, ...]:
        """The language, as `MixedRules` names several."""
        return (self.language,)


class MixedRules(Protocol):
    """How texts of several languages are split into tokens, each by the rules of its own."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages, the most frequent one first."""

    def column(self, texts: pl.Series) -> pl.Series:
        """One list of tokens per text."""

    def of(self, text: str) -> SplitRules:
        """The rules for one text."""


_rules: ContextVar[SplitRules | MixedRules | None] = ContextVar("split_rules", default=None)


def use_rules(rules: SplitRules | MixedRules | None) -> None:
    """Split texts by these rules from now on, in this context; None: by those of this module."""
    _rules.set(rules)


def rules_in_use() -> SplitRules | MixedRules | None:
    """The rules that texts are split by now; None: those of this module."""
    return _rules.get()


@contextmanager
def splitting(rules: SplitRules | MixedRules | None) -> Iterator[None]:
    """Split texts by these rules inside the `with` block; None: by those of this module."""
    token = _rules.set(rules)
    try:
        yield
    finally:
        _rules.reset(token)


def tokenize(text: str) -> list[str]:
    """The tokens of one text, in order.

    >>> tokenize("It's 10/10, isn’t it?")
    ["it's", '10/10', ',', "isn't", 'it', '?']
    """
    rules = _rules.get()
    if rules is None:
        return _tokens(_lowered(text))
    return [token for token, _, _ in _token_spans(text, rules.of(text))]


def tokenize_column(texts: pl.Series) -> pl.Series:
    """One list of tokens per text of a column; empty for a missing text."""
    if (rules := _rules.get()) is not None:
        return rules.column(texts.cast(pl.String).fill_null(""))
    lowered = pl.col("text").fill_null("").str.to_lowercase().str.replace_all("’", "'", literal=True)
    frame = texts.alias("text").cast(pl.String).to_frame().lazy()
    return frame.select(lowered.str.extract_all(PATTERN)).collect(engine="streaming").to_series()


def encode(texts: pl.Series) -> tuple[NDArray[np.int32], list[str], NDArray[np.int64]]:
    """Integer codes of all tokens of a column, the token of each code, and the number of tokens per text.

    >>> codes, words, lengths = encode(pl.Series(["a b a", "", "b"]))
    >>> codes.tolist(), words, lengths.tolist()
    ([0, 1, 0, 1], ['a', 'b'], [3, 0, 1])
    """
    tokens = tokenize_column(texts)
    lengths = tokens.list.len().to_numpy().astype(np.int64)
    flat = tokens.explode(empty_as_null=False).to_arrow().dictionary_encode()
    words: list[str] = pl.Series(flat.dictionary).to_list()
    return flat.indices.to_numpy().astype(np.int32, copy=False), words, lengths


def is_longer_than(text: str, longest: int) -> bool:
    """Whether a text has more words and punctuation marks than that, without splitting all of it; long texts without spaces count, too.

    >>> is_longer_than("A film. " * 400, 1500), is_longer_than("A film. " * 600, 1500)
    (False, True)
    """
    return len(text) > 20 * longest or next(islice(_PIECE.finditer(text), longest, None), None) is not None


def token_spans(text: str) -> list[tuple[str, int, int]]:
    """The tokens of one text with their start and end in the original.

    >>> token_spans("No, NO")
    [('no', 0, 2), (',', 2, 3), ('no', 4, 6)]
    """
    rules = _rules.get()
    return list(_token_spans(text, None if rules is None else rules.of(text)))


@lru_cache(maxsize=4096)  # a repair asks for the same texts again and again
def _token_spans(text: str, rules: SplitRules | None) -> tuple[tuple[str, int, int], ...]:
    if rules is None:
        folded, origin = _lower_with_origin(text)
        tokens, ends = _tokens(folded), [i + 1 for i in origin]
    else:
        folded, origin, ends = _fold_with_origin(text, rules)
        tokens = rules.tokens(pl.Series([folded])).item().to_list()
    spans, place = [], 0
    for token in tokens:
        start = folded.index(token, place)
        place = start + len(token)
        spans.append((token, origin[start], ends[place - 1]))
    return tuple(spans)


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


def _fold_with_origin(text: str, rules: SplitRules) -> tuple[str, list[int], list[int]]:
    """The folded text, and for each of its characters where its original begins and ends; removed marks belong to the character before."""
    folded: str = rules.fold(pl.Series([text])).item()
    if len(folded) == len(text):
        return folded, list(range(len(text))), list(range(1, len(text) + 1))
    starts = [i for i, c in enumerate(text) if i == 0 or not _continues(c)]
    ends = [*starts[1:], len(text)]
    pieces: list[str] = rules.fold(
        pl.Series([text[i:j] for i, j in zip(starts, ends, strict=True)])
    ).to_list()
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
