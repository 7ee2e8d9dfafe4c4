"""The review of a repair: one card per row, and decisions about rows."""

import json

import polars as pl
import pytest

from longway.data import load, save
from longway.data.table import DataTable
from longway.errors import SettingError
from longway.jobs.run import RunIdentity, Watcher, active_run
from longway.records import Edit
from longway.review.chosen import chosen
from longway.review.edit_list import EditFilter
from longway.review.export import export_dataset
from longway.review.hand_edit import write_by_hand
from longway.review.pages.edit_pages import edit_page, edits_page
from longway.review.row_edits import LEFT_OUT_AGAIN, RowTrace, merged
from longway.review.run_contents import RunContents
from longway.review.serve import serving
from tests.review.made_runs import an_edit, made_run

COLUMNS = {"text": "claim", "context": "evidence", "label": "label", "id": None, "split": None, "seed": 0}
ROWS = [
    {"claim": "It is only a film.", "evidence": "It is a film.", "label": "no", "n": 1},
    {"claim": "He is tall.", "evidence": "He is tall and kind.", "label": "yes", "n": 2},
    {"claim": "She never sang.", "evidence": "She sang.", "label": "no", "n": 3},
    {"claim": "We left.", "evidence": "We left early.", "label": "yes", "n": 4},
]
DONE = {"field": "claim", "label_before": "no", "label_after": "no", "accepted": True}


def repair_edits():
    """Row 0 is edited twice, with a refused draft between; 1 gets a counterpart; 2 is changed and dropped; 3 gets one that is left out again."""
    added = DONE | {"label_before": "yes", "method": "counterpart", "how": "swap"}
    return [
        an_edit("0", "It is only a film.", "It is a film.", **DONE | {"method": "take out", "how": "restrictor"}),
        an_edit("0", "It is a film.", "It is film.", **DONE | {"method": "put in", "accepted": False, "reason": "surface: odd"}),
        an_edit("0", "It is a film.", "It is a short film.", **DONE | {"method": "put in", "round": 2}),
        an_edit("1+repair1", "He is tall.", "He is short.", **added | {"source": "1"}),
        an_edit("1+repair1", "He is tall and kind.", "He is short and kind.", **added | {"source": "1", "field": "evidence", "label_after": "no"}),
        an_edit("2", "She never sang.", "She didn't sing.", **DONE | {"method": "reshape"}),
        an_edit("2", "She didn't sing.", "She didn't sing.", **DONE | {"method": "drop", "drops": True, "round": 3}),
        an_edit("3+repair1", "We left.", "We stayed.", **added | {"source": "3"}),
        an_edit("3+repair1", "We stayed.", "We stayed.", **DONE | {"method": "drop", "drops": True, "round": 3}),
        an_edit("3", "We left.", "We went.", **DONE | {"label_before": "yes", "label_after": "yes", "accepted": False, "reason": "meaning: far"}),
    ]  # fmt: skip


@pytest.fixture
def repaired(tmp_path):
    """A repair run, and its original file beside it."""
    original = tmp_path / "claims.jsonl"
    original.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    data = load(original, text="claim", context="evidence", label="label")
    rows = [
        {**ROWS[0], "claim": "It is a short film.", "longway_id": "0", "longway_source": None},
        {**ROWS[1], "longway_id": "1", "longway_source": None},
        {**ROWS[3], "longway_id": "3", "longway_source": None},
        {"claim": "He is short.", "evidence": "He is short and kind.", "label": "no", "n": 2, "longway_id": "1+repair1", "longway_source": "1"},
    ]  # fmt: skip
    folder = made_run(
        tmp_path / "run", repair_edits(), command="repair", settings=COLUMNS, rows=rows, repair__json={}
    )
    about = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**about, "fingerprint": data.fingerprint}))
    return folder


@pytest.fixture
def contents(repaired):
    opened = RunContents(repaired, data=repaired.parent / "claims.jsonl")
    yield opened
    opened.close()


def key_of(contents, id):
    return next(one.key for one in contents.edits.all(EditFilter()) if one.edit.id == id)


