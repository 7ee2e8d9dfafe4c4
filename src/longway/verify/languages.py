"""Which script and language a text is in, as far as frequent words tell.

    scripts("Фильм был долгим.")                       {"CYRILLIC"}
    language("Der Film war nicht gut.")                "de"
    strange(before, after, context)                    why the new text is in another script or language; "" if it is not

A row is compared with its own language, never with English. A language is known by its function words; a text that has too few of them
has none, and nothing is said about it. English rows are tested further in `form_checks.py`, which knows more about English.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

from longway.languages.row_languages import OTHERS
from longway.languages.word_lists import word_list
from longway.verify.wordforms import words

MOST_OTHER = 0.2  # share of Latin letters in a text of another script: names, brands
CLEAR = 2  # function words of a language, more than of any other
# Function words of languages in Latin script.
_WORDS = {
    "en": frozenset(
        (
            "the and of to is was were are it that this with for but not you he she they have has had be been which from there what would could than its "
            "his her their an very so who when one or if about all just more a i in on at as by do does did my me no we our your can how into will some any only"
        ).split()
    ),
    **{
        language: word_list("function_words", language)
        for language in ("de", "fr", "es", "it", "pt", "nl", "pl", "tr")
    },
    **{language: frozenset(OTHERS[language].split()) for language in ("sv", "da", "cs", "id")},
}
# Scripts that are used together in one text.
_TOGETHER = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "BOPOMOFO": "CJK", "HANGUL": "CJK"}


def scripts(text: str) -> Counter[str]:
    """The letters of a text by script; Chinese characters, kana and Korean are one.

    >>> dict(scripts("Фильм «Heat»"))
    {'CYRILLIC': 5, 'LATIN': 4}
    """
    return Counter(name for character in text if (name := _script(character)))


def language(text: str, *, clearly: bool = False) -> str:
    """The language whose function words a text in Latin script has most of; "" if there is none. clearly: at least `CLEAR` more.

    >>> language("Der Film war nicht gut."), language("Toller Film!")
    ('de', '')
    """
    (best, most), (_, next_most) = _ranked(text)
    return best if most - next_most >= (CLEAR if clearly else 1) else ""


def is_english(text: str) -> bool:
    """Whether a text is English, or may be: it is in Latin script, and not known to be in another language."""
    letters = scripts(text)
    return letters["LATIN"] * 2 >= letters.total() and language(text) in ("", "en")


def function_words(text: str) -> frozenset[str]:
    """The function words of a text's language, as far as they are listed."""
    return _WORDS.get(language(text), frozenset())


def strange(before: str, after: str, context: str = "") -> str:
    """Why the new text is not in the script or the language of the row, of which the context is a part; "" if it is."""
    given = f"{before} {context}"
    old, new = scripts(given), scripts(after)
    is_latin = not old or old["LATIN"] * 2 >= old.total()
    for character in after:
        script = _script(character)
        if script and script not in old and character not in given and (is_latin or script != "LATIN"):
            return (
                f"a letter that is not Latin: {character!r}"
                if is_latin
                else f"a letter of another script: {character!r}"
            )
    if not is_latin:
        share = new["LATIN"] / max(1, new.total())
        return "another script" if share > max(MOST_OTHER, 2 * old["LATIN"] / old.total()) else ""
    row, other = language(before), language(after)
    if not row or not other or row == other or row == "en":
        return ""
    has_own = any(word in _WORDS[row] for word in words(after))
    # Related languages share words: only a clear case counts, or a text without one word of the row's language.
    if language(before, clearly=True) and (language(after, clearly=True) or not has_own):
        known = sorted(set(words(after)) & _WORDS[other] - _WORDS[row])
        return f"another language: {', '.join(map(repr, known[:3]))}"
    return ""


def _ranked(text: str) -> list[tuple[str, int]]:
    """The two languages with most function words in a text."""
    tokens = words(text)
    counts = {name: sum(token in known for token in tokens) for name, known in _WORDS.items()}
    return sorted(counts.items(), key=lambda item: -item[1])[:2]


@lru_cache(maxsize=20_000)
def _script(character: str) -> str:
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "").partition(" ")[0]
    return _TOGETHER.get(name, name)
