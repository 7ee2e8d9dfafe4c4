"""Processes of the command line that can be killed, limited, or told another time; they start in a moment.

    with Starts() as starts:
        child = starts.start(["audit", "data.csv"], cwd=folder, limits={"FSIZE": 20_000}, clock=-86_400)

Commands run in children of a process that has everything loaded that they import, so that a test can kill many of them; nothing that
starts threads is used before a child is forked. What can be taken from a process: limits are those of `setrlimit` by name, memory is what it may take besides what is loaded, `clock` moves the wall clock
by so many seconds, `patience` is how long a locked journal is waited for. Servers are asked `AT_ONCE` calls at a time. The sentence encoder and WordNet are left out: they are
not what is tested, and take seconds to load.
"""

from __future__ import annotations

import datetime
import gc
import importlib
import json
import os
import resource
import subprocess
import sys
import time
import traceback
from dataclasses import asdict
from pathlib import Path

from tests.jobs.toy_run import without_encoder

AT_ONCE = 8  # calls that a command has under way, at most: few, so that they tell from all calls of a run
LOADED = (
    "openai",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.feature_extraction.text",
    "longway.jobs.rewrite.page",
    "longway.report.terminal",
    "longway.jobs.augment.page",
    "longway.jobs.audit.job",
    "longway.jobs.prove.job",
    "longway.review.run_contents",
    "longway.review.serve",
    "longway.verify.model_checks",
    "pyarrow.parquet",
)


class Child:
    """A process that was started. It is waited for only in `wait`, so that its number is still its own."""

    def __init__(self, starts, pid, said):
        self.pid, self.said, self._starts, self._code = pid, said, starts, None

    def kill(self, number):
        os.kill(self.pid, number)

    def is_running(self):
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"

    def wait(self):
        """Its exit code; minus the signal where one ended it."""
        if self._code is None:
            self._code = self._starts.ask({"wait": self.pid})
        return self._code


class Starts:
    """Starts commands in children of a process that has everything loaded."""

    def __enter__(self):
        root = Path(__file__).resolve().parents[2]
        command = [sys.executable, "-m", "tests.faults.starts"]
        self._process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert json.loads(self._process.stdout.readline()) == "ready"
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def ask(self, question):
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def start(self, args, *, cwd, env=None, beside=False, **taken):
        """A child that runs the command; what it says is in `child.said`. beside: another one runs."""
        said = Path(cwd) / ("said-beside.txt" if beside else "said.txt")
        said.write_text("")  # or what the one before said would be read
        asked = {"args": [str(arg) for arg in args], "cwd": str(cwd), "said": str(said), "env": env or {}}
        return Child(self, self.ask({**asked, "taken": taken}), said)

    def run(self, args, **options):
        """Exit code and words of a command that is waited for."""
        child = self.start(args, **options)
        return child.wait(), child.said.read_text(encoding="utf-8", errors="replace")


def take(*, limits=None, memory=None, clock=0.0, patience=None):
    """Take something from this process, for good."""
    if clock:
        move_clock(clock)
    if patience is not None:
        importlib.import_module("longway.store.journal").WAIT = patience
    for name, most in (limits or {}).items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    if memory is not None:
        loaded = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (loaded + memory, loaded + memory))


def move_clock(seconds):
    """Have the wall clock of this process tell another time; clocks that only run forward stay."""
    real = time.time
    time.time = lambda: real() + seconds

    class Moved(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(time.time(), tz)

    datetime.datetime = Moved
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("longway.") and hasattr(module, "datetime"):
            module.datetime = Moved


def run(args, cwd, said, env):
    """The command line, in a child; never comes back."""
    code = 1
    try:
        handle = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for number in (1, 2):
            os.dup2(handle, number)
        os.chdir(cwd)
        os.environ.update(env)
        sys.argv = ["longway", *args]
        from longway.cli import main

        main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def load_everything():
    """What the commands import; nothing that starts threads is used."""
    for name in LOADED:
        importlib.import_module(name)
    without_encoder()
    importlib.import_module("longway.verify.wordforms")._antonyms = lambda word: frozenset()
    importlib.import_module("longway.engines.served").LONGEST_BACKOFF = 0.02
    limits = importlib.import_module("longway.engines.requests").ServerLimits
    usual = asdict(limits()) | {"max_in_flight": AT_ONCE}
    limits.__init__.__defaults__ = tuple(usual.values())
    assert limits() == limits(**usual)
    # The leak is not the point, and takes most of the time.
    importlib.import_module("longway.detect.leak").folds_for = lambda n_rows, n_labels: (3, 1)
    gc.collect()
    gc.freeze()  # what is loaded stays shared between the children


def main():
    answers = sys.stdout
    load_everything()
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "wait" in asked:
            answer = os.waitstatus_to_exitcode(os.waitpid(asked["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                take(**asked.pop("taken"))
                run(**asked)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
