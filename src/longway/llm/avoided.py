"""Words that a model should do without, as tokens that are pushed down while it writes.

    pushed_down(["not", "disappointing"], tokenizer)      {token: what is added to its logit}

A ban is too much: where nothing else fits, the word is better than nonsense. A word that is one token is pushed in the forms it
stands in: inside a text, at its start, behind a bracket. Of a word of several tokens the first is pushed, if it is most of the word:
" disappoint" of "disappointing", but not " over" of "overlong".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from longway.llm.scoring.gguf_weights import read_settings
from longway.llm.scoring.llama import tokenizer_of

PUSH = -6.0  # added to the logits: a token that would be drawn 99 times in 100 is drawn one time in five
SHORTEST = 4  # letters that the first of several tokens must have
MOST_OF = 0.6  # share of the word's letters that it must have
_NOT = "n't"
_SPACE = "Ġ"  # as the vocabulary writes it


def pushed_down(words: Iterable[str], tokenizer: Any) -> dict[int, float]:
    """The tokens to push down, and by how much. Phrases are left alone: a push on their words would hit too much."""
    found = (_token(form, tokenizer) for word in words for form in _forms(word.strip().lower()))
    return {token: PUSH for token in found if token is not None}


@lru_cache(maxsize=2)
def tokenizer_in(model_path: Path) -> Any:
    """The tokenizer of a GGUF file."""
    return tokenizer_of(read_settings(model_path))


def _forms(word: str) -> Iterator[str]:
    if word == _NOT:
        yield from ("'t", "’t")
    elif word.isalpha() and len(word) > 1:
        yield from (f" {word}", f" {word.capitalize()}")
        if len(word) >= SHORTEST:  # without a space before it, a short word is part of many others
            yield word


def _token(form: str, tokenizer: Any) -> int | None:
    ids = tokenizer.encode(form, add_special_tokens=False).ids
    if len(ids) == 1:
        return int(ids[0])
    n_letters = len(tokenizer.id_to_token(ids[0]).lstrip(_SPACE))
    is_specific = n_letters >= max(SHORTEST, MOST_OF * len(form.strip()))
    return int(ids[0]) if is_specific and form.startswith(" ") else None
