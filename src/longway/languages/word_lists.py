"""Small word tables of languages other than English: negations, hedges, absolutes, function words.

    word_list("negation", "de")                    the words of a table
    find(tokens, "negation", "fr")                 where a text says it: spans of tokens
    LANGUAGES                                      the languages that have tables

One TOML file per language in `tables/`, one table per kind:

    words             single words, separated by spaces
    phrases           several words; "…" stands for up to three others ("ne … pas")
    patterns          regular expressions of whole words: forms of verbs, elided words
    except            phrases in which such a word says something else ("nicht nur", "un pas"); they go first
    except_patterns   the same, as regular expressions

A text is compared as tokens joined by spaces. In Chinese and Japanese the tokens are joined without spaces and searched for characters, so that
the result does not depend on the segmentation. English has its own, larger lists in `english/`.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

Kind = Literal["negation", "hedges", "absolutes", "function_words"]
KINDS: tuple[Kind, ...] = ("negation", "hedges", "absolutes", "function_words")
FOLDER = Path(__file__).parent / "tables"
LANGUAGES = ("ar", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "tr", "zh")
WITHOUT_SPACES = frozenset(["ja", "zh"])
_GAP = r"(?: \w\S*){0,3}? "  # up to three words, no punctuation mark
_ARABIC_MARKS = re.compile("[\u0640\u064b-\u0652\u0670]")  # short vowels and the stretching dash
_ALEFS = re.compile("[أإآ]")  # often written without their signs


def has_words(language: str) -> bool:
    """Whether there are tables of this language."""
    return language in LANGUAGES


def word_list(kind: Kind, language: str) -> frozenset[str]:
    """The single words of a table; empty for a language without one.

    >>> "nicht" in word_list("negation", "de"), word_list("negation", "ko")
    (True, frozenset())
    """
    return frozenset(_table(kind, language).get("words", "").split()) if has_words(language) else frozenset()


def find(tokens: Sequence[str], kind: Kind, language: str) -> list[tuple[int, int]]:
    """The spans of tokens (start, end) that are in a table; none for a language without one. tokens: in lower case.

    >>> find("je ne le sais pas".split(), "negation", "fr")
    [(1, 2), (4, 5)]
    >>> find("er fit un pas".split(), "negation", "fr")
    []
    """
    if not (spans := _matches(tokens, kind, language)):
        return []
    joint = "" if language in WITHOUT_SPACES else " "
    ends = list(accumulate(len(_normal(token, language)) + len(joint) for token in tokens))
    return [_token_span(span, ends) for span in spans]


def says(tokens: Sequence[str], kind: Kind, language: str) -> bool:
    """Whether `find` finds something.

    >>> says("das ist nicht gut".split(), "negation", "de"), says("nicht nur gut".split(), "negation", "de")
    (True, False)
    """
    return bool(_matches(tokens, kind, language))


def _matches(tokens: Sequence[str], kind: Kind, language: str) -> list[tuple[int, int]]:
    """The spans of characters that are in a table, of the tokens as they are compared."""
    if not has_words(language):
        return []
    text = _normal(("" if language in WITHOUT_SPACES else " ").join(tokens), language)
    matches = _expression(kind, language).finditer(text)
    return [match.span() for match in matches if match.lastgroup == "found"]


def may_start(token: str, kind: Kind, language: str) -> bool:
    """Whether what `find` finds may begin in this token: a text without such a token has none."""
    token = _normal(token, language)
    first = _first(kind, language)
    if language in WITHOUT_SPACES:
        return any(character in first for character in token)
    return token in first or any(pattern.fullmatch(token) for pattern in _patterns(kind, language))


def _token_span(span: tuple[int, int], ends: Sequence[int]) -> tuple[int, int]:
    """The tokens that a span of characters touches. ends: where each token ends, with the space behind it."""
    return bisect_right(ends, span[0]), bisect_left(ends, span[1]) + 1


def _normal(token: str, language: str) -> str:
    if language == "ar":
        return _ALEFS.sub("ا", _ARABIC_MARKS.sub("", token))
    return token.replace("ё", "е") if language == "ru" else token


@cache
def _tables(language: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


def _table(kind: Kind, language: str) -> dict[str, Any]:
    table: dict[str, Any] = _tables(language)[kind]
    return table


@cache
def _expression(kind: Kind, language: str) -> re.Pattern[str]:
    """One expression for a table: what is excepted is matched first and has no group."""
    table = _table(kind, language)
    found = _alternatives(_plain(table, language), table.get("patterns", ()))
    excepted = _alternatives(
        [_normal(phrase, language) for phrase in table.get("except", ())], table.get("except_patterns", ())
    )
    either = f"(?:{excepted})|(?P<found>{found})" if excepted else f"(?P<found>{found})"
    return re.compile(either if language in WITHOUT_SPACES else rf"(?<!\S)(?:{either})(?!\S)")


def _plain(table: dict[str, Any], language: str) -> list[str]:
    return [_normal(each, language) for each in (*table.get("words", "").split(), *table.get("phrases", ()))]


def _alternatives(plain: Sequence[str], patterns: Sequence[str]) -> str:
    longest_first = sorted(plain, key=lambda phrase: (-len(phrase), phrase))
    # The rules of French and Italian split an elided word off: "n' importe".
    escaped = (re.escape(phrase).replace(r"\ …\ ", _GAP).replace("'", "' ?") for phrase in longest_first)
    return "|".join([*patterns, *escaped])


@cache
def _first(kind: Kind, language: str) -> frozenset[str]:
    """The first words of a table; in scripts without spaces, the first characters."""
    plain = _plain(_table(kind, language), language)
    if language in WITHOUT_SPACES:
        return frozenset(phrase[0] for phrase in plain)
    words = [phrase.split()[0] for phrase in plain]
    elided = [word[: word.index("'") + 1] for word in words if "'" in word]
    return frozenset([*words, *elided])


@cache
def _patterns(kind: Kind, language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _table(kind, language).get("patterns", ())))
