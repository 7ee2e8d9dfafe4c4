"""Which rows of a dataset are English: what knows English only must not touch the others.

    foreign_language("Der Film war nicht gut.")      "de": clearly not English; "" if it is English, or may be
    row_languages(texts)                             the language of each row, unclear ones that of most rows
    NOT_ENGLISH                                      the reason that is counted for a row that English code leaves alone

A short English text can look like another language to `language_of` ("Die Hard", names, headlines). So a text in Latin script counts as
foreign only if its function words say so, too; in a dataset that is mostly English every other row is English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from longway.languages.identify import ENGLISH, UNKNOWN, language_of, name_of, scripts
from longway.languages.word_lists import has_words, word_list

NOT_ENGLISH = "not English: the rules only know English; use --engine served:MODEL"
SAMPLED = 300  # texts that decide on the language of a dataset
READ = 80  # words of a text that are looked at
LEAST = 0.05  # share of the rows of a dataset from which on a language is one of its languages
ENGLISH_SHARE = 0.2  # of a text's words: then no model is asked
FEWEST = 5  # words of a text in a language without tables
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Frequent English words that other languages in Latin script lack.
_ENGLISH_WORDS = frozenset(
    "the and that this with you they been which from there what would could than his their very who when about she not were it's i'm don't "
    "doesn't isn't didn't wasn't can't my your our him how does did being because into should where while these those just much such only".split()
)
_SHARED = frozenset("a an am as at be but by do for go had has have he her here i if in is it me more no of on or so to was we will all one".split())


def foreign_language(text: str) -> str:
    """The language of a text that is clearly not English; "" if it is English, or may be.

    >>> foreign_language("Der Film war nicht gut."), foreign_language("Die Hard"), foreign_language("電車は来た。")
    ('de', '', 'ja')
    """
    letters = scripts(text)
    if 2 * letters.get("Latin", 0) < letters.total():
        return language_of(text)
    words = [match.group().lower() for match in islice(_WORD.finditer(text), READ)]
    english = sum(word in _ENGLISH_WORDS for word in words)
    if english >= max(2, ENGLISH_SHARE * len(words)):
        return ""
    language = language_of(text)
    if language in (ENGLISH, UNKNOWN):
        return ""
    if not has_words(language):
        return language if not english and len(words) >= FEWEST else ""
    own = sum(word in word_list("function_words", language) - _SHARED for word in words)
    return language if own > english and (own > 1 or len(words) > 2) else ""


def main_language(texts: Sequence[str]) -> str:
    """The language of most texts, from a sample; "und" if nothing is known."""
    counts = Counter(language_of(text) for text in texts[:: max(1, len(texts) // SAMPLED)][:SAMPLED])
    del counts[UNKNOWN]
    return counts.most_common(1)[0][0] if counts else UNKNOWN


def row_languages(texts: Sequence[str]) -> list[str]:
    """The language of each text. In mostly English data it is English unless it is clearly another one.

    >>> row_languages(["The film was not good.", "Great fun!", "Der Film war nicht gut."])
    ['en', 'en', 'de']
    """
    main = main_language(texts)
    if main in (ENGLISH, UNKNOWN):
        return [foreign_language(text) or main for text in texts]
    found = [language_of(text) for text in texts]
    frequent = {language for language, n in Counter(found).items() if n >= LEAST * len(texts)}
    return [language if language in frequent - {UNKNOWN} else main for language in found]


def not_english_note(languages: Sequence[str]) -> str:
    """One sentence about the rows that are not English; "" if there are none."""
    others = Counter(language for language in languages if language != ENGLISH)
    if not others:
        return ""
    names = ", ".join(f"{name_of(language)} {n:,}" for language, n in others.most_common(3))
    more = ", …" if len(others) > 3 else ""
    return f"{others.total():,} of {len(languages):,} rows are not English ({names}{more}): the rules only know English and leave them alone."
