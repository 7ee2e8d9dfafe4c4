"""Patterns and telling words before and after a rewrite, as the page shows them.

rewrite.json "findings", "worse"  ->  pattern_change()  ->  a row of a table with bars
rewrite.json "terms"              ->  term_charts()      ->  a chart per label (Fig. 3 of the RAZOR paper)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from longway.show.change_charts import ChangeRow, change_bar, change_chart
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, cut
from longway.show.labels import MAX_LABELS, Label, label_named, level_name
from longway.show.numbers import arrow, count, finite, millibits, or_dash, percent, short
from longway.stats import is_stronger

MAX_TERMS = 12  # words in a label's chart


@dataclass(frozen=True, slots=True)
class PatternChange:
    """A row of the table. note: why it was left alone; stronger: it tells more now than it did."""

    pattern: str
    level: str
    field: str
    label: Label
    texts_before: str
    texts_after: str
    share_before: str
    share_after: str
    share_bar: Markup
    gain_before: str
    gain_after: str
    gain_bar: Markup
    note: str
    stronger: bool


@dataclass(frozen=True, slots=True)
class TermChart:
    """The telling words of one label; label: None for words that are tied to none."""

    label: Label | None
    chart: Markup
    n_more: int


def highest_gain(rows: Sequence[Mapping[str, Any]]) -> float:
    """The largest gain in the table, before or now, in nats: the length of a whole bar."""
    gains = [finite(row[key] or 0.0) for row in rows for key in ("gain_before", "gain_after")]
    return max(gains, default=0.0)


def term_charts(
    terms: Sequence[Mapping[str, Any]], labels: Mapping[str, Label]
) -> tuple[list[TermChart], int]:
    """A chart for each label with telling words, on one scale; and how many words have none.

    Words tied to no label come in a chart of their own, with its own scale: they may be far more frequent.
    """
    by_label: dict[str | None, list[Mapping[str, Any]]] = {}
    for term in terms:
        by_label.setdefault(term["label"], []).append(term)
    order = [name for name in labels if name in by_label] + [name for name in by_label if name not in labels]
    shown = order[: MAX_LABELS + 1]  # one more for the words of no label
    tied = [row for name in shown if name is not None for row in by_label[name]]
    charts = [
        _term_chart(by_label[name], f"terms-{at}", label_named(name, labels), _highest(tied))
        if name is not None
        else _term_chart(by_label[name], f"terms-{at}", None, _highest(by_label[name]))
        for at, name in enumerate(shown)
    ]
    return charts, len(terms) - sum(len(by_label[name]) for name in shown)


def pattern_change(row: Mapping[str, Any], labels: Mapping[str, Label], *, full: float) -> PatternChange:
    """A row of the table; full: the gain in nats of a whole bar."""
    total = sum(label.count for label in labels.values()) or 1
    label = label_named(row["label"], labels)
    shares = (row["share_before"], row["share_after"])
    gains = (row["gain_before"], row["gain_after"])
    return PatternChange(
        pattern=cut(row["pattern"], PATTERN_LIMIT),
        level=level_name(row["level"]),
        field=cut(row["field"], NAME_LIMIT),
        label=label,
        texts_before=count(row["count_before"] or 0),
        texts_after=count(row["count_after"] or 0),
        share_before=or_dash(shares[0], percent),
        share_after=or_dash(shares[1], percent),
        share_bar=change_bar(shares[0] or 0.0, shares[1] or 0.0, full=1.0, usual=label.count / total),
        gain_before=or_dash(gains[0], _gain),
        gain_after=or_dash(gains[1], _gain),
        gain_bar=change_bar(gains[0] or 0.0, gains[1] or 0.0, full=full),
        note=cut(row["marked"], PATTERN_LIMIT) if row.get("marked") else "",
        stronger=is_stronger(gains[0] or 0.0, gains[1] or 0.0),
    )


def _gain(nats: float) -> str:
    return short(millibits(nats))


def _highest(terms: Sequence[Mapping[str, Any]]) -> float:
    return max((term[when] for term in terms for when in ("before", "after")), default=0)


def _term_chart(terms: Sequence[Mapping[str, Any]], key: str, label: Label | None, full: float) -> TermChart:
    rows = [
        ChangeRow(
            str(term["term"]),
            term["before"],
            term["after"],
            arrow(count(term["before"]), count(term["after"])),
            label.colour if label else "lx",
        )
        for term in terms[:MAX_TERMS]
    ]
    name = label.name if label else "no label"
    desc = "; ".join(f"{cut(row.name, NAME_LIMIT)}: {row.shown}" for row in rows)
    title = f"Texts with the telling words of {name}, before and now"
    chart = change_chart(rows, key=key, title=title, desc=desc, full=full)
    return TermChart(label, chart, max(len(terms) - MAX_TERMS, 0))
