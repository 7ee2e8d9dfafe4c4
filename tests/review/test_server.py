"""Every page as HTML and as JSON, every action, every export, over a real server on a real run."""

import csv
import io
import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from longway.review import routes
from longway.review.edit_list import EditFilter
from longway.review.run_contents import RunContents
from longway.review.serve import serving
from tests.review.wire import tab


@pytest.fixture(scope="module")
def review(hostile, tmp_path_factory):
    folder = shutil.copytree(
        hostile.rewrite, tmp_path_factory.mktemp("served") / "run", ignore=lambda *_: ["review"]
    )
    contents = RunContents(folder)
    with serving(contents, author="ann") as review:
        yield review
    contents.close()


@pytest.fixture
def client(review):
    with tab(review) as client:
        yield client


@pytest.fixture
def keys(review):
    return review.contents.edits.keys(EditFilter())


def addresses_of(review):
    """Every page of the table with values that there are in this run."""
    values = {
        "key": lambda name: (
            review.contents.findings().rows[0].key
            if "findings" in name
            else review.contents.edits.keys(EditFilter())[0]
        ),
        "id": lambda name: "no-slash",
        "name": lambda name: "first",
    }
    for name in routes.PAGES:
        if name != "data/{id}":
            yield name.format(**{key: value(name) for key, value in values.items()})


def test_every_page_is_there_as_html_and_as_json(review, client):
    assert client.post("sample", json={"name": "first", "size": 5, "seed": 1}).status_code == 200
    for name in addresses_of(review):
        page = client.get(f"/{name}")
        assert page.status_code == 200, name
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.text.startswith("<!doctype html>")
        twin = client.get(f"/{name or 'overview'}.json")
        assert twin.status_code == 200
        assert isinstance(twin.json(), dict)


@pytest.mark.parametrize("id_", ["1/../<script>1", "a.json", "b/c.json", "..", "%2e", "é ?#&"])
def test_a_row_is_found_whatever_its_id_is_made_of(tmp_path, id_):
    from urllib.parse import quote

    from tests.review.made_runs import an_edit, made_run

    rows = [{"text": "b", "label": "pos", "longway_id": one} for one in (id_, "other")]
    contents = RunContents(made_run(tmp_path / "run", [an_edit(id=id_)], rows=rows))
    with serving(contents) as review, tab(review) as client:
        address = "/data/" + quote(id_, safe="").replace(".", "%2E")
        assert client.get(address).headers["content-type"].startswith("text/html")
        assert client.get(address + ".json").json()["id"] == id_
        assert client.get("/data/nothing.json").status_code == 404
    contents.close()


def test_a_decision_is_written_at_once_with_its_author(review, client, keys):
    answer = client.post(
        "decide", json={"kind": "edit", "key": keys[0], "choice": "accept", "seen": 0}
    ).json()
    assert answer["ok"] is True
    held = review.contents.decisions.of("edit", keys[0])
    assert (held.author, held.value, held.seq) == ("ann", {"choice": "accept"}, answer["decision"]["seq"])


def test_two_tabs_do_not_lose_each_others_work(client, keys):
    first = client.post("decide", json={"kind": "edit", "key": keys[1], "choice": "accept", "seen": 0}).json()
    second = client.post("decide", json={"kind": "edit", "key": keys[1], "choice": "reject", "seen": 0})
    assert second.status_code == 409
    assert second.json()["current"] == first["decision"]
    seen = first["decision"]["seq"]
    assert (
        client.post(
            "decide", json={"kind": "edit", "key": keys[1], "choice": "reject", "seen": seen}
        ).status_code
        == 200
    )


def test_many_are_decided_by_a_filter_and_taken_back_together(review, client):
    before = review.contents.decisions.current("edit")
    wanted = EditFilter(search="giveaway")
    answer = client.post(
        "decide-many", json={"kind": "edit", "filter": {"search": "giveaway"}, "choice": "reject"}
    ).json()
    keys = review.contents.edits.keys(wanted)
    assert 0 < answer["written"] == len(keys) < len(review.contents.edits.keys(EditFilter()))
    assert set(review.contents.edits.keys(EditFilter(choice="reject"))) >= set(keys)
    assert client.post("undo", json={}).json()["written"] == len(keys)
    after = review.contents.decisions.current("edit")
    assert all(
        after[key].value == (before[key].value if key in before else {"choice": "none"}) for key in keys
    )


