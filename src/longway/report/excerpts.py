"""Dataset text, made fit to be shown: harmless, short, with the telling words marked.

A row may hold anything: control characters, bidi overrides that turn the page around, one token of 100 KB.

    text of a row  ->  harmless()  ->  spans of telling words  ->  pieces(): a window around them, in parts  ->  template

Nothing here makes HTML. Escaping is the template's work (autoescape) and that of `charts.tag`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from longway.report import sections
from longway.report.numbers import points

TEXT_LIMIT = 300  # characters of a dataset text on the page
PATTERN_LIMIT = 80
NAME_LIMIT = 40  # labels, columns, levels
READ_LIMIT = 20_000  # characters of one text that are looked at: a longer text costs no more than this
N_LEVELS = 5  # steps of highlighting

_BIDI = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_UNSHOWABLE = [*range(0x20), *range(0x7F, 0xA0), *_BIDI, *range(0xD800, 0xE000), 0xFEFF, 0xFFFE, 0xFFFF]
_SHOWN_AS = dict.fromkeys(_UNSHOWABLE, "\ufffd") | dict.fromkeys(map(ord, "\t\n\v\f\r\x85\u2028\u2029"), " ")

_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"  # letters that are written from right to left
_QUOTED_RTL = re.compile(rf"“([^“”]*[{_RTL}][^“”]*)”")

_WORD = re.compile(r"\w+|[^\w\s]+")

Span = tuple[int, int, int]  # start, end, level of highlighting (1 to N_LEVELS)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text with one level of highlighting, 0 for none; note: the number of what is said about it, from 1."""

    text: str
    level: int = 0
    note: int = 0


def harmless(text: str) -> str:
    """The text with a visible mark for each character that cannot or must not be shown."""
    return text.translate(_SHOWN_AS)


def isolated(text: str) -> str:
    """A sentence of ours in which each quotation is isolated (FSI, PDI) if it has letters from right to left, so that several keep their order. text: harmless."""
    return _QUOTED_RTL.sub("“\u2068\\1\u2069”", text)


def clean(text: str) -> str:
    """The text on one line, harmless.

    >>> clean("a\\x00b\\u202ec\\n d")
    'a�b�c d'
    """
    return " ".join(harmless(text[:READ_LIMIT]).split())


def cut(text: str, limit: int = NAME_LIMIT) -> str:
    """The cleaned text, at most `limit` characters of it; "(blank)" where nothing is left to see.

    >>> cut("a long pattern", 7)
    'a long…'
    """
    text = clean(text)
    if len(text) > limit:
        text = text[: limit - 1].rstrip() + "…"
    return text or "(blank)"


def data_span(text: str, limit: int = NAME_LIMIT) -> sections.Span:
    """Text of a dataset as words of a section, cut."""
    return sections.Span(cut(text, limit), "data")


def cut_to_width(text: str, columns: int) -> str:
    """The cleaned text, cut to what fits in the width of `columns` ordinary letters.

    >>> cut_to_width("短い文です", 7)
    '短い文…'
    """
    text = cut(text, columns)
    widths = [_width(letter) for letter in text]
    if sum(widths) <= columns:
        return text
    fitting = sum(total < columns for total in accumulate(widths))  # one column is left for the dots
    return text[:fitting].rstrip("…") + "…"


def width_of(text: str) -> float:
    """Roughly how many ordinary letters a text takes.

    >>> width_of("a Ω"), width_of("短い")
    (3.3, 4)
    """
    return sum(map(_width, text))


def _width(letter: str) -> float:
    """Roughly how many ordinary letters one letter takes; SVG has no way to cut a text that is too long."""
    if letter in "WMwm@" or unicodedata.east_asian_width(letter) in "WF":
        return 2
    return 1.3 if letter.isupper() else 1


def pieces(text: str, spans: Iterable[Span], *, limit: int = TEXT_LIMIT) -> list[Piece]:
    """The text in parts, marked where the spans are, cut to a window that shows the strongest span.

    text: already harmless. spans: in reading order; what overlaps the one before is marked once.

    >>> [(piece.text, piece.level) for piece in pieces("it is not so", [(6, 9, 3)])]
    [('it is ', 0), ('not', 3), (' so', 0)]
    """
    spans = list(spans)
    start, end = _window(text, spans, limit)
    parts = [Piece("… ")] if start else []
    at = start
    for left, right, level in spans:
        left, right = max(left, at), min(right, end)
        if left < right:
            parts += [Piece(text[at:left]), Piece(text[left:right], level)]
            at = right
    parts += [Piece(text[at:end]), Piece(" …" if end < len(text) else "")]
    return [piece for piece in parts if piece.text]


