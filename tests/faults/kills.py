"""kill -9 at any moment: what was on disk stays whole, and the same command again ends as if nothing had been.

    whole = undisturbed(bench, job)
    counts = killed(bench, whole, kills=40, draw=random.Random(0))

A moment is a random time of the undisturbed run, or a random one of the changes that the run folder goes through (a file
appears, the journal grows), so that what takes milliseconds is hit as well. A killed run is killed again, or goes on to its end.
"""

from __future__ import annotations

import csv
import json
import math
import shutil
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from longway.store import RUN_FILE
from tests.faults.jobs import Job
from tests.faults.starts import AT_ONCE
from tests.faults.wholeness import content, torn, untidy

LOOK = 0.002  # seconds between two looks at a folder


@dataclass
class Counts:
    """What was done and seen. lost: everything that was not as it should be, in words."""

    kills: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    ends: int = 0
    files: int = 0
    rows: int = 0
    decisions: int = 0
    answers: int = 0
    asked_again: int = 0
    most_open: int = 0  # calls that one kill met sent and not yet on disk
    paid_twice: int = 0
    lost: list[str] = field(default_factory=list)

    def check(self, is_so, told):
        """Note what is not as it should be."""
        if not is_so:
            self.lost.append(told)

    @property
    def cases(self):
        """Runs killed and faults injected."""
        return self.kills.total() + self.faults.total()


@dataclass(frozen=True)
class Whole:
    """A run that nothing disturbed. changes: how often its folder was seen to change; calls: by the server's count."""

    job: Job
    content: dict
    seconds: float
    changes: int
    calls: set


def undisturbed(bench, job):
    """Run a job to its end, watching its folder."""
    job.forget()
    out = bench.folder / f"{job.name}-whole"
    began, child, changes = time.monotonic(), bench.start(job, out.name), 0
    before = state(out)
    while child.is_running():
        if (now := state(out)) != before:
            before, changes = now, changes + 1
        time.sleep(LOOK)
    seconds = time.monotonic() - began
    assert child.wait() == 0, child.said.read_text()
    assert torn(out) == untidy(out) == []
    calls = set() if job.server is None else set(job.server.charged)
    return Whole(job, content(out), seconds, changes, calls)


def state(folder):
    """Names and sizes of all files of a folder and of those in it, as they are now."""
    try:
        return {(path.name, path.stat().st_size) for path in folder.rglob("*")}
    except OSError:  # it is being moved into place
        return None


def killed(bench, whole, *, kills, draw, counts=None, until=math.inf):
    """Kill a job so many times, and check what is left each time and at each end. until: no more of it after this time."""
    counts, job = counts or Counts(), whole.job
    life, deaths, kept = 0, 0, {}
    out = None
    while counts.kills[job.name] < kills and (out is not None or time.monotonic() < until):
        if out is None:
            life += 1
            out, deaths, kept = bench.folder / f"{job.name}-{life}", 0, {}
            job.forget()
        child = bench.start(job, out.name)
        wait_for_a_moment(child, out, whole, draw)
        child.kill(signal.SIGKILL)
        code = child.wait()
        if code == -signal.SIGKILL:
            counts.kills[job.name] += 1
            deaths += 1
            kept = after_a_kill(job, out, kept, counts, deaths=deaths)
        else:
            counts.check(code == 0, f"{job.name}: ended with {code}: {child.said.read_text()[-300:]}")
        is_last = counts.kills[job.name] == kills or time.monotonic() > until
        if code == 0 or draw.random() < 0.5 or is_last:
            to_the_end(bench, whole, out, kept, counts, deaths=deaths)
            shutil.rmtree(out)
            out = None
    return counts


def wait_for_a_moment(child, out, whole, draw):
    """Until a random time, or until the folder has changed a random number of times; or until the process ends."""
    if draw.random() < 0.4:
        until = time.monotonic() + draw.uniform(0, whole.seconds)
        while time.monotonic() < until and child.is_running():
            time.sleep(LOOK)
        return
    changes, before = draw.randint(1, whole.changes), state(out)
    while changes and child.is_running():
        if (now := state(out)) != before:
            before, changes = now, changes - 1
        time.sleep(LOOK)


