"""A run folder: done is done, another run is another, and a killed one is no obstacle."""

import subprocess
import sys

import pytest

from longway.errors import RunError
from longway.store import RUN_FILE, Journal, JournalEntry, Run, free_folder, holding, list_runs, read_json

ASKED = {"command": "rewrite", "settings": {"seed": 0, "keep": ("a",)}, "fingerprint": "f"}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "x-rewrite"


@pytest.fixture
def done(folder):
    """A finished run with a journal."""
    run = Run.open(folder, **ASKED)
    run.write("rewrite.json", {"n": 1})
    journal = Journal(folder / "journal.sqlite")
    journal.put(JournalEntry("a", kind="write", engine="toy", answer={}))
    journal.close()
    run.finish()
    return run


def test_the_same_again_is_done(folder, done):
    assert Run.open(folder, **ASKED).is_done


def test_looking_into_the_journal_does_not_undo_a_run(folder, done):
    journal = Journal(folder / "journal.sqlite")
    journal.put_all(JournalEntry(f"k{i}", "write", "toy", {"text": "x" * 2000}) for i in range(99))
    assert (folder / "journal.sqlite-wal").stat().st_size > 0
    assert Run.open(folder, **ASKED).is_done
    journal.close()
    assert Run.open(folder, **ASKED).is_done


@pytest.mark.parametrize("harm", ["shorter", "gone"])
def test_a_run_whose_files_changed_is_not_done(folder, done, harm):
    if harm == "gone":
        (folder / "rewrite.json").unlink()
    else:
        (folder / "rewrite.json").write_text("{}")
    assert not Run.open(folder, **ASKED).is_done


def test_another_run_in_the_folder_is_told_by_what_differs(folder, done):
    other = ASKED | {"settings": {"seed": 1, "keep": ("a", "b")}}
    with pytest.raises(RunError, match="differs in: keep, seed"):
        Run.open(folder, **other)
    assert done.differences(**other) == "keep, seed"
    assert done.differences(**ASKED) == ""  # though a tuple is a list in the file
    assert free_folder(folder, **other) == folder.with_name("x-rewrite-2")
    assert free_folder(folder, **ASKED) == folder


def test_a_run_can_go_on_after_it_was_finished(folder, done):
    done.reopen()
    assert not done.is_done
    assert read_json(folder / RUN_FILE)["state"] == "running"
    assert "files" not in read_json(folder / RUN_FILE)
    done.finish()
    assert Run.open(folder, **ASKED).is_done


def test_what_a_killed_process_left_is_tidied_up(folder):
    """It may have died before the first run.json had its name."""
    folder.mkdir()
    (folder / ".run.json.ab12_xyz.json").write_text('{"comm')
    assert free_folder(folder, **ASKED) == folder
    run = Run.open(folder, **ASKED)
    (folder / ".edits.jsonl.q7fk2m0_.jsonl").write_text("half a li")
    (folder / ".dataset.csv.4711.part").write_text("id,te")  # as `data.save` names what it writes
    (folder / ".gitignore").write_text("*")
    Run.open(folder, **ASKED)
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", RUN_FILE]
    assert not run.is_done


def test_files_of_others_are_left_alone(folder):
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="do not belong to a run"):
        Run.open(folder, **ASKED)
    assert free_folder(folder, **ASKED) == folder.with_name("x-rewrite-2")
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_runs_are_listed_with_damaged_ones(folder, done):
    Run.open(folder.with_name("y-audit"), command="audit", settings={}, fingerprint="g")
    folder.with_name("z").mkdir()
    (folder.with_name("z") / RUN_FILE).write_text("{")
    states = {path.name: about["state"] for path, about in list_runs(folder.parent)}
    assert states == {"x-rewrite": "done", "y-audit": "running", "z": "damaged"}


HOLDER = """
import sys, time
from pathlib import Path
from longway.store import holding
with holding(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(folder):
    """Another process that holds the folder."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, folder], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_folder_that_another_process_writes_to_is_told_and_free_when_that_one_is_killed(folder, holder):
    with pytest.raises(RunError, match="x-rewrite is in use: another process"), holding(folder):
        pytest.fail("two at once")
    holder.kill()
    holder.wait()
    with holding(folder):
        assert not Run.open(folder, **ASKED).is_done
    assert [path.name for path in folder.iterdir()] == [RUN_FILE]


def test_a_finished_run_can_be_read_while_it_is_held(folder, done, holder):
    assert Run.finished(folder, **ASKED) == done
    assert Run.finished(folder, **ASKED | {"fingerprint": "g"}) is None
    assert Run.finished(folder.with_name("nothing"), **ASKED) is None


def test_holding_what_is_no_folder_leaves_the_error_to_the_run(folder):
    folder.write_text("a file")
    with holding(folder), pytest.raises(RunError, match="is a file"):
        Run.open(folder, **ASKED)


def test_a_folder_of_shards_counts_as_a_file(tmp_path):
    run = Run.open(tmp_path / "run", command="audit", settings={}, fingerprint="f")
    shards = run.folder / "scores.parquet"
    shards.mkdir()
    for number in (0, 1):
        (shards / f"part-{number}.parquet").write_bytes(b"12345")
    (run.folder / "batch").mkdir()
    run.finish()
    assert read_json(run.folder / RUN_FILE)["files"] == {"scores.parquet": 10}
    assert run.is_done
    (shards / "part-1.parquet").unlink()
    assert not run.is_done
