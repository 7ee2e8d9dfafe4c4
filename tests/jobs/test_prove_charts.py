"""Charts of a proof, parsed back as XML and measured."""

import re
import xml.etree.ElementTree as ET

import pytest

from longway.jobs.prove.charts import (
    MARGIN,
    SIDE,
    Cloud,
    CountRow,
    Curve,
    GapRow,
    Lane,
    count_chart,
    curve_chart,
    gap_chart,
    scatter,
    span,
    thinned,
)
from longway.jobs.prove.result import GroupSide

WORDS = {"key": "k", "title": "a title", "desc": "a description"}


def parts(svg, name, class_):
    return [part for part in ET.fromstring(str(svg)).iter(name) if class_ in part.get("class", "").split()]


def number(part, attribute):
    return float(part.get(attribute).rstrip("%"))


def places(path):
    return [tuple(map(int, pair)) for pair in re.findall(r"[ML](\d+) (\d+)", path.get("d"))]


def lane(supporting, counter, colour="v0"):
    dots = [value if value is None else GroupSide(9, value, value, value) for value in (supporting, counter)]
    return Lane(colour, *dots, "told")


def test_the_line_of_a_gap_runs_from_dot_to_dot():
    svg = gap_chart([GapRow("not", "75 → 10", [lane(0.95, 0.2), lane(0.6, 0.5, "v1")])], **WORDS)
    with_, against = parts(svg, "circle", "with"), parts(svg, "circle", "against")
    gaps = [(number(line, "x1"), number(line, "x2")) for line in parts(svg, "line", "gap")]
    assert gaps == [(number(a, "cx"), number(b, "cx")) for a, b in zip(with_, against, strict=True)]
    assert number(with_[0], "cx") == pytest.approx(100 * (SIDE + (1 - 2 * SIDE) * 0.95))
    assert number(with_[0], "cy") < number(with_[1], "cy")  # the first version above the second


def test_a_side_without_examples_has_no_dot_and_no_line():
    svg = gap_chart([GapRow("award", "–", [lane(0.8, None)])], **WORDS)
    assert len(parts(svg, "circle", "with")) == 1
    assert parts(svg, "circle", "against") == parts(svg, "line", "gap") == []


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 9.0])
def test_dots_and_bars_stay_inside_whatever_their_value(value):
    svg = gap_chart([GapRow("x", "", [lane(value, value)])], **WORDS)
    assert all(0 < number(dot, "cx") < 100 for dot in parts(svg, "circle", "with"))
    for full in (0.0, 1.0):
        bars = parts(count_chart([CountRow("x", "", "", [("v0", value)])], full=full, **WORDS), "rect", "bar")
        assert 0 <= number(bars[0], "width") <= 100


def test_bars_are_as_long_as_their_counts():
    svg = count_chart([CountRow("not", "80 → 20", "80, 20", [("v0", 80), ("v1", 20)])], full=80, **WORDS)
    assert [number(bar, "width") for bar in parts(svg, "rect", "bar")] == [100, 25]


def test_curves_share_one_scale():
    curves = [Curve("v0", [(1, 0.5), (2, 0.7)]), Curve("v1", [(1, 0.6), (3, 0.9)])]
    svg = curve_chart(curves, **WORDS)
    first, second = (places(path) for path in parts(svg, "path", "line"))
    assert first[0] == (MARGIN, 1000 - MARGIN)  # the lowest value, at the first epoch
    assert second[1] == (1000 - MARGIN, MARGIN)
    assert first[1] == (500, 500)
    assert {"50.0%", "90.0%", "epoch 1", "epoch 3"} <= {
        text.text for text in ET.fromstring(str(svg)).iter("text")
    }


def test_one_epoch_is_a_dot():
    (path,) = parts(curve_chart([Curve("v0", [(1, 0.5)])], **WORDS), "path", "line")
    assert path.get("d") == "M500 500h.1"


def test_points_lie_where_they_are_on_the_shared_scale():
    cloud = Cloud("l0", "round", [(0, 0), (1, 1), (0.5, 0.5)])
    (path,) = parts(scatter([cloud], xs=(0, 1), ys=(0, 1), axes=("x", "y"), **WORDS), "path", "points")
    assert places(path) == [(MARGIN, 1000 - MARGIN), (1000 - MARGIN, MARGIN), (500, 500)]


def test_a_ring_has_a_hole():
    svg = scatter([Cloud("l1", "ring", [(0, 0)])], xs=(0, 0), ys=(0, 0), axes=("x", "y"), **WORDS)
    assert len(parts(svg, "path", "ring")) == 2
    assert len(parts(svg, "path", "hole")) == 1


def test_span_leaves_out_what_is_no_number():
    assert span([1.0, float("nan"), 3.0]) == (1.0, 3.0)
    assert span([]) == (0.0, 0.0)


def test_thinning_keeps_both_ends():
    kept = thinned(list(range(1000)), 40)
    assert (kept[0], kept[-1], len(kept)) == (0, 999, 40)
    assert thinned([1, 2], 40) == [1, 2]
