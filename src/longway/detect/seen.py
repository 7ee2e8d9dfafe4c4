"""Has this one row the pattern of a finding, and where does it stand: what a person sees, where detectors see counts.

    Seen({"review": "Honestly, not bad."}).places("position", "first word: honestly", "review")  ->  {"review": [(0, 8)]}

Detectors count a whole dataset as integers; here one row is read as text, by the name that a finding gives its pattern. Both must
say the same of every row (tests/detect/test_seen.py), but for the level "grammar": which trees a row has is not told by its words, so
that only the words of a subtree are looked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import polars as pl

from longway.demographics.axes import Attribute
from longway.demographics.plain_words import plain_words
from longway.detect.flags import QUESTIONS
from longway.detect.grammar import as_written
from longway.detect.people import ATTRIBUTES, pattern_of
from longway.detect.position import PLACES, QUARTERS_FROM
from longway.errors import DataError
from longway.grammar.trees import NOTHING, read_brackets, sides
from longway.grammar.words import UNKNOWN
from longway.text.negations import is_negation
from longway.text.tokens import is_word, token_spans

Spans = list[tuple[int, int]]
Places = dict[str, Spans]
MARKED = 0.5  # a trait that fills more of a text than this is no place in it


class Column:
    """One text of a row, cut into words once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> list[tuple[str, int, int]]:
        """Every word and mark with where it starts and ends."""
        return token_spans(self.text)

    @cached_property
    def words(self) -> list[tuple[str, int, int]]:
        """The words without the marks between them."""
        return [one for one in self.tokens if is_word(one[0])]

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        starts: dict[str, list[int]] = {}
        for place, (token, _, _) in enumerate(self.tokens):
            starts.setdefault(token, []).append(place)
        return starts

    def phrases(self, phrase: Sequence[str]) -> Spans:
        """Where these tokens stand in a row; an unknown word of a grammar stands for any."""
        first = next((at for at, token in enumerate(phrase) if token != UNKNOWN), None)
        if first is None:
            return []
        found = []
        for place in self._starts.get(phrase[first], ()):
            start, end = place - first, place - first + len(phrase)
            if start >= 0 and end <= len(self.tokens) and self._is_at(start, phrase):
                found.append((self.tokens[start][1], self.tokens[end - 1][2]))
        return found

    def _is_at(self, start: int, phrase: Sequence[str]) -> bool:
        return all(token in (self.tokens[start + at][0], UNKNOWN) for at, token in enumerate(phrase))


