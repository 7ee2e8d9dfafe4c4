"""The red-team corpus through every command, in a bounded form: nothing runs, nothing leaks, nothing breaks. At length: tests/hostile/campaign.py."""

import json

import pytest

from longway.cli.screen import shortened
from tests.environment import without_encoder, without_settings_of_the_user
from tests.hostile.campaign import (
    COMMANDS,
    Campaign,
    wrong_in_dataset,
    wrong_in_edits,
    wrong_in_page,
    wrong_on_terminal,
)
from tests.hostile.corpus import FILE_NAMES, SENTINEL, cases, rows
from tests.hostile.forms import FORMS, read_rows, write_rows
from tests.hostile.reviewed import look_at

EVERY = 9


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    without_settings_of_the_user(monkeypatch, tmp_path)
    without_encoder(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return Campaign(tmp_path, every=EVERY)


@pytest.fixture
def opened(browser):
    """Opens a page in a real browser: title, what a script would have left behind, addresses that were asked for."""

    def look(path):
        page = browser.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        found = (
            page.title(),
            page.evaluate(f"window.{SENTINEL}"),
            [url for url in asked if not url.startswith(("file:", "data:"))],
        )
        page.close()
        return found

    return look


def test_the_corpus_is_large_and_each_text_has_its_own_mark():
    found = cases()
    assert len(found) >= 200
    assert len({case.family for case in found}) == 11
    assert len({case.mark for case in found}) == len({case.name for case in found}) == len(found)
    assert all(case.text.endswith(case.mark) for case in found)
    assert {case.family for case in found[::EVERY]} == {case.family for case in found}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(name, marks=() if name in ("audit", "rewrite") else pytest.mark.soak)
        for name in COMMANDS
        if name not in ("grammar", "rewrite-eda")
    ],
)
def test_a_command_leaves_nothing_that_runs_or_leaks(campaign, command, request):
    seen = campaign.run(command, coloured=command == "audit")
    assert seen.wrong == []
    page = seen.folder / "report.html"
    if page.exists():
        text = page.read_text(encoding="utf-8")
        assert "&lt;script&gt;" in text or "&lt;b&gt;" in text, "shown as text, or the test looks at nothing"
        title, left, asked = request.getfixturevalue("opened")(page)
        assert SENTINEL not in title
        assert left is None
        assert asked == []


@pytest.mark.soak
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files_of_other_forms_and_the_pages_of_their_review_are_sound(browser, tmp_path, monkeypatch, form):
    without_settings_of_the_user(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    seen = Campaign(tmp_path, every=40, form=form).run("rewrite-eda")
    assert seen.wrong == []
    assert (seen.folder / f"dataset.{form}").exists()
    wrong, n_pages = look_at(browser, seen.folder)
    assert wrong == []
    assert n_pages > 2 * seen.rows


@pytest.mark.parametrize("form", FORMS)
def test_rows_come_back_from_a_file_of_each_form(tmp_path, form):
    """But for half characters, and numbers in CSV."""
    given = rows(cases("formula", "escape", "html"))
    path = write_rows(tmp_path / f"dataset.{form}", given)
    found = [{**row, "longway_id": row["id"]} for row in read_rows(path)]
    assert [row["text"] for row in found] == [row["text"] for row in given]
    assert not [*wrong_in_dataset(found, given)]


@pytest.mark.soak
def test_one_long_text_does_not_make_the_report_long(tmp_path, monkeypatch):
    without_settings_of_the_user(monkeypatch, tmp_path)
    without_encoder(monkeypatch)
    monkeypatch.chdir(tmp_path)
    seen = Campaign(tmp_path, every=30, megabytes=1).run("rewrite-eda")
    assert seen.wrong == []
    assert (seen.folder / "report.html").stat().st_size < 500_000


def test_the_browser_would_tell_a_script_that_ran(opened, tmp_path):
    (tmp_path / "x.html").write_text(
        f"<title>x</title><script>window.{SENTINEL}=1;document.title='{SENTINEL}'</script>"
    )
    assert opened(tmp_path / "x.html")[:2] == (SENTINEL, 1)


@pytest.mark.parametrize(
    "bad",
    [
        *(
            case.text
            for case in cases("html")
            if case.variant in ("script", "img", "svg", "iframe", "base", "meta-js")
        ),
        "<p style=x>",
        "a\x00",
    ],
)
def test_the_judge_of_pages_sees_what_is_wrong(bad):
    seen = [*wrong_in_page(f"<p>{bad}</p>")]
    assert seen or "http-equiv" in bad


def test_the_other_judges_see_what_is_wrong():
    for case in cases("escape"):
        if case.variant not in ("return",):
            assert [*wrong_on_terminal(case.text)], case.name
    assert not [*wrong_on_terminal("\x1b[1mbold\x1b[0m and plain\n")]
    edit = {"id": "a", "before": "x qz001", "after": "y qz002"}
    assert [*wrong_in_edits(json.dumps(edit) + "\n")]
    given = rows(cases("formula"))
    good = [{**row, "longway_id": row["id"]} for row in given]
    assert not [*wrong_in_dataset(good, given)]
    assert [*wrong_in_dataset(good[1:], given)]
    assert [*wrong_in_dataset([good[0], *good], given)]
    assert [*wrong_in_dataset([{**good[0], "text": "x qz999"}, *good[1:]], given)]
    assert [*wrong_in_dataset([{**good[0], "=note<b>": "other"}, *good[1:]], given)]


def test_a_row_cannot_write_a_line_that_looks_like_ours():
    for case in cases("escape", "unicode", "bytes", "template"):
        shown = shortened(case.text, 200)
        assert not [*wrong_on_terminal(shown)], case.name
        assert len(shown.splitlines()) <= 1, case.name
        assert len(shown) == min(200, len(case.text))


@pytest.mark.parametrize("name", FILE_NAMES.values(), ids=FILE_NAMES)
def test_a_file_may_have_any_name(name, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from longway.cli import app

    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_text("text,label\n" + "".join(f"a film of day {i},{i % 2}\n" for i in range(20)))
    done = CliRunner().invoke(app, ["audit", str(path), "--levels", "token"])
    assert done.exit_code == 0, done.exception
    assert not [*wrong_on_terminal(done.output)]
    made = [one for one in tmp_path.rglob("*") if one.is_file() and one != path]
    assert {one.parent.parent for one in made} == {tmp_path / "longway-runs"}, "all is in one run folder"
    page = next(one for one in made if one.name == "report.html").read_text(encoding="utf-8")
    assert not [*wrong_in_page(page)]
