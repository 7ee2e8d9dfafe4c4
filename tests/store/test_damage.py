"""A disk that is full, closed or bad: told with the file and the next step, and what was there before stays."""

import resource
import shutil
import sqlite3
from contextlib import closing, contextmanager

import pytest

from longway.errors import RunError
from longway.store import Journal, JournalEntry, Run, replacing, write_json
from longway.store import journal as journal_module
from tests.faults.injected import DAMAGES

KEYS = [f"k{i:03}" for i in range(40)]


@contextmanager
def no_file_larger_than(size):
    """The system refuses to let a file of this process grow beyond a size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def path(tmp_path):
    """A journal with a few answers, in one file."""
    journal = Journal(tmp_path / "journal.sqlite")
    for key in KEYS:
        journal.put(JournalEntry(key, kind="write", engine="toy", answer={"texts": [f"{key} " * 80]}))
    journal.close()
    return tmp_path / "journal.sqlite"


def answers_in(path):
    """All answers of a journal, as a run would read them."""
    with closing(Journal(path)) as journal:
        return journal.get_all(KEYS)


def test_a_file_that_does_not_fit_leaves_the_old_one_and_says_what_to_do(tmp_path):
    write_json(tmp_path / "run.json", {"n": 1})
    told = r"run\.json cannot be written: File too large\. .* and run the same command again\.$"
    with no_file_larger_than(5_000), pytest.raises(RunError, match=told):
        write_json(tmp_path / "run.json", {"n": "x" * 9_000})
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]
    assert (tmp_path / "run.json").read_text() == '{\n "n": 1\n}\n'


def test_errors_that_are_not_about_the_disk_stay_what_they_are(tmp_path):
    with pytest.raises(ConnectionResetError), replacing(tmp_path / "edits.jsonl"):
        raise ConnectionResetError
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "nothing" / "edits.jsonl"):
        pytest.fail("there is no such folder")
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_does_not_fit_keeps_what_was_put_before(path):
    journal = Journal(path)
    more = (JournalEntry(f"more{i}", "write", "toy", {"text": "y" * 4_000}) for i in range(99))
    told = pytest.raises(RunError, match="Make room, and run the same command")
    with no_file_larger_than(path.stat().st_size), told:
        journal.put_all(more)
    journal.put(JournalEntry("last", kind="write", engine="toy", answer={}))
    assert set(KEYS) < set(journal.get_all([*KEYS, "last"]))
    assert journal.get("last") == {}
    journal.close()


@pytest.mark.parametrize("harm", DAMAGES, ids=lambda harm: harm.__name__)
def test_a_damaged_journal_is_told_and_not_written_to(path, harm):
    bad = harm(path.read_bytes())
    path.write_bytes(bad)
    with pytest.raises(RunError, match=r"journal\.sqlite is damaged.*Nothing was overwritten"):
        answers_in(path)
    assert path.read_bytes() == bad


@pytest.mark.parametrize(
    "change",
    [
        "answer = '{\"texts\": []}'",
        "asked = 'no JSON'",
        "asked = '[]'",
        "cost = 1000000",
        "kind = 'judge'",
    ],
)
def test_a_call_that_was_changed_is_never_given(path, change):
    with sqlite3.connect(path) as other:
        other.execute(f"update calls set {change} where key = 'k007'")
    other.close()
    journal = Journal(path)
    assert journal.get("k008") is not None
    for ask in (lambda: journal.get("k007"), lambda: journal.get_all(KEYS), lambda: list(journal.entries())):
        with pytest.raises(RunError, match="the entry with the key k007 was changed"):
            ask()
    journal.close()


def test_a_journal_of_an_earlier_version_goes_on(path):
    with sqlite3.connect(path) as other:
        other.execute("alter table calls drop column row_digest")
    other.close()
    journal = Journal(path)
    assert len(journal.get_all(KEYS)) == len(KEYS)
    journal.put(JournalEntry("new", kind="write", engine="toy", answer={"n": 1}))
    assert journal.get("new") == {"n": 1}
    journal.close()


def test_without_a_digest_what_is_no_json_is_told_all_the_same(path):
    with sqlite3.connect(path) as other:
        other.execute("update calls set row_digest = '', answer = '{' where key = 'k007'")
    other.close()
    journal = Journal(path)
    with pytest.raises(RunError, match="the entry with the key k007"):
        journal.get("k007")
    journal.close()


def test_a_call_that_cannot_be_kept_is_told(path):
    journal = Journal(path)
    with pytest.raises(RunError, match="cost"):
        journal.put(JournalEntry("odd", kind="write", engine="toy", answer={}, cost=float("nan")))
    journal.put(JournalEntry("next", kind="write", engine="toy", answer={"n": 1}, cost=1))
    assert (journal.get("odd"), journal.get("next")) == (None, {"n": 1})
    journal.close()


def test_a_journal_that_another_program_holds_is_told(path, monkeypatch):
    monkeypatch.setattr(journal_module, "WAIT", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    journal = Journal(path)
    other.execute("begin immediate")
    with pytest.raises(RunError, match=r"database is locked.*no other process writes to"):
        journal.put(JournalEntry("a", kind="write", engine="toy", answer={}))
    other.execute("rollback")
    journal.put(JournalEntry("a", kind="write", engine="toy", answer={}))
    assert journal.get("a") == {}
    journal.close()
    other.close()


def test_what_a_killed_process_left_in_inner_folders_is_tidied_up(tmp_path):
    asked = {"command": "prove", "settings": {}, "fingerprint": "f"}
    run = Run.open(tmp_path / "run", **asked)
    inner = Run.open(tmp_path / "run" / "baseline-eda", **asked)
    (run.folder / "cells").mkdir()
    for folder in (run.folder / "cells", inner.folder):
        (folder / ".0-ab.npz.q7fk2m0_.npz").write_text("half")
    (run.folder / "cells" / "0-ab.npz").write_text("whole")
    Run.open(run.folder, **asked)
    assert [path.name for path in (run.folder / "cells").iterdir()] == ["0-ab.npz"]
    assert len(list(inner.folder.iterdir())) == 2  # a run of its own, which tidies up itself
    shutil.rmtree(run.folder)
