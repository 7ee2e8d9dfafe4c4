"""Killed in the middle of a round, again and again: the end is that of an undisturbed run, and nothing is paid twice."""

import csv
import json
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest

from longway.store import RUN_FILE, Journal, read_json
from tests.engines.loopback import Loopback
from tests.jobs import toy_augment, toy_perturb
from tests.jobs.nursery import Nursery
from tests.jobs.toy_run import NOUNS, answer, write_csv

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are watched in /proc")
KILLS = 20
N_ROWS = 40


def options(server, out):
    """The command that is run over and over."""
    told = "--engine served:toy --paper --rounds 2 --k 14 --candidates 3 --stop never --balance equal"
    return ["rewrite", "data.csv", *told.split(), "--base-url", server.url, "--out", out]


@pytest.fixture(scope="module")
def nursery():
    with Nursery() as running:
        yield running


@pytest.fixture
def server():
    """Answers a few at a time and slowly enough to be caught in the middle; knows a call again by its key."""
    with Loopback(lambda call: replace(answer(call), wait=0.02), slots=4, remembers=True) as running:
        yield running


@pytest.fixture
def start(nursery, server, tmp_path):
    """Starts the command on a folder."""
    write_csv(tmp_path / "data.csv", N_ROWS)
    env = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "LONGWAY_API_KEY": "", "OPENAI_API_KEY": ""}
    return lambda out: nursery.start(options(server, out), cwd=tmp_path, env=env)


def is_done(folder):
    return (folder / RUN_FILE).exists() and read_json(folder / RUN_FILE)["state"] == "done"


def kept_in(folder):
    """The keys of all answers on disk."""
    if not (folder / "journal.sqlite").exists():
        return set()
    journal = Journal(folder / "journal.sqlite")
    try:
        return {call.key for call in journal.entries()}
    finally:
        journal.close()


def requests_by_call(server):
    """How often a request came for each key of a journal."""
    counts = {}
    for key, n in server.keys.items():
        call = key.split("-")[0]
        counts[call] = counts.get(call, 0) + n
    return counts


def wait_for_a_call(child, server):
    """Until the server gets a request, or the process ends."""
    before = server.keys.total()
    while server.keys.total() == before and child.is_running():
        time.sleep(0.002)


@pytest.mark.soak  # tests/faults kills every command, less often
def test_killed_twenty_times_it_ends_as_if_nothing_had_been_and_pays_nothing_twice(start, server, tmp_path):
    draw = random.Random(4)
    began = time.monotonic()
    child = start("whole")
    assert child.wait() == 0, child.said.read_text()
    whole = time.monotonic() - began
    undisturbed = set(server.charged)
    server.keys.clear()
    server.charged.clear()
    server._made.clear()

    kills, life, in_a_round, most_kept = 0, 1, 0, 0
    kept, counted = set(), {}
    while kills < KILLS:
        out = tmp_path / f"life{life}"
        child = start(out.name)
        if kills % 4 == 3:  # at any moment of the whole
            time.sleep(draw.uniform(0, whole))
        else:  # in the middle of what engines are asked
            wait_for_a_call(child, server)
            time.sleep(draw.uniform(0, 0.12))
        child.kill(signal.SIGKILL)
        ended = child.wait()
        counts = requests_by_call(server)
        assert all(
            counts.get(key) == counted.get(key) for key in kept
        )  # what was kept was not asked for again
        if ended == -signal.SIGKILL:
            kills += 1
            in_a_round += bool(set(counts) - kept_in(out)) or counts != counted
        if is_done(out):
            check_the_end(tmp_path, out, undisturbed, server)
            life, kept = life + 1, set()
            server.keys.clear()
            continue
        assert kept <= kept_in(out)  # nothing that was on disk is lost
        kept, counted = kept_in(out), counts
        most_kept = max(most_kept, len(kept))
    assert in_a_round >= KILLS // 2
    assert most_kept > len(undisturbed) // 2  # each start went on where the last one was killed
    out = tmp_path / f"life{life}"
    child = start(out.name)
    assert child.wait() == 0, child.said.read_text()
    assert all(requests_by_call(server).get(key) == counted.get(key) for key in kept)
    check_the_end(tmp_path, out, undisturbed, server)


