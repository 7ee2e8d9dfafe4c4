"""The map section of an audit: rows in two dimensions with the concepts that predict a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from longway.jobs.audit.concept_names import ConceptName
from longway.jobs.audit.map import ConceptMap, MappedConcept
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, cut
from longway.show.labels import Label, label_named, label_span
from longway.show.map_chart import MapLayer, Outline, legend, map_chart
from longway.show.numbers import count, counted, percent
from longway.show.sections import (
    REPORT,
    SCREEN,
    Block,
    Bullet,
    Bullets,
    Chart,
    Paragraph,
    Picture,
    Section,
    Span,
    Words,
)
from longway.store import CallTotals

ON_SCREEN = 5


def map_section(maps: Sequence[ConceptMap], labels: Mapping[str, Label]) -> list[Section]:
    """Nothing if no concepts were looked for."""
    if not maps:
        return []
    lead = (
        "Each mark is a row; similar texts are close to each other, as far as two dimensions allow. An ellipse holds about half of the rows of a concept that predicts a "
        "label; its colour is that label’s. Ellipses overlap where the map shows less than the sentence vectors know."
    )
    blocks: list[Block] = [Paragraph(lead, "lead")]
    for at, one in enumerate(maps):
        blocks += _blocks(one, labels, key=f"map-{at}")
    return [Section("map", "Map of the rows", blocks)]


def names_section(names: Sequence[ConceptName], cost: Sequence[CallTotals]) -> list[Section]:
    """The names that an engine gave to concepts, and how each one did in its check; nothing without an engine."""
    if not names:
        return []
    kept = [one for one in names if one.is_kept]
    text = (
        f"{cut(names[0].engine, NAME_LIMIT)} named {counted(len(names), 'concept')}. {count(len(kept))} of the names passed their check: given only the "
        "name, it finds the rows of the concept among others clearly more often than by chance."
    )
    items: list[Words] = [_name_words(one) for one in (*kept, *(one for one in names if not one.is_kept))]
    blocks: list[Block] = [Paragraph(text), Bullets(items, "concept-names", screen=ON_SCREEN, more="names")]
    spent = [one.cost for one in cost]
    if cost and None not in spent:
        calls = sum(one.calls for one in cost)
        blocks.append(Paragraph(f"{counted(calls, 'call')}, ${sum(filter(None, spent)):,.2f}.", "rest"))
    return [Section("names", "Concepts in an engine’s words", blocks, on=REPORT | SCREEN)]


def _name_words(one: ConceptName) -> Words:
    verdict = f" {one.right} of {one.asked} rows right" + ("" if one.is_kept else ": not used")
    return [
        Span(cut(one.name, PATTERN_LIMIT), "strong" if one.is_kept else "quiet"),
        f", {cut(one.pattern, PATTERN_LIMIT)}",
        Span(verdict, "quiet"),
    ]


def _blocks(one: ConceptMap, labels: Mapping[str, Label], *, key: str) -> list[Block]:
    svg = map_chart(
        layers_of(one, labels),
        outlines_of(one, labels),
        key=key,
        title=f"Rows in two dimensions, by {one.column}",
        desc=f"{counted(len(one.points), 'row')}; {counted(len(one.concepts), 'concept')} outlined.",
    )
    numbered = [_bullet(number, concept, labels) for number, concept in enumerate(one.concepts, 1)]
    below: list[Block] = [Picture(legend(layers_of(one, labels)))]
    below += [Bullets(numbered, "map-concepts")] if numbered else []
    below.append(Paragraph(f"{how_made(one)}.", "rest"))
    return [Chart(svg, f"By {cut(one.column, NAME_LIMIT)}", below=below)]


def how_made(one: ConceptMap) -> str:
    """The method, and how many rows are drawn."""
    method = one.method if one.share is None else f"{one.method}, {percent(one.share)} of the variance"
    n = len(one.points)
    drawn = f"a sample of {count(n)} of {counted(one.rows, 'row')}" if n < one.rows else counted(n, "row")
    return f"{method}; {drawn}"


def layers_of(one: ConceptMap, labels: Mapping[str, Label]) -> list[MapLayer]:
    """The points of each label, in the order of the labels on the page."""
    by_label: dict[str, list[tuple[int, int]]] = {}
    for x, y, number in one.points:
        by_label.setdefault(one.labels[number], []).append((x, y))
    shown = [(label_named(name, labels), points) for name, points in by_label.items()]
    order = {label.key: at for at, label in enumerate(labels.values())}
    shown.sort(key=lambda item: order.get(item[0].key, len(order)))
    return [MapLayer(label.name, label.colour, points) for label, points in shown]


def outlines_of(
    one: ConceptMap,
    labels: Mapping[str, Label],
    *,
    link: Callable[[int], str] = lambda number: "",
    chosen: int = 0,
) -> list[Outline]:
    """The ellipses of the concepts, numbered from 1. link: the address of a concept."""
    return [
        Outline(
            number,
            name_of(concept),
            label_named(concept.label, labels).colour,
            concept.x,
            concept.y,
            concept.wide,
            concept.high,
            concept.angle,
            link(number),
            number == chosen,
        )
        for number, concept in enumerate(one.concepts, 1)
    ]


def name_of(concept: MappedConcept) -> str:
    """The name of a concept, with that of the engine before it."""
    words = cut(concept.name, PATTERN_LIMIT)
    return f"{cut(concept.called, PATTERN_LIMIT)} ({words})" if concept.called else words


def _bullet(number: int, concept: MappedConcept, labels: Mapping[str, Label]) -> Bullet:
    label = label_named(concept.label, labels)
    rows = Span(f" {counted(concept.rows, 'row')}", "quiet")
    return Bullet(
        [Span(f"{number} ", "strong"), name_of(concept), " ", label_span(label), rows],
        colour=label.colour,
    )
