"""Numbers and dates written another way: "three" and "3", "11th" and "eleventh", "May 5, 2001" and "5 May 2001".

Only numbers that count something ("three films"), ordinals before a noun, and full dates. Names, titles, years, versions, prices
and numbers that are part of a larger one ("3 million", "3.5") stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import MONTHS, in_names
from longway.text.articles import mend_articles
from longway.text.capitals import capitalised
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.number_names import ONES, ORDINALS, TENS

_LARGE = frozenset(
    "hundred thousand million billion trillion dozen percent % dollars euros pounds am pm".split()
)
_DECADES = {
    "1920s": "twenties", "1930s": "thirties", "1940s": "forties", "1950s": "fifties", "1960s": "sixties",
    "1970s": "seventies", "1980s": "eighties", "1990s": "nineties",
}  # fmt: skip
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\b({_MONTH}) (\d{{1,2}})(st|nd|rd|th)?,? (\d{{4}})\b")
_BRITISH_DATE = re.compile(rf"(?<![\d,.] )(?<!\d)\b(\d{{1,2}})(st|nd|rd|th)? ({_MONTH}),? (\d{{4}})\b")
_SHORT_DATE = re.compile(rf"\bon ({_MONTH}) (\d{{1,2}})(st|nd|rd|th)?(?=[.!]?$| in )")
_MONTH_OF = re.compile(rf"\b({_MONTH}) of (\d{{4}})\b")
_MONTH_YEAR = re.compile(rf"\bin ({_MONTH}) (\d{{4}})\b")


def word_of(number: int) -> str:
    """A number from 0 to 100 in words.

    >>> word_of(7), word_of(40), word_of(99), word_of(100)
    ('seven', 'forty', 'ninety-nine', 'one hundred')
    """
    if number == 100:
        return "one hundred"
    if number < 20:
        return ONES[number]
    tens, ones = divmod(number, 10)
    return TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")


def ordinal_word_of(number: int) -> str:
    """The ordinal of a number from 1 to 99 in words.

    >>> ordinal_word_of(2), ordinal_word_of(20), ordinal_word_of(31)
    ('second', 'twentieth', 'thirty-first')
    """
    if number < 20:
        return ORDINALS[number]
    tens, ones = divmod(number, 10)
    return f"{TENS[tens - 2]}-{ORDINALS[ones]}" if ones else TENS[tens - 2][:-1] + "ieth"


def ordinal_of(number: int) -> str:
    """The ordinal of a number in digits: 2 -> "2nd"."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


