"""Decisions by rule and by pattern, and the summary for a pull request."""

import pytest

from longway.records import Edit, Pattern
from longway.review.app import ACTIONS
from longway.review.edit_list import EditFilter
from longway.review.index import changed_patterns, rules_of
from longway.review.pages.edit_pages import groups_page
from longway.review.pages.run_pages import summary
from longway.review.row_edits import merged_edit
from longway.review.run_contents import RunContents
from longway.review.sampling import draw_sample, tag
from longway.review.serve import serving
from tests.review.made_runs import an_edit, made_run

SADLY = {**Pattern("token", "text", ("sadly",)).to_dict(), "label": "neg"}
LONG = {**Pattern("length", "text", place="at least", bound=4).to_dict(), "label": "pos"}
KEPT = {"accepted": True}


@pytest.fixture
def contents(tmp_path):
    """Three edits by two rules; two of them take "sadly" out."""
    edits = [
        an_edit("0", "Sadly a dull film.", "A dull film.", **KEPT, how="take_out.adverb"),
        an_edit("1", "Sadly not good.", "It fails.", **KEPT, how="take_out.adverb + negation.fail_to"),
        an_edit("2", "A fine film.", "A fine picture.", **KEPT, how="synonym"),
        an_edit("2", "A fine film.", "A film.", how="synonym", reason="meaning: far"),
    ]
    rows = [{"text": edit["after"], "label": "pos", "longway_id": edit["id"]} for edit in edits[:3]]
    opened = RunContents(made_run(tmp_path / "run", edits, rows=rows, findings__json={"findings": [SADLY]}))
    yield opened
    opened.close()


def choices(contents):
    return [edit.choice for edit in contents.edits.all(EditFilter())]


def key_of_pattern(contents):
    return next(iter(contents.edits.facets()["pattern"]))


def test_an_edit_has_each_of_its_rules_or_its_method():
    def made(how):
        return Edit.from_dict(an_edit(how=how))

    assert rules_of(made("a.b + c")) == ["a.b", "c"]
    assert rules_of(made("")) == ["razor"]


def test_a_repaired_row_has_the_rules_of_the_steps_that_were_kept(tmp_path):
    steps = [
        an_edit("0", "a b c", "a b", accepted=True, how="take_out", round=1),
        an_edit("0", "a b", "b a", how="swap", round=2),
    ]
    row = merged_edit([Edit.from_dict(step) for step in steps], text="text")
    made = made_run(
        tmp_path / "run",
        steps,
        command="repair",
        rows=[{"text": "a b", "label": "pos", "longway_id": "0"}],
        repair__json={},
    )
    contents = RunContents(made)
    assert contents.edits.facets()["rule"] == {"take_out": 1}
    assert row.how == "take_out"
    contents.close()


def test_a_pattern_is_changed_if_only_one_text_shows_it():
    sadly = {"k": Pattern("token", "text", ("sadly",))}
    assert changed_patterns({"text": ("sadly so", "so")}, sadly) == ["k"]
    assert changed_patterns({"text": ("so", "sadly so")}, sadly) == ["k"]
    assert changed_patterns({"text": ("sadly so", "so sadly")}, sadly) == []
    assert changed_patterns({"text": ("sadly so", "sadly so")}, sadly, is_dropped=True) == ["k"]


def test_edits_are_filtered_by_rule_and_by_pattern(contents):
    def ids(**filter):
        return [edit.edit.id for edit in contents.edits.all(EditFilter(**filter))]

    assert ids(rule="take_out.adverb") == ["0", "1"]
    assert ids(rule="negation.fail_to") == ["1"]
    assert ids(pattern=key_of_pattern(contents)) == ["0", "1"]
    assert ids(rule="synonym", status="kept") == ["2"]
    assert ids(rule="nothing") == []


