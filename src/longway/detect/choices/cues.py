"""Cues: numbers that the surface of a candidate has, whatever it means. Each is compared with the other candidates of its question.

Absolutes, hedges and negations are counted by the tables of the question's language (`languages/word_lists.py`). The other tables of words are
of English, and for languages without a table all are: they are counted, not interpreted, so there they are zero everywhere and drop out.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.languages.references import means_others
from longway.languages.row_languages import foreign_language
from longway.languages.word_lists import Kind, find, has_words

Floats = NDArray[np.float64]
Measure = Callable[[str, Sequence[str]], Sequence[float]]
WORD = re.compile(r"\w+(?:['’]\w+)*")
NUMBER = re.compile(r"(?:(?<![\w.)\]])[-−–])?\d+(?:[.,]\d+)*")  # a sign, unless it is a dash: 3-4, page -2
READ = 600  # characters of a question that show its language
RESTATED = 4  # words at the start of an answer that are those of the prompt
ALL_OF_ABOVE = re.compile(
    r"\b(all|none|both|neither|any) of (the )?(above|these|them|those|listed|options)\b|\bboth [a-e] and [a-e]\b|^\W*[a-e] and [a-e]\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Cue:
    """A number per candidate, and what a candidate with more or less of it than the others is called.

    family: cues of one kind, for the report. high, low: "the longest option", "the shortest option". more: what one with more of it has more of.
    measure: from the prompt and the candidates, one number per candidate.
    """

    name: str
    family: str
    high: str
    low: str
    more: str
    measure: Measure


def words_of(text: str) -> list[str]:
    """The lower-case words of a text.

    >>> words_of("It's 3 a.m.")
    ["it's", '3', 'a', 'm']
    """
    return list(_words(text))


@lru_cache(maxsize=64)  # many cues read the candidates of one question in turn
def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text.casefold().replace("’", "'")))


@lru_cache(maxsize=64)
def _language(*texts: str) -> str:
    """The language of a question; "" for English."""
    return foreign_language(" ".join(texts)[:READ])


def _each(function: Callable[[str], float], prompt: str, candidates: Sequence[str]) -> list[float]:
    return [float(function(text)) for text in candidates]


def _count_words(
    words: frozenset[str], kind: Kind | None, prompt: str, candidates: Sequence[str]
) -> list[float]:
    """Counts these English words. kind: of the tables that take their place in other languages."""
    language = _language(prompt, *candidates) if kind is not None else ""
    if kind is not None and has_words(language):
        return [float(len(find(words_of(text), kind, language))) for text in candidates]
    return [float(sum(word in words for word in words_of(text))) for text in candidates]


def _count_matches(pattern: re.Pattern[str], text: str) -> float:
    return len(pattern.findall(text))


def _precision(text: str) -> float:
    """Digits behind the first decimal point of a number, at most over all numbers."""
    return max((len(number.split(".")[-1]) for number in NUMBER.findall(text) if "." in number), default=0)


def _stems(text: str) -> list[str]:
    """The starts of the longer words."""
    return [word[:5] for word in words_of(text) if len(word) > 3]


def _echo(prompt: str, candidates: Sequence[str]) -> list[float]:
    """The share of a candidate's longer words that the prompt has, too."""
    known, each = set(_stems(prompt)), [_stems(text) for text in candidates]
    return [sum(stem in known for stem in stems) / max(len(stems), 1) for stems in each]


def _echoed(prompt: str, candidates: Sequence[str]) -> list[float]:
    """How many different longer words of the prompt a candidate has."""
    known = set(_stems(prompt))
    return [float(len(known.intersection(_stems(text)))) for text in candidates]


def _restated(prompt: str, candidates: Sequence[str]) -> list[float]:
    """Whether a candidate begins with the words of the prompt."""
    start = words_of(prompt)[:RESTATED]
    return [
        float(len(start) == RESTATED and words_of(text[: len(prompt) + 200])[:RESTATED] == start)
        for text in candidates
    ]


def _similarity(prompt: str, candidates: Sequence[str]) -> list[float]:
    """The mean cosine similarity of a candidate's words with those of each other candidate."""
    bags = [Counter(words_of(text)) for text in candidates]
    norms = [sum(n * n for n in bag.values()) ** 0.5 for bag in bags]
    result = []
    for i, bag in enumerate(bags):
        parts = [
            sum(n * other[word] for word, n in bag.items()) / (norms[i] * norms[j])
            for j, other in enumerate(bags)
            if j != i and norms[i] and norms[j]
        ]
        result.append(sum(parts) / max(1, len(candidates) - 1))
    return result