def test_a_finding_is_marked(review, client):
    key = review.contents.findings().rows[0].key
    assert client.post("decide", json={"kind": "finding", "key": key, "choice": "signal"}).status_code == 200
    assert client.get(f"findings/{key}.json").json()["decision"]["value"] == {"choice": "signal"}
    assert client.post("decide", json={"kind": "finding", "key": key, "choice": "accept"}).status_code == 400


def test_a_form_goes_back_to_its_page_and_does_the_same(review, client, keys):
    sent = {"kind": "edit", "key": keys[2], "choice": "accept", "seen": "0", "back": "/edits?page=2"}
    answer = client.post("decide", data=sent)
    assert (answer.status_code, answer.headers["location"]) == (303, review.address + "edits?page=2")
    assert review.contents.decisions.of("edit", keys[2]).value == {"choice": "accept"}
    many = {
        "kind": "edit",
        "filter.label": "no such label",
        "filter.status": "all",
        "choice": "accept",
        "back": "/edits",
    }
    assert client.post("decide-many", data=many).status_code == 303
    wrong = client.post("decide", data={**sent, "choice": "perhaps"})
    assert (wrong.status_code, wrong.headers["content-type"]) == (400, "text/html; charset=utf-8")


def test_a_text_by_hand_is_kept_with_what_the_checks_said(review, client, keys):
    answer = client.post("hand", json={"key": keys[3], "text": "a wholly different text about 17 cats"})
    assert answer.status_code == 200
    value = answer.json()["decision"]["value"]
    assert (value["choice"], value["text"]) == ("hand", "a wholly different text about 17 cats")
    assert isinstance(value["passed"], bool)


def test_tags_of_a_sample_are_kept(review, client):
    client.post("sample", json={"name": "tagged", "size": 4, "seed": 1})
    key = review.contents.decisions.of("sample", "tagged").value["keys"][0]
    sent = {"sample": "tagged", "key": key, "tags": ["label kept", "unnatural"]}
    assert client.post("tag", json=sent).json()["decision"]["value"]["tags"] == ["label kept", "unnatural"]
    assert client.post("tag", data={**sent, "tags": "label kept"}).status_code == 200
    assert client.post("tag", json={**sent, "tags": ["lovely"]}).status_code == 400


def test_exports_are_files_of_our_names_with_what_was_decided(review, client, keys):
    client.post("decide", json={"kind": "edit", "key": keys[4], "choice": "reject"})
    names = {
        "dataset": "dataset-reviewed.jsonl",
        "edits.csv": "edits-reviewed.csv",
        "everything.json": "everything-reviewed.json",
    }
    answers = {name: client.get(f"export/{name}") for name in names}
    for name, answer in answers.items():
        assert answer.headers["content-disposition"] == f'attachment; filename="{names[name]}"'
        assert answer.headers["content-type"] == "application/octet-stream"
    edit = review.contents.edits.get(keys[4]).edit
    exported = [json.loads(line) for line in answers["dataset"].text.splitlines()]
    assert {row["longway_id"]: row[edit.field] for row in exported}[edit.id] == edit.before
    table = list(csv.DictReader(io.StringIO(answers["edits.csv"].content.decode("utf-8-sig"))))
    assert {row["key"]: row["choice"] for row in table}[keys[4]] == "reject"
    assert len(answers["everything.json"].json()["edits"]) == len(keys)
    undone = client.get("export/dataset", params={"undecided": "reject"})
    assert undone.content != answers["dataset"].content
    assert client.get("export/dataset", params={"undecided": "perhaps"}).status_code == 400


