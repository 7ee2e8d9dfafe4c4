"""Static SVG charts, drawn so that they read the same on a phone and on a wide screen.

Positions along x are per cent of the width and positions along y are pixels, so a chart stretches with its
box while its letters keep their size. Colours are classes (`l0` to `l7`, `lx`): the style sheet gives them.

    bar_chart       one bar a row: strongest patterns of a label, rows per label
    leak_chart      accuracy with its interval against the line of the commonest label
    histogram       one row of bars per label above one axis: gamma, length
    share_bar       the small bar in a table cell: share against base rate
    split_bar       the same for all labels at once

Everything a dataset brings goes through `tag`, which escapes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, isfinite

from markupsafe import Markup, escape

from longway.records import Leak
from longway.report.excerpts import PATTERN_LIMIT, clean, cut, cut_to_width
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
    rows = [_bar_row(bar, at * ROW, full) for at, bar in enumerate(bars)]
    return drawing(*rows, key=key, title=title, desc=desc, height=len(bars) * ROW)


def leak_chart(leaks: Sequence[Leak], *, key: str, majority: float, title: str, desc: str) -> Markup:
    """Accuracy from 0 to 100% per part of the input, with its interval, against the majority line."""
    head = 22
    bottom = head + len(leaks) * ROW
    tops = range(head, bottom, ROW)
    bars = [_leak_bar(leak, y) for leak, y in zip(leaks, tops, strict=True)]
    line = tag("line", x1=across(majority), x2=across(majority), y1=head - 4, y2=bottom, class_="majority")
    words = [
        _leak_words(leak, y) for leak, y in zip(leaks, tops, strict=True)
    ]  # last: the line goes under them
    chance = words_at(f"chance {percent(majority)}", at=majority, y=12, class_="quiet")
    ticks = _ticks(["0%", "25%", "50%", "75%", "100%"], y=bottom)
    parts = [*bars, line, *words, chance, ticks]
    return drawing(*parts, key=key, title=title, desc=desc, height=bottom + AXIS)


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
    drawn = [
        _histogram_row(row, bins, at * HISTOGRAM_ROW, edges, tallest)
        for at, (row, bins) in enumerate(zip(rows, merged, strict=True))
    ]
    bottom = len(rows) * HISTOGRAM_ROW - 12
    ticks = [form(edges[0] + (edges[-1] - edges[0]) * part / 4) for part in range(5)]
    return drawing(*drawn, _ticks(ticks, y=bottom), key=key, title=title, desc=desc, height=bottom + AXIS)


def share_bar(share: float, base_rate: float, *, colour: str) -> Markup:
    """A label's share among the texts with a pattern, with a tick at its share overall. The cell says it in words."""
    track = tag("rect", x=0, y=2, width="100%", height=6, rx=3, class_="track")
    bar = tag("rect", x=0, y=2, width=across(share), height=6, rx=3, class_=f"bar {colour}")
    tick = tag("line", x1=across(base_rate), x2=across(base_rate), y1=0, y2=10, class_="tick")
    return tag("svg", track, bar, tick, class_="share", width="100%", height=10, aria_hidden="true")


def change_bar(before: float, after: float, *, full: float, usual: float | None = None) -> Markup:
    """A pale bar for before and a narrow full one for now, for a table cell, which says them in words; usual: a tick is drawn there."""

    def width(value: float) -> str:
        return across(value / full if full > 0 and isfinite(value) else 0.0)

    bars = [
        tag("rect", x=0, y=0, width="100%", height=12, rx=2, class_="track"),
        tag("rect", x=0, y=0, width=width(before), height=12, rx=2, class_="bar before"),
        tag("rect", x=0, y=3, width=width(after), height=6, rx=1, class_="bar now"),
    ]
    if usual is not None:
        bars.append(tag("line", x1=width(usual), x2=width(usual), y1=0, y2=12, class_="tick"))
    return tag("svg", *bars, class_="share", width="100%", height=12, aria_hidden="true")


