"""Which candidate an answer names: by its number, its letter or its text, by the highest score, or by a vote."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

from longway.data.choice_columns import ChoiceColumns
from longway.data.table import scalar_text

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTER = re.compile(r"\(?([A-Za-z])\)?[.):]?$")
INDEX = ("index", "idx")  # in the name of a column whose numbers count from 0
NEARLY_ALL = 0.95  # of the answers
TIES = frozenset(
    "tie|both|tied|draw|equal|none|neither|same|tie (bothbad)|tie (both bad)|bothbad|both_bad|0.5".split("|")
)
Decoder = Callable[[Any, Sequence[str], Sequence[str]], int | str]
Way = Literal["text", "letter", "number"]


@dataclass(frozen=True, slots=True)
class Base:
    """The number of the first candidate. is_certain: whether the answers show it, or the user said so. has_both: whether they show 0 and 1."""

    first: int
    is_certain: bool
    has_both: bool = field(default=False, repr=False)


def decoder(columns: ChoiceColumns, answers: Sequence[Any], sets: Sequence[Sequence[str]]) -> Decoder:
    """A function from an answer, the candidates and their letters to the place of the right one, or to what is wrong."""
    if columns.kind == "preference":
        return lambda answer, texts, letters: 0
    if columns.kind == "ranking":
        return _by_score
    if columns.kind == "votes":
        return _winner_decoder(answers)
    best = _ways(answer_base(columns, answers, sets).first)[answer_way(answers, sets, columns.answer_base)]

    def decode(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
        value = _plain(answer)
        if value == "several":
            return "several_answers"
        if value is None or value == "":
            return "no_answer"
        if letters and value in letters:
            return letters.index(value)
        return best(value, texts, letters)

    return decode


def _ways(start: int) -> dict[Way, Decoder]:
    """How an answer can name a candidate. start: the number of the first one."""
    return {
        "text": _by_text,
        "letter": _by_letter,
        "number": lambda answer, texts, letters: _by_number(answer, texts, start),
    }


def answer_way(answers: Sequence[Any], sets: Sequence[Sequence[str]], base: int | None = None) -> Way:
    """How most answers name the right candidate. base: the number of the first one, if known; numbers then go before texts.

    >>> answer_way(["B", "C"], [("x", "y"), ("x", "y", "z")])
    'letter'
    """
    plain = [_plain(answer) for answer in answers]
    bases = (0, 1) if base is None else (base,)
    rights: dict[Way, int] = {
        name: max(
            sum(
                isinstance(_ways(base)[name](answer, texts, ()), int)
                for answer, texts in zip(plain, sets, strict=True)
            )
            for base in bases
        )
        for name in _ways(0)
    }
    if base is not None and 2 * rights["number"] > len(plain):
        return "number"
    return max(rights, key=lambda name: rights[name])


def are_also_numbers(columns: ChoiceColumns, answers: Sequence[Any], sets: Sequence[Sequence[str]]) -> bool:
    """Whether answers that are texts of candidates could as well be numbers of other candidates.

    >>> columns = ChoiceColumns("choice", ("options",), "key")
    >>> are_also_numbers(columns, [0, 1], [("1", "0"), ("1", "0")])
    True
    """
    start = answer_base(columns, answers, sets).first
    plain = [_plain(answer) for answer in answers]
    places = [
        (_by_text(answer, texts, ()), _by_number(answer, texts, start))
        for answer, texts in zip(plain, sets, strict=True)
    ]
    both = [one for one in places if isinstance(one[0], int) and isinstance(one[1], int)]
    return len(both) >= NEARLY_ALL * len(places) and any(text != number for text, number in both)


def _plain(answer: Any) -> Any:
    """An answer without the list around it; "several" if the list has more than one."""
    if isinstance(answer, list):
        return "several" if len(answer) > 1 else (scalar_text(answer[0]) if answer else "")
    if isinstance(answer, Mapping):
        return scalar_text(answer.get("text", ""))
    return None if answer is None else re.sub(r"^(\d+)\.0$", r"\1", scalar_text(answer))


def _by_text(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if answer in texts:
        return list(texts).index(answer)
    same = [i for i, text in enumerate(texts) if text.strip().casefold() == str(answer).strip().casefold()]
    return same[0] if len(same) == 1 else "foreign_answer"


def _by_letter(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    match = LETTER.match(str(answer).strip())
    place = LETTERS.index(match.group(1).upper()) if match else len(texts)
    return place if place < len(texts) else "foreign_answer"


def _by_number(answer: Any, texts: Sequence[str], start: int) -> int | str:
    number = _number(str(answer))
    place = -1 if number is None else number - start
    return place if 0 <= place < len(texts) else "foreign_answer"


def answer_base(columns: ChoiceColumns, answers: Sequence[Any], sets: Sequence[Sequence[str]]) -> Base:
    """Whether numbers count from 0 or from 1: as the user says, else so that more of them name a candidate.

    Only 0 and the number of the last candidate show it. If neither occurs, or both equally often, a column answer_index, or option columns that count from 0 or 1
    themselves, say what is likely; without them numbers count from 0.

    >>> columns = ChoiceColumns("choice", ("options",), "key")
    >>> answer_base(columns, [1, 2, 3], [("a", "b", "c")] * 3)
    Base(first=1, is_certain=True)
    >>> answer_base(columns, [1, 2, 1], [("a", "b", "c")] * 3)
    Base(first=0, is_certain=False)
    """
    if columns.answer_base is not None:
        return Base(columns.answer_base, True)
    numbers = [_number(_plain(answer)) for answer in answers]
    n_zero = numbers.count(0)
    n_last = sum(number == len(texts) > 0 for number, texts in zip(numbers, sets, strict=True))
    has_both = n_zero > 0 and n_last > 0
    if n_zero != n_last:
        return Base(int(n_last > n_zero), not has_both, has_both)
    is_index = any(word in (columns.answer or "").casefold() for word in INDEX)
    first = re.search(r"\d+$", columns.candidates[0])
    is_from_1 = first is not None and int(first[0]) == 1 and not is_index
    return Base(int(is_from_1), False, has_both)


def _number(answer: Any) -> int | None:
    return int(answer) if isinstance(answer, str) and re.fullmatch(r"\d{1,3}", answer.strip()) else None


def _by_score(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if not isinstance(answer, list) or len(answer) != len(texts):
        return "no_answer"
    try:
        scores = [float(score) for score in answer]
    except (TypeError, ValueError):
        return "no_answer"
    if not all(map(isfinite, scores)):
        return "no_answer"
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else "several_answers"


def _winner_decoder(answers: Sequence[Any]) -> Decoder:
    """A function from a vote to the place of the winner. Numbers count from 0 if some vote is 0 and none is 2."""
    words = {_vote(answer) for answer in answers}
    counts_from = 0 if "0" in words and "2" not in words else 1
    places = {"a": 0, "b": 1, "left": 0, "right": 1, "first": 0, "second": 1}
    places |= {str(counts_from): 0, str(counts_from + 1): 1}
    ties = TIES if counts_from == 0 else TIES | {"0"}

    def decode(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
        word = _vote(answer)
        if not word:
            return "no_answer"
        return "tie" if word in ties else places.get(word, "foreign_answer")

    return decode


def _vote(answer: Any) -> str:
    """A vote without what all votes may begin with: "model_a" is "a"."""
    word = str(_plain(answer) or "").strip().casefold()
    return re.sub(r"^(model|response|answer|output|assistant|completion)[ _]?", "", word)
