"""What the campaign looks with must see what is broken."""

import json
import shutil

import polars as pl
import pytest

from longway.store import Journal, Run
from tests.faults.kills import Counts, compare, each_id_once
from tests.faults.wholeness import content, torn, untidy


@pytest.fixture
def folder(tmp_path):
    """A run folder with a file of each kind."""
    run = Run.open(tmp_path / "run", command="rewrite", settings={}, fingerprint="f")
    (run.folder / "edits.jsonl").write_text('{"id": "a"}\n{"id": "b"}\n')
    (run.folder / "dataset.csv").write_text("id,text,longway_id\na,x,a\nb,y,b\n")
    (run.folder / "report.html").write_text("<html><p>took 3 s</p></html>\n")
    pl.DataFrame({"n": range(500)}).write_parquet(run.folder / "scores.parquet")
    journal = Journal(run.folder / "journal.sqlite")
    for i in range(60):
        journal.put(f"k{i}", kind="write", engine="toy", answer={"text": "x" * 900}, seconds=i)
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
