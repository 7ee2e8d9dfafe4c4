"""The people that texts speak of, on the page of an audit."""

import re

import pytest
from seen import Elements, number, parts

from conftest import render_report
from longway.jobs.audit.page import leaning
from longway.report.charts import split_bar


def test_the_page_tells_who_is_spoken_of_by_which_words_and_with_which_label(findings):
    text = Elements(render_report(findings)).text
    assert "Gender in claim" in text
    assert "a woman she, her 400 460 <0.001 REFUTES 65.0% base rate 50.0%" in text
    assert "Race in evidence" in text


def test_what_is_tied_to_a_label_is_bold_and_nothing_else(findings):
    section = re.search(r'<section id="people">.*?</section>', render_report(findings), re.DOTALL)[0]
    assert re.findall(r"<b>(.*?)</b>", section) == ["&lt;0.001", "65.0%"]


def test_what_was_not_tested_is_named_and_has_no_bar(findings):
    page = render_report(findings)
    assert "Too few or too many texts to test: a child (4 texts)." in Elements(page).text
    section = re.search(r'<section id="people">.*?</section>', page, re.DOTALL)[0]
    assert re.findall(r'class="pattern">(.*?)<', section) == ["a man", "a woman", "a Black person"]


def test_data_that_speak_of_nobody_have_no_section(findings):
    page = render_report(findings | {"people": []})
    assert "people" not in [attributes.get("id") for attributes in Elements(page).named("section")]


def test_a_text_leans_to_the_label_that_is_there_more_than_usual():
    totals = {"common": 900, "rare": 90, "rarest": 10}
    assert leaning({"common": 50, "rare": 50, "rarest": 0}, totals) == ("rare", 0.5, 0.09)
    assert leaning({"common": 98, "rare": 0, "rarest": 2}, totals)[0] == "common"


def test_the_parts_of_a_split_bar_stand_end_to_end_with_ticks_at_the_usual_shares():
    svg = split_bar([0.2, 0.5, 0.3], [0.1, 0.6, 0.3], colours=["l0", "l1", "l2"])
    bars = parts(svg, "rect", "bar")
    assert [number(bar, "x") for bar in bars] == pytest.approx([0, 20, 70])
    assert [number(bar, "width") for bar in bars] == pytest.approx([20, 50, 30])
    assert [number(tick, "x1") for tick in parts(svg, "line", "tick")] == pytest.approx([10, 70])


def test_labels_without_a_colour_share_one_part(findings):
    names = [f"label {at}" for at in range(12)]
    findings["dataset"]["labels"] = dict.fromkeys(names, 100)
    for row in findings["people"]:
        row["texts"] = dict.fromkeys(names, 5)
    section = re.search(r'<section id="people">.*?</section>', render_report(findings), re.DOTALL)[0]
    bars = parts(re.search(r"<svg.*?</svg>", section, re.DOTALL)[0], "rect", "bar")
    assert len(bars) == 9
    assert number(bars[-1], "width") == pytest.approx(100 * 4 / 12, abs=0.01)
    assert "4 smaller labels" in Elements(render_report(findings)).text
