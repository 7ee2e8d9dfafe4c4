"""Decisions against a slow twin of lists, from two threads, two processes, and a process that is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import RunError
from longway.review.database import Database
from longway.review.decisions import Conflict, Decisions, LookupFailed

KEYS, AUTHORS, CHOICES = ("k1", "k2", "k3"), ("ann", "bob"), ("accept", "reject", "none")


@contextmanager
def opened(path=None):
    with TemporaryDirectory() as folder:
        database = Database(path or Path(folder) / "review" / "review.sqlite")
        try:
            yield Decisions(database)
        finally:
            database.close()


class Twin:
    """The same with lists: of what was written, of what holds for each key, and of what was taken back."""

    def __init__(self):
        self.log, self.undone, self.n_batches = [], set(), 0

    def last(self, key):
        return next((one for one in reversed(self.log) if one["key"] == key), None)

    def write(self, values, author):
        self.n_batches += 1
        for key, choice in values.items():
            one = {"key": key, "choice": choice, "author": author, "batch": self.n_batches, "is_undo": False}
            self.log.append(
                {**one, "what": len(self.log)}
            )  # what: the decision that it says again, or itself

    def batch_of(self, author):
        own = [one["batch"] for one in self.log if one["author"] == author and not one["is_undo"]]
        return max((batch for batch in own if batch not in self.undone), default=None)

    def undo(self, author):
        """ "conflict" where others decided since; else how many keys went back."""
        batch = self.batch_of(author)
        if batch is None:
            return 0
        back = []
        for place, one in enumerate(self.log):
            if one["batch"] == batch and self.last(one["key"])["what"] == place:
                before = [other for other in self.log[:place] if other["key"] == one["key"]]
                said = before[-1] if before else {"choice": "none", "what": None}
                back.append({"key": one["key"], "choice": said["choice"], "what": said["what"]})
        if not back:
            return "conflict"
        self.undone.add(batch)
        self.n_batches += 1
        self.log += [{**one, "author": author, "batch": self.n_batches, "is_undo": True} for one in back]
        return len(back)


ONE = st.tuples(st.just("write"), st.sampled_from(AUTHORS), st.sampled_from(KEYS), st.sampled_from(CHOICES))
MANY = st.tuples(
    st.just("many"),
    st.sampled_from(AUTHORS),
    st.dictionaries(st.sampled_from(KEYS), st.sampled_from(CHOICES), min_size=1),
)
UNDO = st.tuples(st.just("undo"), st.sampled_from(AUTHORS))


@given(st.lists(ONE | MANY | UNDO | UNDO, max_size=14))
def test_any_sequence_by_two_authors_equals_the_slow_twin(actions):
    twin = Twin()
    with opened() as decisions:
        for name, author, *what in actions:
            if name == "write":
                twin.write({what[0]: what[1]}, author)
                decisions.write("edit", what[0], {"choice": what[1]}, author=author)
            elif name == "many":
                twin.write(what[0], author)
                decisions.write_many("edit", {k: {"choice": c} for k, c in what[0].items()}, author=author)
            elif (expected := twin.undo(author)) == "conflict":
                with pytest.raises(Conflict):
                    decisions.undo(author=author)
            else:
                assert len(decisions.undo(author=author)) == expected
        log = [(one.key, one.value["choice"], one.author, one.batch) for one in decisions.history()[::-1]]
        assert log == [(one["key"], one["choice"], one["author"], one["batch"]) for one in twin.log]
        holds = {key: one.value["choice"] for key, one in decisions.current("edit").items()}
        assert holds == {key: twin.last(key)["choice"] for key in KEYS if twin.last(key)}
        assert all(decisions.of("edit", key).seq == one.seq for key, one in decisions.current("edit").items())


def test_undo_goes_back_step_by_step_and_takes_nothing_out():
    with opened() as decisions:
        decisions.write("edit", "k", {"choice": "accept"}, author="ann")
        decisions.write("edit", "k", {"choice": "hand", "text": "ours"}, author="ann")
        assert decisions.undo(author="ann")[0].value == {"choice": "accept"}
        assert decisions.undo(author="ann")[0].value == {"choice": "none"}
        assert decisions.undo(author="ann") == []
        assert len(decisions.history()) == 4


def test_undo_of_a_given_batch_is_the_authors_own_and_happens_once():
    with opened() as decisions:
        first = decisions.write("edit", "k1", {"choice": "accept"}, author="ann")
        decisions.write("edit", "k2", {"choice": "accept"}, author="ann")
        with pytest.raises(LookupFailed, match="There is no batch"):
            decisions.undo(author="bob", batch=first.batch)
        with pytest.raises(LookupFailed):
            decisions.undo(author="ann", batch=99)
        back = decisions.undo(author="ann", batch=first.batch)
        assert [one.key for one in back] == ["k1"]
        assert decisions.undo(author="ann", batch=first.batch) == []
        with pytest.raises(LookupFailed):  # an undo is no decision of its own to be taken back
            decisions.undo(author="ann", batch=back[0].batch)
        assert decisions.of("edit", "k2").value == {"choice": "accept"}


def test_a_page_that_did_not_see_the_last_decision_is_told_what_it_is():
    with opened() as decisions:
        first = decisions.write("edit", "k", {"choice": "accept"}, author="ann", seen=0)
        with pytest.raises(Conflict, match="ann decided 'accept'") as told:
            decisions.write("edit", "k", {"choice": "reject"}, author="bob", seen=0)
        assert told.value.current == first == decisions.of("edit", "k")
        decisions.write("edit", "k", {"choice": "reject"}, author="bob", seen=first.seq)
        with pytest.raises(Conflict, match="nothing was decided yet") as told:
            decisions.write("edit", "other", {"choice": "reject"}, author="bob", seen=7)
        assert told.value.current is None


def test_kinds_do_not_touch_each_other():
    with opened() as decisions:
        decisions.write("finding", "k", {"choice": "signal"}, author="ann")
        decisions.write("tag", "k", {"rater": "ann", "tags": ["label kept"]}, author="ann", seen=0)
        assert decisions.current("edit") == {}
        assert decisions.history("tag", "k")[0].value["tags"] == ["label kept"]
        assert [one.kind for one in decisions.history()] == ["tag", "finding"]


def test_texts_that_are_hard_to_store_come_back_as_they_were():
    with opened() as decisions:
        text = "half \ud800, nothing \0, right to left \u202e, 'quoted'\n"
        decisions.write("edit", "k", {"choice": "hand", "text": text}, author="Ännä")
        assert decisions.of("edit", "k").value["text"] == text


def test_two_threads_with_a_connection_each_lose_nothing(tmp_path):
    path, n = tmp_path / "review.sqlite", 60

    def work(author):
        with opened(path) as decisions:
            for i in range(n):
                decisions.write("edit", f"k{i % 7}", {"choice": "accept"}, author=author)

    threads = [threading.Thread(target=work, args=(author,)) for author in AUTHORS]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    _check_whole(path, dict.fromkeys(AUTHORS, n))


def _check_whole(path, counts):
    """Everything that was acknowledged is there, once, in an order, and what holds is the last of it."""
    with opened(path) as decisions:
        log = decisions.history(last=1_000_000)[::-1]
        for author, n in counts.items():
            assert sum(one.author == author for one in log) >= n
        assert [one.seq for one in log] == list(range(1, len(log) + 1))
        assert len({one.batch for one in log}) == len(log)
        assert decisions.current("edit") == {one.key: one for one in log}


WRITER = """
import sys
from pathlib import Path
from longway.review.database import Database
from longway.review.decisions import Decisions

