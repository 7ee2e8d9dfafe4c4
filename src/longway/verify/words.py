"""Words as the checks compare them: cut, lowered, and brought to a common stem.

words(text)              "Didn't she win?"  ->  didn't, she, win
added(before, after)     content words that only the second text has
"""

from __future__ import annotations

import re
from functools import lru_cache

from longway.errors import LongwayError

_WORD = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)*|\w+")
FUNCTION_WORDS = frozenset(
    "a an the and or but of in on at to for by with from as that this these those it its he she they we you i his her "
    "their our my your him them us me is are was were be been being am has have had having do does did doing done will "
    "would can could may might shall should must there here who whom whose which what when where while than then so very "
    "also too both either any some all each every such same own more most much many one into onto about over under "
    "between through during before after since until if because although though however yet still just even ever "
    "'s s".split()
)
_ENDINGS = ("'s", "ies", "ing", "ied", "ed", "es", "ly", "s", "y", "e")


def words(text: str) -> list[str]:
    """The words of a text in lower case, punctuation left out, apostrophes plain."""
    return _WORD.findall(text.lower().replace("’", "'"))


def stem(word: str) -> str:
    """A word without its ending, so that forms of one word compare equal; crude, but the same for both texts.

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
    """What a word may be a form of, so that "won" and "win" meet; its stem alone without the package that inflects.

    >>> forms_of("won") & forms_of("wins") != frozenset()
    True
    """
    word = word.removesuffix("'s")
    try:
        from longway.text.inflect import lemmas

        found = {lemma for upos in ("VERB", "NOUN", "ADJ") for lemma in lemmas(word, upos)}
    except LongwayError:
        found = set()
    return frozenset({*found, stem(word)})


def added(before: str, after: str) -> list[str]:
    """Content words of `after` that are no form of a word of `before`, in order, each once.

    >>> added("Ann did not win the race.", "Ann won the regatta.")
    ['regatta']
    """
    old = frozenset().union(*map(forms_of, words(before)))
    return [
        word
        for word in dict.fromkeys(words(after))
        if word not in FUNCTION_WORDS and not forms_of(word) & old
    ]
