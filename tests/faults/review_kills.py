"""kill -9 while somebody decides: every decision that was answered for is there afterwards, once, and the review opens again.

killed_while_deciding(bench, run, kills=40, draw=random.Random(0))
"""

from __future__ import annotations

import math
import re
import shutil
import signal
import sqlite3
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Timer

import httpx

from tests.faults.kills import Counts
from tests.faults.wholeness import content, torn

ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+/)\?token=\S+")
MOST_DECISIONS = 20  # before a kill
NAME = "review"


def killed_while_deciding(bench, run, *, kills, draw, counts=None, until=math.inf):
    """Kill the review of a copy of `run` so many times, and check its log each time and at the end."""
    counts, folder = counts or Counts(), bench.folder / "reviewed"
    shutil.copytree(run, folder)
    files = content(folder)
    log = []
    while counts.kills[NAME] < kills and time.monotonic() < until:
        child = _start(bench, folder)
        if draw.random() < 0.15:  # while it opens
            time.sleep(draw.uniform(0, 0.4))
            told, code = [], _kill(child)
        else:
            told, code = _decide(child, draw)
        counts.check(code == -signal.SIGKILL, f"{NAME}: ended with {code}: {child.said.read_text()[-300:]}")
        counts.kills[NAME] += 1
        counts.lost += [f"{NAME}, killed: {line}" for line in torn(folder)]
        log = _check_log(log, told, log_of(folder), counts)
        counts.decisions += len(told)
    _check_what_is_shown(bench, folder, log, counts)
    now = {name: value for name, value in content(folder).items() if not name.startswith("review/")}
    counts.check(now == files, f"{NAME}: it changed the run's own files")
    counts.ends += 1
    return counts


def log_of(folder):
    """The decisions on disk, in their order: number, key, choice; read from a copy."""
    if not (folder / "review" / "review.sqlite").exists():
        return []
    with tempfile.TemporaryDirectory() as beside:
        for path in (folder / "review").glob("review.sqlite*"):
            shutil.copy(path, beside)
        with closing(sqlite3.connect(Path(beside) / "review.sqlite")) as database:
            if not database.execute("select 1 from sqlite_master where name = 'log'").fetchall():
                return []
            query = "select seq, key, json_extract(value, '$.choice') from log order by seq"
            return database.execute(query).fetchall()


def _start(bench, folder):
    told = ["review", folder.name, "--no-browser", "--author", "ann"]
    return bench.starts.start(told, cwd=bench.folder, env=bench.env)


def _kill(child):
    child.kill(signal.SIGKILL)
    return child.wait()


@contextmanager
def _tab(child):
    """A client that opened the address that the command printed."""
    while not (found := ADDRESS.search(child.said.read_text())):
        assert child.is_running(), child.said.read_text()
        time.sleep(0.005)
    with httpx.Client(base_url=found[1], headers={"origin": found[1][:-1]}, timeout=30) as client:
        assert client.get(found[0]).status_code == 303
        yield client


def _decide(child, draw):
    """Decide until the process is killed in the middle; gives what was answered for, and the exit code."""
    told, last = [], draw.randint(1, MOST_DECISIONS)
    delay = draw.uniform(0, 0.03)
    timer = None
    try:
        with _tab(child) as client:
            keys = [one["key"] for one in client.get("/edits.json").json()["edits"]]
            while True:
                if len(told) >= last and timer is None:
                    timer = Timer(delay, child.kill, [signal.SIGKILL])
                    timer.start()
                key, choice = draw.choice(keys), draw.choice(["accept", "reject", "none"])
                answer = client.post("/decide", json={"kind": "edit", "key": key, "choice": choice})
                assert answer.status_code == 200, answer.text
                told.append((answer.json()["decision"]["seq"], key, choice))
    except httpx.TransportError:
        pass  # it was killed
    if timer is not None:
        timer.join()
    return told, _kill(child) if timer is None else child.wait()


def _check_log(before, told, log, counts):
    """The log as it is now: what was there is there, what was answered for is there once, and one more at most."""
    counts.check(log[: len(before)] == before, f"{NAME}: decisions of earlier are gone or changed")
    new = log[len(before) :]
    counts.check(
        new[: len(told)] == told, f"{NAME}: {len(told)} decisions were answered for, {len(new)} kept"
    )
    counts.check(len(new) <= len(told) + 1, f"{NAME}: {len(new) - len(told)} decisions too many")
    counts.check([row[0] for row in log] == list(range(1, len(log) + 1)), f"{NAME}: the log has gaps")
    return log


def _check_what_is_shown(bench, folder, log, counts):
    """The review opens again and shows what holds by the log."""
    child = _start(bench, folder)
    with _tab(child) as client:
        shown = client.get("/export/everything.json").json()["edits"]
    _kill(child)
    holds = {key: choice for _, key, choice in log}
    found = {one["key"]: one["decision"]["value"]["choice"] for one in shown if one["decision"]}
    counts.check(found == holds, f"{NAME}: what is shown is not what was decided")
