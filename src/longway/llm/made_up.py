"""Words that a small model made up: "visualities", "sparusing".

    known_words_only(step, given, tokenizer)      the step, whose lines with a word that does not exist are refused

A model that writes piece by piece can put pieces together that are no word. A word counts as known if it stands in what was given, if the model
has it as one piece, or if the dictionary has it (WordNet and lemminflect, extra `rules`). Without a dictionary only words of three and
more pieces count as made up. Names are not looked at: no dictionary has them all.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any

from longway.errors import MissingExtra
from longway.llm.gguf import Draw
from longway.llm.local_steps import Implausible, Step
from longway.text.inflect import lemmas
from longway.text.wordnet import senses

SHORTEST = 4  # letters: shorter words have one piece
PIECES = 2  # a word of so many may be real where no dictionary can say
_UPOS = ("NOUN", "VERB", "ADJ", "ADV")
_LOWER = re.compile(
    r"(?<![\w'’])[^\W\d_A-Z][^\W\d_]+(?![\w'’])"
)  # a word without capitals and without marks inside


def known_words_only(step: Step, given: str, tokenizer: Any) -> Step:
    """The step, with lines refused that have a word made up. given: the text and its context, whose words are all right."""
    own = {word.lower() for word in re.findall(r"[^\W\d_]+", given)}

    def read(draw: Draw) -> str:
        line = step.read(draw)
        if made_up := words_made_up(line, own, tokenizer):
            raise Implausible(f"a word that does not exist: {made_up[0]}")
        return line

    return replace(step, read=read)


def words_made_up(line: str, given: Collection[str], tokenizer: Any) -> list[str]:
    """The words of a line that do not exist."""
    new = (word for word in _LOWER.findall(line) if len(word) >= SHORTEST and word not in given)
    return [word for word in dict.fromkeys(new) if not _is_word(word, tokenizer)]


def _is_word(word: str, tokenizer: Any) -> bool:
    n_pieces = len(tokenizer.encode(f" {word}", add_special_tokens=False).ids)
    if n_pieces == 1:
        return True
    listed = _is_listed(word)
    return n_pieces <= PIECES if listed is None else listed


@lru_cache(maxsize=50_000)
def _is_listed(word: str) -> bool | None:
    """Whether the dictionary has a word or one that it is a form of; None where there is no dictionary."""
    try:
        return any(lemmas(word, upos) or senses(word, upos) for upos in _UPOS)
    except MissingExtra:
        return None