def decide(contents, id, choice):
    contents.decisions.write("edit", key_of(contents, id), {"choice": choice}, author="ada")


def exported(contents, path):
    export_dataset(contents, path)
    return {row["longway_id"]: row for row in map(json.loads, path.read_text().splitlines())}


def test_each_changed_row_has_one_edit_from_its_original_to_its_final_text(repaired):
    found = {edit.id: edit for _, _, edit in merged(repaired / "edits.jsonl", text="claim")}
    assert list(found) == ["0", "1+repair1", "2", "3+repair1", "3"]
    row = found["0"]
    assert (row.before, row.after, row.method) == (
        "It is only a film.",
        "It is a short film.",
        "take out, put in",
    )
    assert [step.accepted for step in RowTrace.of(row).steps] == [True, False, True]
    assert RowTrace.of(found["1+repair1"]).columns == {
        "evidence": ("He is tall and kind.", "He is short and kind.")
    }
    assert (found["2"].before, found["2"].drops) == ("She never sang.", True)
    assert (found["3+repair1"].accepted, found["3+repair1"].reason) == (False, LEFT_OUT_AGAIN)
    assert RowTrace.of(found["3"]) is None


def test_without_decisions_the_dataset_is_that_of_the_run(contents, tmp_path):
    assert not [row for row in chosen(contents) if row.differs]
    assert list(exported(contents, tmp_path / "out.jsonl")) == ["0", "1", "3", "1+repair1"]


def test_a_rejected_row_gets_its_original_text_back(contents, tmp_path):
    decide(contents, "0", "reject")
    assert exported(contents, tmp_path / "out.jsonl")["0"]["claim"] == "It is only a film."


def test_a_rejected_added_row_is_left_out_and_an_accepted_one_comes_in(contents, tmp_path):
    decide(contents, "1+repair1", "reject")
    decide(contents, "3+repair1", "accept")
    rows = exported(contents, tmp_path / "out.jsonl")
    assert list(rows) == ["0", "1", "3", "3+repair1"]
    assert (rows["3+repair1"]["claim"], rows["3+repair1"]["evidence"]) == ("We stayed.", "We left early.")


def test_a_rejected_drop_keeps_the_row_as_it_was(contents, tmp_path):
    decide(contents, "2", "reject")
    rows = exported(contents, tmp_path / "out.jsonl")
    assert {name: rows["2"][name] for name in ROWS[2]} == ROWS[2]
    assert len(rows) == 5


def test_a_dropped_row_of_an_earlier_version_needs_the_original_file(repaired, tmp_path):
    contents = RunContents(repaired)
    contents.settings["data"] = "claims.jsonl"
    decide(contents, "2", "reject")
    with pytest.raises(SettingError, match=r"1 row that was dropped.*run --data claims\.jsonl$"):
        export_dataset(contents, tmp_path / "out.jsonl")
    contents.close()


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_dropped_row_is_restored_from_what_the_run_kept(ending, tmp_path):
    original = tmp_path / f"claims.{ending}"
    save([DataTable(pl.DataFrame(ROWS))], original)
    data = load(original, text="claim", context="evidence", label="label")
    identity = RunIdentity("repair", COLUMNS, data.fingerprint)
    with active_run(identity, tmp_path / "run", Watcher()) as run:
        with run.edit_log() as log:
            log.write(map(Edit.from_dict, repair_edits()))
        run.write_dataset(data, data, log.changes)
        run._run.finish()
    contents = RunContents(tmp_path / "run")
    assert contents.dropped_path == tmp_path / "run" / f"dropped.{ending}"
    assert load(contents.dataset_path, text="claim", label="label").frame.height == 4
    decide(contents, "2", "reject")
    written = load(export_dataset(contents, tmp_path / f"out.{ending}"), text="claim", label="label").frame
    contents.close()
    assert written.height == 5
    last = written.row(-1, named=True)
    assert {name: str(last[name]) for name in ROWS[2]} == {
        name: str(value) for name, value in ROWS[2].items()
    }
    assert last["longway_id"] == "2"


