"""Faults other than a kill, put into real runs: each is told in words, leaves nothing torn, and the same command goes on afterwards.

    FAULTS["disk full"].inject(bench, whole, place, counts)

place: which of the fault's sizes, moments or kinds of damage. A fault that this machine does not permit raises `NotHere`.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from longway.store import Journal
from tests.faults.kills import after_a_kill, kept_in, to_the_end

PATIENCE = 120  # seconds after which a process counts as hanging
TEN_YEARS = 10 * 365 * 86_400


class NotHere(Exception):  # noqa: N818 - named after what is the case
    """A fault that cannot be injected on this machine; says why."""


@dataclass(frozen=True)
class Fault:
    """One kind of fault. jobs: the commands it is tried on. inject: with bench, undisturbed run, place and counts."""

    name: str
    jobs: tuple[str, ...]
    inject: Callable[[Any, Any, int, Any], None]


def file_limit(bench, whole, place, counts):
    """No file may grow beyond a size that some of the run's need."""
    out = fresh(bench, whole, "limited")
    size = (30_000, 8_000, 20_000, 45_000)[place % 4]
    ended = run(bench, whole.job, out, limits={"FSIZE": size})
    told(ended, counts, f"file limit {size}, {whole.job.name}")
    goes_on(bench, whole, out, counts)


