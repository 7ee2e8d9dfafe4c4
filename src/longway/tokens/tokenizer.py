"""The tokenizer of all surface statistics.

    text  ->  lower case, typographic apostrophes replaced by plain ones  ->  numbers | words | single punctuation marks

"It's 10/10, isn’t it?" gives it's, 10/10, a comma, isn't, it, a question mark. A number keeps its inner separators ("10/10", "1.5"), and a
word its inner apostrophe; every other character except white space is a token. Scripts without spaces between words (Chinese, Japanese,
Thai ...) are split into single characters, so that their words appear as n-grams.

One regular expression in compiled code (polars) processes a whole column at a time, so a million texts take seconds, and one text is
split exactly as a million are.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from unicodedata import category

import numpy as np
import polars as pl
from numpy.typing import NDArray

UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_LETTERS = rf"[\w--{UNSPACED}]+"
PATTERN = rf"\d+(?:[.,/:]\d+)+|{_LETTERS}(?:'{_LETTERS})*|{UNSPACED}|[^\w\s]"
_HAS_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_ASCII = re.compile(r"\d+(?:[.,/:]\d+)+|\w+(?:'\w+)*|[^\w\s]", re.ASCII)  # `PATTERN` for texts in ASCII
_PIECE = re.compile(r"\w+|[^\w\s]")  # a rough token, cheap to count


def tokenize(text: str) -> list[str]:
    """The tokens of one text, in order.

    >>> tokenize("It's 10/10, isn’t it?")
    ["it's", '10/10', ',', "isn't", 'it', '?']
    """
    return _tokens(_lowered(text))


def tokenize_column(texts: pl.Series) -> pl.Series:
    """One list of tokens per text of a column; empty for a missing text."""
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
    return list(_token_spans(text))


@lru_cache(maxsize=4096)  # a repair asks for the same texts again and again
def _token_spans(text: str) -> tuple[tuple[str, int, int], ...]:
    lowered, origin = _lower_with_origin(text)
    spans, place = [], 0
    for token in _tokens(lowered):
        start = lowered.index(token, place)
        place = start + len(token)
        spans.append((token, origin[start], origin[place - 1] + 1))
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
