"""The language of each row of a dataset: what knows English only must not touch other rows.

    language_in(text, main, languages)           the language of one text; "und" if it is unclear
    foreign_language("Der Film war nicht gut.")  "de": clearly not English; "" if it is English, or may be
    function_words("de")                         frequent words of a language
    NOT_ENGLISH                                  the reason that is counted for a row that English code leaves alone

A short English text can look like another language to `language_of` ("Die Hard", names, headlines). So in a dataset that is English alone, a
row is English unless its words show another language. In a dataset of several languages it is the other way round: a row is English
only if that is shown, by `language_of` or by an English word, and no other language of the dataset is likelier.
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
from longway.languages.words import MARKS, lowered

NOT_ENGLISH = "not English: the rules only know English; use --engine served:MODEL"
SAMPLED = 300  # texts that decide on the language of a dataset
READ = 80  # words of a text that are looked at
LEAST = 0.05  # share of the rows of a dataset from which on a language is one of its languages
LEAST_KNOWN = 0.1  # share of English function words in texts of which nothing else is known
ENGLISH_SHARE = 0.2  # of a text's words: then no model is asked
FEWEST = 3  # words of a text without any English word, from which on `language_of` alone is believed
SHORT = range(3, 6)  # words of a text for which one function word is enough
UNCLEAR = 20  # letters of a text in another script, below which close languages are confused
_LETTERS = rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*"
_WORD = re.compile(rf"{_LETTERS}(?:'{_LETTERS})*")
# Frequent English words that other languages in Latin script lack.
_ENGLISH_WORDS = frozenset(
    "the and that this with you they been which from there what would could than his their its very who when about she not were it's i'm don't n't "
    "doesn't isn't didn't wasn't can't my your our him how does did being because into should where while these those just much such only "
    "then here's why what's that's he's she's let's people person woman women girl child children friends dog dogs years actress singer born died "
    "makes make made takes take gets got went comes came says said sees saw see seen know knows think thinks wants needs likes looks plays runs "
    "walks stands sits holds wears eats watches rides drives works won wrote written known became becomes gives give gave feel feels felt find found "
    "please good great bad big small large little young first few many quite enough another every both always often sometimes never nothing "
    "without out down again around near together through before during between against since until upon though although yet too nice worst "
    "worse better last year day way even rather almost really still ever something anything everything things thing whole any own same several "
    "later once whether".split()
)
_ENGLISH_ENDING = re.compile(r"[a-z]{3,}(?:ness|less|fully|ingly|ously|ably|ibly|tely|ntly|ally|sly|dly|rly)")
# Frequent English words that other languages have, too.
_SHARED = frozenset(
    "a an am as at be but by do for go had has have he her here i if in is it me more no of on or so to was we will all one are and man men over under after".split()
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
def function_words(language: str) -> frozenset[str]:
    """Frequent words of a language, as far as they are listed."""
    if language == ENGLISH:
        return _ENGLISH_WORDS | _SHARED
    return word_list("function_words", language) or frozenset(OTHERS.get(language, "").split())


def foreign_language(text: str) -> str:
    """The language of a text that is clearly not English; "" if it is English, or may be.

    >>> foreign_language("Der Film war nicht gut."), foreign_language("Die Hard"), foreign_language("電車は来た。")
    ('de', '', 'ja')
    """
    if not text.isascii() and _is_other_script(text):
        return language_of(text)
    words = _words_of(text)
    n_english = _n_english(words)
    if n_english >= max(2, ENGLISH_SHARE * len(words)):
        return ""
    language = language_of(text)
    if language in (ENGLISH, UNKNOWN):
        return ""
    if not n_english and len(words) >= FEWEST and _SHARED.isdisjoint(words):
        return language
    english, foreign = _evidence(words, language)
    return language if foreign > english and (foreign > 1 or len(words) in SHORT) else ""


def words_of_either(text: str, language: str, other: str) -> tuple[int, int]:
    """How many frequent words of one language only, and of the other one only, a text has.

    >>> words_of_either("Il film è bello ma la fine no.", "es", "it")
    (1, 3)
    """
    words, first, second = _words_of(text), function_words(language), function_words(other)
    return sum(word in first - second for word in words), sum(word in second - first for word in words)


def _words_of(text: str) -> list[str]:
    """The first words of a text in lower case, without marks."""
    return [match.group() for match in islice(_WORD.finditer(lowered(text)), READ)]


def _n_english(words: Sequence[str]) -> int:
    """How many words other languages in Latin script lack."""
    return sum(word in _ENGLISH_WORDS or _ENGLISH_ENDING.fullmatch(word) is not None for word in words)


def _evidence(words: Sequence[str], language: str) -> tuple[int, int]:
    """How many words are English and not of the other language, and the other way round."""
    listed = function_words(language)
    foreign = listed - function_words(ENGLISH)
    shared = sum(word in _SHARED and word not in listed for word in words)
    return _n_english(words) + shared, sum(word in foreign for word in words)


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
    words = [word for text in some for word in _words_of(text)]
    known = sum(word in function_words(ENGLISH) for word in words)
    return ENGLISH if words and known >= LEAST_KNOWN * len(words) else UNKNOWN


@lru_cache(maxsize=1 << 14)
def language_in(text: str, main: str = ENGLISH, languages: tuple[str, ...] = ()) -> str:
    """The language of a text in a dataset; "und" if it is unclear.

    main: the language of most rows, which an unclear text in its script has, too.
    languages: one that the user named, which every text has; or several, the most frequent first, of which an unclear text may have any.

    >>> language_in("Great fun!"), language_in("Toller Film!", "de"), language_in("The film was not good.", "de")
    ('en', 'de', 'en')
    >>> language_in("Круто!", "ru"), language_in("Круто!", "de"), language_in("Der Film war nicht gut.", languages=("en",))
    ('ru', 'und', 'en')
    >>> language_in("Toller Film", languages=("en", "de")), language_in("The film is long.", languages=("en", "de"))
    ('und', 'en')
    """
    if len(languages) == 1:
        return languages[0]
    if languages:
        return _language_among(text, [language for language in languages if may_be_in(text, language)])
    foreign = foreign_language(text)
    if main == ENGLISH:
        return foreign or ENGLISH
    if main != UNKNOWN and not may_be_in(text, main):
        return foreign or (ENGLISH if language_of(text) == ENGLISH else UNKNOWN)
    if foreign and _is_other_script(text) and (foreign == UNKNOWN or scripts(text).total() < UNCLEAR):
        return main
    if foreign:  # related languages share words
        words = _words_of(text)
        of_main, of_foreign = (_evidence(words, language)[1] for language in (main, foreign))
        return main if of_main and of_main >= of_foreign else foreign
    return ENGLISH if _n_english(_words_of(text)) and language_of(text) == ENGLISH else main


def _language_among(text: str, languages: Sequence[str]) -> str:
    """The language of a text in mixed data. languages: those of the data that have its script."""
    if not languages:
        return language_of(text)
    if ENGLISH not in languages:
        likeliest = language_of(text, among=languages) if len(languages) > 1 else UNKNOWN
        return language_in(text, languages[0]) if likeliest == UNKNOWN else likeliest
    if len(languages) == 1:
        return foreign_language(text) or (ENGLISH if _is_shown_english(text, ()) else UNKNOWN)
    if _is_shown_english(text, [language for language in languages if language != ENGLISH]):
        return ENGLISH
    likeliest = language_of(text, among=languages)
    return UNKNOWN if likeliest == ENGLISH else likeliest


def _is_shown_english(text: str, others: Sequence[str]) -> bool:
    """Whether a text is shown to be English, and no other language of the dataset is likelier."""
    words = _words_of(text)
    evidence = [_evidence(words, language) for language in others] or [(_evidence(words, ENGLISH)[0], 0)]
    n_english = _n_english(words)
    if n_english >= max(2, ENGLISH_SHARE * len(words)) and all(
        english > 2 * foreign for english, foreign in evidence
    ):
        return True
    likeliest = language_of(text, among=[ENGLISH, *others]) if others else ENGLISH
    if likeliest == language_of(text) == ENGLISH and all(map(str.isascii, words)):
        return all(english >= foreign for english, foreign in evidence)
    return likeliest in (ENGLISH, UNKNOWN) and all(english > foreign for english, foreign in evidence)


def not_english_note(languages: Sequence[str]) -> str:
    """One sentence about the rows that are not English; "" if there are none."""
    others = Counter(language for language in languages if language != ENGLISH)
    if not others:
        return ""
    names = ", ".join(f"{name_of(language)} {n:,}" for language, n in others.most_common(3))
    more = ", …" if len(others) > 3 else ""
    return f"{others.total():,} of {len(languages):,} rows are not English ({names}{more}): the rules only know English, so these rows are not reworded; sentences and marks may still be removed or changed."