def _shared_start(prompt: str, candidates: Sequence[str]) -> list[float]:
    """How many other candidates begin with the same word."""
    first = [next(iter(words_of(text)), "") for text in candidates]
    return [float(first.count(word) - 1) for word in first]


def _numeric_rank(prompt: str, candidates: Sequence[str]) -> list[float]:
    """How far the number in a candidate is from the middle of all numbers, in ranks; 0 if not all are numbers."""
    numbers = [_number(text) for text in candidates]
    if any(number is None for number in numbers) or len(set(numbers)) < len(numbers):
        return [0.0] * len(candidates)
    ranks = np.argsort(np.argsort(np.array(numbers, dtype=np.float64)))
    return [-abs(float(rank) - (len(numbers) - 1) / 2) for rank in ranks]


def _number(text: str) -> float | None:
    found = NUMBER.findall(text)
    return (
        float(re.sub("[−–]", "-", found[0]).replace(",", ""))
        if len(found) == 1 and found[0].count(".") <= 1
        else None
    )


def _fit(prompt: str, candidates: Sequence[str]) -> list[float]:
    """Whether a candidate goes on after "a" or "an" at the end of the prompt, by its first letter; 0 if the prompt ends otherwise."""
    last = next(iter(words_of(prompt)[-1:]), "")
    if last not in ("a", "an"):
        return [0.0] * len(candidates)
    return [
        float((text.lstrip()[:1].lower() in "aeiou") == (last == "an")) if text.strip() else 0.0
        for text in candidates
    ]


def _number_fit(prompt: str, candidates: Sequence[str]) -> list[float]:
    """Whether the last word's number fits "is" or "are" in the prompt, by a final s; 0 if the prompt has both or neither."""
    there = set(words_of(prompt))
    is_plural = bool(there & {"are", "were", "these", "those"})
    if is_plural == bool(there & {"is", "was", "this"}):
        return [0.0] * len(candidates)
    return [
        float(words_of(text)[-1].endswith("s") == is_plural) if words_of(text) else 0.0 for text in candidates
    ]


def _repeats(text: str) -> float:
    """The share of words that occurred before in the same text."""
    words = words_of(text)
    return 1 - len(set(words)) / len(words) if words else 0.0


def _other_script(text: str) -> float:
    """The share of letters outside the Latin script."""
    letters = [char for char in text if char.isalpha()]
    return sum(ord(char) > 0x24F for char in letters) / len(letters) if letters else 0.0


def _mean_word(text: str) -> float:
    words = words_of(text)
    return sum(map(len, words)) / len(words) if words else 0.0


OF_TEXT: Mapping[str, Callable[[str], float]] = {
    "characters": len,
    "words": lambda text: len(words_of(text)),
    "word length": _mean_word,
    "capital": lambda text: text.lstrip()[:1].isupper(),
    "capitals": lambda text: sum(map(str.isupper, text)),
    "digits": lambda text: sum(map(str.isdigit, text)),
    "precision": _precision,
    "all of the above": lambda text: bool(ALL_OF_ABOVE.search(text) or means_others(text)),
    "paragraphs": lambda text: sum(map(bool, map(str.strip, text.splitlines()))),
    "repetition": _repeats,
    "other script": _other_script,
}
OF_QUESTION: Mapping[str, Measure] = {
    "middle number": _numeric_rank,
    "article fit": _fit,
    "number fit": _number_fit,
    "echo share": _echo,
    "echo": _echoed,
    "restated prompt": _restated,
    "similarity": _similarity,
    "same start": _shared_start,
}
ROWS: Sequence[Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("cues.toml").read_text(encoding="utf-8")
)["cue"]
PATTERNS = {one["name"]: re.compile(one["pattern"]) for one in ROWS if "pattern" in one}


def _measure_of(row: Mapping[str, Any]) -> Measure:
    """How a cue of the table is measured."""
    name = row["name"]
    if "words" in row:
        return partial(_count_words, frozenset(row["words"].split()), row.get("kind"))
    if name in OF_QUESTION:
        return OF_QUESTION[name]
    return partial(_each, OF_TEXT.get(name) or partial(_count_matches, PATTERNS[name]))


CUES = {
    one["name"]: Cue(
        one["name"],
        one["family"],
        one["high"],
        one["low"],
        one.get("more", one["name"]),
        _measure_of(one),
    )
    for one in ROWS
}


def measure(prompt: str, candidates: Sequence[str]) -> Floats:
    """The cues of each candidate: an array of candidates by cues."""
    return np.array([cue.measure(prompt, candidates) for cue in CUES.values()], dtype=np.float64).T
