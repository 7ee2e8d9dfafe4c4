"""Renders a page of sections as one HTML file that opens offline, runs no script and loads nothing.

    Page  ->  render()  ->  the text of report.html

A dataset row is data, never markup: everything is cleaned and escaped here, and the content security policy allows the browser
the style sheets of this page (by their hash) and nothing else. So no element may have a `style` attribute.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from typing import TypeVar

from markupsafe import Markup, escape

from longway.report.excerpts import cut, harmless, isolated
from longway.report.sections import (
    REPORT,
    Block,
    Bullet,
    Bullets,
    Card,
    Cards,
    Cell,
    Chart,
    Chip,
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
    Section,
    Span,
    Table,
    Words,
    spans,
)

Part = TypeVar("Part")
MAX_CHIPS = 14
A_FEW = 3  # rows more than a table shows at once are not worth folding


def render(page: Page) -> str:
    """The whole HTML document of a page."""
    style = style_sheet("style.css", *page.sheets)
    return str(
        Markup(
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
            "<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n{footer}</body>\n</html>\n"
        ).format(
            policy=content_security_policy(style),
            title=harmless(page.title),
            style=Markup(style),  # ours, from the package
            body=body(page),
            footer=_footer(page),
        )
    )


def body(page: Page) -> Markup:
    """The opening and all sections, for use inside another page."""
    return _join([opening(page), *(section(one) for one in page.sections if REPORT in one.on)])


def opening(page: Page) -> Markup:
    """Title, verdict, facts and key figures."""
    figures = [
        Markup("<div><dt>{}</dt> <dd><strong>{}</strong> <span>{}</span></dd></div>").format(
            harmless(figure.name), harmless(figure.value), harmless(figure.note)
        )
        for figure in page.figures
    ]
    return Markup(
        '<header>\n<p class="kicker">{}</p>\n<h1><bdi>{}</bdi></h1>\n<p class="verdict">{}</p>\n{}{}\n{}\n</header>\n{}'
    ).format(
        harmless(page.kicker),
        harmless(page.title),
        sentence(page.verdict),
        Markup('<p class="details">{}</p>\n').format(harmless(page.details)) if page.details else "",
        _facts(page.facts, "about"),
        _element("dl", _join(figures), f"key-figures {page.figures_style}".rstrip()),
        _element("p", inline(page.warning), "note warning") + "\n" if page.warning else "",
    )


def section(one: Section) -> Markup:
    """A section with its heading."""
    return Markup('<section id="{}">\n<h2>{}</h2>\n{}</section>\n\n').format(
        one.id, harmless(one.heading), blocks(one.blocks)
    )


def blocks(parts: Iterable[Block]) -> Markup:
    """Blocks below each other."""
    return _join(block(part) + "\n" for part in parts)


def block(part: Block) -> Markup:
    """One block as HTML."""
    match part:
        case Paragraph(style="example" | "data"):
            return _element("p", _element("bdi", inline(part.words)), part.style)
        case Paragraph():
            return _element("p", inline(part.words), part.style)
        case Heading():
            return _element("h3", inline(part.words) + _note(part.note))
        case Facts():
            return _facts(part.items, part.style)
        case Bullets():
            return _element("ul", _join(_bullet(item) for item in part.items), part.style)
        case Table():
            return _folded(part.rows, part.open, part.more, partial(_rows, part))
        case Chart():
            return _chart(part)
        case Grid():
            return _element("div", blocks(part.blocks), f"grid {part.style}".rstrip())
        case Card():
            return _card(part)
        case Cards():
            return _folded(part.cards, part.open, part.more, partial(_card_list, part.style))
        case Details():
            return _details(part.summary, blocks(part.blocks), is_open=part.is_open, style=part.style)
        case Only():
            return blocks(part.blocks) if REPORT in part.on else Markup("")
        case Picture():
            return part.markup


def _note(words: Words) -> Markup:
    """Quieter words behind a heading."""
    return Markup(' <span class="quiet">{}</span>').format(inline(words)) if words else Markup("")


def inline(words: Words) -> Markup:
    """Words with their styles."""
    return _join(_span(part) if isinstance(part, Span) else sentence(part) for part in spans(words))


def sentence(text: str) -> Markup:
    """A sentence of ours with quotations from the data, each in its own direction."""
    return escape(isolated(harmless(text)))


def _span(span: Span) -> Markup:
    if span.link:
        return Markup('<a href="{}">{}</a>').format(span.link, _span(replace(span, link="")))
    text = escape(harmless(span.text))
    match span.style:
        case "":
            return text
        case "strong":
            return _element("b", text)
        case "data":
            return _element("bdi", text)
        case "pattern":
            return _element("bdi", text, "pattern")
        case "code":
            return _element("code", _element("bdi", text))
        case "del" | "ins":
            return _element(span.style, text)
        case "label":
            return Markup(
                '<span class="label {}"><span class="dot"></span><bdi>{}</bdi></span>'
            ).format(span.colour, text)  # fmt: skip
        case "m1" | "m2" | "m3" | "m4" | "m5":
            return _element("mark", text, span.style)
        case _:
            title = Markup(' title="{}"').format(harmless(span.title)) if span.title else ""
            style = f"{span.style} {span.colour}".rstrip()
            return Markup('<span class="{}"{}>{}</span>').format(style, title, text)


def _facts(items: Iterable[tuple[Words, Words]], style: str) -> Markup:
    row = (
        "<div><dt>{}</dt> <dd>{}</dd></div>"
        if style == "reading"
        else "<div><dt>{}</dt> <dd><bdi>{}</bdi></dd></div>"
    )
    rows = [Markup(row).format(inline(name), inline(value)) for name, value in items]
    return _element("dl", _join(rows), style)


def _bullet(item: Words | Bullet) -> Markup:
    if not isinstance(item, Bullet):
        return _element("li", inline(item)) + "\n"
    if not item.count and not item.below:
        return _element("li", inline(item.words), item.colour) + "\n"
    inside = _element("div", _element("p", inline(item.words)) + "\n" + blocks(item.below))
    count = _element("strong", escape(item.count), "count") if item.count else Markup("")
    return _element("li", count + " " + inside, item.colour) + "\n"


def _folded(
    parts: Sequence[Part], at_once: int | None, more: str, drawn: Callable[[Sequence[Part]], Markup]
) -> Markup:
    """The first parts, and the others folded. more: what these are called."""
    if at_once is None or len(parts) <= at_once + A_FEW:
        return drawn(parts)
    rest = drawn(parts[at_once:])
    return drawn(parts[:at_once]) + _details(f"Show {len(parts) - at_once:,} more {more}", rest)


def _rows(table: Table, rows: Sequence[Row]) -> Markup:
    heads = [
        Markup('<th scope="col"{}>{}</th>').format(_class("n" if column.number else ""), inline(column.name))
        for column in table.columns
    ]
    caption = _element("caption", escape(harmless(table.caption))) if table.caption else ""
    head = Markup("<thead><tr>{}</tr></thead>\n").format(Markup(" ").join(heads))
    bodies = [_body(row, table.columns) for row in rows]
    return _element("table", Markup("\n") + caption + head + _join(bodies), table.style)


def _body(row: Row, columns: Sequence[Column]) -> Markup:
    first, *others = zip(row.cells, columns, strict=True)
    cells = [_cell(*first, is_first=True), *(_cell(*both) for both in others)]
    inside = _element("tr", Markup(" ").join(cells))
    if row.below:
        below = Markup('<tr class="more"><td colspan="{}">{}</td></tr>')
        inside += below.format(len(columns), blocks(row.below))
    return _element("tbody", inside, f"{row.style} {row.colour}".strip()) + Markup("\n")


def _cell(cell: Words | Cell, column: Column, *, is_first: bool = False) -> Markup:
    given = cell if isinstance(cell, Cell) else Cell(cell)
    inside = inline(given.words)
    if is_first:
        return Markup('<th scope="row"{}>{}{}</th>').format(_class(given.style), inside, given.chart)
    style = " ".join(filter(None, ["n" if column.number else "", column.style, given.style]))
    if "shares" in style.split():
        inside = _element("span", inside, "figures")
    return Markup('<td data-name="{}"{}>{}{}</td>').format(
        harmless(column.short or column.name), _class(style), inside, given.chart
    )


def _chart(chart: Chart) -> Markup:
    caption = ""
    if chart.caption:
        heading = _element("h3", inline(chart.caption)) + _note(chart.note)
        caption = _element("figcaption", heading)
    return _element("figure", caption + blocks(chart.above) + chart.svg + blocks(chart.below), chart.style)


def _card(card: Card) -> Markup:
    facts = [
        _element("span", inline(words), "labels") if at == 0
        else inline(words) if isinstance(words, str | Span)
        else _element("span", inline(words))
        for at, words in enumerate(card.facts)
    ]  # fmt: skip
    versions = [
        Markup("<div><dt>{}</dt> <dd><bdi>{}</bdi></dd></div>").format(inline(name), inline(words))
        for name, words in card.versions
    ]
    parts = [
        _element("div", Markup("\n").join(facts), "facts") if facts else "",
        _element("dl", _join(versions), "versions") if versions else "",
        blocks(card.between),
        _chips(card.chips),
        blocks(card.below),
    ]
    return _element("article", Markup("\n").join(filter(None, parts)), f"{card.style} {card.colour}".strip())


def _card_list(style: str, cards: Sequence[Card]) -> Markup:
    return _element("div", _join(map(_card, cards)), style)


def _chips(chips: Sequence[Chip]) -> Markup:
    if not chips:
        return Markup("")
    items = [_chip(chip) for chip in chips[:MAX_CHIPS]]
    if len(chips) > MAX_CHIPS:
        items.append(Markup("<li>and {} more</li>").format(len(chips) - MAX_CHIPS))
    return _element("ul", _join(items), "chips")


def _chip(chip: Chip) -> Markup:
    sign, style = ("✓", "passed") if chip.passed else ("✗", "failed")
    inside = Markup('<span class="sign">{}</span> <bdi>{}</bdi>').format(sign, harmless(chip.name))
    if chip.score:
        inside += Markup(" <b>{}</b>").format(chip.score)
    if chip.reason and not chip.passed:
        inside += Markup(' <span class="why"><bdi>{}</bdi></span>').format(harmless(chip.reason))
    return _element("li", inside, style) + "\n"


def _details(summary: str, inside: Markup, *, is_open: bool = False, style: str = "") -> Markup:
    return Markup("<details{}{}>\n<summary>{}</summary>\n{}\n</details>").format(
        _class(style), Markup(" open") if is_open else "", harmless(summary), inside
    )


def _footer(page: Page) -> Markup:
    streamed = "; the dataset was read as a stream" if page.streamed else ""
    settings = _facts(page.settings, "settings") if page.settings else ""
    return Markup("<footer>\n<p>Longway {}{}. {} <code>{}</code></p>\n{}</footer>\n").format(
        cut(page.version, 20), streamed, page.fingerprint_of, cut(page.fingerprint, 80), settings
    )


def _element(name: str, inside: str, style: str = "") -> Markup:
    return Markup("<{0}{1}>{2}</{0}>").format(name, _class(style), inside)


def _class(style: str) -> Markup:
    return Markup(' class="{}"').format(style) if style else Markup("")


def _join(parts: Iterable[str]) -> Markup:
    return Markup("").join(parts)


def content_security_policy(style: str) -> str:
    """The policy that allows a page this style sheet and nothing else."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def style_sheet(*names: str) -> str:
    """The style sheets of these names, as one."""
    folder = files("longway.report").joinpath("templates")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
