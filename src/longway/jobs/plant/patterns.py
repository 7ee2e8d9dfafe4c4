"""Which texts show a pattern: of the built-in sample's shortcuts, and of plants. `detect.where` decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.detect import TokenizedRow, where
from longway.detect.detector import TokenizedText
from longway.records import Pattern
from longway.tokens.tokenizer import is_word, tokenize_column

Bools = NDArray[np.bool_]
Tokens = Sequence[str]
TEXT = "text"  # the column that the patterns of plants are about


def shows(pattern: Pattern, tokens: Tokens) -> bool:
    """Whether a text of these tokens shows a pattern of one column.

    >>> shows(Pattern("ngram", "text", ("b", "c")), ["a", "b", "c"])
    True
    """
    return where(pattern, TokenizedRow({pattern.field: TokenizedText.of_tokens(tokens)})) is not None


def words_of(tokens: Tokens) -> list[str]:
    """The tokens without the marks."""
    return [token for token in tokens if is_word(token)]


def tokens_of(texts: Sequence[str | None]) -> list[list[str]]:
    """The tokens of each text."""
    return tokenize_column(pl.Series(texts, dtype=pl.String)).to_list()


def shows_sample(shortcut: Mapping[str, Any], texts: Sequence[str]) -> Bools:
    """Which texts show a shortcut of the built-in sample, as its planted.json describes it."""
    pattern = Pattern.from_dict(shortcut)
    return np.array([shows(pattern, tokens) for tokens in tokens_of(texts)], dtype=bool)