def highlighted(text: str, marks: Iterable[Span]) -> list[str | sections.Span]:
    """The text as words of a section, highlighted where the marks are, cut to a window that shows the strongest of them."""
    return [
        sections.Span(piece.text, f"m{piece.level}") if piece.level else piece.text
        for piece in pieces(text, marks, limit=TEXT_LIMIT)
    ]


def _window(text: str, spans: Sequence[Span], limit: int) -> tuple[int, int]:
    """Where a cut of `limit` characters starts and ends, so that it holds the strongest span."""
    if len(text) <= limit:
        return 0, len(text)
    strongest = max(spans, key=lambda span: span[2])[0] if spans else 0
    start = 0
    if strongest > limit * 2 // 3:
        start = min(strongest - limit // 3, len(text) - limit)
        start = text.find(" ", start, strongest) + 1 or start  # at a word, where there is one
    return start, min(start + limit, len(text))


def token_spans(text: str, tokens: Iterable[tuple[str, float]]) -> list[Span]:
    """Where weighted tokens, given in reading order, stand in a text; a token that is not there is passed over.

    >>> token_spans("It was NOT it", [("not", 0.9), ("it", 0.01)])
    [(7, 10, 5)]
    """
    words: dict[str, list[tuple[int, int]]] = {}
    for match in _WORD.finditer(text):
        words.setdefault(match[0].lower(), []).append(match.span())
    spans = []
    at = 0
    for token, weight in tokens:
        start, end = _next_place(text, clean(token), words, at)
        at = max(at, end)
        if end and (level := highlight_level(weight)):
            spans.append((start, end, level))
    return spans


def _next_place(text: str, token: str, words: dict[str, list[tuple[int, int]]], at: int) -> tuple[int, int]:
    """Where the token stands next; (0, 0) if nowhere. Looked up, not searched: long texts have many tokens."""
    places = words.get(token.lower(), [])
    following = bisect_left(places, (at, 0))
    if following < len(places):
        return places[following]
    start = text.find(token, at) if token and not places else -1  # not one word: "award-winning", "n't"
    return (start, start + len(token)) if start >= 0 else (0, 0)


def highlight_level(weight: float) -> int:
    """The weight in [0, 1] as a step of highlighting; weights under 0.1 are not worth a colour.

    >>> [highlight_level(weight) for weight in (0.05, 0.1, 0.5, 1.0)]
    [0, 1, 3, 5]
    """
    if not weight >= 0.1:  # also false for nan
        return 0
    return min(int(weight * N_LEVELS) + 1, N_LEVELS)


# Words of a text in colour, by how much they contribute to a label: blue for, orange against, five strengths of each. People who do not
# see red and green can distinguish blue and orange; words against the label are also underlined, for print and grey screens.

FAINTEST = 0.06  # of the strongest word; below it a word has no colour
SCORED_LIMIT = 2_000  # characters of a text that are shown

ScoredWord = Sequence[float]  # start, end, score


def scored_words(
    text: str,
    words: Iterable[ScoredWord],
    *,
    strongest: float | None = None,
    label: str = "",
    limit: int = SCORED_LIMIT,
) -> list[str | sections.Span]:
    """The text as words of a section, coloured by their scores.

    strongest: the score with the full colour; by default the largest of these words, so texts side by side need a common one.
    label: the label that the words are scored for, shown when the mouse rests on a word.
    """
    scored = [(int(start), int(end), float(score)) for start, end, score in words]
    most = strongest if strongest is not None else max((abs(score) for _, _, score in scored), default=0.0)
    towards = f" points for {label}" if label else " points"
    shown = text[: min(limit, READ_LIMIT)]
    parts: list[str | sections.Span] = []
    at = 0
    for start, end, score in scored:
        style = css_class(score, most)
        if style and at <= start and end <= len(shown):
            parts += [
                shown[at:start],
                sections.Span(shown[start:end], f"w {style}", title=points(score) + towards),
            ]
            at = end
    return [*parts, shown[at:], " …" if len(shown) < len(text) else ""]


def css_class(score: float, strongest: float) -> str:
    """The classes of a word: "for1" to "for5", "against1" to "against5"; "" for a word with almost no score.

    >>> css_class(0.4, 0.4), css_class(-0.1, 0.4), css_class(0.001, 0.4)
    ('for5', 'against2', '')
    """
    if not strongest > 0 or not abs(score) >= FAINTEST * strongest:  # also for nan
        return ""
    level = min(N_LEVELS, int(abs(score) / strongest * N_LEVELS) + 1)
    return f"{'for' if score > 0 else 'against'}{level}"
