"""The people that texts speak of, as the page of an audit shows them: a table for each column and axis.

    findings.json "people"  ->  people_tables()  ->  PeopleTable: texts, mentions, the label they lean to, words

Attributes that were not tested (too few texts, or nearly all) are named with their counts and have no bar: of three texts, two say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from typing import Any

from markupsafe import Markup

from longway.records import Mentions
from longway.report import charts
from longway.report.numbers import count, counted, percent, q_value
from longway.report.parts import MAX_LABELS, Label, label_named, record
from longway.report.shown import NAME_LIMIT, cut

MAX_ROWS = 60  # two columns have 28 at most
N_WORDS = 5
SPEAKS_OF = "speaks of "  # how patterns begin


@dataclass(frozen=True, slots=True)
class PeopleRow:
    """Texts that speak of people with one attribute, and the label they lean to most."""

    who: str
    words: str
    texts: str
    mentions: str
    label: Label
    share: str
    base_rate: str
    bar: Markup
    q: str
    is_tied: bool


@dataclass(frozen=True, slots=True)
class PeopleTable:
    """One axis in one column. labels: those with a colour of their own; too_few: attributes that were not tested, in words."""

    name: str
    field: str
    labels: list[Label]
    n_more_labels: int
    rows: list[PeopleRow]
    too_few: str


def people_tables(findings: Mapping[str, Any], labels: Mapping[str, Label]) -> list[PeopleTable]:
    """A table for each column and axis that some text speaks of, in the order of the findings."""
    by_axis: dict[tuple[str, str], list[Mentions]] = {}
    for row in islice(findings.get("people") or [], MAX_ROWS):
        mentions = record(Mentions, row)
        by_axis.setdefault((mentions.field, mentions.axis), []).append(mentions)
    max_q = float(findings["settings"].get("max_q", 0.05)) if by_axis else 0.05
    return [_table(field, axis, rows, labels, max_q) for (field, axis), rows in by_axis.items()]


def leaning(texts: Mapping[str, int], totals: Mapping[str, int]) -> tuple[str, float, float]:
    """The label that some texts speak for most, its share among them and its share among all.

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


def _table(
    field: str, axis: str, rows: Sequence[Mentions], labels: Mapping[str, Label], max_q: float
) -> PeopleTable:
    tested = [row for row in rows if row.q is not None]
    others = [f"{_who(row)} ({counted(sum(row.texts.values()), 'text')})" for row in rows if row.q is None]
    return PeopleTable(
        name=cut(axis.capitalize(), NAME_LIMIT),
        field=cut(field, NAME_LIMIT),
        labels=list(labels.values())[:MAX_LABELS],
        n_more_labels=max(len(labels) - MAX_LABELS, 0),
        rows=[_row(row, labels, max_q) for row in tested],
        too_few=", ".join(others),
    )


def _row(row: Mentions, labels: Mapping[str, Label], max_q: float) -> PeopleRow:
    totals = {name: label.count for name, label in labels.items()}
    name, share, base = leaning(row.texts, totals)
    n, n_all = sum(row.texts.values()) or 1, sum(totals.values()) or 1
    shown = list(labels.values())[:MAX_LABELS]
    shares = [row.texts.get(label.key, 0) / n for label in shown]
    usual = [label.count / n_all for label in shown]
    if len(labels) > MAX_LABELS:
        shares, usual = [*shares, 1 - sum(shares)], [*usual, 1 - sum(usual)]
    colours = [label.colour for label in shown] + ["lx"] * (len(shares) - len(shown))
    q = row.q if row.q is not None else 1.0
    return PeopleRow(
        who=_who(row),
        words=", ".join(cut(word, NAME_LIMIT) for word, _ in row.words[:N_WORDS]),
        texts=count(n),
        mentions=count(sum(row.mentions.values())),
        label=label_named(name, labels),
        share=percent(share),
        base_rate=percent(base),
        bar=charts.split_bar(shares, usual, colours=colours),
        q=q_value(q),
        is_tied=q <= max_q,
    )


def _who(row: Mentions) -> str:
    return cut(row.pattern.removeprefix(SPEAKS_OF), NAME_LIMIT)
