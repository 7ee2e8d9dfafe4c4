"""Does a text show a pattern? The one place where that is asked: of the built-in sample's shortcuts and of plants.

Everything is asked of tokens (`text.tokens`); where places are counted, marks are passed over, as the detectors do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.text.negations import is_negation
from longway.text.tokens import is_word, tokenize, tokenize_column

Bools = NDArray[np.bool_]
Tokens = Sequence[str]


def has_phrase(tokens: Tokens, phrase: Tokens) -> bool:
    """Whether the phrase stands anywhere.

    >>> has_phrase(["a", "b", "c"], ["b", "c"])
    True
    """
    n = len(phrase)
    return any(list(tokens[i : i + n]) == list(phrase) for i in range(len(tokens) - n + 1))


def starts_with(tokens: Tokens, phrase: Tokens) -> bool:
    """Whether these are the first words."""
    return words_of(tokens)[: len(phrase)] == list(phrase)


def ends_with(tokens: Tokens, phrase: Tokens) -> bool:
    """Whether these are the last words."""
    return not phrase or words_of(tokens)[-len(phrase) :] == list(phrase)


def has_negation(tokens: Tokens) -> bool:
    """Whether something is denied."""
    return any(map(is_negation, tokens))


def words_of(tokens: Tokens) -> list[str]:
    """The tokens without the marks."""
    return [token for token in tokens if is_word(token)]


def shared(tokens: Tokens, context: Tokens) -> float:
    """Share of the text's different words that its context has too.

    >>> shared(["a", "b", "!"], ["b"])
    0.5
    """
    words = set(words_of(tokens))
    return len(words & set(context)) / len(words) if words else 0.0


def tokens_of(texts: Sequence[str | None]) -> list[list[str]]:
    """The tokens of each text."""
    return tokenize_column(pl.Series(texts, dtype=pl.String)).to_list()


def shows_sample(shortcut: Mapping[str, Any], texts: Sequence[str]) -> Bools:
    """Which texts show a shortcut of the built-in sample, as its planted.json describes it."""
    phrase = tokenize(shortcut["pattern"].rpartition(": ")[2])
    longest = next((int(word) for word in shortcut["pattern"].split() if word.isdigit()), 0)
    tests: dict[str, Callable[[Tokens], bool]] = {
        "token": lambda tokens: has_phrase(tokens, phrase),
        "ngram": lambda tokens: has_phrase(tokens, phrase),
        "position": lambda tokens: starts_with(tokens, phrase),
        "length": lambda tokens: len(words_of(tokens)) > longest,
        "negation": has_negation,
    }
    return np.array([tests[shortcut["level"]](tokens) for tokens in tokens_of(texts)], dtype=bool)
