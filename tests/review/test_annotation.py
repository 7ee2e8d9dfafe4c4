"""Annotation of a perturbation: the stages and tags of the paper's appendices B to E, unchanged rows, several raters, their agreement."""

import csv
import json
import shutil
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import longway as lw
from longway.data import load
from longway.errors import RunError, SettingError
from longway.review.agreement import agreement_page
from longway.review.edit_list import EditFilter
from longway.review.export import CSV_COLUMNS, export_csv, export_json
from longway.review.run_contents import RunContents
from longway.review.sampling import UNCHANGED, draw_sample, finished_agreement, sample_state, samples, tag
from longway.review.serve import serving
from longway.review.summary import summary
from longway.review.tags import EDITED, PERTURBED, REASONS, UNPERTURBED
from tests.jobs.toy_perturb import rows_of, write
from tests.review.conftest import ATTACKS
from tests.review.made_runs import an_edit, made_run
from tests.review.test_pages import LARGEST, shown
from tests.review.wire import tab

KEPT, RIGHTLY, WRONGLY = "label kept", "rightly unperturbed", "incorrectly unperturbed"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a real perturbation: 30 changed rows, 10 unchanged ones, five of which have a word that only looks demographic."""
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


def drawn(contents, size=20, name="first"):
    """The items of a sample, edits and rows apart."""
    draw_sample(contents, name=name, size=size, seed=1, author="ada")
    items = sample_state(contents, name, rater="ada").items
    return [item.key for item in items if item.kind == "edit"], [
        item.key for item in items if item.kind == "row"
    ]


def rate(contents, rater, tags=None, name="first"):
    """Rate the whole sample; tags: by key, where something is wrong."""
    for item in sample_state(contents, name, rater=rater).items:
        plain = [KEPT] if item.kind == "edit" else [RIGHTLY]
        tag(contents, name, item.key, (tags or {}).get(item.key, plain), author=rater)


# What is drawn


def test_one_item_in_five_is_a_row_with_a_demographic_word_that_was_left(contents):
    edits, rows = drawn(contents)
    assert (len(edits), len(rows)) == (16, 4)
    changed = {contents.edits.get(key).edit.id for key in contents.edits.keys(EditFilter(status="kept"))}
    for key in rows:
        people = contents.people(key)
        assert people.id not in changed
        assert people.stayed
        text = contents.row(people.id).row.text
        assert [text[one.start : one.end] for one in people.words] == [one.word for one in people.words] != []
    stratum = sample_state(contents, "first", rater="ada").drawn.strata[-1]
    assert (stratum.method, stratum.members) == (UNCHANGED, 5)


def test_a_larger_sample_takes_what_there_is_of_either_kind(contents):
    edits, rows = drawn(contents, size=500)
    assert sorted(edits) == sorted(contents.edits.keys(EditFilter(status="kept")))
    assert rows
    assert sorted(rows) == contents.unchanged_rows()


def test_a_run_of_an_earlier_version_has_edits_to_rate_and_says_what_is_missing(folder):
    (folder / "people.jsonl").unlink()
    about = json.loads((folder / "run.json").read_text())
    about["files"].pop("people.jsonl", None)
    (folder / "run.json").write_text(json.dumps(about))
    contents = RunContents(folder)
    edits, rows = drawn(contents)
    assert (len(edits), rows) == (20, [])
    _, html, _ = shown(contents, "sample/{name}", name="first")
    assert "no unchanged rows were drawn" in html
    assert "Stage 1, words" in html
    contents.close()


def test_a_sample_of_an_earlier_version_keeps_its_tags(contents):
    edits, _ = drawn(contents)
    value = dict(contents.decisions.of("sample", "first").value)
    value = {**value, "keys": edits, "strata": value["strata"][:-1]}
    del value["scheme"]
    contents.decisions.write("sample", "old", {**value, "name": "old"}, author="ada")
    tag(contents, "old", edits[0], [KEPT, "unnatural"], author="ada")
    with pytest.raises(SettingError, match="Got grammar"):
        tag(contents, "old", edits[0], [KEPT, "grammar"], author="ada")
    _, html, _ = shown(contents, "sample/{name}", name="old")
    assert "factual change" in html
    assert "stage 1 error" not in html


# Tags


def test_a_reason_implies_its_tag(contents):
    edits, rows = drawn(contents)
    said = tag(contents, "first", edits[0], [KEPT, "grammar", "chain not fully changed"], author="ada")
    assert said.value["tags"] == [
        KEPT,
        "incomplete or incorrect",
        "chain not fully changed",
        "typos and naturalness",
        "grammar",
    ]
    said = tag(contents, "first", rows[0], [WRONGLY, "word does not refer to a person"], author="ada")
    assert said.value["tags"] == ["stage 1 error", "word does not refer to a person", WRONGLY]


@pytest.mark.parametrize(
    ("kind", "tags", "message"),
    [
        (0, [WRONGLY], "Got incorrectly unperturbed"),
        (0, ["grammar"], "either 'label kept' or 'label changed'"),
        (0, [], "Got nothing"),
        (1, [KEPT], "Got label kept"),
        (1, [RIGHTLY, "offensive"], "Got offensive"),
        (1, [RIGHTLY, WRONGLY], "one verdict"),
    ],
)
def test_edits_and_unchanged_rows_have_tags_of_their_own(contents, kind, tags, message):
    key = drawn(contents)[kind][0]
    with pytest.raises(SettingError, match=message):
        tag(contents, "first", key, tags, author="ada")


@pytest.mark.parametrize("scheme", [EDITED, PERTURBED, UNPERTURBED])
def test_every_tag_has_a_name_and_a_key_of_its_own(scheme):
    every = [one for main in (*scheme.verdicts, *scheme.tags) for one in main]
    assert len({one.name for one in every}) == len({one.key for one in every}) == len(every)
    assert not {one.key for one in every} & set("jku")  # next, previous, undo
    assert max(len(one.name) for one in every) <= 40  # as the address of tags takes them
    assert scheme.errors <= set(scheme.names) - REASONS


# Agreement


def table_9_by_hand(said, keys):
    """Occurrence, agreement and kappa of each tag for two raters, item by item. said: tags by rater and key; keys: by tag."""
    found = {}
    ada, bob = (said[who] for who in ("ada", "bob"))
    for name, among in keys.items():
        either = same = ada_yes = bob_yes = 0
        for key in among:
            a, b = name in ada[key], name in bob[key]
            either, same = either + (a or b), same + (a == b)
            ada_yes, bob_yes = ada_yes + a, bob_yes + b
        n = len(among)
        chance = (ada_yes / n) * (bob_yes / n) + (1 - ada_yes / n) * (1 - bob_yes / n)
        kappa = None if chance == 1 else (same / n - chance) / (1 - chance)
        found[name] = (n, either / n, same / n, kappa)
    return found


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_occurrence_and_agreement_are_those_of_table_9(contents, data):
    name = f"sample-{len(samples(contents))}"
    edits, rows = drawn(contents, size=10, name=name)
    mains = [one.name for one in PERTURBED.tags]
    said = {}
    for who in ("ada", "bob"):
        said[who] = {key: {KEPT, *data.draw(st.sets(st.sampled_from(mains)))} for key in edits}
        said[who] |= {key: {data.draw(st.sampled_from([RIGHTLY, WRONGLY]))} for key in rows}
        for key, tags in said[who].items():
            tag(contents, name, key, tags, author=who)
    keys = {main: [*edits, *rows] if main == "stage 1 error" else edits for main in mains}
    (pair,) = finished_agreement(contents, name).pairs
    for main, expected in table_9_by_hand(said, keys | {WRONGLY: rows}).items():
        found = pair.tags[main]
        n, occurrence, percent, kappa = expected
        assert (found.n, found.occurrence, found.percent) == (
            n,
            pytest.approx(occurrence),
            pytest.approx(percent),
        )
        assert found.kappa == (None if kappa is None else pytest.approx(kappa))
    wrong = [[bool(PERTURBED.errors & said[who][key]) for who in ("ada", "bob")] for key in edits]
    assert pair.error.occurrence == pytest.approx(sum(map(any, wrong)) / len(edits))


def test_the_shares_are_of_the_edits_or_of_the_unchanged_rows(contents):
    edits, rows = drawn(contents)
    rate(contents, "ada", {edits[0]: [KEPT, "grammar"], rows[0]: [WRONGLY]})
    found = sample_state(contents, "first", rater="ada").estimate
    assert (found.tags["grammar"].hits, found.tags["grammar"].members) == (
        1,
        len(contents.edits.keys(EditFilter(status="kept"))),
    )
    assert (found.tags[WRONGLY].hits, found.tags[WRONGLY].seen, found.tags[WRONGLY].members) == (1, 4, 5)
    assert (found.error.hits, found.error.seen) == (1, 16)
    assert found.tags["stage 1 error"].seen == 20


def test_three_raters_have_a_table_for_each_two_and_alpha_for_each_tag(contents):
    edits, _ = drawn(contents)
    for who in ("ada", "bob", "eve"):
        rate(contents, who, {edits[0]: [KEPT, "offensive"]})
    found = finished_agreement(contents, "first")
    assert [pair.raters for pair in found.pairs] == [list(p) for p in combinations(("ada", "bob", "eve"), 2)]
    assert found.alphas["offensive"] == 1
    assert found.alphas["stage 1 error"] is None  # nobody gave it
    _, html, _ = shown(contents, "sample/{name}", name="first")
    assert "Krippendorff’s alpha" in html


def test_nobody_sees_the_agreement_before_they_are_done(contents):
    edits, _ = drawn(contents)
    rate(contents, "bob")
    assert finished_agreement(contents, "first", reader="carl") is None  # one rater
    rate(contents, "eve")
    assert finished_agreement(contents, "first", reader="carl") is not None  # not a rater
    tag(contents, "first", edits[0], [KEPT], author="ada")
    assert finished_agreement(contents, "first", reader="ada") is None
    assert "Agreement on" not in summary(contents, author="ada")
    with pytest.raises(SettingError, match="--sample 300 --author NAME"):
        agreement_page(contents, reader="ada")


def test_the_summary_has_the_table(contents):
    edits, _ = drawn(contents)
    rate(contents, "ada", {edits[0]: [KEPT, "grammar"]})
    rate(contents, "bob")
    found = summary(contents, author="ada")
    assert "Agreement on first, 20 items" in found
    assert "| typos and naturalness | 16 | 6.2% | 93.8% | 0.00 (" in found
    assert "| incorrectly unperturbed | 4 | 0.0% | 100.0% | – |" in found
    assert "– grammar" in found  # a reason that was given
    assert "new typo" not in found  # one that was not


# Export


def test_tags_travel_with_the_edits(contents, tmp_path):
    edits, rows = drawn(contents)
    rate(contents, "ada", {edits[0]: [KEPT, "grammar"], rows[0]: [WRONGLY]})
    rate(contents, "bob")
    everything = json.loads(export_json(contents, tmp_path / "all.json").read_text(encoding="utf-8"))
    assert [*everything] == ["run", "summary", "findings", "edits", "unchanged", "samples", "decisions"]
    by_key = {one["key"]: one for one in everything["edits"]}
    assert by_key[edits[0]]["tags"] == {
        "first": {"ada": [KEPT, "typos and naturalness", "grammar"], "bob": [KEPT]}
    }
    assert sum(bool(one["tags"]) for one in everything["edits"]) == 16
    left = {one["key"]: one for one in everything["unchanged"]}
    assert sorted(left) == sorted(rows)
    assert left[rows[0]]["tags"]["first"]["ada"] == [WRONGLY]
    assert left[rows[0]]["status"] == "unchanged"
    (sample,) = everything["samples"]
    assert sample["agreement"]["pairs"][0]["tags"][WRONGLY]["occurrence"] == 0.25

    with export_csv(contents, tmp_path / "edits.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert tuple(lines[0]) == CSV_COLUMNS
    assert [line["key"] for line in lines] == [*by_key, *sorted(rows)]
    cells = {line["key"]: line["tags"] for line in lines}
    assert cells[edits[0]] == "first, ada: label kept, typos and naturalness, grammar; first, bob: label kept"
    assert {key for key, cell in cells.items() if cell} == {*edits, *rows}


# Pages


def test_the_page_shows_the_stages_and_every_tag(contents):
    edits, rows = drawn(contents)
    numbers = {item.key: item.number for item in sample_state(contents, "first", rater="ada").items}
    made, html, page = shown(contents, "sample/{name}", name="first", page=str(numbers[edits[0]]))
    trace = contents.edits.get(edits[0]).edit.trace
    stages = made.view["stages"]
    assert any(axis == trace["axis"] and trace["word"] in words for axis, words in stages.words)
    assert stages.person.startswith(f"{trace['source']}: ")
    assert stages.how == f"{trace['axis']}: {trace['source']} to {trace['target']}"
    assert [one["value"] for one in page.all("input") if one.get("name") == "tags"] == PERTURBED.names
    assert page.unnamed == []
    assert made.data["words"]
    made, html, page = shown(contents, "sample/{name}", name="first", page=str(numbers[rows[0]]))
    assert [one["value"] for one in page.all("input") if one.get("name") == "tags"] == UNPERTURBED.names
    assert "only look demographic" in html
    (word,) = contents.people(rows[0]).words
    assert f"black ({word.skipped})" in html
    assert made.data["edit"] is None
    _, html, _ = shown(contents, "edits/{key}", key=edits[0])
    assert "Stage 2, attributes" in html


def test_a_form_without_a_script_saves_tags_of_a_row(contents):
    _, rows = drawn(contents)
    with serving(contents, author="ada") as review, tab(review) as client:
        sent = {"sample": "first", "key": rows[0], "tags": [WRONGLY, "word does not express this axis"], "seen": "0", "back": "/sample/first"}  # fmt: skip
        assert client.post("tag", data=sent).status_code == 303
        (said,) = contents.decisions.current("tag").values()
        assert said.value["tags"] == ["stage 1 error", "word does not express this axis", WRONGLY]
        assert client.post("tag", json={"sample": "first", "key": rows[0], "tags": [KEPT]}).status_code == 400
        assert "left unchanged" in client.get("sample/first").text + client.get("sample/first?page=2").text
        assert client.get("sample/first.json").json()["scheme"] == "perturbation"


def hostile_run(folder):
    """A perturbation whose every word is an attack, or as long as it can be: a folder can come from anyone."""
    long = "<&\"'" * 5_000
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
            },
        )
        for i, attack in enumerate(ATTACKS)
    ]
    texts = {str(i): attack for i, attack in enumerate(ATTACKS)} | {"left\ud800": long}
    people = [
        {
            "id": id_,
            "stayed": "" if id_.isdigit() else long,
            "words": [
                {"field": "text", "start": at - 5, "end": 10**9, "word": text, "axis": f"{at}{text}", "attribute": f"{text}{at}", "skipped": text if at % 2 else ""}
                for at in range(80)
            ],
        }
        for id_, text in texts.items()
    ]  # fmt: skip
    rows = [
        {"text": text, "label": "pos", "longway_id": id_.replace("\ud800", "?")}
        for id_, text in texts.items()
    ]
    made_run(folder, edits, command="perturb", rows=rows)
    (folder / "people.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
    return folder


def test_words_of_a_hostile_run_are_shown_and_never_obeyed(tmp_path):
    contents = RunContents(hostile_run(tmp_path / "run"))
    edits, rows = drawn(contents, size=50)
    assert (len(edits), len(rows)) == (len(ATTACKS), 1)
    rate(contents, "<script>alert(1)</script>", {edits[0]: [KEPT, "grammar"]})
    for number in range(1, len(edits) + len(rows) + 1):
        made, html, page = shown(contents, "sample/{name}", name="first", page=str(number))
        assert [one.get("src") for one in page.all("script")] == ["/static/review.js"]
        assert not [name for name, _ in page.elements if name in ("img", "svg", "style")]
        assert not [one for _, one in page.elements if any(key.startswith("on") for key in one)]
        assert len(html.encode()) < LARGEST
        assert len(json.dumps(made.data)) < LARGEST
    with export_csv(contents, tmp_path / "edits.csv").open(encoding="utf-8-sig", newline="") as file:
        assert not any(cell.startswith(("=", "+", "@")) for line in csv.reader(file) for cell in line)
    contents.close()


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "1", "stayed": "", "words": [{"start": "x"}]}'])
def test_a_damaged_file_of_words_is_named_with_its_line(folder, line):
    path = folder / "people.jsonl"
    lines = path.read_text().splitlines()
    about = json.loads((folder / "run.json").read_text())
    path.write_text("\n".join([lines[0], line, *lines[2:]]))
    about["files"]["people.jsonl"] = path.stat().st_size
    (folder / "run.json").write_text(json.dumps(about))
    with pytest.raises(RunError, match=r"people\.jsonl, line 2, is damaged"):
        RunContents(folder)


# A real browser


def test_an_item_is_annotated_by_keys(new_page, contents):
    edits, rows = drawn(contents, size=5)
    numbers = {item.key: item.number for item in sample_state(contents, "first", rater="ada").items}
    with serving(contents, author="ada") as review, new_page(color_scheme="dark") as page:
        page.goto(review.url)
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"{review.address}sample/first?page={numbers[edits[0]]}")
        for key in "1cg":  # reasons: their tags follow
            page.keyboard.press(key)
        assert page.get_by_label("typos and naturalness", exact=False).first.is_checked()
        page.keyboard.press("6")  # takes the tag and its reason back
        inner, outer = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert inner <= outer
        with page.expect_navigation():
            page.keyboard.press("Enter")
        page.goto(f"{review.address}sample/first?page={numbers[rows[0]]}")
        for key in "2t":
            page.keyboard.press(key)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert not page.errors
    said = {key.split(":")[1]: one.value["tags"] for key, one in contents.decisions.current("tag").items()}
    assert said == {
        edits[0]: [KEPT, "incomplete or incorrect", "chain not fully changed"],
        rows[0]: ["stage 1 error", "word does not refer to a person", WRONGLY],
    }
