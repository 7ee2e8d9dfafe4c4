"""Cues: numbers that the surface of a candidate has, whatever it means. Each is compared with the other candidates of its question.

Absolutes, hedges and negations are counted by the tables of the question's language (`languages/word_lists.py`). The other tables of words are
of English, and for languages without a table all are: they are counted, not interpreted, so there they are zero everywhere and drop out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from longway.languages.references import means_others
from longway.languages.row_languages import foreign_language
from longway.languages.word_lists import Kind, find, has_words

Floats = NDArray[np.float64]
Measure = Callable[[str, Sequence[str]], Sequence[float]]
WORD = re.compile(r"\w+(?:['’]\w+)*")
NUMBER = re.compile(r"(?:(?<![\w.)\]])[-−–])?\d+(?:[.,]\d+)*")  # a sign, unless it is a dash: 3-4, page -2
SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")
EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
TERMINAL = (".", "!", "?", "。", "！", "？", "।", "؟")
READ = 600  # characters of a question that show its language
RESTATED = 4  # words at the start of an answer that are those of the prompt


ABSOLUTES = "all always never none only every everyone everybody everything nobody nothing no must entirely completely absolutely invariably solely exclusively impossible"
HEDGES = "may might can could often usually sometimes generally typically probably possibly likely perhaps some many most seems appears tends roughly approximately about"
NEGATIONS = "not no never none nothing nobody neither nor without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't"
FIRST_PERSON = "i i'm i've i'd i'll me my mine myself"
SECOND_PERSON = "you your yours you're you'll you've yourself"
JOINERS = "because since so therefore thus hence when while which that who although but and or"
ALL_OF_ABOVE = re.compile(
    r"\b(all|none|both|neither|any) of (the )?(above|these|them|those|listed|options)\b|\bboth [a-e] and [a-e]\b|^\W*[a-e] and [a-e]\b",
    re.I,
)
REFUSAL = re.compile(
    r"\b(i(['’]m| am) (not able|unable)|i (can('|’)?t|cannot|won['’]t) (help|assist|provide|answer|do)|as an ai|i don['’]t have (personal|access)|not appropriate|unable to (provide|assist))",
    re.I,
)
APOLOGY = re.compile(r"\b(sorry|apologi[sz]e|apologies|unfortunately|regret)\b", re.I)
FLATTERY = re.compile(
    r"\b(great|good|excellent|interesting|wonderful|fantastic|thoughtful|insightful) (question|point|idea|choice|job)\b|\b(happy|glad|delighted) to (help|assist)\b|\b(certainly|of course|absolutely|sure)[!,]",
    re.I,
)
LINK = re.compile(r"https?://|www\.", re.I)
BULLET = re.compile(r"^\s*([-*•·]|\d+[.)])\s+\S", re.M)
HEADING = re.compile(r"^\s{0,3}#{1,6}\s+\S|^\s*\*\*[^*\n]+\*\*:?\s*$", re.M)
BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")
FENCE = re.compile(r"^```", re.M)
TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$", re.M)


@dataclass(frozen=True, slots=True)
class Cue:
    """A number per candidate, and what a candidate with more or less of it than the others is called.

    family: cues of one kind, for the report. high, low: "the longest option", "the shortest option"; "" if that side is no pattern of its own.
    measure: from the prompt and the candidates, one number per candidate.
    """

    name: str
    family: str
    high: str
    low: str
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


def _each(function: Callable[[str], float]) -> Measure:
    return lambda prompt, candidates: [float(function(text)) for text in candidates]


def _words_in(words: str, kind: Kind | None = None) -> Measure:
    """Counts these English words. kind: of the tables that take their place in other languages."""
    table = frozenset(words.split())

    def measure(prompt: str, candidates: Sequence[str]) -> Sequence[float]:
        language = _language(prompt, *candidates) if kind is not None else ""
        if kind is not None and has_words(language):
            return [float(len(find(words_of(text), kind, language))) for text in candidates]
        return [float(sum(word in table for word in words_of(text))) for text in candidates]

    return measure


def _matches(pattern: re.Pattern[str]) -> Measure:
    return _each(lambda text: len(pattern.findall(text)))


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


def _present(name: str, family: str, what: str, measure: Measure) -> Cue:
    return Cue(name, family, what, f"no {what}", measure)


def _most(name: str, family: str, what: str, measure: Measure) -> Cue:
    return Cue(name, family, f"the most {what}", f"the fewest {what}", measure)


CUES: tuple[Cue, ...] = (
    Cue("characters", "length", "the longest, in characters", "the shortest, in characters", _each(len)),
    Cue("words", "length", "the longest, in words", "the shortest, in words", _each(lambda text: len(words_of(text)))),
    Cue("word length", "length", "the longest words on average", "the shortest words on average", _each(_mean_word)),
    _most("sentences", "length", "sentences", _matches(SENTENCE_END)),
    Cue("space before", "spacing", "a space before the first word", "no space before the first word", _each(lambda text: text[:1].isspace())),
    Cue("space behind", "spacing", "a space behind the last word", "no space behind the last word", _each(lambda text: text[-1:].isspace())),
    _present("double space", "spacing", "two spaces in a row", _matches(re.compile(r"\S  +\S"))),
    Cue("capital", "casing", "a capital letter at the start", "no capital letter at the start", _each(lambda text: text.lstrip()[:1].isupper())),
    _most("capitals", "casing", "capital letters", _each(lambda text: sum(map(str.isupper, text)))),
    Cue("full stop", "punctuation", "a full stop at the end", "no full stop at the end", _each(lambda text: text.rstrip().endswith(TERMINAL))),
    _most("commas", "punctuation", "commas", _matches(re.compile(r"[,;:،、]"))),
    _present("quotes", "punctuation", "quotation marks", _matches(re.compile(r"[\"“”„«»]"))),
    _present("brackets", "punctuation", "brackets", _matches(re.compile(r"[(\[]"))),
    _most("hyphens", "punctuation", "hyphens", _matches(re.compile(r"\w-\w|[–—]"))),
    _present("exclamation", "punctuation", "exclamation marks", _matches(re.compile("[!！]"))),
    _present("questions", "punctuation", "question marks", _matches(re.compile("[?？]"))),
    _present("digits", "numbers", "digits", _each(lambda text: sum(map(str.isdigit, text)))),
    _most("precision", "numbers", "digits behind the decimal point", _each(_precision)),
    Cue("middle number", "numbers", "a number in the middle of all", "the largest or smallest number", _numeric_rank),
    Cue("absolutes", "wording", "an absolute word (always, never, only ...)", "no absolute word", _words_in(ABSOLUTES, "absolutes")),
    Cue("hedges", "wording", "a hedge (may, often, usually ...)", "no hedge", _words_in(HEDGES, "hedges")),
    Cue("negation", "wording", "a negation", "no negation", _words_in(NEGATIONS, "negation")),
    Cue("joiners", "wording", "the most joining words (because, which, and ...)", "the fewest joining words", _words_in(JOINERS)),
    Cue("all of the above", "wording", "“all of the above” or similar", "not “all of the above” or similar", _each(lambda text: bool(ALL_OF_ABOVE.search(text) or means_others(text)))),
    _present("first person", "wording", "I, me, my", _words_in(FIRST_PERSON)),
    _present("second person", "wording", "you, your", _words_in(SECOND_PERSON)),
    Cue("article fit", "fit", "fits the a or an before it", "does not fit the a or an before it", _fit),
    Cue("number fit", "fit", "fits is or are in the prompt", "does not fit is or are in the prompt", _number_fit),
    Cue("echo share", "prompt", "the largest share of words from the prompt", "the smallest share of words from the prompt", _echo),
    _most("echo", "prompt", "words from the prompt", _echoed),
    Cue("restated prompt", "prompt", "begins with the words of the prompt", "does not begin with the words of the prompt", _restated),
    Cue("similarity", "others", "the most like the others", "the least like the others", _similarity),
    Cue("same start", "others", "begins as most others do", "begins as no other does", _shared_start),
    _most("bullets", "style", "list items", _matches(BULLET)),
    _most("headings", "style", "headings", _matches(HEADING)),
    _most("bold", "style", "bold words", _matches(BOLD)),
    _present("code", "style", "code blocks", _matches(FENCE)),
    _present("tables", "style", "table rows", _matches(TABLE_ROW)),
    _most("paragraphs", "length", "lines", _each(lambda text: sum(bool(line.strip()) for line in text.splitlines()))),
    _present("links", "style", "links", _matches(LINK)),
    _present("emoji", "style", "emoji", _matches(EMOJI)),
    Cue("refusal", "tone", "a refusal", "no refusal", _each(lambda text: bool(REFUSAL.search(text)))),
    Cue("apology", "tone", "an apology", "no apology", _matches(APOLOGY)),
    _present("flattery", "tone", "flattery or eagerness", _matches(FLATTERY)),
    Cue("repetition", "tone", "repeats its own words most", "repeats its own words least", _each(_repeats)),
    _present("other script", "tone", "letters of another script", _each(_other_script)),
)  # fmt: skip


def measure(prompt: str, candidates: Sequence[str], cues: Sequence[Cue] = CUES) -> Floats:
    """The cues of each candidate: an array of candidates by cues."""
    return np.array([cue.measure(prompt, candidates) for cue in cues], dtype=np.float64).T
