"""Charts, parsed back as XML and measured: a bar that lies is worse than no bar."""

import xml.etree.ElementTree as ET

import pytest
from seen import number, parts

from longway.records import Leak
from longway.report.charts import (
    Bar,
    Distribution,
    bar_chart,
    change_bar,
    drawable,
    histogram,
    leak_chart,
    share_bar,
    tag,
)

WORDS = {"key": "k", "title": "a title", "desc": "a description"}


def claim_leak(accuracy=0.673, low=0.661, high=0.684):
    return Leak("text", ("claim",), accuracy, low, high, 0.5, "5-fold cross-validation", 6660)


def test_bars_are_as_long_as_their_values():
    bars = [Bar("not", 80.0, "80", "l0"), Bar("only", 20.0, "20", "l0"), Bar("never", 0.0, "0", "l0")]
    widths = [number(bar, "width") for bar in parts(bar_chart(bars, full=80.0, **WORDS), "rect", "bar")]
    assert widths == [100.0, 25.0, 0.0]


def test_a_bar_stays_inside_the_chart_whatever_its_value():
    bars = [Bar(str(value), value, "", "l0") for value in (float("nan"), float("inf"), -1.0, 7.0)]
    widths = [number(bar, "width") for bar in parts(bar_chart(bars, full=1.0, **WORDS), "rect", "bar")]
    assert widths == [0.0, 0.0, 0.0, 100.0]


def test_leak_bar_whisker_and_chance_stand_at_their_shares():
    svg = leak_chart([claim_leak()], majority=0.5, **WORDS)
    assert number(parts(svg, "rect", "bar")[0], "width") == pytest.approx(67.3)
    whisker = parts(svg, "line", "whisker")[0]
    assert [number(whisker, end) for end in ("x1", "x2")] == pytest.approx([66.1, 68.4])
    assert number(parts(svg, "line", "majority")[0], "x1") == pytest.approx(50)


def test_each_part_of_the_input_has_its_bar_in_order():
    svg = leak_chart([claim_leak(share, share, share) for share in (0.6, 0.5, 0.9)], majority=0.5, **WORDS)
    bars = parts(svg, "rect", "bar")
    assert [number(bar, "width") for bar in bars] == [60, 50, 90]
    assert [number(bar, "y") for bar in bars] == sorted(number(bar, "y") for bar in bars)


def test_histogram_rows_are_shares_of_their_own_label_on_one_scale():
    rows = [Distribution("a", [10, 30], "l0"), Distribution("b", [1, 1], "l1")]
    bins = parts(histogram(rows, [0, 1, 2], form=str, **WORDS), "rect", "bin")
    heights = [number(bar, "height") for bar in bins]
    assert [height / heights[1] for height in heights] == pytest.approx([1 / 3, 1, 2 / 3, 2 / 3], abs=1e-3)


def test_histogram_bins_stand_where_their_edges_are_and_wide_bins_are_lower():
    bins = parts(histogram([Distribution("a", [5, 5], "l0")], [0, 1, 4], form=str, **WORDS), "rect", "bin")
    assert [(number(bar, "x"), number(bar, "width")) for bar in bins] == [(0, 25), (25, 75)]
    areas = [number(bar, "width") * number(bar, "height") for bar in bins]
    assert areas[0] == pytest.approx(areas[1], rel=1e-3)


def test_histogram_bars_stand_on_the_axis_of_their_row():
    rows = [Distribution("a", [1, 2], "l0", mean=0.5), Distribution("b", [3, 1], "l1")]
    svg = histogram(rows, [0, 1, 2], form=str, **WORDS)
    feet = [number(bar, "y") + number(bar, "height") for bar in parts(svg, "rect", "bin")]
    axes = [number(line, "y1") for line in parts(svg, "line", "axis")]
    assert feet == pytest.approx([axes[0], axes[0], axes[1], axes[1]], abs=0.02)
    assert [number(line, "x1") for line in parts(svg, "line", "mean")] == [25]


def test_many_bins_are_merged_and_none_is_lost():
    svg = histogram([Distribution("a", [1] * 1000, "l0")], range(1001), form=str, **WORDS)
    bins = parts(svg, "rect", "bin")
    assert len(bins) <= 60
    assert sum(number(bar, "width") for bar in bins) == pytest.approx(100, abs=0.1)


@pytest.mark.parametrize("edges", [[], [1], [0, 0, 1], [2, 1, 0], [0, float("nan"), 1], [0, 1, 2, 3]])
def test_a_histogram_without_sound_edges_is_not_drawn(edges):
    assert not drawable(edges, [[1, 2]])


def test_share_bar_shows_share_and_usual_share():
    svg = share_bar(0.92, 0.5, colour="l0")
    assert number(parts(svg, "rect", "bar")[0], "width") == pytest.approx(92)
    assert number(parts(svg, "line", "tick")[0], "x1") == pytest.approx(50)


def test_a_chart_has_a_title_and_a_description_for_those_who_do_not_see_it():
    root = ET.fromstring(str(bar_chart([], full=1.0, **WORDS)))
    assert root.get("role") == "img"
    words = {part.get("id"): part.text for part in root}
    assert [words[id_] for id_ in root.get("aria-labelledby").split()] == ["a title", "a description"]


def test_tag_escapes_text_and_attributes():
    made = tag("text", "</text><script>", class_='"><script>')
    assert str(made) == '<text class="&#34;&gt;&lt;script&gt;">&lt;/text&gt;&lt;script&gt;</text>'


def test_a_bar_in_a_cell_has_a_tick_at_the_usual_share():
    svg = change_bar(0.9, 0.6, full=1.0, usual=0.5)
    assert number(parts(svg, "rect", "before")[0], "width") == 90
    assert number(parts(svg, "rect", "now")[0], "width") == 60
    assert number(parts(svg, "line", "tick")[0], "x1") == 50


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 9.0])
def test_a_bar_of_before_and_now_stays_inside_whatever_its_value(value):
    for full in (0.0, 1.0):
        width = number(parts(change_bar(value, value, full=full), "rect", "now")[0], "width")
        assert 0 <= width <= 100
