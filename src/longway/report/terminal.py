"""Renders a page of sections on the terminal: title, verdict, key figures, and the sections that are marked for the screen.

Text of a dataset is cleaned of control characters and kept to its line, so a row cannot write a line that looks like ours.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import IO

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from longway.report.excerpts import clean, isolated
from longway.report.sections import (
    SCREEN,
    Block,
    Blocks,
    Bullet,
    Bullets,
    Card,
    Cards,
    Cell,
    Chart,
    Column,
    Details,
    Facts,
    Grid,
    Heading,
    Only,
    Page,
    Paragraph,
    Picture,
    Row,
    Span,
    Table,
    Words,
    spans,
)

COLOURS = {
    "l0": "cyan", "l1": "magenta", "l2": "yellow", "l3": "green", "l4": "blue", "l5": "red", "l6": "bright_cyan", "l7": "bright_magenta",
}  # fmt: skip
STYLES = {
    "strong": "bold", "quiet": "dim", "where": "dim", "pattern": "bold", "code": "bold", "del": "red strike", "ins": "green",
    "better": "green", "worse": "red", "stronger": "red", "refused": "red", "remark": "dim", "person": "underline", "chosen": "bold underline",
    "for2": "bold cyan", "for3": "bold cyan", "for4": "bold cyan", "for5": "bold cyan", "wrong": "bold",
    "against2": "yellow underline", "against3": "yellow underline", "against4": "yellow underline", "against5": "yellow underline",
    "spurious": "underline", "principal": "bold",
    "m1": "underline", "m2": "underline", "m3": "bold underline", "m4": "bold underline", "m5": "bold underline",
}  # fmt: skip
SKIPPED = ("lead",)  # introductions that the report has room for
NARROWEST, PIPED = 40, 120  # columns of a screen, and of a file or pipe that no terminal is near
NARROWEST_EXAMPLE, WIDEST_EXAMPLE = 24, 60
FIRST_WIDTHS = (14, 40)  # of the first column of a table
FIRST_BESIDE_EXAMPLE = 25  # at most, if the rows have examples
WRAPPED = 20  # columns of the screen that a column needs if its cells can be wrapped
GAP = 2  # between columns


def output() -> Console:
    """The console for results: as wide as COLUMNS says, else as the terminal, which may be that of a pipe (`longway audit x | less`).

    Without either, as in a scheduled job, it is 120 columns wide.
    """
    console = Console(highlight=False)
    is_known = (
        console.is_terminal or "COLUMNS" in os.environ or any(map(_is_terminal, (sys.stdin, sys.stderr)))
    )
    width = max(console.width, NARROWEST) if is_known else PIPED
    return console if width == console.width else Console(highlight=False, width=width)


def _is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def show(page: Page, console: Console | None = None, *, top: int | None = None) -> None:
    """Print a page. top: rows of each long table, instead of its own limit."""
    console = console or output()
    if top is not None:
        page = replace(
            page, sections=[replace(one, blocks=_limited(one.blocks, top)) for one in page.sections]
        )
    console.print(Text(clean(page.title), style="bold"))
    console.print(Text(isolated(clean(page.verdict))))
    if page.details:
        console.print(Text(clean(page.details), style="dim"))
    for name, value in page.facts:
        console.print(Text(f"{name}: ", style="dim") + Text(clean(value)))
    if page.figures:
        console.print()
        console.print(_figures(page))
    if page.warning:
        console.print()
        console.print(_text(page.warning))
    for section in page.sections:
        if SCREEN in section.on and (parts := _blocks(section.blocks, console.width)):
            console.print()
            console.print(Group(Text(clean(section.heading), style="bold"), *parts))


def _limited(blocks: Sequence[Block], top: int) -> Blocks:
    """The blocks with `top` rows in each table or list that has a limit of its own."""
    limited: Blocks = []
    for block in blocks:
        if isinstance(block, Table | Bullets) and block.screen is not None:
            block = replace(block, screen=top)
        elif isinstance(block, Only):
            block = replace(block, blocks=_limited(block.blocks, top))
        limited.append(block)
    return limited


def _figures(page: Page) -> RichTable:
    table = RichTable(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim")
    table.add_column(justify="right", style="bold")
    table.add_column(style="dim")
    for figure in page.figures:
        table.add_row(Text(clean(figure.name)), Text(clean(figure.value)), Text(clean(figure.note)))
    return table


def _blocks(blocks: Sequence[Block], width: int) -> list[RenderableType]:
    return [part for block in blocks for part in _block(block, width)]


def _block(block: Block, width: int) -> list[RenderableType]:
    match block:
        case Paragraph():
            return [] if block.style in SKIPPED else [_text(block.words, "dim" if block.style in ("rest", "nothing") else "")]  # fmt: skip
        case Heading():
            note = [Text("  "), _text(block.note, "dim")] if block.note else []
            return [Text.assemble(_text(block.words, "bold"), *note)]
        case Facts():
            return [Text.assemble(_text(name, "dim"), ": ", _text(value)) for name, value in block.items]
        case Bullets():
            items = [part for item in block.items[: block.screen] for part in _bullet(item, width)]
            return [*items, *_in_report(len(block.items[: block.screen]), len(block.items), block.more)]
        case Table():
            return _table(block, width)
        case Chart() | Picture():
            return [Text(clean(block.words))] if isinstance(block, Picture) and block.words else []
        case Grid() | Details():
            return _blocks(block.blocks, width)
        case Card():
            return _card(block, width)
        case Cards():
            if block.screen is None:
                return _blocks(block.cards[: block.open], width)
            shown = block.cards[: block.screen]
            return [*_blocks(shown, width), *_in_report(len(shown), len(block.cards), block.more)]
        case Only():
            return _blocks(block.blocks, width) if SCREEN in block.on else []


def _text(words: Words, style: str = "") -> Text:
    text = Text(style=style)
    for part in spans(words):
        if isinstance(part, str):
            text.append(clean_part(part))
        else:
            text.append(clean_part(part.text), style=_style(part))
    return text


def clean_part(text: str) -> str:
    """The text on one line; spaces at its ends stay, since it is a part of a longer text.

    >>> clean_part(" so\\n")
    ' so '
    """
    inner = isolated(clean(text))
    if not inner:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{inner}{' ' if text[-1].isspace() else ''}"


def _style(span: Span) -> str:
    if span.style == "label":
        return COLOURS.get(span.colour, "")
    return next((STYLES[name] for name in span.style.split() if name in STYLES), "")


def _bullet(item: Words | Bullet, width: int) -> list[RenderableType]:
    if not isinstance(item, Bullet):
        return [Padding(_text(item), (0, 0, 0, 2), expand=False)]
    count = [Text(f"{item.count} ", style="bold")] if item.count else []
    below = [Padding(part, (0, 0, 0, 4)) for part in _blocks(item.below, width)]
    return [Padding(Text.assemble(*count, _text(item.words)), (0, 0, 0, 2), expand=False), *below]


def _table(table: Table, width: int) -> list[RenderableType]:
    rows = table.rows if table.screen is None else table.rows[: table.screen]
    has_examples = any(map(_example_words, rows))
    shown, dropped = _fitting(table, rows, width - (NARROWEST_EXAMPLE + GAP if has_examples else 0))
    grid = RichTable(box=None, pad_edge=False, header_style="dim", title_justify="left")
    for at in shown:
        words = [word for row in rows for word in _cell(row.cells[at], is_first=False).plain.split()]
        longest = min(max(map(cell_len, words), default=0), WRAPPED)
        _add_column(
            grid, table.columns[at], widest=_widest(rows) if at == shown[0] else None, longest=longest
        )
    room = width - sum(_width(table, rows, at) + GAP for at in shown)
    examples = [_example(row, min(max(room, NARROWEST_EXAMPLE), WIDEST_EXAMPLE)) for row in rows]
    if has_examples:
        grid.add_column("Example", no_wrap=True)
    for at_row, row in enumerate(rows):
        cells = [_cell(row.cells[at], is_first=at == shown[0]) for at in shown]
        grid.add_row(*cells, *([examples[at_row]] if has_examples else []))
    below = _in_report(len(rows), len(table.rows), table.more)
    if dropped and rows:
        below.append(Text(f"Not shown for lack of space: {', '.join(dropped)}.", style="dim"))
    caption = [Text(clean(table.caption), style="dim")] if table.caption else []
    return [*caption, grid, *below] if rows else [*below]


def _in_report(shown: int, of: int, more: str) -> list[Text]:
    n = of - shown
    noun = more.removesuffix("s") if n == 1 else more
    return [Text(f"{n:,} more {noun} in the report.", style="dim")] if n > 0 else []


def _fitting(table: Table, rows: Sequence[Row], width: int) -> tuple[list[int], list[str]]:
    """The columns that fit into this width, and the names of those that are dropped: numbers are never cut, and examples never squeezed out.

    Columns with a rank go first, the highest first; then numbers, from the right.
    """
    shown = [at for at, column in enumerate(table.columns) if column.screen]
    widths = {at: _width(table, rows, at) for at in shown}
    dropped = []
    while sum(widths[at] + GAP for at in shown) - GAP > width:
        optional = [at for at in shown[1:] if table.columns[at].drop or table.columns[at].number]
        if not optional:
            break
        dropped.append(max(optional, key=lambda at: (table.columns[at].drop, at)))
        shown.remove(dropped[-1])
    return shown, [table.columns[at].name for at in sorted(dropped)]


def _width(table: Table, rows: Sequence[Row], at: int) -> int:
    """The columns of the screen that a column needs: all of its widest cell if it cannot be wrapped."""
    column, is_first = table.columns[at], at == 0
    cells = [_cell(row.cells[at], is_first=is_first) for row in rows]
    widest = max(
        [cell_len(column.name), *(cell_len(line) for cell in cells for line in cell.plain.splitlines())]
    )
    if is_first:
        return min(max(widest, FIRST_WIDTHS[0]), _widest(rows))
    return widest if _is_fixed(column) else min(widest, WRAPPED)


def _widest(rows: Sequence[Row]) -> int:
    """The most columns of the screen for the first column."""
    return FIRST_BESIDE_EXAMPLE if any(map(_example_words, rows)) else FIRST_WIDTHS[1]


def _is_fixed(column: Column) -> bool:
    """Whether a cell stays on one line: a number, a short name, or a value with its interval."""
    return column.number or not {"figure", "to", "shares"}.isdisjoint(column.style.split())


def _example_words(row: Row) -> Words:
    return next((b.words for b in row.below if isinstance(b, Paragraph) and b.style == "example"), "")


def _example(row: Row, room: int) -> Text:
    """The example below a row, cut around the first highlighted words so that they are in view."""
    text = Text(style="dim")
    first: tuple[int, int] | None = None
    for part in spans(_example_words(row)):
        if isinstance(part, Span):
            first = first or (len(text), len(text) + len(clean_part(part.text)))
            text.append(clean_part(part.text), style="bold not dim underline")
        else:
            text.append(clean_part(part))
    return _window(text, first or (0, 0), room)


def _window(text: Text, part: tuple[int, int], room: int) -> Text:
    """The text cut to so many columns of the screen around a part of it, with dots where it goes on. Chinese characters take two columns, marks none."""
    columns = [0, *accumulate(map(cell_len, text.plain))]
    if columns[-1] <= room:
        return text
    start, end = columns[part[0]], columns[part[1]]
    left = max(0, min(start - room // 3, columns[-1] - room))
    left = min(max(left, end - room + 2), max(start - 1, 0))  # all of the part, or as much as fits
    if left > 0:  # the dots take one column
        text = Text("…", style="dim") + text[bisect_right(columns, left + 1) - 1 :]
    text.truncate(room, overflow="ellipsis")
    return text


def _add_column(grid: RichTable, column: Column, *, widest: int | None, longest: int) -> None:
    """Add a column. widest: of the first one. longest: its longest word, which is not cut."""
    if column.number:
        grid.add_column(column.name, justify="right", no_wrap=True)
    elif widest is not None:
        grid.add_column(column.name, min_width=FIRST_WIDTHS[0], max_width=widest, overflow="fold")
    elif _is_fixed(column):
        grid.add_column(column.name, no_wrap=True)
    else:
        grid.add_column(column.name, min_width=longest, overflow="fold")


def _cell(cell: Words | Cell, *, is_first: bool) -> Text:
    words = cell.words if isinstance(cell, Cell) else cell
    if not is_first:
        return _text(words)
    text = Text()
    for part in spans(words):  # what belongs to the heading of a row goes below it
        is_where = isinstance(part, Span) and part.style in ("where", "remark", "remark stronger")
        text.append_text(Text.assemble("\n" if is_where else "", _text(part)))
    return text


def _card(card: Card, width: int) -> list[RenderableType]:
    facts = [Text("  ").join(_text(words) for words in card.facts)] if card.facts else []
    versions = [
        Padding(Text.assemble(_text(name, "dim"), ": ", _text(words)), (0, 0, 0, 2))
        for name, words in card.versions
    ]
    failed = [f"✗ {chip.name}: {chip.reason}" for chip in card.chips if not chip.passed]
    below = [Padding(part, (0, 0, 0, 2)) for part in _blocks([*card.between, *card.below], width)]
    return [*facts, *versions, *(Text(clean(reason), style="dim") for reason in failed), *below]
