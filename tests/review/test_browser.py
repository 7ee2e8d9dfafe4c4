"""The review in a real browser, on the folder of a real run: people look, decide, change their minds and export."""

import json
import shutil
import threading
from contextlib import contextmanager

import pytest

from longway.review.edit_list import EditFilter
from longway.review.run_contents import RunContents
from longway.review.serve import serving


@pytest.fixture
def review(small_rewrite, tmp_path):
    """The run, served, without any decision; `review.contents` tells what is in it."""
    contents = RunContents(shutil.copytree(small_rewrite, tmp_path / "run"))
    with serving(contents, author="ada") as served:
        yield served
    contents.close()


@pytest.fixture
def tab(new_page, review):
    """Opens the page of the review, as its address in the terminal does."""

    @contextmanager
    def opened(**settings):
        with new_page(**settings) as page:
            page.goto(review.url)
            yield page

    return opened


def choice(review, key):
    found = review.contents.decisions.of("edit", key)
    return None if found is None else found.value["choice"]


def key_in(page):
    return page.url.split("?")[0].split("#")[0].rsplit("/", 1)[1]


def moved(page, from_key):
    page.wait_for_url(lambda url: f"/edits/{from_key}" not in url)


def test_a_person_looks_decides_changes_their_mind_and_exports_just_that(tab, review, tmp_path):
    contents = review.contents
    before = {row.id: row.text for row in _all_rows(contents)}
    with tab() as page:
        # reads a finding
        page.get_by_role("link", name="Findings", exact=True).click()
        page.get_by_label("Label", exact=True).select_option("neg")
        page.get_by_role("button", name="Show").click()
        page.wait_for_url("**/findings?*label=neg*")
        page.locator("a.pattern", has_text="sadly").first.click()
        assert page.locator("#supporting mark").first.inner_text().lower().startswith("sadly")
        page.get_by_role("button", name="Shortcut, remove").click()
        page.get_by_text("shortcut, remove by ada", exact=True).wait_for()

        # filters, then one after another
        page.get_by_role("link", name="Edits", exact=True).click()
        page.get_by_label("The run", exact=True).select_option("kept")
        page.get_by_role("button", name="Show").click()
        page.wait_for_url("**/edits?*status=kept*")
        total = len(contents.edits.keys(EditFilter(status="kept")))
        assert page.locator("[data-total]").inner_text() == f"{total} edits"
        page.locator("[data-open]").first.click()
        page.wait_for_url("**/edits/*")

        accepted = key_in(page)
        page.get_by_role("button", name="Accept").click()
        moved(page, accepted)
        rejected = key_in(page)
        page.keyboard.press("r")
        moved(page, rejected)

        # by hand
        by_hand = key_in(page)
        page.keyboard.press("e")
        page.locator("#hand-text:focus").wait_for()
        page.keyboard.press("Control+A")
        page.keyboard.type('Written "by hand" & <b>well</b>')
        page.keyboard.press("Control+Enter")
        page.get_by_text("edited by hand by ada", exact=True).wait_for()
        assert page.locator(".by-hand dd").inner_text() == 'Written "by hand" & <b>well</b>'

        # decides and takes it back: the page goes to what was undone
        page.keyboard.press("j")
        moved(page, by_hand)
        undone = key_in(page)
        page.keyboard.press("r")
        moved(page, undone)
        assert choice(review, undone) == "reject"
        page.keyboard.press("u")
        page.wait_for_url(f"**/edits/{undone}*")
        page.get_by_text("not decided").first.wait_for()
        assert choice(review, undone) == "none"

        # all of a filter at once
        page.goto(f"{review.address}edits?status=kept&choice=none&label=pos")
        rest = contents.edits.keys(EditFilter(status="kept", choice="none", label="pos"))
        page.locator(".bulk summary").click()
        page.get_by_role("button", name=f"Accept all {len(rest)}").click()
        page.get_by_text("No edit matches").wait_for()
        assert {choice(review, key) for key in rest} == {"accept"}
        assert not page.errors

        page.goto(f"{review.address}run")
        with page.expect_download() as download:
            page.get_by_role("link", name="Dataset, accepted edits only").click()
        download.value.save_as(tmp_path / "exported.jsonl")

    decided = {
        accepted: "after",
        rejected: "before",
        by_hand: 'Written "by hand" & <b>well</b>',
        **dict.fromkeys(rest, "after"),
    }
    expected = dict(before)
    for key in contents.edits.keys(EditFilter(status="kept")):
        edit = contents.edits.get(key).edit
        what = decided.get(key, "before")  # nobody decided: left out
        expected[edit.id] = {"after": edit.after, "before": edit.before}.get(what, what)
    rows = [
        json.loads(line) for line in (tmp_path / "exported.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert {row["longway_id"]: row["text"] for row in rows} == expected
    assert contents.decisions.history("finding")[0].value["choice"] == "shortcut"


def test_a_list_is_driven_by_keys_alone(tab, review):
    keys = review.contents.edits.keys(EditFilter())
    with tab() as page:
        page.goto(f"{review.address}edits")
        page.keyboard.press("j")
        page.keyboard.press("a")
        page.locator("[data-item]").nth(0).get_by_text("accepted by ada", exact=True).wait_for()
        page.keyboard.press("j")
        page.keyboard.press("r")
        page.locator("[data-item]").nth(1).get_by_text("rejected by ada", exact=True).wait_for()
        assert (choice(review, keys[0]), choice(review, keys[1])) == ("accept", "reject")
        assert "rejected" in page.locator("#saved[aria-live]").inner_text()
        page.keyboard.press("k")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/edits/{keys[0]}*")
        page.go_back()
        page.locator("[data-item]").nth(1).focus()
        page.keyboard.press("e")  # straight into the field: what is typed there is text
        page.locator("#hand-text:focus").wait_for()
        page.keyboard.type("xar")
        assert "xar" in page.locator("#hand-text").input_value()
        page.goto(f"{review.address}edits/{keys[0]}")
        page.keyboard.press("?")
        assert page.locator("#help").get_attribute("open") is not None
        page.keyboard.press("Escape")
        page.goto(f"{review.address}edits")
        page.keyboard.press("/")
        page.keyboard.type("arj")  # letters in a field are letters
        assert page.locator("[data-search]").input_value() == "arj"
        assert (choice(review, keys[0]), choice(review, keys[1])) == ("accept", "reject")
        assert not page.errors


def test_the_second_of_two_tabs_is_told_what_the_first_decided(tab, review):
    key = review.contents.edits.keys(EditFilter())[0]
    with tab() as one, tab() as other:
        for page in (one, other):
            page.goto(f"{review.address}edits/{key}")
        one.get_by_role("button", name="Accept").click()
        moved(one, key)
        other.get_by_role("button", name="Reject").click()
        alert = other.get_by_role("alert")
        alert.get_by_text("ada decided “accepted”").wait_for()
        assert choice(review, key) == "accept"
        alert.get_by_role("link", name="Reload the page").click()
        other.get_by_text("accepted by ada", exact=True).wait_for()
        other.get_by_role("button", name="Reject").click()
        moved(other, key)
        assert choice(review, key) == "reject"


def test_forms_work_without_any_script(tab, review):
    keys = review.contents.edits.keys(EditFilter())
    with tab(java_script_enabled=False) as page:
        page.goto(f"{review.address}edits/{keys[0]}")
        page.get_by_role("button", name="Accept").click()
        page.wait_for_url(f"**/edits/{keys[1]}*")
        page.get_by_role("button", name="Undo").click()
        page.wait_for_url(f"**/edits/{keys[1]}*")
        assert choice(review, keys[0]) == "none"
        page.goto(f"{review.address}edits?status=kept")
        page.locator(".bulk summary").click()
        page.get_by_role("button", name="Reject all").click()
        page.wait_for_url("**/edits?status=kept*")
        kept = review.contents.edits.keys(EditFilter(status="kept"))
        assert {choice(review, key) for key in kept} == {"reject"}


def test_a_text_that_takes_its_time_says_so_and_is_sent_once(tab, review, monkeypatch):
    from longway.review import hand_edit

    checked, go_on = [], threading.Event()

    class Slow:
        def check(self, edit, text):
            checked.append(text)
            if text != edit.before:
                go_on.wait(20)
            return [], []

    monkeypatch.setattr(hand_edit, "checker_of", lambda contents: Slow())
    key = review.contents.edits.keys(EditFilter())[0]
    with tab() as page:
        page.goto(f"{review.address}edits/{key}#hand-text")
        page.locator("#hand-text:focus").wait_for()
        page.keyboard.type("more ")
        wait_until(page, lambda: checked == [review.contents.edits.get(key).edit.before])  # they get ready
        page.keyboard.press("Control+Enter")
        page.locator("[data-waiting]", has_text="Checking.").wait_for()
        assert page.get_by_role("button", name="Save and check").is_disabled()
        page.keyboard.press("Control+Enter")
        go_on.set()
        page.get_by_text("edited by hand by ada", exact=True).wait_for()
        assert not page.errors
    assert len(checked) == 2


def wait_until(page, there):
    """Waits for what the server is about to write, ten seconds at most."""
    for _ in range(100):
        if there():
            return
        page.wait_for_timeout(100)


def test_a_sample_is_drawn_and_rated_by_keys(tab, review):
    with tab() as page:
        page.get_by_role("link", name="Sample", exact=True).click()
        page.get_by_label("Name").fill("first")
        page.get_by_label("Edits", exact=True).fill("3")
        page.get_by_role("button", name="Draw").click()
        page.wait_for_url("**/sample/first")
        for at, tags in enumerate(("1", "13", "2"), 1):
            page.locator("h1", has_text=f"{at} of 3").wait_for()
            for key in tags:
                page.keyboard.press(key)
            page.keyboard.press("Enter")
        page.get_by_text("Wrong edits").wait_for()
        wait_until(page, lambda: len(review.contents.decisions.current("tag")) == 3)
        said = review.contents.decisions.current("tag").values()
        assert sorted(one.value["tags"] for one in said) == [
            ["label changed"],
            ["label kept"],
            ["label kept", "unnatural"],
        ]
        assert not page.errors


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_nothing_sticks_out_and_nothing_is_refused(tab, review, width, scheme):
    key, finding = review.contents.edits.keys(EditFilter())[0], review.contents.findings().rows[0].key
    row = review.contents.edits.get(key).edit.id
    with tab(color_scheme=scheme) as page:
        page.set_viewport_size({"width": width, "height": 844})
        others = f"findings/{finding} edits/{key} data/{row} groups summary sample run"
        for path in ("", "findings", "edits", "data", *others.split()):
            page.goto(review.address + path)
            inner, outer = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert inner <= outer, path
            assert (
                page.evaluate("getComputedStyle(document.body).marginTop") == "0px"
            )  # the style sheets came
        assert not page.errors


def _all_rows(contents):
    first = contents.rows(size=200)
    assert first.pages == 1
    return first.rows
