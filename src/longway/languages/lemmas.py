"""The dictionary form of words, by the extra `lemmas` (simplemma: word lists and rules, MIT, 19 MB).

    lemma("wanderte", "de")      "wandern"

A word with many forms may predict a label although none of its forms is frequent enough to show it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

PACKAGE = "simplemma"
LANGUAGES = frozenset(
    "ar bg ca cs da de el es et fa fi fr he hi hu hy id it ka lt lv mk nb nl pl pt ro ru sk sl sv tr uk".split()
)


def has_lemmas(language: str) -> bool:
    """Whether the words of a language can be joined by their dictionary form here."""
    return language in LANGUAGES and find_spec(PACKAGE) is not None


@lru_cache(maxsize=1 << 16)
def lemma(word: str, language: str) -> str:
    """The dictionary form of a word in lower case; the word itself if it is unknown."""
    form: str = import_module(PACKAGE).lemmatize(word, lang=language)
    return form.lower()


def forms_by_lemma(words: Sequence[str], language: str) -> dict[str, list[int]]:
    """The places of words by their dictionary form, of those with several forms."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        if word.isalpha():
            places[lemma(word, language)].append(place)
    return {form: found for form, found in places.items() if len(found) > 1}
