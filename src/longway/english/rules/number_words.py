"""Numbers and dates in another notation. Family: number_words.

    "three films" <-> "3 films"      "11th" <-> "eleventh"      "May 5, 2001" <-> "5 May 2001"

Only numbers that count something, ordinals before a noun, and full dates. Names, titles, years, versions, prices and parts of
larger numbers ("3 million", "3.5") stay.
"""

from __future__ import annotations

import re

from longway.english.articles import with_articles
from longway.english.document import Change, Document, Word
from longway.english.inflection import MONTHS, ORDINALS, TENS, capitalise, number_in_words
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.spans import MONTH_WORDS, name_indices

_UNITS = frozenset(
    "hundred thousand million billion trillion dozen percent % dollars euros pounds am pm".split()
)
_NUMBERED = frozenset("century season episode anniversary edition".split())
_DECADES = {
    "1920s": "twenties", "1930s": "thirties", "1940s": "forties", "1950s": "fifties", "1960s": "sixties",
    "1970s": "seventies", "1980s": "eighties", "1990s": "nineties",
}  # fmt: skip
_MONTHS = "|".join(MONTHS)
_DATE = re.compile(rf"\b({_MONTHS}) (\d{{1,2}})(st|nd|rd|th)?,? (\d{{4}})\b")
_BRITISH_DATE = re.compile(rf"(?<![\d,.] )(?<!\d)\b(\d{{1,2}})(st|nd|rd|th)? ({_MONTHS}),? (\d{{4}})\b")
_SHORT_DATE = re.compile(rf"\bon ({_MONTHS}) (\d{{1,2}})(st|nd|rd|th)?(?=[.!]?$| in )")
_MONTH_OF = re.compile(rf"\b({_MONTHS}) of (\d{{4}})\b")
_MONTH_YEAR = re.compile(rf"\bin ({_MONTHS}) (\d{{4}})\b")


def ordinal_word_of(number: int) -> str:
    """Return the ordinal of a number from 1 to 99 in words.

    >>> ordinal_word_of(2), ordinal_word_of(20), ordinal_word_of(31)
    ('second', 'twentieth', 'thirty-first')
    """
    if number < 20:
        return ORDINALS[number]
    tens, ones = divmod(number, 10)
    return f"{TENS[tens - 2]}-{ORDINALS[ones]}" if ones else TENS[tens - 2][:-1] + "ieth"


