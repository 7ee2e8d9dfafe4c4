"""a or an: by the sound of the word that follows, and mended where a change put another word there.

    article_before("hour")      "an"      article_before("university")  "a"
    article_before("MBA")       "an"      article_before("NASA")        "a"
    article_before("11th")      "an"      article_before("1,100")       "a"
    mend_articles(document, changes)      the changes that keep each article right before a changed word

English spelling hides its sounds in few places, and they are listed here: u and eu that sound like "you", one, a
silent h, numbers, and abbreviations, which are either spelled out ("an MBA") or spoken as a word ("a NASA mission").
Where Americans and Britons differ ("an herb"), the American way is taken, as in `text/inflect.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from longway.text.capitals import is_shouted, like
from longway.text.changes import Change, apply_changes
from longway.text.document import Document, Word
from longway.text.inflect import lemmas

# A vowel letter, but no vowel sound: "you..." or "w...".
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
# A consonant letter, but a vowel sound.
_VOWEL_SOUND = re.compile(
    r"hour(?!i\b) | hono(u?r) | honest | heir | herb(s|al|alist|alists|ed|y|age)? \b | homage | hors \b | y(?![aeiouy])",
    re.VERBOSE,
)
_LETTERS_WITH_AN = frozenset("aefhilmnorsx")  # their names begin with a vowel: ef, aitch, el ...
# Abbreviations that are said as a word, and those that look like one and are spelled out.
_SPOKEN = frozenset(
    "FEMA FIFA FISA FOMO HAMAS HIPAA HUD LAN LASIK LIDAR LORAN MAGA MENSA MERS MIDI MIRV NAFTA NASA "
    "NASCAR NASDAQ NATO NIMBY NOAA RADAR RAM REIT RICO ROFL ROM SARS SEATO SIM SNAFU SPAC SWAT UNESCO "
    "UNICEF".split()
)
_SPELLED = frozenset("FAQ HE HR LED MA ME MIT MIA MS NO OR SAT SO UAE UK UN US".split())
_WORD_CLASSES = ("NOUN", "VERB", "ADJ", "ADV")
_ABBREVIATED = frozenset({"mr", "mrs", "ms", "mt", "st", "sgt", "lt", "fr", "rd", "ft", "hmm", "shh", "pfft"})
_SPOKEN_SHAPE = re.compile(
    r"[^AEIOUY]{1,2}[AEIOU]{1,2}[^AEIOU]{1,2}([AEIOU]{1,2}[^AEIOU]{0,2})+"
)  # NAFTA, LORAN
_REACH = 200  # characters after an article in which its next word is looked for
_BEFORE_A_WORD = " \t\n\r\f\v\u00a0\"'“”‘’«»([{*_$£€¥#~`-–—"


def article_before(word: str, *, shouted: bool = False) -> Literal["a", "an"]:
    """The article that the sound of a word asks for; of several words the first one counts.

    shouted: the text is written in capitals, so that "MAN" is a word and no abbreviation.

    >>> [article_before(w) for w in ("hour", "one-off", "X-ray", "UFO", "8-bit", "European", "unimportant")]
    ['an', 'a', 'an', 'a', 'an', 'a', 'an']
    """
    plain = unicodedata.normalize("NFKD", word.lstrip(_BEFORE_A_WORD))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    if plain[:1].isdigit():
        return _article(_number_begins_with_a_vowel(plain))
    found = re.match(r"[A-Za-z]+", plain)
    if not found:
        return "a"
    letters, rest = found[0], plain[found.end() :]
    if _is_spelled_out(letters, rest, shouted):
        return _article(letters[0].lower() in _LETTERS_WITH_AN)
    return _article(_word_begins_with_a_vowel((letters + rest).lower()))


def mend_articles(document: Document, changes: Iterable[Change]) -> list[Change]:
    """The changes of "a" and "an" that are due because other changes put a new word behind them.

    Articles that are themselves changed, and those before words that stay, are left as they are.
    """
    changes = sorted(changes)
    mended = (_mend(document, word, changes) for word in document if word.lower in ("a", "an"))
    return [change for change in mended if change is not None]


def _mend(document: Document, article: Word, changes: list[Change]) -> Change | None:
    if article.tag != "DT" and article.upos != "DET":
        return None  # "vitamin A", "a." in a list
    if any(change.start < article.end and change.end > article.start for change in changes):
        return None
    before = _next_word(document.text[article.end : article.end + _REACH])
    after = _next_word(_changed_from(document.text, article.end, changes))
    if before == after or not after:
        return None
    around = " ".join(word.text for word in document.sentence(document.sentence_number(article)))
    shouted = is_shouted(around)
    wanted = article_before(after, shouted=shouted)
    return (
        None
        if wanted == article.lower
        else Change(article.start, article.end, _like(wanted, article.text, around))
    )


def _like(wanted: str, article: str, around: str) -> str:
    return (
        wanted.capitalize()
        if article == "AN" and not is_shouted(around)
        else like(wanted, article, around=around)
    )


def _changed_from(text: str, start: int, changes: list[Change]) -> str:
    """The stretch after an article as it will be, long enough to hold the next word."""
    end = start + _REACH
    inside = [Change(c.start - start, c.end - start, c.text) for c in changes if start <= c.start < end]
    if inside:
        end = max(end, start + inside[-1].end)
    return apply_changes(text[start:end], inside)


def _next_word(text: str) -> str:
    found = re.match(r"\S+", text.lstrip(_BEFORE_A_WORD))
    return found[0] if found else ""


def _article(vowel: bool) -> Literal["a", "an"]:
    return "an" if vowel else "a"


def _number_begins_with_a_vowel(text: str) -> bool:
    """Eight, eleven, eighteen and what begins with them: 8, 80, 800, 11,000, 1800 (a year); not 110, 1,800."""
    found = re.match(r"\d+(,\d{3})*", text)
    assert found is not None
    groups = found[0].split(",")
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
    """NASA, NAFTA, and a word that is only stressed: "a HUGE success"."""
    if letters in _SPOKEN or (len(letters) > 2 and any(lemmas(letters, upos) for upos in _WORD_CLASSES)):
        return True
    return len(letters) > 4 and (len(letters) > 6 or _SPOKEN_SHAPE.fullmatch(letters) is not None)


def _word_begins_with_a_vowel(word: str) -> bool:
    if word[0] in "aeiou":
        return _CONSONANT_SOUND.match(word) is None
    return _VOWEL_SOUND.match(word) is not None
