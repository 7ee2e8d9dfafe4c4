"""Charts of before and now, parsed back as XML and measured."""

import xml.etree.ElementTree as ET

import pytest
from seen import number, parts

from longway.report.change_charts import (
    BOTTOM,
    MAX_DOTS,
    TOP,
    Goal,
    change_bar,
    line_chart,
    thinned,
)
from longway.report.numbers import percent

WORDS = {"key": "k", "title": "a title", "desc": "a description"}


def words(svg):
    return [part.text for part in ET.fromstring(str(svg)).iter("text")]


def lines(points, **options):
    return line_chart(points, form=percent, **WORDS, **options)


def test_the_curve_runs_through_its_values():
    svg = lines([(0, 0.7), (1, 0.5), (2, 0.6)])
    heights = [number(dot, "cy") for dot in parts(svg, "circle", "knot")]
    assert heights == pytest.approx([TOP, BOTTOM, (TOP + BOTTOM) / 2])
    curve = [(number(line, "y1"), number(line, "y2")) for line in parts(svg, "line", "curve")]
    assert curve == [(heights[0], heights[1]), (heights[1], heights[2])]


def test_rounds_stand_where_their_numbers_are():
    svg = lines([(0, 0.7), (1, 0.65), (4, 0.5)])
    places = [number(dot, "cx") for dot in parts(svg, "circle", "knot")]
    assert (places[1] - places[0]) / (places[2] - places[0]) == pytest.approx(0.25)


def test_the_scale_reaches_down_to_the_goal_and_says_so():
    svg = lines([(0, 0.7), (1, 0.6)], goal=Goal(0.5, "chance 50.0%"))
    assert number(parts(svg, "line", "majority")[0], "y1") == BOTTOM
    assert number(parts(svg, "circle", "knot")[1], "cy") == pytest.approx((TOP + BOTTOM) / 2)
    assert words(svg) == ["chance 50.0%", "70.0%", "as it came", "round 1"]


def test_the_goal_stays_where_it_is_when_the_figure_falls_below_it():
    svg = lines([(0, 0.7), (1, 0.3)], goal=Goal(0.5, "chance"))
    assert number(parts(svg, "line", "majority")[0], "y1") == pytest.approx((TOP + BOTTOM) / 2)
    assert number(parts(svg, "circle", "knot")[1], "cy") == BOTTOM


def test_the_ends_of_the_scale_are_written_beside_it():
    assert words(lines([(0, 0.412), (3, 0.511)])) == ["41.2%", "51.1%", "as it came", "round 3"]


@pytest.mark.parametrize("points", [[(0, 0.5)], [(2, 0.5), (3, 0.5)]])
def test_a_figure_that_does_not_move_is_a_flat_line(points):
    heights = {number(dot, "cy") for dot in parts(lines(points), "circle", "knot")}
    assert heights == {(TOP + BOTTOM) / 2}


def test_many_rounds_are_thinned_with_both_ends_kept():
    points = [(at, at / 7) for at in range(5001)]
    kept = thinned(points)
    assert (kept[0], kept[-1], len(kept)) == (points[0], points[-1], 200)
    assert len(parts(lines(points), "line", "curve")) == 199
    assert len(parts(lines(points), "circle", "knot")) == 2
    assert len(parts(lines(points[:MAX_DOTS]), "circle", "knot")) == MAX_DOTS


def test_a_bar_in_a_cell_has_a_tick_at_the_usual_share():
    svg = change_bar(0.9, 0.6, full=1.0, usual=0.5)
    assert number(parts(svg, "rect", "before")[0], "width") == 90
    assert number(parts(svg, "rect", "now")[0], "width") == 60
    assert number(parts(svg, "line", "tick")[0], "x1") == 50


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 9.0])
def test_a_bar_stays_inside_whatever_its_value(value):
    for full in (0.0, 1.0):
        width = number(parts(change_bar(value, value, full=full), "rect", "now")[0], "width")
        assert 0 <= width <= 100