def after_a_kill(job, out, kept, counts, *, deaths=1):
    """Check what a kill left; gives the keys of the answers on disk, each with the requests that came for it.

    deaths: how often this run ended before its end; each time at most the calls under way have no answer on disk.
    """
    if not out.exists():
        return {}
    counts.files += sum(path.is_file() for path in out.rglob("*"))
    counts.lost += [f"{job.name}, killed: {line}" for line in torn(out)]
    requests, answers = job.requests(), kept_in(out)
    counts.check(set(kept) <= answers, f"{job.name}: answers that were on disk are gone")
    asked = [key for key, n in kept.items() if requests.get(key, 0) != n]
    counts.check(not asked, f"{job.name}: {len(asked)} answers that were on disk were asked for again")
    open_calls = len(set(requests) - answers)
    counts.check(open_calls <= deaths * AT_ONCE, f"{job.name}: {open_calls} calls open after {deaths} kills")
    if deaths == 1:
        counts.most_open = max(counts.most_open, open_calls)
    return {key: requests.get(key, 0) for key in answers}


def kept_in(out):
    """The keys of all answers on disk, read from a copy."""
    if not (out / "journal.sqlite").exists():
        return set()
    with tempfile.TemporaryDirectory() as beside:
        for path in out.glob("journal.sqlite*"):
            shutil.copy(path, beside)
        with closing(sqlite3.connect(Path(beside) / "journal.sqlite")) as database:
            if not database.execute("select 1 from sqlite_master where name = 'calls'").fetchall():
                return set()
            return {key for (key,) in database.execute("select key from calls")}


def to_the_end(bench, whole, out, kept, counts, *, deaths=1):
    """Run the same command again until its end, and compare with the undisturbed run. deaths: times that it ended before."""
    job = whole.job
    code, said = bench.run(job, out.relative_to(bench.folder).as_posix())
    counts.check(code == 0 and "Traceback" not in said, f"{job.name}: does not go on: {said[-400:]}")
    if code != 0:
        return
    counts.ends += 1
    is_done = json.loads((out / RUN_FILE).read_text())["state"] == "done"
    counts.check(is_done, f"{job.name}: ended and is not done")
    counts.lost += [f"{job.name}, at its end: {line}" for line in torn(out)]
    counts.check(not untidy(out), f"{job.name}: left {[path.name for path in untidy(out)]} behind")
    compare(job.name, content(out), whole.content, counts)
    if (out / "dataset.csv").exists():
        counts.rows += each_id_once(job.name, bench.folder / job.data, out / "dataset.csv", counts)
    if job.server is not None:
        requests = job.requests()
        asked = [key for key, n in kept.items() if requests.get(key, 0) != n]
        counts.check(not asked, f"{job.name}: {len(asked)} answers that were on disk were asked for again")
        counts.check(set(job.server.charged) == whole.calls, f"{job.name}: other calls than undisturbed")
        twice = job.server.charged.total() - len(job.server.charged)
        counts.check(not twice, f"{job.name}: {twice} calls were paid twice")
        counts.paid_twice += twice
        counts.answers += len(requests)
        again = sum(n - 1 for n in requests.values())
        counts.check(again <= deaths * AT_ONCE, f"{job.name}: {again} calls asked again after {deaths} kills")
        counts.asked_again += again


def compare(name, found, expected, counts):
    """Note each file that is not what the undisturbed run wrote."""
    counts.check(set(found) == set(expected), f"{name}: files {sorted(set(found) ^ set(expected))}")
    for file in set(found) & set(expected):
        counts.check(found[file] == expected[file], f"{name}: {file} is not as in an undisturbed run")


def each_id_once(name, before, after, counts):
    """How many rows were looked at; each id of the input must be there once."""
    with before.open(encoding="utf-8") as one, after.open(encoding="utf-8") as other:
        given = Counter(row["id"] for row in csv.DictReader(one))
        found = Counter(row["longway_id"] for row in csv.DictReader(other))
    wrong = [key for key in given if found[key] != 1] + [key for key, n in found.items() if n != 1]
    counts.check(not wrong, f"{name}: ids lost or twice: {wrong[:5]}")
    return found.total()
