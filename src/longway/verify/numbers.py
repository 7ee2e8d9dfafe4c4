"""Are the numbers and dates the same, however they are written? "three" is 3, "the eighties" are the 1980s."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from longway.records import Verdict
from longway.text.number_names import ONES, ORDINALS, TENS
from longway.verify.check import Candidate

_TEN_ORDINALS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth".split()
_SCALES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_SMALL = {word: float(i) for i, word in enumerate(ONES)} | {
    word: 20.0 + 10 * i for i, word in enumerate(TENS)
}
_RANKS = {word: i for i, word in enumerate(ORDINALS)} | {
    word: 20 + 10 * i for i, word in enumerate(_TEN_ORDINALS)
}
_DECADES = {
    word: f"19{20 + 10 * i}s"
    for i, word in enumerate("twenties thirties forties fifties sixties seventies eighties nineties".split())
}
_TIMES = {"twice": 2.0, "thrice": 3.0}
_MONTHS = (
    "january february march april june july august september october november december".split()
)  # May is more often a verb
_MONTH = "(?:" + "|".join([*_MONTHS, "may"]) + ")"
_DAY = re.compile(
    rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)(?: of)? ({_MONTH})\b|\b({_MONTH}) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)\b"
)  # "the 5th of June" is "5 June"
_TOKEN = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:st|nd|rd|th|s)?\b|[a-z]+")


class Numbers:
    """The check of numbers and dates: the same ones, as often."""

    name = "numbers"

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; score: how many numbers differ."""
        return [self._verdict(candidate) for candidate in candidates]

    def _verdict(self, candidate: Candidate) -> Verdict:
        before, after = numbers(candidate.before), numbers(candidate.after)
        lost, new = before - after, after - before
        for phrase in candidate.telling:  # what was meant to go may go
            lost -= numbers(phrase)
        n = float((lost + new).total())
        if candidate.keeps == "label" or not n:
            return Verdict(self.name, True, n)
        told = [f"{name} lost" for name in sorted(lost)] + [f"{name} new" for name in sorted(new)]
        return Verdict(self.name, False, n, ", ".join(told))


def numbers(text: str) -> Counter[str]:
    """The numbers of a text by their value. "one" and "no" are left out: they are articles and negations, too.

    >>> sorted(numbers("Three songs in the 1990s, the 11th on 5 June 2001, 2.5 million sold."))
    ['#11', '1990s', '2001', '2500000', '3', '5', 'june']
    >>> numbers("twenty-one") == numbers("21")
    True
    """
    found: Counter[str] = Counter()
    tokens = _TOKEN.findall(_DAY.sub(_plain_day, text.lower()))
    place = 0
    while place < len(tokens):
        name, length = _at(tokens, place)
        if name:
            found[name] += 1
        place += length
    return found


def _plain_day(match: re.Match[str]) -> str:
    return " ".join(part for part in match.groups() if part)


def _at(tokens: list[str], place: int) -> tuple[str, int]:
    """The number that begins at a place, "" where none does, and how many tokens it takes."""
    token = tokens[place]
    if token in _DECADES or token in _MONTHS:
        return _DECADES.get(token, token), 1
    if re.fullmatch(r"\d+s", token):
        return token, 1
    if match := re.fullmatch(r"(\d+)(?:st|nd|rd|th)", token):
        return f"#{int(match.group(1))}", 1
    if token in _RANKS:
        return f"#{_RANKS[token]}", 1
    if token in _TIMES:
        return _written(_TIMES[token]), 1
    value, length, rank = _cardinal(tokens, place)
    if rank:
        return f"#{rank}", length
    return ("", max(1, length)) if value is None or value in (0, 1) else (_written(value), length)


def _cardinal(tokens: list[str], place: int) -> tuple[float | None, int, int]:
    """A number in digits or words, how many tokens it takes, and its rank where it ends as an ordinal ("twenty-first")."""
    total, part, i = 0.0, None, place
    while i < len(tokens):
        token = tokens[i]
        value = _value(token)
        if value is not None and (part is None or (part % 100 >= 20 and part % 10 == 0 and value < 10)):
            part = value if part is None else part + value
        elif (
            value is not None
            and part is not None
            and part % 100 == 0
            and value < 100
            and not token[0].isdigit()
        ):
            part += value  # two hundred (and) five
        elif token in _SCALES:
            scale = _SCALES[token]
            part = (1.0 if part is None else part) * scale
            if scale >= 1000:
                total, part = total + part, None
        elif (
            token in _RANKS
            and part is not None
            and part % 10 == 0
            and 20 <= part < 100
            and _RANKS[token] < 10
        ):
            return None, i - place + 1, int(part) + _RANKS[token]
        elif not (
            token == "and" and i + 1 < len(tokens) and part and part >= 100 and tokens[i + 1] in _SMALL
        ):
            break
        i += 1
    if i == place:
        return None, 1, 0
    return total + (part or 0.0), i - place, 0


def _value(token: str) -> float | None:
    if token[0].isdigit() and token[-1].isdigit():
        return float(token.replace(",", ""))
    return _SMALL.get(token)


def _written(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)
