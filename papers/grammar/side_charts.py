"""Charts that compare two sides of several things: rows with a pattern's label and with another one, and the accuracy on both.

    side_bars   one bar a line, in two parts: how many are on each side
    side_dots   two dots a line on one scale: a full one for the first side, a ring for the second

Lines come in groups below a name. As in `charts`, x is per cent of the width and y is pixels. Both charts of the same groups have the same
height, so they read as one figure if they are side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from longway.report.charts import AXIS, NAME_COLUMNS, across, drawing, tag, words_at
from longway.report.excerpts import PATTERN_LIMIT, cut, cut_to_width

NAME = 26  # pixels of a group's name, with the air above it
LINE = 20
BAR = 11
NOTE_COLUMNS = 16  # letters of a note that fit beside a name on a phone
START = 0.32  # of the width, for the names of lines


@dataclass(frozen=True, slots=True)
class SideLine:
    """A line of a group: its name, the value of each side (None if unknown), and the whole in words, where the mouse rests."""

    name: str
    first: float | None
    second: float | None
    shown: str


@dataclass(frozen=True, slots=True)
class SideGroup:
    """Lines below a name, in one colour. note: at the right end of the name's line."""

    name: str
    note: str
    colour: str
    lines: Sequence[SideLine]


def side_bars(groups: Sequence[SideGroup], *, key: str, title: str, desc: str, full: float) -> Markup:
    """A bar a line: the first side in colour, the second in a pale tone behind it. full: the value at the right end."""

    def bars(line: SideLine, y: float) -> list[Markup]:
        first, second = (value or 0.0 for value in (line.first, line.second))
        middle = _place(first / full if full else 0.0)
        end = _place((first + second) / full if full else 0.0)
        return [
            tag("rect", x=across(START), y=y - BAR, width=across(1 - START), height=BAR, class_="track"),
            tag("rect", x=across(middle), y=y - BAR, width=across(end - middle), height=BAR, class_="bar second"),
            tag("rect", x=across(START), y=y - BAR, width=across(middle - START), height=BAR, class_="bar"),
        ]  # fmt: skip

    ticks = [f"{round(full * part / 2):,}" for part in range(3)]
    return _drawn(groups, bars, ticks, key=key, title=title, desc=desc)


def side_dots(groups: Sequence[SideGroup], *, key: str, title: str, desc: str) -> Markup:
    """Two dots a line, on a scale from 0 to 100%, with a line between them."""

    def dots(line: SideLine, y: float) -> list[Markup]:
        middle = y - BAR / 2
        known = [_place(value) for value in (line.first, line.second) if value is not None]
        found = [tag("line", x1=across(START), x2="100%", y1=middle, y2=middle, class_="axis")]
        if len(known) == 2:
            ends = {"x1": across(known[0]), "x2": across(known[1])}
            found.append(tag("line", **ends, y1=middle, y2=middle, class_="between"))
        for value, style in ((line.second, "ring"), (line.first, "dot-full")):
            if value is not None:
                found.append(tag("circle", cx=across(_place(value)), cy=middle, r=5, class_=style))
        return found

    ticks = ["0%", "50%", "100%"]
    return _drawn(groups, dots, ticks, key=key, title=title, desc=desc)


def _place(share: float) -> float:
    """A share of the scale as a share of the width; dots stay whole at both ends."""
    return START + (0.985 - START) * min(max(share, 0.0), 1.0)


def _drawn(
    groups: Sequence[SideGroup],
    draw: Callable[[SideLine, float], list[Markup]],
    ticks: Sequence[str],
    *,
    key: str,
    title: str,
    desc: str,
) -> Markup:
    y, parts = 0, []
    for group in groups:
        name = words_at(cut_to_width(group.name, NAME_COLUMNS), at=0, y=y + NAME - 8, class_="name")
        note = words_at(cut_to_width(group.note, NOTE_COLUMNS), at=1, y=y + NAME - 8, class_="quiet")
        whole = tag("title", f"{cut(group.name, PATTERN_LIMIT)} {cut(group.note, PATTERN_LIMIT)}")
        parts.append(tag("g", whole, name, note))
        y += NAME
        for line in group.lines:
            words = words_at(line.name, at=0, y=y + BAR, class_="quiet")
            shown = tag("title", f"{line.name}: {line.shown}")
            parts.append(tag("g", shown, words, *draw(line, y + BAR + 1), class_=group.colour))
            y += LINE
    scale = [
        tag("text", name, x=across(_place(at / (len(ticks) - 1))), y=y + 16, text_anchor=anchor, class_="quiet")
        for at, (name, anchor) in enumerate(zip(ticks, ("start", "middle", "end"), strict=True))
    ]  # fmt: skip
    return drawing(*parts, *scale, key=key, title=title, desc=desc, height=y + AXIS)