def test_a_pattern_without_words_lists_edits_too(tmp_path):
    edits = [an_edit("0", "one two three four", "one two", **KEPT), an_edit("1", "one", "two", **KEPT)]
    rows = [{"text": edit["after"], "label": "pos", "longway_id": edit["id"]} for edit in edits]
    contents = RunContents(made_run(tmp_path / "run", edits, rows=rows, findings__json={"findings": [LONG]}))
    found = contents.edits.all(EditFilter(pattern=key_of_pattern(contents)))
    assert [edit.edit.id for edit in found] == ["0"]
    contents.close()


def test_a_group_is_decided_at_once_and_leaves_earlier_decisions_alone(contents):
    first = contents.edits.keys(EditFilter())[0]
    contents.decisions.write("edit", first, {"choice": "accept"}, author="ada")
    filter = {"status": "kept", "choice": "none", "rule": "take_out.adverb"}
    answer = ACTIONS["decide-many"](contents, author="ada", kind="edit", filter=filter, choice="reject")
    assert answer["written"] == 1
    assert choices(contents) == ["accept", "reject", "none", "none"]
    groups = {group["name"]: group for group in groups_page(contents, {}).data["rule"]}
    assert groups["take_out.adverb"] == {"name": "take_out.adverb", "edits": 2, "decided": 2}
    assert groups["synonym"]["edits"] == 1  # not the refused one


def test_the_summary_counts_decisions_by_rule(contents):
    keys = contents.edits.keys(EditFilter())
    contents.decisions.write("edit", keys[0], {"choice": "accept"}, author="ada")
    contents.decisions.write("edit", keys[1], {"choice": "reject"}, author="bo")
    finding = contents.all_findings()[0].key
    contents.decisions.write("finding", finding, {"choice": "shortcut"}, author="ada")
    text = summary(contents, author="ada")
    assert (
        "3 edits of the run are in the dataset. Reviewed by ada, bo. The review changes 1 row of it." in text
    )
    assert "| `take_out.adverb` | 2 | 1 | 1 | 0 | 0 |" in text
    assert "- `sadly` (neg): shortcut, remove" in text
    assert "dull film" not in text  # figures, no texts


def test_the_summary_does_not_show_a_rater_the_results_of_another(contents):
    draw_sample(contents, name="first", size=3, seed=0, author="ada")
    for key in contents.edits.keys(EditFilter(status="kept")):
        tag(contents, "first", key, ["label kept"], author="ada")
    assert "Sample first, 3 items: 0.0% of edits are wrong" in summary(contents, author="ada")
    assert "Sample first" not in summary(contents, author="bo")


def test_names_of_the_data_are_no_markup_in_the_summary(hostile):
    contents = RunContents(hostile.made)
    text = summary(contents, author="ada")
    table = text.partition("## By rule")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert len(rows) > 3
    assert {line.count("|") for line in rows} == {7}
    assert all(line.count("`") == 2 for line in rows[2:])
    contents.close()


def test_a_browser_decides_a_group_by_keys_and_copies_the_summary(contents, new_page):
    with serving(contents, author="ada") as served, new_page() as page:
        page.goto(served.url)
        page.get_by_role("link", name="Groups", exact=True).click()
        page.keyboard.press("a")  # nothing is selected yet
        assert page.locator("#by-rule li").count() == 3
        assert choices(contents) == ["none"] * 4
        page.keyboard.press("j")
        page.keyboard.press("r")
        page.locator("#by-rule li").first.get_by_text("all decided").wait_for()
        assert choices(contents) == ["reject", "reject", "none", "none"]
        page.keyboard.press("u")
        page.get_by_role("button", name="Reject 2").first.wait_for()
        assert choices(contents) == ["none"] * 4
        page.locator("#by-pattern").get_by_role("link", name="sadly").click()
        page.wait_for_url("**/edits?*pattern=*")
        assert page.locator("article.edit").count() == 2
        page.goto(f"{served.address}summary")
        page.get_by_role("button", name="Copy").click()
        page.locator("#saved", has_text="Cop").or_(page.locator("#saved", has_text="Selected")).wait_for()
        assert page.locator("#summary-text").input_value() == summary(contents, author="ada")
        assert not page.errors