def test_a_text_by_hand_becomes_the_final_text(contents, tmp_path):
    text = "It is a short film, they say."
    write_by_hand(contents, key_of(contents, "0"), text, author="ada")
    assert exported(contents, tmp_path / "out.jsonl")["0"]["claim"] == text
    write_by_hand(contents, key_of(contents, "1+repair1"), "He is rather short.", author="ada")
    row = exported(contents, tmp_path / "out.jsonl")["1+repair1"]
    assert (row["claim"], row["evidence"]) == ("He is rather short.", "He is short and kind.")


def test_a_dropped_row_has_no_text_to_write(contents):
    with pytest.raises(SettingError, match="Reject the edit to keep the row"):
        write_by_hand(contents, key_of(contents, "2"), "She sang.", author="ada")


def test_cards_have_the_fate_the_other_column_and_the_steps(contents):
    cards = {one.card.id: one for one in edits_page(contents, {}).view["edits"]}
    assert [one.fate for one in cards.values()] == ["", "added", "dropped", "added", ""]
    assert cards["1+repair1"].source == "1"
    assert [one.name for one in cards["1+repair1"].columns] == ["evidence"]
    assert [step.why for step in cards["0"].steps] == ["", "surface: odd", ""]
    assert cards["2"].steps[-1].change is None
    assert not cards["1+repair1"].steps  # one step, in two columns
    page = edit_page(contents, {"key": key_of(contents, "2")})
    assert page.view["hand_text"] is None


def test_a_browser_shows_one_card_per_row_with_folded_steps(contents, new_page):
    with serving(contents, author="ada") as served, new_page() as page:
        page.goto(served.url)
        page.get_by_role("link", name="Edits", exact=True).click()
        cards = page.locator("article.edit")
        assert cards.count() == 3  # kept by the run
        first = cards.nth(0)
        assert "It is only a film." in first.inner_text()
        assert not first.locator("ol").is_visible()
        first.locator("summary").click()
        assert first.locator("ol > li").count() == 3
        assert "row dropped" in cards.nth(2).inner_text()


@pytest.fixture
def rewritten_twice(tmp_path):
    """A rewrite of one text in two rounds, with a candidate that was refused in the second; another text is rewritten once."""
    edits = [
        an_edit("0", "a b c", "a b", accepted=True, how="first"),
        an_edit("1", "x y", "x", accepted=True, how="first"),
        an_edit("0", "a b", "b", round=2, how="other", reason="meaning: far"),
        an_edit("0", "a b", "a", accepted=True, round=2, how="second"),
    ]
    rows = [
        {"text": "a", "label": "pos", "longway_id": "0"},
        {"text": "x", "label": "pos", "longway_id": "1"},
    ]
    contents = RunContents(made_run(tmp_path / "twice", edits, rows=rows))
    yield contents
    contents.close()


def test_a_text_that_was_rewritten_twice_has_one_card_and_its_refused_candidate_another(rewritten_twice):
    found = [
        (one.edit.id, one.edit.before, one.edit.after) for one in rewritten_twice.edits.all(EditFilter())
    ]
    assert found == [("0", "a b c", "a"), ("1", "x y", "x"), ("0", "a b", "b")]
    card = edits_page(rewritten_twice, {}).view["edits"][0]
    assert [step.how for step in card.steps] == ["first", "second"]
    assert list(rewritten_twice.edits.facets()["rule"]) == ["first", "other", "second"]


def test_a_text_that_was_rewritten_twice_is_decided_as_a_whole(rewritten_twice, tmp_path):
    def text():
        export_dataset(rewritten_twice, tmp_path / "out.jsonl")
        return json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["text"]

    whole, _, refused = rewritten_twice.edits.keys(EditFilter())
    assert text() == "a"
    rewritten_twice.decisions.write("edit", refused, {"choice": "accept"}, author="ada")
    assert text() == "b"
    rewritten_twice.decisions.write("edit", refused, {"choice": "none"}, author="ada")
    rewritten_twice.decisions.write("edit", whole, {"choice": "reject"}, author="ada")
    assert text() == "a b c"
