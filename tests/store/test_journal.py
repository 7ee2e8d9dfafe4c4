"""The journal: what was put is on disk, whole, whoever dies when."""

import sqlite3
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import RunError
from longway.store import CallTotals, Journal, JournalEntry
from longway.store.journal import key_of


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path):
    opened = Journal(path)
    yield opened
    opened.close()


def rows(n, *, kind="write", engine="toy", cost=0.25):
    """So many calls, as `put_all` takes them."""
    return [JournalEntry(f"k{i:04}", kind, engine, {"n": i}, {}, cost, 10, 5, 0.5) for i in range(n)]


def test_an_answer_comes_back_as_it_was(journal):
    answer = {"texts": ["Grüße \u2028 \x00 end", ""], "refusals": [], "nested": {"p": [0.1, None, True]}}
    journal.put(JournalEntry("a", kind="write", engine="toy", answer=answer))
    assert journal.get("a") == answer
    assert journal.get("b") is None
    assert len(journal) == 1


def test_many_are_found_by_key_and_missing_ones_left_out(journal):
    journal.put_all(rows(1200))
    wanted = ["nothing", *(f"k{i:04}" for i in range(0, 1200, 2))]
    assert journal.get_all(wanted) == {f"k{i:04}": {"n": i} for i in range(0, 1200, 2)}


def test_a_key_that_is_there_stays_as_it_is(journal):
    journal.put(JournalEntry("a", kind="write", engine="toy", answer={"n": 1}, cost=1.0))
    journal.put(JournalEntry("a", kind="write", engine="toy", answer={"n": 2}, cost=5.0))
    assert journal.get("a") == {"n": 1}
    assert journal.spent() == 1.0


def test_totals_are_told_by_engine_and_kind(journal):
    journal.put_all(rows(3))
    journal.put(
        JournalEntry("j", kind="judge", engine="other", answer={}, cost=0.5, prompt_tokens=7, seconds=2.0)
    )
    assert journal.totals() == [
        CallTotals("other", "judge", 1, 7, 0, 0.5, 2.0),
        CallTotals("toy", "write", 3, 30, 15, 0.75, 1.5),
    ]
    assert journal.spent() == 1.25
    assert Journal(None).totals() == []


def test_all_calls_come_in_the_order_of_their_keys(journal):
    journal.put_all(reversed(rows(1100)))
    calls = list(journal.entries())
    assert [call.key for call in calls] == [f"k{i:04}" for i in range(1100)]
    assert calls[7] == JournalEntry(
        key="k0007", kind="write", engine="toy", asked={}, answer={"n": 7}, cost=0.25,
        prompt_tokens=10, completion_tokens=5, seconds=0.5,
    )  # fmt: skip


def test_what_was_put_is_on_disk_when_put_returns(path, journal):
    """Read by another process, while this one still has the file open."""
    journal.put(JournalEntry("a", kind="write", engine="toy", answer={"n": 1}))
    code = "import sys, sqlite3; print(sqlite3.connect(sys.argv[1]).execute('select answer from calls').fetchall())"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == """[('{"n": 1}',)]"""


def test_readers_and_a_writer_do_not_wait_for_each_other(path, journal):
    other = Journal(path)
    reading = other.entries()
    journal.put_all(rows(3))
    assert next(reading).key == "k0000"
    journal.put(JournalEntry("z", kind="write", engine="toy", answer={}))
    other.put(JournalEntry("y", kind="write", engine="toy", answer={}))
    assert len(journal) == len(other) == 5
    assert sqlite3.connect(path).execute("pragma journal_mode").fetchone() == ("wal",)
    other.close()


def test_threads_may_share_a_journal(journal):
    def put(number):
        for i in range(20):
            journal.put(JournalEntry(f"{number}-{i}", kind="write", engine="toy", answer={"n": i}))

    threads = [threading.Thread(target=put, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(journal) == 100


def test_a_batch_that_fails_leaves_nothing_of_itself(journal):
    def broken():
        yield rows(1)[0]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        journal.put_all(broken())
    assert len(journal) == 0
    journal.put_all(rows(2))
    assert len(journal) == 2


def test_closing_leaves_one_file(path):
    journal = Journal(path)
    journal.put_all(rows(50))
    journal.close()
    assert [each.name for each in path.parent.iterdir()] == ["journal.sqlite"]
    again = Journal(path)
    assert len(again) == 50
    again.close()


def test_closing_works_while_another_connection_reads(path, journal):
    journal.put_all(rows(3))
    reader = sqlite3.connect(path)
    assert reader.execute("select key from calls").fetchone() == ("k0000",)
    second = Journal(path)
    second.close()
    reader.close()
    assert len(journal) == 3


PUTTING = """
import sys
from pathlib import Path
from longway.store.journal import Journal, JournalEntry
journal = Journal(Path(sys.argv[1]))
for i in range(len(journal), 1_000_000):
    journal.put(JournalEntry(f"k{i:07}", kind="write", engine="toy", answer={"n": i, "text": "x" * 3000}))
    print(i, flush=True)
"""


def test_kill_9_in_the_middle_of_puts_leaves_a_whole_file(path):
    """Whatever was told as put is there after the kill, whole; at most the one under way may be there besides."""
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", PUTTING, str(path)], stdout=subprocess.PIPE, text=True
        )
        told = -1
        for line in process.stdout:
            told = int(line)
            if told % 40 == 39:
                break
        process.kill()
        told = max([told, *(int(line) for line in process.stdout if line.endswith("\n"))])
        process.wait()
        process.stdout.close()
        journal = Journal(path)
        kept = [call.answer["n"] for call in journal.entries()]
        assert kept == list(range(len(kept)))
        assert told + 1 <= len(kept) <= told + 2
        journal.close()
        assert sqlite3.connect(path).execute("pragma integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_file_that_is_no_journal_is_told(path, content):
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"journal\.sqlite .*delete the run folder"):
        Journal(path)
    assert path.read_bytes() == content


def test_a_database_of_someone_else_is_told(path):
    other = sqlite3.connect(path)
    other.execute("create table calls (name text)")
    other.commit()
    other.close()
    with pytest.raises(RunError, match=r"journal\.sqlite"):
        Journal(path)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(RunError, match="nowhere"):
        Journal(tmp_path / "nowhere" / "journal.sqlite")


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none() | st.lists(st.integers())))
def test_a_key_depends_on_the_contents_alone(shaped_by):
    backwards = dict(reversed(shaped_by.items()))
    assert key_of(shaped_by) == key_of(backwards)
    assert key_of(shaped_by) != key_of(shaped_by | {"one more": 1})
