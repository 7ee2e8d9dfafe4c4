"""Charts of a proof: what stands against what, how training went, where the points lie.

    gap_chart      a row per pattern, a lane per version: full dot supporting examples, ring counter-examples
    count_chart    a row per word, a bar per version
    curve_chart    a figure over the epochs, a line per version and seed
    scatter        points on two axes, a colour and a shape per group

As in `charts`, a chart stretches with its box while letters keep their size. Lines and points lie in an inner
drawing of 1000 by 1000 that is stretched without its strokes: a thousand points are a few kilobytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

from markupsafe import Markup

from longway.show.charts import NAME_COLUMNS, across, drawing, tag, words_at
from longway.show.excerpts import PATTERN_LIMIT, cut, cut_to_width

SIDE = 0.02  # of the width, so that dots at 0 and 100% are whole
HEAD, LANE, AIR = 22, 16, 10  # of a row of a gap chart: the words, a version, the space below
COUNT_BAR = 8
FIELD = 1000  # of the inner drawing
MARGIN = 25  # of the inner drawing, so that points at its edge are whole
CURVE_HEIGHT, SCATTER_HEIGHT = 110, 220
MAX_POINTS = 300  # in one scatter
MAX_EPOCHS = 40
SHAPES = ("round", "ring", "square", "frame")

Span = tuple[float, float]
Point = TypeVar("Point")


@dataclass(frozen=True, slots=True)
class Dot:
    """A share with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Lane:
    """One version in a row of a gap chart; None: no such example. told: the same in words."""

    colour: str
    supporting: Dot | None
    counter: Dot | None
    told: str


@dataclass(frozen=True, slots=True)
class GapRow:
    """A pattern with its lanes; shown: the gaps, in words."""

    name: str
    shown: str
    lanes: list[Lane]