def split_bar(shares: Sequence[float], usual: Sequence[float], *, colours: Sequence[str]) -> Markup:
    """How labels share out some texts, end to end, with ticks where they would end by their shares overall."""
    starts = [sum(shares[:at]) for at in range(len(shares))]
    bars = [
        tag("rect", x=across(start), y=2, width=across(share), height=6, class_=f"bar {colour}")
        for start, share, colour in zip(starts, shares, colours, strict=True)
    ]
    ends = [across(sum(usual[: at + 1])) for at in range(len(usual) - 1)]
    ticks = [tag("line", x1=end, x2=end, y1=0, y2=10, class_="tick") for end in ends]
    return tag("svg", *bars, *ticks, class_="share", width="100%", height=10, aria_hidden="true")


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


def _bar_row(bar: Bar, y: int, full: float) -> Markup:
    share = bar.value / full if full > 0 else 0.0
    return tag(
        "g",
        tag("title", cut(bar.name, PATTERN_LIMIT)),  # the whole name where the mouse rests
        words_at(cut_to_width(bar.name, NAME_COLUMNS), at=0, y=y + 14, class_="name"),
        words_at(bar.shown, at=1, y=y + 14, class_="figure"),
        tag("rect", x=0, y=y + 22, width="100%", height=BAR, rx=2, class_="track"),
        tag("rect", x=0, y=y + 22, width=across(share), height=BAR, rx=2, class_="bar"),
        class_=bar.colour,
    )


def _leak_bar(leak: Leak, y: int) -> Markup:
    top, middle = y + 22, y + 22 + BAR // 2
    ends = [
        tag("line", x1=across(end), x2=across(end), y1=middle - 5, y2=middle + 5, class_="whisker")
        for end in (leak.low, leak.high)
    ]
    return tag(
        "g",
        tag("rect", x=0, y=top, width="100%", height=BAR, rx=2, class_="track"),
        tag("rect", x=0, y=top, width=across(leak.accuracy), height=BAR, rx=2, class_="bar"),
        tag("line", x1=across(leak.low), x2=across(leak.high), y1=middle, y2=middle, class_="whisker"),
        *ends,
        class_="leak",
    )


def _leak_words(leak: Leak, y: int) -> Markup:
    interval = f"{percent(leak.accuracy)} ({percent(leak.low)} to {percent(leak.high)})"
    name = cut_to_width(" + ".join(leak.columns) or leak.part, NAME_COLUMNS - 10)
    return tag(
        "g",
        words_at(name, at=0, y=y + 14, class_="name"),
        words_at(interval, at=1, y=y + 14, class_="figure"),
    )


def _histogram_row(
    row: Distribution,
    bins: Sequence[tuple[float, float, float]],
    y: int,
    edges: Sequence[float],
    tallest: float,
) -> Markup:
    base = y + 22 + HISTOGRAM_BAR
    span = edges[-1] - edges[0]
    parts = [
        words_at(cut_to_width(row.name, NAME_COLUMNS - 8), at=0, y=y + 14, class_="name"),
        words_at(row.note, at=1, y=y + 14, class_="quiet"),
    ]
    for left, right, density in bins:
        tall = HISTOGRAM_BAR * density / tallest if tallest else 0.0
        place = {"x": across((left - edges[0]) / span), "width": across((right - left) / span)}
        parts.append(tag("rect", **place, y=f"{base - tall:.2f}", height=f"{tall:.2f}", class_="bar bin"))
    parts.append(tag("line", x1=0, x2="100%", y1=base, y2=base, class_="axis"))
    if row.mean is not None:
        at = across((row.mean - edges[0]) / span)
        parts.append(tag("line", x1=at, x2=at, y1=y + 22, y2=base, class_="mean"))
    return tag("g", *parts, class_=row.colour)


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


def _ticks(names: Sequence[str], *, y: int) -> Markup:
    """The names, evenly spread under the width of the chart."""
    last = len(names) - 1
    return tag(
        "g", *(words_at(name, at=place / last, y=y + 16, class_="quiet") for place, name in enumerate(names))
    )


def words_at(words: str, *, at: float, y: int, class_: str) -> Markup:
    """Words at a share of the width, held inside the chart at both ends."""
    anchor = "start" if at < 0.12 else "end" if at > 0.88 else "middle"
    return tag("text", words, x=across(at), y=y, text_anchor=anchor, class_=class_)


def across(share: float) -> str:
    """A share of the width, kept inside the chart."""
    return f"{100 * min(max(finite(share), 0.0), 1.0):.3f}%"
