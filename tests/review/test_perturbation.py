"""A perturbation in the review: the person on the page of an edit, tags in the exports, runs from anyone."""

import csv
import json
import shutil

import pytest

import longway as lw
from longway.data import load
from longway.review.edit_list import EditFilter
from longway.review.export import CSV_COLUMNS, export_csv, export_json
from longway.review.run_contents import RunContents
from longway.review.sampling import draw_sample, sample_state, tag
from longway.review.serve import serving
from tests.jobs.toy_perturb import rows_of, write
from tests.review.conftest import ATTACKS
from tests.review.made_runs import an_edit, made_run
from tests.review.test_pages import LARGEST, shown
from tests.review.wire import tab

KEPT, CHANGED = "label kept", "label changed"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a real perturbation of 40 rows."""
    folder = tmp_path_factory.mktemp("perturbed")
    lw.perturb(load(write(folder / "notes.csv", rows_of(40))), out=folder / "run")
    return folder / "run"


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "run", ignore=shutil.ignore_patterns("review"))


@pytest.fixture
def contents(folder):
    opened = RunContents(folder)
    yield opened
    opened.close()


def drawn(contents, size=20):
    """The keys of the edits in a sample."""
    draw_sample(contents, name="first", size=size, seed=1, author="ada")
    return [item.key for item in sample_state(contents, "first", rater="ada").items]


def test_tags_travel_with_the_edits(contents, tmp_path):
    keys = drawn(contents)
    tag(contents, "first", keys[0], ["unnatural", CHANGED], author="ada")
    tag(contents, "first", keys[0], [KEPT], author="bob")
    everything = json.loads(export_json(contents, tmp_path / "all.json").read_text(encoding="utf-8"))
    assert [*everything] == ["run", "summary", "findings", "edits", "samples", "decisions"]
    by_key = {one["key"]: one for one in everything["edits"]}
    assert by_key[keys[0]]["tags"] == {"first": {"ada": [CHANGED, "unnatural"], "bob": [KEPT]}}
    assert sum(bool(one["tags"]) for one in everything["edits"]) == 1
    (sample,) = everything["samples"]
    assert sample["progress"] == {"ada": 1, "bob": 1}

    with export_csv(contents, tmp_path / "edits.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert tuple(lines[0]) == CSV_COLUMNS
    assert [line["key"] for line in lines] == [*by_key]
    cells = {line["key"]: line["tags"] for line in lines}
    assert cells[keys[0]] == "first, ada: label changed, unnatural; first, bob: label kept"


def test_the_page_shows_the_person(contents):
    key = contents.edits.keys(EditFilter(status="kept"))[0]
    made, html, page = shown(contents, "edits/{key}", key=key)
    trace = contents.edits.get(key).edit.trace
    assert made.view["person"].how == f"{trace['axis']}: {trace['source']} to {trace['target']}"
    assert made.view["person"].word == trace["word"]
    assert "The person</h2>" in html
    assert page.unnamed == []


def test_a_form_without_a_script_saves_tags(contents):
    key = drawn(contents)[0]
    with serving(contents, author="ada") as review, tab(review) as client:
        sent = {"sample": "first", "key": key, "tags": [CHANGED, "unnatural"], "seen": "0", "back": "/sample/first"}  # fmt: skip
        assert client.post("tag", data=sent).status_code == 303
        (said,) = contents.decisions.current("tag").values()
        assert said.value["tags"] == [CHANGED, "unnatural"]
        assert client.post("tag", json={"sample": "first", "key": key, "tags": ["silly"]}).status_code == 400


def hostile_run(folder):
    """A perturbation whose every word is an attack, or as long as it can be: a folder can come from anyone."""
    edits = [
        an_edit(
            str(i),
            f"{attack} she",
            f"{attack} he",
            method="perturb",
            accepted=True,
            trace={
                "word": attack,
                "axis": attack,
                "source": attack,
                "target": attack,
                "chain": [["text", -5, 10**9]],
                "left": [attack] * 80,
            },
        )
        for i, attack in enumerate(ATTACKS)
    ]
    rows = [{"text": attack, "label": "pos", "longway_id": str(i)} for i, attack in enumerate(ATTACKS)]
    made_run(folder, edits, command="perturb", rows=rows)
    return folder


def test_words_of_a_hostile_run_are_shown_and_never_obeyed(tmp_path):
    contents = RunContents(hostile_run(tmp_path / "run"))
    keys = drawn(contents, size=50)
    assert len(keys) == len(ATTACKS)
    tag(contents, "first", keys[0], [KEPT], author="<script>alert(1)</script>")
    asked = [("sample/{name}", {"name": "first", "page": number + 1}) for number in range(len(keys))]
    for name, query in [*asked, *(("edits/{key}", {"key": key}) for key in keys)]:
        made, html, page = shown(contents, name, **query)
        assert [one.get("src") for one in page.all("script")] == ["/static/review.js"]
        assert not [name for name, _ in page.elements if name in ("img", "svg", "style")]
        assert not [one for _, one in page.elements if any(key.startswith("on") for key in one)]
        assert len(html.encode()) < LARGEST
        assert len(json.dumps(made.data)) < LARGEST
    with export_csv(contents, tmp_path / "edits.csv").open(encoding="utf-8-sig", newline="") as file:
        assert not any(cell.startswith(("=", "+", "@")) for line in csv.reader(file) for cell in line)
    contents.close()


def test_an_item_is_rated_by_keys(new_page, contents):
    key = drawn(contents, size=5)[0]
    with serving(contents, author="ada") as review, new_page(color_scheme="dark") as page:
        page.goto(review.url)
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"{review.address}sample/first?page=1")
        for letter in "23":
            page.keyboard.press(letter)
        inner, outer = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert inner <= outer
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert not page.errors
    said = {name.split(":")[1]: one.value["tags"] for name, one in contents.decisions.current("tag").items()}
    assert said == {key: [CHANGED, "unnatural"]}