def ordinal_of(number: int) -> str:
    """Return the ordinal of a number in digits: 2 -> "2nd"."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


_NUMBERS = {number_in_words(number): number for number in range(2, 101)}
_ORDINAL_NUMBERS = {ordinal_word_of(number): number for number in range(2, 100)}


def number_words(scene: Scene) -> Rephrasings:
    """Yield the text with one number or date in another notation."""
    document = scene.document
    for word in document:
        if word.index not in name_indices(document):
            yield from _cardinal(document, word)
            yield from _ordinal(document, word)
            yield from _decade(document, word)
    yield from _dates(document)


def _cardinal(document: Document, word: Word) -> Rephrasings:
    if word.upos != "NUM" or not _counts(document, word):
        return
    if word.text.isdigit() and word.text[0] != "0" and 2 <= int(word.text) <= 100:
        yield _replaced(document, word, number_in_words(int(word.text)), "to_word")
        if word.text == "12":
            yield _replaced(document, word, "a dozen", "dozen")
    elif word.lower in _NUMBERS and not _has_other_words(document, word):
        yield _replaced(document, word, str(_NUMBERS[word.lower]), "to_digits")
        if word.lower == "twelve":
            yield _replaced(document, word, "a dozen", "dozen")


def _has_other_words(document: Document, word: Word) -> bool:
    """Return True if the sentence has another number in words: "two girls and one man" keep the same style."""
    sentence = document.sentence_of(word)
    return any(w.index != word.index and (w.lower in _NUMBERS or w.lower == "one") for w in sentence)


def _counts(document: Document, word: Word) -> bool:
    """Return True if a number alone counts the noun after it."""
    head = document.head(word)
    before = document.before(word)
    after = document.after(word)
    if head is None or after is None or head.index < word.index or word.relation != "nummod":
        return False
    if after.lower in _UNITS or after.upos == "NUM" or head.index in name_indices(document):
        return False
    glued = document.text[word.end : word.end + 1] in ("-", ".", ",", "/", ":", "%", "'")
    is_part = before is not None and (
        before.upos in ("NUM", "SYM") or before.lower in ("$", "-", "number", "no.", "#")
    )
    is_month = (before is not None and before.lower in MONTH_WORDS) or head.lower.endswith("ties")
    return not glued and not is_part and not is_month and head.tag == "NNS"


def _ordinal(document: Document, word: Word) -> Rephrasings:
    head = document.head(word)
    if word.relation != "amod" or head is None or head.index < word.index:
        return
    if head.index in name_indices(document) or document.text[word.end : word.end + 1] in ("-", ",", "."):
        return
    if any(w.lower in ("and", "or", "and/or") for w in document.words[word.index + 1 : word.index + 2]):
        return  # "the 2nd and 1st floors"
    match = re.fullmatch(r"(\d{1,2})(st|nd|rd|th)", word.lower)
    if match and 1 <= int(match[1]) <= 99:
        yield _replaced(document, word, ordinal_word_of(int(match[1])), "ordinal_word")
    elif word.lower in _ORDINAL_NUMBERS and head.lemma.lower() in _NUMBERED:
        yield _replaced(document, word, ordinal_of(_ORDINAL_NUMBERS[word.lower]), "ordinal_digits")


def _decade(document: Document, word: Word) -> Rephrasings:
    decade = _DECADES.get(word.lower.replace("'", ""))
    before = document.words[max(0, word.index - 2) : word.index]
    after = document.after(word)
    is_end = after is None or after.upos == "PUNCT"
    if decade is not None and [w.lower for w in before] in (["in", "the"], ["during", "the"]) and is_end:
        yield _replaced(document, word, decade, "decade")


def _replaced(document: Document, word: Word, text: str, case: str) -> Rephrasing:
    opens = any(first == word.index for first, _ in document.sentences)
    if opens and text[:1].isalpha() and not word.text[:1].islower():
        text = capitalise(text)
    change = word.becomes(text)
    return Rephrasing(f"number_words.{case}", with_articles(document, change))


def _dates(document: Document) -> Rephrasings:
    text = document.text
    for match in _DATE.finditer(text):
        month, day, ending, year = match.groups()
        if not 1 <= int(day) <= 31:
            continue
        yield _date(match, f"{int(day)} {month} {year}", "day_first")
        yield _date(
            match,
            f"{month} {int(day)}, {year}" if ending else f"{month} {ordinal_of(int(day))}, {year}",
            "day_ending",
        )
    for match in _BRITISH_DATE.finditer(text):
        day, _, month, year = match.groups()
        if 1 <= int(day) <= 31:
            yield _date(match, f"{month} {int(day)}, {year}", "month_first")
    for match in _SHORT_DATE.finditer(text):
        month, day, ending = match.groups()
        if 1 <= int(day) <= 31:
            yield _date(
                match,
                f"on {month} {int(day)}" if ending else f"on {month} {ordinal_of(int(day))}",
                "day_ending",
            )
            yield _date(match, f"on the {ordinal_of(int(day))} of {month}", "day_of_month")
    for match in _MONTH_OF.finditer(text):
        yield _date(match, f"{match[1]} {match[2]}", "month_year")
    for match in _MONTH_YEAR.finditer(text):
        yield _date(match, f"in {match[1]} of {match[2]}", "month_of")


def _date(match: re.Match[str], text: str, case: str) -> Rephrasing:
    return Rephrasing.of(f"number_words.{case}", Change(match.start(), match.end(), text))