def check_the_end(tmp_path, out, undisturbed, server):
    """The same files as an undisturbed run, the same calls, each charged once, and nothing left lying about."""
    for name in ("dataset.csv", "edits.jsonl"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    ours, theirs = read_json(out / "rewrite.json"), read_json(tmp_path / "whole" / "rewrite.json")
    for found in (ours, theirs):
        found.pop("created")
        for each in (*found["rounds"], *found["cost"]):
            each.pop("seconds", None)
            each.pop("seconds_by_step", None)
    assert ours == theirs
    assert set(server.charged) == undisturbed
    assert set(server.charged.values()) == {1}
    assert {path.name for path in out.iterdir()} == {path.name for path in (tmp_path / "whole").iterdir()}


def test_ctrl_c_says_what_was_kept_and_how_to_go_on(start, server, tmp_path):
    child = start("run")
    while server.keys.total() < 15:
        assert child.is_running(), child.said.read_text()
        time.sleep(0.002)
    child.kill(signal.SIGINT)
    assert child.wait() == 130
    said = child.said.read_text()
    n = len(kept_in(tmp_path / "run"))
    assert n >= 8
    assert (
        f"{n} answers are kept in run. The same command resumes the run and pays for nothing twice." in said
    )
    assert "longway: stopped." in said
    assert "Traceback" not in said
    assert not is_done(tmp_path / "run")
    child = start("run")
    assert child.wait() == 0, child.said.read_text()
    assert is_done(tmp_path / "run")
    assert set(server.charged.values()) == {1}


def killed_twice(nursery, folder, told, answer):
    """A command is run undisturbed, and again with two kills on the way: the same calls, each paid once, and the same files."""
    env = {"XDG_CONFIG_HOME": str(folder / "config"), "LONGWAY_API_KEY": "", "OPENAI_API_KEY": ""}

    def slowly(call):
        return replace(answer(call), wait=0.02)

    with Loopback(slowly, slots=4, remembers=True) as server:
        again = [*told.split(), "--base-url", server.url, "--out"]
        child = nursery.start([*again, "whole"], cwd=folder, env=env)
        assert child.wait() == 0, child.said.read_text()
        undisturbed = set(server.charged)
        for counts in (server.charged, server.keys, server._made):
            counts.clear()
        for _ in range(2):
            child, before = nursery.start([*again, "killed"], cwd=folder, env=env), server.keys.total()
            while server.keys.total() < before + 8 and child.is_running():
                time.sleep(0.002)
            child.kill(signal.SIGKILL)
            assert child.wait() == -signal.SIGKILL, child.said.read_text()
        child = nursery.start([*again, "killed"], cwd=folder, env=env)
        assert child.wait() == 0, child.said.read_text()
        assert set(server.charged) == undisturbed
        assert set(server.charged.values()) == {1}
    whole, killed = folder / "whole", folder / "killed"
    assert {path.name for path in killed.iterdir()} == {path.name for path in whole.iterdir()}
    for name in ("dataset.csv", "edits.jsonl"):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


@pytest.mark.soak
def test_an_augmentation_that_is_killed_ends_as_if_nothing_had_been(nursery, tmp_path):
    write_csv(tmp_path / "data.csv", N_ROWS)
    told = "augment data.csv --method counterfactual --engine served:toy --model bow"
    killed_twice(nursery, tmp_path, told, toy_augment.answer)


@pytest.mark.soak
def test_a_perturbation_that_is_killed_ends_as_if_nothing_had_been(nursery, tmp_path):
    toy_perturb.write(tmp_path / "data.csv", toy_perturb.bakers_of(N_ROWS))
    told = "perturb data.csv --engine served:toy --axis gender"
    killed_twice(nursery, tmp_path, told, toy_perturb.answer)


def write_reviews(path, n):
    """Short reviews that the rules can turn round."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "review", "label"])
        for i in range(n):
            words = (("awful", "boring"), ("great", "lovely"))[i % 2]
            sadly = "sadly " if i % 6 in (2, 4) else ""
            text = f"The film was {words[0]}. We {sadly}saw it on day {i}. The {NOUNS[i % 8]} was {words[1]}."
            writer.writerow([f"r{i}", text, ("negative", "positive")[i % 2]])


def in_journal(folder):
    """How many calls of each kind are on disk, while another process writes; triples, alter and realise apart."""
    if not (folder / "journal.sqlite").exists():
        return Counter()
    with closing(sqlite3.connect(f"file:{folder / 'journal.sqlite'}?mode=ro", uri=True)) as database:
        try:
            found = database.execute("select kind, asked from calls").fetchall()
        except sqlite3.OperationalError:  # it is just being made
            return Counter()
    return Counter(json.loads(asked).get("template", kind) for kind, asked in found)


@pytest.mark.soak
def test_coba_by_rules_that_is_killed_ends_as_if_nothing_had_been(nursery, tmp_path):
    write_reviews(tmp_path / "data.csv", 16)
    told = "augment data.csv --engine rules --model bow --spurious sadly --variants 2 --out".split()
    child = nursery.start([*told, "whole"], cwd=tmp_path)
    assert child.wait() == 0, child.said.read_text()
    whole, out = tmp_path / "whole", tmp_path / "killed"
    for last in ("words", "alter.v2"):  # killed as soon as the first of these is on disk
        child = nursery.start([*told, "killed"], cwd=tmp_path)
        while not in_journal(out)[last] and child.is_running():
            time.sleep(0.002)
        child.kill(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL, child.said.read_text()
        assert not is_done(out)
    child = nursery.start([*told, "killed"], cwd=tmp_path)
    assert child.wait() == 0, child.said.read_text()
    assert read_json(out / "augment.json")["added"] > 0
    assert in_journal(out) == in_journal(whole)
    assert kept_in(out) == kept_in(whole)
    for name in ("dataset.csv", "edits.jsonl"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()
