"""Which candidate an answer names: by its number, its letter or its text, by the highest score, or by a vote."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

from longway.data.choice_columns import ChoiceColumns
from longway.data.choice_votes import vote_decoder
from longway.data.table import scalar_text

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTER = re.compile(r"\(?([A-Za-z])\)?[.):]?$")
INDEX = ("index", "idx")  # in the name of a column whose numbers count from 0
SEVERAL = re.compile(r"\(?[A-Z]\)?(?:\s*(?:[,;&/+]|and)\s*\(?[A-Z]\)?)+")  # A,C
LETTERED = re.compile(r"\s*\(?([A-Z])[).:]+\s*(\S.*)", re.S)  # (B) the text of the option
NEARLY_ALL = 0.95  # of the answers
SCORE_KEYS = ("overall_score", "score", "rating", "reward")
RANKS = re.compile(r"(?i)(?<![a-z])rank(?:s|ing|ings)?(?![a-z])|Rank")  # in the name of a column of ranks
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
        return _by_rank if are_ranks(columns, answers) else _by_score
    if columns.kind == "votes":
        winner = vote_decoder([plain_answer(answer) for answer in answers], columns.answer_base)
        return lambda answer, texts, makers: winner(plain_answer(answer), texts, makers)
    best = _ways(answer_base(columns, answers, sets).first)[answer_way(answers, sets, columns.answer_base)]

    def decode(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
        if isinstance(answer, Mapping) and isinstance(answer.get("labels"), list):
            answer = answer["labels"]  # beside the options
        if isinstance(answer, list) and len(answer) > 1:
            return _by_flag(answer, texts, letters)
        value = plain_answer(answer)
        if value is None or value == "":
            return "no_answer"
        if letters and value in letters:
            return letters.index(value)
        place = best(value, texts, letters)
        if place != "foreign_answer":
            return place
        if value.casefold() == "nan":
            return "no_answer"
        return "several_answers" if SEVERAL.fullmatch(value) else place

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
    plain = [plain_answer(answer) for answer in answers]
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
    plain = [plain_answer(answer) for answer in answers]
    places = [
        (_by_text(answer, texts, ()), _by_number(answer, texts, start))
        for answer, texts in zip(plain, sets, strict=True)
    ]
    both = [one for one in places if isinstance(one[0], int) and isinstance(one[1], int)]
    return len(both) >= NEARLY_ALL * len(places) and any(text != number for text, number in both)


def plain_answer(answer: Any) -> Any:
    """An answer without the list around it; None if there is none, or several."""
    if isinstance(answer, list):
        return plain_answer(answer[0]) if len(answer) == 1 else None
    if isinstance(answer, Mapping):
        return scalar_text(answer.get("text", ""))
    return None if answer is None else re.sub(r"^(-?\d+)\.0$", r"\1", scalar_text(answer))


def _by_text(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if answer in texts:
        return list(texts).index(answer)
    same = [i for i, text in enumerate(texts) if text.strip().casefold() == str(answer).strip().casefold()]
    if same:
        return same[0] if len(same) == 1 else "same_candidates"
    match = LETTERED.fullmatch(str(answer))
    place = LETTERS.index(match[1]) if match else len(texts)
    is_there = match is not None and place < len(texts) and texts[place].strip().casefold() == match[2].strip().casefold()  # fmt: skip
    return place if is_there else "foreign_answer"


def _by_flag(answer: Sequence[Any], texts: Sequence[str], letters: Sequence[str]) -> int | str:
    """The place of the only 1 in a list with a 0 or a 1 for each candidate."""
    if len(answer) != len(texts) or not all(flag in (0, 1) for flag in answer):
        return "several_answers"
    return answer.index(1) if sum(answer) == 1 else "several_answers" if sum(answer) else "no_answer"


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
    numbers = [_number(plain_answer(answer)) for answer in answers]
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


def are_ranks(columns: ChoiceColumns, answers: Sequence[Any]) -> bool:
    """Whether a list column holds ranks, of which the lowest is best: it is called so, and has whole numbers up to the number of candidates.

    >>> are_ranks(ChoiceColumns("ranking", ("responses",), "rank"), [[2, 1, 3], [1, 2]])
    True
    """
    if not RANKS.search(columns.answer or ""):
        return False
    lists = [scores for answer in answers if isinstance(answer, list) and (scores := _scores(answer))]
    fitting = [all(score.is_integer() and 0 <= score <= len(scores) for score in scores) for scores in lists]
    return bool(fitting) and sum(fitting) >= NEARLY_ALL * len(fitting)


def score_of(entry: Mapping[str, Any]) -> Any:
    """The score in an object that holds a candidate; None if it has none."""
    return next((entry[key] for key in SCORE_KEYS if entry.get(key) is not None), None)


def _scores(answer: Sequence[Any]) -> list[float] | None:
    """The scores as numbers; None if one is no finite number."""
    try:
        scores = [float(score_of(score) if isinstance(score, Mapping) else score) for score in answer]
    except (TypeError, ValueError):
        return None
    return scores if all(map(isfinite, scores)) else None


def _by_score(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if not isinstance(answer, list) or not answer:
        return "no_answer"
    if len(answer) != len(texts):
        return "other_length"
    scores = _scores(answer)
    if scores is None:
        return "not_numbers"
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else "several_answers"


def _by_rank(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    scores = _scores(answer) if isinstance(answer, list) else None
    return _by_score(answer if scores is None else [-score for score in scores], texts, letters)
