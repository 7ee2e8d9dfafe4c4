"""The articles "a" and "an": chosen by the sound of the next word, and fixed after changes to a text.

    article_before("hour")      "an"      article_before("university")  "a"
    article_before("MBA")       "an"      article_before("NASA")        "a"
    article_before("11th")      "an"      article_before("1,100")       "a"
    fix_articles(document, changes)       further changes, so that each article fits the word behind it

The exceptions to the spelling are listed here: u and eu that sound like "you", one, silent h, numbers, and abbreviations,
which are spelled out ("an MBA") or pronounced as a word ("a NASA mission"). If American and British usage differ ("an
herb"), the American form is used.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from longway.english.document import Change, Document, Word, apply_changes
from longway.english.inflection import is_all_caps, lemmas, match_case
from longway.english.words import listed_words

# Vowel letter but consonant sound: "you..." or "w...".
_CONSONANT_SOUND = re.compile(
    r"""eu | ewe | ewing | oui\b | ouija
      | once | one (?= \b | s | ness | time )
      | uni (?! [mn] | d | ll | rr | ron | gn | ss )  # unity; not unimportant, uninvited, unidentified, unironed
      | uni (direct | dimens | modal | nomin | nucle)
      | unanim (?!a) | unary | unesco
      | us (?= [aeiu] )  # usage, using, usual; not usher
      | ut (?= [aeiou] ) | ub (?= iq | iet ) | ufo | ug (?= a ) | uk (?= e | r | ul )
      | ur (?= [aeiou] (?!l) | ol ) | uv | uzi | uyg | uig | u\b
    """,
    re.VERBOSE,
)
# Consonant letter but vowel sound.
_VOWEL_SOUND = re.compile(
    r"hour(?!i\b) | hono(u?r) | honest | heir | herb(s|al|alist|alists|ed|y|age)? \b | homage | hors \b | y(?![aeiouy])",
    re.VERBOSE,
)
_LETTERS_WITH_AN = frozenset("aefhilmnorsx")  # the name begins with a vowel: ef, aitch, el ...
_SPOKEN = listed_words(__name__)["spoken"]
_SPELLED = frozenset("FAQ HE HR LED MA ME MIT MIA MS NO OR SAT SO UAE UK UN US".split())
_ABBREVIATED = frozenset({"mr", "mrs", "ms", "mt", "st", "sgt", "lt", "fr", "rd", "ft", "hmm", "shh", "pfft"})
_SPOKEN_SHAPE = re.compile(
    r"[^AEIOUY]{1,2}[AEIOU]{1,2}[^AEIOU]{1,2}([AEIOU]{1,2}[^AEIOU]{0,2})+"
)  # NAFTA, LORAN
_REACH = 200  # characters after an article that are searched for the next word
_BEFORE_A_WORD = " \t\n\r\f\v\u00a0\"'“”‘’«»([{*_$£€¥#~`-–—"


def article_before(word: str, *, shouted: bool = False) -> Literal["a", "an"]:
    """The article that fits the sound of a word; for several words that of the first.

    shouted: the text is in capitals, so "MAN" is a word and not an abbreviation.

    >>> [article_before(w) for w in ("hour", "one-off", "X-ray", "UFO", "8-bit", "European", "unimportant")]
    ['an', 'a', 'an', 'a', 'an', 'a', 'an']
    """
    plain = unicodedata.normalize("NFKD", word.lstrip(_BEFORE_A_WORD))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    if plain[:1].isdigit():
        return _article(_number_begins_with_a_vowel(plain))
    match = re.match(r"[A-Za-z]+", plain)
    if not match:
        return "a"
    letters, rest = match[0], plain[match.end() :]
    if _is_spelled_out(letters, rest, shouted):
        return _article(letters[0].lower() in _LETTERS_WITH_AN)
    word = (letters + rest).lower()
    return _article(
        not _CONSONANT_SOUND.match(word) if word[0] in "aeiou" else bool(_VOWEL_SOUND.match(word))
    )


def fix_articles(document: Document, changes: Iterable[Change]) -> list[Change]:
    """The changes of "a" and "an" needed because other changes put a new word behind them.

    Articles that are changed themselves, or precede an unchanged word, are left alone.
    """
    changes = sorted(changes)
    fixes = (_fix(document, word, changes) for word in document if word.lower in ("a", "an"))
    return [change for change in fixes if change is not None]


def with_articles(document: Document, *changes: Change) -> tuple[Change, ...]:
    """Return the changes, followed by the changes of articles that they require."""
    return (*changes, *fix_articles(document, changes))


def _fix(document: Document, article: Word, changes: list[Change]) -> Change | None:
    if article.tag != "DT" and article.upos != "DET":
        return None  # "vitamin A", "a." in a list
    if any(change.start < article.end and change.end > article.start for change in changes):
        return None
    before = _next_word(document.text[article.end : article.end + _REACH])
    after = _next_word(_changed_from(document.text, article.end, changes))
    if before == after or not after:
        return None
    around = " ".join(word.text for word in document.sentence_of(article))
    shouted = is_all_caps(around)
    wanted = article_before(after, shouted=shouted)
    if wanted == article.lower:
        return None
    is_capitalised = article.text == "AN" and not shouted
    new = wanted.capitalize() if is_capitalised else match_case(wanted, article.text, around=around)
    return article.becomes(new)


def _changed_from(text: str, start: int, changes: list[Change]) -> str:
    """The text behind an article after the changes, long enough to contain the next word."""
    end = start + _REACH
    inside = [Change(c.start - start, c.end - start, c.text) for c in changes if start <= c.start < end]
    if inside:
        end = max(end, start + inside[-1].end)
    return apply_changes(text[start:end], inside)


def _next_word(text: str) -> str:
    match = re.match(r"\S+", text.lstrip(_BEFORE_A_WORD))
    return match[0] if match else ""


def _article(vowel: bool) -> Literal["a", "an"]:
    return "an" if vowel else "a"


def _number_begins_with_a_vowel(text: str) -> bool:
    """True for 8, 80, 800, 11, 11,000, 18, 1800 (a year); not for 110 or 1,800."""
    match = re.match(r"\d+(,\d{3})*", text)
    assert match is not None
    groups = match[0].split(",")
    leading = groups[0]
    if len(groups) == 1 and len(leading) > 4:  # 18000: as if written 18,000
        leading = leading[: (len(leading) - 1) % 3 + 1]
    return leading.startswith("8") or (leading[:2] in ("11", "18") and len(leading) in (2, 4))


def _is_spelled_out(letters: str, rest: str, shouted: bool) -> bool:
    if len(letters) == 1:
        return not rest.startswith("*")  # "a f***ing mess"
    if len(letters) > 2 and letters.endswith("s") and letters[:-1].isupper():
        letters = letters[:-1]  # "MBAs"
    if letters.isupper() and not shouted:
        return letters in _SPELLED or not _is_spoken(letters)
    is_sound = re.search("[aeiouy]", letters.lower()) or letters.lower() in _ABBREVIATED
    return not is_sound  # "mph", "html"


def _is_spoken(letters: str) -> bool:
    """True for NASA, NAFTA, and for a word in capitals for emphasis: "a HUGE success"."""
    if letters in _SPOKEN or (
        len(letters) > 2 and any(lemmas(letters, upos) for upos in ("NOUN", "VERB", "ADJ", "ADV"))
    ):
        return True
    return len(letters) > 4 and (len(letters) > 6 or _SPOKEN_SHAPE.fullmatch(letters) is not None)
