"""Words as the checks compare them, and the polarity of a text: what it denies and what it restricts.

    words(text)                                   "Didn't she win?"  ->  didn't, she, win
    new_words(before, after)                      content words that only the second text has
    negations("He has yet to win.")               1
    is_restricted("It is nothing but a film.")    True: "nothing but" means "only" and denies nothing
    flips(before, after)                          words that were replaced by their opposites

Two texts can have the same meaning only if negations and replaced opposites add up to an even number: "was not alive", "was dead".
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache

from longway.english.opposites import COMPLEMENTS
from longway.english.words import (
    DENIALS,
    ONLY_SIGN,
    RESTRICTIONS,
    WEAK_RESTRICTIONS,
    count_denials,
    listed_words,
    merge_negation_phrases,
)
from longway.languages.words import MARKS, lowered

# Chinese characters, kana, Thai, Lao, Burmese and Khmer letters are not separated by spaces: each counts as a word.
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
IS_CHARACTER = re.compile(f"[{_NO_SPACES}]")
_LETTERS = rf"[^\W\d_{_NO_SPACES}](?:[^\W\d_{_NO_SPACES}]|[{MARKS}])*"
_WORD = re.compile(rf"\d+(?:[.,:/]\d+)*|[{_NO_SPACES}]|{_LETTERS}(?:'{_LETTERS})*|\w+")
_WORDS = listed_words(__name__)
FUNCTION_WORDS = _WORDS["function_words"]
_ENDINGS = ("'s", "ies", "ing", "ied", "ed", "es", "ly", "s", "y", "e")

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "mis")
_TAGS = {
    "ADJ": ("JJR", "JJS"),
    "ADV": (),
    "NOUN": ("NNS",),
    "VERB": ("VBD", "VBG", "VBN", "VBZ"),
}


def words(text: str, language: str = "") -> list[str]:
    """The words of a text in lower case, without punctuation and optional marks, apostrophes normalized. language: "" if it does not matter.

    >>> words("Don’t panic, İzmir!"), words("हिन्दी फ़िल्म")
    (["don't", 'panic', 'izmir'], ['हिन्दी', 'फ़िल्म'])
    """
    return _WORD.findall(lowered(text, language))


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
    """The lemmas of a word and its stem.

    >>> forms_of("won") & forms_of("wins") != frozenset()
    True
    """
    from longway.english.inflection import lemmas

    word = word.removesuffix("'s")
    known = {lemma for upos in ("VERB", "NOUN", "ADJ") for lemma in lemmas(word, upos)}
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


def negations(text: str) -> int:
    """The number of negations in a text.

    >>> negations("She did not win."), negations("She failed to win."), negations("She is nothing but a poet.")
    (1, 1, 0)
    """
    return count_denials(words(merge_negation_phrases(text)))


def is_restricted(text: str, *, weakly: bool = False) -> bool:
    """Whether a text says "only" in some way. weakly: "just" and "entirely" count, too."""
    merged = merge_negation_phrases(text)
    found = set(words(merged)) | ({ONLY_SIGN} if ONLY_SIGN in merged else set())
    return bool(found & (WEAK_RESTRICTIONS if weakly else RESTRICTIONS))


def flips(before: str, after: str) -> list[tuple[str, str]]:
    """Pairs of a removed word and its added opposite."""
    old, new = (
        Counter(w for w in words(merge_negation_phrases(t)) if w not in DENIALS) for t in (before, after)
    )
    gone, come = list((old - new).elements()), list((new - old).elements())
    found = []
    for word in gone:
        other = next((w for w in come if are_opposites(word, w)), None)
        if other is not None:
            come.remove(other)
            found.append((word, other))
    return found


def are_opposites(one: str, other: str) -> bool:
    """Whether two words are opposites: by prefix or ending, by our list, or by WordNet.

    >>> are_opposites("happy", "unhappy"), are_opposites("dead", "alive"), are_opposites("film", "movie")
    (True, True, False)
    """
    if COMPLEMENTS.get(one) == other:
        return True
    has_less = "less" in (one[-4:], other[-4:])
    for short, long in ((one, other), (other, one)):
        if len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES):
            return True
        if has_less and short.removesuffix("less") == long.removesuffix("ful"):
            return True
    return other in _antonyms(one) or one in _antonyms(other)


@cache
def _antonyms(word: str) -> frozenset[str]:
    """WordNet's antonyms of a word, in all inflected forms."""
    from longway.english.inflection import forms, lemmas
    from longway.english.wordnet import related_words

    found: set[str] = set()
    for upos, tags in _TAGS.items():
        for lemma in lemmas(word, upos) or (word,):
            for candidate in related_words(lemma, upos, "antonym"):
                found.add(candidate.lemma)
                found.update(form for tag in tags for form in forms(candidate.lemma, tag))
    return frozenset(found)
