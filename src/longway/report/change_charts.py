"""Charts of what a rewrite did: figures over the rounds, and bars of before and now.

    line_chart     one figure over the rounds, with a dashed line for the value it should reach
    change_bar     a pale bar for before and a narrow full one for now, in a table cell

As in `charts`, x is per cent of the width and y is pixels: lines are drawn piece by piece, since a path
cannot be measured in per cent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite

from markupsafe import Markup

from longway.report.charts import across, drawing, tag, words_at

TOP, BOTTOM = 24, 124  # of a line chart's plot, in pixels
SIDE = 0.02  # of its width, so that the first and the last dot are whole
MAX_POINTS = 200
MAX_DOTS = 40  # with more points the line goes without dots

Point = tuple[int, float]  # round, value


@dataclass(frozen=True, slots=True)
class Goal:
    """A value that the figure should reach, drawn as a dashed line."""

    value: float
    name: str


def line_chart(
    points: Sequence[Point],
    *,
    key: str,
    title: str,
    desc: str,
    form: Callable[[float], str],
    goal: Goal | None = None,
) -> Markup:
    """One figure over the rounds. The scale runs from the lowest to the highest value (and the goal), as written there.

    points: rounds rising, values finite, at least one. form: how a value is written.
    """
    points = thinned(points)
    values = [value for _, value in points] + ([goal.value] if goal else [])
    low, high = min(values), max(values)
    rounds = (points[0][0], points[-1][0])
    dots = [(_place(at, *rounds), _height(value, low, high)) for at, value in points]
    lines = [
        tag("line", x1=across(x1), y1=f"{y1:.2f}", x2=across(x2), y2=f"{y2:.2f}", class_="curve")
        for (x1, y1), (x2, y2) in pairwise(dots)
    ]
    circles = [
        tag("circle", tag("title", f"Round {at}: {form(value)}"), cx=across(x), cy=f"{y:.2f}", r=3.5, class_="knot")
        for (at, value), (x, y) in zip(points, dots, strict=True)
        if len(points) <= MAX_DOTS or at in rounds
    ]  # fmt: skip
    names = _names(rounds)
    scale = _scale(low, high, form, goal, falling=points[-1][1] <= points[0][1])
    return drawing(scale, *lines, *circles, names, key=key, title=title, desc=desc, height=BOTTOM + 24)


def change_bar(before: float, after: float, *, full: float, usual: float | None = None) -> Markup:
    """Both bars for a table cell, which says them in words; usual: a tick is drawn there."""
    bars = _bars(before, after, full, y=0)
    ticks = [] if usual is None else [_tick(usual / full if full > 0 else 0.0)]
    return tag("svg", *bars, *ticks, class_="share", width="100%", height=12, aria_hidden="true")


def thinned(points: Sequence[Point]) -> Sequence[Point]:
    """At most MAX_POINTS of the points, evenly taken, with the first and the last.

    >>> len(thinned([(at, 0.5) for at in range(100_000)]))
    200
    """
    if len(points) <= MAX_POINTS:
        return points
    last = len(points) - 1
    return [points[at * last // (MAX_POINTS - 1)] for at in range(MAX_POINTS)]


def _place(at: int, first: int, last: int) -> float:
    share = (at - first) / (last - first) if last > first else 0.0
    return SIDE + (1 - 2 * SIDE) * share


def _height(value: float, low: float, high: float) -> float:
    """Pixels from the top; a flat line runs through the middle."""
    share = (value - low) / (high - low) if high > low else 0.5
    return BOTTOM - (BOTTOM - TOP) * share


def _scale(
    low: float, high: float, form: Callable[[float], str], goal: Goal | None, *, falling: bool
) -> Markup:
    """Lines at the ends of the scale with their values, and the goal. The lower value stands where no curve is."""
    free = 0.0 if falling else 1.0
    parts = [
        tag("line", x1=0, x2="100%", y1=TOP, y2=TOP, class_="axis"),
        tag("line", x1=0, x2="100%", y1=BOTTOM, y2=BOTTOM, class_="axis"),
    ]
    if goal:
        y = _height(goal.value, low, high)
        parts.append(tag("line", x1=0, x2="100%", y1=f"{y:.2f}", y2=f"{y:.2f}", class_="majority"))
        parts.append(words_at(goal.name, at=free, y=round(y) - 6, class_="quiet"))
    elif high > low:
        parts.append(words_at(form(low), at=free, y=BOTTOM - 6, class_="quiet"))
    if not goal or high > goal.value:
        parts.append(words_at(form(high), at=0, y=TOP - 8, class_="quiet"))
    return tag("g", *parts)


def _names(rounds: tuple[int, int]) -> Markup:
    names = [
        words_at(
            "as it came" if rounds[0] == 0 else f"round {rounds[0]}", at=0, y=BOTTOM + 18, class_="quiet"
        )
    ]
    if rounds[1] > rounds[0]:
        names.append(words_at(f"round {rounds[1]}", at=1, y=BOTTOM + 18, class_="quiet"))
    return tag("g", *names)  # fmt: skip


def _bars(before: float, after: float, full: float, *, y: int) -> list[Markup]:
    def width(value: float) -> str:
        return across(value / full if full > 0 and isfinite(value) else 0.0)

    return [
        tag("rect", x=0, y=y, width="100%", height=12, rx=2, class_="track"),
        tag("rect", x=0, y=y, width=width(before), height=12, rx=2, class_="bar before"),
        tag("rect", x=0, y=y + 3, width=width(after), height=6, rx=1, class_="bar now"),
    ]


def _tick(share: float) -> Markup:
    return tag("line", x1=across(share), x2=across(share), y1=0, y2=12, class_="tick")
