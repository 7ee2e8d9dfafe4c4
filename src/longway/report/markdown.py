"""Renders a page of sections as Markdown: the card that goes with a dataset.

The card holds figures and settings. Nothing in it is read as markup, whatever the data calls its columns and labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longway.report.excerpts import isolated
from longway.report.sections import (
    CARD,
    Block,
    Bullet,
    Bullets,
    Cell,
    Facts,
    Heading,
    Only,
    Page,
    Paragraph,
    Span,
    Table,
    Words,
    spans,
)


def render(page: Page) -> str:
    """The card: the title, the verdict, the facts, and the sections that are marked for the card."""
    lines = ["---", page.card_metadata, "---", ""] if page.card_metadata else []
    lines += [f"# {plain(page.title)}", "", isolated(plain(page.verdict)), ""]
    lines += [f"- {plain(name)}: {plain(value)}." for name, value in page.facts]
    lines += ["", _inline(page.warning)] if page.warning else []
    for section in page.sections:
        if CARD in section.on:
            lines += ["", f"## {plain(section.heading)}", "", *_blocks(section.blocks)]
    lines += [
        "",
        f"Made with Longway {plain(page.version)}. {page.fingerprint_of}: {plain(page.fingerprint)}.",
    ]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """The text without what Markdown would read as markup or a new line.

    >>> plain("a *b* [c](d)\\n")
    'a b c(d)'
    """
    return "".join(c for c in text if c.isprintable() and c not in "`*_[]<>#|\\")


def _blocks(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph():
                yield from (_inline(block.words), "")
            case Heading():
                yield from (f"### {_inline(block.words)}", "")
            case Facts():
                yield from (f"- {_inline(name)}: {_inline(value)}" for name, value in block.items)
                yield ""
            case Bullets():
                yield from (f"- {_item(item)}" for item in block.items)
                yield ""
            case Table():
                yield from _table(block)
            case Only() if CARD in block.on:
                yield from _blocks(block.blocks)
            case _:
                pass  # charts and examples stay in the report


def _item(item: Words | Bullet) -> str:
    if not isinstance(item, Bullet):
        return _inline(item)
    return f"{item.count + ' ' if item.count else ''}{_inline(item.words)}"


def _inline(words: Words) -> str:
    return "".join(_span(part) if isinstance(part, Span) else isolated(plain(part)) for part in spans(words))


def _span(span: Span) -> str:
    match span.style:
        case "strong":
            return f"**{plain(span.text)}**"
        case "code":
            return f"`{''.join(c for c in span.text if c.isprintable() and c not in '`|')}`"
        case _:
            return plain(span.text)


def _table(table: Table) -> Iterator[str]:
    yield "| " + " | ".join(plain(column.name) for column in table.columns) + " |"
    yield "|" + "|".join("---:" if column.number else "---" for column in table.columns) + "|"
    for row in table.rows:
        cells = (cell.words if isinstance(cell, Cell) else cell for cell in row.cells)
        yield "| " + " | ".join(_inline(cell) for cell in cells) + " |"
    yield ""
