"""Static SVG charts, drawn so that they read the same on a phone and on a wide screen.

Positions along x are per cent of the width and positions along y are pixels, so a chart stretches with its
box while its letters keep their size. Colours are classes (`l0` to `l7`, `lx`): the style sheet gives them.

    bar_chart       one bar a row: strongest patterns of a label, rows per label
    leak_chart      accuracy with its interval against the line of the commonest label
    histogram       one row of bars per label above one axis: gamma, length
    share_bar       the small bar in a table cell: share against base rate
    split_bar       the same for all labels at once

What is inside them is in `templates/charts.svg.jinja`, whose environment escapes whatever a dataset brings, as `tag` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from math import ceil, inf, isfinite
from typing import Any

from markupsafe import Markup, escape

from longway.records import Leak
from longway.report.excerpts import PATTERN_LIMIT, clean, cut_to_width
from longway.report.html import environment
from longway.report.numbers import finite, percent

ROW = 44  # a row of a bar chart: a line of words, the bar, some air
BAR = 12
AXIS = 24
NAME_COLUMNS = 32  # letters of a name that fit beside its figure on a phone
HISTOGRAM_ROW = 104
HISTOGRAM_BAR = 64  # the tallest bar
MAX_BINS = 60


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a bar chart: what is measured, how much, how that is written, in which colour."""

    name: str
    value: float
    shown: str
    colour: str


@dataclass(frozen=True, slots=True)
class Distribution:
    """A row of a histogram: counts per bin of one label. mean: a line is drawn there."""

    name: str
    counts: Sequence[int]
    colour: str
    mean: float | None = None
    note: str = ""


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element with all its text and attributes cleaned and escaped.

    >>> print(tag("text", "a < b", text_anchor="end"))
    <text text-anchor="end">a &lt; b</text>
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(str(value)))}"'
        for key, value in attributes.items()
    )
    inside = "".join(child if isinstance(child, Markup) else escape(clean(child)) for child in children)
    return Markup(f"<{name}{written}>{inside}</{name}>")


def bar_chart(bars: Sequence[Bar], *, key: str, title: str, desc: str, full: float) -> Markup:
    """One bar a row, as long as its value is of `full`; key: unique on the page."""
    rows = _drawn("bar_chart", bars, full)
    return drawing(rows, key=key, title=title, desc=desc, height=len(bars) * ROW)


def leak_chart(leaks: Sequence[Leak], *, key: str, majority: float, title: str, desc: str) -> Markup:
    """Accuracy from 0 to 100% per part of the input, with its interval, against the majority line."""
    parts = _drawn("leak_chart", leaks, majority)
    return drawing(parts, key=key, title=title, desc=desc, height=22 + len(leaks) * ROW + AXIS)


def histogram(
    rows: Sequence[Distribution],
    edges: Sequence[float],
    *,
    key: str,
    title: str,
    desc: str,
    form: Callable[[float], str],
) -> Markup:
    """Counts per bin, one row per label, each as a share of its own row and all on one scale.

    edges: one more than a row has counts. form: how a place on the axis is written.
    """
    merged = [_merge(row.counts, edges) for row in rows]
    tallest = max((density for bins in merged for _, _, density in bins), default=0.0)
    ticks = [form(edges[0] + (edges[-1] - edges[0]) * part / 4) for part in range(5)]
    drawn = _drawn("histogram", rows, merged, tallest, edges, ticks)
    return drawing(drawn, key=key, title=title, desc=desc, height=len(rows) * HISTOGRAM_ROW - 12 + AXIS)


def share_bar(share: float, base_rate: float, *, colour: str) -> Markup:
    """A label's share among the texts with a pattern, with a tick at its share overall. The cell says it in words."""
    return _drawn("share_bar", share, base_rate, colour)


def change_bar(before: float, after: float, *, full: float, usual: float | None = None) -> Markup:
    """A pale bar for before and a narrow full one for now, for a table cell, which says them in words; usual: a tick is drawn there."""
    scale = full if full > 0 else inf
    return _drawn("change_bar", before / scale, after / scale, None if usual is None else usual / scale)


def split_bar(shares: Sequence[float], usual: Sequence[float], *, colours: Sequence[str]) -> Markup:
    """How labels share out some texts, end to end, with ticks where they would end by their shares overall."""
    starts = accumulate(shares, initial=0.0)
    return _drawn("split_bar", list(zip(starts, shares, colours, strict=False)), list(accumulate(usual))[:-1])


def drawable(edges: Sequence[float], rows: Sequence[Sequence[int]]) -> bool:
    """Whether a histogram can be drawn: rising, finite edges, and a count for each bin between them.

    >>> drawable([0, 1, 2], [[5, 6]]), drawable([0, 0], [[5]])
    (True, False)
    """
    rising = (
        len(edges) > 1 and all(isfinite(edge) for edge in edges) and all(a < b for a, b in pairwise(edges))
    )
    return rising and all(len(row) == len(edges) - 1 for row in rows)


def drawing(*children: Markup, key: str, title: str, desc: str, height: int) -> Markup:
    """A chart as wide as its box, with a title and a description for those who do not see it."""
    words = [tag("title", title, id=f"{key}-title"), tag("desc", desc, id=f"{key}-desc")]
    return tag(
        "svg",
        *words,
        *children,
        role="img",
        class_="chart",
        width="100%",
        height=height,
        aria_labelledby=f"{key}-title {key}-desc",
    )


def _merge(counts: Sequence[int], edges: Sequence[float]) -> list[tuple[float, float, float]]:
    """(left, right, density) of at most MAX_BINS bins; density: share of the row per unit of x.

    >>> _merge([1, 3], [0.0, 1.0, 3.0])
    [(0.0, 1.0, 0.25), (1.0, 3.0, 0.375)]
    """
    total = sum(counts) or 1
    step = ceil(len(counts) / MAX_BINS)
    merged = []
    for at in range(0, len(counts), step):
        chunk = counts[at : at + step]
        left, right = edges[at], edges[at + len(chunk)]
        merged.append((left, right, sum(chunk) / total / (right - left)))
    return merged


def words_at(words: str, *, at: float, y: int, class_: str) -> Markup:
    """Words at a share of the width, held inside the chart at both ends."""
    anchor = "start" if at < 0.12 else "end" if at > 0.88 else "middle"
    return tag("text", words, x=across(at), y=y, text_anchor=anchor, class_=class_)


def across(share: float) -> str:
    """A share of the width, kept inside the chart."""
    return f"{100 * min(max(finite(share), 0.0), 1.0):.3f}%"


@cache
def _macros() -> Any:
    made = environment("longway.report")
    made.filters |= {"across": across, "cut_to_width": cut_to_width, "percent": percent}
    made.globals |= {"ROW": ROW, "BAR": BAR, "NAME_COLUMNS": NAME_COLUMNS, "PATTERN_LIMIT": PATTERN_LIMIT}
    made.globals |= {"HISTOGRAM_ROW": HISTOGRAM_ROW, "HISTOGRAM_BAR": HISTOGRAM_BAR, "words_at": words_at}
    return made.get_template("charts.svg.jinja").module


def _drawn(name: str, *given: object) -> Markup:
    """What a macro of the template draws."""
    return Markup(getattr(_macros(), name)(*given))
