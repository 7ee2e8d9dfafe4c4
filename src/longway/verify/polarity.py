"""Polarity of a text: what it denies and what it restricts, counted from its words.

    negations("He has yet to win.")               1
    is_restricted("It is nothing but a film.")    True: "nothing but" means "only" and denies nothing
    flips(before, after)                          words that were replaced by their opposites

Two texts can have the same meaning only if negations and replaced opposites add up to an even number: "was not alive", "was dead".
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from longway.english.negation_words import (
    DENIALS,
    ONLY_SIGN,
    RESTRICTIONS,
    WEAK_RESTRICTIONS,
    count_denials,
    merge_negation_phrases,
)
from longway.english.opposites import COMPLEMENTS
from longway.errors import LongwayError
from longway.verify.wordforms import words

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "mis")


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
    """Whether two words are opposites: by prefix or ending, by our list, or by WordNet if it is installed.

    >>> are_opposites("happy", "unhappy"), are_opposites("dead", "alive"), are_opposites("film", "movie")
    (True, True, False)
    """
    if COMPLEMENTS.get(one) == other:
        return True
    for short, long in ((one, other), (other, one)):
        if len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES):
            return True
    if {one[-4:], other[-4:]} & {"less"} and one.removesuffix("less") == other.removesuffix("ful"):
        return True
    if {one[-4:], other[-4:]} & {"less"} and other.removesuffix("less") == one.removesuffix("ful"):
        return True
    return other in _antonyms(one) or one in _antonyms(other)


@cache
def _antonyms(word: str) -> frozenset[str]:
    """WordNet's antonyms of a word, in all inflected forms."""
    try:
        from longway.english.inflection import forms, lemmas
        from longway.english.wordnet import related_words

        found: set[str] = set()
        for upos, tags in _TAGS.items():
            for lemma in lemmas(word, upos) or (word,):
                for candidate in related_words(lemma, upos, "antonym"):
                    found.add(candidate.lemma)
                    found.update(form for tag in tags for form in forms(candidate.lemma, tag))
        return frozenset(found)
    except LongwayError:  # the optional packages are missing: prefixes and our list must do
        return frozenset()


_TAGS = {
    "ADJ": ("JJR", "JJS"),
    "ADV": (),
    "NOUN": ("NNS",),
    "VERB": ("VBD", "VBG", "VBN", "VBZ"),
}
