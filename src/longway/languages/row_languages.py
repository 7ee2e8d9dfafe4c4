"""Which rows of a dataset are English: what knows English only must not touch the others.

    foreign_language("Der Film war nicht gut.")      "de": clearly not English; "" if it is English, or may be
    row_languages(texts)                             the language of each row, unclear ones that of most rows
    language_in(text, main, given)                   the same for one text of a dataset; given: the languages that the user named
    NOT_ENGLISH                                      the reason that is counted for a row that English code leaves alone

A short English text can look like another language to `language_of` ("Die Hard", names, headlines). So a text in Latin script counts as
foreign only if its function words say so, too; in a dataset that is mostly English every other row is English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import islice
from random import Random

from longway.language_names import ENGLISH, UNKNOWN, name_of
from longway.languages.identify import language_of, may_be_in, scripts
from longway.languages.word_lists import word_list

NOT_ENGLISH = "not English: the rules only know English; use --engine served:MODEL"
NOT_ENGLISH_WRITER = "not English: the small writer only knows English; use --engine served:MODEL"
SAMPLED = 300  # texts that decide on the language of a dataset
READ = 80  # words of a text that are looked at
LEAST = 0.05  # share of the rows of a dataset from which on a language is one of its languages
LEAST_KNOWN = 0.1  # share of English function words in texts of which nothing else is known
ENGLISH_SHARE = 0.2  # of a text's words: then no model is asked
FEWEST = 5  # words of a text in a language without tables
SHORT = range(3, 6)  # words of a text for which one function word is enough
UNCLEAR = 20  # letters of a text in another script, below which close languages are confused
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Frequent English words that other languages in Latin script lack.
_ENGLISH_WORDS = frozenset(
    "the and that this with you they been which from there what would could than his their very who when about she not were it's i'm don't "
    "doesn't isn't didn't wasn't can't my your our him how does did being because into should where while these those just much such only".split()
)
# Frequent English words that other languages have, too.
_SHARED = frozenset(
    "a an am as at be but by do for go had has have he her here i if in is it me more no of on or so to was we will all one are never and".split()
)
# The most frequent words of languages without tables that English lacks.
OTHERS = {
    "sv": "och att det är en ett som på med inte av den till var har om men så vi jag han hon från mycket också när",
    "da": "og det er en et som på med ikke af den til var har om men vi jeg han hun fra meget også når blev",
    "nb": "og det er en et som på med ikke av den til var har om men vi jeg han hun fra mye også når ble",
    "fi": "ja on ei että se oli ovat mutta hän kun niin myös tämä ole",
    "cs": "v na se je že to byl byla bylo jak ale po za od tak velmi pro co jsou nebo není který",
    "sk": "v na sa je že to bol bola bolo ako ale po za od tak veľmi pre čo sú alebo nie ktorý",
    "hu": "az és nem hogy egy volt de már csak van ez ezt meg",
    "ro": "și este nu că pe cu un în la care mai era sunt fost din",
    "id": "yang dan di ini itu dengan untuk tidak dari dalam akan pada juga adalah ke karena sangat saya",
    "ca": "el els les una del que és amb per però molt més com aquest aquesta són va",
    "hr": "je se u na da su ali nije bio što od za koji kao",
    "vi": "là và của không có một những được cho với này trong đã",
}


@cache
def _function_words(language: str) -> frozenset[str]:
    """Frequent words of a language that English lacks."""
    listed = word_list("function_words", language) or frozenset(OTHERS.get(language, "").split())
    return listed - _SHARED - _ENGLISH_WORDS


def foreign_language(text: str) -> str:
    """The language of a text that is clearly not English; "" if it is English, or may be.

    >>> foreign_language("Der Film war nicht gut."), foreign_language("Die Hard"), foreign_language("電車は来た。")
    ('de', '', 'ja')
    """
    if not text.isascii() and _is_other_script(text):
        return language_of(text)
    words = [match.group().lower() for match in islice(_WORD.finditer(text), READ)]
    english = sum(word in _ENGLISH_WORDS for word in words)
    if english >= max(2, ENGLISH_SHARE * len(words)):
        return ""
    language = language_of(text)
    if language in (ENGLISH, UNKNOWN):
        return ""
    own_words = _function_words(language)
    if not own_words:
        return language if len(words) >= FEWEST and not english and _SHARED.isdisjoint(words) else ""
    own = sum(word in own_words for word in words)
    english += sum(word in _SHARED - word_list("function_words", language) for word in words)
    return language if own > english and (own > 1 or len(words) in SHORT) else ""


def _is_other_script(text: str) -> bool:
    letters = scripts(text)
    return 2 * letters.get("Latin", 0) < letters.total()


def drawn(n: int, most: int) -> list[int]:
    """At most so many of n places, drawn at random, always the same ones: rows of two languages may alternate.

    >>> drawn(3, 5), len(drawn(10, 5))
    ([0, 1, 2], 5)
    """
    return sorted(Random(0).sample(range(n), min(n, most)))


def main_language(texts: Sequence[str]) -> str:
    """The language of most texts, from a sample; "und" if nothing is known."""
    some = [texts[place] for place in drawn(len(texts), SAMPLED)]
    counts = Counter(map(language_of, some))
    del counts[UNKNOWN]
    if counts:
        return counts.most_common(1)[0][0]
    words = [word.lower() for text in some for word in _WORD.findall(text)]
    known = sum(word in _ENGLISH_WORDS or word in _SHARED for word in words)
    return ENGLISH if words and known >= LEAST_KNOWN * len(words) else UNKNOWN


@lru_cache(maxsize=1 << 14)
def language_in(text: str, main: str = ENGLISH, given: tuple[str, ...] = ()) -> str:
    """The language of a text in a dataset. main: the language of most of its rows, which an unclear text in its script has, too.

    given: the languages that the user named; the text is in one of them.

    >>> language_in("Great fun!"), language_in("Toller Film!", "de"), language_in("The film was not good.", "de")
    ('en', 'de', 'en')
    >>> language_in("Круто!", "ru"), language_in("Круто!", "de"), language_in("Der Film war nicht gut.", given=("en",))
    ('ru', 'und', 'en')
    """
    if given:
        return _language_among(text, given)
    foreign = foreign_language(text)
    if main == ENGLISH:
        return foreign or ENGLISH
    if main != UNKNOWN and not may_be_in(text, main):
        return foreign or (ENGLISH if language_of(text) == ENGLISH else UNKNOWN)
    if foreign and _is_other_script(text) and (foreign == UNKNOWN or scripts(text).total() < UNCLEAR):
        return main
    if foreign:  # related languages share words
        words = [match.group().lower() for match in _WORD.finditer(text)]
        mine, other = (sum(word in _function_words(one) for word in words) for one in (main, foreign))
        return main if mine and mine >= other else foreign
    is_english = any(match.group().lower() in _ENGLISH_WORDS for match in _WORD.finditer(text))
    return ENGLISH if is_english and language_of(text) == ENGLISH else main


def _language_among(text: str, given: tuple[str, ...]) -> str:
    if len(given) == 1:
        return given[0]
    known = language_of(text, among=given)
    return known if known != UNKNOWN else next((one for one in given if may_be_in(text, one)), given[0])


def row_languages(texts: Sequence[str]) -> list[str]:
    """The language of each text. Unclear ones have that of most texts.

    >>> row_languages(["The film was not good.", "Great fun!", "Der Film war nicht gut."])
    ['en', 'en', 'de']
    """
    main = main_language(texts)
    return [language_in(text, main) for text in texts]


def not_english_note(languages: Sequence[str]) -> str:
    """One sentence about the rows that are not English; "" if there are none."""
    others = Counter(language for language in languages if language != ENGLISH)
    if not others:
        return ""
    names = ", ".join(f"{name_of(language)} {n:,}" for language, n in others.most_common(3))
    more = ", …" if len(others) > 3 else ""
    return f"{others.total():,} of {len(languages):,} rows are not English ({names}{more}): the rules only know English and leave them alone."
