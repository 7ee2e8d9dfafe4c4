"""Exports: exactly the decisions and nothing else, in each format; spreadsheets get no formulas; JSON has everything."""

import csv
import gzip
import io
import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data import load, save
from longway.data.edited import ID_COLUMN
from longway.errors import LongwayError, RunError
from longway.jobs.perturb.job import perturb
from longway.review.edit_list import EditFilter
from longway.review.export import dataset_name, escape_formula, export_csv, export_dataset, export_json
from longway.review.run_contents import RunContents
from tests.jobs.toy_perturb import rows_of
from tests.review.made_runs import COLUMNS, an_edit, made_run, reviews, rewritten

FORMATS = ("csv", "jsonl", "jsonl.gz", "json", "parquet")
NASTY = (
    "",
    None,
    '"',
    "a,b",
    "two\nlines",
    "tab\there",
    "'x'",
    "=1+1",
    " ",
    "null",
    "ä\u202e",
    "007",
    "1e5",
    "NaN",
    "\r\n",
)


def nasty_rows(n):
    """Reviews with a column of cells that are easily spoiled; every seventh has no label."""
    return [
        {
            **row,
            "label": None if i % 7 == 3 else row["label"],
            "odd": NASTY[i % len(NASTY)],
            "share": i / 7,
            "note": "x",
        }
        for i, row in enumerate(reviews(n))
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """One real rewrite of the same rows for each format."""
    folder = tmp_path_factory.mktemp("formats")
    for ending in FORMATS:
        data = save(pl.DataFrame(nasty_rows(30)), folder / f"data.{ending}")
        rewritten(folder / ending, data)
    return folder


def plain(path):
    """The bytes of a file, unpacked."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def records(path):
    """What stands for one row each in a text file, as it stands there; the rows of a binary one."""
    kind = path.name.split(".")[1]
    if kind == "csv":
        found, is_open = [""], False
        for line in plain(path).decode().splitlines(keepends=True):
            found[-1] += line
            is_open ^= line.count('"') % 2 == 1
            found += [] if is_open else [""]
        return found[1:-1]
    if kind == "jsonl":
        return plain(path).splitlines()
    if kind == "json":
        return [json.dumps(row) for row in json.loads(path.read_text(encoding="utf-8"))]
    return [json.dumps(row, default=str) for row in load(path, text="text", label="label").frame.to_dicts()]


def cells(path):
    """All rows by their id."""
    frame = load(path, text="text", label="label").frame
    return {row[ID_COLUMN]: row for row in frame.to_dicts()}


@given(
    st.sampled_from(FORMATS),
    st.lists(
        st.tuples(st.integers(0, 200), st.sampled_from(["accept", "reject", "hand", "none"])), max_size=8
    ),
    st.text(alphabet="ab ,\"\n'=é;\t", min_size=1).filter(str.strip),
    st.sampled_from(["as_run", "reject"]),
)
def test_the_dataset_has_exactly_the_decisions_and_every_other_row_as_it_was(
    runs, ending, decided, text, undecided
):
    with TemporaryDirectory() as folder:
        folder = Path(folder)
        shutil.copytree(runs / ending, folder / "run")
        contents = RunContents(folder / "run")
        edits = list(contents.edits.all(EditFilter()))
        assert len({one.edit.id for one in edits}) == len(edits)  # EDA makes one text a row
        said = {}
        for place, choice in decided:
            one = edits[place % len(edits)]
            said[one.edit.id] = choice
            contents.decisions.write("edit", one.key, {"choice": choice, "text": text}, author="ann")
        out = export_dataset(contents, folder / dataset_name(contents), undecided=undecided)
        contents.close()
        before, after = cells(folder / "run" / out.name), cells(out)
        expected = {id_: dict(row) for id_, row in before.items()}
        for edit in (one.edit for one in edits):
            default = "accept" if edit.accepted and undecided == "as_run" else "reject"
            choice = said.get(edit.id, "none")
            choice = default if choice == "none" else choice
            expected[edit.id]["text"] = {"accept": edit.after, "reject": edit.before, "hand": text}[choice]
        assert after == expected
        old, new = records(folder / "run" / out.name), records(out)
        assert len(old) == len(new) == len(before)
        same = [id_ for id_ in before if before[id_] == expected[id_]]
        at = {id_: place for place, id_ in enumerate(before)}
        assert [new[at[id_]] for id_ in same] == [old[at[id_]] for id_ in same]


@pytest.mark.parametrize("ending", FORMATS)
def test_without_decisions_the_export_is_the_dataset_of_the_run(runs, tmp_path, ending):
    shutil.copytree(runs / ending, tmp_path / "run")
    contents = RunContents(tmp_path / "run")
    out = export_dataset(contents, tmp_path / dataset_name(contents))
    assert out.name == f"dataset.{ending}"
    if ending == "parquet":
        assert load(out).frame.equals(load(tmp_path / "run" / out.name).frame)
    else:
        assert plain(out) == plain(tmp_path / "run" / out.name)


SOURCED = {**COLUMNS, "id": "nr"}


def sourced(id_, text, label, stars, source=None):
    return {
        "nr": id_, "text": text, "label": label, "stars": stars, "longway_id": id_, "longway_source": source,
    }  # fmt: skip


ROWS = [
    sourced("r1", "one", "pos", 3), sourced("r2", "two", "neg", 4), sourced("r1+x1", "eins", "neg", 3, "r1"),
]  # fmt: skip
ADDED = [
    an_edit("r1+x1", "one", "eins", source="r1", label_after="neg", accepted=True, method="coba"),
    an_edit("r2+x1", "two", "zwei", source="r2", label_before="neg", label_after="pos", method="coba"),
]


def added_run(folder, decide, **more):
    contents = RunContents(made_run(folder / "run", ADDED, command="augment", settings=SOURCED, rows=ROWS))
    kept, refused = contents.edits.keys(EditFilter())
    for key, value in decide(kept, refused).items():
        contents.decisions.write("edit", key, value, author="ann")
    out = export_dataset(contents, folder / "out.jsonl", **more)
    contents.close()
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_added_rows_are_left_out_when_rejected_and_refused_ones_added_when_accepted(tmp_path):
    new = sourced("r2+x1", "zwei", "pos", 4, "r2")
    accept, reject = {"choice": "accept"}, {"choice": "reject"}
    for number, (decide, more, expected) in enumerate(
        (
            (lambda kept, refused: {}, {}, ROWS),
            (lambda kept, refused: {kept: reject}, {}, ROWS[:2]),
            (lambda kept, refused: {refused: accept}, {}, [*ROWS, new]),
            (lambda kept, refused: {refused: reject, kept: accept}, {}, ROWS),
            (lambda kept, refused: {refused: accept}, {"undecided": "reject"}, [*ROWS[:2], new]),
            (
                lambda kept, refused: {kept: {"choice": "hand", "text": "uno"}},
                {},
                [*ROWS[:2], {**ROWS[2], "text": "uno"}],
            ),
            (
                lambda kept, refused: {refused: {"choice": "hand", "text": "due"}},
                {},
                [*ROWS, {**new, "text": "due"}],
            ),
        )
    ):
        (tmp_path / str(number)).mkdir()
        assert added_run(tmp_path / str(number), decide, **more) == expected


def test_rows_that_a_real_perturbation_added_go_when_they_are_rejected(tmp_path):
    data = load(rows_of(12), id="id")
    perturb(data, add=True, out=tmp_path / "run")
    contents = RunContents(tmp_path / "run")
    kept = contents.edits.page(EditFilter(status="kept")).rows
    contents.decisions.write("edit", kept[0].key, {"choice": "reject"}, author="ann")
    out = export_dataset(contents, tmp_path / dataset_name(contents))
    before, after = cells(tmp_path / "run" / out.name), cells(out)
    assert before.keys() - after.keys() == {kept[0].edit.id}
    assert all(before[id_] == row for id_, row in after.items())
    nothing = cells(export_dataset(contents, tmp_path / "none.parquet", undecided="reject"))
    assert set(nothing) == {row["id"] for row in rows_of(12)}


def test_a_cell_that_no_decision_changes_stays_empty(tmp_path):
    rows = [{"text": "b", "premise": None, "label": "pos", "longway_id": "1"}]
    tried = an_edit("1", "", "x", field="premise", how="gender")
    edits = [tried, an_edit("1", "a", "b", accepted=True)]
    run = made_run(tmp_path / "run", edits, settings={**COLUMNS, "context": "premise"}, rows=rows)
    contents = RunContents(run)
    contents.decisions.write("edit", contents.edits.keys(EditFilter())[1], {"choice": "reject"}, author="ann")
    out = export_dataset(contents, tmp_path / "out.jsonl")
    assert [json.loads(line) for line in out.read_text().splitlines()] == [{**rows[0], "text": "a"}]


def test_a_run_without_edits_has_no_dataset_to_export(tmp_path):
    contents = RunContents(made_run(tmp_path / "run", command="audit", findings__json={"findings": []}))
    with pytest.raises(RunError, match=r"no dataset with edits to export.*Open the folder of a rewrite"):
        export_dataset(contents, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


@given(st.text() | st.sampled_from(["=1", "+1", "-1", "@x", "\tx", "\rx", "  =1", "＝1"]))
def test_no_cell_begins_like_a_formula_and_the_text_is_still_there(text):
    cell = escape_formula(text)
    assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    assert cell in (text, "'" + text)


def test_the_csv_has_every_edit_with_its_decision_and_no_formulas(tmp_path):
    edits = [
        an_edit('=HYPERLINK("http://x")', "@SUM(1)", "+1\nand more", score_before=-0.5, accepted=True),
        an_edit("2", "plain", "-1", reason="\tnot chosen", method='=cmd|"/c calc"!A1'),
    ]
    contents = RunContents(made_run(tmp_path / "run", edits))
    contents.decisions.write(
        "edit", contents.edits.keys(EditFilter())[1], {"choice": "hand", "text": "=2"}, author="@ann"
    )
    raw = export_csv(contents, tmp_path / "edits.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")  # spreadsheets take it for another encoding otherwise
    first, second = csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
    assert first["id"] == '\'=HYPERLINK("http://x")'
    assert (first["before"], first["after"]) == ("'@SUM(1)", "'+1\nand more")
    assert (first["score_before"], first["choice"], first["status"]) == ("-0.5", "none", "kept")
    assert (second["before"], second["after"], second["reason"]) == ("plain", "'-1", "'\tnot chosen")
    assert (second["choice"], second["text_by_hand"], second["author"]) == ("hand", "'=2", "'@ann")
    assert second["method"].startswith("'=")


def test_the_json_has_everything(tmp_path):
    findings = [{"level": "token", "pattern": "</script>", "field": "text", "label": "pos", "q": 0.01}]
    run = made_run(
        tmp_path / "run",
        [an_edit("1"), an_edit("2")],
        rewrite__json={"findings": findings, "method": "razor"},
    )
    contents = RunContents(run)
    keys = contents.edits.keys(EditFilter())
    contents.decisions.write("edit", keys[0], {"choice": "accept"}, author="ann")
    contents.decisions.undo(author="ann")
    told = json.loads(export_json(contents, tmp_path / "all.json").read_text(encoding="utf-8"))
    assert told["run"]["command"] == "rewrite"
    assert told["summary"]["method"] == "razor"
    assert [one["pattern"] for one in told["findings"]] == ["</script>"]
    assert [one["key"] for one in told["edits"]] == keys
    assert [one["value"]["choice"] for one in told["decisions"]] == ["accept", "none"]
    assert told["edits"][0]["decision"] == told["decisions"][1]


def test_an_export_that_cannot_be_written_is_told(tmp_path):
    rows = [{"text": "b", "label": "pos", "longway_id": "1"}]
    contents = RunContents(made_run(tmp_path / "run", [an_edit("1", accepted=True)], rows=rows))
    for export in (export_csv, export_json, export_dataset):
        with pytest.raises(LongwayError, match=r"cannot be written .*Choose another path"):
            export(contents, tmp_path / "nowhere" / "out.jsonl")
    assert not (tmp_path / "nowhere").exists()
