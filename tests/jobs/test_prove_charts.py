"""The chart of a proof, parsed back as XML and measured."""

import pytest

from longway.jobs.prove.charts import SIDE, GapRow, Lane, gap_chart
from longway.jobs.prove.result import GroupSide
from tests.report.seen import number, parts

WORDS = {"key": "k", "title": "a title", "desc": "a description"}


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
def test_dots_stay_inside_whatever_their_value(value):
    svg = gap_chart([GapRow("x", "", [lane(value, value)])], **WORDS)
    assert all(0 < number(dot, "cx") < 100 for dot in parts(svg, "circle", "with"))
