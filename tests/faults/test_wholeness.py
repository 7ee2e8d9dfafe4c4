"""What the campaign looks with must see what is broken."""

import json
import shutil

import polars as pl
import pytest

from longway.store import Journal, JournalEntry, Run
from tests.faults.kills import Counts, after_a_kill, compare, each_id_once
from tests.faults.starts import AT_ONCE
from tests.faults.wholeness import content, masked, torn, untidy

PAGE = """<html><p>Made 2026-01-31T10:00:00Z, took 3.1 s</p>
<p>31 of 40 rows, $0.25, 1 min 05 s of engine time; leak 0.42</p></html>
"""


@pytest.fixture
def folder(tmp_path):
    """A run folder with a file of each kind."""
    run = Run.open(tmp_path / "run", command="rewrite", settings={}, fingerprint="f")
    (run.folder / "edits.jsonl").write_text('{"id": "a"}\n{"id": "b"}\n')
    (run.folder / "dataset.csv").write_text("id,text,longway_id\na,x,a\nb,y,b\n")
    (run.folder / "report.html").write_text(PAGE)
    pl.DataFrame({"n": range(500)}).write_parquet(run.folder / "scores.parquet")
    journal = Journal(run.folder / "journal.sqlite")
    for i in range(60):
        journal.put(JournalEntry(f"k{i}", kind="write", engine="toy", answer={"text": "x" * 900}, seconds=i))
    journal.close()
    run.finish()
    return run.folder


def test_a_whole_folder_is_whole(folder):
    assert torn(folder) == untidy(folder) == []
    assert len(content(folder)) == 6


@pytest.mark.parametrize(
    "name", ["run.json", "edits.jsonl", "dataset.csv", "report.html", "scores.parquet", "journal.sqlite"]
)
def test_a_file_that_was_cut_is_seen(folder, name):
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) - len(whole) // 8 - 2])
    assert [line.split(":")[0] for line in torn(folder)] == [name]


def test_looking_leaves_the_folder_as_it_is(folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    torn(folder)
    content(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_times_do_not_count_and_everything_else_does(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    about = json.loads((other / "run.json").read_text())
    (other / "run.json").write_text(json.dumps(about | {"started": "yesterday"}))
    counts = Counts()
    compare("x", content(other), content(folder), counts)
    assert counts.lost == []
    (other / "run.json").write_text(json.dumps(about | {"state": "running"}))
    (other / "edits.jsonl").write_text('{"id": "a"}\n{"id": "c"}\n')
    (other / "more.json").write_text("1")
    compare("x", content(other), content(folder), counts)
    assert len(counts.lost) == 3


def test_times_that_a_report_tells_do_not_count():
    later = (
        PAGE.replace("01-31T10:00:00", "02-01T11:12:13")
        .replace("3.1 s", "12 s")
        .replace("1 min 05 s", "2 h 05 min")
    )
    assert masked(later) == masked(PAGE) != PAGE


@pytest.mark.parametrize(
    ("old", "new"), [("31 of", "32 of"), ("$0.25", "$0.26"), ("0.42", "0.43"), ("rows", "texts")]
)
def test_a_figure_that_differs_in_a_report_is_noticed(folder, tmp_path, old, new):
    other = shutil.copytree(folder, tmp_path / "other")
    (other / "report.html").write_text(PAGE.replace(old, new))
    counts = Counts()
    compare("x", content(other), content(folder), counts)
    assert counts.lost == ["x: report.html is not as in an undisturbed run"]


def test_temporary_files_are_seen_in_inner_folders(folder):
    (folder / "cells").mkdir()
    (folder / "cells" / ".0-ab.npz.q7fk2m0_.npz").write_text("half")
    assert [path.name for path in untidy(folder)] == [".0-ab.npz.q7fk2m0_.npz"]
    assert torn(folder) == []


def test_an_id_that_is_lost_or_twice_is_seen(folder, tmp_path):
    given = tmp_path / "data.csv"
    given.write_text("id,text\na,x\nb,y\n")
    counts = Counts()
    assert each_id_once("x", given, folder / "dataset.csv", counts) == 2
    assert counts.lost == []
    (folder / "dataset.csv").write_text("id,text,longway_id\na,x,a\na,x,a\n")
    each_id_once("x", given, folder / "dataset.csv", counts)
    assert counts.lost == ["x: ids lost or twice: ['a', 'b', 'a']"]


@pytest.mark.parametrize(
    ("more", "deaths", "n_lost"), [(0, 1, 0), (1, 1, 1), (AT_ONCE, 2, 0), (AT_ONCE + 1, 2, 1)]
)
def test_more_calls_without_an_answer_on_disk_than_can_be_under_way_are_seen(folder, more, deaths, n_lost):
    class Job:
        name = "x"

        def requests(self):
            return {f"k{i}": 1 for i in range(60 + AT_ONCE + more)}

    counts = Counts()
    assert len(after_a_kill(Job(), folder, {}, counts, deaths=deaths)) == 60
    assert len(counts.lost) == n_lost