@dataclass(frozen=True, slots=True)
class CountRow:
    """A word with its counts, each with the colour of its version; told: all of them in words, shown: the first two."""

    name: str
    shown: str
    told: str
    counts: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure over the epochs (epoch, value), in the colour of its version."""

    colour: str
    points: list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Cloud:
    """Points of one group; shape: one of SHAPES."""

    colour: str
    shape: str
    points: list[tuple[float, float]]


def gap_chart(rows: Sequence[GapRow], *, key: str, title: str, desc: str) -> Markup:
    """Two dots a lane, joined by a line: the longer it is, the more the model leans on the pattern."""
    n_lanes = max((len(row.lanes) for row in rows), default=0)
    step = HEAD + n_lanes * LANE + AIR
    bottom = len(rows) * step
    grid = [
        tag("line", x1=_side(at / 4), x2=_side(at / 4), y1=0, y2=bottom, class_="axis") for at in range(5)
    ]
    ticks = [
        words_at(f"{25 * at}%", at=SIDE + (1 - 2 * SIDE) * at / 4, y=bottom + 14, class_="quiet")
        for at in range(5)
    ]
    drawn = [_gap_row(row, at * step) for at, row in enumerate(rows)]
    return drawing(*grid, *drawn, *ticks, key=key, title=title, desc=desc, height=bottom + 20)


def count_chart(rows: Sequence[CountRow], *, key: str, title: str, desc: str, full: float) -> Markup:
    """One bar a version under each word, as long as its count is of `full`."""
    n_bars = max((len(row.counts) for row in rows), default=0)
    step = HEAD + n_bars * (COUNT_BAR + 2) + AIR
    drawn = [_count_row(row, at * step, full) for at, row in enumerate(rows)]
    return drawing(*drawn, key=key, title=title, desc=desc, height=len(rows) * step)


def curve_chart(
    curves: Sequence[Curve], *, key: str, title: str, desc: str, form: Callable[[float], str]
) -> Markup:
    """Lines over the epochs on a scale from the lowest to the highest value, as written there.

    curves: each with at least one point, epochs rising, all finite.
    """
    xs = span(x for curve in curves for x, _ in curve.points)
    ys = span(y for curve in curves for _, y in curve.points)
    top = 20
    inside = [
        tag("g", tag("path", d=_line(thinned(curve.points, MAX_EPOCHS), xs, ys), class_="line"), class_=curve.colour)
        for curve in curves
    ]  # fmt: skip
    words = [words_at(form(ys[1]), at=0, y=top - 6, class_="quiet")]
    if ys[1] > ys[0]:
        words.append(words_at(form(ys[0]), at=1, y=top + CURVE_HEIGHT - 6, class_="quiet"))
    ends = [words_at(f"epoch {xs[0]:.0f}", at=0, y=top + CURVE_HEIGHT + 16, class_="quiet")]
    if xs[1] > xs[0]:
        ends.append(words_at(f"epoch {xs[1]:.0f}", at=1, y=top + CURVE_HEIGHT + 16, class_="quiet"))
    frame = [_rule(top), _rule(top + CURVE_HEIGHT)]
    field = _field(*inside, y=top, height=CURVE_HEIGHT)
    return drawing(
        *frame, field, *words, *ends, key=key, title=title, desc=desc, height=top + CURVE_HEIGHT + 22
    )


def scatter(
    clouds: Sequence[Cloud], *, xs: Span, ys: Span, key: str, title: str, desc: str, axes: tuple[str, str]
) -> Markup:
    """Points on two axes; axes: what they are called, across and up."""
    top = 20
    inside = [_cloud(cloud, xs, ys) for cloud in clouds]
    words = [
        words_at(f"↑ {axes[1]}", at=0, y=top - 6, class_="quiet"),
        words_at(f"{axes[0]} →", at=1, y=top + SCATTER_HEIGHT + 16, class_="quiet"),
    ]
    box = tag("rect", x=0, y=top, width="100%", height=SCATTER_HEIGHT, rx=4, class_="box")
    field = _field(*inside, y=top, height=SCATTER_HEIGHT)
    return drawing(box, field, *words, key=key, title=title, desc=desc, height=top + SCATTER_HEIGHT + 22)


def span(values: Iterable[float]) -> Span:
    """The lowest and the highest of the values; (0, 0) for none."""
    known = [value for value in values if isfinite(value)]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _gap_row(row: GapRow, y: int) -> Markup:
    return tag(
        "g",
        tag("title", cut(row.name, PATTERN_LIMIT)),
        words_at(cut_to_width(row.name, NAME_COLUMNS - 6), at=0, y=y + 14, class_="name"),
        words_at(row.shown, at=1, y=y + 14, class_="figure"),
        *(_lane(lane, y + HEAD + at * LANE + LANE // 2) for at, lane in enumerate(row.lanes)),
    )


def _lane(lane: Lane, y: int) -> Markup:
    dots = [dot for dot in (lane.supporting, lane.counter) if dot]
    bands = [
        tag("line", x1=_side(dot.low), x2=_side(dot.high), y1=y, y2=y, class_="band")
        for dot in dots
        if isfinite(dot.low) and isfinite(dot.high)
    ]
    joined = []
    if lane.supporting and lane.counter:
        ends = {"x1": _side(lane.supporting.value), "x2": _side(lane.counter.value)}
        joined = [tag("line", **ends, y1=y, y2=y, class_="gap")]
    marks = []
    if lane.supporting:
        marks.append(tag("circle", cx=_side(lane.supporting.value), cy=y, r=5, class_="with"))
    if lane.counter:
        marks.append(tag("circle", cx=_side(lane.counter.value), cy=y, r=4.25, class_="against"))
    return tag("g", tag("title", lane.told), *bands, *joined, *marks, class_=lane.colour)


def _count_row(row: CountRow, y: int, full: float) -> Markup:
    bars = []
    for at, (colour, value) in enumerate(row.counts):
        top = y + HEAD + at * (COUNT_BAR + 2)
        wide = across(value / full if full > 0 and isfinite(value) else 0.0)
        bars.append(tag("rect", x=0, y=top, width="100%", height=COUNT_BAR, rx=2, class_="track"))
        bars.append(tag("rect", x=0, y=top, width=wide, height=COUNT_BAR, rx=2, class_=f"bar {colour}"))
    return tag(
        "g",
        tag("title", f"{cut(row.name, PATTERN_LIMIT)}: {row.told}"),
        words_at(cut_to_width(row.name, NAME_COLUMNS - 16), at=0, y=y + 14, class_="name"),
        words_at(row.shown, at=1, y=y + 14, class_="figure"),
        *bars,
    )


def _cloud(cloud: Cloud, xs: Span, ys: Span) -> Markup:
    d = "".join(f"M{_along(x, xs)} {FIELD - _along(y, ys)}h.1" for x, y in thinned(cloud.points, MAX_POINTS))
    paths = [tag("path", d=d, class_=f"points {cloud.shape}")]
    if cloud.shape in ("ring", "frame"):
        paths.append(tag("path", d=d, class_=f"points {cloud.shape} hole"))
    return tag("g", *paths, class_=cloud.colour)


def _line(points: Sequence[tuple[float, float]], xs: Span, ys: Span) -> str:
    places = [f"{_along(x, xs)} {FIELD - _along(y, ys)}" for x, y in points]
    return f"M{'L'.join(places)}" if len(places) > 1 else f"M{places[0]}h.1"


def _along(value: float, ends: Span) -> int:
    low, high = ends
    share = (value - low) / (high - low) if high > low else 0.5
    return round(MARGIN + (FIELD - 2 * MARGIN) * min(max(share, 0.0), 1.0))


def _field(*children: Markup, y: int, height: int) -> Markup:
    box = {"viewBox": f"0 0 {FIELD} {FIELD}", "preserveAspectRatio": "none"}
    return tag("svg", *children, x=0, y=y, width="100%", height=height, **box)


def _rule(y: int) -> Markup:
    return tag("line", x1=0, x2="100%", y1=y, y2=y, class_="axis")


def _side(share: float) -> str:
    return across(SIDE + (1 - 2 * SIDE) * min(max(share, 0.0), 1.0) if isfinite(share) else SIDE)


def thinned(points: Sequence[Point], most: int) -> Sequence[Point]:
    """At most `most` of the points, evenly taken, with the first and the last."""
    last = len(points) - 1
    return points if last < most else [points[at * last // (most - 1)] for at in range(most)]
