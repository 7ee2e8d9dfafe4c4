"""The page as a file: complete, self-contained, small, and deaf to whatever a dataset says."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from seen import Elements

from conftest import render_report
from longway.records import Problem
from longway.report.html import inline
from longway.report.labels import problem_bullet


def test_the_page_says_what_was_found(findings):
    text = Elements(render_report(findings)).text
    assert "From the claim alone a simple model gets 67% right; chance is 50%. Strongest: " in text
    assert "333 of 5,844 patterns are correlated with a label" in text
    assert "also: is not, does not, not a, did not, was not, are not and 2 more" in text
    assert "Rows 17, 802, 1553, 4090" in text
    assert "it does not certify" in text
    assert "sha256:9f2c41d7" in text


@pytest.mark.parametrize(("rows", "words"), [((17,), "Row 17"), ((17, 802), "Rows 17, 802")])
def test_a_problem_names_its_rows(rows, words):
    bullet = problem_bullet(Problem("empty", "rows with nothing", len(rows), "Look.", rows))
    assert words in [block.words for block in bullet.below]


ORDER = {
    "audit": "leak findings people gamma data problems reading",
    "augment": "words labels leak findings worse sample refused unwritten models checks cost reading",
    "perturb": "balance pairs sample checks refused left cost reading",
    "prove": "concerns scores methods worse groups leak data reading",
    "rewrite": "leak findings worse sample refused unwritten strongest rounds checks cost reading",
}


@pytest.mark.parametrize("name", ORDER)
def test_the_sections_come_in_reading_order(name, made):
    ids = [attributes.get("id") for attributes in Elements(made(name)).named("section")]
    assert ids == ORDER[name].split()


def test_the_pattern_is_marked_in_its_example(findings):
    assert 'Varnholm is <mark class="m3">not</mark> open' in render_report(findings)


def test_telling_words_are_marked_by_their_weight(findings):
    page = render_report(findings)
    assert '<mark class="m5">incapable</mark>' in page
    assert '<mark class="m1">heat</mark>' in page


def test_a_label_keeps_its_colour(findings):
    page = render_report(findings)
    colours = re.findall(r'<span class="label (\w+)"><span class="dot"></span><bdi>(\w+)</bdi>', page)
    assert set(colours) == {("l0", "REFUTES"), ("l1", "SUPPORTS")}


def test_the_page_has_no_script_no_handler_and_no_style_attribute(page):
    for name, attributes in Elements(page).elements:
        assert name not in {"script", "iframe", "object", "embed", "link", "base", "form", "img"}
        assert not [key for key in attributes if key.startswith("on") or key == "style"]


def test_the_page_asks_for_nothing_from_anywhere(page):
    for _, attributes in Elements(page).elements:
        assert not {"src", "href", "xlink:href", "srcset", "action", "background"} & set(attributes)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL).group(1)
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_allows_this_style_sheet_only(page):
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL).group(1)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = next(a["content"] for a in Elements(page).named("meta") if a.get("http-equiv"))
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert page.count("<style") == 1


def test_no_control_or_bidi_character_reaches_the_page(page):
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page
    )


def test_a_template_in_the_data_stays_text(hostile_page):
    assert "{{7*7}}{% include" in hostile_page


def test_the_page_stays_small_whatever_the_dataset(hostile_page):
    assert len(hostile_page.encode()) < 2_000_000


def test_what_is_left_out_is_counted(hostile_page):
    text = Elements(hostile_page).text
    assert "32 smaller labels have" in text
    assert "Show 80 more groups" in text
    assert "200 more groups are in findings.json" in text
    assert "6 more texts are in findings.json" in text
    assert "450 more kinds of problem" in text


def test_ids_are_unique(page):
    ids = [attributes["id"] for _, attributes in Elements(page).elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_a_clean_dataset_without_optional_parts_has_a_page(findings):
    for part in ("context", "both", "held_out"):
        del findings["leak"][part]
    findings["leak"]["text"] |= {"accuracy": 0.5, "low": 0.49, "high": 0.51}
    findings |= {"findings": [], "problems": [], "significant": {}, "listed": 0, "shortcut_space": None}  # fmt: skip
    text = Elements(render_report(findings)).text
    assert "No surface pattern predicts the label beyond chance (50%)." in text
    assert "No surface pattern predicts the label beyond chance" in text


def test_variants_stand_below_the_finding_that_leads_them(findings):
    alpha, beta = (
        row | {"pattern": name} for row, name in zip(findings["findings"], ["alpha", "beta"], strict=False)
    )
    text = Elements(render_report(findings | {"findings": [alpha | {"variants": [beta]}]})).text
    assert text.count("also: beta") == 1
    assert text.index("alpha") < text.index("also: beta")


def test_each_held_out_file_has_its_leak_chart(findings):
    assert "symmetric.jsonl, 717 rows" in Elements(render_report(findings)).text


def test_a_label_without_gamma_has_no_mean(findings):
    findings["shortcut_space"]["mean_gamma"]["REFUTES"] = None
    text = Elements(render_report(findings)).text
    assert "mean 0.814" in text
    assert "mean 0.863" not in text


def test_text_that_no_one_cleaned_is_cleaned_by_the_renderer():
    assert inline("\u202e<b>\x00") == "\ufffd&lt;b&gt;\ufffd"
