"""The section of an audit about people: which labels the texts have that mention a gender, race or age."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

from longway.jobs.audit.result import AuditResult
from longway.records import Mentions
from longway.report import charts
from longway.report.excerpts import cut
from longway.report.labels import MAX_LABELS, Labels, label_named, label_span, with_colour
from longway.report.numbers import count, counted, percent, q_value
from longway.report.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    Blocks,
    Cell,
    Column,
    Heading,
    Only,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
)

MAX_PEOPLE = 60
N_WORDS = 5


def leaning(texts: Mapping[str, int], totals: Mapping[str, int]) -> tuple[str, float, float]:
    """The label that is most over-represented in some texts, its share among them and its share among all.

    >>> leaning({"good": 10, "bad": 30}, {"good": 500, "bad": 500})
    ('bad', 0.75, 0.5)
    """
    n, n_all = sum(texts.values()) or 1, sum(totals.values()) or 1
    shares = {name: (number / n, totals.get(name, 0) / n_all) for name, number in texts.items()}

    def standard_errors(name: str) -> float:
        share, base = shares[name]
        return (share - base) / sqrt(base * (1 - base)) if 0 < base < 1 else 0.0

    label = max(texts, key=standard_errors)
    return label, *shares[label]


def people_section(result: AuditResult, labels: Labels) -> list[Section]:
    """How the labels divide the texts that mention people."""
    by_axis: dict[tuple[str, str], list[Mentions]] = {}
    for mentions in result.people[:MAX_PEOPLE]:
        by_axis.setdefault((mentions.field, mentions.axis), []).append(mentions)
    if not by_axis:
        return []
    names: list[str | Span] = []
    for label in with_colour(labels):
        names += [label_span(label), " "]
    if len(labels) > MAX_LABELS:
        names.append(Span(f"{len(labels) - MAX_LABELS} smaller labels", "label", "lx"))
    lead = (
        "Texts with words that indicate a person’s gender, race or age in any context. The bar shows how the labels divide these texts, its "
        "ticks how they divide all texts: "
    )
    blocks: Blocks = [Paragraph([lead, *names], "lead")]
    for (field, axis), rows in by_axis.items():
        blocks += _axis_blocks(field, axis, rows, labels, result.settings.max_q)
    note = (
        f"Bold: correlated with a label at q ≤ {result.settings.max_q:g}, tested together with all other patterns, and among the findings "
        "above. Counted by words, without reading the sentence: colours, things and titles are excluded, so some people are missed."
    )
    blocks.append(Only(REPORT, [Paragraph(note, "rest")]))
    is_correlated = any(m.q is not None and m.q <= result.settings.max_q for m in result.people)
    on = REPORT_AND_SCREEN if is_correlated else REPORT
    return [Section("people", "People in the texts", blocks, on=on)]


def _axis_blocks(field: str, axis: str, rows: Sequence[Mentions], labels: Labels, max_q: float) -> Blocks:
    tested = [row for row in rows if row.q is not None]
    others = [f"{_who(row)} ({counted(sum(row.texts.values()), 'text')})" for row in rows if row.q is None]
    columns = [
        Column("Mention"), Column("Texts", number=True), Column("Mentions", number=True), Column("q", number=True),
        Column("Leans to", style="shares"),
    ]  # fmt: skip
    heading = Heading(cut(axis.capitalize()), ["in ", Span(cut(field), "data")])
    blocks: Blocks = []
    if tested:
        table = Table(columns, [_people_row(row, labels, max_q) for row in tested], "people")
        blocks += [heading, table]
    elif others:
        blocks.append(Only(REPORT, [heading]))
    if others:
        few = Paragraph(f"Too few or too many texts to test: {', '.join(others)}.", "rest")
        blocks.append(Only(REPORT, [few]))
    return blocks


def _people_row(row: Mentions, labels: Labels, max_q: float) -> Row:
    totals = {name: label.count for name, label in labels.items()}
    name, share, base = leaning(row.texts, totals)
    n, n_all = sum(row.texts.values()) or 1, sum(totals.values()) or 1
    shown = with_colour(labels)
    shares = [row.texts.get(label.key, 0) / n for label in shown]
    usual = [label.count / n_all for label in shown]
    if len(labels) > MAX_LABELS:
        shares, usual = [*shares, 1 - sum(shares)], [*usual, 1 - sum(usual)]
    colours = [label.colour for label in shown] + ["lx"] * (len(shares) - len(shown))
    q = row.q if row.q is not None else 1.0
    style = "strong" if q <= max_q else ""
    label = label_named(name, labels)
    words = ", ".join(cut(word) for word, _ in row.words[:N_WORDS])
    return Row(
        [
            [Span(_who(row), "pattern"), " ", Span(words, "where")],
            count(n),
            count(sum(row.mentions.values())),
            Span(q_value(q), style),
            Cell(
                [label_span(label), " ", Span(percent(share), style), " ", Span(f"base rate {percent(base)}", "quiet")],
                charts.split_bar(shares, usual, colours=colours),
            ),
        ],
        colour=label.colour,
    )  # fmt: skip


def _who(row: Mentions) -> str:
    return cut(row.pattern.removeprefix("speaks of "))
