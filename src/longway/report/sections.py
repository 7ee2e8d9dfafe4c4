"""Sections: what a result says, described once and rendered three ways.

    result  ->  jobs/*/page.py: a Page  ->  html.py (report.html), terminal.py (the screen), markdown.py (card.md)

A page is a heading, a verdict, key figures and sections; a section is a list of blocks (paragraphs, tables, charts, cards).
Texts are plain strings or `Span`s with a style; each renderer knows how to draw a style, and escapes everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from typing import Any

from markupsafe import Markup

from longway.report.numbers import NONE, count


class Medium(Flag):
    """Where a section or block appears: in the report, on the terminal, in the Markdown card."""

    REPORT = auto()
    SCREEN = auto()
    CARD = auto()


REPORT, SCREEN, CARD = Medium.REPORT, Medium.SCREEN, Medium.CARD
REPORT_AND_SCREEN = REPORT | SCREEN
EVERYWHERE = REPORT | SCREEN | CARD


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text with one style.

    style: "strong", "quiet", "code", "data" (text of a dataset), "pattern", "where" (what follows a pattern, smaller), "label"
    (with a dot in the label's colour), "m1" to "m5" (highlighting), "del", "ins", or any class of the style sheets.
    colour: the colour class of a label ("l0" to "l7", "lx"). title: shown when the mouse rests on it; only for classes of the style sheets.
    link: a relative address, in the report only; made by us, never by a dataset.
    """

    text: str
    style: str = ""
    colour: str = ""
    title: str = ""
    link: str = ""


Words = str | Span | Sequence[str | Span]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph. style: "lead" (introduces a section; not on the terminal), "rest", "nothing", "note", "example" and "data" (text of a dataset), ..."""

    words: Words
    style: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section. note: quieter words behind it."""

    words: Words
    note: Words = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with values. style: "about", "settings" or "reading" (terms and what they mean)."""

    items: Sequence[tuple[Words, Words]]
    style: str = "about"


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number at the top of the page."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bullet:
    """A list item with a count before it and smaller paragraphs below it."""

    words: Words
    count: str = ""
    below: Sequence[Block] = ()
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list. style: a class of the style sheets ("problems", "objections", "missing", ...).

    screen: items on the terminal; None for all. more: what the others are called.
    """

    items: Sequence[Words | Bullet]
    style: str = ""
    screen: int | None = None
    more: str = "items"


@dataclass(frozen=True, slots=True)
class Column:
    """A table column. number: right-aligned. short: its name on narrow screens. screen: whether the terminal shows it.

    of: for `table_of`, the value of a record: a function, or the name of an attribute ("error.rate" is that of another one).
    form: how the value is shown; without it, whole numbers are shown as counts and anything else as it is. None is a dash.
    drop: on a narrow terminal, columns with a higher number go first; 0 for columns that stay as long as there are others.
    """

    name: str
    of: Callable[[Any], Any] | str = ""
    form: Callable[[Any], Words | Cell] | None = None
    number: bool = False
    style: str = ""
    short: str = ""
    screen: bool = True
    drop: int = 0

    def cell(self, record: Any) -> Words | Cell:
        """The cell of a record."""
        if not isinstance(self.of, str):
            value = self.of(record)
        else:
            value = record
            for name in self.of.split("."):
                value = None if value is None else getattr(value, name)
        if value is None:
            return NONE
        if self.form is not None:
            return self.form(value)
        if isinstance(value, int):
            return count(value)
        return value if isinstance(value, Cell | Span | list) else str(value)


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell with a small chart below its words."""

    words: Words
    chart: Markup = Markup("")
    style: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A table row. The first cell is its heading. below: blocks under the row, across all columns."""

    cells: Sequence[Words | Cell]
    colour: str = ""
    below: Sequence[Block] = ()
    style: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    open: rows visible at once, the rest is folded; None for all. more: what folded rows are called. screen: rows on the terminal.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    style: str = ""
    caption: str = ""
    open: int | None = None
    more: str = "rows"
    screen: int | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure: a finished SVG chart with a caption, a note beside the caption and blocks above and below. Not on the terminal."""

    svg: Markup
    caption: Words = ""
    note: Words = ""
    above: Sequence[Block] = ()
    below: Sequence[Block] = ()
    style: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Blocks side by side if there is room. style: a class of the style sheets."""

    blocks: Sequence[Block]
    style: str = ""


