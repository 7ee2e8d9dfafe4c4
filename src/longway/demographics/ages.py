"""Ages in numbers: where a text tells one, and what it becomes when the person is of another age.

    "an eleven-year-old"   "63 years old"   "aged 7"   "at the age of forty-two"   "age 70"

    ages_in(text)                  Age(start, end, years=11): the number itself, in words or digits
    numbers_in(text)               every number that may be an age, whatever stands around it
    in_range(11, "young")          18: the nearest age of the attribute
    written_as(18, "eleven")       "eighteen": in words where the model is in words

Whether it is a person who is eleven ("an eleven-year-old car") is for the caller to say (`told_ages.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longway.demographics.axes import AGES
from longway.text.capitals import like
from longway.text.number_names import ONES, TENS


def in_words(years: int) -> str:
    """A whole number below 130 in words.

    >>> in_words(11), in_words(45), in_words(103)
    ('eleven', 'forty-five', 'one hundred and three')
    """
    if years >= 100:
        rest = years - 100
        return "one hundred" + (f" and {in_words(rest)}" if rest else "")
    if years < len(ONES):
        return ONES[years]
    tens, ones = divmod(years, 10)
    return TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")


_IN_WORDS = {in_words(years): years for years in range(1, 121)}
_IN_WORDS |= {word.replace("-", " "): years for word, years in _IN_WORDS.items()}
_NUMBER = r"(?P<years>\d{1,3}|" + "|".join(sorted(map(re.escape, _IN_WORDS), key=len, reverse=True)) + ")"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.,-]){_NUMBER}(?:\s*[-–]\s*|\s+)years?(?:\s*[-–]\s*|\s+)olds?\b",
        rf"\b(?:at\s+the\s+)?age\s+(?:of\s+)?{_NUMBER}(?![\w%]|[.,]\d|\s+to\s+\d|\s*[-–]\s*\d)",
        rf"\baged\s+{_NUMBER}(?![\w%]|[.,]\d|\s+to\s+\d|\s*[-–]\s*\d)",
    )
)
_ALONE = re.compile(rf"(?<![\w.,:/$£€#-]){_NUMBER}(?![\w%]|[.,:/]\d|\s*[-–]\s*\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Age:
    """An age in a text. start, end: the number; phrase: the whole of "eleven years old", from its start to its end."""

    start: int
    end: int
    years: int
    phrase: tuple[int, int]


def ages_in(text: str) -> list[Age]:
    """The ages that a text tells in numbers, in order.

    >>> [(text[a.start:a.end], a.years) for text in ["Al, aged 7, is no forty-two-year-old."] for a in ages_in(text)]
    [('7', 7), ('forty-two', 42)]
    """
    return sorted(_found(text), key=lambda age: age.start)


def numbers_in(text: str) -> list[Age]:
    """The numbers, in words or digits, that an age may be; not parts of others, shares, sums and scores.

    >>> [one.years for one in numbers_in("Al, 45, has 3.5% of $20 and forty-two hats; it was 2-1.")]
    [45, 42]
    """
    return list(_matches(_ALONE, text))


def _found(text: str) -> Iterator[Age]:
    for pattern in _PATTERNS:
        yield from _matches(pattern, text)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Age]:
    for match in pattern.finditer(text):
        years = years_in(match["years"])
        if years is not None:
            yield Age(match.start("years"), match.end("years"), years, match.span())


def years_in(number: str) -> int | None:
    """The age that a number in words or digits tells; None for what nobody lives to be."""
    plain = " ".join(number.lower().replace("–", "-").split())
    years = int(plain) if plain.isdigit() else _IN_WORDS.get(plain)
    return years if years is not None and 0 < years <= 120 else None


def in_range(years: int, name: str) -> int | None:
    """The age nearest to `years` that has the attribute; None for "adult", which no single number tells.

    >>> in_range(11, "young"), in_range(70, "child"), in_range(30, "young")
    (18, 17, 30)
    """
    if name not in AGES:
        return None
    low, high = AGES[name]
    return min(max(years, low), high)


def written_as(years: int, model: str) -> str:
    """A number as the model is written: in digits, or in words with its capitals and its hyphen.

    >>> written_as(45, "30"), written_as(45, "Thirty one"), written_as(18, "eleven")
    ('45', 'Forty five', 'eighteen')
    """
    if model.strip().isdigit():
        return str(years)
    words = in_words(years)
    return like(words.replace("-", " ") if " " in model.strip() else words, model)
