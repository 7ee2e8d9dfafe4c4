"""Single words, numbers and dates. Families: words, number_words.

    words           "children" -> "kids", "purchased" -> "bought": WordNet synonyms
    number_words    "three films" <-> "3 films"      "11th" <-> "eleventh"      "May 5, 2001" <-> "5 May 2001"

Names, titles, and verbs followed by a preposition ("result in") stay, unless WordNet lists the new verb with one. Of numbers only those that
count something, ordinals before a noun, and full dates change; years, versions, prices and parts of larger numbers ("3 million", "3.5") stay.
"""

from __future__ import annotations

import re

from longway.english.articles import with_articles
from longway.english.document import Change, Document, Word
from longway.english.inflection import MONTHS, ORDINALS, TENS, capitalise, number_in_words
from longway.english.replacements import Replacement, synonyms, with_article
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import MONTH_WORDS, is_time, name_indices
from longway.english.wordnet import is_expression, senses
from longway.english.words import listed_words

_EXCLUDED = listed_words(__name__)["excluded"]
_PREPOSITION_FRAMES = frozenset({4, 22})  # WordNet's frames "Something is ----ing PP", "Somebody ----s PP"


def words(scene: Scene) -> Rephrasings:
    """Yield the text with one word replaced by a synonym; words to avoid come first."""
    document = scene.document
    names = name_indices(document)
    for word in sorted(document, key=lambda w: (w.lower not in scene.avoid, w.index)):
        if word.upos not in ("NOUN", "VERB", "ADJ", "ADV") or word.index in names or not word.text.isalpha():
            continue
        if word.lemma.lower() in _EXCLUDED and word.lower not in scene.avoid:
            continue
        if _is_in_compound(scene, word):
            continue
        preposition = _following_preposition(word, document)
        for replacement in synonyms(word, document):
            if preposition and not _takes(replacement, preposition):
                continue
            if " " in replacement.text and _is_before_modifier(document, word):
                continue  # no "a for the most part red house"
            yield Rephrasing("words.synonym", tuple(with_article(document, replacement)))


def _is_in_compound(scene: Scene, word: Word) -> bool:
    """Return True for parts of "film festival" or "well-known", which are fixed terms."""
    document = scene.document
    glued = "-" in document.text[max(0, word.start - 1) : word.start] + document.text[word.end : word.end + 1]
    has_part = word.upos == "NOUN" and bool(document.children(word, "compound"))
    is_part = word.relation == "compound" or has_part
    is_participle = word.upos == "VERB" and word.relation in ("amod", "compound")  # "purchasing power"
    return glued or is_part or is_participle


def _is_before_modifier(document: Document, word: Word) -> bool:
    head = document.head(word)
    return word.upos == "ADV" and head is not None and head.relation in ("amod", "compound")


def _following_preposition(word: Word, document: Document) -> str:
    """Return the preposition right after a verb that may belong to it ("resulted in"), or "".

    A time ("began in May") and the agent of a passive ("was bought by") are compatible with any verb.
    """
    after = document.words[word.index + 1 : word.index + 2]
    if word.upos != "VERB" or not after or after[0].upos != "ADP":
        return ""
    if after[0].relation not in ("case", "mark"):
        return ""
    governed = document.head(after[0])
    is_passive = bool(document.children(word, "aux:pass", "nsubj:pass")) or word.tag == "VBN"
    if (governed is not None and is_time(document, governed)) or (after[0].lower == "by" and is_passive):
        return ""
    return after[0].lower


def _takes(replacement: Replacement, preposition: str) -> bool:
    """Return True if WordNet lists the new verb, in this sense, with a preposition."""
    if is_expression(f"{replacement.lemma} {preposition}"):
        return True
    same_senses = (sense for sense in senses(replacement.lemma, "VERB") if sense.name == replacement.sense)
    members = (sense.member(replacement.lemma) for sense in same_senses)
    return any(member is not None and bool(member.frames & _PREPOSITION_FRAMES) for member in members)


_UNITS = frozenset(
    "hundred thousand million billion trillion dozen percent % dollars euros pounds am pm".split()
)
_NUMBERED = frozenset("century season episode anniversary edition".split())
_DECADES = {
    "1920s": "twenties", "1930s": "thirties", "1940s": "forties", "1950s": "fifties", "1960s": "sixties",
    "1970s": "seventies", "1980s": "eighties", "1990s": "nineties",
}  # fmt: skip
_MONTHS = "|".join(MONTHS)
_DAY = r"(0?[1-9]|[12]\d|3[01])(st|nd|rd|th)?"
_DATE = re.compile(rf"\b({_MONTHS}) {_DAY},? (\d{{4}})\b")
_BRITISH_DATE = re.compile(rf"(?<![\d,.] )(?<!\d)\b{_DAY} ({_MONTHS}),? (\d{{4}})\b")
_SHORT_DATE = re.compile(rf"\bon ({_MONTHS}) {_DAY}(?=[.!]?$| in )")
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
    elif word.lower in _NUMBERS and not any(
        other.index != word.index and (other.lower in _NUMBERS or other.lower == "one")
        for other in document.sentence_of(word)
    ):  # "two girls and one man" keep the same style
        yield _replaced(document, word, str(_NUMBERS[word.lower]), "to_digits")
    else:
        return
    if word.lower in ("12", "twelve"):
        yield _replaced(document, word, "a dozen", "dozen")


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
    if document.lower_at(word.index + 1) in ("and", "or", "and/or"):
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
        yield _date(match, f"{int(day)} {month} {year}", "day_first")
        yield _date(match, f"{month} {int(day) if ending else ordinal_of(int(day))}, {year}", "day_ending")
    for match in _BRITISH_DATE.finditer(text):
        day, _, month, year = match.groups()
        yield _date(match, f"{month} {int(day)}, {year}", "month_first")
    for match in _SHORT_DATE.finditer(text):
        month, day, ending = match.groups()
        yield _date(match, f"on {month} {int(day) if ending else ordinal_of(int(day))}", "day_ending")
        yield _date(match, f"on the {ordinal_of(int(day))} of {month}", "day_of_month")
    for match in _MONTH_OF.finditer(text):
        yield _date(match, f"{match[1]} {match[2]}", "month_year")
    for match in _MONTH_YEAR.finditer(text):
        yield _date(match, f"in {match[1]} of {match[2]}", "month_of")


def _date(match: re.Match[str], text: str, case: str) -> Rephrasing:
    return Rephrasing.of(f"number_words.{case}", Change(match.start(), match.end(), text))
