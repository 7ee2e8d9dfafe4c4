"""The chart of a proof: a row per pattern, a lane per version, a full dot for supporting examples, a ring for counter-examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from markupsafe import Markup

from longway.jobs.prove.result import GroupSide
from longway.report.charts import NAME_COLUMNS, across, drawing, tag, words_at
from longway.report.excerpts import PATTERN_LIMIT, cut, cut_to_width

SIDE = 0.02  # of the width, so that dots at 0 and 100% are whole
HEAD, LANE, AIR = 22, 16, 10  # of a row of a gap chart: the words, a version, the space below


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


def _row(name: str, shown: str, title: str, y: int, parts: Sequence[Markup]) -> Markup:
    return tag(
        "g",
        tag("title", title),
        words_at(cut_to_width(name, NAME_COLUMNS - 6), at=0, y=y + 14, class_="name"),
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


def _inside(share: float) -> str:
    return across(SIDE + (1 - 2 * SIDE) * min(max(share, 0.0), 1.0) if isfinite(share) else SIDE)