def disk_full(bench, whole, place, counts):
    """A disk with room for a part of the run."""
    disk = bench.folder / "disk"
    files = [path for path in (bench.folder / f"{whole.job.name}-whole").rglob("*") if path.is_file()]
    pages = sum(-(-path.stat().st_size // 4096) for path in files)
    size = 4 * max(4, int(pages * (0.6, 0.85, 0.3, 0.75)[place % 4]))
    with mounted(disk, f"size={size}k"):
        out = fresh(bench, whole, "disk/run")
        ended = run(bench, whole.job, out)
        told(ended, counts, f"disk of {size} KB, {whole.job.name}", "room")
        mount("-o", "remount,size=64m", disk)
        goes_on(bench, whole, out, counts)


def read_only(bench, whole, place, counts):
    """A folder that cannot be written to: an empty one, or that of a run that was broken off."""
    disk = bench.folder / "closed"
    disk.mkdir()
    out = fresh(bench, whole, "closed/run")
    if place % 2:
        broken_off(bench, whole, out)
    with closed(disk):
        ended = run(bench, whole.job, out)
    told(ended, counts, f"read-only folder, {whole.job.name}", "--out")
    goes_on(bench, whole, out, counts)
    shutil.rmtree(disk)


def journal_locked(bench, whole, place, counts):
    """Another program holds the journal for longer than it is waited for: nothing is asked whose answer could not be kept."""
    out = fresh(bench, whole, "locked")
    broken_off(bench, whole, out)
    with closing(sqlite3.connect(out / "journal.sqlite", isolation_level=None)) as other:
        other.execute("begin immediate")
        before = settled(whole.job)
        ended = run(bench, whole.job, out, patience=0.2)
    name = f"journal locked, {whole.job.name}"
    told(ended, counts, name, "no other process")
    counts.check(whole.job.requests() == before, f"{name}: the server was asked")
    goes_on(bench, whole, out, counts)


def journal_damaged(bench, whole, place, counts):
    """The journal of a run that was broken off is not what it was: told, not overwritten, nothing asked."""
    out = fresh(bench, whole, "damaged")
    broken_off(bench, whole, out)
    path = out / "journal.sqlite"
    Journal(path).close()  # everything in one file
    good = path.read_bytes()
    harm = DAMAGES[place % len(DAMAGES)]
    bad = harm(good)
    path.write_bytes(bad)
    before = settled(whole.job)
    ended = run(bench, whole.job, out)
    name = f"journal damaged ({harm.__name__}), {whole.job.name}"
    told(ended, counts, name, "damaged")
    counts.check(path.read_bytes() == bad, f"{name}: the damaged file was written to")
    counts.check(whole.job.requests() == before, f"{name}: the server was asked")
    for beside in out.glob("journal.sqlite-*"):
        beside.unlink()
    path.write_bytes(good)
    goes_on(bench, whole, out, counts)


def clock_jumps(bench, whole, place, counts):
    """A run that begins ten years from now is broken off, and goes on ten years ago; or the other way round."""
    out = fresh(bench, whole, "clock")
    seconds = TEN_YEARS if place % 2 == 0 else -TEN_YEARS
    broken_off(bench, whole, out, clock=seconds)
    code, said = run(bench, whole.job, out, clock=-seconds)
    counts.check(code == 0, f"clock jumps, {whole.job.name}: {said[-300:]}")
    goes_on(bench, whole, out, counts)


def two_processes(bench, whole, place, counts):
    """While one process works in a folder, another is told, and the first is not disturbed."""
    out = fresh(bench, whole, "shared")
    first = bench.start(whole.job, inside(bench, out))
    wait_until(lambda: (out / "run.json").exists() or not first.is_running())
    first.kill(signal.SIGSTOP)
    ended = run(bench, whole.job, out, beside=True)
    first.kill(signal.SIGCONT)
    told(ended, counts, f"two processes, {whole.job.name}", "another process")
    counts.check(first.wait() == 0, f"two processes, {whole.job.name}: the first one did not end well")
    goes_on(bench, whole, out, counts)


def little_memory(bench, whole, place, counts):
    """Less memory than the run needs; one that gets by with it ends as ever."""
    out = fresh(bench, whole, "memory")
    size = (24, 48, 12, 96)[place % 4]
    ended = run(bench, whole.job, out, memory=size << 20)
    if ended[0] < 0:  # another process speaks for it
        wait_until(lambda: "longway: " in (bench.folder / "said.txt").read_text(errors="replace"), seconds=20)
        ended = ended[0], (bench.folder / "said.txt").read_text(errors="replace")
    if ended[0] != 0:
        told(ended, counts, f"{size} MB, {whole.job.name}")
    goes_on(bench, whole, out, counts)


FAULTS = {
    fault.name: fault
    for fault in (
        Fault("file limit", ("audit", "rewrite", "augment", "prove"), file_limit),
        Fault("disk full", ("audit", "rewrite", "prove"), disk_full),
        Fault("read-only", ("audit", "rewrite", "prove"), read_only),
        Fault("journal locked", ("rewrite", "augment"), journal_locked),
        Fault("journal damaged", ("rewrite", "augment"), journal_damaged),
        Fault("clock jumps", ("audit", "rewrite", "prove"), clock_jumps),
        Fault("two processes", ("audit", "rewrite", "augment", "prove"), two_processes),
        Fault("little memory", ("audit", "rewrite", "prove"), little_memory),
    )
}


def letter(good):
    """One letter of an answer is another one: SQLite does not notice."""
    at = good.rindex(b'"texts"') + 12
    return good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]


def no_text(good):
    """A byte of an answer that cannot be part of a text."""
    at = good.rindex(b'"texts"') + 12
    return good[:at] + b"\xff" + good[at + 1 :]


def head(good):
    """The first bytes are something else."""
    return b"\0" * 64 + good[64:]


def half(good):
    """The second half is gone."""
    return good[: len(good) // 2]


def page(good):
    """A page in the middle is noise."""
    at = len(good) // 4096 // 2 * 4096
    return good[:at] + bytes(range(256)) * 16 + good[at + 4096 :]


DAMAGES = (letter, head, half, page, no_text)


def fresh(bench, whole, name):
    """A folder that is not there yet, and a server that knows nothing of earlier runs."""
    whole.job.forget()
    out = bench.folder / name
    shutil.rmtree(out, ignore_errors=True)
    return out


def inside(bench, out):
    """A folder as the command line is told."""
    return out.relative_to(bench.folder).as_posix()


def run(bench, job, out, **options):
    """Exit code and words; a process that hangs is ended and counts as killed."""
    child = bench.start(job, inside(bench, out), **options)
    until = time.monotonic() + PATIENCE
    while child.is_running() and time.monotonic() < until:
        time.sleep(0.005)
    if child.is_running():
        child.kill(signal.SIGKILL)
        return child.wait(), "it hung"
    return child.wait(), child.said.read_text(encoding="utf-8", errors="replace")


def broken_off(bench, whole, out, **options):
    """Kill a run in its middle: after some answers where a server is asked, after its first file where none is."""
    child = bench.start(whole.job, inside(bench, out), **options)
    if whole.job.server is None:
        wait_until(lambda: (out / "run.json").exists() or not child.is_running())
    else:
        wait_until(lambda: len(whole.job.server.keys) > 16 or not child.is_running())
    child.kill(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL, child.said.read_text()


def settled(job):
    """The requests that came, once those that a killed process had sent are counted, too."""
    before = None
    while before != (before := job.requests()):
        time.sleep(0.3)
    return before


def wait_until(is_so, *, seconds=PATIENCE):
    """Wait for something, but not for ever."""
    until = time.monotonic() + seconds
    while not is_so() and time.monotonic() < until:
        time.sleep(0.002)


def told(ended, counts, name, *words):
    """It failed, said so in words with the next step, and no traceback."""
    code, said = ended
    last = said.strip()[-400:]
    counts.check(code != 0, f"{name}: it ended as if nothing were wrong")
    counts.check("Traceback" not in said, f"{name}: a traceback: {last}")
    counts.check("longway: " in said, f"{name}: nothing was said: {last or code}")
    steps = ("again", "Choose", "choose")
    counts.check(any(word in last for word in steps), f"{name}: no next step: {last}")
    for word in words:
        counts.check(word in said, f"{name}: not a word of {word!r}: {last}")


def goes_on(bench, whole, out, counts):
    """What is left is whole, and the same command ends as an undisturbed run."""
    kept = after_a_kill(whole.job, out, {}, counts)
    to_the_end(bench, whole, out, kept, counts)
    assert not whole.job.server or kept_in(out)
    shutil.rmtree(out, ignore_errors=True)


def mount(*words):
    """Have the system mount something; NotHere where it may not."""
    done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise NotHere(f"mounting is not permitted ({done.stderr.strip().splitlines()[-1][:60]})")


@contextmanager
def mounted(folder, options):
    """A small disk in this folder."""
    if shutil.which("mount") is None:
        raise NotHere("there is no mount")
    folder.mkdir()
    try:
        mount("-t", "tmpfs", "-o", options, "tmpfs", folder)
        try:
            yield
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
    finally:
        folder.rmdir()


@contextmanager
def closed(folder):
    """Nothing can be written here: by rights, or for root, whom these do not stop, by a mount that is read-only."""
    if os.geteuid() == 0:
        mount("--bind", folder, folder)
        try:
            mount("-o", "remount,ro,bind", folder)
            yield
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        return
    inner = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for each in inner:
        each.chmod(0o555)
    try:
        yield
    finally:
        for each in inner:
            each.chmod(0o755)
