"""The word lists of modules that know English, read from `listed_words.toml`.

    listed_words(__name__)["vague_nouns"]       the words of a list
    listed_phrases(__name__, "contraries")      a table: a word, and its words or phrases in order

Each module has a table of its own in the file, named after it: `[rules.details]` for `longway.english.rules.details`, `[methods.eda]`
for `longway.methods.eda`.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

LISTS_PATH = Path(__file__).with_suffix(".toml")


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    return tomllib.loads(LISTS_PATH.read_text(encoding="utf-8"))


def _table_of(module: str) -> dict[str, Any]:
    table = _tables()
    for name in module.removeprefix("longway.").removeprefix("english.").split("."):
        table = table[name]
    return table


def listed_words(module: str) -> dict[str, frozenset[str]]:
    """Return the lists of a module by name. module: its `__name__`."""
    lists = _table_of(module).items()
    return {name: frozenset(words.split()) for name, words in lists if isinstance(words, str)}


def listed_phrases(module: str, name: str) -> dict[str, tuple[str, ...]]:
    """Return a table of a module: each word with its phrases (a TOML array) or words (a string), in order."""
    rows = _table_of(module)[name].items()
    return {word: tuple(row.split() if isinstance(row, str) else row) for word, row in rows}