class Seen:
    """A row: its texts by column, the one that may be rewritten first, then its context where there is one."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.columns = {name: Column(text) for name, text in texts.items()}

    def places(self, level: str, pattern: str, field: str) -> Places | None:
        """Where the pattern stands, by column; None where the row has it not. A length is there and stands nowhere: {}."""
        if level in _OF_ONE_COLUMN:
            column = self.columns.get(field)
            spans = None if column is None else _OF_ONE_COLUMN[level](column, pattern)
            return None if spans is None else {field: spans} if spans else {}
        looks = _OF_THE_ROW.get(level)
        return None if looks is None else looks(list(self.columns.items()), pattern)


def words_of(level: str, pattern: str, field: str) -> str:
    """The words that a row must say to have the pattern; "" for a pattern that many different words make.

    >>> words_of("position", "first word: honestly", "review"), words_of("length", "38 or more words", "review")
    ('honestly', '')
    """
    if level in ("token", "ngram"):
        return pattern
    if level == "position":
        return pattern.partition(": ")[2]
    if level == "pair":
        return pattern.rpartition(" + ")[2].removesuffix(f" ({field.partition(' + ')[0]})")
    return ""


Named = list[tuple[str, Column]]


def _token(column: Column, pattern: str) -> Spans | None:
    return column.phrases([pattern]) or None


def _ngram(column: Column, pattern: str) -> Spans | None:
    return column.phrases(pattern.split(" ")) or None


def _position(column: Column, pattern: str) -> Spans | None:
    place, _, word = pattern.partition(": ")
    n = len(column.words)
    here: dict[str, Callable[[int], bool]] = {
        PLACES[0]: lambda at: at == 0,
        PLACES[1]: lambda at: at == n - 1,
        PLACES[2]: lambda at: n >= QUARTERS_FROM and 4 * at // n == 0,
        PLACES[3]: lambda at: n >= QUARTERS_FROM and 4 * at // n == 3,
    }
    if place not in here:
        return None
    found = [
        (start, end) for at, (one, start, end) in enumerate(column.words) if one == word and here[place](at)
    ]
    return found or None


def _length(column: Column, pattern: str) -> Spans | None:
    asked = re.fullmatch(r"(\d+) or (more|fewer) words", pattern)
    if not asked:
        return None
    bound, n = int(asked[1]), len(column.words)
    return [] if (n >= bound if asked[2] == "more" else n <= bound) else None


def _surface(column: Column, pattern: str) -> Spans | None:
    known = next((expression for _, name, expression in QUESTIONS if name == pattern), None)
    if known is None:
        return None
    text = pl.Series([column.text])
    if not text.str.contains(known).item():
        return None
    found, at = [], 0
    for part in text.str.extract_all(known).item().to_list():
        start = column.text.index(part, at)
        at = start + len(part)
        if part.strip() and len(part) <= MARKED * len(column.text):
            found.append((start, at))
    return found


def _people(column: Column, pattern: str) -> Spans | None:
    told = next((one for one in ATTRIBUTES if pattern_of(one) == pattern), None)
    return None if told is None else _mentions(column, told) or None


def _mentions(column: Column, told: Attribute) -> Spans:
    """The phrases that tell it, but for those inside a longer one that speaks on the same axis."""
    known, longest = plain_words(), _longest_phrase()
    tokens = [token for token, _, _ in column.tokens]
    on_axis = [
        (start, stop, known[phrase].tells[told.axis])
        for start in range(len(tokens))
        for stop in range(start + 1, min(start + longest, len(tokens)) + 1)
        if (phrase := tuple(tokens[start:stop])) in known and told.axis in known[phrase].tells
    ]
    return [
        (column.tokens[start][1], column.tokens[stop - 1][2])
        for start, stop, tells in on_axis
        if tells == told and not any(a <= start and stop <= b and b - a > stop - start for a, b, _ in on_axis)
    ]


@lru_cache(maxsize=1)
def _longest_phrase() -> int:
    return max(map(len, plain_words()))


def _negation(row: Named, pattern: str) -> Places | None:
    (text_name, _), *rest = row
    denied = {name: [(a, b) for word, a, b in column.tokens if is_negation(word)] for name, column in row}
    here = denied[text_name]
    if pattern == f"negation in {text_name}":
        return {text_name: here} if here else None
    if not rest:
        return None
    context_name = rest[0][0]
    there = denied[context_name]
    kinds = {
        f"negation in {text_name} only": bool(here and not there),
        f"negation in {context_name} only": bool(there and not here),
        f"negation in {text_name} and {context_name}": bool(here and there),
    }
    return {name: spans for name, spans in denied.items() if spans} if kinds.get(pattern) else None


def _overlap(row: Named, pattern: str) -> Places | None:
    if len(row) < 2:
        return None
    (text_name, text), (context_name, context) = row[:2]
    amount = pattern.removesuffix(f" of {text_name} also in {context_name}")
    mine, theirs = ({word for word, _, _ in column.words} for column in (text, context))
    share = len(mine & theirs) / max(len(mine), 1)
    if 0 < share < 1:
        share = min(max(round(share, 2), 0.01), 0.99)
    asked = re.fullmatch(r"(at least|at most) (\d+)% of the words", amount)
    if amount in ("no word", "every word"):
        return {} if share == (amount == "every word") else None
    if not asked or amount == pattern:
        return None
    bound = int(asked[2]) / 100
    return {} if (share >= bound if asked[1] == "at least" else share <= bound) else None


def _pair(row: Named, pattern: str) -> Places | None:
    if len(row) < 2:
        return None
    (text_name, text), (context_name, context) = row[:2]
    there, _, here = pattern.removesuffix(f" ({text_name})").partition(f" ({context_name}) + ")
    found = {text_name: text.phrases([here]), context_name: context.phrases([there])}
    return found if all(found.values()) else None


def _grammar(row: Named, pattern: str) -> Places | None:
    """Where the words of a subtree stand, or of one that a rule makes."""
    for phrases in _of_a_tree(pattern, is_pair=len(row) > 1):
        found = {
            name: _of_a_grammar(column, words)
            for (name, column), words in zip(row, phrases, strict=False)
            if words
        }
        if found and all(found.values()):
            return found
    return None


def _of_a_grammar(column: Column, words: str) -> Spans:
    """Where words stand that a grammar cut: it takes "10/10" for three."""
    phrase = tuple(words.split(" "))
    return next((found for one in as_written(phrase) or (phrase,) if (found := column.phrases(one))), [])


def _of_a_tree(pattern: str, *, is_pair: bool) -> Iterator[tuple[str, str]]:
    """The words that a subtree may write in the text and in the context, as the name of the pattern tells them."""
    if pattern.startswith("("):
        try:
            first, second = (" ".join(words) for words in sides(read_brackets(pattern)))
        except DataError:
            return
        yield (second, first) if is_pair else (first, "")
        return
    head, _, spans = pattern.partition(": ")
    for span in spans.split(", ") if head.startswith("rule ") else [spans]:
        if not is_pair:
            yield span, ""
        for at in [at for at, letter in enumerate(span) if letter == "/"] if is_pair else ():
            first, second = (part.replace(NOTHING, "") for part in (span[:at], span[at + 1 :]))
            yield second, first


_OF_ONE_COLUMN: dict[str, Callable[[Column, str], Spans | None]] = {
    "token": _token,
    "ngram": _ngram,
    "position": _position,
    "length": _length,
    "surface": _surface,
    "people": _people,
}
_OF_THE_ROW: dict[str, Callable[[Named, str], Places | None]] = {
    "negation": _negation,
    "overlap": _overlap,
    "pair": _pair,
    "grammar": _grammar,
}
