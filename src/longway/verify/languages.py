"""Whether a new text is in the script and the language of its row.

    language_fault("Der Film war nicht gut.", "The film was not good.", "de")    'another language: English'
    language_fault("Фильм был долгим.", "Фильм тянулся.", "ru")                  ''

A short text is easily taken for one in a close language, so that only clear cases are faults. English rows are tested further in
`form_checks.py`, which knows more about English.
"""

from __future__ import annotations

from longway.language_names import ENGLISH, UNKNOWN, name_of
from longway.languages.identify import language_of, main_script, script_of, scripts
from longway.languages.row_languages import (
    UNCLEAR,
    foreign_language,
    function_words,
    language_in,
    words_of_either,
)
from longway.verify.wordforms import words

LONG = 60  # letters of a text, from which on close languages are told apart
SURE = 0.95  # probability that a language must have in a shorter text
MOST_OTHER = 0.2  # share of Latin letters in a text of another script: names, brands


def language_fault(before: str, after: str, language: str = "", context: str = "") -> str:
    """Why the new text is not in the script or the language of the row, of which the context is a part; "" if it is.

    language: of the row, "" for English, "und" if it is unknown.
    """
    given = f"{before} {context}"
    if reason := _script_fault(given, after):
        return reason
    found = language_of(after)
    if found in (UNKNOWN, language or ENGLISH, language_of(before)) or language == UNKNOWN:
        return ""
    if language in ("", ENGLISH):  # the words that the new text brings in
        old = set(words(given))
        is_clear = bool(foreign_language(" ".join(word for word in words(after) if word not in old)))
    else:
        is_clear = _is_not_in(found, after, language)
    return f"another language: {name_of(found)}" if is_clear else ""


def _script_fault(given: str, after: str) -> str:
    """Why the new text is not in the scripts of the row."""
    old, new = scripts(given), scripts(after)
    known = {_family(script_of(character)) for character in given}
    is_latin = not old or old["Latin"] * 2 >= old.total()
    for character in after:
        script = _family(script_of(character))
        if script and script not in known and (is_latin or script != "Latin"):
            return (
                f"a letter that is not Latin: {character!r}"
                if is_latin
                else f"a letter of another script: {character!r}"
            )
    share = new["Latin"] / max(1, new.total())
    return (
        "another script" if not is_latin and share > max(MOST_OTHER, 2 * old["Latin"] / old.total()) else ""
    )


def _family(script: str) -> str:
    """The script; kana are used together with Chinese characters."""
    return "Han" if script == "kana" else script


def _is_not_in(found: str, after: str, language: str) -> bool:
    """Whether a text is clearly in the language that was found rather than in that of its row."""
    if found == ENGLISH:
        return language_in(after, languages=(ENGLISH, language)) == ENGLISH
    _, n_letters = main_script(after)
    of_row, of_found = words_of_either(after, language, found) if function_words(found) else (0, 0)
    if of_row != of_found:
        return of_found > of_row and n_letters >= UNCLEAR
    return n_letters >= LONG or (n_letters >= UNCLEAR and language_of(after, clear=SURE) == found)