@dataclass(frozen=True, slots=True)
class Chip:
    """A small pill with a check mark or a cross: what one check said."""

    name: str
    passed: bool
    score: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One example in a box: facts in a line, versions of a text side by side, what the checks said, and folded details.

    facts: the first is the label. versions: (name, words) in pairs. between: blocks before the chips. below: blocks after them.
    """

    facts: Sequence[Words]
    versions: Sequence[tuple[Words, Words]] = ()
    between: Sequence[Block] = ()
    chips: Sequence[Chip] = ()
    below: Sequence[Block] = ()
    style: str = "edit"
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards below each other, or side by side with style "documents". open: cards visible at once. screen: cards on the terminal."""

    cards: Sequence[Card]
    style: str = "edits"
    open: int | None = None
    more: str = "edits"
    screen: int | None = None


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks folded under a summary line."""

    summary: str
    blocks: Sequence[Block]
    is_open: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True)
class Only:
    """Blocks for some media only: `Only(SCREEN, ...)`."""

    on: Medium
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Picture:
    """Finished markup for the report only (a parse tree). words: what the terminal prints instead."""

    markup: Markup
    words: str = ""


Block = Paragraph | Heading | Facts | Bullets | Table | Chart | Grid | Card | Cards | Details | Only | Picture
Blocks = list[Block]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page. id: its anchor. on: the media that show it."""

    id: str
    heading: str
    blocks: Sequence[Block]
    on: Medium = REPORT


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that is shown of a result.

    kicker: the command. verdict: the result in one sentence. details: a second, quieter sentence. warning: a note below the key figures. facts: which data, which
    columns, when. figures_style: "three" for three key figures a line. sheets: style sheets besides style.css.
    version, fingerprint, streamed, settings: for the footer. card_metadata: YAML at the head of card.md.
    """

    kicker: str
    title: str
    verdict: str
    facts: Sequence[tuple[str, str]]
    figures: Sequence[KeyFigure]
    sections: Sequence[Section]
    version: str
    fingerprint: str
    details: str = ""
    warning: Words = ""
    figures_style: str = ""
    sheets: Sequence[str] = ()
    streamed: bool = False
    settings: Sequence[tuple[str, str]] = ()
    fingerprint_of: str = "Dataset fingerprint"
    card_metadata: str = ""


def left_out(n: int, what: str, file: str) -> Sequence[Block]:
    """The line that says how many are in the JSON file only; nothing if there are none.

    >>> left_out(0, "patterns", "findings.json")
    ()
    """
    if n <= 0:
        return ()
    return (Paragraph(f"{n:,} more {what} are in {file} and not on this page.", "rest"),)


def table_of(
    records: Sequence[Any],
    columns: Sequence[Column],
    style: str = "",
    *,
    below: Callable[[Any], Sequence[Block]] | None = None,
    colour: Callable[[Any], str] | None = None,
    limit: int | None = None,
    what: str = "rows",
    file: str = "",
    caption: str = "",
    open: int | None = None,
    screen: int | None = None,
) -> Blocks:
    """A table of records, one row each, and a line that says how many more are in the file; nothing without records.

    below, colour: of a record's row.

    >>> [table] = table_of([3 + 4j], [Column("Real", "real"), Column("Sign", lambda number: "+")])
    >>> table.rows[0].cells
    ['3.0', '+']
    """
    if not records:
        return []
    rows = [
        Row(
            [column.cell(record) for column in columns],
            colour(record) if colour else "",
            below(record) if below else (),
        )
        for record in records[:limit]
    ]
    table = Table(columns, rows, style, caption, open, what, screen)
    rest = left_out(len(records) - len(rows), what, file)
    return [table, *rest] if screen is None else [table, Only(REPORT | CARD, rest)]


def nothing(text: str) -> Paragraph:
    """What a section says if it has nothing to show."""
    return Paragraph(text, "nothing")


def spans(words: Words) -> Sequence[str | Span]:
    """The words as a sequence."""
    return (words,) if isinstance(words, str | Span) else words


def plain_text(words: Words) -> str:
    """The words without styles.

    >>> plain_text(["see ", Span("this", "strong")])
    'see this'
    """
    return "".join(part if isinstance(part, str) else part.text for part in spans(words))
