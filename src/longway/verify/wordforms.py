"""Words as the checks compare them: lower case, without punctuation, reduced to a common stem.

words(text)                "Didn't she win?"  ->  didn't, she, win
new_words(before, after)   content words that only the second text has
"""

from __future__ import annotations

import re
from functools import lru_cache

from longway.english.listed_words import listed_words
from longway.errors import LongwayError

_WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|\w+")
_WORDS = listed_words(__name__)
FUNCTION_WORDS = _WORDS["function_words"]
_ENDINGS = ("'s", "ies", "ing", "ied", "ed", "es", "ly", "s", "y", "e")


def words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation, apostrophes normalized."""
    return _WORD.findall(text.lower().replace("’", "'"))


def stem(word: str) -> str:
    """A word without its ending. Crude, but applied to both texts alike.

    >>> stem("directed") == stem("director's") == stem("directs")
    False
    >>> stem("directed") == stem("directing") == stem("directs")
    True
    """
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=100_000)
def forms_of(word: str) -> frozenset[str]:
    """The lemmas of a word and its stem; the stem alone if the inflection package is not installed.

    >>> forms_of("won") & forms_of("wins") != frozenset()
    True
    """
    word = word.removesuffix("'s")
    try:
        from longway.english.inflection import lemmas

        known = {lemma for upos in ("VERB", "NOUN", "ADJ") for lemma in lemmas(word, upos)}
    except LongwayError:
        known = set()
    return frozenset({*known, stem(word)})


def new_words(before: str, after: str) -> list[str]:
    """Distinct content words of `after` that are no form of a word of `before`, in order.

    >>> new_words("Ann did not win the race.", "Ann won the regatta.")
    ['regatta']
    """
    old = frozenset().union(*map(forms_of, words(before)))
    return [
        word
        for word in dict.fromkeys(words(after))
        if word not in FUNCTION_WORDS and not forms_of(word) & old
    ]
