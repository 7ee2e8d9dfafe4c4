"""Charts of a proof.

    gap_chart      a row per pattern, a lane per version: full dot for supporting examples, ring for counter-examples
    count_chart    a row per word, a bar per version
    curve_chart    a figure by epoch, a line per version and seed
    scatter        points on two axes, a colour and a shape per group

As in `show/charts.py`, a chart stretches with its box while letters keep their size. Lines and points are drawn in an inner
drawing of 1000 by 1000 that is stretched without its strokes: a thousand points take a few kilobytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

from markupsafe import Markup

from longway.jobs.prove.result import GroupSide
from longway.show.charts import NAME_COLUMNS, across, drawing, tag, words_at
from longway.show.excerpts import PATTERN_LIMIT, cut, cut_to_width
from longway.show.numbers import percent

SIDE = 0.02  # of the width, so that dots at 0 and 100% are whole
HEAD, LANE, AIR = 22, 16, 10  # of a row of a gap chart: the words, a version, the space below
COUNT_BAR = 8
FIELD = 1000  # of the inner drawing
MARGIN = 25  # of the inner drawing, so that points at its edge are whole
TOP = 20  # above the inner drawing
CURVE_HEIGHT, SCATTER_HEIGHT = 110, 220
MAX_POINTS = 300  # in one scatter plot
MAX_EPOCHS = 40
SHAPES = ("round", "ring", "square", "frame")

Ends = tuple[float, float]  # the lowest and the highest value of an axis
Points = Sequence[tuple[float, float]]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Lane:
    """A version in a row of a gap chart; None for a side without rows. title: the same in words."""

    colour: str
    supporting: GroupSide | None
    counter: GroupSide | None
    title: str


@dataclass(frozen=True, slots=True)
class GapRow:
    """A pattern with a lane per version. shown: the gaps."""

    name: str
    shown: str
    lanes: Sequence[Lane]


@dataclass(frozen=True, slots=True)
class CountRow:
    """A word with its counts, each with the colour of its version. shown: the first two counts; title: all of them."""

    name: str
    shown: str
    title: str
    counts: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Curve:
    """(epoch, value) in the colour of a version."""

    colour: str
    points: Points


@dataclass(frozen=True, slots=True)
class Cloud:
    """Points of one group. shape: one of SHAPES."""

    colour: str
    shape: str
    points: Points


def gap_chart(rows: Sequence[GapRow], *, key: str, title: str, desc: str) -> Markup:
    """Two dots per lane, joined by a line: the longer it is, the more the model relies on the pattern."""
    step = HEAD + max((len(row.lanes) for row in rows), default=0) * LANE + AIR
    bottom = len(rows) * step
    parts = []
    for at in range(5):
        place = SIDE + (1 - 2 * SIDE) * at / 4
        parts.append(tag("line", x1=across(place), x2=across(place), y1=0, y2=bottom, class_="axis"))
        parts.append(words_at(f"{25 * at}%", at=place, y=bottom + 14, class_="quiet"))
    drawn = [
        _row(
            row.name,
            row.shown,
            cut(row.name, PATTERN_LIMIT),
            at * step,
            [_lane(lane, at * step + HEAD + n * LANE + LANE // 2) for n, lane in enumerate(row.lanes)],
        )
        for at, row in enumerate(rows)
    ]
    return drawing(*parts, *drawn, key=key, title=title, desc=desc, height=bottom + 20)


def count_chart(rows: Sequence[CountRow], *, key: str, title: str, desc: str, full: float) -> Markup:
    """A bar per version under each word, as long as its count is of `full`."""
    step = HEAD + max((len(row.counts) for row in rows), default=0) * (COUNT_BAR + 2) + AIR
    drawn = []
    for at, row in enumerate(rows):
        bars = []
        for n, (colour, value) in enumerate(row.counts):
            box = {"x": 0, "y": at * step + HEAD + n * (COUNT_BAR + 2), "height": COUNT_BAR, "rx": 2}
            wide = across(value / full if full > 0 and isfinite(value) else 0.0)
            bars.append(tag("rect", **box, width="100%", class_="track"))
            bars.append(tag("rect", **box, width=wide, class_=f"bar {colour}"))
        words = f"{cut(row.name, PATTERN_LIMIT)}: {row.title}"
        drawn.append(_row(row.name, row.shown, words, at * step, bars, columns=NAME_COLUMNS - 16))
    return drawing(*drawn, key=key, title=title, desc=desc, height=len(rows) * step)


def curve_chart(curves: Sequence[Curve], *, key: str, title: str, desc: str) -> Markup:
    """Shares by epoch, on a scale from the lowest to the highest.

    curves: each with at least one point, epochs rising, all finite.
    """
    xs = span(x for curve in curves for x, _ in curve.points)
    ys = span(y for curve in curves for _, y in curve.points)
    inside = [
        tag("g", tag("path", d=_line(thinned(curve.points, MAX_EPOCHS), xs, ys), class_="line"), class_=curve.colour)
        for curve in curves
    ]  # fmt: skip
    bottom = TOP + CURVE_HEIGHT
    words = [(percent(ys[1]), 0, TOP - 6), (f"epoch {xs[0]:.0f}", 0, bottom + 16)]
    words += [(percent(ys[0]), 1, bottom - 6)] if ys[1] > ys[0] else []
    words += [(f"epoch {xs[1]:.0f}", 1, bottom + 16)] if xs[1] > xs[0] else []
    return drawing(
        *(tag("line", x1=0, x2="100%", y1=y, y2=y, class_="axis") for y in (TOP, bottom)),
        _field(inside, CURVE_HEIGHT),
        *(words_at(text, at=at, y=y, class_="quiet") for text, at, y in words),
        key=key,
        title=title,
        desc=desc,
        height=bottom + 22,
    )


def scatter(
    clouds: Sequence[Cloud], *, xs: Ends, ys: Ends, key: str, title: str, desc: str, axes: tuple[str, str]
) -> Markup:
    """Points on two axes. axes: their names, horizontal and vertical."""
    inside = []
    for cloud in clouds:
        places = thinned(cloud.points, MAX_POINTS)
        d = "".join(f"M{_along(x, xs)} {FIELD - _along(y, ys)}h.1" for x, y in places)
        paths = [tag("path", d=d, class_=f"points {cloud.shape}")]
        if cloud.shape in ("ring", "frame"):
            paths.append(tag("path", d=d, class_=f"points {cloud.shape} hole"))
        inside.append(tag("g", *paths, class_=cloud.colour))
    return drawing(
        tag("rect", x=0, y=TOP, width="100%", height=SCATTER_HEIGHT, rx=4, class_="box"),
        _field(inside, SCATTER_HEIGHT),
        words_at(f"↑ {axes[1]}", at=0, y=TOP - 6, class_="quiet"),
        words_at(f"{axes[0]} →", at=1, y=TOP + SCATTER_HEIGHT + 16, class_="quiet"),
        key=key,
        title=title,
        desc=desc,
        height=TOP + SCATTER_HEIGHT + 22,
    )


def span(values: Iterable[float]) -> Ends:
    """The lowest and the highest of the finite values; (0, 0) if there are none."""
    known = [value for value in values if isfinite(value)]
    return (min(known), max(known)) if known else (0.0, 0.0)


def thinned(items: Sequence[Item], most: int) -> Sequence[Item]:
    """At most `most` of the items, evenly spread, with the first and the last."""
    last = len(items) - 1
    return items if last < most else [items[at * last // (most - 1)] for at in range(most)]


def _row(
    name: str, shown: str, title: str, y: int, parts: Sequence[Markup], *, columns: int = NAME_COLUMNS - 6
) -> Markup:
    return tag(
        "g",
        tag("title", title),
        words_at(cut_to_width(name, columns), at=0, y=y + 14, class_="name"),
        words_at(shown, at=1, y=y + 14, class_="figure"),
        *parts,
    )


def _lane(lane: Lane, y: int) -> Markup:
    bands, dots, places = [], [], []
    for side, radius, style in ((lane.supporting, 5, "with"), (lane.counter, 4.25, "against")):
        if side is None or side.accuracy is None:
            continue
        low, high = (side.accuracy if end is None else end for end in (side.low, side.high))
        if isfinite(low) and isfinite(high):
            bands.append(tag("line", x1=_inside(low), x2=_inside(high), y1=y, y2=y, class_="band"))
        places.append(_inside(side.accuracy))
        dots.append(tag("circle", cx=places[-1], cy=y, r=radius, class_=style))
    gap = [tag("line", x1=places[0], x2=places[1], y1=y, y2=y, class_="gap")] if len(places) == 2 else []
    return tag("g", tag("title", lane.title), *bands, *gap, *dots, class_=lane.colour)


def _line(points: Points, xs: Ends, ys: Ends) -> str:
    places = [f"{_along(x, xs)} {FIELD - _along(y, ys)}" for x, y in points]
    return f"M{'L'.join(places)}" if len(places) > 1 else f"M{places[0]}h.1"


def _along(value: float, ends: Ends) -> int:
    low, high = ends
    share = (value - low) / (high - low) if high > low else 0.5
    return round(MARGIN + (FIELD - 2 * MARGIN) * min(max(share, 0.0), 1.0))


def _field(children: Sequence[Markup], height: int) -> Markup:
    box = {"viewBox": f"0 0 {FIELD} {FIELD}", "preserveAspectRatio": "none"}
    return tag("svg", *children, x=0, y=TOP, width="100%", height=height, **box)


def _inside(share: float) -> str:
    return across(SIDE + (1 - 2 * SIDE) * min(max(share, 0.0), 1.0) if isfinite(share) else SIDE)