decisions = Decisions(Database(Path(sys.argv[1])))
for i in range(int(sys.argv[3])):
    decisions.write("edit", f"k{i % 5}", {"choice": "reject"}, author=sys.argv[2])
    print(i + 1, flush=True)
"""


def _start(path, author, n):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path, author, str(n)], stdout=subprocess.PIPE, text=True
    )


def test_two_processes_lose_nothing(tmp_path):
    path = tmp_path / "review.sqlite"
    started = [_start(path, author, 40) for author in AUTHORS]
    for process in started:
        process.communicate(timeout=60)
        assert process.returncode == 0
    _check_whole(path, dict.fromkeys(AUTHORS, 40))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_a_killed_process_keeps_everything_it_acknowledged(tmp_path):
    path = tmp_path / "review.sqlite"
    for author, n in (("ann", 1), ("bob", 17)):
        process = _start(path, author, 1_000_000)
        told = [int(process.stdout.readline()) for _ in range(n)]
        os.kill(process.pid, signal.SIGKILL)
        rest = process.communicate()[0].split()
        acknowledged = int(rest[-1]) if rest and rest[-1].isdigit() else told[-1]
        _check_whole(path, {author: max(acknowledged, told[-1])})


def test_a_file_that_is_no_review_is_told(tmp_path):
    path = tmp_path / "review.sqlite"
    path.write_text("not a database at all, but long enough to be looked at " * 30)
    with pytest.raises(RunError, match="damaged or no review"):
        Database(path)
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be created"):
        Database(tmp_path / "file" / "review.sqlite")


def test_what_is_in_the_file_is_plain_to_read(tmp_path):
    """Anyone with SQLite can read what was decided, by whom and when."""
    import sqlite3

    with opened(tmp_path / "review.sqlite") as decisions:
        decisions.write("edit", "k", {"choice": "accept"}, author="ann")
    time, author, value = (
        sqlite3.connect(tmp_path / "review.sqlite").execute("select time, author, value from log").fetchone()
    )
    assert time.endswith("Z")
    assert (author, json.loads(value)) == ("ann", {"choice": "accept"})
