"""A map as static SVG: points of several labels, and ellipses with numbers around some of them.

Labels differ in colour and in shape, so that the map can be read without colours. All points of a label are one path, which keeps the file small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from longway.show.charts import tag

WIDTH, HEIGHT = 1000, 640
SHAPES = (
    "m-5,0a5,5 0 1 0 10,0a5,5 0 1 0 -10,0",  # circle
    "m0,-6l6,11h-12z",  # triangle
    "m-4,-4h8v8h-8z",  # square
    "m0,-6l6,6l-6,6l-6,-6z",  # diamond
    "m0,6l6,-11h-12z",  # triangle, point down
    "m-6,-2h12v4h-12z",  # bar
    "m-2,-6h4v12h-4z",  # bar, upright
    "m-6,2h4v4h4v-4h4v-4h-4v-4h-4v4h-4z",  # plus
)
OTHER = len(SHAPES) - 1


@dataclass(frozen=True, slots=True)
class MapLayer:
    """The points of one label."""

    name: str
    colour: str
    points: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Outline:
    """A numbered ellipse. link: a relative address that a click opens, made by us; is_chosen: drawn thicker."""

    number: int
    name: str
    colour: str
    x: int
    y: int
    wide: int
    high: int
    angle: int
    link: str = ""
    is_chosen: bool = False


def map_chart(
    layers: Sequence[MapLayer], outlines: Sequence[Outline], *, key: str, title: str, desc: str
) -> Markup:
    """The map. key: unique on the page."""
    words = [tag("title", title, id=f"{key}-title"), tag("desc", desc, id=f"{key}-desc")]
    points = [
        tag(
            "path",
            class_=f"dots {layer.colour}",
            d="".join(f"M{x},{y}{shape_of(at)}" for x, y in layer.points),
        )
        for at, layer in enumerate(layers)
        if layer.points
    ]
    drawn = [_outline(one) for one in outlines]
    numbers = [
        tag(
            "text",
            str(one.number),
            x=one.x,
            y=one.y,
            class_="name",
            text_anchor="middle",
            dominant_baseline="central",
        )
        for one in outlines
    ]
    return tag(
        "svg",
        *words,
        *points,
        *drawn,
        *numbers,
        role="img",
        class_="chart map",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width="100%",
        aria_labelledby=f"{key}-title {key}-desc",
    )


def legend(layers: Sequence[MapLayer]) -> Markup:
    """The shape, colour and name of each label."""
    items = [
        tag(
            "li",
            tag(
                "svg",
                tag("path", class_=f"dots {layer.colour}", d=f"M8,8{shape_of(at)}"),
                width=16,
                height=16,
                aria_hidden="true",
            ),
            tag("bdi", layer.name),
        )
        for at, layer in enumerate(layers)
    ]
    return tag("ul", *items, class_="map-legend")


def shape_of(number: int) -> str:
    """The shape of the points of a label, by its place among the labels."""
    return SHAPES[min(number, OTHER)]


def _outline(one: Outline) -> Markup:
    ring = tag(
        "ellipse",
        tag("title", f"{one.number}: {one.name}"),
        cx=one.x,
        cy=one.y,
        rx=max(one.wide, 8),
        ry=max(one.high, 8),
        transform=f"rotate({one.angle} {one.x} {one.y})",
        class_=f"ring {one.colour}{' chosen' if one.is_chosen else ''}",
    )
    return tag("a", ring, href=one.link) if one.link else ring