_NUMBERS = {word_of(number): number for number in range(2, 101)}
_ORDINAL_NUMBERS = {ordinal_word_of(number): number for number in range(2, 100)}


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one number or date written another way."""
    document = scene.document
    for word in document:
        if word.index not in in_names(document):
            yield from _cardinal(document, word)
            yield from _ordinal(document, word)
            yield from _decade(document, word)
    yield from _dates(document)


def _cardinal(document: Document, word: Word) -> Iterator[Rewriting]:
    if word.upos != "NUM" or not _counts(document, word):
        return
    if word.text.isdigit() and word.text[0] != "0" and 2 <= int(word.text) <= 100:
        yield _changed(document, word, word_of(int(word.text)), "to_word")
        if word.text == "12":
            yield _changed(document, word, "a dozen", "dozen")
    elif word.lower in _NUMBERS and not _has_other_words(document, word):
        yield _changed(document, word, str(_NUMBERS[word.lower]), "to_digits")
        if word.lower == "twelve":
            yield _changed(document, word, "a dozen", "dozen")


def _has_other_words(document: Document, word: Word) -> bool:
    """True where another number of the sentence is written in words: "two girls and one man" stay alike."""
    sentence = document.sentence(document.sentence_number(word))
    return any(w.index != word.index and (w.lower in _NUMBERS or w.lower == "one") for w in sentence)


def _counts(document: Document, word: Word) -> bool:
    """True where a number stands before the noun it counts, all by itself."""
    head = document.head(word)
    before = document.words[word.index - 1] if word.index else None
    after = document.words[word.index + 1] if word.index + 1 < len(document) else None
    if head is None or after is None or head.index < word.index or word.relation != "nummod":
        return False
    if (
        after.lower in _LARGE
        or after.upos == "NUM"
        or head.tag not in ("NNS", "NN")
        or head.index in in_names(document)
    ):
        return False
    glued = document.text[word.end : word.end + 1] in ("-", ".", ",", "/", ":", "%", "'")
    is_part = before is not None and (
        before.upos in ("NUM", "SYM") or before.lower in ("$", "-", "number", "no.", "#")
    )
    is_month = (before is not None and before.lower in MONTHS) or head.lower.endswith("ties")
    return not glued and not is_part and not is_month and head.tag == "NNS"


def _ordinal(document: Document, word: Word) -> Iterator[Rewriting]:
    head = document.head(word)
    if word.relation != "amod" or head is None or head.index < word.index or head.index in in_names(document):
        return
    after = document.text[word.end : word.end + 1]
    if after in ("-", ",", "."):
        return
    found = re.fullmatch(r"(\d{1,2})(st|nd|rd|th)", word.lower)
    if found and 1 <= int(found[1]) <= 99:
        yield _changed(document, word, ordinal_word_of(int(found[1])), "ordinal_word")
    elif word.lower in _ORDINAL_NUMBERS and head.lemma.lower() in (
        "century",
        "season",
        "episode",
        "anniversary",
        "edition",
    ):
        yield _changed(document, word, ordinal_of(_ORDINAL_NUMBERS[word.lower]), "ordinal_digits")


def _decade(document: Document, word: Word) -> Iterator[Rewriting]:
    decade = _DECADES.get(word.lower.replace("'", ""))
    before = document.words[max(0, word.index - 2) : word.index]
    after = document.words[word.index + 1] if word.index + 1 < len(document) else None
    is_end = after is None or after.upos == "PUNCT"
    if decade is not None and [w.lower for w in before] in (["in", "the"], ["during", "the"]) and is_end:
        yield _changed(document, word, decade, "decade")


def _changed(document: Document, word: Word, text: str, case: str) -> Rewriting:
    opens = any(first == word.index for first, _ in document.sentences)
    if opens and text[:1].isalpha() and not word.text[:1].islower():
        text = capitalised(text)
    change = Change(word.start, word.end, text)
    return Rewriting(f"number_words.{case}", (change, *mend_articles(document, [change])))


def _dates(document: Document) -> Iterator[Rewriting]:
    text = document.text
    for found in _DATE.finditer(text):
        month, day, ending, year = found.groups()
        if not 1 <= int(day) <= 31:
            continue
        yield _date(found, f"{int(day)} {month} {year}", "day_first")
        yield _date(
            found,
            f"{month} {int(day)}, {year}" if ending else f"{month} {ordinal_of(int(day))}, {year}",
            "day_ending",
        )
    for found in _BRITISH_DATE.finditer(text):
        day, _, month, year = found.groups()
        if 1 <= int(day) <= 31:
            yield _date(found, f"{month} {int(day)}, {year}", "month_first")
    for found in _SHORT_DATE.finditer(text):
        month, day, ending = found.groups()
        if 1 <= int(day) <= 31:
            yield _date(
                found,
                f"on {month} {int(day)}" if ending else f"on {month} {ordinal_of(int(day))}",
                "day_ending",
            )
            yield _date(found, f"on the {ordinal_of(int(day))} of {month}", "day_of_month")
    for found in _MONTH_OF.finditer(text):
        yield _date(found, f"{found[1]} {found[2]}", "month_year")
    for found in _MONTH_YEAR.finditer(text):
        yield _date(found, f"in {found[1]} of {found[2]}", "month_of")


def _date(found: re.Match[str], text: str, case: str) -> Rewriting:
    return Rewriting(f"number_words.{case}", (Change(found.start(), found.end(), text),))
