"""Columns beside the options that have to follow them when they change places, or that forbid it.

option_series(names, options, n)     why_a, why_b, ... beside option_a, option_b, ...: rows of columns with an entry for each option
names_an_option("The answer is B.")  whether a text names an option by its letter or number
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MARKED = re.compile(
    r"(.*?)(?:(?<![A-Za-z])([a-j])|(?<=[a-z0-9])([A-J])|(\d{1,2}))$|^(?:([a-jA-J])|(\d{1,2}))_(.+)$"
)
NAMES = re.compile(
    r"\b(?i:answers?|options?|choices?|alternatives?|correct|right)\b(?i:\s+(?:answer|option|choice|one|response))?(?i:\s+(?:is|are|was|would be|must be|=))?[^\w.!?]{0,4}(?:[B-HJ]\b(?!['’])|[AI]\b(?!['’]|\s+[a-z]))|"
    r"(?:^|[\s(\"'*])\(?[A-J]\)?\s+(?i:is|are)\s+(?i:the\s+)?(?i:correct|right|wrong|incorrect|true|false|best|answer)\b|"
    r"\b(?i:options?|choices?|alternatives?)\s+\W?[1-9]\b"
)


def option_series(names: Sequence[str], options: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """The series of n columns among `names` that are marked as the n options are, each in order. options: their columns; a single one is a list.

    >>> option_series(["id", "why_a", "why_b", "note1"], ["option_a", "option_b"], 2)
    [('why_a', 'why_b')]
    """
    series: dict[tuple[str, bool], dict[int, str]] = {}
    for name in names:
        if name not in options and (mark := _mark(name)):
            stem, is_number, place = mark
            series.setdefault((stem, is_number), {})[place] = name
    found = []
    for columns in series.values():
        order = sorted(columns)
        if len(order) == n > 1 and order[0] in (0, 1) and order[-1] - order[0] == n - 1:
            found.append(tuple(columns[place] for place in order))
    return found


def _mark(name: str) -> tuple[str, bool, int] | None:
    """The rest of a name, whether its mark is a number, and which one."""
    match = MARKED.match(name)
    if match is None:
        return None
    stem, low, high, number, first_letter, first_number, rest = match.groups()
    letter, digits = low or high or first_letter, number or first_number
    key = f"{stem}_" if rest is None else f"_{rest}"
    return (key.casefold(), True, int(digits)) if digits else (key.casefold(), False, ord(letter.casefold()) - ord("a"))  # fmt: skip


def names_an_option(text: str) -> bool:
    """Whether a text names an option by its letter, or by its number.

    >>> [names_an_option(text) for text in ("The answer is B.", "Option 2 is wrong", "(C) is correct", "A good answer. Vitamin B")]
    [True, True, True, False]
    """
    return NAMES.search(text) is not None