def test_nothing_is_left_behind_by_an_export(client, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert client.get("export/everything.json").status_code == 200
    assert client.get("export/dataset", headers={"connection": "close"}).status_code == 200
    from tests.review.wire import until

    until(lambda: not list(tmp_path.iterdir()))


def test_a_run_without_a_dataset_says_so(hostile):
    contents = RunContents(hostile.audit, data=hostile.data)
    with serving(contents) as review, tab(review) as client:
        answer = client.get("export/dataset")
        assert answer.status_code == 400
        assert "changes no texts" in answer.text
    contents.close()


@pytest.mark.parametrize(
    ("action", "body", "told"),
    [
        ("decide", {}, "kind is missing"),
        ("decide", {"kind": "edit", "key": "x", "choice": "accept"}, "key must match this pattern"),
        ("decide", {"kind": "edit", "key": 7, "choice": "accept"}, "key must be a text. Got a number"),
        ("decide", {"kind": "edit", "key": "0" * 16, "choice": "accept", "seen": True}, "seen must be a whole number"),
        ("decide", {"kind": "edit", "key": "0" * 16, "choice": "accept", "seen": -1}, "seen must be between"),
        ("decide", {"kind": "edit", "key": "0" * 16, "choice": "accept", "why": ""}, "Unknown field 'why'"),
        ("decide-many", {"kind": "edit", "filter": [], "choice": "accept"}, "filter must be an object"),
        ("decide-many", {"kind": "edit", "filter": {"where": "1"}, "choice": "accept"}, "Unknown field 'filter.where'"),
        ("hand", {"key": "0" * 16, "text": "\ud800"}, "half of a character"),
        ("hand", {"key": "0" * 16, "text": "x" * 100_001}, "at most 100000 characters"),
        ("sample", {"name": "a", "size": 1e9, "seed": 0}, "size must be a whole number"),
        ("tag", {"sample": "a", "key": "0" * 16, "tags": ["a"] * 31}, "at most 30 texts"),
        ("tag", {"sample": "a", "key": "0" * 16, "tags": [1]}, "tags must be a text"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_named(client, action, body, told):
    answer = client.post(action, content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert told in answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"null", b'"a"', b"[" * 100_000, b"1" * 5000])
def test_a_body_that_is_no_object_is_told(client, body):
    answer = client.post("decide", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert "The body must be" in answer.json()["error"]


@pytest.mark.parametrize(
    "body", [b"a=1&a.b=2", b"a.b=2&a=1", b"%ff=1", b"&".join([b"a=1"] * 101), b"filter.=1&kind=edit"]
)
def test_a_form_that_makes_no_sense_is_told(client, body):
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert client.post("decide-many", content=body, headers=kind).status_code == 400


def test_unknown_keys_and_pages_are_not_found(client):
    assert client.get("edits/" + "0" * 16).status_code == 404
    assert client.get("findings/nothing.json").json()["error"].startswith("There is no finding")
    assert (
        client.post("decide", json={"kind": "edit", "key": "0" * 16, "choice": "accept"}).status_code == 404
    )
    assert client.get("no-such-page").status_code == client.get("static/x.css").status_code == 404
    assert client.get("decide").status_code == 405
    assert client.post("edits", json={}).status_code == 405


@pytest.mark.parametrize("value", ["0", "-1", "x", "1e3", "9" * 12, "9" * 40, "", "\0", "٣"])
@pytest.mark.parametrize("name", ["page", "size"])
def test_numbers_in_addresses_are_checked(client, name, value):
    for page in ("edits", "findings", "data"):
        assert client.get(f"{page}.json", params={name: value}).status_code in (200, 400)


def test_all_at_once_is_as_one_after_the_other(review, client, keys):
    """Many tabs with many filters: no answer is lost, mixed up or an error."""
    asked = [f"edits.json?search={word}&page={page}&order={order}" for word in ("the", "good", "was", "film", "a", "x")
             for page in (1, 2) for order in ("file", "random", "score")]  # fmt: skip
    alone = [client.get(one).json() for one in asked]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(client.get, asked * 2))
        written = list(
            pool.map(
                lambda key: client.post("decide", json={"kind": "edit", "key": key, "choice": "accept"}), keys
            )
        )
    assert [one.json() for one in answers] == alone * 2
    assert all(one.status_code == 200 for one in written)
    assert all(review.contents.decisions.of("edit", key).value["choice"] == "accept" for key in keys)
